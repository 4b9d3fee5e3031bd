#include "exec/decode.h"
#include "exec/image.h"

namespace carry::exec {

/// Operands after the coordinate, in the order of SampleOperand.
bool Decoder::sample_operands(const ir::Inst& inst, uint32_t next, ImageOp& op) {
  const auto take = [&](uint32_t flag, uint32_t& row) {
    if ((op.mask & flag) == 0) return ir::ValueId{};
    if (next >= inst.operands.count) {
      fail("an image operation has fewer operands than its mask says");
      return ir::ValueId{};
    }
    const ir::ValueId v = module_.operand(inst, next++);
    row = row_of(v);
    return v;
  };
  const auto note_kind = [&](ir::ValueId v) {
    if (!v.is_none()) op.lod_kind = kind_of(v);
  };
  take(ir::kSampleCompare, op.compare);
  note_kind(take(ir::kSampleBias, op.bias));
  note_kind(take(ir::kSampleLod, op.lod));
  const ir::ValueId ddx = take(ir::kSampleGrad, op.ddx);
  if (!ddx.is_none()) {
    op.grad_count = types_.component_count(type_of(ddx));
    take(ir::kSampleGrad, op.ddy);
  }
  const ir::ValueId offset = take(ir::kSampleOffset, op.offset);
  if (!offset.is_none()) op.offset_count = types_.component_count(type_of(offset));
  take(ir::kSampleOffsets, op.offsets);
  note_kind(take(ir::kSampleMinLod, op.min_lod));
  take(ir::kSampleIndex, op.sample);
  return !failed_;
}

bool Decoder::image_coordinate(const ir::Inst& inst, uint32_t& next, ImageOp& op) {
  if (next >= inst.operands.count) return fail("an image operation without a coordinate");
  const ir::ValueId v = module_.operand(inst, next++);
  op.coord = row_of(v);
  op.coord_kind = kind_of(v);
  op.coord_count = types_.component_count(type_of(v));
  return !failed_;
}

/// What `image_write` stores, behind the number of a sample if there is one.
bool Decoder::image_value(const ir::Inst& inst, uint32_t next, ImageOp& op) {
  if (next + 1 < inst.operands.count) op.sample = row_of(module_.operand(inst, next++));
  if (next >= inst.operands.count) return fail("`image_write` without a value");
  const ir::ValueId v = module_.operand(inst, next);
  op.value = row_of(v);
  op.value_count = types_.component_count(type_of(v));
  op.dst_kind = kind_of(v);
  return !failed_;
}

namespace {

bool has_derivative_groups(const ir::Module& module) {
  for (ir::FunctionId f : module.function_order) {
    if ((module.functions[f].entry.flags & ir::kEntryQuadDerivatives) != 0) return true;
  }
  return false;
}

Handler image_handler(Op op) {
  switch (op) {
    case Op::sample:
    case Op::gather: return op_sample;
    case Op::fetch:
    case Op::image_read: return op_fetch;
    case Op::image_write: return op_image_write;
    case Op::image_size:
    case Op::image_levels:
    case Op::image_samples: return op_image_query;
    default: return nullptr;
  }
}

}  // namespace

/// What of a sampling operation the executor lacks; nullptr: nothing.
const char* Decoder::sample_limits(const ir::Inst& inst, const ImageOp& op) {
  const Type& image = types_[op.image_type];
  if (inst.op == Op::sample && (op.mask & (ir::kSampleLod | ir::kSampleGrad)) == 0 && has_derivative_groups(module_))
    return "sampling without a level in compute shaders";
  if (is_wide(image.scalar)) return "sampling of 64-bit texels";
  if (op.ddx != kNoRow && image.dim == Dim::cube) return "gradients of cube maps";
  return !op.combined && op.sampler == kNoRow ? "sampling without a sampler" : nullptr;
}

/// All operands but the image.
bool Decoder::image_operands(const ir::Inst& inst, ImageOp& op) {
  uint32_t next = 1;
  const ir::SampleInfo info = ir::SampleInfo::unpack(inst.payload);
  switch (inst.op) {
    case Op::sample:
    case Op::gather:
      op.gather_component = info.component;
      if ((info.mask & ir::kSampleHasSampler) != 0 && next < inst.operands.count)
        op.sampler = row_of(module_.operand(inst, next++));
      [[fallthrough]];
    case Op::fetch: op.mask = info.mask; return image_coordinate(inst, next, op) && sample_operands(inst, next, op);
    case Op::image_read:
      if (!image_coordinate(inst, next, op)) return false;
      if (next < inst.operands.count) op.sample = row_of(module_.operand(inst, next));
      break;
    case Op::image_write: return image_coordinate(inst, next, op) && image_value(inst, next, op);
    default:
      if (next < inst.operands.count) op.lod = row_of(module_.operand(inst, next));
  }
  return !failed_;
}

void Decoder::decode_image(ir::InstId id, const ir::Inst& inst) {
  ImageOp op;
  op.op = inst.op;
  const ir::ValueId handle = module_.operand(inst, 0);
  op.image = row_of(handle);
  op.image_type = type_of(handle);
  if (types_.kind(op.image_type) == TypeKind::combined) {
    op.combined = true;
    op.image_type = types_[op.image_type].element;
  }
  const Type image = types_[op.image_type];
  if (image.kind != TypeKind::texture && image.kind != TypeKind::image) {
    fail("an image operation without an image", id);
    return;
  }
  const Handler handler = image_handler(inst.op);
  const bool samples = handler == op_sample;
  if (handler != nullptr && !image_operands(inst, op)) return;
  const char* unsupported = samples ? sample_limits(inst, op) : nullptr;
  if (handler == nullptr) unsupported = "this image operation";
  if (image.dim == Dim::subpass && unsupported == nullptr) unsupported = "subpass inputs";
  if (unsupported != nullptr) {
    fault_results(id, std::string("the executor does not support ") + unsupported + " yet");
    return;
  }
  if (inst.result_count != 0) {
    const ir::ValueId result = module_.result(inst);
    op.dst_kind = kind_of(result);
    op.dst_count = types_.component_count(type_of(result));
    op.dst = define(result);
    if (op.dst_count == 0) {
      fault_results(id, "the executor does not support an image operation with this result yet");
      return;
    }
  }
  program_.image_ops.push_back(op);
  emit(handler, id, samples ? 64 : 16).aux = static_cast<uint32_t>(program_.image_ops.size() - 1);
}

}  // namespace carry::exec

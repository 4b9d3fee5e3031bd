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

namespace {

bool has_derivative_groups(const ir::Module& module) {
  for (ir::FunctionId f : module.function_order) {
    if ((module.functions[f].entry.flags & ir::kEntryQuadDerivatives) != 0) return true;
  }
  return false;
}

}  // namespace

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
  const char* unsupported = nullptr;
  if (image.dim == Dim::subpass) unsupported = "subpass inputs";
  Handler handler = nullptr;
  uint32_t next = 1;
  const ir::SampleInfo info = ir::SampleInfo::unpack(inst.payload);
  const bool samples = inst.op == Op::sample || inst.op == Op::gather;
  const auto coordinate = [&] {
    if (next >= inst.operands.count) {
      fail("an image operation without a coordinate", id);
      return;
    }
    const ir::ValueId v = module_.operand(inst, next++);
    op.coord = row_of(v);
    op.coord_kind = kind_of(v);
    op.coord_count = types_.component_count(type_of(v));
  };
  switch (inst.op) {
    case Op::sample:
    case Op::gather:
      handler = op_sample;
      op.mask = info.mask;
      op.gather_component = info.component;
      if ((info.mask & ir::kSampleHasSampler) != 0 && next < inst.operands.count)
        op.sampler = row_of(module_.operand(inst, next++));
      if (!op.combined && op.sampler == kNoRow) unsupported = "sampling without a sampler";
      coordinate();
      if (!sample_operands(inst, next, op)) return;
      if (op.ddx != kNoRow && image.dim == Dim::cube) unsupported = "gradients of cube maps";
      if (is_wide(image.scalar)) unsupported = "sampling of 64-bit texels";
      if (inst.op == Op::sample && (info.mask & (ir::kSampleLod | ir::kSampleGrad)) == 0 && has_derivative_groups(module_))
        unsupported = "sampling without a level in compute shaders";
      break;
    case Op::fetch:
      handler = op_fetch;
      op.mask = info.mask;
      coordinate();
      if (!sample_operands(inst, next, op)) return;
      break;
    case Op::image_read:
      handler = op_fetch;
      coordinate();
      if (next < inst.operands.count) op.sample = row_of(module_.operand(inst, next));
      break;
    case Op::image_write: {
      handler = op_image_write;
      coordinate();
      if (next + 1 < inst.operands.count) op.sample = row_of(module_.operand(inst, next++));
      if (next >= inst.operands.count) {
        fail("`image_write` without a value", id);
        return;
      }
      const ir::ValueId v = module_.operand(inst, next);
      op.value = row_of(v);
      op.value_count = types_.component_count(type_of(v));
      op.dst_kind = kind_of(v);
      break;
    }
    case Op::image_size:
    case Op::image_levels:
    case Op::image_samples:
      handler = op_image_query;
      if (next < inst.operands.count) op.lod = row_of(module_.operand(inst, next));
      break;
    default: unsupported = "this image operation"; break;
  }
  if (failed_) return;
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

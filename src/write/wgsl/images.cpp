// Textures. An array layer is a separate integer argument: the nearest layer to the coordinate's last component.
#include "write/wgsl/state.h"

namespace carry::write::wgsl {

using ir::Inst;
using ir::SampleInfo;
using ir::ValueId;

Writer::Coordinate Writer::coordinate(ValueId v, const Type& texture, bool integer) {
  if ((texture.flags & kImageArrayed) == 0) return {arg(v), {}};
  static constexpr std::string_view kHeads[] = {"", "", ".x", ".xy", ".xyz"};
  static constexpr std::string_view kLast[] = {"", "", ".y", ".z", ".w"};
  const uint32_t n = m_.types().component_count(type_of(v));
  const std::string base = operand(value(v), Prec::primary);
  std::string layer = base + std::string(kLast[n]);
  if (!integer) layer = "i32(round(" + layer + "))";  // to even, as on every target
  return {base + std::string(kHeads[n]), std::move(layer)};
}

Expr Writer::sample(const Inst& inst) {
  const SampleInfo info = SampleInfo::unpack(inst.payload);
  const std::span<const ValueId> ops = m_.operands(inst);
  const Type& texture = m_.types()[type_of(ops[0])];
  uint32_t next = 1;
  std::string text;
  const bool gather = inst.op == Op::gather;
  std::string sampler;
  if (info.mask & ir::kSampleHasSampler) sampler = arg(ops[next++]);
  const Coordinate c = coordinate(ops[next++], texture, false);
  std::string compare, level, dx, dy, offset;
  bool bias = false, lod = false;
  if (info.mask & ir::kSampleCompare) compare = arg(ops[next++]);
  if (info.mask & ir::kSampleBias) {
    bias = true;
    level = arg(ops[next++]);
  }
  if (info.mask & ir::kSampleLod) {
    lod = true;
    level = arg(ops[next++]);
  }
  if (info.mask & ir::kSampleGrad) {
    dx = arg(ops[next++]);
    dy = arg(ops[next++]);
  }
  // Of a 1D texture: zero (the target row rejects others).
  if ((info.mask & ir::kSampleOffset) && texture.dim != Dim::d1) offset = arg(ops[next++]);
  const bool depth = (texture.flags & kImageDepth) != 0;
  if (gather) {
    text = compare.empty() ? "textureGather(" : "textureGatherCompare(";
    if (!depth) text += std::to_string(info.component) + ", ";
  } else if (!compare.empty()) {
    // The compare-level form is level 0 only, which is what a constant 0 and "no derivatives" mean.
    text = lod || fn_stage_has_no_derivatives() ? "textureSampleCompareLevel(" : "textureSampleCompare(";
  } else if (!dx.empty()) {
    text = "textureSampleGrad(";
  } else if (lod || fn_stage_has_no_derivatives()) {
    text = "textureSampleLevel(";
    if (!lod) level = depth ? "0" : "0.0f";
  } else {
    text = bias ? "textureSampleBias(" : "textureSample(";
  }
  text += arg(ops[0]) + ", " + sampler + ", " + c.at;
  if (!c.layer.empty()) text += ", " + c.layer;
  if (!compare.empty()) text += ", " + compare;
  if (compare.empty() && !level.empty()) text += depth && lod ? ", i32(" + level + ")" : ", " + level;
  if (!dx.empty()) text += ", " + dx + ", " + dy;
  if (!offset.empty()) text += ", " + offset;
  text += ')';
  // Depth textures give one number; the IR's plain sample is a vector.
  if (depth && !gather && m_.types().is_vector(result_type(inst))) text = "vec4<f32>(" + text + ", 0.0f, 0.0f, 1.0f)";
  return {std::move(text)};
}

Expr Writer::image(const Inst& inst) {
  const std::span<const ValueId> ops = m_.operands(inst);
  const Type& t = m_.types()[type_of(ops[0])];
  const std::string texture = arg(ops[0]);
  switch (inst.op) {
    case Op::sample:
    case Op::gather: return sample(inst);
    case Op::fetch:
    case Op::image_read: {
      const Coordinate c = coordinate(ops[1], t, true);
      std::string text = "textureLoad(" + texture + ", " + c.at;
      if (!c.layer.empty()) text += ", " + c.layer;
      if (inst.op == Op::fetch) text += ", " + (ops.size() > 2 ? arg(ops[2]) : std::string("0"));
      text += ')';
      if ((t.flags & kImageDepth) && m_.types().is_vector(result_type(inst)))
        text = "vec4<f32>(" + text + ", 0.0f, 0.0f, 1.0f)";
      return {std::move(text)};
    }
    case Op::image_write: {
      const Coordinate c = coordinate(ops[1], t, true);
      std::string text = "textureStore(" + texture + ", " + c.at;
      if (!c.layer.empty()) text += ", " + c.layer;
      return {text + ", " + arg(ops[ops.size() - 1]) + ")"};
    }
    case Op::image_size: {
      std::string size = "textureDimensions(" + texture;
      if (ops.size() > 1 && !(t.flags & kImageMultisampled) && t.kind == TypeKind::texture) size += ", " + arg(ops[1]);
      size += ')';
      if (t.flags & kImageArrayed) size += ", textureNumLayers(" + texture + ")";
      const TypeId to = result_type(inst);
      if (m_.types().scalar_of(to) == ScalarKind::u32 && !(t.flags & kImageArrayed)) return {std::move(size)};
      return {type(to) + "(" +
              (m_.types().scalar_of(to) == ScalarKind::u32 || !(t.flags & kImageArrayed) ? size : unsigned_size(to, size)) +
              ")"};
    }
    case Op::image_levels:
    case Op::image_samples: {
      const std::string call = (inst.op == Op::image_levels ? "textureNumLevels(" : "textureNumSamples(") + texture + ")";
      if (m_.types().scalar_of(result_type(inst)) == ScalarKind::u32) return {call};
      return {"i32(" + call + ")"};
    }
    default:
      CARRY_CHECK(false);  // query_lod: the target row rejects it
      return {texture};
  }
}

/// textureDimensions and textureNumLayers give u32; an i32 vector is converted as a whole.
std::string Writer::unsigned_size(TypeId to, const std::string& size) {
  return type(m_.types().with_scalar(to, ScalarKind::u32)) + "(" + size + ")";
}

}  // namespace carry::write::wgsl

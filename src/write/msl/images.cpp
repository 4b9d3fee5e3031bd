// Textures. An array layer is a separate argument: the nearest layer to the coordinate's last component, ties to even.
// Reads out of bounds give zero, writes are dropped: Metal says so for coordinate, level, layer and sample (MSL 6.12).
#include "write/msl/state.h"

namespace carry::write::msl {

using ir::Inst;
using ir::SampleInfo;
using ir::ValueId;

Writer::Coordinate Writer::coordinate(ValueId v, const Type& texture, bool integer) {
  static constexpr std::string_view kHeads[] = {"", "", ".x", ".xy", ".xyz"};
  static constexpr std::string_view kLast[] = {"", "", ".y", ".z", ".w"};
  const uint32_t n = m_.types().component_count(type_of(v));
  const bool arrayed = (texture.flags & kImageArrayed) != 0;
  const bool cube = texture.dim == Dim::cube;
  // Storage images of cubes are addressed as (x, y, face) or (x, y, 6 * layer + face).
  const bool face = cube && integer;
  if (!arrayed && !face) {
    if (!integer || m_.types().scalar_of(type_of(v)) == ScalarKind::u32) return {arg(v), {}};
    return {type(m_.types().vector(ScalarKind::u32, n)) + "(" + arg(v) + ")", {}};
  }
  const std::string base = operand(value(v), Prec::primary);
  std::string at = base + std::string(kHeads[n]);
  std::string layer = base + std::string(kLast[n]);
  if (integer) {
    at = type(m_.types().vector(ScalarKind::u32, n - 1)) + "(" + at + ")";
    layer = "uint(" + layer + ")";
    if (face && arrayed) layer = layer + " % 6u, " + layer + " / 6u";
  }
  return {std::move(at), std::move(layer)};
}

Expr Writer::sample(const Inst& inst) {
  const SampleInfo info = SampleInfo::unpack(inst.payload);
  const std::span<const ValueId> ops = m_.operands(inst);
  const Type& texture = m_.types()[type_of(ops[0])];
  uint32_t next = 1;
  std::string sampler;
  if (info.mask & ir::kSampleHasSampler) sampler = arg(ops[next++]);
  Coordinate c = coordinate(ops[next++], texture, false);
  // A NaN is layer 0: fmax gives its other argument.
  if (!c.layer.empty())
    c.layer = "uint(rint(fmin(fmax(" + c.layer + ", 0.0f), float(" + arg(ops[0]) + ".get_array_size() - 1u))))";
  std::string compare, option, offset;
  if (info.mask & ir::kSampleCompare) compare = arg(ops[next++]);
  if (info.mask & ir::kSampleBias) option = "bias(" + arg(ops[next++]) + ")";
  if (info.mask & ir::kSampleLod) option = "level(" + arg(ops[next++]) + ")";
  if (info.mask & ir::kSampleGrad) {
    const char* name = texture.dim == Dim::cube ? "gradientcube(" : texture.dim == Dim::d3 ? "gradient3d(" : "gradient2d(";
    option = name + arg(ops[next]) + ", " + arg(ops[next + 1]) + ")";
    next += 2;
  }
  if (info.mask & ir::kSampleOffset) offset = arg(ops[next++]);
  if (info.mask & ir::kSampleMinLod)
    option += (option.empty() ? "min_lod_clamp(" : ", min_lod_clamp(") + arg(ops[next++]) + ")";
  // Texels and level are those there are (features line_sample and line_level).
  if (texture.dim == Dim::d1) option.clear(), offset.clear();
  const bool gather = inst.op == Op::gather;
  // Outside fragment functions there are no derivatives: the base level.
  if (!gather && option.empty() && !module_names_.has_fragment() && texture.dim != Dim::d1) option = "level(0.0f)";
  std::string text = arg(ops[0]) + (gather ? (compare.empty() ? ".gather(" : ".gather_compare(")
                                           : (compare.empty() ? ".sample(" : ".sample_compare("));
  text += sampler + ", " + c.at;
  if (!c.layer.empty()) text += ", " + c.layer;
  if (!compare.empty()) text += ", " + compare;
  if (!gather && !option.empty()) text += ", " + option;
  const bool depth = (texture.flags & kImageDepth) != 0;
  const bool pick = gather && compare.empty() && !depth;
  const bool offsets_exist = texture.dim != Dim::cube;
  if (!offset.empty()) {
    text += ", " + offset;
  } else if (pick && offsets_exist) {
    text += ", int2(0)";  // the component comes after the offset
  }
  static constexpr std::string_view kComponents[] = {"x", "y", "z", "w"};
  if (pick) text += ", component::" + std::string(kComponents[info.component & 3u]);
  text += ')';
  if (depth && !gather && m_.types().is_vector(result_type(inst))) text = "float4(" + text + ", 0.0f, 0.0f, 1.0f)";
  return {std::move(text)};
}

bool Writer::is_zero(ValueId v) const {
  if (!v.is_constant()) return false;
  const Constant& c = m_.types().constant(v.const_id());
  return c.kind == Constant::Kind::zero || (c.kind == Constant::Kind::scalar && c.bits == 0);
}

Expr Writer::image_size(const Inst& inst) {
  const std::span<const ValueId> ops = m_.operands(inst);
  const Type& t = m_.types()[type_of(ops[0])];
  const std::string texture = arg(ops[0]);
  const bool has_level = ops.size() > 1 && t.kind == TypeKind::texture && t.dim != Dim::d1 && t.dim != Dim::buffer &&
                         !(t.flags & kImageMultisampled);
  const std::string level = has_level ? "uint(" + arg(ops[1]) + ")" : std::string();
  std::string text = texture + ".get_width(" + level + ")";
  if (t.dim == Dim::d2 || t.dim == Dim::d3 || t.dim == Dim::cube) text += ", " + texture + ".get_height(" + level + ")";
  if (t.dim == Dim::d3) text += ", " + texture + ".get_depth(" + level + ")";
  if (t.flags & kImageArrayed) text += ", " + texture + ".get_array_size()";
  const TypeId to = result_type(inst);
  const TypeId words = m_.types().with_scalar(to, ScalarKind::u32);
  text = type(words) + "(" + text + ")";
  // Metal leaves the size of a level open that is not there; it is 0.
  if (has_level && !is_zero(ops[1]))
    text = "(" + level + " < " + texture + ".get_num_mip_levels() ? " + text + " : " + type(words) + "(0))";
  if (to == words) return {std::move(text)};
  return {type(to) + "(" + text + ")"};
}

Expr Writer::image(const Inst& inst) {
  const std::span<const ValueId> ops = m_.operands(inst);
  const Type& t = m_.types()[type_of(ops[0])];
  switch (inst.op) {
    case Op::sample:
    case Op::gather: return sample(inst);
    case Op::fetch:
    case Op::image_read: {
      const Coordinate c = coordinate(ops[1], t, true);
      std::string text = arg(ops[0]) + ".read(" + c.at;
      if (!c.layer.empty()) text += ", " + c.layer;
      if (ops.size() > 2 && t.dim != Dim::d1 && t.dim != Dim::buffer) text += ", uint(" + arg(ops[2]) + ")";
      text += ')';
      if ((t.flags & kImageDepth) && m_.types().is_vector(result_type(inst))) text = "float4(" + text + ", 0.0f, 0.0f, 1.0f)";
      return {std::move(text)};
    }
    case Op::image_write: {
      const Coordinate c = coordinate(ops[1], t, true);
      std::string text = arg(ops[0]) + ".write(" + arg(ops[ops.size() - 1]) + ", " + c.at;
      if (!c.layer.empty()) text += ", " + c.layer;
      return {text + ")"};
    }
    case Op::image_size: return image_size(inst);
    case Op::image_levels:
      if (t.dim == Dim::d1) return {type(result_type(inst)) + "(1)"};  // Metal's answer is 0
      [[fallthrough]];
    case Op::image_samples: {
      const std::string call = arg(ops[0]) + (inst.op == Op::image_levels ? ".get_num_mip_levels()" : ".get_num_samples()");
      return {type(result_type(inst)) + "(" + call + ")"};
    }
    default: {  // query_lod
      const std::string texture = arg(ops[0]);
      const std::string rest = "(" + arg(ops[1]) + ", " + arg(ops[2]) + ")";
      return {"float2(" + texture + ".calculate_clamped_lod" + rest + ", " + texture + ".calculate_unclamped_lod" + rest + ")"};
    }
  }
}

}  // namespace carry::write::msl

// Textures: arguments go by their role into the operand mask of sample, gather and fetch.
#include "lower/function_lowering.h"

namespace carry::lower {

using builtins::Hook;
using builtins::Role;

struct FunctionLowering::TextureCall {
  NodeId node;
  const Call& call;
  std::vector<BoundArgument> args;
  ValueId handle;
  ValueId sampler;  // of sampler2D(t, s)
  Type texture;     // of the handle, below `combined`
  ir::SampleInfo info{};
  std::vector<ValueId> operands;

  [[nodiscard]] const BoundArgument* find(Role role) const {
    const std::span<const builtins::Param> params = builtins::params(*call.form);
    for (size_t i = 0; i < args.size() && i < params.size(); ++i) {
      if (params[i].role == role) return &args[i];
    }
    return nullptr;
  }
  [[nodiscard]] ValueId get(Role role) const {
    const BoundArgument* a = find(role);
    return a != nullptr ? a->value : ValueId();
  }
  [[nodiscard]] ValueId sampler_value() const { return sampler ? sampler : get(Role::sampler); }
  /// Adds the operand of `role` if the call has it. Bits are asked for in their order.
  void option(Role role, ir::SampleOperand bit) {
    if (const ValueId v = get(role)) {
      info.mask = static_cast<uint16_t>(info.mask | bit);
      operands.push_back(v);
    }
  }
};

namespace {

uint32_t coordinate_count(const Type& t) {
  uint32_t n = 2;
  if (t.dim == Dim::d1 || t.dim == Dim::buffer) n = 1;
  if (t.dim == Dim::d3 || t.dim == Dim::cube) n = 3;
  return n + ((t.flags & kImageArrayed) != 0 ? 1 : 0);
}

}  // namespace

/// The constructor call `sampler2D(t, s)` that is the first argument, parentheses and nonuniformEXT aside.
NodeId FunctionLowering::combined_call(std::span<const Argument> args) const {
  if (args.empty() || !args[0].node) return {};
  NodeId n = args[0].node;
  while (true) {
    const NodeFact& f = fact(n);
    if (tree_.kind(n) == NodeKind::paren || (f.flags & kFactNonUniform) != 0) {
      if (tree_.kind(n) == NodeKind::call && f.ref == Ref::construct) break;
      const NodeId inner = tree_.last_child(n);
      if (!inner) return {};
      n = inner;
      continue;
    }
    break;
  }
  const bool made =
      tree_.kind(n) == NodeKind::call && fact(n).ref == Ref::construct && types_.kind(fact(n).type) == TypeKind::combined;
  return made && tree_.child_count(n) == 3 ? n : NodeId();
}

ValueId FunctionLowering::texture_hook(NodeId n, const Call& c, Hook hook) {
  TextureCall t{n, c, {}, {}, {}, {}, {}, {}};
  First first = First::value;
  if (c.object)
    t.handle = object_value(c.object);
  else if (const NodeId made = combined_call(facts_.args_of(c))) {
    // sampler2D(t, s): used in place, never a value
    t.handle = value(tree_.child(made, 1));
    t.sampler = value(tree_.child(made, 2));
    first = First::skip;
  }
  t.args = bind_arguments(c, first);
  at(n);
  if (!t.handle) t.handle = t.get(Role::handle);
  if (!t.handle) return unsupported(n, "`" + std::string(c.form->name) + "` here", c.result);
  if (t.find(Role::status) != nullptr) return unsupported(n, "residency status of a texture read", c.result);
  t.texture = types_[b_.type_of(t.handle)];
  if (t.texture.kind == TypeKind::combined) t.texture = types_[t.texture.element];
  switch (hook) {
    case Hook::sample: return sample_texture(t, false);
    case Hook::sample_level_zero: return sample_texture(t, true);
    case Hook::gather: return gather_texture(t, 4);
    case Hook::gather_red: return gather_texture(t, 0);
    case Hook::gather_green: return gather_texture(t, 1);
    case Hook::gather_blue: return gather_texture(t, 2);
    case Hook::gather_alpha: return gather_texture(t, 3);
    case Hook::fetch: return fetch_texture(t);
    case Hook::get_dimensions: return get_dimensions(t);
    case Hook::image_size: return query_texture(t, Op::image_size);
    case Hook::image_levels: return query_texture(t, Op::image_levels);
    case Hook::image_samples: return query_texture(t, Op::image_samples);
    default: {
      const ValueId v = query_texture(t, Op::query_lod);
      if (hook == Hook::query_lod) return v;
      return b_.elem(v, hook == Hook::query_lod_clamped ? 0 : 1);
    }
  }
}

ValueId FunctionLowering::sample_texture(TextureCall& t, bool level_zero) {
  const uint32_t count = coordinate_count(t.texture);
  ValueId at_value = t.get(Role::coord);
  ValueId compare = t.get(Role::compare);
  static constexpr uint32_t kFirst[] = {0, 1, 2, 3};
  const auto take = [&](ValueId v, uint32_t n) {
    if (types_.component_count(b_.type_of(v)) == n) return v;
    return n == 1 ? b_.elem(v, 0) : b_.shuffle(v, v, std::span<const uint32_t>(kFirst, n));
  };
  if (const ValueId v = t.get(Role::coord_cmp)) {
    compare = b_.elem(v, types_.component_count(b_.type_of(v)) - 1);
    at_value = take(v, count);
  } else if (const ValueId p = t.get(Role::coord_proj)) {
    const uint32_t size = types_.component_count(b_.type_of(p));
    at_value = p;
    if (size != count + 1) {
      std::vector<uint32_t> list(kFirst, kFirst + count);
      list.push_back(size - 1);
      at_value = b_.shuffle(p, p, list);
    }
    t.info.mask |= ir::kSampleProject;
  } else if (const ValueId q = t.get(Role::coord_proj_cmp)) {
    std::vector<uint32_t> list(kFirst, kFirst + count);
    list.push_back(3);
    at_value = b_.shuffle(q, q, list);
    compare = b_.elem(q, 2);
    t.info.mask |= ir::kSampleProject;
  }
  t.operands = {t.handle};
  if (const ValueId s = t.sampler_value()) {
    t.operands.push_back(s);
    t.info.mask |= ir::kSampleHasSampler;
  }
  t.operands.push_back(at_value);
  if (compare) {
    t.operands.push_back(compare);
    t.info.mask |= ir::kSampleCompare;
  }
  t.option(Role::bias, ir::kSampleBias);
  t.option(Role::lod, ir::kSampleLod);
  if (level_zero) {
    t.operands.push_back(b_.const_f32(0.0f));
    t.info.mask |= ir::kSampleLod;
  }
  if (t.get(Role::ddx)) {
    t.operands.push_back(t.get(Role::ddx));
    t.operands.push_back(t.get(Role::ddy));
    t.info.mask |= ir::kSampleGrad;
  }
  t.option(Role::offset, ir::kSampleOffset);
  t.option(Role::min_lod, ir::kSampleMinLod);
  const TypeId scalar = types_.scalar(t.texture.scalar);
  if (compare) return adapt(b_.emit(Op::sample, scalar, t.operands, t.info.pack()), ir(t.call.result));
  const TypeId four = types_.vector(t.texture.scalar, 4);
  const ValueId v = b_.emit(Op::sample, four, t.operands, t.info.pack());
  return convert(v, four, t.call.result, t.node);
}

ValueId FunctionLowering::gather_texture(TextureCall& t, uint32_t component) {
  t.operands = {t.handle};
  if (const ValueId s = t.sampler_value()) {
    t.operands.push_back(s);
    t.info.mask |= ir::kSampleHasSampler;
  }
  t.operands.push_back(t.get(Role::coord));
  t.option(Role::compare, ir::kSampleCompare);
  t.option(Role::offset, ir::kSampleOffset);
  if (const ValueId o = t.get(Role::offset0)) {
    const ValueId four[] = {o, t.get(Role::offset1), t.get(Role::offset2), t.get(Role::offset3)};
    t.operands.push_back(build(types_.array(b_.type_of(o), 4), four));
    t.info.mask |= ir::kSampleOffsets;
  }
  t.option(Role::offsets, ir::kSampleOffsets);
  if (component > 3) {
    component = 0;
    if (const ValueId v = t.get(Role::component)) {
      if (!v.is_constant()) return unsupported(t.node, "a gather component that is not constant", t.call.result);
      component = static_cast<uint32_t>(types_.constant(v.const_id()).bits & 3u);
    }
  }
  t.info.component = static_cast<uint8_t>(component);
  const TypeId four = types_.vector(t.texture.scalar, 4);
  return convert(b_.emit(Op::gather, four, t.operands, t.info.pack()), four, t.call.result, t.node);
}

/// An offset in the shape of a coordinate: the layer of an array stays.
ValueId FunctionLowering::as_coordinate(ValueId offset, TypeId type) {
  const uint32_t count = types_.component_count(type);
  const uint32_t has = types_.component_count(b_.type_of(offset));
  if (has < count) {
    std::vector<ValueId> parts{offset};
    for (uint32_t i = has; i < count; ++i) parts.push_back(b_.zero(types_.scalar(types_.scalar_of(b_.type_of(offset)))));
    offset = b_.make(types_.vector(types_.scalar_of(b_.type_of(offset)), count), parts);
  }
  return adapt(offset, type);
}

ValueId FunctionLowering::fetch_texture(TextureCall& t) {
  ValueId at_value = t.get(Role::coord);
  ValueId lod = t.get(Role::lod);
  if (const ValueId v = t.get(Role::coord_lod)) {
    const uint32_t count = types_.component_count(b_.type_of(v)) - 1;
    static constexpr uint32_t kFirst[] = {0, 1, 2, 3};
    lod = b_.elem(v, count);
    at_value = count == 1 ? b_.elem(v, 0) : b_.shuffle(v, v, std::span<const uint32_t>(kFirst, count));
  }
  const ValueId offset = t.get(Role::offset);
  const bool moved = offset && !offset.is_constant();
  if (moved) at_value = b_.binary(Op::add, at_value, as_coordinate(offset, b_.type_of(at_value)));
  t.operands = {t.handle, at_value};
  if (lod) {
    t.operands.push_back(lod);
    t.info.mask |= ir::kSampleLod;
  }
  if (!moved) t.option(Role::offset, ir::kSampleOffset);
  t.option(Role::sample, ir::kSampleIndex);
  const TypeId four = types_.vector(t.texture.scalar, 4);
  return convert(b_.emit(Op::fetch, four, t.operands, t.info.pack()), four, t.call.result, t.node);
}

ValueId FunctionLowering::get_dimensions(TextureCall& t) {
  const uint32_t plane =
      t.texture.dim == Dim::cube ? 2u : coordinate_count(t.texture) - ((t.texture.flags & kImageArrayed) != 0 ? 1u : 0u);
  const uint32_t count = plane + ((t.texture.flags & kImageArrayed) != 0 ? 1u : 0u);
  const TypeId size_type = types_.vector(ScalarKind::u32, count);
  std::vector<ValueId> operands{t.handle};
  const bool has_levels =
      t.texture.kind == TypeKind::texture && t.texture.dim != Dim::buffer && (t.texture.flags & kImageMultisampled) == 0;
  if (has_levels) operands.push_back(t.get(Role::mip) ? t.get(Role::mip) : u32(0));
  const ValueId size = b_.emit(Op::image_size, size_type, operands);
  const auto give = [&](Role role, ValueId v) {
    const BoundArgument* a = t.find(role);
    if (a == nullptr || !v) return;
    copy_out(*a, convert_scalar_kind(v, TypeId::u32, types_.scalar_of(a->type)), a->type);
  };
  give(Role::width, part(size, size_type, 0));
  if (plane > 1) give(Role::height, part(size, size_type, 1));
  if (plane > 2) give(Role::depth, part(size, size_type, 2));
  if (count > plane) give(Role::elements, part(size, size_type, plane));
  if (t.find(Role::levels) != nullptr) give(Role::levels, b_.emit(Op::image_levels, TypeId::u32, {t.handle}));
  if (t.find(Role::samples) != nullptr) give(Role::samples, b_.emit(Op::image_samples, TypeId::u32, {t.handle}));
  return {};
}

ValueId FunctionLowering::query_texture(TextureCall& t, Op op) {
  t.operands = {t.handle};
  if (op == Op::query_lod) {
    if (const ValueId s = t.sampler_value()) t.operands.push_back(s);
    t.operands.push_back(t.get(Role::coord));
    return b_.emit(op, types_.vector(ScalarKind::f32, 2), t.operands);
  }
  if (op == Op::image_size) {
    if (const ValueId lod = t.get(Role::lod)) t.operands.push_back(lod);
  }
  return b_.emit(op, ir(t.call.result), t.operands);
}

}  // namespace carry::lower

// Built-ins that a table cannot say: the hook named by the form.
#include "lower/by_columns.h"

namespace carry::lower {

using builtins::Hook;

/// Targets name the lane of a quad in the program; one that is computed is a lane of the subgroup.
ValueId FunctionLowering::quad_lane(ValueId x, ValueId lane) {
  if (lane.is_constant()) return b_.emit(Op::quad_broadcast, b_.type_of(x), {x, lane});
  const ValueId mine = b_.load(m_.builtin_global(BuiltinVar::subgroup_invocation_id, Space::in));
  const ValueId quad = b_.binary(Op::and_, mine, b_.const_u32(~3u));
  const ValueId corner = b_.binary(Op::and_, lane, b_.const_u32(3));
  return b_.emit(Op::subgroup_shuffle, b_.type_of(x), {x, b_.binary(Op::or_, quad, corner)});
}

namespace {

/// Functions that only read a built-in variable.
struct Reads {
  Hook hook;
  BuiltinVar variable;
};

constexpr Reads kReads[] = {{Hook::lane_index, BuiltinVar::subgroup_invocation_id},
                            {Hook::group_wave_count, BuiltinVar::num_subgroups},
                            {Hook::group_wave_index, BuiltinVar::subgroup_id},
                            {Hook::lane_count, BuiltinVar::subgroup_size}};

}  // namespace

ValueId FunctionLowering::all_lanes_equal(ValueId x, TypeId type, TypeId result) {
  const auto one = [&](ValueId v) { return b_.emit(Op::subgroup_all_equal, TypeId::bool_, {v}); };
  if (types_.is_scalar(type)) return one(x);
  if (is_matrix(type)) {
    const TypeId row = types_.part(type, 0);
    return by_columns(result, types_[type].columns, [&](uint32_t i) {
      const ValueId v = part(x, type, i);
      std::vector<ValueId> parts;
      for (uint32_t k = 0; k < types_.component_count(row); ++k) parts.push_back(one(part(v, row, k)));
      return build(ir(types_.part(result, 0)), parts);
    });
  }
  std::vector<ValueId> parts;
  for (uint32_t i = 0; i < types_.component_count(type); ++i) parts.push_back(one(part(x, type, i)));
  return build(ir(result), parts);
}

/// HLSL clip(x): discards when any component is negative.
ValueId FunctionLowering::clip(NodeId n, const Call& c, ValueId x, TypeId type) {
  const auto negative = [&](ValueId v) { return b_.binary(Op::flt, v, b_.zero(b_.type_of(v))); };
  ValueId any = is_matrix(type) ? ValueId() : any_or_all(negative(x), types_.with_scalar(type, ScalarKind::bool_), Op::any);
  if (!any) return unsupported(n, "clip of a matrix", c.result);
  ir::RegionId regions[2];
  regions[0] = b_.open_region();
  b_.emit(Op::demote, TypeId::void_, {});
  b_.yield();
  b_.close_region();
  regions[1] = b_.open_region();
  b_.yield();
  b_.close_region();
  b_.emit_full(Op::if_, {}, std::span<const ValueId>(&any, 1), regions);
  return {};
}

/// Those that compute with their arguments as plain values.
ValueId FunctionLowering::value_hook(NodeId n, const Call& c, Hook hook) {
  std::vector<BoundArgument> args = bind_arguments(c);
  at(n);
  const ValueId x = args[0].value;
  const TypeId type = args[0].type;
  switch (hook) {
    case Hook::transpose: return transposed(x, type, c.result, n);
    case Hook::matrix_comp_mult:
      return by_columns(c.result, types_[c.result].columns, [&](uint32_t i) {
        const ValueId left = part(x, type, i), right = part(args[1].value, type, i);
        return b_.binary(Op::fmul, left, right, 0, flags_of(n));
      });
    case Hook::any_of: return any_or_all(x, type, Op::any);
    case Hook::all_of: return any_or_all(x, type, Op::all);
    case Hook::dot_int: return dot_product(x, args[1].value, type, n);
    case Hook::quad_lane: {
      if (!is_matrix(type)) return quad_lane(x, args[1].value);
      return by_columns(c.result, types_[type].columns, [&](uint32_t i) { return quad_lane(part(x, type, i), args[1].value); });
    }
    case Hook::wave_all_equal: return all_lanes_equal(x, type, c.result);
    case Hook::clip: return clip(n, c, x, type);
    default: return x;  // nonuniform: the mark is on the `at`
  }
}

ValueId FunctionLowering::apply_hook(NodeId n, const Call& c, Hook hook) {
  struct Handled {
    Hook hook;
    ValueId (FunctionLowering::*by)(NodeId, const Call&, Hook);
  };
  static constexpr Handled kHandled[] = {
      {Hook::sample, &FunctionLowering::texture_hook},
      {Hook::sample_level_zero, &FunctionLowering::texture_hook},
      {Hook::gather, &FunctionLowering::texture_hook},
      {Hook::gather_red, &FunctionLowering::texture_hook},
      {Hook::gather_green, &FunctionLowering::texture_hook},
      {Hook::gather_blue, &FunctionLowering::texture_hook},
      {Hook::gather_alpha, &FunctionLowering::texture_hook},
      {Hook::fetch, &FunctionLowering::texture_hook},
      {Hook::get_dimensions, &FunctionLowering::texture_hook},
      {Hook::image_size, &FunctionLowering::texture_hook},
      {Hook::image_levels, &FunctionLowering::texture_hook},
      {Hook::image_samples, &FunctionLowering::texture_hook},
      {Hook::query_lod, &FunctionLowering::texture_hook},
      {Hook::query_lod_clamped, &FunctionLowering::texture_hook},
      {Hook::query_lod_unclamped, &FunctionLowering::texture_hook},
      {Hook::image_load, &FunctionLowering::image_hook},
      {Hook::image_store, &FunctionLowering::image_hook},
      {Hook::image_atomic, &FunctionLowering::image_hook},
      {Hook::scoped_atomic, &FunctionLowering::scoped_hook},
      {Hook::scoped_barrier, &FunctionLowering::scoped_hook},
      {Hook::float_bits_cas, &FunctionLowering::scoped_hook},
      {Hook::structured_load, &FunctionLowering::structured_hook},
      {Hook::structured_dimensions, &FunctionLowering::structured_hook},
      {Hook::increment_counter, &FunctionLowering::structured_hook},
      {Hook::decrement_counter, &FunctionLowering::structured_hook},
      {Hook::append, &FunctionLowering::structured_hook},
      {Hook::consume, &FunctionLowering::structured_hook},
      {Hook::byte_load, &FunctionLowering::byte_hook},
      {Hook::byte_store, &FunctionLowering::byte_hook},
      {Hook::byte_dimensions, &FunctionLowering::byte_hook},
      {Hook::byte_atomic, &FunctionLowering::byte_hook},
  };
  for (const Handled& row : kHandled) {
    if (row.hook == hook) return (this->*row.by)(n, c, hook);
  }
  for (const Reads& row : kReads) {
    if (row.hook == hook) return b_.load(m_.builtin_global(row.variable, Space::in));
  }
  if (hook == Hook::mul) return hlsl_mul(n, c);
  const bool known = hook == Hook::transpose || hook == Hook::matrix_comp_mult || hook == Hook::any_of ||
                     hook == Hook::all_of || hook == Hook::clip || hook == Hook::nonuniform || hook == Hook::wave_all_equal ||
                     hook == Hook::dot_int || hook == Hook::quad_lane;
  if (!known) return unsupported(n, "`" + std::string(c.form->name) + "`", c.result);
  return value_hook(n, c, hook);
}

}  // namespace carry::lower

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

ValueId FunctionLowering::apply_hook(NodeId n, const Call& c, Hook hook) {
  switch (hook) {
    case Hook::sample:
    case Hook::sample_level_zero:
    case Hook::gather:
    case Hook::gather_red:
    case Hook::gather_green:
    case Hook::gather_blue:
    case Hook::gather_alpha:
    case Hook::fetch:
    case Hook::get_dimensions:
    case Hook::image_size:
    case Hook::image_levels:
    case Hook::image_samples:
    case Hook::query_lod:
    case Hook::query_lod_clamped:
    case Hook::query_lod_unclamped: return texture_hook(n, c, hook);
    case Hook::image_load:
    case Hook::image_store:
    case Hook::image_atomic: return image_hook(n, c, hook);
    case Hook::scoped_atomic:
    case Hook::scoped_barrier:
    case Hook::float_bits_cas: return scoped_hook(n, c, hook);
    case Hook::structured_load:
    case Hook::structured_dimensions:
    case Hook::increment_counter:
    case Hook::decrement_counter:
    case Hook::append:
    case Hook::consume: return structured_hook(n, c, hook);
    case Hook::byte_load:
    case Hook::byte_store:
    case Hook::byte_dimensions:
    case Hook::byte_atomic: return byte_hook(n, c, hook);
    case Hook::mul: return hlsl_mul(n, c);
    case Hook::lane_index: return b_.load(m_.builtin_global(BuiltinVar::subgroup_invocation_id, Space::in));
    case Hook::group_wave_count: return b_.load(m_.builtin_global(BuiltinVar::num_subgroups, Space::in));
    case Hook::group_wave_index: return b_.load(m_.builtin_global(BuiltinVar::subgroup_id, Space::in));
    case Hook::lane_count: return b_.load(m_.builtin_global(BuiltinVar::subgroup_size, Space::in));
    default: break;
  }
  const bool known = hook == Hook::transpose || hook == Hook::matrix_comp_mult || hook == Hook::any_of ||
                     hook == Hook::all_of || hook == Hook::clip || hook == Hook::nonuniform || hook == Hook::wave_all_equal ||
                     hook == Hook::dot_int || hook == Hook::quad_lane;
  if (!known) return unsupported(n, "`" + std::string(c.form->name) + "`", c.result);
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
    case Hook::wave_all_equal: {
      const auto one = [&](ValueId v) { return b_.emit(Op::subgroup_all_equal, TypeId::bool_, {v}); };
      if (types_.is_scalar(type)) return one(x);
      if (is_matrix(type)) {
        const TypeId row = types_.part(type, 0);
        return by_columns(c.result, types_[type].columns, [&](uint32_t i) {
          const ValueId v = part(x, type, i);
          std::vector<ValueId> parts;
          for (uint32_t k = 0; k < types_.component_count(row); ++k) parts.push_back(one(part(v, row, k)));
          return build(ir(types_.part(c.result, 0)), parts);
        });
      }
      std::vector<ValueId> parts;
      for (uint32_t i = 0; i < types_.component_count(type); ++i) parts.push_back(one(part(x, type, i)));
      return build(ir(c.result), parts);
    }
    case Hook::clip: {
      // HLSL clip(x): discards when any component is negative.
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
    default: return x;  // nonuniform: the mark is on the `at`
  }
}

}  // namespace carry::lower

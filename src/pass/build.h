// Small builders that several passes share: constants in the shape of a value, tests on constants.
#pragma once

#include "ir/builder.h"

namespace carry::pass {

/// The integer (or bool, float by bits) constant in the shape of `type`: spread over a vector's components.
[[nodiscard]] inline ir::ValueId bits_like(ir::Builder& b, TypeId type, uint64_t bits) {
  TypeTable& types = b.module().types();
  const ConstId scalar = types.constant_bits(types.scalar(types.scalar_of(type)), bits);
  return ir::ValueId::constant(types.is_vector(type) ? types.splat(type, scalar) : scalar);
}

/// All ones in every component.
[[nodiscard]] inline ir::ValueId ones_like(ir::Builder& b, TypeId type) { return bits_like(b, type, ~uint64_t{0}); }

[[nodiscard]] inline uint32_t width_of(const ir::Module& m, TypeId type) { return scalar_bits(m.types().scalar_of(type)); }

/// Calls `f(bits)` for every component of a constant; false when `v` is none or `f` says no.
template <class F>
bool all_components(ir::Module& m, ir::ValueId v, F f) {
  if (!v.is_constant()) return false;
  TypeTable& types = m.types();
  const Constant c = types.constant(v.const_id());
  if (c.kind == Constant::Kind::scalar) return f(c.bits);
  const uint32_t count = types.part_count(c.type);
  for (uint32_t i = 0; i < count; ++i) {
    const ConstId part = types.part_of(v.const_id(), i);
    if (!part || types.constant(part).kind != Constant::Kind::scalar || !f(types.constant(part).bits)) return false;
  }
  return count != 0;
}

}  // namespace carry::pass

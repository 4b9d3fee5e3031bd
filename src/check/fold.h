// Constant evaluation for the checker: the operations of the source languages on interned constants, by ops/fold.h.
// Literal types (HLSL) are computed as i64 and f64.
#pragma once

#include "check/facts.h"
#include "ops/ops.h"
#include "syntax/tree.h"
#include "types/types.h"

namespace carry::check {

/// None where a value is not known (a type that cannot be folded).
class Folder {
 public:
  Folder(TypeTable& types, bool hlsl) : types_(types), hlsl_(hlsl) {}

  ConstId convert(ConstId value, TypeId to);
  ConstId unary(UnaryOp op, ConstId value);
  /// Operands have equal types or meet as scalar and vector. `result`: type of the result.
  ConstId binary(BinaryOp op, ConstId a, ConstId b, TypeId result);
  ConstId swizzle(ConstId value, uint32_t packed, uint32_t count, TypeId result);
  ConstId construct(ConstructKind kind, TypeId type, std::span<const ConstId> args);
  ConstId builtin(const builtins::Form& form, const builtins::Bindings& bindings, std::span<const ConstId> args, TypeId result);

  /// Integer value of a scalar constant; false for others.
  [[nodiscard]] bool to_int(ConstId value, int64_t& out) const;

 private:
  ConstId convert_scalar(ConstId value, ScalarKind to);
  ConstId scalar_binary(BinaryOp op, ConstId a, ConstId b, TypeId result);
  ConstId matrix_product(ConstId a, ConstId b, TypeId result);
  ConstId equal(ConstId a, ConstId b);
  void leaves(ConstId value, std::vector<ConstId>& out);
  void add_leaves(ConstId value, std::vector<ConstId>& out, uint32_t& visits);
  ConstId rebuild(TypeId type, std::span<const ConstId> leaves, size_t& next, bool splat);
  TypeTable& types_;
  bool hlsl_;
};

}  // namespace carry::check

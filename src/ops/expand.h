// Expansions: a form or an operation computed by other operations. Straight-line code over typed patterns, made by
// tools/gen from `expand { ... }`; type-checked there. ir/expansion.h emits one into a Builder.
#pragma once

#include <cstdint>
#include <span>

#include "ops/builtins.h"
#include "ops/ops.h"

namespace carry::builtins {

/// What an instruction of an expansion reads: a parameter (out parameters not counted), a result of an earlier
/// instruction (results are numbered through), or a literal.
struct ExpandRef {
  enum class Kind : uint8_t { param, temp, literal } kind;
  uint16_t index;
};
[[nodiscard]] constexpr ExpandRef expand_ref(uint16_t word) {
  return {static_cast<ExpandRef::Kind>(word >> 14), static_cast<uint16_t>(word & 0x3fff)};
}

struct ExpandInst {
  Op op;
  uint8_t operand_count;
  uint8_t result_count;    // temps that it defines
  uint16_t first_operand;  // into expand_refs()
  uint32_t payload;
  uint8_t payload_param;  // 255: none; else this parameter is a constant whose value, shifted, is or-ed to the payload
  uint8_t payload_shift;
  TypePattern results[2];
};

/// Spread over the components of its type. `number` for float types, `integer` for the others (bool: 0 or 1).
struct ExpandLiteral {
  TypePattern type;
  double number;
  int64_t integer;
};

struct Expansion {
  uint16_t first_inst;
  uint16_t inst_count;
  uint8_t param_count;
  uint16_t first_result;  // into expand_refs(): the value (if the form returns one), then the out parameters in order
  uint8_t result_count;
};

[[nodiscard]] std::span<const Expansion> expansions();
[[nodiscard]] std::span<const ExpandInst> insts(const Expansion& e);
[[nodiscard]] ExpandRef operand(const ExpandInst& inst, uint32_t i);
[[nodiscard]] ExpandRef result(const Expansion& e, uint32_t i);
[[nodiscard]] const ExpandLiteral& literal(uint16_t index);
/// The constant for a literal under bindings.
[[nodiscard]] ConstId literal_constant(TypeTable& types, const ExpandLiteral& literal, const Bindings& b);

enum class ExpandTarget : uint8_t { spirv, msl, wgsl, glsl, hlsl };
struct TargetExpansion {
  const Expansion* expansion = nullptr;  // nullptr: none
  bool by_component = false;             // the expansion is for scalars: vectors are done one component after the other
};
/// How `op` on operands with this T (none if it has no T) is computed for a target that has no such operation (block item
/// `to ... expand`). ir::emit_target_expansion emits it.
[[nodiscard]] TargetExpansion target_expansion(Op op, ExpandTarget target, ScalarKind scalar);
/// Bindings of an operation's signature (built-ins, and core operations whose block has a `sig`) from its operands' types;
/// false if they do not fit.
bool bind_operands(TypeTable& types, Op op, std::span<const TypeId> operands, Bindings& b);

}  // namespace carry::builtins

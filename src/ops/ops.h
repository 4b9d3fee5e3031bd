// The operations of the IR: one enum, one row each. Core rows stand in ops.def, built-in functions in
// builtins/*.builtins, from which tools/gen makes ops/gen/builtin_ops.inc. constexpr tables, no start-up work.
#pragma once

#include <cstdint>
#include <string_view>

namespace carry {

enum class Op : uint16_t {
#define OP(name, operands, results, rule, traits) name,
#include "ops/ops.def"
#undef OP
#define BUILTIN_OP(name, operands, results, rule, traits) name,
#include "ops/gen/builtin_ops.inc"
#undef BUILTIN_OP
  count_
};

enum OpTraits : uint32_t {
  kNone = 0,
  kPure = 1u << 0,      // depends on its operands only, no effect
  kComp = 1u << 1,      // componentwise over vectors
  kComm = 1u << 2,      // operands 0 and 1 commute
  kSigned = 1u << 3,    // wants signed integer operands
  kUnsigned = 1u << 4,  // wants unsigned integer operands
  kFloat = 1u << 5,
  kVariant = 1u << 6,  // payload holds an ArithmeticVariant
  kRead = 1u << 7,
  kWrite = 1u << 8,
  kAtomic = 1u << 9,
  kBarrier = 1u << 10,
  kImage = 1u << 11,
  kLanes = 1u << 12,  // talks to other lanes of the subgroup or quad: position and mask matter
  kControl = 1u << 13,
  kTerminator = 1u << 14,
  kBuiltin = 1u << 15,  // row from a .builtins block
  kDerivative = 1u << 16,
  kInexact = 1u << 17,  // result has a stated error (sin, pow ...): comparisons take a tolerance
};

enum class TypeRule : uint8_t { none, same0, bool0, named, pointer, loaded, old, special };

inline constexpr int8_t kVariableCount = -1;

struct OpRow {
  std::string_view name;  // text form, without the trailing '_' of C++ keywords ("and", "if")
  int8_t operands;        // or kVariableCount
  int8_t results;
  TypeRule rule;
  uint32_t traits;
};

[[nodiscard]] const OpRow& op_row(Op op);
[[nodiscard]] inline bool has_trait(Op op, uint32_t trait) { return (op_row(op).traits & trait) != 0; }
/// By text name; Op::count_ when there is none.
[[nodiscard]] Op find_op(std::string_view name);

/// What an operation does outside its natural domain (ir.md 2 "Totality"; semantics.md 4.2). In Inst::payload.
enum class ArithmeticVariant : uint8_t {
  total = 0,  // shifts mask, float to int saturates (NaN: 0), bit fields clamp; divisions: not used
  x0 = 1,     // division: (x, 0) for a zero divisor (GLSL); INT_MIN / -1 gives INT_MIN, 0
  ones = 2,   // division: all ones for a zero divisor (HLSL); INT_MIN / -1 gives INT_MIN, 0
  raw = 3,    // outside its domain any value
};

}  // namespace carry

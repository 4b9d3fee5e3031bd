#include "ops/ops.h"

#include "base/check.h"

namespace carry {

namespace {

constexpr int8_t kVar = kVariableCount;

constexpr std::string_view text_name(std::string_view name) {
  return name.back() == '_' ? name.substr(0, name.size() - 1) : name;
}

constexpr OpRow kRows[] = {
#define OP(name, operands, results, rule, traits) {text_name(#name), operands, results, TypeRule::rule, traits},
#include "ops/ops.def"
#undef OP
#define BUILTIN_OP(name, operands, results, rule, traits) \
  {text_name(#name), operands, results, TypeRule::rule, (traits) | kBuiltin},
#include "ops/gen/builtin_ops.inc"
#undef BUILTIN_OP
};
static_assert(sizeof(kRows) / sizeof(kRows[0]) == static_cast<size_t>(Op::count_));

}  // namespace

const OpRow& op_row(Op op) {
  CARRY_CHECK(op < Op::count_);
  return kRows[static_cast<size_t>(op)];
}

Op find_op(std::string_view name) {
  for (size_t i = 0; i < static_cast<size_t>(Op::count_); ++i) {
    if (kRows[i].name == name) return static_cast<Op>(i);
  }
  return Op::count_;
}

}  // namespace carry

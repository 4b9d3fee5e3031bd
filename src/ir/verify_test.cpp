#include "ir/verify.h"

#include <gtest/gtest.h>

#include "ir/text.h"

namespace carry::ir {
namespace {

/// First error of the text, or "".
std::string first_error(const std::string& text) {
  Context context;
  Module module(context);
  ParseError error;
  if (!parse("carry_ir 1\n" + text, module, error)) return "parse: " + error.message;
  const std::vector<VerifyError> errors = verify(module);
  return errors.empty() ? "" : describe(module, errors[0]);
}

TEST(IrVerify, AcceptsLegalModules) {
  EXPECT_EQ(first_error(R"(
struct Params { count: u32, scale: vec3<f32> }
override %block: u32 @id(7) = 64u
%twice = mul %block, 2u
global %params: uniform Params $std140 @bind(0, 0)
global %total: storage read_write array<u32> $std430 @bind(0, 2)
global %part: workgroup array<vec2<u32>, %twice>
global %lane: in u32 @builtin(local_invocation_index)
fn f(%acc: inout vec2<u32>, %x: u32) -> u32 {
  %p0 = at %acc, 0   %lo = load %p0   %sum, %carry = uadd_carry %lo, %x   store %p0, %sum
  %r = if %carry { yield 1u } else { return 0u }
  return %r
}
entry main @compute(%block, 1u, 1u) {
  %acc = var vec2<u32> = zero<vec2<u32>>   %i0 = load %lane
  %sum = loop (%i = %i0) {
    %more = ult %i, 7u   if %more { yield } else { break %i }
    %y = call f(%acc, %i)
    switch %y { case 0u { continue %i } case 1u, 2u { leave } default { yield } }
    continue %y
  } continuing (%k) { %j = add %k, 1u   next %j }
  %p = at %total, %sum   %old = atomic_add %p, 1u scope=device order=relaxed
  return
})"),
            "");
}

TEST(IrVerify, NamesRuleAndPlace) {
  const std::pair<const char*, const char*> cases[] = {
      {"fn f() { if true { %a = add 1, 2 yield } %b = add %a, 1 return }",
       "rule 1 in `f`: add (inst 4): an operand is not defined here"},
      {"fn f() { %a = add 1, 2u return }", "rule 1 in `f`: add (inst 0): operands have different types"},
      {"fn f() { %a = udiv.x0 1, 2 return }", "rule 1 in `f`: udiv (inst 0): operands are not unsigned integers"},
      {"fn f() { %a = udiv 1u, 2u return }", "rule 1 in `f`: udiv (inst 0): this operation has no such variant"},
      {"fn f() { %a = shl 1, 2 return }", "rule 1 in `f`: shl (inst 0): a shift count is u32"},
      {"fn f() { }", "rule 2 in `f`: a region has no terminator"},
      {"fn f() { return barrier return }", "rule 2 in `f`: return (inst 0): something follows a terminator"},
      {"fn f() { %a = add 1, 2 }", "rule 2 in `f`: add (inst 0): a region does not end in a terminator"},
      {"fn f() { leave }", "rule 2 in `f`: leave (inst 0): the terminator's target does not exist"},
      {"fn f() { loop { continue } continuing { return } return }",
       "rule 2 in `f`: return (inst 1): `return` in a continuing region"},
      {"fn f() { loop { %a = add 1, 2 continue } continuing { %b = add %a, 1 next } return }",
       "rule 1 in `f`: add (inst 2): an operand is not defined here"},
      {"fn f() { switch 1 { case 1 { yield } } return }", "rule 2 in `f`: switch (inst 1): a switch has exactly one default"},
      {"fn f() { switch 1 { case 1 { yield } case 1, default { yield } } return }",
       "rule 2 in `f`: switch (inst 2): two cases have the same label"},
      {"fn f() -> i32 { return }", "rule 2 in `f`: return (inst 0): the function's result is missing, or too many"},
      {"global %a: storage read array<u32> $std430\nfn f() { %p = at %a, 0 store %p, 1u return }",
       "rule 3 in `f`: store (inst 1): this memory is read only"},
      {"global %a: storage read array<u32> $std430\nfn f() { %v = load %a return }",
       "rule 5 in `f`: load (inst 0): an array without a size is not a value"},
      {"global %a: in u32 @builtin(position)", "rule 4: the built-in variable `position` has type vec4<f32>"},
      {"global %a: uniform f32 $std140 @bind(0, 1)\nglobal %b: uniform f32 $std140 @bind(0, 1)",
       "rule 5: two resources at set 0, binding 1 are not marked @aliased"},
      {"struct S { a: u32, b: u32 }\nglobal %a: storage read S $explicit(struct(8, 4, 0: _, 2: _))",
       "rule 3: two members of a layout overlap"},
      {"fn g(%a: inout u32, %b: inout u32) { return }\nfn f() { %v = var u32 call g(%v, %v) return }",
       "rule 4 in `f`: call (inst 2): one variable stands for two references"},
  };
  for (const auto& [text, message] : cases) EXPECT_EQ(first_error(text), message) << text;
}

}  // namespace
}  // namespace carry::ir

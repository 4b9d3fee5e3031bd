#include "ir/text.h"

#include <gtest/gtest.h>

namespace carry::ir {
namespace {

std::string reprint(const std::string& text) {
  Context context;
  Module module(context);
  ParseError error;
  if (!parse(text, module, error))
    return std::to_string(error.line) + ":" + std::to_string(error.column) + ": " + error.message;
  return print(module);
}

void expect_stable(const std::string& text) {
  const std::string once = reprint(text);
  EXPECT_EQ(once.substr(0, 10), "carry_ir 1") << once;
  EXPECT_EQ(reprint(once), once);
}

constexpr const char* kComputeExample = R"(carry_ir 1
struct Params { count: u32, scale: vec3<f32> }
override %block: u32 @id(7) = 64u
global %params: uniform Params $std140 @bind(0, 0)
global %input: storage read array<u32> $std430 @bind(0, 1)
global %total: storage read_write array<u32> $std430 @bind(0, 2)
global %part: workgroup array<vec2<u32>, %block>
global %lane: in u32 @builtin(local_invocation_index)

fn accumulate(%acc: inout vec2<u32>, %x: u32) {
  %p0 = at %acc, 0   %lo = load %p0
  %sum, %carry = uadd_carry %lo, %x
  store %p0, %sum
  if %carry {
    %p1 = at %acc, 1   %hi = load %p1   %up = add %hi, 1u   store %p1, %up
    yield
  }
  return
}

entry main @compute(%block, 1u, 1u) {
  %acc = var vec2<u32> = zero<vec2<u32>>
  %i0 = load %lane
  %pc = at %params, 0   %n = load %pc
  loop (%i = %i0) {
    %more = ult %i, %n
    if %more { yield } else { break }
    %pi = at %input, %i   %x = load %pi
    call accumulate(%acc, %x)                     // a whole local var: its copies were elided
    continue
  } continuing { %j = add %i, %block   next %j }
  %slot = at %part, %i0   %mine = load %acc   store %slot, %mine
  barrier exec=workgroup scope=workgroup spaces={workgroup} order=acq_rel
  %first = eq %i0, 0u
  if %first {
    %low = elem %mine, 0   %p = at %total, 0
    %old = atomic_add %p, %low scope=device order=relaxed
    yield
  }
  return
}
)";

constexpr const char* kGraphicsExample = R"(carry_ir 1
struct View { world: mat4x4<f32>, tint: vec4<f32> }
global %view: uniform View $std140 @bind(0, 0)
global %albedo: handle bindings<combined<texture_2d<f32>>, 8> @bind(1, 0)
global %a_pos: in vec3<f32> @location(0)
global %v_uv: out vec2<f32> @location(0) @block("Varyings", uv)
global %position: out vec4<f32> @builtin(position) @invariant
global %uv: in vec2<f32> @location(0) @block("Varyings", uv)
global %layer: in u32 @location(1) @flat
global %color: out vec4<f32> @location(0)

entry vs_main @vertex {
  %pos = load %a_pos   %pos4 = make vec4<f32>(%pos, 1.0)
  %pm = at %view, 0   %m = load %pm
  %clip = mat_vec %m, %pos4 !precise
  store %position, %clip
  %xy = shuffle %pos, %pos, 0, 1   store %v_uv, %xy
  return
}

entry fs_main @fragment {
  %l = load %layer
  %pt = at %albedo, %l !nonuniform   %t = load %pt
  %c = load %uv   %texel = sample %t, %c bias=0.5
  %alpha = elem %texel, 3   %low = flt %alpha, 0.5
  if %low { terminate }
  %shade = switch %l { case 0u, 1u { yield 1.0 } default { yield 0.25 } }
  %rgba = make vec4<f32>(%shade)                  // one scalar: splat
  %out = fmul %texel, %rgba !relaxed
  store %color, %out
  return
}
)";

TEST(IrText, ExamplesOfTheReferencePrintAndParse) {
  expect_stable(kComputeExample);
  expect_stable(kGraphicsExample);
  EXPECT_NE(reprint(kComputeExample).find("global %params: uniform Params $std140 @bind(0, 0)"), std::string::npos);
}

TEST(IrText, Constants) {
  const std::string text = R"(carry_ir 1
struct S { a: i32, b: vec2<f16> }
global %g: private S = S(-2147483648, vec2<f16>(0x3c00:f16, 0x8000:f16))
global %h: private f32 = 0x7fc00000:f32
global %i: private f32 = -0.0
global %j: private array<u64, 2> = array<u64, 2>(18446744073709551615:u64, 1:u64)
global %k: private i16 = -32768:i16
global %l: private S = zero<S>
global %m: private bool = true
global %n: private f64 = 0x3ff0000000000000:f64
)";
  EXPECT_EQ(reprint(text), text);
}

TEST(IrText, TypesAndLayouts) {
  const std::string text = R"(carry_ir 1
struct A { m: mat4x3<f32>, t: array<vec3<f32>, 3> }
global %a: storage read_write A $std430.row @bind(0, 0)
global %b: storage read A $explicit(struct(160, 16, 0: mat(64, 16, 16), 100: array(60, 4, 20, _))) @bind(0, 1)
global %c: handle image_2d_array<rgba8, write> @bind(0, 2)
global %d: handle image_3d<any u32, read_write> @bind(0, 3)
global %e: handle texture_2d_ms<i32> @bind(0, 4)
global %f: handle depth_cube_array @bind(0, 5)
global %g: handle sampler_cmp @bind(0, 6)
global %h: handle texture_buffer<f32, 2> @bind(0, 7)
)";
  EXPECT_EQ(reprint(text), text);
}

TEST(IrText, NamesAreMadeUniqueAndComeBack) {
  expect_stable(R"(carry_ir 1
struct S { a: i32 }
struct S.2 { b: u32 }
struct f32.2 { c: i32 }
global %x: private S
global %x.2: private S.2
global %"odd name": private f32.2
fn f(%x.3: i32) -> i32 { %0 = add %x.3, 1   %"a\"b" = add %0, 2   return %"a\"b" }
fn f.2() { return }
)");
}

TEST(IrText, ControlFlowWithValues) {
  expect_stable(R"(carry_ir 1
fn f(%n: u32) -> f32 {
  %total = loop (%sum = 0.0, %i = 0u) hint=unroll {
    %more = ult %i, %n
    if %more { yield } else { break %sum }
    %s = fadd %sum, 1.5
    continue %s, %i
  } continuing (%t, %j) { %k = add %j, 1u   next %t, %k }
  %last = loop (%i2 = 0u) { continue } continuing { %m = add %i2, 1u  %c = ult %m, %n  next_if %c, (%m), (%m) }
  %never: i32 = if true { return 1.0 } else { return 2.0 }
  %q = udiv.x0 %last, %n
  return %total
})");
}

TEST(IrText, EntryParameters) {
  const std::string text = R"(carry_ir 1
struct In { uv: vec2<f32>, layer: u32 }
struct Out { color: vec4<f32>, depth: f32 }
struct Laid { v: pvec3<f32> }
global %tex: handle texture_2d<f32> @bind(0, 0)

entry main(%in: In [@location(0), @location(1) @flat], %tex.2: texture_2d<f32> [@resource(%tex) @slot(texture, 0)]) -> Out [@location(0), @builtin(frag_depth)] @fragment {
  return zero<Out>
}
)";
  expect_stable(text);
}

TEST(IrText, ErrorsNameTheLine) {
  EXPECT_EQ(reprint("carry_ir 1\nglobal %a: private nothing\n"), "2:20: unknown type `nothing`");
  EXPECT_EQ(reprint("carry_ir 2"), "1:11: unknown version of the text form");
  EXPECT_EQ(reprint("carry_ir 1\nfn f() {\n  %a = add %b, 1\n  return\n}"), "3:12: unknown value `%b`");
  EXPECT_EQ(reprint("carry_ir 1\nfn f() { %a = add 1 return }"), "2:21: `add` has 2 operands");
}

}  // namespace
}  // namespace carry::ir

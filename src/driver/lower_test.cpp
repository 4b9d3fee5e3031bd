// Golden tests of lowering: source in, canonical IR out.
#include <gtest/gtest.h>

#include "driver/compilation.h"
#include "ir/text.h"

namespace carry {
namespace {

std::string lowered(SourceLanguage language, const char* source) {
  driver::Request request;
  request.name = "test";
  request.text = std::make_shared<const std::string>(source);
  request.language = language;
  request.stage = Stage::compute;
  request.stop_after = driver::StopAfter::lower;
  request.optimisation = driver::Optimisation::o0;
  const driver::Output out = driver::compile(driver::Session{}, request);
  if (out.bug) return out.bug->message;
  if (!out.ok) return "errors: " + std::to_string(out.compilation->diags.error_count());
  return "\n" + ir::print(*out.compilation->module);
}

TEST(Lower, out_arguments_in_order) {
  EXPECT_EQ(lowered(SourceLanguage::glsl, R"(#version 450
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Out { uint r[]; } o;
void main() {
  uvec3 v = uvec3(1u);
  int i = 0;
  o.r[i++] = uaddCarry(v.x, 2u, v.z);
}
)"),
            R"(
carry_ir 1
struct Out { r: array<u32> }
global %o: storage read_write Out $std430 @bind(0, 0) @block("Out", "")

entry main @compute(1u, 1u, 1u) {
  %v = var vec3<u32> = vec3<u32>(1u, 1u, 1u)
  %i = var i32 = 0
  %0 = load %i
  %1 = add %0, 1
  store %i, %1
  %2 = at %v, 0u
  %3 = load %2
  %4, %5 = uadd_carry %3, 2u
  %6 = select %5, 1u, 0u
  %7 = at %v, 2u
  store %7, %6
  %8 = at %o, 0u, %0
  store %8, %4
  return
}
)");
}

TEST(Lower, copy_in_copy_out) {
  EXPECT_EQ(lowered(SourceLanguage::glsl, R"(#version 450
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Out { uint a; float b; };
void f(inout uint x, out float y) { x += 1u; y = 2.0; }
void main() { f(a, b); }
)"),
            R"(
carry_ir 1
struct Out { a: u32, b: f32 }
global %Out: storage read_write Out $std430 @bind(0, 0) @block("Out", "")

fn f(%x: inout u32, %y: out f32) {
  %0 = load %x
  %1 = add %0, 1u
  store %x, %1
  store %y, 2.0
  return
}

entry main @compute(1u, 1u, 1u) {
  %0 = at %Out, 0u
  %1 = load %0
  %2 = var u32 = %1
  %3 = var f32
  call f(%2, %3)
  %4 = load %2
  %5 = at %Out, 0u
  store %5, %4
  %6 = load %3
  %7 = at %Out, 1u
  store %7, %6
  return
}
)");
}

TEST(Lower, swizzle_store_touches_components) {
  EXPECT_EQ(lowered(SourceLanguage::glsl, R"(#version 450
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Out { vec4 v; };
void main() { v.zx = v.xy; }
)"),
            R"(
carry_ir 1
struct Out { v: vec4<f32> }
global %Out: storage read_write Out $std430 @bind(0, 0) @block("Out", "")

entry main @compute(1u, 1u, 1u) {
  %0 = at %Out, 0u
  %1 = load %0
  %2 = shuffle %1, %1, 0, 1
  %3 = elem %2, 0u
  %4 = at %Out, 0u, 2u
  store %4, %3
  %5 = elem %2, 1u
  %6 = at %Out, 0u, 0u
  store %6, %5
  return
}
)");
}

TEST(Lower, short_circuit_and_switch) {
  EXPECT_EQ(lowered(SourceLanguage::glsl, R"(#version 450
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Out { int n; int r[]; };
void main() {
  if (n > 0 && r[n] != 0) n = 1;
  switch (n) { case 1: n = 2; case 3: n = 4; break; default: return; }
}
)"),
            R"(
carry_ir 1
struct Out { n: i32, r: array<i32> }
global %Out: storage read_write Out $std430 @bind(0, 0) @block("Out", "")

entry main @compute(1u, 1u, 1u) {
  %0 = at %Out, 0u
  %1 = load %0
  %2 = slt 0, %1
  %8 = if %2 {
    %3 = at %Out, 0u
    %4 = load %3
    %5 = at %Out, 1u, %4
    %6 = load %5
    %7 = ne %6, 0
    yield %7
  } else {
    yield false
  }
  if %8 {
    %9 = at %Out, 0u
    store %9, 1
    yield
  }
  %10 = at %Out, 0u
  %11 = load %10
  switch %11 {
    case 1 {
      %12 = at %Out, 0u
      store %12, 2
      fallthrough
    }
    case 3 {
      %13 = at %Out, 0u
      store %13, 4
      leave
    }
    default {
      return
    }
  }
  return
}
)");
}

TEST(Lower, do_while_continue) {
  EXPECT_EQ(lowered(SourceLanguage::glsl, R"(#version 450
layout(local_size_x = 1) in;
layout(std430, binding = 0) buffer Out { int n; };
void main() { int i = 0; do { if (i == 2) continue; n += i; } while (++i < 4); }
)"),
            R"(
carry_ir 1
struct Out { n: i32 }
global %Out: storage read_write Out $std430 @bind(0, 0) @block("Out", "")

entry main @compute(1u, 1u, 1u) {
  %i = var i32 = 0
  loop {
    %0 = load %i
    %1 = eq %0, 2
    if %1 {
      continue
    }
    %2 = load %i
    %3 = at %Out, 0u
    %4 = load %3
    %5 = add %4, %2
    %6 = at %Out, 0u
    store %6, %5
    continue
  } continuing {
    %7 = load %i
    %8 = add %7, 1
    store %i, %8
    %9 = slt %8, 4
    next_if %9, (), ()
  }
  return
}
)");
}

TEST(Lower, specialization) {
  EXPECT_EQ(lowered(SourceLanguage::glsl, R"(#version 450
layout(local_size_x_id = 1) in;
layout(constant_id = 2) const uint N = 4u;
shared uint s[N * 2u];
layout(std430, binding = 0) buffer Out { uint r; };
void main() { s[0] = N; r = s[0]; }
)"),
            R"(
carry_ir 1
override %N: u32 @id(2) = 4u
%0 = mul %N, 2u
global %s: workgroup array<u32, %0>
struct Out { r: u32 }
global %Out: storage read_write Out $std430 @bind(0, 0) @block("Out", "")
override %1: u32 @id(1) = 1u

entry main @compute(%1, 1u, 1u) {
  %2 = at %s, 0
  store %2, %N
  %3 = at %s, 0
  %4 = load %3
  %5 = at %Out, 0u
  store %5, %4
  return
}
)");
}

TEST(Lower, matrices_swap_sides) {
  EXPECT_EQ(lowered(SourceLanguage::hlsl, R"(cbuffer B : register(b0) { row_major float3x4 m; };
RWStructuredBuffer<float3> o : register(u0);
[numthreads(1, 1, 1)] void main(uint i : SV_GroupIndex) { o[i] = mul(m, float4(1, 2, 3, 4)); }
)"),
            R"(
carry_ir 1
struct B { m: mat3x4<f32> }
global %B: uniform B $explicit(struct(48, 16, 0: mat(48, 16, 16))) @bind(0, 256) @block("B", "")
global %o: storage read_write array<vec3<f32>> $std430 @bind(0, 384)
global %local_invocation_index: in u32 @builtin(local_invocation_index)

fn main_body(%i: u32) {
  %i.2 = var u32 = %i
  %0 = load %i.2
  %1 = at %B, 0u
  %2 = load %1
  %3 = vec_mat vec4<f32>(1.0, 2.0, 3.0, 4.0), %2
  %4 = at %o, %0
  store %4, %3
  return
}

entry main @compute(1u, 1u, 1u) {
  %0 = load %local_invocation_index
  call main_body(%0)
  return
}
)");
}

TEST(Lower, methods_write_back_only_when_they_write) {
  EXPECT_EQ(lowered(SourceLanguage::hlsl, R"(struct A { int n; void up() { n++; } int get() { return n; } };
RWStructuredBuffer<A> o : register(u0);
[numthreads(1, 1, 1)] void main() { o[0].up(); o[1].n = o[2].get(); }
)"),
            R"(
carry_ir 1
struct A { n: i32 }
global %o: storage read_write array<A> $std430 @bind(0, 0)

fn up(%this: inout A) {
  %0 = at %this, 0u
  %1 = load %0
  %2 = add %1, 1
  %3 = at %this, 0u
  store %3, %2
  return
}

fn get(%this: inout A) -> i32 {
  %0 = at %this, 0u
  %1 = load %0
  return %1
}

fn main_body() {
  %0 = at %o, 0u
  %1 = load %0
  %2 = var A = %1
  call up(%2)
  %3 = load %2
  %4 = at %o, 0u
  store %4, %3
  %5 = at %o, 2u
  %6 = load %5
  %7 = var A = %6
  %8 = call get(%7)
  %9 = at %o, 1u, 0u
  store %9, %8
  return
}

entry main @compute(1u, 1u, 1u) {
  call main_body()
  return
}
)");
}

TEST(Lower, counters) {
  EXPECT_EQ(lowered(SourceLanguage::hlsl, R"(AppendStructuredBuffer<uint> a : register(u0);
ConsumeStructuredBuffer<uint> c : register(u1);
[numthreads(1, 1, 1)] void main() { a.Append(c.Consume()); }
)"),
            R"(
carry_ir 1
global %a: storage read_write array<u32> $std430 @bind(0, 0)
global %c: storage read_write array<u32> $std430 @bind(0, 1)
global %c_counter: storage read_write u32 $std430 @bind(0, 3) @counter_of(%c)
global %a_counter: storage read_write u32 $std430 @bind(0, 2) @counter_of(%a)

fn main_body() {
  %0 = atomic_sub %c_counter, 1u scope=device order=relaxed
  %1 = sub %0, 1u
  %2 = at %c, %1
  %3 = load %2
  %4 = atomic_add %a_counter, 1u scope=device order=relaxed
  %5 = at %a, %4
  store %5, %3
  return
}

entry main @compute(1u, 1u, 1u) {
  call main_body()
  return
}
)");
}

}  // namespace
}  // namespace carry

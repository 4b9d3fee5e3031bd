// Executor on IR text: what each operation family does to a buffer of words.
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "exec/executor.h"
#include "exec/values.h"
#include "ir/text.h"

namespace carry::exec {
namespace {

struct Text {
  ir::Context context;
  ir::Module module{context};
  Resources resources;
  ExecOptions options;
  ExecResult result;

  explicit Text(const std::string& body) {
    ir::ParseError error;
    const bool ok = ir::parse("carry_ir 1\n" + body, module, error);
    EXPECT_TRUE(ok) << error.line << ":" << error.column << ": " << error.message;
  }
  Text& words(uint32_t binding, std::vector<uint32_t> values) {
    Buffer b;
    b.set = 0;
    b.binding = binding;
    b.bytes.resize(values.size() * 4);
    std::memcpy(b.bytes.data(), values.data(), b.bytes.size());
    resources.buffers.push_back(std::move(b));
    return *this;
  }
  std::vector<uint32_t> run(uint32_t binding = 0) {
    result = exec::run(module, module.function_order.back(), options, resources);
    EXPECT_TRUE(result.ok) << result.fault.message;
    std::vector<uint32_t> v;
    for (const Buffer& b : resources.buffers) {
      if (b.binding != binding) continue;
      v.resize(b.bytes.size() / 4);
      std::memcpy(v.data(), b.bytes.data(), v.size() * 4);
    }
    return v;
  }
};

using Words = std::vector<uint32_t>;

const char* const kOut = "global %out: storage read_write array<u32> $std430 @bind(0, 0)\n";
const char* const kIndex = "global %index: in u32 @builtin(local_invocation_index)\n";

TEST(ExecText, ExampleOfTheIrPage) {
  Text t(R"(
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
    call accumulate(%acc, %x)
    continue
  } continuing { %j = add %i, %block   next %j }
  %slot = at %part, %i0   %mine = load %acc   store %slot, %mine
  barrier exec=workgroup scope=workgroup spaces={workgroup} order=acq_rel
  %first = eq %i0, 0u
  if %first {
    %low = elem %mine, 0   %p = at %total, 0
    %old = atomic_add %p, %low scope=device order=relaxed
    %high = elem %mine, 1   %q = at %total, 1
    store %q, %high
    yield
  }
  return
}
)");
  Words input(200, 0x80000000u);
  t.words(0, {200, 0, 0, 0, 0, 0, 0, 0}).words(1, input).words(2, {5, 0});
  t.options.spec = {{7, 4}};
  EXPECT_EQ(t.run(2), (Words{5, 25}));  // 50 times 2^31
}

TEST(ExecText, DivergentSwitchFallsThroughAndReturns) {
  Text t(std::string(kOut) + kIndex + R"(
fn pick(%x: u32) -> u32 {
  %r = switch %x {
    case 0u { yield 10u }
    case 1u { fallthrough }
    case 2u { yield 20u }
    case 3u { return 99u }
    default { %big = ult 5u, %x   if %big { leave 30u }   yield 40u }
  }
  return %r
}
entry main @compute(8u, 1u, 1u) {
  %i = load %index   %r = call pick(%i)   %p = at %out, %i   store %p, %r
  return
}
)");
  EXPECT_EQ(t.words(0, Words(8, 0)).run(), (Words{10, 20, 20, 99, 40, 40, 30, 30}));
}

TEST(ExecText, RowMajorMatrixAndComponents) {
  Text t(std::string(kOut) + kIndex + R"(
struct Block { a: u32, m: mat2x3<f32> }
global %block: storage read_write Block $std430.row @bind(0, 1)
entry main @compute(2u, 1u, 1u) {
  %i = load %index
  %c = at %block, 1, %i   %v = load %c
  %y = elem %v, 2   %b = bitcast<u32> %y
  %e = at %block, 1, 1, %i   store %e, 9.0
  %p = at %out, %i   store %p, %b
  return
}
)");
  // Rows of two floats, 8 bytes apart, from byte 8 on.
  t.words(0, Words(2, 0)).words(1, {0, 0, 1, 2, 3, 4, 5, 6});
  EXPECT_EQ(t.run(), (Words{5, 6}));
  EXPECT_EQ(t.run(1), (Words{0, 0, 1, 0x41100000u, 3, 0x41100000u, 5, 6}));
}

TEST(ExecText, MatrixProducts) {
  Text t(std::string(kOut) + R"(
entry main @compute(1u, 1u, 1u) {
  %a = make vec2<f32>(1.0, 2.0)   %b = make vec2<f32>(3.0, 4.0)
  %m = make mat2x2<f32>(%a, %b)
  %v = make vec2<f32>(10.0, 100.0)
  %r = mat_vec<vec2<f32>> %m, %v
  %s = vec_mat<vec2<f32>> %v, %m
  %t = transpose<mat2x2<f32>> %m
  %u = mat_mul<mat2x2<f32>> %m, %t
  %r0 = elem %r, 0   %r1 = elem %r, 1   %s0 = elem %s, 0   %s1 = elem %s, 1   %u0 = elem %u, 0, 0   %u1 = elem %u, 0, 1
  %w0 = f_to_u<u32> %r0   %w1 = f_to_u<u32> %r1   %w2 = f_to_u<u32> %s0   %w3 = f_to_u<u32> %s1   %w4 = f_to_u<u32> %u0   %w5 = f_to_u<u32> %u1
  %p0 = at %out, 0   store %p0, %w0   %p1 = at %out, 1   store %p1, %w1   %p2 = at %out, 2   store %p2, %w2
  %p3 = at %out, 3   store %p3, %w3   %p4 = at %out, 4   store %p4, %w4   %p5 = at %out, 5   store %p5, %w5
  return
}
)");
  EXPECT_EQ(t.words(0, Words(6, 0)).run(), (Words{310, 420, 210, 430, 10, 14}));
}

TEST(ExecText, SixtyFourBitsAndCasts) {
  Text t(std::string(kOut) + R"(
entry main @compute(1u, 1u, 1u) {
  %w = make vec2<u32>(4294967295u, 1u)
  %x = bitcast<u64> %w   %y = add %x, 1:u64   %v = bitcast<vec2<u32>> %y
  %lo = elem %v, 0   %hi = elem %v, 1
  %p0 = at %out, 0   store %p0, %lo   %p1 = at %out, 1   store %p1, %hi
  %q = udiv.ones %lo, 0u   %p2 = at %out, 2   store %p2, %q
  %s = shl %hi, 33u   %p3 = at %out, 3   store %p3, %s
  return
}
)");
  EXPECT_EQ(t.words(0, Words(4, 7)).run(), (Words{0, 2, 0xffffffffu, 4}));
}

TEST(ExecText, SubgroupOperationsSeeActiveLanes) {
  Text t(std::string(kOut) + kIndex + R"(
entry main @compute(8u, 1u, 1u) {
  %i = load %index   %p = at %out, %i
  %odd = and %i, 1u   %is = eq %odd, 1u
  if %is {
    %sum = subgroup %i op=add form=reduce   store %p, %sum   yield
  } else {
    %scan = subgroup %i op=add form=exclusive   store %p, %scan   yield
  }
  return
}
)");
  t.options.subgroup_size = 4;
  EXPECT_EQ(t.words(0, Words(8, 0)).run(), (Words{0, 4, 0, 4, 0, 12, 4, 12}));
}

TEST(ExecText, ImagesReadAndWrite) {
  Text t(std::string(kOut) + kIndex + R"(
global %tex: handle texture_2d<f32> @bind(0, 1)
global %smp: handle sampler @bind(0, 2)
global %img: handle image_2d<rgba8, read_write> @bind(0, 3)
entry main @compute(2u, 1u, 1u) {
  %i = load %index   %s = bitcast<i32> %i
  %t = load %tex   %m = load %smp   %g = load %img
  %c = make vec2<i32>(%s, 0)   %a = fetch<vec4<f32>> %t, %c lod=0
  %uv = make vec2<f32>(0.5, 0.5)   %b = sample<vec4<f32>> %t, %m, %uv lod=0.0
  image_write %g, %c, %b
  %d = image_read<vec4<f32>> %g, %c
  %x = elem %a, 0   %y = elem %d, 0   %xb = bitcast<u32> %x   %yb = bitcast<u32> %y
  %p = at %out, %i   store %p, %xb   %j = add %i, 2u   %q = at %out, %j   store %q, %yb
  return
}
)");
  Image image;
  image.set = 0;
  image.binding = 1;
  image.width = 2;
  image.words = {0, 0, 0, 0x3f800000u, 0x3f800000u, 0, 0, 0x3f800000u};
  t.resources.images.push_back(image);
  image.binding = 3;
  t.resources.images.push_back(image);
  Sampler sampler;
  sampler.set = 0;
  sampler.binding = 2;
  t.resources.samplers.push_back(sampler);
  // 0.5 rounds to 128/255 in rgba8.
  const float stored = 128.0f / 255.0f;
  uint32_t bits = 0;
  std::memcpy(&bits, &stored, 4);
  EXPECT_EQ(t.words(0, Words(4, 0)).run(), (Words{0, 0x3f800000u, bits, bits}));
}

// The nearest layer, ties to the even; then those past the ends.
TEST(ExecText, LayersRoundToEven) {
  Text t(std::string(kOut) + kIndex + R"(
global %tex: handle texture_2d_array<f32> @bind(0, 1)
global %smp: handle sampler @bind(0, 2)
global %at: storage read array<f32> $std430 @bind(0, 3)
entry main @compute(8u, 1u, 1u) {
  %i = load %index   %t = load %tex   %m = load %smp
  %a = at %at, %i   %l = load %a
  %uv = make vec3<f32>(0.5, 0.5, %l)   %b = sample<vec4<f32>> %t, %m, %uv lod=0.0
  %x = elem %b, 0   %w = bitcast<u32> %x   %p = at %out, %i   store %p, %w
  return
}
)");
  Image image;
  image.binding = 1;
  image.layers = 4;
  for (const uint32_t value : {0u, 0x3f800000u, 0x40000000u, 0x40400000u}) {
    image.words.push_back(value);
    image.words.insert(image.words.end(), 3, 0u);
  }
  t.resources.images.push_back(image);
  Sampler sampler;
  sampler.binding = 2;
  t.resources.samplers.push_back(sampler);
  // 0.5, 1.5, 2.5, -1, 100, -0.5, 3.5, NaN
  t.words(3, {0x3f000000u, 0x3fc00000u, 0x40200000u, 0xbf800000u, 0x42c80000u, 0xbf000000u, 0x40600000u, 0x7fc00000u});
  EXPECT_EQ(t.words(0, Words(8, 0)).run(), (Words{0, 0x40000000u, 0x40000000u, 0, 0x40400000u, 0, 0x40400000u, 0}));
}

// What module_resource makes of a workgroup global: one object of the group, handed to a callee.
TEST(ExecText, WorkgroupVariableIsOneObjectOfTheGroup) {
  Text t(std::string(kOut) + kIndex + R"(
fn put(%at: ptr<workgroup, array<u32, 4>>, %i: u32) {
  %p = at %at, %i   store %p, %i
  return
}
entry main @compute(4u, 1u, 1u) {
  %part = var workgroup array<u32, 4>
  %sum = var workgroup u32
  %i = load %index
  call put(%part, %i)
  %first = eq %i, 0u
  if %first { store %sum, 0u   yield }
  barrier exec=workgroup scope=workgroup spaces={workgroup} order=acq_rel
  %old = atomic_add %sum, %i scope=workgroup order=relaxed
  barrier exec=workgroup scope=workgroup spaces={workgroup} order=acq_rel
  %other = sub 3u, %i
  %q = at %part, %other   %x = load %q   %total = load %sum
  %ten = mul %total, 10u   %y = add %ten, %x
  %o = at %out, %i   store %o, %y
  return
}
)");
  EXPECT_EQ(t.words(0, Words(4, 0)).run(), (Words{63, 62, 61, 60}));
}

TEST(ExecText, CheckReports) {
  Text t(std::string(kOut) + kIndex + R"(
global %part: workgroup array<u32, 4>
entry main @compute(4u, 1u, 1u) {
  %i = load %index
  %p = at %out, %i   store %p, 1u
  %q = udiv.x0 %i, 0u   %s = shl %q, 40u
  %w = at %part, 0   %old = load %w   store %w, %s
  %low = ult %i, 2u
  if %low { barrier exec=workgroup scope=workgroup spaces={workgroup} order=acq_rel   yield }
  return
}
)");
  t.options.check = kCheckDefault;
  t.words(0, {0, 0}).run();
  uint32_t kinds = 0;
  for (const CheckReport& r : t.result.reports) kinds |= r.kind;
  EXPECT_EQ(kinds, static_cast<uint32_t>(kCheckDefault));
}

TEST(ExecText, RawOutsideOfItsDomainFaults) {
  Text t(std::string(kOut) + kIndex + R"(
entry main @compute(2u, 1u, 1u) {
  %i = load %index   %q = udiv.raw 8u, %i   %p = at %out, %i   store %p, %q
  return
}
)");
  t.words(0, {0, 0});
  EXPECT_FALSE(exec::run(t.module, t.module.function_order.back(), t.options, t.resources).ok);
}

TEST(ExecText, EntryParametersHandInBuiltinsAndResources) {
  Text t(std::string(kOut) + R"(
struct In { id: vec3<u32>, lane: u32 }
entry main(%in: In [@builtin(global_invocation_id), @builtin(local_invocation_index)], %buf: ptr<storage read_write, array<u32> $std430> [@resource(%out)]) @compute(2u, 1u, 1u) {
  %x = elem %in, 0, 0   %l = elem %in, 1   %p = at %buf, %x   store %p, %l
  return
}
)");
  t.options.groups = {2, 1, 1};
  EXPECT_EQ(t.words(0, Words(4, 9)).run(), (Words{0, 1, 0, 1}));
}

TEST(ExecText, TraceShowsNamedValuesOfOneLane) {
  Text t(std::string(kOut) + kIndex + R"(
entry main @compute(2u, 1u, 1u) {
  %i = load %index   %twice = add %i, %i   %p = at %out, %i   store %p, %twice
  return
}
)");
  t.options.trace_lane = 1;
  t.words(0, {0, 0}).run();
  ASSERT_EQ(t.result.trace.size(), 3u);
  EXPECT_EQ(t.result.trace[1].name, "twice");
  EXPECT_EQ(t.result.trace[1].value, "2");
}

TEST(Values, TextBothWays) {
  ir::Context c;
  const TypeId vec = c.types.vector(ScalarKind::f32, 2);
  const TypeId type =
      c.types.make_struct(c.names.intern("S"), {{c.names.intern("a"), TypeId::u32}, {c.names.intern("b"), vec}});
  const TypeId array = c.types.array(type, 0);
  const LayoutId layout = c.layouts.build(c.types, array, {LayoutRule::std430, false});
  const ValueShape shape{c.names, c.types, c.layouts, array, layout};
  std::vector<uint8_t> bytes;
  std::string error;
  ASSERT_TRUE(parse_value(shape, "[{a: 1, b: [2.5, nan]}, {a: 0x10}]", bytes, error)) << error;
  EXPECT_EQ(bytes.size(), 32u);
  EXPECT_EQ(format_value(shape, bytes, {}), "{a: 1, b: (2.5, nan)} {a: 16, b: (0.0, 0.0)}");
  EXPECT_EQ(format_value(shape, bytes, {.json = true}), "[{\"a\": 1, \"b\": [2.5, \"nan\"]}, {\"a\": 16, \"b\": [0.0, 0.0]}]");
  ASSERT_TRUE(parse_value(shape, "i32:-1,2", bytes, error));
  EXPECT_EQ(format_value(shape, bytes, {.as = ScalarKind::i32}), "-1 2");
  EXPECT_EQ(format_value(shape, bytes, {.as = ScalarKind::u32, .hex = true}), "0xffffffff 0x00000002");
  EXPECT_FALSE(parse_value(shape, "u32:-1", bytes, error));
  EXPECT_FALSE(parse_value(shape, "[{c: 1}]", bytes, error));
  ASSERT_TRUE(parse_value(shape, "zeros:4", bytes, error));
  EXPECT_EQ(bytes.size(), 16u);
}

}  // namespace
}  // namespace carry::exec

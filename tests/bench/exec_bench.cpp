// Executor: lane operations per second on arithmetic in a loop, and bytes per second through buffers.
#include <benchmark/benchmark.h>

#include "exec/executor.h"
#include "ir/text.h"

namespace {

using namespace carry;

constexpr const char* kLoop = R"(carry_ir 1
global %out: storage read_write array<u32> $std430 @bind(0, 0)
global %id: in vec3<u32> @builtin(global_invocation_id)
entry main @compute(128u, 1u, 1u) {
  %v = load %id   %x = elem %v, 0
  %r = loop (%a = %x, %i = 0u) {
    %more = ult %i, 1000u
    if %more { yield } else { break %a }
    %b = mul %a, 1664525u   %c = add %b, 1013904223u   %d = xor %c, %b   %e = add %d, %i
    continue %e, %i
  } continuing (%p, %q) { %j = add %q, 1u   next %p, %j }
  %s = at %out, %x   store %s, %r
  return
}
)";

constexpr const char* kCopy = R"(carry_ir 1
global %in: storage read array<f32> $std430 @bind(0, 1)
global %out: storage read_write array<f32> $std430 @bind(0, 0)
global %id: in vec3<u32> @builtin(global_invocation_id)
entry main @compute(128u, 1u, 1u) {
  %v = load %id   %x = elem %v, 0
  %p = at %in, %x   %a = load %p   %b = fmul %a, 2.0
  %s = at %out, %x   store %s, %b
  return
}
)";

void run_text(benchmark::State& state, const char* text, uint32_t groups, double lane_ops) {
  ir::Context context;
  ir::Module module(context);
  ir::ParseError error;
  if (!ir::parse(text, module, error)) {
    state.SkipWithError(error.message.c_str());
    return;
  }
  exec::Resources resources;
  for (uint32_t binding = 0; binding < 2; ++binding) {
    exec::Buffer b;
    b.set = 0;
    b.binding = binding;
    b.bytes.assign(size_t{groups} * 128 * 4, 0);
    resources.buffers.push_back(std::move(b));
  }
  exec::ExecOptions options;
  options.groups = {groups, 1, 1};
  for (auto _ : state) {
    const exec::ExecResult result = exec::run(module, module.function_order.back(), options, resources);
    if (!result.ok) state.SkipWithError(result.fault.message.c_str());
  }
  state.counters["lane_ops"] =
      benchmark::Counter(lane_ops * groups * 128 * static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
}

void exec_loop(benchmark::State& state) { run_text(state, kLoop, 64, 6.0 * 1000); }
void exec_copy(benchmark::State& state) { run_text(state, kCopy, 4096, 6.0); }
BENCHMARK(exec_loop)->Unit(benchmark::kMillisecond);
BENCHMARK(exec_copy)->Unit(benchmark::kMillisecond);

}  // namespace

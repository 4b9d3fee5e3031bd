#include "exec/executor.h"

#include <gtest/gtest.h>

#include <cstring>

#include "ir/builder.h"

namespace carry::exec {
namespace {

using ir::Builder;
using ir::ValueId;

/// A module with u32 buffers at (0, i) and one compute entry.
struct Fixture {
  ir::Context context;
  ir::Module module{context};
  ir::FunctionId entry;

  ir::GlobalId buffer(uint32_t binding) {
    ir::Global g;
    g.space = Space::storage;
    g.access = Access::read_write;
    g.value_type = context.types.array(TypeId::u32, 0);
    g.layout = context.layouts.build(context.types, g.value_type, {LayoutRule::std430, false});
    g.set = 0;
    g.binding = binding;
    return module.add_global(g);
  }
  ir::GlobalId builtin(BuiltinVar which, TypeId type) {
    ir::Global g;
    g.space = Space::in;
    g.access = Access::read;
    g.value_type = type;
    g.builtin = which;
    return module.add_global(g);
  }
  Builder start(uint32_t size) {
    entry = add_function(module, context.names.intern("main"), TypeId::void_);
    ir::Function& f = module.functions[entry];
    f.is_entry = true;
    f.entry.stage = Stage::compute;
    f.entry.workgroup_size = {ValueId::constant(context.types.constant_u32(size)),
                              ValueId::constant(context.types.constant_u32(1)),
                              ValueId::constant(context.types.constant_u32(1))};
    Builder b(module, entry);
    b.open_region();
    return b;
  }
  void finish(Builder& b) {
    b.terminator(Op::return_);
    module.functions[entry].body = b.close_region();
  }
  ExecResult run(Resources& r, ExecOptions options = {}) { return exec::run(module, entry, options, r); }
};

Buffer words(uint32_t binding, const std::vector<uint32_t>& values) {
  Buffer b;
  b.set = 0;
  b.binding = binding;
  b.bytes.resize(values.size() * 4);
  std::memcpy(b.bytes.data(), values.data(), b.bytes.size());
  return b;
}

std::vector<uint32_t> read(const Buffer& b) {
  std::vector<uint32_t> v(b.bytes.size() / 4);
  std::memcpy(v.data(), b.bytes.data(), v.size() * 4);
  return v;
}

TEST(Executor, LoopSumsAndBoundsHold) {
  // out[i] = sum of 0..i-1; the buffer holds fewer elements than there are lanes.
  Fixture f;
  const ir::GlobalId out = f.buffer(0);
  const ir::GlobalId id = f.builtin(BuiltinVar::global_invocation_id, f.context.types.vector(ScalarKind::u32, 3));
  Builder b = f.start(8);
  const ValueId x = b.elem(b.load(ValueId::global(id)), 0);
  const TypeId two[] = {TypeId::u32, TypeId::u32};
  const ir::RegionId body = b.open_region(two);
  const ValueId sum = b.region_param(body, 0), i = b.region_param(body, 1);
  const ValueId more = b.binary(Op::ult, i, x);
  const ir::RegionId yes = b.open_region();
  b.yield();
  b.close_region();
  const ir::RegionId no = b.open_region();
  b.terminator(Op::break_, std::vector<ValueId>{sum});
  b.close_region();
  const ir::RegionId arms[] = {yes, no};
  b.emit_full(Op::if_, {}, std::vector<ValueId>{more}, arms);
  b.terminator(Op::continue_, std::vector<ValueId>{b.binary(Op::add, sum, i), i});
  b.close_region();
  const ir::RegionId continuing = b.open_region(two);
  const ValueId next = b.binary(Op::add, b.region_param(continuing, 1), b.const_u32(1));
  b.terminator(Op::next, std::vector<ValueId>{b.region_param(continuing, 0), next});
  b.close_region();
  const ir::RegionId regions[] = {body, continuing};
  const TypeId result[] = {TypeId::u32};
  const ir::InstId loop = b.emit_full(Op::loop, result, std::vector<ValueId>{b.const_u32(0), b.const_u32(0)}, regions);
  b.store(b.at(ValueId::global(out), {x}), f.module.result(f.module.insts[loop]));
  f.finish(b);
  for (const LaneOrder order : {LaneOrder::forward, LaneOrder::reverse, LaneOrder::shuffle}) {
    Resources r;
    r.buffers.push_back(words(0, std::vector<uint32_t>(12, 77)));
    ExecOptions options;
    options.groups = {2, 1, 1};
    options.order = order;
    const ExecResult result_of = f.run(r, options);
    ASSERT_TRUE(result_of.ok) << result_of.fault.message;
    EXPECT_EQ(read(r.buffers[0]), (std::vector<uint32_t>{0, 0, 1, 3, 6, 10, 15, 21, 28, 36, 45, 55}));
  }
}

TEST(Executor, OrderShowsInAtomics) {
  Fixture f;
  const ir::GlobalId out = f.buffer(0);
  const ir::GlobalId counter = f.buffer(1);
  const ir::GlobalId id = f.builtin(BuiltinVar::local_invocation_index, TypeId::u32);
  Builder b = f.start(4);
  const ValueId x = b.load(ValueId::global(id));
  const ValueId p = b.at(ValueId::global(counter), {b.const_u32(0)});
  const ValueId old = b.emit(Op::atomic_add, TypeId::u32, {p, b.const_u32(1)}, ir::AtomicInfo{}.pack());
  b.store(b.at(ValueId::global(out), {x}), old);
  f.finish(b);
  Resources r;
  r.buffers = {words(0, {9, 9, 9, 9}), words(1, {0})};
  ASSERT_TRUE(f.run(r).ok);
  EXPECT_EQ(read(r.buffers[0]), (std::vector<uint32_t>{0, 1, 2, 3}));
  ExecOptions reverse;
  reverse.order = LaneOrder::reverse;
  r.buffers[1] = words(1, {0});
  ASSERT_TRUE(f.run(r, reverse).ok);
  EXPECT_EQ(read(r.buffers[0]), (std::vector<uint32_t>{3, 2, 1, 0}));
}

TEST(Executor, EndlessLoopIsAFault) {
  Fixture f;
  Builder b = f.start(1);
  const ir::RegionId body = b.open_region();
  b.terminator(Op::continue_);
  b.close_region();
  const ir::RegionId continuing = b.open_region();
  b.terminator(Op::next);
  b.close_region();
  const ir::RegionId regions[] = {body, continuing};
  b.emit_full(Op::loop, {}, {}, regions);
  b.terminator(Op::unreachable);
  f.module.functions[f.entry].body = b.close_region();
  Resources r;
  ExecOptions options;
  options.max_steps = 1000;
  const ExecResult result = f.run(r, options);
  EXPECT_FALSE(result.ok);
  EXPECT_NE(result.fault.message.find("step limit"), std::string::npos);
}

TEST(Executor, DeepCallsAreAFault) {
  // f0 calls nothing, each other function the one before it: no recursion, and more depth than a stack has.
  Fixture f;
  ir::FunctionId callee;
  for (uint32_t i = 0; i < 100'000; ++i) {
    const ir::FunctionId id = add_function(f.module, f.context.names.intern("f" + std::to_string(i)), TypeId::void_);
    Builder b(f.module, id);
    b.open_region();
    if (callee) b.emit_full(Op::call, {}, {}, {}, callee.value);
    b.terminator(Op::return_);
    f.module.functions[id].body = b.close_region();
    callee = id;
  }
  Builder b = f.start(1);
  b.emit_full(Op::call, {}, {}, {}, callee.value);
  f.finish(b);
  Resources r;
  const ExecResult result = f.run(r);
  EXPECT_FALSE(result.ok);
  EXPECT_NE(result.fault.message.find("too deeply"), std::string::npos) << result.fault.message;
}

TEST(Executor, MissingBufferIsNamed) {
  Fixture f;
  const ir::GlobalId out = f.buffer(3);
  Builder b = f.start(1);
  b.store(b.at(ValueId::global(out), {b.const_u32(0)}), b.const_u32(1));
  f.finish(b);
  Resources r;
  const ExecResult result = f.run(r);
  EXPECT_FALSE(result.ok);
  EXPECT_NE(result.fault.message.find("set 0, binding 3"), std::string::npos);
}

}  // namespace
}  // namespace carry::exec

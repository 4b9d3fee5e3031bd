#include "analysis/flow_walk.h"

namespace carry::analysis {

using ir::Inst;
using ir::InstId;
using ir::RegionId;
using ir::ValueId;

namespace {

/// The writer prints nothing for a barrier that orders no space and holds nobody.
bool is_printed(const Inst& inst) {
  const ir::BarrierInfo info = ir::BarrierInfo::unpack(inst.payload);
  return info.spaces != 0 || info.exec != ir::Scope::invocation;
}

/// Inputs that WGSL calls uniform; the others differ.
bool is_uniform_input(const std::vector<ir::IoAttr>& attributes, ir::Stage stage) {
  for (const ir::IoAttr& io : attributes) {
    const bool uniform = io.builtin == ir::BuiltinVar::workgroup_id || io.builtin == ir::BuiltinVar::num_workgroups ||
                         io.builtin == ir::BuiltinVar::num_subgroups ||
                         (io.builtin == ir::BuiltinVar::subgroup_size && stage == ir::Stage::compute);
    if (!uniform) return false;
  }
  return !attributes.empty();
}

}  // namespace

FlowWalk::FlowWalk(const ir::Module& module, const ir::Function& function, const std::vector<FlowSummary>& summaries,
                   bool samples)
    : m_(module), f_(function), summaries_(summaries), samples_(samples) {
  const size_t n = function.value_types.size();
  definitions_.assign(n, InstId::none());
  nodes_.assign(n, kNoNode);
  current_.assign(n, kNoNode);
  stamps_.assign(n, 0);
  slots_.assign(n, 0);
  for (size_t i = 0; i < kFirstParam + 2 * function.params.size(); ++i) graph.add(InstId::none());
}

void FlowWalk::run() {
  for (size_t i = 0; i < f_.params.size(); ++i) {
    const uint32_t local = f_.params[i].value.index();
    nodes_[local] = current_[local] = param(i);
    if (!f_.is_entry) continue;
    const std::vector<ir::IoAttr> io = i < f_.param_io.size() ? f_.param_io[i] : std::vector<ir::IoAttr>();
    const bool resource = io.size() == 1 && io[0].slot_kind != ir::SlotKind::none;
    const bool uniform = resource ? is_uniform_resource(f_.value_types[local]) : is_uniform_input(io, f_.entry.stage);
    graph.edge(param(i), uniform ? kStart : kMayDiffer);
  }
  region(f_.body, kStart);
}

/// MSL: a resource that is handed in. What other invocations write differs.
bool FlowWalk::is_uniform_resource(TypeId type) const {
  const Type& t = m_.types()[type];
  if (t.kind != TypeKind::pointer) return true;  // a handle; reads of images that are written differ by themselves
  return t.space == Space::uniform || t.space == Space::push || (t.space == Space::storage && t.access == Access::read);
}

/// Memory that this invocation alone writes.
bool FlowWalk::is_own(ValueId pointer) const {
  return pointer.is_local() && m_.types()[m_.type_of(f_, pointer)].space == Space::function;
}

FlowWalk::Flow FlowWalk::region(RegionId id, uint32_t at) {
  Flow flow{at, kNext};
  for (InstId i : m_.regions[id].insts) {
    const Flow after = inst(i, flow.at);
    flow = {after.at, static_cast<uint8_t>((flow.behavior & ~kNext) | after.behavior)};
    if ((after.behavior & kNext) == 0) break;  // what follows is never reached and not looked at
  }
  return flow;
}

FlowWalk::Flow FlowWalk::inst(InstId id, uint32_t at) {
  const Inst& inst = m_.insts[id];
  const OpRow& row = op_row(inst.op);
  for (uint32_t r = 0; r < inst.result_count; ++r) {
    if (m_.result(inst, r).is_local()) definitions_[m_.result(inst, r).index()] = id;
  }
  if (row.traits & kTerminator) return terminator(id, at);
  switch (inst.op) {
    case Op::if_: return branch(id, at);
    case Op::loop: return loop(id, at);
    case Op::switch_: return switch_(id, at);
    case Op::call: call(id, at); break;
    case Op::store: store(id, at); break;
    case Op::barrier:
      if (is_printed(inst)) needs.push_back({at, id, {}, {}});
      break;
    case Op::var:
      set(inst.first_result.index(), graph.add(id, {at}));
      for (ValueId v : m_.operands(inst)) graph.edge(current_[inst.first_result.index()], node_of(v));
      if (!is_own(inst.first_result)) graph.edge(current_[inst.first_result.index()], kMayDiffer);
      break;
    default: value(id, at); break;
  }
  return {at, kNext};
}

ValueId FlowWalk::root(ValueId pointer) const {
  while (pointer.is_local() && definitions_[pointer.index()]) {
    const Inst& inst = m_.insts[definitions_[pointer.index()]];
    if (inst.op != Op::at && inst.op != Op::at_byte && inst.op != Op::texel) break;
    pointer = m_.operand(inst, 0);
  }
  return pointer;
}

bool FlowWalk::may_differ(const Inst& inst) const {
  const OpRow& row = op_row(inst.op);
  if (row.traits & (kLanes | kDerivative | kAtomic)) return true;
  switch (inst.op) {
    case Op::is_helper: return true;
    case Op::load: {
      const ValueId from = root(m_.operand(inst, 0));
      if (!from.is_global()) return false;
      const ir::Global& g = m_.globals[from.global_id()];
      if (g.space == Space::uniform || g.space == Space::push || g.space == Space::handle) return false;
      return g.space != Space::storage || g.access != Access::read;
    }
    case Op::sample: return samples_ && (ir::SampleInfo::unpack(inst.payload).mask & (ir::kSampleLod | ir::kSampleGrad)) == 0;
    case Op::image_read: {
      const Access access = m_.types()[m_.type_of(f_, m_.operand(inst, 0))].access;
      return access != Access::read;
    }
    default: return false;
  }
}

void FlowWalk::value(InstId id, uint32_t at) {
  const Inst& inst = m_.insts[id];
  if (inst.result_count == 0) return;
  const uint32_t node = graph.add(id, {at});
  for (ValueId v : m_.operands(inst)) graph.edge(node, node_of(v));
  if (may_differ(inst)) graph.edge(node, kMayDiffer);
  if (inst.op == Op::load) {
    const ValueId from = root(m_.operand(inst, 0));
    if (from.is_local()) graph.edge(node, current_[from.index()]);
  }
  for (uint32_t r = 0; r < inst.result_count; ++r) nodes_[m_.result(inst, r).index()] = node;
}

void FlowWalk::store(InstId id, uint32_t at) {
  const Inst& inst = m_.insts[id];
  const ValueId pointer = m_.operand(inst, 0), to = root(pointer);
  if (!to.is_local() || !is_own(to)) return;
  const uint32_t node = graph.add(id, {at, node_of(m_.operand(inst, 1))});
  if (!(pointer == to)) {  // a part: the rest stays as it was
    graph.edge(node, node_of(pointer));
    graph.edge(node, current_[to.index()]);
  }
  set(to.index(), node);
}

void FlowWalk::call(InstId id, uint32_t at) {
  const Inst& inst = m_.insts[id];
  const FlowSummary& callee = summaries_[inst.payload];
  const std::span<const ValueId> args = m_.operands(inst);
  const uint32_t node = graph.add(id, {at});
  if (callee.barrier) needs.push_back({at, callee.barrier, id, {}});
  if (callee.result_differs) graph.edge(node, kMayDiffer);
  std::vector<uint32_t> given;
  for (ValueId v : args) {
    const bool pointer = v.is_local() && m_.types().is_pointer(m_.type_of(f_, v));
    given.push_back(pointer ? current_[root(v).index()] : node_of(v));
  }
  for (size_t i = 0; i < args.size() && i < callee.needs.size(); ++i) {
    if (callee.needs[i] && given[i] != kNoNode)
      needs.push_back({graph.add(id, {at, given[i]}), callee.needs[i], id, callee.conditions[i]});
    if (callee.result_needs[i]) graph.edge(node, given[i]);
  }
  for (size_t i = 0; i < args.size() && i < callee.flows.size(); ++i) {
    if (!args[i].is_local() || !m_.types().is_pointer(m_.type_of(f_, args[i]))) continue;
    const uint32_t after = graph.add(id, {at});
    if (callee.contents_differ[i]) graph.edge(after, kMayDiffer);
    for (size_t j = 0; j < args.size(); ++j) {
      if (callee.flows[i][j]) graph.edge(after, given[j]);
    }
    if (is_own(root(args[i]))) set(root(args[i]).index(), after);
  }
  if (inst.result_count != 0) nodes_[inst.first_result.index()] = node;
}

void FlowWalk::set(uint32_t variable, uint32_t node) {
  log_.push_back({variable, current_[variable]});
  current_[variable] = node;
}

FlowWalk::Values FlowWalk::changed_since(size_t mark) {
  Values values;
  ++stamp_;
  for (size_t i = mark; i < log_.size(); ++i) {
    const uint32_t v = log_[i].first;
    if (stamps_[v] == stamp_) continue;
    stamps_[v] = stamp_;
    values.push_back({v, current_[v]});
  }
  return values;
}

void FlowWalk::undo(size_t mark) {
  for (; log_.size() > mark; log_.pop_back()) current_[log_.back().first] = log_.back().second;
}

/// Every variable that one of the ways changed holds what it holds at the end of any of them.
void FlowWalk::join(InstId tag, const std::vector<Values>& ways) {
  std::vector<std::pair<uint32_t, size_t>> joined;  // variable, number of ways that changed it
  std::vector<uint32_t> nodes;
  ++stamp_;
  for (const Values& way : ways) {
    for (const auto& [variable, node] : way) {
      if (stamps_[variable] != stamp_) {
        stamps_[variable] = stamp_;
        slots_[variable] = static_cast<uint32_t>(joined.size());
        joined.push_back({variable, 0});
        nodes.push_back(graph.add(tag));
      }
      ++joined[slots_[variable]].second;
      graph.edge(nodes[slots_[variable]], node);
    }
  }
  for (size_t i = 0; i < joined.size(); ++i) {
    const auto& [variable, count] = joined[i];
    if (count < ways.size()) graph.edge(nodes[i], current_[variable]);
    set(variable, nodes[i]);
  }
}

FlowWalk::Flow FlowWalk::branch(InstId id, uint32_t at) {
  const Inst& inst = m_.insts[id];
  const uint32_t condition = graph.add(id, {at, node_of(m_.operand(inst, 0))});
  const size_t mark = log_.size();
  std::vector<Values> ways;
  Flow flows[2];
  for (uint32_t i = 0; i < 2; ++i) {
    flows[i] = region(m_.inst_region(inst, i), condition);
    if (flows[i].behavior & kNext) ways.push_back(changed_since(mark));
    undo(mark);
  }
  join(InstId::none(), ways);
  const uint8_t behavior = flows[0].behavior | flows[1].behavior;
  if (behavior == kNext) return {at, behavior};
  return {graph.add(InstId::none(), {flows[0].at, flows[1].at}), behavior};
}

FlowWalk::Flow FlowWalk::switch_(InstId id, uint32_t at) {
  const Inst& inst = m_.insts[id];
  const uint32_t selector = graph.add(id, {at, node_of(m_.operand(inst, 0))});
  const size_t mark = log_.size();
  frames_.push_back({mark, {}, {}});
  const uint32_t end = graph.add(InstId::none());
  uint8_t behavior = 0;
  for (RegionId r : m_.inst_regions(inst)) {
    const Flow flow = region(r, selector);
    behavior |= flow.behavior;
    if (flow.behavior & kNext) frames_.back().leaves.push_back(changed_since(mark));
    undo(mark);
    graph.edge(end, flow.at);
  }
  const std::vector<Values> ways = std::move(frames_.back().leaves);
  frames_.pop_back();
  join(InstId::none(), ways);
  if (behavior & kBreak) behavior = static_cast<uint8_t>((behavior & ~kBreak) | kNext);
  return {behavior == kNext ? at : end, behavior};
}

/// Variables that are stored to in a region, by themselves or by a call.
void FlowWalk::stored_in(RegionId id, std::vector<uint32_t>& out) {
  const auto note = [&](ValueId pointer) {
    // Paths inside of the loop are not yet in `definitions_`.
    const ValueId to = root(pointer);
    if (!to.is_local() || stamps_[to.index()] == stamp_) return;
    stamps_[to.index()] = stamp_;
    if (current_[to.index()] != kNoNode) out.push_back(to.index());
  };
  for (InstId i : m_.regions[id].insts) {
    const Inst& inst = m_.insts[i];
    if (inst.op == Op::at && inst.first_result.is_local()) definitions_[inst.first_result.index()] = i;
    if (inst.op == Op::store) note(m_.operand(inst, 0));
    if (inst.op == Op::call) {
      for (ValueId v : m_.operands(inst)) {
        if (v.is_local() && m_.types().is_pointer(m_.type_of(f_, v))) note(v);
      }
    }
    for (RegionId r : m_.inst_regions(inst)) stored_in(r, out);
  }
}

FlowWalk::Flow FlowWalk::loop(InstId id, uint32_t at) {
  const Inst& inst = m_.insts[id];
  const RegionId body = m_.inst_region(inst, 0), continuing = m_.inst_region(inst, 1);
  const size_t mark = log_.size();
  std::vector<uint32_t> variables;
  ++stamp_;
  stored_in(body, variables);
  stored_in(continuing, variables);
  std::vector<uint32_t> entries;
  for (uint32_t v : variables) {
    entries.push_back(graph.add(InstId::none(), {current_[v]}));
    set(v, entries.back());
  }
  const size_t start = log_.size();
  frames_.push_back({mark, {}, {}});
  const uint32_t iteration = graph.add(InstId::none(), {at});
  const Flow once = region(body, iteration);
  if (once.behavior & kNext) frames_.back().continues.push_back(changed_since(mark));
  undo(start);
  const bool again = (once.behavior & (kNext | kContinue)) != 0;
  bool leaves = (once.behavior & kBreak) != 0;
  if (again) {
    join(InstId::none(), std::vector<Values>(std::move(frames_.back().continues)));
    const Flow end = region(continuing, once.at);
    leaves = leaves || (end.behavior & kBreak) != 0;
    graph.edge(iteration, end.at);
    for (size_t i = 0; i < variables.size(); ++i) graph.edge(entries[i], current_[variables[i]]);
  }
  undo(mark);
  const std::vector<Values> ways = std::move(frames_.back().leaves);
  frames_.pop_back();
  join(InstId::none(), ways);
  const bool returns = (once.behavior & kReturn) != 0;
  const uint8_t behavior = static_cast<uint8_t>((leaves ? kNext : 0) | (returns ? kReturn : 0));
  return {!returns ? at : again ? iteration : once.at, behavior};
}

FlowWalk::Flow FlowWalk::terminator(InstId id, uint32_t at) {
  const Inst& inst = m_.insts[id];
  switch (inst.op) {
    case Op::leave:
    case Op::break_: frames_.back().leaves.push_back(changed_since(frames_.back().mark)); return {at, kBreak};
    case Op::continue_: frames_.back().continues.push_back(changed_since(frames_.back().mark)); return {at, kContinue};
    case Op::next_if: {
      frames_.back().leaves.push_back(changed_since(frames_.back().mark));
      return {graph.add(id, {at, node_of(m_.operand(inst, 0))}), kNext | kBreak};
    }
    case Op::unreachable:
      if (f_.result == TypeId::void_) return {at, kNext};
      [[fallthrough]];
    case Op::return_:
    case Op::terminate:
      graph.edge(kResult, graph.add(id, {at, inst.operands.count != 0 ? node_of(m_.operand(inst, 0)) : kNoNode}));
      for (size_t i = 0; i < f_.params.size(); ++i) graph.edge(contents_after(i), current_[f_.params[i].value.index()]);
      return {at, kReturn};
    default: return {at, kNext};  // yield, next
  }
}

}  // namespace carry::analysis

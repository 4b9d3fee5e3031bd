// Functions and structured control flow. Region results and parameters become OpPhi (ir.md 9).
#include "types/loop_control.h"
#include "write/spirv/state.h"

namespace carry::write::spirv {

using ir::Inst;
using ir::RegionId;

void Writer::function(ir::FunctionId id) {
  const ir::Function& f = m_.functions[id];
  fn_ = &f;
  block_pointees_.clear();
  locals_.assign(f.value_types.size(), 0);
  defs_.assign(f.value_types.size(), ir::InstId::none());
  non_uniform_.assign(f.value_types.size(), false);
  vars_.clear();
  body_.clear();
  std::vector<SpvId> param_types;
  for (const ir::Param& p : f.params) param_types.push_back(type(f.value_types[p.value.index()]));
  const SpvId result = type(f.result);
  const SpvId fn_type = function_type(result, param_types);
  function_words_.inst(spv::Op::OpFunction, {result, function_ids_[id.value], 0, fn_type});
  name(function_ids_[id.value], f.name);
  for (size_t i = 0; i < f.params.size(); ++i) {
    const SpvId param = new_id();
    locals_[f.params[i].value.index()] = param;
    function_words_.inst(spv::Op::OpFunctionParameter, {param_types[i], param});
    name(param, f.params[i].name);
  }
  const SpvId entry = new_id();
  function_words_.inst(spv::Op::OpLabel, {entry});
  block_ = entry;
  block_open_ = true;
  line_ = {};
  region(f.body);
  if (block_open_) body_.inst(spv::Op::OpUnreachable, {});
  function_words_.append(vars_);
  function_words_.append(body_);
  function_words_.inst(spv::Op::OpFunctionEnd, {});
  fn_ = nullptr;
}

void Writer::open_block(SpvId label) {
  body_.inst(spv::Op::OpLabel, {label});
  block_ = label;
  block_open_ = true;
  line_ = {};
}

void Writer::branch(SpvId target) {
  body_.inst(spv::Op::OpBranch, {target});
  block_open_ = false;
}

void Writer::region(RegionId id) {
  for (ir::InstId i : m_.regions[id].insts) {
    if (block_open_) debug_line(m_.insts[i].loc);
    instruction(i);
  }
}

bool Writer::is_bare_yield(RegionId id) const {
  const ir::Region& r = m_.regions[id];
  return r.insts.size() == 1 && m_.insts[r.insts[0]].op == Op::yield;
}

std::vector<SpvId> Writer::values_of(std::span<const ir::ValueId> list) {
  std::vector<SpvId> ids;
  ids.reserve(list.size());
  for (ir::ValueId v : list) ids.push_back(value(v));
  return ids;
}

Construct& Writer::innermost(Op op) {
  size_t i = constructs_.size();
  while (i > 1 && constructs_[i - 1]->op != op) --i;
  return *constructs_[i - 1];
}

Construct& Writer::innermost_selection() {
  size_t i = constructs_.size();
  while (i > 1 && constructs_[i - 1]->op == Op::loop) --i;
  return *constructs_[i - 1];
}

/// Opens the merge block: an OpPhi a result over the ways that lead here; unreachable when there is none.
void Writer::merge_results(const Inst& inst, const Construct& c) {
  open_block(c.merge);
  for (uint32_t r = 0; r < inst.result_count; ++r) {
    const SpvId type_id = result_type(inst, r);
    if (c.to_merge.empty()) {
      locals_[m_.result(inst, r).index()] = const_null(type_id);
      continue;
    }
    if (c.to_merge.size() == 1) {
      locals_[m_.result(inst, r).index()] = c.to_merge[0].values[r];
      continue;
    }
    std::vector<Word> words{type_id, result_id(inst, r)};
    for (const Incoming& in : c.to_merge) {
      words.push_back(in.values[r]);
      words.push_back(in.block);
    }
    body_.inst(spv::Op::OpPhi, words);
  }
}

void Writer::control_if(const Inst& inst) {
  Construct c(inst.op);
  c.merge = new_id();
  const SpvId condition = value(m_.operand(inst, 0));
  const RegionId then_region = m_.inst_region(inst, 0);
  const RegionId else_region = m_.inst_region(inst, 1);
  const SpvId then_label = new_id();
  const bool bare_else = is_bare_yield(else_region);
  const SpvId else_label = bare_else ? c.merge : new_id();
  const auto hint = static_cast<ir::BranchHint>(inst.payload);
  const Word control = hint == ir::BranchHint::flatten ? 1u : hint == ir::BranchHint::dont_flatten ? 2u : 0u;
  body_.inst(spv::Op::OpSelectionMerge, {c.merge, control});
  body_.inst(spv::Op::OpBranchConditional, {condition, then_label, else_label});
  if (bare_else) c.to_merge.push_back({block_, values_of(m_.operands(m_.insts[m_.regions[else_region].insts[0]]))});
  constructs_.push_back(&c);
  open_block(then_label);
  region(then_region);
  if (!bare_else) {
    open_block(else_label);
    region(else_region);
  }
  constructs_.pop_back();
  merge_results(inst, c);
}

void Writer::control_switch(const Inst& inst) {
  Construct c(inst.op);
  c.merge = new_id();
  const SpvId selector = value(m_.operand(inst, 0));
  const ir::SwitchInfo& info = m_.switches[inst.payload];
  const std::span<const RegionId> regions = m_.inst_regions(inst);
  std::vector<SpvId> labels(regions.size());
  for (SpvId& label : labels) label = new_id();
  SpvId default_label = c.merge;
  const bool wide = scalar_bits(m_.types().scalar_of(type_of(m_.operand(inst, 0)))) == 64;
  std::vector<Word> words{selector, 0};
  for (size_t i = 0; i < info.cases.size(); ++i) {
    if (info.cases[i].is_default) default_label = labels[i];
    for (ConstId label : info.cases[i].labels) {
      const Constant& k = m_.types().constant(label);
      words.push_back(static_cast<Word>(k.bits));
      if (wide) words.push_back(static_cast<Word>(k.bits >> 32));
      words.push_back(labels[i]);
    }
  }
  words[1] = default_label;
  body_.inst(spv::Op::OpSelectionMerge, {c.merge, 0});
  body_.inst(spv::Op::OpSwitch, words);
  constructs_.push_back(&c);
  for (size_t i = 0; i < regions.size(); ++i) {
    c.next_case = i + 1 < labels.size() ? labels[i + 1] : c.merge;
    open_block(labels[i]);
    region(regions[i]);
  }
  constructs_.pop_back();
  merge_results(inst, c);
}

void Writer::control_loop(const Inst& inst) {
  Construct c(inst.op);
  c.merge = new_id();
  c.continue_target = new_id();
  c.header = new_id();
  const ir::Region& body = m_.regions[m_.inst_region(inst, 0)];
  const ir::Region& continuing = m_.regions[m_.inst_region(inst, 1)];
  const std::vector<SpvId> initial = values_of(m_.operands(inst));
  const SpvId before = block_;
  branch(c.header);
  open_block(c.header);
  std::vector<size_t> phi_at;  // where the back edge's value and block go
  for (uint32_t i = 0; i < body.param_count; ++i) {
    const ir::ValueId param(body.first_param.value + i);
    const SpvId type_id = type(type_of(param));
    const SpvId id = new_id();
    locals_[param.index()] = id;
    body_.inst(spv::Op::OpPhi, {type_id, id, initial[i], before, 0, 0});
    phi_at.push_back(body_.size() - 2);
  }
  loop_merge(inst, c.merge, c.continue_target);
  const SpvId first = new_id();
  branch(first);
  open_block(first);
  constructs_.push_back(&c);
  region(m_.inst_region(inst, 0));

  open_block(c.continue_target);
  for (uint32_t i = 0; i < continuing.param_count; ++i) {
    const ir::ValueId param(continuing.first_param.value + i);
    const SpvId type_id = type(type_of(param));
    if (c.to_continue.empty()) {
      locals_[param.index()] = const_null(type_id);
      continue;
    }
    std::vector<Word> words{type_id, new_id()};
    locals_[param.index()] = words[1];
    for (const Incoming& in : c.to_continue) {
      words.push_back(in.values[i]);
      words.push_back(in.block);
    }
    body_.inst(spv::Op::OpPhi, words);
  }
  region(m_.inst_region(inst, 1));
  constructs_.pop_back();
  for (size_t i = 0; i < phi_at.size(); ++i) {
    body_.at(phi_at[i]) = c.back_edge.values[i];
    body_.at(phi_at[i] + 1) = c.back_edge.block;
  }
  merge_results(inst, c);
}

/// Unroll is 1, DontUnroll 2, then a bit for each kind of count in the order of LoopCount; all but the first have a number.
void Writer::loop_merge(const Inst& inst, SpvId merge, SpvId continue_target) {
  const LoopControl loop = LoopControl::unpack(inst.payload);
  std::vector<Word> words{merge, continue_target,
                          loop.hint == ir::BranchHint::unroll        ? 1u
                          : loop.hint == ir::BranchHint::dont_unroll ? 2u
                                                                     : 0u};
  const bool has_number = loop.kind >= LoopCount::dependency_length;
  const uint32_t since = loop.kind >= LoopCount::min_iterations ? 0x00010400u : 0x00010100u;
  if (loop.kind != LoopCount::none && at_least(since)) {
    words[2] |= 2u << static_cast<uint32_t>(loop.kind);
    if (has_number) words.push_back(loop.number);
  }
  body_.inst(spv::Op::OpLoopMerge, words);
}

void Writer::terminator(const Inst& inst) {
  const std::span<const ir::ValueId> ops = m_.operands(inst);
  switch (inst.op) {
    case Op::yield: {
      Construct& c = innermost_selection();
      c.to_merge.push_back({block_, values_of(ops)});
      return branch(c.merge);
    }
    case Op::leave: {
      Construct& c = innermost(Op::switch_);
      c.to_merge.push_back({block_, values_of(ops)});
      return branch(c.merge);
    }
    case Op::fallthrough: return branch(innermost(Op::switch_).next_case);
    case Op::break_: {
      Construct& c = innermost(Op::loop);
      c.to_merge.push_back({block_, values_of(ops)});
      return branch(c.merge);
    }
    case Op::continue_: {
      Construct& c = innermost(Op::loop);
      c.to_continue.push_back({block_, values_of(ops)});
      return branch(c.continue_target);
    }
    case Op::next: {
      Construct& c = innermost(Op::loop);
      c.back_edge = {block_, values_of(ops)};
      return branch(c.header);
    }
    case Op::next_if: {
      Construct& c = innermost(Op::loop);
      const SpvId condition = value(ops[0]);
      c.back_edge = {block_, values_of(ops.subspan(1, inst.payload))};
      c.to_merge.push_back({block_, values_of(ops.subspan(1 + inst.payload))});
      body_.inst(spv::Op::OpBranchConditional, {condition, c.header, c.merge});
      block_open_ = false;
      return;
    }
    case Op::return_:
      if (ops.empty()) {
        body_.inst(spv::Op::OpReturn, {});
      } else {
        const SpvId v = value(ops[0]);
        body_.inst(spv::Op::OpReturnValue, {v});
      }
      break;
    case Op::terminate:
      if (at_least(0x00010600)) {
        body_.inst(spv::Op::OpTerminateInvocation, {});
      } else {
        body_.inst(spv::Op::OpKill, {});
      }
      break;
    default: body_.inst(spv::Op::OpUnreachable, {}); break;
  }
  block_open_ = false;
}

}  // namespace carry::write::spirv

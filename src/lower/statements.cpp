// Statements: structured control flow as ir.md 9 has it. Nothing is emitted after a terminator.
#include "lower/function_lowering.h"
#include "types/loop_control.h"

namespace carry::lower {

void FunctionLowering::statement(NodeId n) {
  uint32_t control = 0;
  while (tree_.is(n, NodeKind::attributed_stmt)) {
    if (fact(n).ref == Ref::hint) control = fact(n).index;
    n = tree_.child(n, 1);
  }
  const ir::BranchHint hint = LoopControl::unpack(control).hint;
  if (b_.terminated() || !fits(n)) return;
  at(n);
  switch (tree_.kind(n)) {
    case NodeKind::block: return block(n);
    case NodeKind::expr_stmt: return effects(tree_.child(n, 0));
    case NodeKind::var_decl: return declare(n);
    case NodeKind::if_stmt: return if_statement(n, hint);
    case NodeKind::for_stmt:
    case NodeKind::while_stmt:
    case NodeKind::do_stmt: return loop_statement(n, control);
    case NodeKind::switch_stmt: return switch_statement(n, hint);
    case NodeKind::return_stmt: return return_statement(n);
    case NodeKind::discard_stmt:
    case NodeKind::jump_stmt: return jump(n);
    case NodeKind::break_stmt:
      if (targets_.empty()) return m_.unsupported(n, "`break` here");
      targets_.back().left = true;
      return b_.terminator(targets_.back().is_loop ? Op::break_ : Op::leave);
    case NodeKind::continue_stmt: return b_.terminator(Op::continue_);
    case NodeKind::case_label:
    case NodeKind::default_label: return m_.unsupported(n, "a label inside another statement");
    default: return;  // declarations of types, prototypes, empty statements
  }
}

void FunctionLowering::block(NodeId n) {
  NodeList children;
  for (NodeId c : tree_.children(n, children)) {
    if (b_.terminated()) return;
    statement(c);
  }
}

void FunctionLowering::declare(NodeId var_decl) {
  NodeList children;
  tree_.children(var_decl, children);
  for (uint32_t i = 2; i < children.size(); ++i) {
    const VarId id = facts_.variable_of(children[i]);
    if (id) declare_var(id, children[i]);
  }
}

void FunctionLowering::declare_var(VarId id, NodeId declarator) {
  const Variable& v = facts_.variables[id];
  if (v.kind == VarKind::constant || v.kind == VarKind::spec_constant || v.kind == VarKind::private_ ||
      v.kind == VarKind::shared)
    return;
  const ValueId init = v.init ? value(v.init) : ValueId();
  at(declarator);
  if (const auto found = locals_.find(id.value); found != locals_.end() && !local_is_value_[id.value]) {
    if (init) b_.store(found->second, init);
    return;
  }
  const bool precise = init && (v.flags & kPreciseVariable) != 0;
  const ValueId var = b_.var(ir(v.type), precise ? ValueId() : init, v.name);
  if (precise) b_.store(var, init, ir::kPrecise);
  locals_[id.value] = var;
  local_is_value_[id.value] = false;
}

ValueId FunctionLowering::condition(NodeId n) {
  if (!tree_.is(n, NodeKind::var_decl)) return value(n);
  declare(n);
  const VarId id = facts_.variable_of(tree_.last_child(n));
  if (!id) return b_.const_bool(true);
  return convert(b_.load(locals_[id.value]), facts_.variables[id].type, TypeId::bool_, n);
}

// An else-if chain nests; after kNestedLinks it goes on beside, where `open` says that none was taken so far.
void FunctionLowering::if_statement(NodeId n, ir::BranchHint hint) {
  Chain chain;
  uint32_t links = 1;
  for (NodeId at = tree_.child(n, 2); tree_.is(at, NodeKind::if_stmt); at = tree_.child(at, 2)) ++links;
  if (links <= kNestedLinks) return if_link(n, hint, 1, chain);
  for (NodeId at = n; tree_.is(at, NodeKind::if_stmt); at = tree_.child(at, 2)) hoist_condition(tree_.child(at, 0));
  chain.open = b_.var(TypeId::bool_, b_.const_bool(false));
  if_link(n, hint, 1, chain);
  while (chain.next) {
    const NodeId next = chain.next;
    chain.next = NodeId();
    at(next);
    const ValueId open = b_.load(chain.open);
    ir::RegionId regions[2];
    regions[0] = b_.open_region();
    b_.store(chain.open, b_.const_bool(false));
    if_link(next, ir::BranchHint::none, 1, chain);
    if (!b_.terminated()) b_.yield();
    b_.close_region();
    regions[1] = b_.open_region();
    b_.yield();
    b_.close_region();
    b_.emit_full(Op::if_, {}, std::span<const ValueId>(&open, 1), regions);
  }
}

void FunctionLowering::if_link(NodeId n, ir::BranchHint hint, uint32_t link, Chain& chain) {
  const auto [test, then, other] = tree_.first_children<3>(n);
  at(n);
  const ValueId c = condition(test);
  ir::RegionId regions[2];
  bool reached = false;
  for (uint32_t i = 0; i < 2; ++i) {
    regions[i] = b_.open_region();
    const NodeId s = i == 0 ? then : other;
    if (i == 0 || !tree_.is(s, NodeKind::if_stmt)) {
      if (!tree_.is_empty(s)) statement(s);
    } else if (link < kNestedLinks) {
      if_link(s, ir::BranchHint::none, link + 1, chain);
    } else {
      b_.store(chain.open, b_.const_bool(true));
      chain.next = s;
    }
    at(n);
    if (!b_.terminated()) {
      b_.yield();
      reached = true;
    }
    b_.close_region();
  }
  at(n);
  b_.emit_full(Op::if_, {}, std::span<const ValueId>(&c, 1), regions, static_cast<uint32_t>(hint));
  if (!reached) b_.terminator(Op::unreachable);
}

// A variable declared in a condition that is seen outside of the region that evaluates it.
void FunctionLowering::hoist_condition(NodeId test) {
  if (!tree_.is(test, NodeKind::var_decl)) return;
  const VarId id = facts_.variable_of(tree_.last_child(test));
  if (!id) return;
  locals_[id.value] = b_.var(ir(facts_.variables[id].type), {}, facts_.variables[id].name);
  local_is_value_[id.value] = false;
}

void FunctionLowering::loop_statement(NodeId n, uint32_t control) {
  NodeId init, test, increment, body;
  const NodeKind kind = tree_.kind(n);
  if (kind == NodeKind::for_stmt) {
    const auto c = tree_.first_children<4>(n);
    init = c[0];
    test = c[1];
    increment = c[2];
    body = c[3];
    if (tree_.is(init, NodeKind::var_decl))
      declare(init);
    else if (tree_.is(init, NodeKind::expr_stmt))
      effects(tree_.child(init, 0));
    else if (!tree_.is_empty(init))
      statement(init);
  } else if (kind == NodeKind::while_stmt) {
    test = tree_.child(n, 0);
    body = tree_.child(n, 1);
  } else {
    body = tree_.child(n, 0);
    test = tree_.child(n, 1);
  }
  const bool test_first = kind != NodeKind::do_stmt;
  const bool endless = !test || tree_.is_empty(test);
  // The increment sees it too, so it lives outside the body.
  if (!endless) hoist_condition(test);
  targets_.push_back({.is_loop = true, .left = false});
  ir::RegionId regions[2];
  regions[0] = b_.open_region();
  if (test_first && !endless) {
    const ValueId c = condition(test);
    const bool always = c.is_constant() && !types_.is_zero(c.const_id());
    at(n);
    if (!always) {
      targets_.back().left = true;
      ir::RegionId branches[2];
      branches[0] = b_.open_region();
      b_.yield();
      b_.close_region();
      branches[1] = b_.open_region();
      b_.terminator(Op::break_);
      b_.close_region();
      b_.emit_full(Op::if_, {}, std::span<const ValueId>(&c, 1), branches);
    }
  }
  statement(body);
  at(n);
  if (!b_.terminated()) b_.terminator(Op::continue_);
  b_.close_region();
  regions[1] = b_.open_region();
  if (increment && !tree_.is_empty(increment)) effects(increment);
  if (!test_first) {
    const ValueId c = condition(test);
    at(n);
    b_.emit(Op::next_if, TypeId::void_, {c}, 0);
  } else {
    at(n);
    b_.terminator(Op::next);
  }
  b_.close_region();
  const bool left = targets_.back().left || !test_first;
  targets_.pop_back();
  b_.emit_full(Op::loop, {}, {}, regions, control);
  if (!left) b_.terminator(Op::unreachable);
}

void FunctionLowering::return_statement(NodeId n) {
  const NodeId e = tree_.child(n, 0);
  ValueId v;
  if (!tree_.is_empty(e)) {
    if (facts_.result_type(e) == TypeId::void_)
      effects(e);
    else
      v = value(e);
  }
  at(n);
  if (v && result_type_ != TypeId::void_) {
    const bool precise = function_ && (facts_.functions[function_].flags & kFuncPrecise) != 0;
    b_.emit(Op::return_, TypeId::void_, {v}, 0, precise ? ir::kPrecise : 0);
  } else {
    b_.terminator(Op::return_);
  }
}

void FunctionLowering::jump(NodeId n) {
  const NodeFact& f = fact(n);
  const auto kind = f.ref == Ref::jump ? static_cast<JumpKind>(f.index) : static_cast<JumpKind>(tree_[n].op);
  if (kind == JumpKind::demote) {
    b_.emit(Op::demote, TypeId::void_, {});
  } else if (kind == JumpKind::terminate_invocation) {
    b_.terminator(Op::terminate);
  } else {
    m_.unsupported(n, "this statement");
  }
}

}  // namespace carry::lower

// Statements.
#include <iterator>

#include "check/checker.h"
#include "types/loop_control.h"

namespace carry::check {

void Checker::check_block(NodeId n, bool own_scope) {
  if (own_scope) scopes_.push();
  NodeList children;
  tree_.children(n, children);
  for (NodeId c : children) {
    if (diags_.at_limit()) break;
    check_stmt(c);
  }
  if (own_scope) scopes_.pop();
}

void Checker::check_expr_stmt(NodeId n) {
  const NodeId e = tree_.child(n, 0);
  check_expr(e);
  if (!is_error(e)) settle(e);
  if (fact(e).ref == Ref::type_name && !is_error(e)) is_value(e);
  if (!is_error(e) && !facts_.has(e, kFactEffects) && type_of(e) != TypeId::void_) diags_.emit(range(e), diag::unused_result);
}

/// else-if chains are long, not deep: walked with a loop.
void Checker::check_if(NodeId n) {
  uint32_t scopes = 0;
  for (NodeId at = n;;) {
    const auto [cond, then, other] = tree_.first_children<3>(at);
    scopes_.push();
    ++scopes;
    check_condition(cond);
    scopes_.push();
    check_stmt(then);
    scopes_.pop();
    if (tree_.is(other, NodeKind::if_stmt)) {
      at = other;
      continue;
    }
    scopes_.push();
    check_stmt(other);
    scopes_.pop();
    break;
  }
  while (scopes-- > 0) scopes_.pop();
}

void Checker::check_while(NodeId n) {
  const auto [cond, body] = tree_.first_children<2>(n);
  scopes_.push();
  check_condition(cond);
  check_loop_body(body);
  scopes_.pop();
}

void Checker::check_do(NodeId n) {
  const auto [body, cond] = tree_.first_children<2>(n);
  check_loop_body(body);
  check_condition(cond);
}

/// `break`, `continue`, labels, `discard` and their like: each has its place.
void Checker::check_jump(NodeId n) {
  switch (tree_.kind(n)) {
    case NodeKind::case_label:
    case NodeKind::default_label:
      if (switch_depth_ == 0)
        diags_.emit(loc(n), diag::misplaced_jump, tree_.is(n, NodeKind::case_label) ? "case" : "default", "a switch");
      break;
    case NodeKind::break_stmt:
      if (loop_depth_ == 0 && switch_depth_ == 0) diags_.emit(loc(n), diag::misplaced_jump, "break", "a loop or switch");
      break;
    case NodeKind::continue_stmt:
      if (loop_depth_ == 0) diags_.emit(loc(n), diag::misplaced_jump, "continue", "a loop");
      break;
    case NodeKind::discard_stmt:
      if (options_.stage != Stage::none && options_.stage != Stage::fragment && glsl())
        diags_.emit(loc(n), diag::misplaced_jump, "discard", "a fragment shader");
      set_ref(n, Ref::jump, static_cast<uint32_t>(hlsl() ? JumpKind::demote : JumpKind::terminate_invocation));
      break;
    default: {
      const auto kind = static_cast<JumpKind>(tree_[n].op);
      if (kind != JumpKind::demote && kind != JumpKind::terminate_invocation) not_yet(n, "ray tracing");
      set_ref(n, Ref::jump, static_cast<uint32_t>(kind));
    }
  }
}

void Checker::check_stmt(NodeId n) {
  enter(n);
  switch (tree_.kind(n)) {
    case NodeKind::block: check_block(n, true); break;
    case NodeKind::empty_stmt:
    case NodeKind::empty:
    case NodeKind::error: break;
    case NodeKind::expr_stmt: check_expr_stmt(n); break;
    case NodeKind::if_stmt: check_if(n); break;
    case NodeKind::for_stmt: check_for(n); break;
    case NodeKind::while_stmt: check_while(n); break;
    case NodeKind::do_stmt: check_do(n); break;
    case NodeKind::switch_stmt: check_switch(n); break;
    case NodeKind::case_label:
    case NodeKind::default_label:
    case NodeKind::break_stmt:
    case NodeKind::continue_stmt:
    case NodeKind::discard_stmt:
    case NodeKind::jump_stmt: check_jump(n); break;
    case NodeKind::return_stmt: check_return(n); break;
    case NodeKind::attributed_stmt: check_attributed(n); break;
    default: check_decl(n);
  }
}

void Checker::check_condition(NodeId n) {
  if (tree_.is(n, NodeKind::var_decl)) {
    check_var_decl(n);
    const NodeId d = tree_.last_child(n);
    if (tree_.is(d, NodeKind::declarator)) {
      const VarId v = facts_.variable_of(d);
      if (v && facts_.variables[v].type != TypeId::bool_ && facts_.variables[v].type != TypeId::error && glsl()) {
        diags_.emit(range(n), diag::condition_type, type_text(facts_.variables[v].type));
      }
    }
    return;
  }
  check_expr(n);
  if (!is_value(n)) return;
  const TypeId t = facts_.result_type(n);
  if (t == TypeId::bool_) return;
  if (hlsl() && types_.is_numeric(t)) {
    if (types_.is_scalar(t)) return convert(n, TypeId::bool_);
    if (mode_.hlsl_version < 2021 || types_.component_count(t) == 1) {
      warn_hlsl_conversion(n, t, TypeId::bool_);
      return convert(n, TypeId::bool_);
    }
  }
  diags_.emit(range(n), diag::condition_type, type_text(t));
}

void Checker::check_loop_body(NodeId body) {
  scopes_.push();
  ++loop_depth_;
  const uint32_t outer_switch = switch_depth_;
  if (tree_.is(body, NodeKind::block))
    check_block(body, false);
  else
    check_stmt(body);
  switch_depth_ = outer_switch;
  --loop_depth_;
  scopes_.pop();
}

void Checker::check_for(NodeId n) {
  const auto [init, cond, step, body] = tree_.first_children<4>(n);
  scopes_.push();
  check_stmt(init);
  if (!tree_.is_empty(cond)) check_condition(cond);
  if (!tree_.is_empty(step)) {
    check_expr(step);
    if (!is_error(step)) settle(step);
  }
  // The body's block shares the scope of the init declaration in GLSL; a nested scope is harmless: HLSL and GLSL both let
  // a body's outermost names hide it.
  check_loop_body(body);
  scopes_.pop();
}

void Checker::check_switch(NodeId n) {
  const auto [selector, body] = tree_.first_children<2>(n);
  check_expr(selector);
  TypeId t = TypeId::error;
  if (is_value(selector)) {
    settle(selector);
    t = facts_.result_type(selector);
    if (hlsl() && t == TypeId::bool_) {
      convert(selector, TypeId::i32);
      t = TypeId::i32;
    }
    if (!types_.is_scalar(t) || !is_int(types_.scalar_of(t))) {
      diags_.emit(range(selector), diag::switch_type, type_text(t));
      t = TypeId::error;
    }
  }
  NodeList items;
  tree_.children(body, items);
  // Desktop GLSL: case and selector may differ in sign, the int converts. Labels are read first, to find the type.
  scopes_.push();
  ++switch_depth_;
  const TypeId common = switch_labels(items, selector, t);
  if (common != t && common != TypeId::error) convert(selector, common);
  check_labels_unique(items);
  for (NodeId c : items) {
    if (!tree_.is(c, NodeKind::case_label) && !tree_.is(c, NodeKind::default_label)) check_stmt(c);
  }
  --switch_depth_;
  scopes_.pop();
}

TypeId Checker::switch_labels(const NodeList& items, NodeId, TypeId t) {
  TypeId common = t;
  std::vector<NodeId> labels;
  for (NodeId c : items) {
    if (!tree_.is(c, NodeKind::case_label)) continue;
    const NodeId e = tree_.child(c, 0);
    check_expr(e);
    if (!is_value(e)) continue;
    if (hlsl()) {
      if (t != TypeId::error) coerce(e, t, "a case label");
    } else {
      const TypeId lt = facts_.result_type(e);
      if (!types_.is_scalar(lt) || !is_int(types_.scalar_of(lt))) {
        diags_.emit(range(e), diag::no_implicit_conversion, type_text(lt), type_text(t), "a case label");
        continue;
      }
      if (t != TypeId::error && lt != common) {
        ScalarKind s = rules_.common(types_.scalar_of(common), types_.scalar_of(lt));
        if (s == ScalarKind::none && mode_.is_es() && !options_.strict_types) {
          diags_.emit(range(e), diag::case_sign, type_text(lt), type_text(common));
          s = types_.scalar_of(common);
        } else if (s == ScalarKind::none) {
          diags_.emit(range(e), diag::no_implicit_conversion, type_text(lt), type_text(common), "a case label");
          continue;
        }
        common = types_.scalar(s);
      }
    }
    if (!value_of(e)) {
      diags_.emit(range(e), diag::constant_needed, "a case label");
      continue;
    }
    labels.push_back(e);
  }
  if (common != TypeId::error) {
    for (NodeId e : labels) convert(e, common);
  }
  return common;
}

void Checker::check_labels_unique(const NodeList& items) {
  std::unordered_map<uint32_t, NodeId> seen;
  NodeId first_default;
  for (NodeId c : items) {
    if (tree_.is(c, NodeKind::default_label)) {
      if (first_default) diags_.emit(loc(c), diag::duplicate_case, "`default`").note(loc(first_default), diag::previous_case);
      first_default = c;
      continue;
    }
    if (!tree_.is(c, NodeKind::case_label)) continue;
    set_ref(c, Ref::label, Id<TypeId>::kNone);
    const NodeId e = tree_.child(c, 0);
    const ConstId v = value_of(e);
    if (!v || is_error(e)) continue;
    const auto [it, fresh] = seen.emplace(v.value, e);
    if (fresh) continue;
    int64_t number = 0;
    if (!fold_.to_int(v, number)) continue;
    diags_.emit(range(e), diag::duplicate_case, std::to_string(number)).note(loc(it->second), diag::previous_case);
  }
}

void Checker::check_return(NodeId n) {
  const NodeId e = tree_.child(n, 0);
  if (!function_) return;
  const Function& f = facts_.functions[function_];
  if (tree_.is_empty(e)) {
    if (f.result != TypeId::void_ && f.result != TypeId::error)
      diags_.emit(loc(n), diag::return_mismatch, text(f.name), "must return a value");
    return;
  }
  if (!tree_.is(e, NodeKind::init_list)) check_expr(e);
  if (f.result == TypeId::void_) {
    if (!is_error(e) && type_of(e) == TypeId::void_) return;  // `return f();` of a void function: harmless
    if (!is_error(e)) diags_.emit(range(e), diag::return_mismatch, text(f.name), "returns void");
    return;
  }
  coerce(e, f.result, "a return");
}

// Hints change no value: the number of HLSL's [unroll(n)] is left out.
void Checker::check_hint(NodeId a, LoopControl& control) {
  struct Row {
    std::string_view text;
    BranchHint hint;
  };
  static constexpr Row kHints[] = {{"unroll", BranchHint::unroll},
                                   {"loop", BranchHint::dont_unroll},
                                   {"dont_unroll", BranchHint::dont_unroll},
                                   {"branch", BranchHint::dont_flatten},
                                   {"dont_flatten", BranchHint::dont_flatten},
                                   {"forcecase", BranchHint::dont_flatten},
                                   {"call", BranchHint::dont_flatten},
                                   {"flatten", BranchHint::flatten},
                                   {"fastopt", BranchHint::none},
                                   {"allow_uav_condition", BranchHint::none}};
  const std::string_view name = tree_.name_text(a);
  NodeList args;
  tree_.children(a, args);
  uint32_t number = 0;
  if (args.size() > 1) {
    check_expr(args[1]);
    if (!constant_u32(args[1], number)) return;
  }
  for (const Row& r : kHints) {
    if (r.text != name) continue;
    if (r.hint != BranchHint::none) control.hint = r.hint;
    return;
  }
  for (size_t i = 1; i < std::size(kLoopCountWords) && glsl(); ++i) {
    if (kLoopCountWords[i] != name) continue;
    if (control.kind == LoopCount::none && number <= 0xffff) {
      control.kind = static_cast<LoopCount>(i);
      control.number = static_cast<uint16_t>(number);
    } else {
      diags_.emit(range(a), diag::attribute_left_out, name,
                  control.kind != LoopCount::none ? "a loop keeps one count" : "the number is above 65535");
    }
    return;
  }
  diags_.emit(loc(a), diag::unknown_attribute, name);
}

void Checker::check_attributed(NodeId n) {
  const auto [attributes, stmt] = tree_.first_children<2>(n);
  NodeList list;
  tree_.children(attributes, list);
  LoopControl control;
  for (NodeId a : list) {
    if (tree_.is(a, NodeKind::attribute)) check_hint(a, control);
  }
  set_ref(n, Ref::hint, control.pack());
  check_stmt(stmt);
}

}  // namespace carry::check

// `switch`: the statements of the block, grouped by labels; a group that runs into the next one falls through.
#include "lower/function_lowering.h"

namespace carry::lower {

namespace {

struct Group {
  ir::SwitchCase labels;
  std::vector<NodeId> statements;
};

}  // namespace

void FunctionLowering::switch_statement(NodeId n, ir::BranchHint hint) {
  static_cast<void>(hint);
  const auto [selector_node, body] = tree_.first_children<2>(n);
  const ValueId selector = value(selector_node);
  if (!tree_.is(body, NodeKind::block)) return m_.unsupported(body, "`switch` without a block");

  std::vector<Group> groups;
  bool has_default = false;
  NodeList children;
  for (NodeId c : tree_.children(body, children)) {
    const NodeKind k = tree_.kind(c);
    if (k == NodeKind::case_label || k == NodeKind::default_label) {
      if (groups.empty() || !groups.back().statements.empty()) groups.emplace_back();
      if (k == NodeKind::default_label) {
        groups.back().labels.is_default = true;
        has_default = true;
      } else {
        const ConstId label = fact(tree_.child(c, 0)).value;
        if (!label) return m_.unsupported(c, "a label that is not constant");
        groups.back().labels.labels.push_back(label);
      }
    } else if (!groups.empty()) {
      groups.back().statements.push_back(c);
    }
  }
  // Variables of the block are seen by all groups: regions do not see each other.
  if (groups.size() > 1) {
    for (NodeId c : children) {
      if (!tree_.is(c, NodeKind::var_decl)) continue;
      NodeList declarators;
      for (NodeId d : tree_.children(c, declarators)) {
        if (!tree_.is(d, NodeKind::declarator)) continue;
        const VarId id = facts_.variable_of(d);
        if (!id) continue;
        const Variable& v = facts_.variables[id];
        if (v.kind != VarKind::local && v.kind != VarKind::const_variable) continue;
        at(d);
        locals_[id.value] = b_.var(ir(v.type), {}, v.name);
        local_is_value_[id.value] = false;
      }
    }
  }
  targets_.push_back({.is_loop = false, .left = false});
  ir::SwitchInfo info;
  std::vector<ir::RegionId> regions;
  for (size_t g = 0; g < groups.size(); ++g) {
    regions.push_back(b_.open_region());
    for (NodeId s : groups[g].statements) {
      if (b_.terminated()) break;
      statement(s);
    }
    at(n);
    if (!b_.terminated()) {
      const bool last = g + 1 == groups.size();
      b_.terminator(last ? Op::yield : Op::fallthrough);
      if (last) targets_.back().left = true;
    }
    b_.close_region();
    info.cases.push_back(groups[g].labels);
  }
  at(n);
  if (!has_default) {
    regions.push_back(b_.open_region());
    b_.yield();
    b_.close_region();
    info.cases.push_back({.labels = {}, .is_default = true});
    targets_.back().left = true;
  }
  const bool left = targets_.back().left;
  targets_.pop_back();
  const auto payload = static_cast<uint32_t>(b_.module().switches.size());
  b_.module().switches.push_back(std::move(info));
  b_.emit_full(Op::switch_, {}, std::span<const ValueId>(&selector, 1), regions, payload);
  if (!left) b_.terminator(Op::unreachable);
}

}  // namespace carry::lower

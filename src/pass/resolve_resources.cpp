/// HLSL objects as values: functions that take or give handles or buffers are inlined, structs that hold them are split, and
/// their variables take the value stored last, so that each use names its global. What is not known then is an error.
///   before  %v = var texture_2d<f32>   store %v, %t   %u = load %v   %x = sample<vec4<f32>> %u, %s, %c
///   after   %x = sample<vec4<f32>> %t, %s, %c
#include <algorithm>

#include "pass/forward_stores.h"
#include "pass/inline_functions.h"
#include "pass/pass.h"

namespace carry::pass {

namespace {

using ir::Inst;
using ir::ValueId;

/// A handle, a pointer to a resource, or something that holds one.
bool holds_resource(const TypeTable& types, TypeId id, uint32_t depth = 0) {
  if (!id || depth > 32) return false;
  const Type& t = types[id];
  if (t.kind == TypeKind::pointer) return t.space != Space::function && t.space != Space::physical;
  if (types.is_handle(id)) return t.kind != TypeKind::ray_query;
  if (t.kind == TypeKind::array) return holds_resource(types, t.element, depth + 1);
  if (t.kind != TypeKind::struct_) return false;
  for (const Member& member : types.struct_decl(id).members) {
    if (holds_resource(types, member.type, depth + 1)) return true;
  }
  return false;
}

bool names_resource_global(const ir::Module& m, ir::RegionId region);

bool takes_resource(const ir::Module& m, const ir::Function& f) {
  if (names_resource_global(m, f.body)) return true;
  if (f.result != TypeId::void_ && holds_resource(m.types(), f.result)) return true;
  for (const ir::Param& p : f.params) {
    const TypeId t = f.value_types[p.value.index()];
    if (m.types().is_handle(t)) continue;  // a plain handle by value is fine
    const bool reference = p.mode != ir::ParamMode::value;
    if (holds_resource(m.types(), reference ? m.types()[t].element : t)) return true;
  }
  return false;
}

bool is_resource_global(const ir::Module& m, ValueId v) {
  if (!v.is_global()) return false;
  const ir::Global& g = m.globals[v.global_id()];
  return g.kind == ir::GlobalKind::variable && g.space == Space::private_ && holds_resource(m.types(), g.value_type);
}

bool names_resource_global(const ir::Module& m, ir::RegionId region) {
  for (ir::InstId id : m.regions[region].insts) {
    const Inst& in = m.insts[id];
    for (ValueId v : m.operands(in)) {
      if (is_resource_global(m, v)) return true;
    }
    for (ir::RegionId r : m.inst_regions(in)) {
      if (names_resource_global(m, r)) return true;
    }
  }
  return false;
}

/// Private globals that hold resources become variables of the entry, in which all their uses are by now.
class GlobalsToVars : public ir::Rewriter {
 public:
  using Rewriter::Rewriter;

 protected:
  bool wants(ir::FunctionId id) override { return names_resource_global(m(), m().functions[id].body); }
  void begin_body() override {
    vars_.clear();
    for (ir::GlobalId id : m().global_order) {
      if (!is_resource_global(m(), ValueId::global(id))) continue;
      const ir::Global g = m().globals[id];
      vars_[id.value] = b().var(g.value_type, g.init, g.name);
    }
  }
  bool visit(const Inst& inst) override {
    std::vector<ValueId> operands = mapped_operands(inst);
    bool any = false;
    for (ValueId& v : operands) {
      if (!is_resource_global(m(), v)) continue;
      v = vars_[v.global_id().value];
      any = true;
    }
    if (any && inst.op == Op::at) {
      replace(inst, 0, b().at(operands[0], std::span<const ValueId>(operands).subspan(1), inst.flags));
    } else if (any) {
      keep_with(inst, operands);
    }
    return any;
  }

 private:
  std::unordered_map<uint32_t, ValueId> vars_;
};

/// Variables of structs with resources become one variable a member.
class SplitVars : public ir::Rewriter {
 public:
  using Rewriter::Rewriter;

 protected:
  bool wants(ir::FunctionId) override {
    members_.clear();
    parts_.clear();
    return true;
  }

  bool visit(const Inst& inst) override {
    switch (inst.op) {
      case Op::var: return var(inst);
      case Op::at: return at(inst);
      case Op::load: return load(inst);
      case Op::store: return store(inst);
      case Op::make: return make(inst);
      case Op::elem: return elem(inst);
      case Op::with: return with(inst);
      default: return false;
    }
  }

 private:
  bool splits(TypeId t) { return types().kind(t) == TypeKind::struct_ && holds_resource(types(), t); }

  bool var(const Inst& inst) {
    const TypeId type = types()[result_type(inst)].element;
    if (!splits(type)) return false;
    std::vector<ValueId> vars;
    const std::vector<ValueId> init = inst.operands.count == 0 ? std::vector<ValueId>{} : parts_of(m().operand(inst, 0));
    for (uint32_t i = 0; i < types().part_count(type); ++i) {
      const Member member = types().struct_decl(type).members[i];
      vars.push_back(b().var(member.type, i < init.size() ? init[i] : ValueId::none(), member.name));
    }
    members_[inst.first_result.value] = std::move(vars);
    return true;
  }

  bool at(const Inst& inst) {
    const auto found = members_.find(m().operand(inst, 0).value);
    if (!m().operand(inst, 0).is_local() || found == members_.end()) return false;
    const std::vector<ValueId> steps = mapped_operands(inst);
    const ValueId member = found->second[types().constant(steps[1].const_id()).bits];
    if (steps.size() == 2) {
      replace(inst, 0, member);
    } else {
      replace(inst, 0, b().at(member, std::span<const ValueId>(steps).subspan(2)));
    }
    return true;
  }

  bool load(const Inst& inst) {
    const auto found = members_.find(m().operand(inst, 0).value);
    if (!m().operand(inst, 0).is_local() || found == members_.end()) return false;
    std::vector<ValueId> values;
    for (ValueId v : found->second) values.push_back(b().load(v));
    parts_[inst.first_result.value] = std::move(values);
    return true;
  }

  /// Members of a struct value with resources; empty when they are not known.
  std::vector<ValueId> parts_of(ValueId old) {
    const auto found = parts_.find(old.value);
    return old.is_local() && found != parts_.end() ? found->second : std::vector<ValueId>{};
  }

  bool store(const Inst& inst) {
    const auto found = members_.find(m().operand(inst, 0).value);
    if (!m().operand(inst, 0).is_local() || found == members_.end()) return false;
    const std::vector<ValueId> values = parts_of(m().operand(inst, 1));
    for (size_t i = 0; i < values.size(); ++i) b().store(found->second[i], values[i]);
    return true;
  }

  bool make(const Inst& inst) {
    if (!splits(result_type(inst))) return false;
    parts_[inst.first_result.value] = mapped_operands(inst);
    return true;
  }

  bool elem(const Inst& inst) {
    const std::vector<ValueId> parts = parts_of(m().operand(inst, 0));
    if (parts.empty()) return false;
    const std::vector<ValueId> steps = mapped_operands_after_first(inst);
    const ValueId part = parts[types().constant(steps[0].const_id()).bits];
    if (steps.size() == 1) {
      replace(inst, 0, part);
      return true;
    }
    std::vector<ValueId> operands{part};
    operands.insert(operands.end(), steps.begin() + 1, steps.end());
    replace(inst, 0, b().emit(Op::elem, result_type(inst), operands));
    return true;
  }

  bool with(const Inst& inst) {
    std::vector<ValueId> parts = parts_of(m().operand(inst, 0));
    if (parts.empty() || inst.operands.count != 3) return false;
    const std::vector<ValueId> rest = mapped_operands_after_first(inst);
    parts[types().constant(rest[0].const_id()).bits] = rest[1];
    parts_[inst.first_result.value] = std::move(parts);
    return true;
  }

  std::vector<ValueId> mapped_operands_after_first(const Inst& inst) {
    std::vector<ValueId> values;
    for (uint32_t i = 1; i < inst.operands.count; ++i) values.push_back(operand(inst, i));
    return values;
  }

  std::unordered_map<uint32_t, std::vector<ValueId>> members_;  // old variable -> new variables
  std::unordered_map<uint32_t, std::vector<ValueId>> parts_;    // old struct value -> new members
};

/// A variable or value of a struct with resources is left.
bool splits_remain(const ir::Module& m) {
  for (ir::FunctionId id : m.function_order) {
    if (m.functions[id].dead) continue;
    for (TypeId t : m.functions[id].value_types) {
      const bool pointer = m.types().is_pointer(t) && m.types()[t].space == Space::function;
      const TypeId of = pointer ? m.types()[t].element : t;
      if (m.types().kind(of) == TypeKind::struct_ && holds_resource(m.types(), of)) return true;
    }
  }
  return false;
}

class ForwardResources : public ForwardStores {
 public:
  explicit ForwardResources(PassContext& context) : ForwardStores(context.module), context_(context) {}

 protected:
  bool considers(TypeId t) override { return holds_resource(types(), t); }
  bool unknown_load(const Inst& inst) override {
    if (!context_.failed) context_.error(inst.loc, diag::resource_not_resolved);
    return false;
  }

 private:
  PassContext& context_;
};

/// Drops variables of resources that only stores use.
class DropVars : public ir::Rewriter {
 public:
  using Rewriter::Rewriter;

 protected:
  bool wants(ir::FunctionId id) override {
    read_.assign(m().functions[id].value_types.size(), false);
    find_reads(m().functions[id].body);
    dropped_.clear();
    return true;
  }
  bool visit(const Inst& inst) override {
    if (inst.op == Op::var && holds_resource(types(), types()[result_type(inst)].element) &&
        !read_[inst.first_result.index()]) {
      dropped_.push_back(inst.first_result);
      return true;
    }
    return inst.op == Op::store && std::find(dropped_.begin(), dropped_.end(), m().operand(inst, 0)) != dropped_.end();
  }

 private:
  void find_reads(ir::RegionId region) {
    for (ir::InstId id : m().regions[region].insts) {
      const Inst& in = m().insts[id];
      for (uint32_t i = 0; i < in.operands.count; ++i) {
        const ValueId v = m().operand(in, i);
        if (v.is_local() && !(in.op == Op::store && i == 0)) read_[v.index()] = true;
      }
      for (ir::RegionId r : m().inst_regions(in)) find_reads(r);
    }
  }
  std::vector<bool> read_;
  std::vector<ValueId> dropped_;
};

}  // namespace

void resolve_resources(PassContext& context) {
  InlineChoice choice;
  choice.callee = takes_resource;
  inline_calls(context.module, choice);
  GlobalsToVars(context.module).run();
  ir::Module& m = context.module;
  const auto gone = [&](ir::GlobalId id) { return is_resource_global(m, ValueId::global(id)); };
  for (ir::GlobalId id : m.global_order) {
    if (gone(id)) m.dead_globals.push_back(id);
  }
  m.global_order.erase(std::remove_if(m.global_order.begin(), m.global_order.end(), gone), m.global_order.end());
  // Structs inside of structs: a level each time.
  for (uint32_t depth = 0; depth < 64 && splits_remain(m); ++depth) SplitVars(m).run();
  ForwardResources(context).run();
  if (!context.failed) DropVars(context.module).run();
}

}  // namespace carry::pass

/// Arrays outside workgroup memory cannot be sized by a specialization constant in MSL and WGSL: such a constant keeps its
/// default value everywhere, with a warning.
///   before  override %n: u32 @id(3) = 4u   ... %a = var array<f32, %n>   %m = add %n, 1u
///   after                                  ... %a = var array<f32, 4>    %m = add 4u, 1u
#include <algorithm>
#include <string>
#include <unordered_set>

#include "ops/fold.h"
#include "pass/retype_values.h"

namespace carry::pass {

void fold_constants(PassContext& context);

namespace {

using ir::GlobalId;
using ir::GlobalKind;
using ir::Inst;
using ir::InstId;
using ir::ValueId;

constexpr uint32_t kUnset = Id<TypeId>::kNone;

class FoldOverrides : public RetypeValues {
 public:
  using RetypeValues::RetypeValues;

  void fold_all() {
    find_arrays();
    if (context_.failed || known_.empty()) return;
    for (InstId id : m().module_insts) {
      for (ValueId& v : m().operands(m().insts[id])) v = global_value(v);
    }
    for (ir::FunctionId id : m().function_order) {
      for (ValueId& v : m().functions[id].entry.workgroup_size) v = global_value(v);
    }
    const auto is_known = [this](ValueId v) { return known_.count(v.global_id().value) != 0; };
    std::vector<InstId>& insts = m().module_insts;
    insts.erase(std::remove_if(insts.begin(), insts.end(), [&](InstId i) { return is_known(m().insts[i].first_result); }),
                insts.end());
    std::vector<GlobalId>& order = m().global_order;
    for (GlobalId id : order) {
      if (is_known(ValueId::global(id))) m().dead_globals.push_back(id);
    }
    order.erase(std::remove_if(order.begin(), order.end(), [&](GlobalId g) { return is_known(ValueId::global(g)); }),
                order.end());
    run_all();
    fold_constants(context_);  // what is known now may be a constant index past the end, which writers must see
  }

 protected:
  uint32_t override_count(uint32_t raw) override {
    const ValueId v = global_value(ValueId(raw));
    return v.is_constant() ? static_cast<uint32_t>(bits_of(v)) : 0;
  }
  ValueId global_value(ValueId v) override {
    if (!v || !v.is_global()) return v;
    const auto found = known_.find(v.global_id().value);
    return found == known_.end() ? v : ValueId::constant(found->second);
  }

 private:
  uint64_t bits_of(ValueId v) { return types().constant(v.const_id()).bits; }

  void find_arrays() {
    for (GlobalId id : std::vector<GlobalId>(m().global_order)) {
      const ir::Global g = m().globals[id];
      if (g.kind != GlobalKind::variable) continue;
      laid_out_ = static_cast<bool>(g.layout);
      loc_ = g.loc;
      const Type t = types()[g.value_type];
      const bool stays = g.space == Space::workgroup && t.kind == TypeKind::array &&
                         !context_.config.lacks.has(ir::Feature::override_shared_array);
      find_in(stays ? t.element : g.value_type);
    }
    laid_out_ = false;
    for (ir::FunctionId id : m().function_order) {
      const ir::Function& f = m().functions[id];
      loc_ = f.loc;
      find_in(f.result);
      for (size_t i = 0; i < f.value_types.size(); ++i) find_in(m().functions[id].value_types[i]);
    }
  }

  void find_in(TypeId id) {
    if (!id || !seen_.insert(id.value).second) return;
    const Type t = types()[id];
    if (t.kind == TypeKind::struct_) {
      for (size_t i = 0; i < types().struct_decl(id).members.size(); ++i) find_in(types().struct_decl(id).members[i].type);
    }
    if (t.kind == TypeKind::pointer && !t.layout) find_in(t.element);
    if (t.kind != TypeKind::array) return;
    find_in(t.element);
    if (t.count_override == kUnset) return;
    if (laid_out_) {
      context_.error(loc_, diag::not_supported_yet, "an array in a buffer sized by a specialization constant");
      return;
    }
    fold(ValueId(t.count_override));
  }

  /// The size of a workgroup has an id alone.
  std::string known_as(const ir::Global& g) {
    const std::string_view name = m().names().text(g.name);
    return name.empty() ? "constant_id = " + std::to_string(g.override_id) : std::string(name);
  }

  /// The default value of an override, or what module-level instructions compute from defaults.
  ValueId fold(ValueId v) {
    if (!v.is_global()) return v;
    const GlobalId id = v.global_id();
    if (const auto found = known_.find(id.value); found != known_.end()) return ValueId::constant(found->second);
    const ir::Global& g = m().globals[id];
    ConstId value = types().zero(g.type);
    if (g.kind == GlobalKind::override_) {
      if (g.init.is_constant()) value = g.init.const_id();
      if (g.override_id != kUnset) context_.note(g.loc, diag::override_fixed, known_as(g), context_.config.target);
    } else {
      value = computed(id, g.loc);
    }
    known_[id.value] = value;
    return ValueId::constant(value);
  }

  ConstId computed(GlobalId id, ir::LocId loc) {
    const TypeId type = m().globals[id].type;
    for (InstId i : std::vector<InstId>(m().module_insts)) {
      const Inst inst = m().insts[i];
      if (inst.result_count != 1 || !(inst.first_result == ValueId::global(id))) continue;
      std::vector<ConstId> operands;
      for (uint32_t o = 0; o < inst.operands.count; ++o) operands.push_back(fold(m().operand(inst, o)).const_id());
      if (const ConstId value = carry::fold(types(), inst.op, type, operands, inst.payload)) return value;
      break;
    }
    if (!context_.failed) context_.error(loc, diag::not_supported_yet, "this size of an array, from specialization constants");
    return types().constant_bits(TypeId::u32, 1);
  }

  std::unordered_map<uint32_t, ConstId> known_;  // by global
  std::unordered_set<uint32_t> seen_;
  bool laid_out_ = false;
  ir::LocId loc_;
};

}  // namespace

void fold_overrides(PassContext& context) { FoldOverrides(context).fold_all(); }

}  // namespace carry::pass

/// A dynamic index into an array or matrix value needs memory in every target: the value sits in a variable (a constant in a
/// constant private global, made once), from which the element is loaded.
///   before  %e = elem %table, %i
///   after   %v = var array<f32, 4> = %table   %p = at %v, %i   %e = load %p
#include <unordered_map>

#include "ir/rewriter.h"
#include "pass/pass.h"

namespace carry::pass {

namespace {

using ir::Inst;
using ir::ValueId;

class DynamicElem : public ir::Rewriter {
 public:
  DynamicElem(ir::Module& module, bool globals) : Rewriter(module), globals_(globals) {}

 protected:
  bool visit(const Inst& inst) override {
    if (inst.op != Op::elem && inst.op != Op::with) return false;
    const std::vector<ValueId> operands = mapped_operands(inst);
    const size_t end = inst.op == Op::with ? operands.size() - 1 : operands.size();
    if (!dynamic(operands, end)) return false;
    const std::vector<ValueId> steps(operands.begin() + 1, operands.begin() + static_cast<std::ptrdiff_t>(end));
    const ValueId variable = inst.op == Op::elem ? memory(operands[0]) : b().var(type_of(operands[0]), operands[0]);
    const ValueId place = b().at(variable, steps);
    if (inst.op == Op::elem) {
      replace(inst, 0, b().load(place));
    } else {
      b().store(place, operands.back());
      replace(inst, 0, b().load(variable));
    }
    return true;
  }

 private:
  /// A step other than into a vector is no constant. Handles are selected in place.
  bool dynamic(const std::vector<ValueId>& operands, size_t end) {
    TypeId t = type_of(operands[0]);
    for (size_t i = 1; i < end && t; ++i) {
      if (!operands[i].is_constant() && !types().is_vector(t) && types().kind(t) != TypeKind::bindings) return true;
      t = types().part(t, operands[i].is_constant() ? static_cast<uint32_t>(types().constant(operands[i].const_id()).bits) : 0);
    }
    return false;
  }

  ValueId memory(ValueId value) {
    if (!value.is_constant() || !globals_) return b().var(type_of(value), value);
    const auto found = tables_.find(value.value);
    if (found != tables_.end()) return found->second;
    ir::Global g;
    g.space = Space::private_;
    g.access = Access::read;
    g.value_type = type_of(value);
    g.name = m().names().intern("table");
    g.loc = b().loc();
    g.init = value;
    const ValueId v = ValueId::global(m().add_global(std::move(g)));
    tables_.emplace(value.value, v);
    return v;
  }

  bool globals_;
  std::unordered_map<uint32_t, ValueId> tables_;  // constant -> global
};

}  // namespace

void dynamic_elem(PassContext& context) {
  // Where private globals are lacking a table would be copied into each function anyway.
  DynamicElem(context.module, !context.config.lacks.has(ir::Feature::private_global)).run();
}

}  // namespace carry::pass

// Base of passes that give values other types everywhere: parameters, results, variables, members, constants. A pass says what
// becomes of scalars and vectors, and of the instructions that compute on them; all others follow by shape.
#pragma once

#include <unordered_map>
#include <vector>

#include "ir/rewriter.h"
#include "pass/pass.h"

namespace carry::pass {

class RetypeValues : public ir::Rewriter {
 public:
  explicit RetypeValues(PassContext& context) : Rewriter(context.module), context_(context) {}

  /// Globals without a layout, results of functions, then every body.
  void run_all();

 protected:
  /// New type of a scalar or vector; the same when it stays.
  virtual TypeId plain_type(TypeId type) { return type; }
  /// New length of an array sized by an override: a count, or 0 when it stays.
  virtual uint32_t override_count(uint32_t) { return 0; }
  /// New constant for a scalar constant whose type changes.
  virtual ConstId plain_constant(ConstId id) { return id; }
  /// New value for a global that is an operand.
  virtual ir::ValueId global_value(ir::ValueId global) { return global; }
  /// First look at an instruction; true when handled.
  virtual bool compute(const ir::Inst&) { return false; }

  [[nodiscard]] TypeId mapped(TypeId type);
  [[nodiscard]] ConstId mapped_constant(ConstId id);
  [[nodiscard]] ir::ValueId value(ir::ValueId old);
  [[nodiscard]] ir::ValueId value(const ir::Inst& inst, uint32_t i) { return value(m().operand(inst, i)); }
  [[nodiscard]] std::vector<ir::ValueId> values(const ir::Inst& inst);
  /// Emits the instruction with new operands and result types.
  ir::InstId keep_mapped(const ir::Inst& inst);

  void make_params() override;
  bool visit(const ir::Inst& inst) override;

  PassContext& context_;

 private:
  TypeId map_struct(TypeId type);
  uint32_t map_switch(const ir::Inst& inst);
  void retype_global(ir::Global& g);

  std::unordered_map<uint32_t, TypeId> types_seen_;
};

}  // namespace carry::pass

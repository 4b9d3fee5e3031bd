// Rewriter: the way passes change a function (architecture 3). The body is walked once and emitted anew through a Builder;
// `visit` keeps, replaces or drops each instruction. Nothing is inserted behind an iterator's back; values of the old body are
// found in the new one through one remap table. Names and locations go along.
//
//   struct Pass : Rewriter {
//     bool visit(const Inst& inst) override {
//       if (inst.op != Op::uadd_carry) return false;              // kept: operands mapped, regions rewritten
//       const ValueId sum = b().binary(Op::add, operand(inst, 0), operand(inst, 1));
//       replace(inst, 0, sum);                                    // later uses see it
//       replace(inst, 1, b().binary(Op::ult, sum, operand(inst, 0)));
//       return true;
//     }
//   };
#pragma once

#include <vector>

#include "ir/builder.h"
#include "ir/module.h"

namespace carry::ir {

class Rewriter {
 public:
  explicit Rewriter(Module& module) : m_(module) {}
  virtual ~Rewriter() = default;
  Rewriter(const Rewriter&) = delete;
  Rewriter& operator=(const Rewriter&) = delete;

  /// All live functions, callees first.
  void run();
  void run_function(FunctionId id);

 protected:
  /// True: handled, nothing more happens. False: the instruction is kept. `inst` belongs to the old body.
  virtual bool visit(const Inst& inst) = 0;
  /// Before the body: the new function has no values yet. The default makes the same parameters.
  virtual void make_params();
  /// Right after the body's region is open.
  virtual void begin_body() {}
  /// Before a function is rewritten; false leaves it as it is.
  virtual bool wants(FunctionId) { return true; }

  [[nodiscard]] Module& m() { return m_; }
  [[nodiscard]] TypeTable& types() { return m_.types(); }
  [[nodiscard]] Builder& b() { return *builder_; }
  [[nodiscard]] const Function& old_function() const { return old_; }
  [[nodiscard]] Function& new_function() { return m_.functions[function_]; }
  [[nodiscard]] FunctionId function_id() const { return function_; }

  // ---- old values ----
  [[nodiscard]] TypeId old_type(ValueId v) const { return m_.type_of(old_, v); }
  [[nodiscard]] TypeId result_type(const Inst& inst, uint32_t i = 0) const {
    return old_type(ValueId(inst.first_result.value + i));
  }
  /// The new value for an old one; constants and globals are themselves.
  [[nodiscard]] ValueId map(ValueId old) const;
  [[nodiscard]] ValueId operand(const Inst& inst, uint32_t i) const { return map(m_.operand(inst, i)); }
  [[nodiscard]] std::vector<ValueId> mapped_operands(const Inst& inst) const;
  /// Type of a new value.
  [[nodiscard]] TypeId type_of(ValueId v) { return b().type_of(v); }

  // ---- answers of visit ----
  void replace(ValueId old, ValueId with);
  void replace(const Inst& inst, uint32_t result, ValueId with) { replace(ValueId(inst.first_result.value + result), with); }
  /// Emits the instruction with mapped operands (or those given) and rewritten regions, results mapped.
  InstId keep(const Inst& inst);
  InstId keep_with(const Inst& inst, std::span<const ValueId> operands);
  /// Emits it with other regions, already closed ones.
  InstId keep_with(const Inst& inst, std::span<const ValueId> operands, std::span<const RegionId> regions);
  /// A new region with the same parameters, rewritten contents.
  RegionId rewrite_region(RegionId old);
  /// The contents of an old region, into the open region. Its parameters must be mapped. Stops after a terminator.
  void rewrite_insts(RegionId old);
  /// The same from an instruction on.
  void rewrite_insts(RegionId old, size_t first);
  /// Region and position of the instruction being visited.
  [[nodiscard]] RegionId old_region() const { return old_region_; }
  [[nodiscard]] size_t old_position() const { return old_position_; }
  void carry_names(const Inst& inst, InstId to);

 private:
  Module& m_;
  Builder* builder_ = nullptr;
  FunctionId function_;
  Function old_;
  std::vector<ValueId> map_;
  RegionId old_region_;
  size_t old_position_ = 0;
};

/// Emits the callee's body at the builder's place with `args` for its parameters; the callee must have a single `return`, at
/// the end of its body. Gives the returned value, or none.
ValueId inline_call(Builder& builder, FunctionId callee, std::span<const ValueId> args, LocId call_loc);
/// True when `inline_call` can take the function.
[[nodiscard]] bool has_single_return(const Module& module, const Function& function);
/// A copy of a function under the same name, placed right after it in the order.
FunctionId clone_function(Module& module, FunctionId function);

}  // namespace carry::ir

// Inner workings of `verify`. Used by verify*.cpp only.
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "ir/verify.h"

namespace carry::ir {

class Verifier {
 public:
  Verifier(const Module& module, size_t limit) : m_(module), limit_(limit) {}
  std::vector<VerifyError> run();

 private:
  /// An open region seen from inside.
  struct Frame {
    enum class Kind : uint8_t { function, branch, case_, body, continuing } kind = Kind::function;
    const Inst* inst = nullptr;  // if, switch, loop
    bool last_case = false;
  };

  // verify.cpp
  [[gnu::cold]] void error(uint8_t rule, std::string message);
  [[nodiscard]] bool full() const { return errors_.size() >= limit_; }
  void types();
  void type(TypeId id);
  void globals();
  void global(GlobalId id);
  void init(const Global& g);
  void builtin(const Global& g);
  void layout(LayoutId id, TypeId type, uint32_t depth);
  void layout_struct(LayoutId id, TypeId type, uint32_t depth);
  [[nodiscard]] bool valid_type(TypeId id) const { return id && id.value < m_.types().size(); }

  // verify_function.cpp
  void module_insts();
  void function(FunctionId id);
  void entry(const Function& f);
  void region(RegionId id, const Frame& frame, bool keep_params);
  void undefine_from(size_t mark);
  void define(ValueId v);
  bool inst(InstId id, bool last);
  bool operands(const Inst& in);
  void results(const Inst& in);
  void control(const Inst& in);
  void switch_cases(const Inst& in);
  void terminator(const Inst& in);
  void values_match(const Inst& in, std::span<const ValueId> values, uint32_t count, ValueId first, const char* what);
  [[nodiscard]] const Frame* target(Op op) const;
  [[nodiscard]] bool in_continuing() const;
  [[nodiscard]] bool visible(ValueId v) const;

  // verify_ops.cpp
  void op(const Inst& in);
  void arithmetic(const Inst& in);
  void shift(const Inst& in);
  void conversion(const Inst& in);
  void memory(const Inst& in);
  void store_allowed(TypeId pointer);
  void call(const Inst& in);
  void composite(const Inst& in);
  void pointer_positions(const Inst& in);
  [[nodiscard]] TypeId type_of(ValueId v) const;
  [[nodiscard]] TypeId operand_type(const Inst& in, uint32_t i) const { return type_of(m_.operand(in, i)); }
  void want(bool ok, uint8_t rule, const char* message);

  const Module& m_;
  size_t limit_;
  std::vector<VerifyError> errors_;
  FunctionId function_;
  const Function* f_ = nullptr;
  InstId inst_;
  std::vector<bool> seen_inst_;
  std::vector<bool> seen_region_;
  std::vector<bool> function_done_;
  std::vector<bool> global_done_;
  std::vector<uint8_t> local_state_;  // 0 not yet, 1 visible, 2 gone
  std::vector<ValueId> visible_;      // stack of visible locals
  std::vector<Frame> frames_;
  std::unordered_set<uint64_t> layouts_done_;
};

}  // namespace carry::ir

// Builder: appends instructions to the innermost open region of one function. It does not fold or check (the verifier does).
// A region's list is copied once, when the region closes.
#pragma once

#include <initializer_list>
#include <span>
#include <vector>

#include "ir/module.h"

namespace carry::ir {

/// Deepest nesting of regions that lowering makes, the regions of callees included: passes may add to it (kMaxRegionDepth).
inline constexpr uint32_t kMaxSourceDepth = 256;

class Builder {
 public:
  Builder(Module& module, FunctionId function) : module_(module), function_(function) {}

  Module& module() { return module_; }
  Function& function() { return module_.functions[function_]; }
  [[nodiscard]] FunctionId function_id() const { return function_; }

  // ---- where ----
  void set_loc(LocId loc) { loc_ = loc; }
  [[nodiscard]] LocId loc() const { return loc_; }

  /// Opens a region; its parameters become locals. Instructions go there until `close_region`.
  RegionId open_region(std::span<const TypeId> param_types = {});
  /// Opens an existing, so far empty region id (Rewriter).
  void open_existing(RegionId region);
  RegionId close_region();
  [[nodiscard]] bool has_open_region() const { return !stack_.empty(); }
  [[nodiscard]] uint32_t depth() const { return static_cast<uint32_t>(stack_.size()); }
  [[nodiscard]] RegionId current_region() const { return stack_.back().id; }
  /// Parameter i of an open or closed region.
  [[nodiscard]] ValueId region_param(RegionId region, uint32_t i) const {
    return ValueId(module_.regions[region].first_param.value + i);
  }
  /// True when the current region's last instruction is a terminator.
  [[nodiscard]] bool terminated() const;

  // ---- values ----
  ValueId new_local(TypeId type, NameId name = {});
  void set_name(ValueId local, NameId name) { function().value_names[local.index()] = name; }
  [[nodiscard]] TypeId type_of(ValueId v) { return module_.type_of(function(), v); }

  /// One result of `type` (void_: none). Returns the result, or none.
  ValueId emit(Op op, TypeId type, std::span<const ValueId> operands, uint32_t payload = 0, uint8_t flags = 0);
  ValueId emit(Op op, TypeId type, std::initializer_list<ValueId> operands, uint32_t payload = 0, uint8_t flags = 0) {
    return emit(op, type, std::span<const ValueId>(operands.begin(), operands.size()), payload, flags);
  }
  /// Several results and regions. Returns the instruction; results are module().result(inst, i).
  InstId emit_full(Op op, std::span<const TypeId> result_types, std::span<const ValueId> operands,
                   std::span<const RegionId> regions = {}, uint32_t payload = 0, uint8_t flags = 0);
  /// Appends an existing instruction (Rewriter).
  void append(InstId inst) { stack_.back().insts.push_back(inst); }

  // ---- short forms; result types are derived ----
  ValueId constant(ConstId id) { return ValueId::constant(id); }
  ValueId const_u32(uint32_t v) { return ValueId::constant(module_.types().constant_u32(v)); }
  ValueId const_i32(int32_t v) { return ValueId::constant(module_.types().constant_i32(v)); }
  ValueId const_f32(float v) { return ValueId::constant(module_.types().constant_f32(v)); }
  ValueId const_bool(bool v) { return ValueId::constant(module_.types().constant_bool(v)); }
  ValueId zero(TypeId type) { return ValueId::constant(module_.types().zero(type)); }

  ValueId var(TypeId type, ValueId init = {}, NameId name = {});
  ValueId load(ValueId pointer, uint8_t flags = 0);
  void store(ValueId pointer, ValueId value, uint8_t flags = 0);
  /// Derives the pointer type (space, access, layout) step by step; struct steps must be constants.
  ValueId at(ValueId pointer, std::span<const ValueId> steps, uint8_t flags = 0);
  ValueId at(ValueId pointer, std::initializer_list<ValueId> steps, uint8_t flags = 0) {
    return at(pointer, std::span<const ValueId>(steps.begin(), steps.size()), flags);
  }
  ValueId elem(ValueId value, uint32_t index);
  ValueId elem_dynamic(ValueId vector, ValueId index);
  ValueId with(ValueId value, uint32_t index, ValueId part);
  ValueId make(TypeId type, std::span<const ValueId> parts);
  ValueId shuffle(ValueId a, ValueId b, std::span<const uint32_t> components);
  ValueId unary(Op op, ValueId x, uint8_t flags = 0) { return emit(op, result_by_rule(op, type_of(x)), {x}, 0, flags); }
  ValueId binary(Op op, ValueId a, ValueId b, uint32_t payload = 0, uint8_t flags = 0) {
    return emit(op, result_by_rule(op, type_of(a)), {a, b}, payload, flags);
  }
  ValueId select(ValueId condition, ValueId if_true, ValueId if_false) {
    return emit(Op::select, type_of(if_true), {condition, if_true, if_false});
  }
  ValueId convert(Op op, TypeId to, ValueId x, uint32_t payload = 0) { return emit(op, to, {x}, payload); }
  void terminator(Op op, std::span<const ValueId> values = {}) { emit(op, TypeId::void_, values); }
  void yield(std::initializer_list<ValueId> values = {}) { emit(Op::yield, TypeId::void_, values); }

  /// same0 and bool0 rules.
  TypeId result_by_rule(Op op, TypeId operand0);
  /// Type and layout of one step from `pointer`; `index` matters for structs only.
  TypeId step_pointer(TypeId pointer, uint32_t index);

 private:
  struct Open {
    RegionId id;
    std::vector<InstId> insts;
  };
  Module& module_;
  FunctionId function_;
  LocId loc_;
  std::vector<Open> stack_;
};

/// A new function with its value parameters as locals; the body region is not yet made.
FunctionId add_function(Module& module, NameId name, TypeId result);
ValueId add_param(Module& module, FunctionId function, TypeId type, ParamMode mode, NameId name);

}  // namespace carry::ir

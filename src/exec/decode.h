// Decoder: ir::Module to Program, once per run. Resolves every operand to a row, constants to rows filled in advance, constant
// steps of pointers to fixed offsets, and picks the loops. Functions do not recurse, so each has one fixed frame.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "exec/machine.h"

namespace carry::exec {

/// Values of overrides and of module-level results, flattened to leaves.
struct ModuleValues {
  std::vector<std::vector<uint64_t>> by_global;
};

/// What the decoder binds resources to.
struct Bound {
  std::vector<Object> objects{Object{}};
  std::vector<uint32_t> slots{0};         // see Machine::object_slots
  std::deque<std::vector<uint8_t>> made;  // bytes of objects that are no resource of the caller
};

class Decoder {
 public:
  Decoder(const ir::Module& module, const ExecOptions& options, uint32_t stride, const ModuleValues& values,
          Resources& resources, Program& program, Bound& bound);

  /// False: see fault().
  bool decode_entry(ir::FunctionId entry);
  /// Straight-line code of the module-level instructions as function 0 of the program; `result_row` answers where.
  bool decode_module_insts();
  [[nodiscard]] uint32_t global_row(ir::GlobalId global) const;
  [[nodiscard]] const Fault& fault() const { return fault_; }

  /// Row units of a value; saturates.
  [[nodiscard]] uint64_t units(TypeId type);
  /// Elements of an array type, its override applied; 0: runtime-sized.
  [[nodiscard]] uint32_t array_count(const Type& type) const;
  [[nodiscard]] bool is_wide_type(TypeId type) const;
  /// Leaves in natural order: f(unit, kind, wide).
  template <class F>
  void for_leaves(TypeId type, uint32_t unit, const F& f);

 private:
  struct Local {
    uint32_t row = kNoRow;
    uint32_t address = kNoRow;  // index into addresses_: this local is a pointer with a known shape
    ir::InstId mask;            // the `and` that made it
  };
  struct Pointer {
    Address address;
    TypeId type;  // pointee
    LayoutId layout;
  };
  enum class FrameKind : uint8_t { branch, switch_, loop, continuing };
  struct Frame {
    FrameKind kind{};
    std::vector<ir::ValueId> results;
    uint32_t merge = 0;  // loop: exit
    uint32_t go_on = 0, again = 0;
    ir::RegionId body, continuing;
    uint32_t fallthrough = kNoRow;  // mask of the next case
  };
  struct FunctionInfo {
    std::vector<uint32_t> param_rows;
    uint32_t result_row = kNoRow;
  };

  // ---- decode.cpp: set-up, values ----
  bool fail(std::string message, ir::InstId inst = {});
  uint32_t alloc(uint64_t unit_count);
  uint32_t new_mask() { return program_.masks++; }
  uint32_t constant_row(ConstId id);
  uint32_t bits_row(TypeId type, const std::vector<uint64_t>& leaves);
  void flatten(ConstId id, std::vector<uint64_t>& out);
  uint32_t row_of(ir::ValueId v);
  uint32_t define(ir::ValueId v);  // allocates the local's row
  void alias(ir::ValueId v, uint32_t row) { locals_[v.index()].row = row; }
  TypeId type_of(ir::ValueId v) const;
  ScalarKind kind_of(ir::ValueId v) const { return types_.scalar_of(type_of(v)); }
  Code& emit(Handler fn, ir::InstId inst, uint64_t cost = 1);
  void emit_fault(ir::InstId inst, std::string message);
  void fault_results(ir::InstId inst, std::string message);
  [[nodiscard]] const std::vector<Leaf>* leaf_list(TypeId type, LayoutId layout, MemMode mode);
  bool layout_leaves(TypeId type, LayoutId layout, uint64_t offset, uint32_t& unit, std::vector<Leaf>& out, int depth);
  void add_copy(Copies& copies, TypeId type, uint32_t dst, uint32_t src);
  uint32_t add_copies(const std::vector<std::pair<uint32_t, ir::ValueId>>& pairs);
  void copy_rows(ir::InstId inst, const Copies& copies);

  // ---- decode_control.cpp ----
  void decode_function(ir::FunctionId id);
  bool find_reachable(ir::FunctionId entry, std::vector<bool>& reachable);
  [[nodiscard]] bool is_resource_array(TypeId type) const;
  [[nodiscard]] ir::GlobalId resource_of(ir::FunctionId callee, size_t index) const;
  [[nodiscard]] ir::ValueId argument(ir::RegionId region, ir::FunctionId callee, size_t index) const;
  bool entry_param(ir::ValueId v, const std::vector<ir::IoAttr>& io);
  uint32_t decode_region(ir::RegionId id);
  void note_trace(ir::InstId id, const ir::Inst& inst);
  void decode_inst(ir::InstId id);
  void decode_if(ir::InstId id, const ir::Inst& inst);
  void decode_switch(ir::InstId id, const ir::Inst& inst);
  void decode_loop(ir::InstId id, const ir::Inst& inst);
  void decode_call(ir::InstId id, const ir::Inst& inst);
  void decode_terminator(ir::InstId id, const ir::Inst& inst);
  void decode_next_if(ir::InstId id, const ir::Inst& inst, const Frame& loop);
  void jump(ir::InstId id, uint32_t mask, uint32_t copies);
  Frame* frame(FrameKind kind);

  // ---- decode_values.cpp ----
  void decode_pure(ir::InstId id, const ir::Inst& inst);
  void decode_eval(ir::InstId id, const ir::Inst& inst);
  void decode_guards(ir::InstId id, const ir::Inst& inst);
  void decode_select(ir::InstId id, const ir::Inst& inst);
  void decode_elem(ir::InstId id, const ir::Inst& inst);
  void decode_with(ir::InstId id, const ir::Inst& inst);
  void decode_make(ir::InstId id, const ir::Inst& inst);
  void decode_shuffle(ir::InstId id, const ir::Inst& inst);
  void decode_bitcast(ir::InstId id, const ir::Inst& inst);
  bool decode_matrix(ir::InstId id, const ir::Inst& inst);
  void emit_eval2(ir::InstId id, Op op, ScalarKind kind, uint32_t dst, uint32_t a, uint32_t b, uint32_t n);
  void decode_lanes(ir::InstId id, const ir::Inst& inst);
  bool constant_index(ir::ValueId v, uint64_t& index) const;
  /// Unit offset and type of a constant step into a value; false if it does not fit.
  bool value_step(TypeId& type, uint64_t index, uint64_t& unit);

  // ---- decode_memory.cpp ----
  bool pointer_of(ir::ValueId v, Pointer& out, ir::InstId inst);
  bool global_pointer(ir::GlobalId id, Pointer& out);
  bool bind_buffer(ir::GlobalId id, const ir::Global& g, Pointer& out);
  bool group_memory(uint64_t words, Pointer& out);
  bool bind_sizes(ir::ValueId v, const ir::IoAttr& io);
  bool bind_handle(ir::GlobalId id, const ir::Global& g, Pointer& out);
  uint32_t find_object(const ir::Global& g, uint32_t index);
  uint32_t find_image(const ir::Global& g, uint32_t index);
  uint32_t find_sampler(const ir::Global& g, uint32_t index);
  uint32_t binding_count(const ir::Global& g, const Type& type);
  std::string resource_text(const ir::Global& g);
  void set_pointer(ir::ValueId v, const Pointer& p);
  uint32_t materialise(const Pointer& p, ir::InstId inst);
  void split_pointer(ir::ValueId v, ir::InstId inst);
  uint32_t access(const Pointer& p, ir::InstId inst);
  void decode_memory(ir::InstId id, const ir::Inst& inst);
  void decode_var(ir::InstId id, const ir::Inst& inst);
  void decode_load(ir::InstId id, const ir::Inst& inst);
  void decode_store(ir::InstId id, const ir::Inst& inst);
  void decode_at(ir::InstId id, const ir::Inst& inst);
  void decode_at_handle(ir::InstId id, const ir::Inst& inst, const Pointer& base);
  void written_address(const ir::Inst& access, AtPlan& plan);
  void decode_at_byte(ir::InstId id, const ir::Inst& inst);
  void decode_texel(ir::InstId id, const ir::Inst& inst);
  void decode_atomic(ir::InstId id, const ir::Inst& inst);
  void decode_array_length(ir::InstId id, const ir::Inst& inst);
  bool step_into(Pointer& p, uint64_t index, bool dynamic, Step& step, ir::InstId inst);

  // ---- decode_image.cpp ----
  bool sample_operands(const ir::Inst& inst, uint32_t next, ImageOp& op);
  bool image_coordinate(const ir::Inst& inst, uint32_t& next, ImageOp& op);
  bool image_value(const ir::Inst& inst, uint32_t next, ImageOp& op);
  const char* sample_limits(const ir::Inst& inst, const ImageOp& op);
  bool image_operands(const ir::Inst& inst, ImageOp& op);
  void decode_image(ir::InstId id, const ir::Inst& inst);

  const ir::Module& module_;
  const ExecOptions& options_;
  const uint32_t stride_;
  const ModuleValues& values_;
  Resources& resources_;
  Program& program_;
  Bound& bound_;
  TypeTable& types_;
  LayoutTable& layouts_;

  Fault fault_;
  bool failed_ = false;
  const ir::Function* function_ = nullptr;
  std::vector<FunctionInfo> infos_;
  ir::FunctionId function_id_;
  std::vector<Local> locals_;
  std::vector<uint32_t> module_rows_;  // by global, while module_insts are decoded
  std::vector<Pointer> addresses_;
  std::vector<Frame> frames_;
  RegionCode* region_ = nullptr;
  std::vector<uint32_t> constant_rows_;
  std::vector<uint64_t> unit_cache_;
  std::map<uint32_t, Pointer> global_pointers_;
  std::map<uint32_t, uint32_t> global_value_rows_;
  std::map<std::pair<uint64_t, uint8_t>, const std::vector<Leaf>*> leaf_cache_;
};

/// Values and vars of more scalars than this are refused.
inline constexpr uint64_t kMostLeaves = 1u << 18;

template <class F>
void Decoder::for_leaves(TypeId type, uint32_t unit, const F& f) {
  const Type t = types_[type];
  switch (t.kind) {
    case TypeKind::scalar:
    case TypeKind::atomic: f(unit, t.scalar, is_wide(t.scalar)); return;
    case TypeKind::vector:
    case TypeKind::matrix: {
      const uint32_t n = uint32_t{t.rows} * (t.kind == TypeKind::matrix ? t.columns : 1u);
      const bool wide = is_wide(t.scalar);
      for (uint32_t i = 0; i < n; ++i) f(unit + i * (wide ? 2 : 1), t.scalar, wide);
      return;
    }
    case TypeKind::array: {
      const uint32_t n = array_count(t);
      const uint32_t step = static_cast<uint32_t>(units(t.element));
      for (uint32_t i = 0; i < n && step != 0; ++i) for_leaves(t.element, unit + i * step, f);
      return;
    }
    case TypeKind::struct_: {
      const size_t n = types_.struct_decl(type).members.size();
      for (size_t i = 0; i < n; ++i) {
        const TypeId member = types_.struct_decl(type).members[i].type;
        for_leaves(member, unit, f);
        unit += static_cast<uint32_t>(units(member));
      }
      return;
    }
    case TypeKind::pointer:
    case TypeKind::combined: f(unit, ScalarKind::u64, true); return;
    case TypeKind::texture:
    case TypeKind::image:
    case TypeKind::sampler:
    case TypeKind::accel:
    case TypeKind::ray_query: f(unit, ScalarKind::u32, false); return;
    default: return;
  }
}

}  // namespace carry::exec

// Rewrites accesses to memory whose types changed: pointers follow the shape of what they point to, loads give and stores take
// the plain values of before. Passes derive from it and say which globals have a shape.
#pragma once

#include <unordered_map>
#include <vector>

#include "ir/rewriter.h"
#include "pass/memory_shape.h"

namespace carry::pass {

class MemoryRewriter : public ir::Rewriter {
 public:
  MemoryRewriter(PassContext& context, const ShapeTable::Options& options)
      : Rewriter(context.module), context_(context), shapes_(context.module, options) {}

 protected:
  /// A place in memory: a pointer to the shape's memory type, or a column of a matrix that lies by rows.
  struct Place {
    ir::ValueId pointer;
    ShapeId shape;       // none: not ours
    ir::ValueId column;  // with a matrix shape: only this column
    [[nodiscard]] explicit operator bool() const { return static_cast<bool>(shape); }
  };

  /// Gives a global its shape: changes its type. Before `run`.
  void reshape(ir::GlobalId id, ShapeId shape);
  [[nodiscard]] ShapeId shape_of(ir::GlobalId id) const {
    return id.value < global_shapes_.size() ? global_shapes_[id.value] : ShapeId{};
  }
  /// Pointer parameters whose pointee has to change; none: left alone.
  virtual ShapeId param_shape(TypeId) { return {}; }
  /// First look at an instruction; true when handled.
  virtual bool visit_other(const ir::Inst&) { return false; }
  void set_place(const ir::Inst& inst, const Place& place) {
    places_[inst.first_result.index()] = place;
    replace(inst, 0, place.pointer);
  }

  void make_params() override;
  bool visit(const ir::Inst& inst) override;

  [[nodiscard]] Place place_of(ir::ValueId old) const;
  Place step(const Place& place, ir::ValueId index, uint8_t flags);
  ir::ValueId load_place(const Place& place, uint8_t flags);
  void store_place(const Place& place, ir::ValueId value, uint8_t flags);
  void store_part(const Place& whole, uint32_t part, ir::ValueId value, uint8_t flags);

  PassContext& context_;
  ShapeTable shapes_;

 private:
  struct Steps {
    Place place;
    std::vector<ir::ValueId> path;
  };
  void add_step(Steps& s, ir::ValueId index);
  void finish(Steps& s, uint8_t flags);
  ir::ValueId load_leaf(const Place& place, uint8_t flags);
  void store_leaf(const Place& place, ir::ValueId value, uint8_t flags);
  ir::ValueId load_lines(const Place& place, uint8_t flags);
  void store_lines(const Place& place, ir::ValueId value, uint8_t flags);
  [[nodiscard]] Type matrix_of(const Shape& s);
  std::vector<ir::ValueId> across(std::span<const ir::ValueId> lines, ScalarKind scalar, uint32_t length);
  ir::ValueId load_array(const Place& place, uint8_t flags);
  void store_array(const Place& place, ir::ValueId value, uint8_t flags);
  ir::ValueId element_count(const Shape& array);
  void visit_at(const ir::Inst& inst, const Place& place);
  void visit_atomic(const ir::Inst& inst, const Place& place);
  ir::ValueId from_memory(ir::ValueId v, TypeId value_type);
  ir::ValueId to_memory(ir::ValueId v, ScalarKind scalar);
  ir::ValueId index(uint32_t i) { return b().const_u32(i); }
  uint32_t atomic_info(ir::ValueId pointer);

  std::vector<ShapeId> global_shapes_;
  std::unordered_map<uint32_t, Place> places_;  // by old local
};

}  // namespace carry::pass

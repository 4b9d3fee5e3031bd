// Memory layouts: an interned tree per type, part of the pointer type (ir.md 3). Values have no layout.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/intern_table.h"
#include "types/types.h"

namespace carry {

enum class LayoutRule : uint8_t {
  std140,
  std430,
  scalar,
  std140_relaxed,
  std430_relaxed,  // DXC's default for HLSL on SPIR-V (vectors aligned like their scalar, no straddling of 16)
  cbuffer,
  structured,  // D3D packing
  wgsl_uniform,
  wgsl_storage,
  msl,
  explicit_,  // offsets given member by member
};
[[nodiscard]] std::string_view layout_rule_name(LayoutRule rule);  // "std430"

struct Layout {
  enum class Kind : uint8_t { scalar, vector, matrix, array, struct_ } kind = Kind::scalar;
  bool row_major = false;  // matrix: rows are contiguous (as declared in the IR's column convention)
  TypeId type;             // the type it lays out (arrays of overrides included)
  uint32_t size = 0;       // bytes; runtime-sized arrays: 0
  uint32_t align = 1;
  uint32_t stride = 0;      // matrix: between columns (rows if row_major); array: between elements; vector: between
                            // components if not adjacent (a column of a row-major matrix), else 0
  LayoutId element;         // array element
  Range<uint32_t> members;  // struct: into the table's pools of offsets and member layouts
};

struct LayoutOptions {
  LayoutRule rule = LayoutRule::std430;
  bool row_major_default = false;
};

class LayoutTable {
 public:
  /// Builds (or finds) the layout of `type`. Member offsets and aligns written in the source win where legal;
  /// one that does not fit is kept as written (the checker reports it).
  LayoutId build(TypeTable& types, TypeId type, const LayoutOptions& options, Majorness major = Majorness::by_default);
  /// From explicit offsets (IR parser, SPIR-V reader, passes).
  LayoutId explicit_struct(TypeId type, std::span<const uint32_t> offsets, std::span<const LayoutId> members, uint32_t size,
                           uint32_t align);
  LayoutId explicit_array(TypeId type, uint32_t stride, LayoutId element, uint32_t count);
  /// `lines`: columns, or rows if row_major.
  LayoutId explicit_matrix(TypeId type, uint32_t stride, bool row_major, uint32_t lines);
  LayoutId scalar_or_vector(TypeTable& types, TypeId type);
  /// Exactly these fields, for kinds without members (text form).
  LayoutId exact(const Layout& layout) { return intern(layout, {}, {}); }

  [[nodiscard]] const Layout& operator[](LayoutId id) const { return layouts_[id]; }
  [[nodiscard]] uint32_t member_offset(LayoutId struct_layout, uint32_t member) const;
  [[nodiscard]] LayoutId member_layout(LayoutId struct_layout, uint32_t member) const;
  /// A pointer to a column of a row-major matrix, or to a component, keeps the matrix's layout in reach through `at` on the
  /// matrix pointer itself: step_column describes a column as a vector whose components are `stride` bytes apart.
  LayoutId strided_vector(TypeId type, uint32_t component_stride);
  [[nodiscard]] uint32_t size() const { return layouts_.size(); }

 private:
  LayoutId intern(const Layout& layout, std::span<const uint32_t> offsets, std::span<const LayoutId> members);
  Store<LayoutId, Layout> layouts_;
  std::vector<uint32_t> offsets_;
  std::vector<LayoutId> member_layouts_;
  InternTable<LayoutId> index_;
};

}  // namespace carry

// HLSL: SV_ClipDistanceN and SV_CullDistanceN of all leaves of an entry's side lie in one array each, in the order of their numbers.
#include <algorithm>
#include <tuple>

#include "lower/function_lowering.h"

namespace carry::lower {

namespace {

constexpr uint32_t kMostDistances = 8;

bool is_distance(BuiltinVar v) { return v == BuiltinVar::clip_distance || v == BuiltinVar::cull_distance; }

}  // namespace

/// Collects the leaves; plain ones (`input`, `output` in entry.cpp) are not among them: the caller knows the side.
void FunctionLowering::note_distances(const InterfaceLeaf& leaf, Space space) {
  if (types_.kind(leaf.type) == TypeKind::struct_) {
    uint32_t index = leaf.semantic_index, location = leaf.location;
    for (uint32_t i = 0; i < types_.part_count(leaf.type); ++i) note_distances(member_leaf(leaf, i, index, location), space);
    return;
  }
  if (!is_distance(leaf.builtin)) return;
  TypeId core = leaf.type;
  uint32_t count = 1;
  for (; types_.kind(core) == TypeKind::array; core = types_[core].element) count *= std::max(1u, types_[core].count);
  if (!types_.is_scalar(core) && !types_.is_vector(core)) return;
  distances_.push_back({leaf.builtin, space, leaf.semantic_index, 0, count * types_.component_count(core)});
}

/// Gives the leaves their places.
void FunctionLowering::place_distances(NodeId n) {
  const auto key = [](const Distance& d) { return std::make_tuple(d.builtin, d.space, d.index); };
  std::stable_sort(distances_.begin(), distances_.end(), [&](const Distance& a, const Distance& b) { return key(a) < key(b); });
  for (size_t i = 1; i < distances_.size(); ++i) {
    Distance& d = distances_[i];
    const Distance& before = distances_[i - 1];
    if (d.builtin == before.builtin && d.space == before.space) d.first = before.first + before.count;
  }
  for (const Distance& d : distances_) {
    if (d.first + d.count <= kMostDistances) continue;
    const char* word = d.builtin == BuiltinVar::clip_distance ? "SV_ClipDistance" : "SV_CullDistance";
    m_.diags.emit(tree_.range(n), diag::bad_semantic, word, "has more than 8 values in all");
    return;
  }
}

/// The array and the first element of the leaf in it; none after an error.
ValueId FunctionLowering::distance_place(const InterfaceLeaf& leaf, Space space, uint32_t& first, NodeId n) {
  uint32_t total = 0;
  first = kMostDistances;
  for (const Distance& d : distances_) {
    if (d.builtin != leaf.builtin || d.space != space) continue;
    total = std::max(total, d.first + d.count);
    if (d.index == leaf.semantic_index) first = d.first;
  }
  TypeId core = leaf.type;
  while (types_.kind(core) == TypeKind::array) core = types_[core].element;
  const bool floats = (types_.is_scalar(core) || types_.is_vector(core)) && is_float(types_.scalar_of(core));
  const ValueId memory = m_.builtin_global(leaf.builtin, space, total);
  if (!floats || first == kMostDistances || types_[types_[b_.type_of(memory)].element].count != total) {
    unsupported(n, "clip and cull distances of this type", leaf.type);
    return {};
  }
  return memory;
}

ValueId FunctionLowering::distance_input(const InterfaceLeaf& leaf, NodeId n) {
  uint32_t next = 0;
  const ValueId memory = distance_place(leaf, Space::in, next, n);
  if (!memory) return b_.zero(ir(leaf.type));
  return distance_value(leaf.type, memory, next, n);
}

ValueId FunctionLowering::distance_value(TypeId type, ValueId memory, uint32_t& next, NodeId n) {
  if (types_.is_scalar(type)) return convert(b_.load(b_.at(memory, {u32(next++)})), TypeId::f32, type, n);
  std::vector<ValueId> parts;
  for (uint32_t i = 0; i < types_.part_count(type); ++i) parts.push_back(distance_value(types_.part(type, i), memory, next, n));
  return b_.make(ir(type), parts);
}

void FunctionLowering::distance_output(const InterfaceLeaf& leaf, ValueId value, NodeId n) {
  uint32_t next = 0;
  const ValueId memory = distance_place(leaf, Space::out, next, n);
  if (memory) store_distances(leaf.type, value, memory, next, n);
}

void FunctionLowering::store_distances(TypeId type, ValueId value, ValueId memory, uint32_t& next, NodeId n) {
  if (types_.is_scalar(type)) {
    const ValueId x = convert(value, type, TypeId::f32, n);
    b_.store(b_.at(memory, {u32(next++)}), x);
    return;
  }
  for (uint32_t i = 0; i < types_.part_count(type); ++i)
    store_distances(types_.part(type, i), part(value, type, i), memory, next, n);
}

}  // namespace carry::lower

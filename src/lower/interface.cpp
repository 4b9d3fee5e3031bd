// Stage interface: globals in `in` and `out`, one a leaf, and their locations.
#include <algorithm>
#include <cctype>

#include "lower/module_lowering.h"

namespace carry::lower {

uint32_t ir_global_flags(uint32_t var_flags);

namespace {

struct BuiltinRow {
  std::string_view type;
};
constexpr BuiltinRow kBuiltins[] = {
    {""},
#define BUILTIN_VAR(name, type, stages, direction, spirv) {type},
#include "types/builtin_vars.def"
#undef BUILTIN_VAR
};

constexpr uint32_t kInterpolation = ir::kGlobalFlat | ir::kGlobalNoPerspective | ir::kGlobalCentroid | ir::kGlobalSample;

bool same_word(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) {
           return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
         });
}

bool is_integer(const TypeTable& types, TypeId t) {
  while (types.kind(t) == TypeKind::array) t = types[t].element;
  return is_int(types.scalar_of(t)) || types.scalar_of(t) == ScalarKind::bool_ || types.scalar_of(t) == ScalarKind::f64;
}

}  // namespace

TypeId ModuleLowering::builtin_type(BuiltinVar builtin, uint32_t array_size) {
  const std::string_view text = kBuiltins[static_cast<size_t>(builtin)].type;
  if (text == "u32") return TypeId::u32;
  if (text == "f32") return TypeId::f32;
  if (text == "bool") return TypeId::bool_;
  if (text.substr(0, 3) == "vec") {
    const bool is_f = text.find("f32") != std::string_view::npos;
    return types.vector(is_f ? ScalarKind::f32 : ScalarKind::u32, static_cast<uint32_t>(text[3] - '0'));
  }
  if (text == "array<u32, 1>") return types.array(TypeId::u32, 1);
  if (text == "array<f32, 4>") return types.array(TypeId::f32, 4);
  if (text == "array<f32, 2>") return types.array(TypeId::f32, 2);
  return types.array(TypeId::f32, array_size == 0 ? 1 : array_size);
}

ir::ValueId ModuleLowering::builtin_global(BuiltinVar builtin, Space space, uint32_t array_size) {
  const uint64_t key = static_cast<uint64_t>(builtin) << 8 | static_cast<uint64_t>(space);
  for (const auto& [k, v] : builtin_globals_) {
    if (k == key) return v;
  }
  ir::Global g;
  g.name = names.intern(ir::builtin_var_name(builtin));
  g.space = space;
  g.builtin = builtin;
  g.value_type = builtin_type(builtin, array_size);
  if (space == Space::in && current_entry != nullptr && current_entry->stage == Stage::fragment &&
      is_integer(types, g.value_type))
    g.flags |= ir::kGlobalFlat;
  const ir::ValueId v = ir::ValueId::global(module.add_global(std::move(g)));
  builtin_globals_.emplace_back(key, v);
  return v;
}

TypeId ModuleLowering::interface_type(TypeId source) {
  const Type t = types[source];
  if (t.kind == TypeKind::array) {
    const Type sized = types[ir_type(source)];
    const TypeId element = interface_type(t.element);
    const bool by_override = sized.count_override != Id<TypeId>::kNone;
    return by_override ? types.array_override(element, sized.count_override) : types.array(element, sized.count);
  }
  return t.scalar == ScalarKind::bool_ ? types.with_scalar(source, ScalarKind::u32) : ir_type(source);
}

bool ModuleLowering::is_flattened(const Variable& v) const {
  TypeId t = v.type;
  while (types.kind(t) == TypeKind::array) t = types[t].element;
  return types.kind(t) == TypeKind::struct_ || types.kind(t) == TypeKind::matrix;
}

uint32_t ModuleLowering::location_count(TypeId type) {
  const Type t = types[type];
  switch (t.kind) {
    case TypeKind::array: {
      // Sized by a specialization constant: by its default.
      const Type sized = types[ir_type(type)];
      const bool by_override = sized.count_override != Id<TypeId>::kNone;
      const uint32_t count = by_override ? types.override_default(sized.count_override) : sized.count;
      return std::max(1u, count) * location_count(t.element);
    }
    case TypeKind::matrix: return t.columns * location_count(types.vector(t.scalar, t.rows));
    case TypeKind::vector: return scalar_bits(t.scalar) == 64 && t.rows > 2 ? 2 : 1;
    case TypeKind::struct_: {
      uint32_t total = 0;
      for (const Member& m : types.struct_decl(type).members) total += location_count(m.type);
      return total;
    }
    default: return 1;
  }
}

/// GLSL: as written, else the lowest free. HLSL: SV_Target by number; vertex inputs in order; what goes between stages by
/// semantic, so that all entries of the file agree.
uint32_t ModuleLowering::find_location(const InterfaceLeaf& leaf, Space space) {
  const Stage stage = current_entry != nullptr ? current_entry->stage : Stage::none;
  const bool vertex_in = stage == Stage::vertex && space == Space::in;
  const bool target = stage == Stage::fragment && space == Space::out;
  const uint64_t group = vertex_in ? 1 : target ? 2 : hlsl() ? 3 : space == Space::in ? 4 : 5;
  const uint64_t entry = vertex_in || target ? current_entry->function.value : 0;
  std::vector<bool>& taken = taken_locations_[group << 32 | entry];
  const uint32_t count = location_count(leaf.type);
  const auto take = [&](uint32_t at) {
    if (taken.size() < at + count) taken.resize(at + count, false);
    std::fill(taken.begin() + at, taken.begin() + at + count, true);
    return at;
  };
  constexpr uint32_t kMost = 1024;
  if (leaf.location != Id<TypeId>::kNone) return leaf.location < kMost && count < kMost ? take(leaf.location) : leaf.location;
  if (target && same_word(names.text(leaf.semantic), "SV_Target")) return leaf.semantic_index;
  const uint64_t key = group << 56 | static_cast<uint64_t>(leaf.semantic.value) << 24 | leaf.semantic_index;
  const bool by_semantic = hlsl() && group == 3 && !names.text(leaf.semantic).empty();
  const auto any_taken = [&](uint32_t from) {
    for (size_t i = from; i < taken.size() && i < size_t{from} + count; ++i) {
      if (taken[i]) return true;
    }
    return false;
  };
  if (by_semantic) {
    std::string folded(names.text(leaf.semantic));
    for (char& c : folded) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    const uint64_t folded_key = static_cast<uint64_t>(names.intern(folded).value) << 24 | leaf.semantic_index;
    if (const auto found = semantic_locations_.find(folded_key); found != semantic_locations_.end()) return found->second;
    uint32_t at = 0;
    while (any_taken(at)) ++at;
    semantic_locations_[folded_key] = at;
    return take(at);
  }
  static_cast<void>(key);
  uint32_t at = 0;
  while (any_taken(at)) ++at;
  return take(at);
}

bool ModuleLowering::check_aliases(const InterfaceLeaf& leaf, ScalarKind scalar, uint64_t at, uint64_t key, Space space) {
  const bool vertex_in = current_entry != nullptr && current_entry->stage == Stage::vertex && space == Space::in;
  const bool target = current_entry != nullptr && current_entry->stage == Stage::fragment && space == Space::out;
  const uint32_t ways = vertex_in || target ? 0 : ir_global_flags(leaf.flags) & kInterpolation;
  const LocationKind kind{is_float(scalar), std::max(32u, scalar_bits(scalar)), ways, leaf.name};
  const auto [found, fresh] = location_kinds_.emplace(key, kind);
  const LocationKind& first = found->second;
  const bool type_differs = first.floats != kind.floats || first.bits != kind.bits;
  if (fresh || (!type_differs && first.interpolation == ways)) return true;
  const std::string_view what = type_differs ? "has a type of another kind or width" : "is interpolated in another way";
  diags.emit(leaf.decl ? LocRange{tree.loc(leaf.decl), {}} : LocRange{}, diag::bad_layout, "location",
             std::to_string(at) + " is shared with `" + std::string(names.text(first.name)) + "`, which " + std::string(what));
  return false;
}

/// Two variables in the same components of a location of one entry: an error. Those in other components of it have the same
/// kind of scalar, width and interpolation (GLSL 4.60, 4.4.1).
void ModuleLowering::check_location(const InterfaceLeaf& leaf, uint32_t location, Space space) {
  TypeId core = leaf.type;
  while (types.kind(core) == TypeKind::array) core = types[core].element;
  if (!types.is_scalar(core) && !types.is_vector(core)) return;
  const uint32_t wide = scalar_bits(types.scalar_of(core)) == 64 ? 2 : 1;
  const uint32_t first = leaf.component == Id<TypeId>::kNone ? 0 : leaf.component;
  const uint32_t last = std::min(4u, first + types.component_count(core) * wide);
  const uint64_t entry = current_entry != nullptr ? current_entry->function.value : 0;
  const uint32_t count = std::min(location_count(leaf.type), 64u);
  const auto location_key = [&](uint64_t at) {
    return entry << 34 | static_cast<uint64_t>(space == Space::in) << 33 | static_cast<uint64_t>(leaf.index == 1) << 32 |
           (at & 0xffffffff);
  };
  for (uint32_t i = 0; i < count * 4; ++i) {
    if (i % 4 < first || i % 4 >= last) continue;
    const uint64_t at = uint64_t{location} + i / 4;
    const uint64_t key = location_key(at) << 2 | i % 4;
    const auto [found, fresh] = location_owners_.emplace(key, leaf.name);
    if (fresh) continue;
    const LocRange place = leaf.decl ? LocRange{tree.loc(leaf.decl), {}} : LocRange{};
    if (hlsl() && !names.text(leaf.semantic).empty()) {
      diags.emit(place, diag::bad_semantic, names.text(leaf.semantic), "stands twice");
    } else {
      diags.emit(place, diag::bad_layout, "location",
                 std::to_string(at) + " is taken by `" + std::string(names.text(found->second)) + "` already");
    }
    return;
  }
  for (uint32_t i = 0; i < count; ++i) {
    const uint64_t at = uint64_t{location} + i;
    if (!check_aliases(leaf, types.scalar_of(core), at, location_key(at), space)) return;
  }
}

ir::ValueId ModuleLowering::interface_global(const InterfaceLeaf& leaf, Space space) {
  ir::Global g;
  g.name = leaf.name;
  g.space = space;
  g.value_type = interface_type(leaf.type);
  g.location = find_location(leaf, space);
  g.component = leaf.component;
  g.index = leaf.index;
  check_location(leaf, g.location, space);
  g.flags = ir_global_flags(leaf.flags);
  const Stage stage = current_entry != nullptr ? current_entry->stage : Stage::none;
  const bool varying = !(stage == Stage::vertex && space == Space::in) && !(stage == Stage::fragment && space == Space::out);
  // HLSL structs serve both sides of a stage: nothing is interpolated here.
  if (!varying) g.flags &= ~kInterpolation;
  if (leaf.index != Id<TypeId>::kNone && !(stage == Stage::fragment && space == Space::out))
    diags.emit(leaf.decl ? LocRange{tree.loc(leaf.decl), {}} : LocRange{}, diag::bad_layout, "index",
               "is for outputs of fragment shaders");
  g.semantic = leaf.semantic;
  g.semantic_index = leaf.semantic_index;
  g.block = leaf.block;
  if (leaf.block) g.block_member = leaf.name;
  g.loc = leaf.decl ? loc_of(leaf.decl) : ir::LocId();
  if (varying && is_integer(types, leaf.type)) g.flags |= ir::kGlobalFlat;
  return ir::ValueId::global(module.add_global(std::move(g)));
}

}  // namespace carry::lower

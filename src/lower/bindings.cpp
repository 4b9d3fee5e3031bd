// Binding numbers (cli.md, Bindings). All resources that the file declares count, used or not: numbers do not move when
// code changes.
#include <algorithm>
#include <array>
#include <set>

#include "lower/module_lowering.h"

namespace carry::lower {

namespace {

constexpr uint32_t kNoNumber = Id<TypeId>::kNone;

bool is_resource(const Variable& v) {
  switch (v.kind) {
    case VarKind::uniform_block:
    case VarKind::storage_block:
    case VarKind::storage_object:
    case VarKind::handle: return true;
    default: return false;
  }
}

using Numbers = std::set<std::pair<uint32_t, uint32_t>>;

uint32_t lowest_free(const Numbers& taken, uint32_t set) {
  uint32_t n = 0;
  while (taken.count({set, n}) != 0) ++n;
  return n;
}

/// t + 0, s + 128, b + 256, u + 384.
uint32_t class_offset(RegisterClass c) {
  switch (c) {
    case RegisterClass::s: return 128;
    case RegisterClass::b: return 256;
    case RegisterClass::u: return 384;
    default: return 0;
  }
}

}  // namespace

void ModuleLowering::assign_bindings() {
  if (hlsl())
    assign_hlsl_bindings();
  else
    assign_glsl_bindings();
}

void ModuleLowering::assign_glsl_bindings() {
  Numbers taken;
  for (VarId id : facts.globals) {
    const Variable& v = facts.variables[id];
    if (is_resource(v) && v.binding != kNoNumber) taken.insert({v.set == kNoNumber ? 0 : v.set, v.binding});
  }
  for (VarId id : facts.globals) {
    const Variable& v = facts.variables[id];
    if (!is_resource(v)) continue;
    Binding b;
    b.set = v.set == kNoNumber ? 0 : v.set;
    b.binding = v.binding;
    for (const NamedBinding& n : options.bindings.named) {
      if (!n.name.empty() && (n.name == names.text(v.name) || n.name == names.text(v.block_name))) {
        b.set = n.set;
        b.binding = n.binding;
      }
    }
    if (b.binding == kNoNumber) {
      const NameId name = names.text(v.name).empty() ? v.block_name : v.name;
      if (!options.bindings.assign_missing && v.decl) diags.emit(tree.range(v.decl), diag::binding_missing, names.text(name));
      b.binding = lowest_free(taken, b.set);
      taken.insert({b.set, b.binding});
    }
    bindings[id.value] = b;
  }
}

std::vector<ModuleLowering::HlslResource> ModuleLowering::hlsl_resources() const {
  const BindingOptions& o = options.bindings;
  std::vector<HlslResource> all;
  for (VarId id : facts.globals) {
    const Variable& v = facts.variables[id];
    if (!is_resource(v)) continue;
    HlslResource r{id, v.register_class, v.register_space == kNoNumber ? 0 : v.register_space, v.register_index, 1, false, {}};
    if (types.kind(v.type) == TypeKind::array) r.count = types[v.type].count == 0 ? 1 : types[v.type].count;
    if (v.binding != kNoNumber) {
      r.fixed = true;
      r.binding.set = v.set == kNoNumber ? 0 : v.set;
      r.binding.binding = v.binding;
    }
    for (const NamedBinding& n : o.named) {
      const bool by_name = !n.name.empty() && n.name == names.text(v.name);
      const bool by_register =
          n.name.empty() && n.register_class == r.register_class && n.register_index == r.number && n.register_space == r.space;
      if (!by_name && !by_register) continue;
      r.fixed = true;
      r.binding.set = n.set;
      r.binding.binding = n.binding;
    }
    all.push_back(r);
  }
  // Types of one heap share its number, which is the first free one after all others (resources, then samplers).
  const auto heap = [&](const HlslResource& r) { return facts.variables[r.id].flags & (kVarResourceHeap | kVarSamplerHeap); };
  std::stable_sort(all.begin(), all.end(), [&](const HlslResource& a, const HlslResource& b) { return heap(a) < heap(b); });
  return all;
}

/// Gives every HLSL resource its set and number, in the order: fixed ones, registers by the style, heaps, counters.
class ModuleLowering::HlslBinder {
 public:
  explicit HlslBinder(ModuleLowering& lowering) : l_(lowering), all_(lowering.hlsl_resources()) {
    for (const HlslResource& r : all_) {
      if (r.fixed) taken_.insert({r.binding.set, r.binding.binding});
    }
  }

  void assign() {
    const BindingOptions& o = l_.options.bindings;
    const BindingStyle style = o.shifts.empty() ? o.style : BindingStyle::dxc;
    if (style == BindingStyle::dxc) {
      as_dxc();
    } else {
      choose_registers();
      by_class(style == BindingStyle::separated ? all_spaces() : shared_spaces());
    }
    heaps();
    counters();
  }

 private:
  [[nodiscard]] const Variable& variable(const HlslResource& r) const { return l_.facts.variables[r.id]; }
  [[nodiscard]] uint32_t is_heap(const HlslResource& r) const {
    return variable(r).flags & (kVarResourceHeap | kVarSamplerHeap);
  }
  [[nodiscard]] uint32_t shifted(const HlslResource& r) const {
    uint32_t n = r.number;
    for (const BindingShift& s : l_.options.bindings.shifts) {
      if (s.register_class == r.register_class && (s.space == kNoNumber || s.space == r.space)) n = r.number + s.shift;
    }
    return n;
  }

  /// The register's number as it is or shifted; then the lowest that is free.
  void as_dxc() {
    for (HlslResource& r : all_) {
      if (r.fixed || r.number == kNoNumber) continue;
      r.binding.set = r.space;
      r.binding.binding = shifted(r);
      const bool overlaps = !taken_.insert({r.binding.set, r.binding.binding}).second;
      const Variable& v = variable(r);
      if (overlaps && v.decl)
        l_.diags.emit(l_.tree.range(v.decl), diag::binding_overlap, l_.names.text(v.name), r.binding.binding, r.binding.set);
    }
    for (HlslResource& r : all_) {
      if (r.fixed || r.number != kNoNumber || is_heap(r)) continue;
      r.binding.set = r.space;
      r.binding.binding = lowest_free(taken_, r.space);
      taken_.insert({r.binding.set, r.binding.binding});
    }
  }

  /// Registers first: those written, then the lowest free of the class.
  void choose_registers() {
    std::array<Numbers, 6> registers;
    const auto occupy = [&](const HlslResource& r) {
      for (uint32_t i = 0; i < std::min(r.count, 4096u); ++i)
        registers[static_cast<size_t>(r.register_class)].insert({r.space, r.number + i});
    };
    for (const HlslResource& r : all_) {
      if (!r.fixed && r.number != kNoNumber) occupy(r);
    }
    for (HlslResource& r : all_) {
      if (r.fixed || r.number != kNoNumber || is_heap(r)) continue;
      r.number = lowest_free(registers[static_cast<size_t>(r.register_class)], r.space);
      occupy(r);
    }
  }

  [[nodiscard]] std::set<uint32_t> all_spaces() const {
    std::set<uint32_t> spaces;
    for (const HlslResource& r : all_) {
      if (!is_heap(r)) spaces.insert(r.space);
    }
    return spaces;
  }

  /// Spaces in which registers of two classes have one number.
  [[nodiscard]] std::set<uint32_t> shared_spaces() const {
    std::set<uint32_t> spaces;
    Numbers met = taken_;
    for (const HlslResource& r : all_) {
      if (r.fixed || is_heap(r) || met.insert({r.space, r.number}).second) continue;
      if (!spaces.insert(r.space).second) continue;
      const Variable& v = variable(r);
      if (v.decl) l_.diags.emit(l_.tree.range(v.decl), diag::bindings_separated, r.space);
    }
    return spaces;
  }

  void by_class(const std::set<uint32_t>& separated) {
    for (HlslResource& r : all_) {
      if (r.fixed || is_heap(r)) continue;
      r.binding.set = r.space;
      r.binding.binding = r.number + (separated.count(r.space) != 0 ? class_offset(r.register_class) : 0);
      taken_.insert({r.binding.set, r.binding.binding});
    }
  }

  void heaps() {
    for (size_t i = 0; i < all_.size(); ++i) {
      HlslResource& r = all_[i];
      if (r.fixed || !is_heap(r)) continue;
      const bool shared = i != 0 && is_heap(all_[i - 1]) == is_heap(r) && !all_[i - 1].fixed;
      r.binding.binding = shared ? all_[i - 1].binding.binding : lowest_free(taken_, 0);
      taken_.insert({0, r.binding.binding});
    }
  }

  void counters() {
    for (HlslResource& r : all_) {
      const Variable& v = variable(r);
      if ((v.flags & kVarHasCounter) != 0) {
        r.binding.counter_binding = v.counter_binding != kNoNumber ? v.counter_binding : lowest_free(taken_, r.binding.set);
        taken_.insert({r.binding.set, r.binding.counter_binding});
      }
      l_.bindings[r.id.value] = r.binding;
    }
  }

  ModuleLowering& l_;
  std::vector<HlslResource> all_;
  Numbers taken_;
};

void ModuleLowering::assign_hlsl_bindings() { HlslBinder(*this).assign(); }

}  // namespace carry::lower

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

void ModuleLowering::assign_hlsl_bindings() {
  const BindingOptions& o = options.bindings;
  const BindingStyle style = o.shifts.empty() ? o.style : BindingStyle::dxc;
  std::vector<HlslResource> all = hlsl_resources();
  const auto shifted = [&](const HlslResource& r) {
    uint32_t n = r.number;
    for (const BindingShift& s : o.shifts) {
      if (s.register_class == r.register_class && (s.space == kNoNumber || s.space == r.space)) n = r.number + s.shift;
    }
    return n;
  };
  const auto is_heap = [&](const HlslResource& r) {
    return facts.variables[r.id].flags & (kVarResourceHeap | kVarSamplerHeap);
  };
  Numbers taken;
  for (const HlslResource& r : all) {
    if (r.fixed) taken.insert({r.binding.set, r.binding.binding});
  }
  if (style == BindingStyle::dxc) {
    for (HlslResource& r : all) {
      if (r.fixed || r.number == kNoNumber) continue;
      r.binding.set = r.space;
      r.binding.binding = shifted(r);
      if (!taken.insert({r.binding.set, r.binding.binding}).second) {
        const Variable& v = facts.variables[r.id];
        if (v.decl) diags.emit(tree.range(v.decl), diag::binding_overlap, names.text(v.name), r.binding.binding, r.binding.set);
      }
    }
    for (HlslResource& r : all) {
      if (r.fixed || r.number != kNoNumber || is_heap(r)) continue;
      r.binding.set = r.space;
      r.binding.binding = lowest_free(taken, r.space);
      taken.insert({r.binding.set, r.binding.binding});
    }
  } else {
    // Registers first: those written, then the lowest free of the class.
    std::array<Numbers, 6> registers;
    for (const HlslResource& r : all) {
      if (r.fixed || r.number == kNoNumber) continue;
      for (uint32_t i = 0; i < std::min(r.count, 4096u); ++i)
        registers[static_cast<size_t>(r.register_class)].insert({r.space, r.number + i});
    }
    for (HlslResource& r : all) {
      if (r.fixed || r.number != kNoNumber || is_heap(r)) continue;
      Numbers& used = registers[static_cast<size_t>(r.register_class)];
      r.number = lowest_free(used, r.space);
      for (uint32_t i = 0; i < std::min(r.count, 4096u); ++i) used.insert({r.space, r.number + i});
    }
    std::set<uint32_t> separated;
    if (style == BindingStyle::separated) {
      for (const HlslResource& r : all) {
        if (!is_heap(r)) separated.insert(r.space);
      }
    } else {
      Numbers met = taken;
      for (const HlslResource& r : all) {
        if (r.fixed || is_heap(r) || met.insert({r.space, r.number}).second) continue;
        if (!separated.insert(r.space).second) continue;
        const Variable& v = facts.variables[r.id];
        if (v.decl) diags.emit(tree.range(v.decl), diag::bindings_separated, r.space);
      }
    }
    for (HlslResource& r : all) {
      if (r.fixed || is_heap(r)) continue;
      r.binding.set = r.space;
      r.binding.binding = r.number + (separated.count(r.space) != 0 ? class_offset(r.register_class) : 0);
      taken.insert({r.binding.set, r.binding.binding});
    }
  }
  for (size_t i = 0; i < all.size(); ++i) {
    HlslResource& r = all[i];
    if (r.fixed || !is_heap(r)) continue;
    const bool shared = i != 0 && is_heap(all[i - 1]) == is_heap(r) && !all[i - 1].fixed;
    r.binding.binding = shared ? all[i - 1].binding.binding : lowest_free(taken, 0);
    taken.insert({0, r.binding.binding});
  }
  for (HlslResource& r : all) {
    const Variable& v = facts.variables[r.id];
    if ((v.flags & kVarHasCounter) != 0) {
      r.binding.counter_binding = v.counter_binding != kNoNumber ? v.counter_binding : lowest_free(taken, r.binding.set);
      taken.insert({r.binding.set, r.binding.counter_binding});
    }
    bindings[r.id.value] = r.binding;
  }
}

}  // namespace carry::lower

// Where the resources are on one target. Globals keep their ids through all passes; a split sampler is a new global, which
// `binding_moves` names, and where resources are parameters their attributes name the global.
#include "reflect/reflection.h"

namespace carry::reflect {

namespace {

using ir::FunctionId;
using ir::Global;
using ir::GlobalId;

class Places {
 public:
  Places(const Reflection& r, const ir::Module& module) : r_(r), m_(module), resource_of_(module.globals.size(), kNone) {
    for (uint32_t i = 0; i < r.resources.size(); ++i) resource_of_[r.resources[i].id.value] = i;
    for (GlobalId id : m_.global_order) find_split(id);
  }

  /// In the order of the entry's resources.
  TargetEntry entry(uint32_t index, const std::vector<bool>& reached) {
    TargetEntry out;
    out.entry = index;
    places_.assign(r_.resources.size(), Place{});
    found_.assign(r_.resources.size(), false);
    const ir::Function& f = m_.functions[r_.entries[index].function];
    for (const auto& items : f.param_io) {
      for (const ir::IoAttr& io : items) slot(io, out);
    }
    for (GlobalId id : m_.global_order) {
      if (reached[id.value]) binding(id);
    }
    for (uint32_t i = 0; i < r_.resources.size(); ++i) {
      if (!found_[i]) continue;
      places_[i].resource = i;
      out.places.push_back(places_[i]);
    }
    return out;
  }

 private:
  void find_split(GlobalId id) {
    const Global& g = m_.globals[id];
    if (g.kind != ir::GlobalKind::variable || g.space != Space::handle || resource_of_[id.value] != kNone) return;
    for (const ir::BindingMove& move : m_.binding_moves) {
      if (move.what != ir::BindingMove::What::sampler || move.new_set != g.set || move.new_binding != g.binding) continue;
      for (uint32_t i = 0; i < r_.resources.size(); ++i) {
        const Resource& r = r_.resources[i];
        const bool same = r.set == move.old_set && r.binding == move.old_binding;
        if (r.kind == ResourceKind::combined_sampler && same) resource_of_[id.value] = i;
      }
    }
  }

  void slot(const ir::IoAttr& io, TargetEntry& out) {
    if (io.slot_kind == ir::SlotKind::none) return;
    if (!io.resource) {
      out.buffer_sizes = io.slot;
      return;
    }
    const uint32_t r = resource_of_[io.resource.value];
    if (r == kNone) return;
    found_[r] = true;
    if (io.slot_kind == ir::SlotKind::buffer) places_[r].buffer = io.slot;
    if (io.slot_kind == ir::SlotKind::texture) places_[r].texture = io.slot;
    if (io.slot_kind == ir::SlotKind::sampler) places_[r].sampler = io.slot;
  }

  void binding(GlobalId id) {
    const uint32_t r = resource_of_[id.value];
    if (r == kNone) return;
    const Global& g = m_.globals[id];
    found_[r] = true;
    Place& p = places_[r];
    if (g.space == Space::push) {
      p.push = true;
    } else if (r_.resources[r].id == id) {
      p.group = g.set;
      p.binding = g.binding;
    } else {
      p.sampler_group = g.set;
      p.sampler_binding = g.binding;
    }
  }

  const Reflection& r_;
  const ir::Module& m_;
  std::vector<uint32_t> resource_of_;  // by GlobalId
  std::vector<Place> places_;          // by resource
  std::vector<bool> found_;
};

}  // namespace

void add_target(Reflection& reflection, std::string name, const ir::Module* module, const std::vector<std::string>& names) {
  TargetInfo info;
  info.name = std::move(name);
  info.ok = module != nullptr;
  if (module != nullptr) {
    const std::vector<std::vector<bool>> reached = reached_globals(*module);
    Places places(reflection, *module);
    size_t next = 0;
    for (FunctionId id : module->function_order) {
      const ir::Function& f = module->functions[id];
      if (f.dead || !f.is_entry) continue;
      for (uint32_t i = 0; i < reflection.entries.size(); ++i) {
        if (reflection.entries[i].function != id) continue;
        TargetEntry e = places.entry(i, reached[id.value]);
        e.name = next < names.size() ? names[next] : reflection.entries[i].name;
        info.entries.push_back(std::move(e));
      }
      ++next;
    }
  }
  reflection.targets.push_back(std::move(info));
}

}  // namespace carry::reflect

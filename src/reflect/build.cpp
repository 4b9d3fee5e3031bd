// The canonical module: entries with their interface, resources, constants.
#include <algorithm>
#include <unordered_map>

#include "ir/text_tables.h"
#include "reflect/shapes.h"

namespace carry::reflect {

namespace {

using ir::Function;
using ir::FunctionId;
using ir::Global;
using ir::GlobalId;
using ir::ValueId;

bool is_buffer(Space s) { return s == Space::uniform || s == Space::storage || s == Space::push; }

class Builder {
 public:
  Builder(const ir::Module& module, const Options& options)
      : m_(module), shapes_(module, out_, options.matrices_by_rows), resource_of_(module.globals.size(), kNone) {
    out_.file = m_.names().text(m_.source_file);
    out_.language = options.language;
  }

  Reflection run() {
    reached_ = reached_globals(m_);
    for (GlobalId id : m_.global_order) {
      const Global& g = m_.globals[id];
      if (g.kind == ir::GlobalKind::override_) constant(id);
      if (g.kind == ir::GlobalKind::variable && (is_buffer(g.space) || g.space == Space::handle)) resource(id);
    }
    for (FunctionId id : m_.function_order) {
      if (!m_.functions[id].dead) find_atomics(id);
    }
    for (Resource& r : out_.resources) {
      const GlobalId buffer = m_.globals[r.id].counter_of;
      if (buffer) r.counter_of = resource_of_[buffer.value];
    }
    for (FunctionId id : m_.function_order) {
      if (!m_.functions[id].dead && m_.functions[id].is_entry) entry(id);
    }
    return std::move(out_);
  }

 private:
  void constant(GlobalId id) {
    const Global& g = m_.globals[id];
    Constant c;
    c.global = id;
    c.id = g.override_id;
    c.name = m_.names().text(g.name);
    c.type = scalar_name(m_.types().scalar_of(g.type));
    if (g.init && g.init.is_constant()) c.bits = m_.types().constant(g.init.const_id()).bits;
    out_.constants.push_back(std::move(c));
  }

  void resource(GlobalId id) {
    const Global& g = m_.globals[id];
    Resource r;
    r.id = id;
    r.name = m_.names().text(g.name);
    const std::string_view block = m_.names().text(g.block);
    if (block != r.name) r.block = block;
    r.set = g.set;
    r.binding = g.binding;
    r.access = g.access;
    r.byte_address = (g.flags & ir::kGlobalByteAddress) != 0;
    r.input_attachment = g.input_attachment;
    TypeId type = g.value_type;
    if (m_.types().kind(type) == TypeKind::bindings) {
      r.is_array = true;
      r.count = m_.types()[type].count;
      type = m_.types()[type].element;
    }
    if (is_buffer(g.space)) {
      r.kind = g.space == Space::push      ? ResourceKind::push_constants
               : g.space == Space::uniform ? ResourceKind::uniform_buffer
                                           : ResourceKind::storage_buffer;
      if (g.space != Space::storage) r.access = Access::read;
      r.shape = static_cast<uint32_t>(out_.shapes.size());
      out_.shapes.push_back(shapes_.shape(type, g.layout));
    } else {
      handle(r, type);
    }
    resource_of_[id.value] = static_cast<uint32_t>(out_.resources.size());
    out_.resources.push_back(std::move(r));
  }

  void handle(Resource& r, TypeId type) {
    const Type* t = &m_.types()[type];
    r.access = Access::read;
    if (t->kind == TypeKind::sampler) {
      r.kind = ResourceKind::sampler;
      r.comparison = (t->flags & kSamplerComparison) != 0;
      return;
    }
    if (t->kind == TypeKind::accel) {
      r.kind = ResourceKind::acceleration_structure;
      return;
    }
    r.kind = ResourceKind::texture;
    if (t->kind == TypeKind::combined) {
      r.kind = ResourceKind::combined_sampler;
      t = &m_.types()[t->element];
    }
    const bool image = t->kind == TypeKind::image;
    if (image) {
      r.kind = ResourceKind::storage_image;
      r.access = t->access;
      if (t->format != ImageFormat::any) r.format = image_format_row(t->format).name;
    }
    if (t->dim == Dim::buffer) r.kind = image ? ResourceKind::storage_texel_buffer : ResourceKind::texel_buffer;
    if (t->dim == Dim::subpass) r.kind = ResourceKind::input_attachment;
    r.dim = ir::dim_words()[static_cast<size_t>(t->dim)];
    r.arrayed = (t->flags & kImageArrayed) != 0;
    r.multisampled = (t->flags & kImageMultisampled) != 0;
    r.depth = (t->flags & kImageDepth) != 0;
    r.sampled = scalar_name(t->scalar);
  }

  // ---- texture atomics: Metal wants the usage shaderAtomic of such a texture

  struct Roots {
    std::unordered_map<uint32_t, ValueId> of;  // local -> global or parameter that it points into
    std::vector<bool> params;                  // reach an atomic
  };

  void find_atomics(FunctionId id) {
    Roots roots;
    roots.params.resize(m_.functions[id].params.size(), false);
    walk_atomics(m_.functions[id], m_.functions[id].body, roots);
    atomic_params_[id.value] = std::move(roots.params);
  }

  void mark_atomic(const Function& f, Roots& roots, ValueId pointer) {
    if (pointer.is_local()) {
      if (const auto found = roots.of.find(pointer.index()); found != roots.of.end()) pointer = found->second;
    }
    if (pointer.is_global()) {
      if (const uint32_t r = resource_of_[pointer.index()]; r != kNone) out_.resources[r].atomics = true;
      return;
    }
    for (size_t i = 0; i < f.params.size(); ++i) {
      if (f.params[i].value == pointer) roots.params[i] = true;
    }
  }

  void walk_atomics(const Function& f, ir::RegionId region, Roots& roots) {
    for (ir::InstId i : m_.regions[region].insts) {
      const ir::Inst& inst = m_.insts[i];
      if (inst.operands.count != 0 && (inst.op == Op::at || inst.op == Op::load)) {
        const ValueId from = m_.operand(inst, 0);
        const auto found = from.is_local() ? roots.of.find(from.index()) : roots.of.end();
        roots.of[inst.first_result.index()] = found != roots.of.end() ? found->second : from;
      }
      if (inst.op == Op::texel) mark_atomic(f, roots, m_.operand(inst, 0));
      if (inst.op == Op::call) {
        const std::vector<bool>& callee = atomic_params_[inst.payload];
        for (uint32_t o = 0; o < inst.operands.count && o < callee.size(); ++o) {
          if (callee[o]) mark_atomic(f, roots, m_.operand(inst, o));
        }
      }
      for (ir::RegionId r : m_.inst_regions(inst)) walk_atomics(f, r, roots);
    }
  }

  // ---- entries

  /// Lowering gives a workgroup size of type int as the same bits of type uint.
  ValueId behind_bitcast(ValueId v) {
    if (!v || !v.is_global() || m_.globals[v.global_id()].kind != ir::GlobalKind::result) return v;
    for (ir::InstId i : m_.module_insts) {
      const ir::Inst& inst = m_.insts[i];
      if (inst.op == Op::bitcast && inst.first_result == v) return m_.operand(inst, 0);
    }
    return v;
  }

  void workgroup(Entry& e, const ir::EntryInfo& info) {
    e.has_workgroup = info.stage == Stage::compute || info.stage == Stage::mesh || info.stage == Stage::task;
    if (!e.has_workgroup) return;
    for (size_t axis = 0; axis < 3; ++axis) {
      ValueId v = behind_bitcast(info.workgroup_size[axis]);
      if (v && v.is_global()) {
        for (uint32_t i = 0; i < out_.constants.size(); ++i) {
          if (out_.constants[i].global == v.global_id()) e.workgroup_constant[axis] = i;
        }
        v = m_.globals[v.global_id()].init;
      }
      if (v && v.is_constant()) e.workgroup[axis] = static_cast<uint32_t>(m_.types().constant(v.const_id()).bits);
    }
  }

  Variable variable(const Global& g) {
    Variable v;
    v.name = m_.names().text(g.name);
    if (const std::string_view semantic = m_.names().text(g.semantic); !semantic.empty())
      v.semantic = std::string(semantic) + std::to_string(g.semantic_index);
    if (g.builtin != BuiltinVar::none) v.builtin = ir::builtin_var_name(g.builtin);
    v.location = g.location;
    v.component = g.component;
    v.index = g.index;
    v.interpolation = (g.flags & ir::kGlobalFlat) != 0            ? "flat"
                      : (g.flags & ir::kGlobalNoPerspective) != 0 ? "noperspective"
                                                                  : "";
    v.centroid = (g.flags & ir::kGlobalCentroid) != 0;
    v.sample = (g.flags & ir::kGlobalSample) != 0;
    v.invariant = (g.flags & ir::kGlobalInvariant) != 0;
    v.patch = (g.flags & ir::kGlobalPatch) != 0;
    v.shape = shapes_.shape(g.value_type, LayoutId());
    return v;
  }

  void entry(FunctionId id) {
    const Function& f = m_.functions[id];
    Entry e;
    e.function = id;
    e.name = m_.names().text(f.name);
    e.stage = f.entry.stage;
    e.early_tests = (f.entry.flags & ir::kEntryEarlyTests) != 0;
    e.writes_depth = (f.entry.flags & ir::kEntryWritesDepth) != 0;
    workgroup(e, f.entry);
    const std::vector<bool>& uses = reached_[id.value];
    for (GlobalId g : m_.global_order) {
      if (!uses[g.value]) continue;
      const Global& global = m_.globals[g];
      if (global.kind != ir::GlobalKind::variable) continue;
      if (global.space == Space::in) e.inputs.push_back(variable(global));
      if (global.space == Space::out) e.outputs.push_back(variable(global));
      if (resource_of_[g.value] != kNone) e.resources.push_back(resource_of_[g.value]);
    }
    for (uint32_t i = 0; i < out_.constants.size(); ++i) {
      bool used = uses[out_.constants[i].global.value];
      for (uint32_t c : e.workgroup_constant) used = used || c == i;
      if (used) e.constants.push_back(i);
    }
    const auto by_location = [](const Variable& a, const Variable& b) {
      return a.location != b.location ? a.location < b.location : a.component + 1 < b.component + 1;
    };
    std::stable_sort(e.inputs.begin(), e.inputs.end(), by_location);
    std::stable_sort(e.outputs.begin(), e.outputs.end(), by_location);
    out_.entries.push_back(std::move(e));
  }

  const ir::Module& m_;
  Reflection out_;
  Shapes shapes_;
  std::vector<uint32_t> resource_of_;  // by GlobalId
  std::vector<std::vector<bool>> reached_;
  std::unordered_map<uint32_t, std::vector<bool>> atomic_params_;  // by FunctionId
};

void reach_region(const ir::Module& m, ir::RegionId region, std::vector<bool>& used,
                  const std::vector<std::vector<bool>>& by_function) {
  const auto merge = [&used](const std::vector<bool>& other) {
    for (size_t i = 0; i < other.size(); ++i) {
      if (other[i]) used[i] = true;
    }
  };
  for (ir::InstId i : m.regions[region].insts) {
    const ir::Inst& inst = m.insts[i];
    for (ValueId v : m.operands(inst)) {
      if (v.is_global()) used[v.index()] = true;
    }
    if (inst.op == Op::call) merge(by_function[inst.payload]);
    for (ir::RegionId r : m.inst_regions(inst)) reach_region(m, r, used, by_function);
  }
}

/// What a module-level result is made from is reached with it; arrays sized by constants reach these.
void reach_operands(const ir::Module& m, std::vector<bool>& used) {
  for (size_t n = m.module_insts.size(); n-- > 0;) {
    const ir::Inst& inst = m.insts[m.module_insts[n]];
    bool wanted = false;
    for (uint32_t r = 0; r < inst.result_count; ++r) wanted = wanted || used[inst.first_result.index() + r];
    if (!wanted) continue;
    for (ValueId v : m.operands(inst)) {
      if (v.is_global()) used[v.index()] = true;
    }
  }
}

}  // namespace

std::vector<std::vector<bool>> reached_globals(const ir::Module& module) {
  std::vector<std::vector<bool>> by_function(module.functions.size());
  for (FunctionId id : module.function_order) {  // callees first
    std::vector<bool> used(module.globals.size(), false);
    if (!module.functions[id].dead) reach_region(module, module.functions[id].body, used, by_function);
    by_function[id.value] = std::move(used);
  }
  for (FunctionId id : module.function_order) {
    std::vector<bool>& used = by_function[id.value];
    // A shared array may be sized by a constant that nothing else names.
    for (GlobalId g : module.global_order) {
      if (!used[g.value]) continue;
      for (TypeId t = module.globals[g].value_type; t && module.types().kind(t) == TypeKind::array;
           t = module.types()[t].element) {
        const ValueId count(module.types()[t].count_override);
        if (module.types()[t].count_override != Id<TypeId>::kNone && count.is_global()) used[count.index()] = true;
      }
    }
    reach_operands(module, used);
  }
  return by_function;
}

Reflection reflect(const ir::Module& module, const Options& options) { return Builder(module, options).run(); }

}  // namespace carry::reflect

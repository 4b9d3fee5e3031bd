/// Metal has no module variables: resources become parameters of the entry with slots by cli.md (buffers, textures, samplers
/// from 0 each in order of set and number, over all entries; an array takes a slot an element), handed on to callees; workgroup
/// and private variables become variables of the entry. `array_length` reads the byte size of its buffer from one more buffer, `buffer_sizes`, indexed by
/// buffer slot. Private constants that nothing writes stay at module scope.
///   before  global %b: storage read array<u32> $msl @bind(0, 3)   entry main @compute(..) { %p = at %b, 1  ... }
///   after   entry main(%b: ptr<storage read, array<u32> $msl> [@resource(%b) @slot(buffer, 0)]) @compute(..) { %p = at %b, 1 ... }
#include <algorithm>
#include <string>
#include <unordered_map>

#include "ir/rewriter.h"
#include "pass/pass.h"

namespace carry::pass {

namespace {

using ir::FunctionId;
using ir::Global;
using ir::GlobalId;
using ir::Inst;
using ir::RegionId;
using ir::SlotKind;
using ir::ValueId;

/// A pointer into a buffer, as far as array_length needs it.
struct Place {
  GlobalId buffer;
  ValueId element;  // of an array of buffers
  uint32_t offset = 0;
};

class ModuleResource : public ir::Rewriter {
 public:
  explicit ModuleResource(PassContext& context) : Rewriter(context.module), context_(context) {}
  void run_all();

 private:
  struct Needs {
    std::vector<GlobalId> globals;  // own and callees', in order of declaration
    bool sizes = false;
  };
  [[nodiscard]] bool moves(GlobalId id) const { return id.value < moves_.size() && moves_[id.value]; }
  [[nodiscard]] bool moves(ValueId v) const { return v.is_global() && moves(v.global_id()); }
  bool wants(FunctionId id) override {
    needs_ = &uses_[id.value];
    return !needs_->globals.empty() || needs_->sizes;
  }
  void collect(RegionId region, Needs& needs);
  void find_movable();
  void written_roots(RegionId region, std::unordered_map<uint32_t, GlobalId>& roots);
  void assign_slots();
  void sort(std::vector<GlobalId>& list);
  void make_params() override;
  void begin_body() override;
  void entry_params();
  bool visit(const Inst& inst) override;
  bool visit_at(const Inst& inst);
  bool visit_call(const Inst& inst);
  bool visit_length(const Inst& inst);
  ValueId slot_of(const Place& place);
  [[nodiscard]] const std::vector<ValueId>* handle_path(ValueId old) const;
  ValueId add_param(TypeId type, NameId name, ir::ParamMode mode, const ir::IoAttr* io);
  TypeId param_type(const Global& g);
  TypeId sizes_type();
  NameId name(std::string_view text) { return m().names().intern(text); }

  PassContext& context_;
  std::vector<bool> moves_;     // by GlobalId
  std::vector<uint32_t> slot_;  // by GlobalId
  uint32_t sizes_slot_ = 0;
  std::vector<Needs> uses_;  // by FunctionId
  // the function being rewritten
  const Needs* needs_ = nullptr;
  std::vector<ValueId> value_;  // by GlobalId: the parameter or variable
  ValueId sizes_;
  std::unordered_map<uint32_t, std::vector<ValueId>> handle_paths_;  // old pointer local: handle array, index
  std::unordered_map<uint32_t, Place> places_;                       // old pointer local
};

/// Private variables that are stored to, or handed to something that may.
void ModuleResource::written_roots(RegionId region, std::unordered_map<uint32_t, GlobalId>& roots) {
  for (ir::InstId i : m().regions[region].insts) {
    const Inst& inst = m().insts[i];
    for (uint32_t o = 0; o < inst.operands.count; ++o) {
      const ValueId v = m().operand(inst, o);
      GlobalId g;
      if (v.is_global()) g = v.global_id();
      if (v.is_local()) {
        const auto found = roots.find(v.index());
        if (found != roots.end()) g = found->second;
      }
      if (!g || m().globals[g].space != Space::private_) continue;
      if (inst.op == Op::at && o == 0) {
        roots[inst.first_result.index()] = g;
      } else if (inst.op != Op::load) {
        moves_[g.value] = true;
      }
    }
    for (RegionId r : m().inst_regions(inst)) written_roots(r, roots);
  }
}

void ModuleResource::find_movable() {
  moves_.assign(m().globals.size(), false);
  for (FunctionId id : m().function_order) {
    std::unordered_map<uint32_t, GlobalId> roots;
    written_roots(m().functions[id].body, roots);
  }
  for (GlobalId id : m().global_order) {
    const Global& g = m().globals[id];
    if (g.kind != ir::GlobalKind::variable) continue;
    switch (g.space) {
      case Space::uniform:
      case Space::storage:
      case Space::push:
      case Space::handle:
      case Space::workgroup: moves_[id.value] = true; break;
      case Space::private_:
        if (!g.init) moves_[id.value] = true;
        break;
      default: break;
    }
  }
}

void ModuleResource::sort(std::vector<GlobalId>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

void ModuleResource::collect(RegionId region, Needs& needs) {
  for (ir::InstId i : m().regions[region].insts) {
    const Inst& inst = m().insts[i];
    for (ValueId v : m().operands(inst)) {
      if (moves(v)) needs.globals.push_back(v.global_id());
    }
    if (inst.op == Op::array_length) needs.sizes = true;
    if (inst.op == Op::call) {
      const Needs& callee = uses_[inst.payload];
      needs.globals.insert(needs.globals.end(), callee.globals.begin(), callee.globals.end());
      needs.sizes = needs.sizes || callee.sizes;
    }
    for (RegionId r : m().inst_regions(inst)) collect(r, needs);
  }
}

SlotKind slot_kind(const TypeTable& types, const Global& g) {
  if (g.space == Space::uniform || g.space == Space::storage || g.space == Space::push) return SlotKind::buffer;
  if (g.space != Space::handle) return SlotKind::none;
  TypeId t = g.value_type;
  if (types.kind(t) == TypeKind::bindings) t = types[t].element;
  return types.kind(t) == TypeKind::sampler ? SlotKind::sampler : SlotKind::texture;
}

void ModuleResource::assign_slots() {
  slot_.assign(m().globals.size(), 0);
  std::vector<GlobalId> used;
  for (FunctionId id : m().function_order) {
    if (m().functions[id].is_entry) used.insert(used.end(), uses_[id.value].globals.begin(), uses_[id.value].globals.end());
  }
  sort(used);
  // Push constants come last: the first free buffer.
  std::stable_sort(used.begin(), used.end(), [&](GlobalId a, GlobalId b) {
    const Global& x = m().globals[a];
    const Global& y = m().globals[b];
    const bool px = x.space == Space::push, py = y.space == Space::push;
    if (px != py) return py;
    return x.set != y.set ? x.set < y.set : x.binding < y.binding;
  });
  uint32_t next[4] = {};
  for (GlobalId id : used) {
    const Global& g = m().globals[id];
    const SlotKind kind = slot_kind(types(), g);
    if (kind == SlotKind::none) continue;
    const Type& t = types()[g.value_type];
    uint32_t& end = next[static_cast<size_t>(kind)];
    slot_[id.value] = end;
    end += t.kind == TypeKind::bindings ? t.count : 1;
    if (t.kind == TypeKind::bindings && t.count == 0)
      context_.error(g.loc, diag::not_supported_yet, "an array of resources of unknown length as a Metal resource");
  }
  sizes_slot_ = next[static_cast<size_t>(SlotKind::buffer)];
}

void ModuleResource::run_all() {
  find_movable();
  uses_.resize(m().functions.size());
  for (FunctionId id : m().function_order) {
    collect(m().functions[id].body, uses_[id.value]);
    sort(uses_[id.value].globals);
  }
  assign_slots();
  if (context_.failed) return;
  run();
  std::vector<GlobalId> live;
  for (GlobalId id : m().global_order) {
    const Space space = m().globals[id].space;
    // Resources stay listed: the parameters' attributes name them.
    if (moves(id) && (space == Space::private_ || space == Space::workgroup)) {
      m().dead_globals.push_back(id);
    } else {
      live.push_back(id);
      Global& g = m().globals[id];
      if (g.kind == ir::GlobalKind::variable && g.space == Space::private_) g.access = Access::read;
    }
  }
  m().global_order = std::move(live);
}

ValueId ModuleResource::add_param(TypeId type, NameId param_name, ir::ParamMode mode, const ir::IoAttr* io) {
  const ValueId v = b().new_local(type, param_name);
  new_function().params.push_back({v, mode, param_name});
  if (io != nullptr) new_function().param_io.push_back({*io});
  return v;
}

TypeId ModuleResource::param_type(const Global& g) {
  if (g.space == Space::handle) return g.value_type;
  if (g.space == Space::private_) return types().pointer(Space::function, Access::read_write, g.value_type);
  return g.type;
}

/// uniform array<u32, buffers>
TypeId ModuleResource::sizes_type() {
  const TypeId array = types().array(TypeId::u32, std::max(sizes_slot_, 1u));
  LayoutOptions options;
  options.rule = context_.config.uniform_rule;
  return types().pointer(Space::uniform, Access::read, array, m().layouts().build(types(), array, options));
}

void ModuleResource::entry_params() {
  // Entries that had no parameters may have none of the attribute lists yet.
  new_function().param_io.resize(new_function().params.size());
  for (SlotKind kind : {SlotKind::buffer, SlotKind::texture, SlotKind::sampler}) {
    std::vector<GlobalId> list;
    for (GlobalId g : needs_->globals) {
      if (slot_kind(types(), m().globals[g]) == kind) list.push_back(g);
    }
    std::stable_sort(list.begin(), list.end(), [&](GlobalId a, GlobalId b) { return slot_[a.value] < slot_[b.value]; });
    for (GlobalId g : list) {
      ir::IoAttr io;
      io.resource = g;
      io.slot_kind = kind;
      io.slot = slot_[g.value];
      value_[g.value] = add_param(param_type(m().globals[g]), m().globals[g].name, ir::ParamMode::value, &io);
    }
    if (kind == SlotKind::buffer && needs_->sizes) {
      ir::IoAttr io;
      io.slot_kind = kind;
      io.slot = sizes_slot_;
      sizes_ = add_param(sizes_type(), name("buffer_sizes"), ir::ParamMode::value, &io);
    }
  }
}

void ModuleResource::make_params() {
  Rewriter::make_params();
  value_.assign(m().globals.size(), ValueId::none());
  sizes_ = {};
  handle_paths_.clear();
  places_.clear();
  if (new_function().is_entry) return entry_params();
  for (GlobalId g : needs_->globals) {
    const Global& global = m().globals[g];
    const ir::ParamMode mode = global.space == Space::private_ ? ir::ParamMode::inout : ir::ParamMode::value;
    value_[g.value] = add_param(param_type(global), global.name, mode, nullptr);
  }
  if (needs_->sizes) sizes_ = add_param(sizes_type(), name("buffer_sizes"), ir::ParamMode::value, nullptr);
}

void ModuleResource::begin_body() {
  if (!new_function().is_entry) return;
  for (GlobalId g : needs_->globals) {
    const Global& global = m().globals[g];
    if (global.space == Space::workgroup) {
      value_[g.value] = b().emit(Op::var, global.type, std::span<const ValueId>());
      b().set_name(value_[g.value], global.name);
    } else if (global.space == Space::private_) {
      value_[g.value] = b().var(global.value_type, global.init ? global.init : b().zero(global.value_type), global.name);
    }
  }
}

bool ModuleResource::visit_at(const Inst& inst) {
  const ValueId old = m().operand(inst, 0);
  const std::span<const ValueId> old_steps = m().operands(inst).subspan(1);
  if (moves(old) && m().globals[old.global_id()].space == Space::handle) {
    std::vector<ValueId> path{value_[old.global_id().value]};
    for (ValueId s : old_steps) path.push_back(map(s));
    handle_paths_[inst.first_result.index()] = std::move(path);
    return true;
  }
  const ValueId root = moves(old) ? value_[old.global_id().value] : map(old);
  std::vector<ValueId> steps;
  for (ValueId s : old_steps) steps.push_back(map(s));
  Place place;
  if (moves(old)) place.buffer = old.global_id();
  if (const auto found = old.is_local() ? places_.find(old.index()) : places_.end(); found != places_.end())
    place = found->second;
  TypeId type = old_type(old);
  for (ValueId s : steps) {
    const uint32_t index = s.is_constant() ? static_cast<uint32_t>(types().constant(s.const_id()).bits) : 0;
    const LayoutId layout = types()[type].layout;
    if (types().kind(types()[type].element) == TypeKind::bindings) {
      place.element = s;
    } else if (layout) {
      const Layout& l = m().layouts()[layout];
      place.offset += l.kind == Layout::Kind::struct_ ? m().layouts().member_offset(layout, index) : l.stride * index;
    }
    type = b().step_pointer(type, index);
  }
  if (place.buffer) places_[inst.first_result.index()] = place;
  replace(inst, 0, b().at(root, steps, inst.flags));
  return true;
}

/// Of a buffer, or of an element of an array of them.
ValueId ModuleResource::slot_of(const Place& place) {
  const uint32_t first = slot_[place.buffer.value];
  if (!place.element) return b().const_u32(first);
  if (place.element.is_constant())
    return b().const_u32(first + static_cast<uint32_t>(types().constant(place.element.const_id()).bits));
  const bool bare = type_of(place.element) == TypeId::u32;
  const ValueId element = bare ? place.element : b().convert(Op::bitcast, TypeId::u32, place.element);
  return first == 0 ? element : b().binary(Op::add, b().const_u32(first), element);
}

/// (bytes of the buffer - offset of the array) / stride
bool ModuleResource::visit_length(const Inst& inst) {
  const ValueId old = m().operand(inst, 0);
  Place place;
  if (moves(old)) place.buffer = old.global_id();
  if (const auto found = old.is_local() ? places_.find(old.index()) : places_.end(); found != places_.end())
    place = found->second;
  const LayoutId layout = types()[old_type(old)].layout;
  if (!place.buffer || !layout) {
    context_.error(inst.loc, diag::not_supported_yet, "the length of an array behind a pointer parameter");
    replace(inst, 0, b().const_u32(0));
    return true;
  }
  const uint32_t stride = std::max(m().layouts()[layout].stride, 1u);
  const ValueId slot = slot_of(place);
  const ValueId size = b().load(b().at(sizes_, {slot}));
  const ValueId rest = place.offset == 0 ? size : b().binary(Op::sub, size, b().const_u32(place.offset));
  const auto raw = static_cast<uint32_t>(ArithmeticVariant::raw);
  replace(inst, 0, stride == 1 ? rest : b().binary(Op::udiv, rest, b().const_u32(stride), raw));
  return true;
}

bool ModuleResource::visit_call(const Inst& inst) {
  std::vector<ValueId> operands;
  for (ValueId v : m().operands(inst)) operands.push_back(moves(v) ? value_[v.global_id().value] : map(v));
  const Needs& callee = uses_[inst.payload];
  for (GlobalId g : callee.globals) operands.push_back(value_[g.value]);
  if (callee.sizes) operands.push_back(sizes_);
  keep_with(inst, operands);
  return true;
}

const std::vector<ValueId>* ModuleResource::handle_path(ValueId old) const {
  const auto found = old.is_local() ? handle_paths_.find(old.index()) : handle_paths_.end();
  return found != handle_paths_.end() ? &found->second : nullptr;
}

bool ModuleResource::visit(const Inst& inst) {
  switch (inst.op) {
    case Op::call: return visit_call(inst);
    case Op::at: return visit_at(inst);
    case Op::array_length: return visit_length(inst);
    default: break;
  }
  if (inst.operands.count == 0) return false;
  const ValueId old = m().operand(inst, 0);
  if (inst.op == Op::load && moves(old) && m().globals[old.global_id()].space == Space::handle) {
    replace(inst, 0, value_[old.global_id().value]);
    return true;
  }
  if (const std::vector<ValueId>* path = handle_path(old); path != nullptr && inst.op == Op::load) {
    replace(inst, 0, b().emit(Op::elem, result_type(inst), *path, 0, inst.flags));
    return true;
  }
  bool changed = false;
  std::vector<ValueId> operands;
  for (ValueId v : m().operands(inst)) {
    const std::vector<ValueId>* path = handle_path(v);  // of the image that a texel is part of
    const TypeId handle = path != nullptr ? types()[old_type(v)].element : TypeId::none();
    changed = changed || path != nullptr || moves(v);
    operands.push_back(path != nullptr ? b().emit(Op::elem, handle, *path, 0, inst.flags)
                       : moves(v)      ? value_[v.global_id().value]
                                       : map(v));
  }
  if (!changed) return false;
  keep_with(inst, operands);
  return true;
}

}  // namespace

void module_resource(PassContext& context) { ModuleResource(context).run_all(); }

}  // namespace carry::pass

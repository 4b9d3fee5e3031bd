#include "target/limits.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

namespace carry::target {

namespace {

using ir::Inst;
using ir::LocId;

struct Row {
  uint64_t most[3];  // by Family; 0: any number
  std::string_view what, way;
};
constexpr Row kRows[] = {
#define LIMIT(name, spirv, msl, wgsl, what, way) {{spirv, msl, wgsl}, what, way},
#include "target/limits.def"
#undef LIMIT
};

constexpr uint64_t kHuge = uint64_t{1} << 40;

class Finder {
 public:
  Finder(const ir::Module& module, Family family) : m_(module), family_(family) {}

  std::vector<LimitFault> run() {
    for (ir::GlobalId id : m_.global_order) global(m_.globals[id]);
    for (ir::FunctionId id : m_.function_order) {
      if (!m_.functions[id].dead) function(m_.functions[id]);
    }
    return std::move(faults_);
  }

 private:
  void check(Limit limit, uint64_t value, LocId loc) {
    bool& done = done_[static_cast<size_t>(limit)];
    if (done) return;
    if (std::optional<LimitFault> fault = past_limit(limit, family_, value)) {
      done = true;
      fault->loc = loc;
      faults_.push_back(*fault);
    }
  }
  void name(NameId id, LocId loc) {
    if (id) check(Limit::name_bytes, m_.names().text(id).size(), loc);
  }

  void global(const ir::Global& g) {
    name(g.name, g.loc);
    type(g.kind == ir::GlobalKind::variable ? g.value_type : g.type, g.loc);
    if (g.init) value(g.init, g.loc);
    if (g.set != Id<TypeId>::kNone) check(Limit::group, g.set, g.loc);
    if (g.kind == ir::GlobalKind::override_ && g.override_id != Id<TypeId>::kNone)
      check(Limit::override_id, g.override_id, g.loc);
  }

  void function(const ir::Function& f) {
    f_ = &f;
    name(f.name, f.loc);
    check(Limit::parameters, f.params.size(), f.loc);
    type(f.result, f.loc);
    for (const ir::Param& p : f.params) type(f.value_types[p.value.index()], f.loc);
    if (f.is_entry) slots(f);
    for (ir::ValueId v : f.entry.workgroup_size) {
      if (f.is_entry && v && v.is_constant()) check(Limit::workgroup_size, m_.types().constant(v.const_id()).bits, f.loc);
    }
    if (f.is_entry && f.entry.stage == Stage::vertex) {
      for (const std::vector<ir::IoAttr>& io : f.param_io) locations(io, Limit::vertex_input, Space::in);
    }
    if (f.is_entry && f.entry.stage == Stage::fragment) locations(f.result_io, Limit::colour_output, Space::out);
    region(f.body, 1, 2);
  }

  void locations(const std::vector<ir::IoAttr>& list, Limit limit, Space space) {
    for (const ir::IoAttr& io : list) {
      if (io.location != Id<TypeId>::kNone) check(limit, io.location, declared_at(io.location, space));
    }
  }
  /// Of the variable that was this input or output before it became a parameter.
  [[nodiscard]] LocId declared_at(uint32_t location, Space space) const {
    for (ir::GlobalId id : m_.globals.ids()) {
      const ir::Global& g = m_.globals[id];
      if (g.kind == ir::GlobalKind::variable && g.space == space && g.location == location && g.loc) return g.loc;
    }
    return f_->loc;
  }

  /// Places in an entry's argument tables; an array takes one an element.
  void slots(const ir::Function& f) {
    static constexpr Limit kLimits[] = {Limit::count_, Limit::buffers, Limit::textures, Limit::samplers};
    for (size_t i = 0; i < f.params.size() && i < f.param_io.size(); ++i) {
      TypeId t = f.value_types[f.params[i].value.index()];
      if (m_.types().is_pointer(t)) t = m_.types()[t].element;
      const uint64_t count = m_.types().kind(t) == TypeKind::bindings ? m_.types()[t].count : 1;
      for (const ir::IoAttr& io : f.param_io[i]) {
        if (io.slot_kind == ir::SlotKind::none) continue;
        const LocId loc = io.resource ? m_.globals[io.resource].loc : f.loc;
        check(kLimits[static_cast<size_t>(io.slot_kind)], io.slot + count, loc);
      }
    }
  }

  /// `braces` around the region's statements, and the level of these as Tint counts it.
  void region(ir::RegionId id, uint32_t braces, uint32_t level) {
    for (ir::InstId i : m_.regions[id].insts) {
      const Inst& inst = m_.insts[i];
      if (inst.op == Op::yield || inst.op == Op::next || inst.op == Op::fallthrough) continue;
      check(Limit::braces, braces, inst.loc);
      check(Limit::statements, level, inst.loc);
      for (ir::ValueId v : m_.operands(inst)) value(v, inst.loc);
      for (uint32_t r = 0; r < inst.result_count; ++r) {
        const ir::ValueId v = m_.result(inst, r);
        name(f_->value_names[v.index()], inst.loc);
        type(f_->value_types[v.index()], inst.loc);
      }
      if (inst.op == Op::switch_) cases(inst);
      const uint32_t inner = inst.op == Op::switch_ ? 3 : 2;
      for (uint32_t r = 0; r < inst.regions.count; ++r) {
        const bool continuing = inst.op == Op::loop && r == 1;
        region(m_.inst_region(inst, r), braces + inner - 1 + (continuing ? 1 : 0), level + inner + (continuing ? 2 : 0));
      }
    }
  }

  void cases(const Inst& inst) {
    size_t labels = 0;
    for (const ir::SwitchCase& c : m_.switches[inst.payload].cases) labels += c.labels.size();
    check(Limit::case_labels, labels, inst.loc);
  }

  void value(ir::ValueId v, LocId loc) {
    if (v.is_constant()) constant(v.const_id(), loc);
  }
  void constant(ConstId id, LocId loc) {
    const Constant& c = m_.types().constant(id);
    if (c.kind != Constant::Kind::composite || !constants_.insert(id.value).second) return;
    const std::span<const ConstId> parts = m_.types().parts(id);
    check(Limit::constant_parts, parts.size(), loc);
    for (ConstId part : parts) constant(part, loc);
  }

  /// Checks a type at its first use. Gives its size without the padding that layouts add.
  uint64_t type(TypeId id, LocId loc) {
    if (!id) return 0;
    if (const auto found = sizes_.find(id.value); found != sizes_.end()) return found->second;
    sizes_[id.value] = 0;
    const Type t = m_.types()[id];
    uint64_t size = 0;
    switch (t.kind) {
      case TypeKind::pointer: type(t.element, loc); break;
      case TypeKind::array: size = std::min(kHuge, type(t.element, loc) * t.count); break;
      case TypeKind::struct_: {
        const std::vector<Member>& members = m_.types().struct_decl(id).members;
        check(Limit::members, members.size(), loc);
        for (const Member& member : members) {
          name(member.name, loc);
          size = std::min(kHuge, size + type(member.type, loc));
        }
        break;
      }
      default:
        if (t.scalar != ScalarKind::none && t.kind != TypeKind::texture && t.kind != TypeKind::image)
          size = uint64_t{m_.types().component_count(id)} * std::max(1u, scalar_bits(t.scalar) / 8);
    }
    check(Limit::type_bytes, size, loc);
    sizes_[id.value] = size;
    return size;
  }

  const ir::Module& m_;
  Family family_;
  const ir::Function* f_ = nullptr;
  std::vector<LimitFault> faults_;
  std::array<bool, static_cast<size_t>(Limit::count_)> done_{};
  std::unordered_map<uint32_t, uint64_t> sizes_;
  std::unordered_set<uint32_t> constants_;
};

}  // namespace

std::vector<LimitFault> find_limit_faults(const ir::Module& module, Family family) { return Finder(module, family).run(); }

std::optional<LimitFault> past_limit(Limit limit, Family family, uint64_t value) {
  const Row& row = kRows[static_cast<size_t>(limit)];
  const uint64_t most = row.most[static_cast<size_t>(family)];
  if (most == 0 || value <= most) return std::nullopt;
  return LimitFault{{}, most, value, row.what, row.way};
}

}  // namespace carry::target

/// A combined sampler becomes a texture and a sampler; `binding_moves` says where they went.
///   before  global %t: handle combined<texture_2d<f32>> @bind(0, 1)    %v = load %t   %c = sample %v, %uv
///   after   global %t: handle texture_2d<f32> @bind(0, 1)   global %t_sampler: handle sampler @bind(0, 129)
///           %v = load %t   %s = load %t_sampler   %c = sample %v, %s, %uv
#include <string>
#include <unordered_map>

#include "ir/rewriter.h"
#include "pass/pass.h"

namespace carry::pass {

namespace {

using ir::Global;
using ir::GlobalId;
using ir::Inst;
using ir::ValueId;

struct Pair {
  ValueId texture, sampler;
};

class SplitSamplers : public ir::Rewriter {
 public:
  SplitSamplers(ir::Module& module, const PassConfig& config) : Rewriter(module), config_(config) {}

  void run_all() {
    sampler_.assign(m().globals.size(), GlobalId::none());
    const std::vector<GlobalId> order = m().global_order;
    for (GlobalId id : order) {
      if (m().globals[id].kind == ir::GlobalKind::variable && m().globals[id].space == Space::handle) split(id);
    }
    run();
  }

 private:
  struct Types {
    TypeId texture, sampler;
  };
  /// None for types without a combined sampler.
  Types split_type(TypeId id) {
    const Type t = types()[id];
    if (t.kind == TypeKind::combined) {
      const bool compares = (types()[t.element].flags & kImageDepth) != 0;
      return {t.element, compares ? TypeId::sampler_cmp : TypeId::sampler};
    }
    if (t.kind != TypeKind::bindings) return {};
    const Types inner = split_type(t.element);
    if (!inner.texture) return {};
    return {types().bindings(inner.texture, t.count), types().bindings(inner.sampler, t.count)};
  }
  [[nodiscard]] bool binding_taken(uint32_t set, uint32_t binding) {
    for (GlobalId id : m().global_order) {
      if (m().globals[id].set == set && m().globals[id].binding == binding) return true;
    }
    return false;
  }

  void split(GlobalId id) {
    const Types parts = split_type(m().globals[id].value_type);
    if (!parts.texture) return;
    Global sampler = m().globals[id];
    sampler.name = m().names().intern(std::string(m().names().text(sampler.name)) + "_sampler");
    sampler.value_type = parts.sampler;
    sampler.type = TypeId::none();
    if (sampler.binding != Id<TypeId>::kNone) {
      const uint32_t old = sampler.binding;
      sampler.binding += config_.sampler_shift;
      while (binding_taken(sampler.set, sampler.binding)) ++sampler.binding;
      m().binding_moves.push_back({sampler.set, old, sampler.set, old, ir::BindingMove::What::texture});
      m().binding_moves.push_back({sampler.set, old, sampler.set, sampler.binding, ir::BindingMove::What::sampler});
    }
    Global& texture = m().globals[id];
    texture.value_type = parts.texture;
    texture.type = types().pointer(Space::handle, texture.access, parts.texture);
    const GlobalId added = m().add_global(std::move(sampler));
    // Beside its texture in the order of declaration.
    std::vector<GlobalId>& order = m().global_order;
    order.pop_back();
    for (size_t i = 0; i < order.size(); ++i) {
      if (order[i] == id) {
        order.insert(order.begin() + static_cast<std::ptrdiff_t>(i) + 1, added);
        break;
      }
    }
    sampler_[id.value] = added;
  }

  void make_params() override {
    pairs_.clear();
    ir::Function& f = new_function();
    f.params.clear();
    for (const ir::Param& p : old_function().params) {
      const TypeId type = old_function().value_types[p.value.index()];
      const Types parts = split_type(type);
      ir::Param q = p;
      q.value = b().new_local(parts.texture ? parts.texture : type, old_function().value_names[p.value.index()]);
      new_function().params.push_back(q);
      if (!parts.texture) {
        replace(p.value, q.value);
        continue;
      }
      ir::Param s = p;
      s.name = m().names().intern(std::string(m().names().text(p.name)) + "_sampler");
      s.value = b().new_local(parts.sampler, s.name);
      new_function().params.push_back(s);
      pairs_[p.value.index()] = {q.value, s.value};
    }
  }

  /// The two values or pointers of an old one; no texture for others.
  Pair pair_of(ValueId old) {
    if (old.is_global() && old.global_id().value < sampler_.size() && sampler_[old.global_id().value]) {
      return {old, ValueId::global(sampler_[old.global_id().value])};
    }
    if (!old.is_local()) return {};
    const auto found = pairs_.find(old.index());
    return found == pairs_.end() ? Pair{} : found->second;
  }

  bool visit(const Inst& inst) override {
    if (inst.op == Op::call) return visit_call(inst);
    if (inst.operands.count == 0) return false;
    const Pair p = pair_of(m().operand(inst, 0));
    if (!p.texture) return false;
    std::vector<ValueId> operands;
    for (uint32_t i = 0; i < inst.operands.count; ++i) operands.push_back(i == 0 ? p.texture : operand(inst, i));
    const std::span<const ValueId> steps = std::span<const ValueId>(operands).subspan(1);
    switch (inst.op) {
      case Op::at:
        pairs_[inst.first_result.index()] = {b().at(p.texture, steps, inst.flags), b().at(p.sampler, steps, inst.flags)};
        return true;
      case Op::load: {
        const Pair loaded{b().load(p.texture, inst.flags), b().load(p.sampler, inst.flags)};
        b().set_name(loaded.texture, old_function().value_names[inst.first_result.index()]);
        pairs_[inst.first_result.index()] = loaded;
        return true;
      }
      case Op::sample:
      case Op::gather:
      case Op::query_lod: {
        operands.insert(operands.begin() + 1, p.sampler);
        Inst with_sampler = inst;
        if (inst.op != Op::query_lod) with_sampler.payload |= ir::kSampleHasSampler;
        keep_with(with_sampler, operands);
        return true;
      }
      default: keep_with(inst, operands); return true;
    }
  }

  bool visit_call(const Inst& inst) {
    std::vector<ValueId> operands;
    for (ValueId v : m().operands(inst)) {
      const Pair p = pair_of(v);
      operands.push_back(p.texture ? p.texture : map(v));
      if (p.texture) operands.push_back(p.sampler);
    }
    keep_with(inst, operands);
    return true;
  }

  const PassConfig& config_;
  std::vector<GlobalId> sampler_;             // by GlobalId of the texture
  std::unordered_map<uint32_t, Pair> pairs_;  // by old local
};

}  // namespace

void split_samplers(PassContext& context) { SplitSamplers(context.module, context.config).run_all(); }

}  // namespace carry::pass

#include "ir/override_default.h"

#include <unordered_map>
#include <vector>

#include "ops/eval/eval.h"

namespace carry::ir {

namespace {

using Bits = std::vector<uint64_t>;  // the components

class Defaults {
 public:
  explicit Defaults(const Module& module) : m_(module) {
    for (InstId id : m_.module_insts) compute(m_.insts[id]);
  }

  Bits of(ValueId v) const {
    if (v.is_constant()) return constant(v.const_id());
    if (!v.is_global()) return {};
    const Global& g = m_.globals[v.global_id()];
    if (g.kind == GlobalKind::override_) return g.init ? of(g.init) : Bits{0};
    const auto found = known_.find(v.index());
    return found == known_.end() ? Bits{} : found->second;
  }

 private:
  Bits constant(ConstId id) const {
    TypeTable& types = m_.types();
    const Constant c = types.constant(id);
    if (types.is_scalar(c.type)) return {c.kind == Constant::Kind::zero ? 0 : c.bits};
    if (!types.is_vector(c.type)) return {};
    Bits bits;
    for (uint32_t i = 0; i < types.component_count(c.type); ++i) {
      const Bits part = constant(types.part_of(id, i));
      bits.insert(bits.end(), part.begin(), part.end());
    }
    return bits;
  }

  TypeId type_of(ValueId v) const {
    return v.is_constant() ? m_.types().constant(v.const_id()).type : m_.globals[v.global_id()].type;
  }

  void compute(const Inst& in) {
    const TypeTable& types = m_.types();
    const std::span<const ValueId> operands = m_.operands(in);
    std::vector<Bits> values;
    for (ValueId v : operands) {
      values.push_back(of(v));
      if (values.back().empty()) return;
    }
    const TypeId result = m_.globals[in.first_result.global_id()].type;
    if (!types.is_scalar(result) && !types.is_vector(result)) return;
    const uint32_t n = types.component_count(result);
    Bits& out = known_[in.first_result.index()];
    if (in.op == Op::make) {
      for (const Bits& v : values) out.insert(out.end(), v.begin(), v.end());
      if (out.size() == 1) out.resize(n, out[0]);
    } else if (in.op == Op::elem && values.size() == 2 && values[1][0] < values[0].size()) {
      out = {values[0][values[1][0]]};
    } else if (in.result_count == 1 && !operands.empty()) {
      const TypeId from = type_of(operands[in.op == Op::select ? 1 : 0]);
      for (uint32_t i = 0; i < n; ++i) {
        Bits column;
        for (const Bits& v : values) column.push_back(v[v.size() == 1 ? 0 : i < v.size() ? i : v.size() - 1]);
        uint64_t bits = 0;
        if (!eval::eval_scalar(in.op, types.scalar_of(from), types.scalar_of(result), in.payload, column, {&bits, 1})) break;
        out.push_back(bits);
      }
    }
    if (out.size() != n) known_.erase(in.first_result.index());
  }

  const Module& m_;
  std::unordered_map<uint32_t, Bits> known_;
};

}  // namespace

std::optional<uint64_t> default_bits(const Module& module, ValueId value) {
  const Bits bits = Defaults(module).of(value);
  if (bits.size() != 1) return std::nullopt;
  return bits[0];
}

}  // namespace carry::ir

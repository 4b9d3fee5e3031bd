/// Computes pure operations on constants (by the contract: src/ops/eval), takes parts of constants and of `make`, drops
/// selects and branches whose condition is known.
///   before  %a = add 1, 2   %r = if true { yield %a } else { yield 0 }   return %r
///   after   return 3
#include <array>

#include "ir/rewriter.h"
#include "ops/eval/eval.h"
#include "pass/build.h"
#include "pass/pass.h"

namespace carry::pass {

namespace {

using ir::Inst;
using ir::RegionId;
using ir::ValueId;

constexpr uint32_t kMaxResults = 2;
constexpr uint32_t kMaxOperands = 4;

class FoldConstants : public ir::Rewriter {
 public:
  using Rewriter::Rewriter;

 protected:
  bool visit(const Inst& inst) override {
    switch (inst.op) {
      case Op::if_: return if_inst(inst);
      case Op::switch_:
      case Op::loop: {
        frames_.push_back(nullptr);
        keep(inst);
        frames_.pop_back();
        return true;
      }
      case Op::yield: return yield(inst);
      case Op::elem: return elem(inst);
      case Op::make: return make(inst);
      case Op::shuffle: return shuffle(inst);
      case Op::select: return select(inst);
      case Op::bitcast: return bitcast(inst);
      default: return has_trait(inst.op, kPure) && !has_trait(inst.op, kInexact) && (componentwise(inst) || identity(inst));
    }
  }

 private:
  /// Known condition: the region's instructions take the place of the `if`; its `yield` gives the results.
  bool if_inst(const Inst& inst) {
    const ValueId condition = operand(inst, 0);
    if (!condition.is_constant()) {
      frames_.push_back(nullptr);
      keep(inst);
      frames_.pop_back();
      return true;
    }
    const Inst copy = inst;
    frames_.push_back(&copy);
    rewrite_insts(m().inst_region(inst, types().is_zero(condition.const_id()) ? 1 : 0));
    frames_.pop_back();
    return true;
  }

  bool yield(const Inst& inst) {
    if (frames_.empty() || frames_.back() == nullptr) return false;
    const std::vector<ValueId> values = mapped_operands(inst);
    for (uint32_t i = 0; i < values.size(); ++i) replace(*frames_.back(), i, values[i]);
    return true;
  }

  /// Component `i` of a constant in the shape of the operation; scalars serve every component.
  bool component(ValueId v, uint32_t i, uint64_t& bits) {
    ConstId id = v.const_id();
    if (types().is_vector(types().constant(id).type)) id = types().part_of(id, i);
    if (!id || types().constant(id).kind != Constant::Kind::scalar) return false;
    bits = types().constant(id).bits;
    return true;
  }

  bool componentwise(const Inst& inst) {
    const uint32_t traits = op_row(inst.op).traits;
    const uint32_t operands = inst.operands.count;
    if ((traits & kComp) == 0 || operands == 0 || operands > kMaxOperands || inst.result_count == 0 ||
        inst.result_count > kMaxResults)
      return false;
    for (uint32_t i = 0; i < operands; ++i) {
      if (!operand(inst, i).is_constant()) return false;
    }
    const TypeId from = type_of(operand(inst, 0));
    const uint32_t count = types().component_count(from);
    if (count == 0 || types().component_count(result_type(inst)) != count) return false;
    std::array<std::array<ConstId, 4>, kMaxResults> parts;
    for (uint32_t c = 0; c < count; ++c) {
      std::array<uint64_t, kMaxOperands> in{};
      std::array<uint64_t, kMaxResults> out{};
      for (uint32_t i = 0; i < operands; ++i) {
        if (!component(operand(inst, i), c, in[i])) return false;
      }
      const std::span<const uint64_t> in_span(in.data(), operands);
      const std::span<uint64_t> out_span(out.data(), inst.result_count);
      if (!eval::eval_scalar(inst.op, types().scalar_of(from), types().scalar_of(result_type(inst)), inst.payload, in_span,
                             out_span))
        return false;
      for (uint32_t r = 0; r < inst.result_count; ++r)
        parts[r][c] = types().constant_bits(types().scalar(types().scalar_of(result_type(inst, r))), out[r]);
    }
    for (uint32_t r = 0; r < inst.result_count; ++r) {
      const TypeId type = result_type(inst, r);
      const ConstId id =
          count == 1 ? parts[r][0] : types().constant_composite(type, std::span<const ConstId>(parts[r].data(), count));
      replace(inst, r, ValueId::constant(id));
    }
    return true;
  }

  /// Integer operations with a neutral operand. Floats stay: -0 and NaN.
  bool identity(const Inst& inst) {
    if (inst.operands.count != 2 || inst.result_count != 1) return false;
    const ValueId a = operand(inst, 0);
    const ValueId c = operand(inst, 1);
    const TypeId type = type_of(a);
    if (!types().is_numeric(type) || is_float(types().scalar_of(type))) return false;
    const uint32_t width = types().scalar_of(type) == ScalarKind::bool_ ? 1 : width_of(m(), type);
    const uint64_t all = width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
    const auto is = [&](ValueId v, uint64_t bits) { return all_components(m(), v, [bits](uint64_t b) { return b == bits; }); };
    ValueId result;
    switch (inst.op) {
      case Op::add:
      case Op::or_:
      case Op::xor_:
        if (is(c, 0)) result = a;
        if (is(a, 0)) result = c;
        break;
      case Op::sub:
      case Op::shl:
      case Op::lshr:
      case Op::ashr:
        if (is(c, 0)) result = a;
        break;
      case Op::mul:
        if (is(c, 1)) result = a;
        if (is(a, 1)) result = c;
        break;
      case Op::and_:
        if (is(c, all)) result = a;
        if (is(a, all)) result = c;
        break;
      default: break;
    }
    if (!result || type_of(result) != result_type(inst)) return false;
    replace(inst, 0, result);
    return true;
  }

  bool elem(const Inst& inst) {
    ValueId v = operand(inst, 0);
    if (!v.is_constant()) return false;
    ConstId id = v.const_id();
    for (uint32_t i = 1; i < inst.operands.count; ++i) {
      const ValueId step = operand(inst, i);
      if (!step.is_constant()) return false;
      const uint64_t index = types().constant(step.const_id()).bits;
      if (index >= types().part_count(types().constant(id).type)) return false;
      id = types().part_of(id, static_cast<uint32_t>(index));
      if (!id) return false;
    }
    replace(inst, 0, ValueId::constant(id));
    return true;
  }

  bool make(const Inst& inst) {
    const TypeId type = result_type(inst);
    std::vector<ConstId> parts;
    for (ValueId v : mapped_operands(inst)) {
      if (!v.is_constant()) return false;
      const bool flatten = types().is_vector(type) && types().is_vector(type_of(v));
      const uint32_t count = flatten ? types().component_count(type_of(v)) : 1;
      for (uint32_t i = 0; i < count; ++i) parts.push_back(flatten ? types().part_of(v.const_id(), i) : v.const_id());
    }
    if (types().is_vector(type) && parts.size() == 1) parts.resize(types().component_count(type), parts[0]);
    if (parts.size() != types().part_count(type)) return false;
    replace(inst, 0, ValueId::constant(types().constant_composite(type, parts)));
    return true;
  }

  bool shuffle(const Inst& inst) {
    const ValueId a = operand(inst, 0);
    const ValueId c = operand(inst, 1);
    if (!a.is_constant() || !c.is_constant()) return false;
    const uint32_t n = types().component_count(type_of(a));
    const TypeId type = result_type(inst);
    std::vector<ConstId> parts;
    for (uint32_t i = 0; i < types().component_count(type); ++i) {
      const uint32_t from = inst.payload >> (4 * i) & 15;
      const ConstId id = from < n ? a.const_id() : c.const_id();
      parts.push_back(n == 1 ? id : types().part_of(id, from < n ? from : from - n));
    }
    replace(inst, 0, ValueId::constant(parts.size() == 1 ? parts[0] : types().constant_composite(type, parts)));
    return true;
  }

  bool select(const Inst& inst) {
    const ValueId condition = operand(inst, 0);
    const bool yes = all_components(m(), condition, [](uint64_t bits) { return bits != 0; });
    const bool no = all_components(m(), condition, [](uint64_t bits) { return bits == 0; });
    if (!yes && !no) return false;
    replace(inst, 0, operand(inst, yes ? 1 : 2));
    return true;
  }

  bool bitcast(const Inst& inst) {
    const ValueId v = operand(inst, 0);
    const TypeId to = result_type(inst);
    if (type_of(v) == to) {
      replace(inst, 0, v);
      return true;
    }
    const uint32_t count = types().component_count(to);
    if (!v.is_constant() || count == 0 || count != types().component_count(type_of(v))) return false;
    const TypeId scalar = types().scalar(types().scalar_of(to));
    std::vector<ConstId> parts;
    for (uint32_t i = 0; i < count; ++i) {
      uint64_t bits = 0;
      if (!component(v, i, bits)) return false;
      parts.push_back(types().constant_bits(scalar, bits));
    }
    replace(inst, 0, ValueId::constant(count == 1 ? parts[0] : types().constant_composite(to, parts)));
    return true;
  }

  std::vector<const Inst*> frames_;  // open constructs; not null: an `if` that is being dissolved
};

}  // namespace

void fold_constants(PassContext& context) { FoldConstants(context.module).run(); }

}  // namespace carry::pass

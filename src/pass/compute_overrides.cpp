/// What is computed from specialization constants before run time has no guards: targets take any value for operands outside
/// of an operation's domain, or refuse them when the pipeline is made. Functions compute it themselves where that can happen,
/// and where the target lacks `override_read` all of it, from constants that they read through variables. What module level
/// needs (sizes of arrays and workgroups) gets its guards there.
///   before  override %n: i32 @id(0) = 3   %0 = sub %n, 3   %1 = sdiv.x0 5, %0     entry main { ... store %p, %1 ... }
///   after   override %n: i32 @id(0) = 3
///           entry main { %v = var i32 = %n   %x = load %v   %0 = sub %x, 3   %1 = sdiv.x0 5, %0  ... store %p, %1 ... }
#include <algorithm>
#include <unordered_map>

#include "ir/rewriter.h"
#include "pass/build.h"
#include "pass/pass.h"
#include "pass/run_time_value.h"
#include "pass/size_overrides.h"

namespace carry::pass {

namespace {

using ir::GlobalId;
using ir::GlobalKind;
using ir::Inst;
using ir::InstId;
using ir::ValueId;

constexpr uint32_t kRaw = static_cast<uint32_t>(ArithmeticVariant::raw);
constexpr uint32_t kOnes = static_cast<uint32_t>(ArithmeticVariant::ones);

bool is_guarded(const Inst& inst) { return has_trait(inst.op, kVariant) && inst.payload != kRaw; }

/// Gives functions values of their own.
class ComputeOverrides : public ir::Rewriter {
 public:
  explicit ComputeOverrides(PassContext& context)
      : Rewriter(context.module), reads_(context.config.lacks.has(ir::Feature::override_read)) {
    moves_.assign(context.module.globals.size(), false);
    for (InstId id : m().module_insts) {
      const Inst& inst = m().insts[id];
      bool moves = reads_ || is_guarded(inst);
      for (ValueId v : m().operands(inst)) moves = moves || (v.is_global() && moves_[v.index()]);
      for (uint32_t i = 0; i < inst.result_count; ++i) moves_[inst.first_result.index() + i] = moves;
    }
    if (!reads_) return;
    for (GlobalId id : m().global_order) {
      if (m().globals[id].kind == GlobalKind::override_) moves_[id.value] = true;
    }
  }

 protected:
  bool wants(ir::FunctionId id) override {
    used_.assign(moves_.size(), false);
    collect(m().functions[id].body);
    for (size_t i = m().module_insts.size(); i-- > 0;) {
      const Inst& inst = m().insts[m().module_insts[i]];
      bool used = false;
      for (uint32_t r = 0; r < inst.result_count; ++r) used = used || used_[inst.first_result.index() + r];
      if (!used) continue;
      for (ValueId v : m().operands(inst)) use(v);
    }
    return std::find(used_.begin(), used_.end(), true) != used_.end();
  }

  void begin_body() override {
    known_.clear();
    b().set_loc(old_function().loc);
    for (GlobalId id : m().global_order) {
      if (used_[id.value] && m().globals[id].kind == GlobalKind::override_)
        known_[id.value] = run_time_variable(b(), ValueId::global(id));
    }
    for (size_t i = 0; i < m().module_insts.size(); ++i) {
      const Inst inst = m().insts[m().module_insts[i]];
      bool used = false;
      for (uint32_t r = 0; r < inst.result_count; ++r) used = used || used_[inst.first_result.index() + r];
      if (!used) continue;
      b().set_loc(inst.loc);
      std::vector<TypeId> results;
      for (uint32_t r = 0; r < inst.result_count; ++r)
        results.push_back(m().globals[GlobalId(inst.first_result.index() + r)].type);
      const InstId id = b().emit_full(inst.op, results, operands_of(inst), {}, inst.payload, inst.flags);
      for (uint32_t r = 0; r < inst.result_count; ++r) known_[inst.first_result.index() + r] = m().result(m().insts[id], r);
    }
  }

  bool visit(const Inst& inst) override {
    const std::span<const ValueId> all = m().operands(inst);
    const auto moved = [this](ValueId v) { return v.is_global() && known_.count(v.index()) != 0; };
    if (std::none_of(all.begin(), all.end(), moved)) return false;
    keep_with(inst, operands_of(inst));
    return true;
  }

 private:
  void use(ValueId v) {
    if (v.is_global() && moves_[v.index()]) used_[v.index()] = true;
  }
  void collect(ir::RegionId region) {
    for (InstId id : m().regions[region].insts) {
      const Inst& inst = m().insts[id];
      for (ValueId v : m().operands(inst)) use(v);
      for (ir::RegionId r : m().inst_regions(inst)) collect(r);
    }
  }
  std::vector<ValueId> operands_of(const Inst& inst) {
    std::vector<ValueId> operands = mapped_operands(inst);
    for (ValueId& v : operands) {
      if (!v.is_global()) continue;
      const auto found = known_.find(v.index());
      if (found == known_.end()) continue;
      v = m().globals[v.global_id()].kind == GlobalKind::override_ ? b().load(found->second) : found->second;
    }
    return operands;
  }

  bool reads_;
  std::vector<bool> moves_;                      // by global: functions compute it
  std::vector<bool> used_;                       // by global: by this function
  std::unordered_map<uint32_t, ValueId> known_;  // by global: its variable, or its value
};

/// Module-level instructions that types, sizes and initial values need.
class Needed {
 public:
  explicit Needed(const ir::Module& module) : m_(module), needed_(module.globals.size(), false), sizes_(module) {
    for (GlobalId id : m_.global_order) {
      type(m_.globals[id].value_type);
      value(m_.globals[id].init);
    }
    for (ir::FunctionId id : m_.function_order) {
      const ir::Function& f = m_.functions[id];
      if (f.dead) continue;
      for (TypeId t : f.value_types) type(t);
      for (ValueId v : f.entry.workgroup_size) value(v);
      region(f.body);
    }
    for (size_t i = m_.module_insts.size(); i-- > 0;) {
      const Inst& inst = m_.insts[m_.module_insts[i]];
      if (!has(inst)) continue;
      for (ValueId v : m_.operands(inst)) value(v);
    }
  }
  [[nodiscard]] bool has(const Inst& inst) const {
    for (uint32_t r = 0; r < inst.result_count; ++r) {
      if (needed_[inst.first_result.index() + r]) return true;
    }
    return false;
  }

 private:
  void value(ValueId v) {
    if (v && v.is_global()) needed_[v.index()] = true;
  }
  void region(ir::RegionId id) {
    for (InstId i : m_.regions[id].insts) {
      for (ValueId v : m_.operands(m_.insts[i])) value(v);
      for (ir::RegionId r : m_.inst_regions(m_.insts[i])) region(r);
    }
  }
  void type(TypeId id) {
    sizes_.each(id, [this](ValueId v) { value(v); });
  }

  const ir::Module& m_;
  std::vector<bool> needed_;
  SizeOverrides sizes_;
};

/// Guards of what stays at module level: integers of one component.
class ModuleGuards {
 public:
  explicit ModuleGuards(PassContext& context)
      : context_(context), m_(context.module), products_(context.config.lacks.has(ir::Feature::override_read)) {}

  void run() {
    const Needed needed(m_);
    std::vector<bool> dead(m_.globals.size(), false);
    std::vector<InstId> old;
    old.swap(m_.module_insts);
    for (InstId id : old) {
      if (!needed.has(m_.insts[id])) {
        for (uint32_t r = 0; r < m_.insts[id].result_count; ++r) dead[m_.insts[id].first_result.index() + r] = true;
        continue;
      }
      loc_ = m_.insts[id].loc;
      if (is_guarded(m_.insts[id])) guard(id);
      m_.module_insts.push_back(id);
    }
    std::erase_if(m_.global_order, [&](GlobalId id) {
      if (id.value >= dead.size() || !dead[id.value]) return false;
      m_.dead_globals.push_back(id);
      return true;
    });
  }

 private:
  TypeTable& types() { return m_.types(); }
  TypeId type_of(ValueId v) { return v.is_constant() ? types().constant(v.const_id()).type : m_.globals[v.global_id()].type; }
  ValueId bits(TypeId type, uint64_t value) { return ValueId::constant(types().constant_bits(type, value)); }

  ValueId emit(Op op, TypeId type, std::initializer_list<ValueId> operands, uint32_t payload = 0) {
    Inst inst;
    inst.op = op;
    inst.result_count = 1;
    inst.loc = loc_;
    inst.payload = payload;
    inst.operands = m_.add_operands(std::span<const ValueId>(operands.begin(), operands.size()));
    ir::Global g;
    g.kind = GlobalKind::result;
    g.type = type;
    g.loc = loc_;
    inst.first_result = ValueId::global(m_.add_global(std::move(g)));
    m_.module_insts.push_back(m_.insts.add(inst));
    return inst.first_result;
  }
  /// The instruction computes this instead; its result stays the same one.
  void become(InstId id, Op op, std::initializer_list<ValueId> operands, uint32_t payload = 0) {
    const Range<ValueId> list = m_.add_operands(std::span<const ValueId>(operands.begin(), operands.size()));
    Inst& inst = m_.insts[id];
    inst.op = op;
    inst.operands = list;
    inst.payload = payload;
  }

  void guard(InstId id) {
    const Inst inst = m_.insts[id];
    if (!types().is_scalar(m_.globals[inst.first_result.global_id()].type)) return refuse();
    const ValueId a = m_.operand(inst, 0), b = m_.operand(inst, 1);
    switch (inst.op) {
      case Op::shl:
      case Op::lshr:
      case Op::ashr: return shift(id, inst.op, a, b);
      case Op::udiv:
      case Op::urem:
      case Op::sdiv:
      case Op::srem: return division(id, a, b);
      default: return refuse();
    }
  }

  void refuse() {
    context_.error(loc_, diag::not_supported_yet,
                   "this size, from specialization constants: make its value a specialization constant of its own");
  }

  void shift(InstId id, Op op, ValueId value, ValueId count) {
    const TypeId type = type_of(value);
    const uint32_t width = scalar_bits(types().scalar_of(type));
    const bool in_range = count.is_constant() && types().constant(count.const_id()).bits < width;
    if (!in_range) count = emit(Op::and_, type_of(count), {count, bits(type_of(count), width - 1)});
    const bool one = value.is_constant() && types().constant(value.const_id()).bits == 1;
    if (op != Op::shl || (one && type == TypeId::u32) || !products_ || width != 32) return become(id, op, {value, count}, kRaw);
    // An override-expression may not shift out ones or change the sign; a product wraps.
    ValueId power = emit(Op::shl, TypeId::u32, {bits(TypeId::u32, 1), count}, kRaw);
    if (one) return become(id, Op::bitcast, {power});
    if (type != TypeId::u32) power = emit(Op::bitcast, type, {power});
    become(id, Op::mul, {value, power});
  }

  void division(InstId id, ValueId a, ValueId divisor) {
    const Inst inst = m_.insts[id];
    const TypeId type = type_of(a);
    const uint64_t minimum = uint64_t{1} << (scalar_bits(types().scalar_of(type)) - 1), ones = (minimum << 1) - 1;
    const bool is_signed = inst.op == Op::sdiv || inst.op == Op::srem;
    const bool known = divisor.is_constant();
    const uint64_t value = known ? types().constant(divisor.const_id()).bits & ones : 0;
    if (known && value != 0 && !(is_signed && value == ones)) return become(id, inst.op, {a, divisor}, kRaw);
    const ValueId zero = emit(Op::eq, TypeId::bool_, {divisor, bits(type, 0)});
    ValueId unsafe = zero;
    if (is_signed && !(a.is_constant() && types().constant(a.const_id()).bits != minimum)) {
      const ValueId minus_one = emit(Op::eq, TypeId::bool_, {divisor, bits(type, ones)});
      const ValueId smallest = emit(Op::eq, TypeId::bool_, {a, bits(type, minimum)});
      unsafe = emit(Op::or_, TypeId::bool_, {zero, emit(Op::and_, TypeId::bool_, {minus_one, smallest})});
    }
    const ValueId safe = emit(Op::select, type, {unsafe, bits(type, 1), divisor});
    if (inst.payload != kOnes) return become(id, inst.op, {a, safe}, kRaw);
    become(id, Op::select, {zero, bits(type, ones), emit(inst.op, type, {a, safe}, kRaw)});
  }

  PassContext& context_;
  ir::Module& m_;
  bool products_;
  ir::LocId loc_;
};

}  // namespace

void compute_overrides(PassContext& context) {
  ComputeOverrides(context).run();
  ModuleGuards(context).run();
}

}  // namespace carry::pass

#include "ir/rewriter.h"

namespace carry::ir {

void Rewriter::run() {
  const std::vector<FunctionId> order = m_.function_order;
  for (FunctionId id : order) {
    if (!m_.functions[id].dead) run_function(id);
  }
}

void Rewriter::make_params() {
  Function& f = new_function();
  for (size_t i = 0; i < old_.params.size(); ++i) {
    const Param& p = old_.params[i];
    const NameId name = old_.value_names[p.value.index()];
    const ValueId v = b().new_local(old_.value_types[p.value.index()], name);
    f.params[i].value = v;
    replace(p.value, v);
  }
}

void Rewriter::run_function(FunctionId id) {
  if (!wants(id)) return;
  function_ = id;
  Function& f = m_.functions[id];
  old_ = f;
  f.value_types.clear();
  f.value_names.clear();
  map_.assign(old_.value_types.size(), ValueId::none());
  Builder builder(m_, id);
  builder_ = &builder;
  make_params();
  const RegionId body = builder.open_region();
  begin_body();
  rewrite_insts(old_.body);
  builder.close_region();
  m_.functions[id].body = body;
  builder_ = nullptr;
}

ValueId Rewriter::map(ValueId old) const {
  if (!old || !old.is_local()) return old;
  CARRY_CHECK(old.index() < map_.size());
  return map_[old.index()];
}

std::vector<ValueId> Rewriter::mapped_operands(const Inst& inst) const {
  std::vector<ValueId> result;
  result.reserve(inst.operands.count);
  for (ValueId v : m_.operands(inst)) result.push_back(map(v));
  return result;
}

void Rewriter::replace(ValueId old, ValueId with) {
  CARRY_CHECK(old.is_local() && old.index() < map_.size());
  map_[old.index()] = with;
  if (!with.is_local() || with.is_none()) return;
  // The source's name stays with the value unless that has one.
  NameId& name = new_function().value_names[with.index()];
  if (name.is_none()) name = old_.value_names[old.index()];
}

void Rewriter::carry_names(const Inst& inst, InstId to) {
  for (uint32_t i = 0; i < inst.result_count; ++i) replace(inst, i, m_.result(m_.insts[to], i));
}

InstId Rewriter::keep_with(const Inst& inst, std::span<const ValueId> operands, std::span<const RegionId> regions) {
  std::vector<TypeId> results;
  for (uint32_t i = 0; i < inst.result_count; ++i) results.push_back(result_type(inst, i));
  const InstId id = b().emit_full(inst.op, results, operands, regions, inst.payload, inst.flags);
  carry_names(inst, id);
  return id;
}

InstId Rewriter::keep_with(const Inst& inst, std::span<const ValueId> operands) {
  std::vector<RegionId> regions;
  const LocId loc = b().loc();
  for (uint32_t i = 0; i < inst.regions.count; ++i) {
    regions.push_back(rewrite_region(m_.inst_region(inst, i)));
  }
  b().set_loc(loc);
  return keep_with(inst, operands, regions);
}

InstId Rewriter::keep(const Inst& inst) { return keep_with(inst, mapped_operands(inst)); }

RegionId Rewriter::rewrite_region(RegionId old) {
  std::vector<TypeId> params;
  const ValueId first = m_.regions[old].first_param;
  const uint32_t count = m_.regions[old].param_count;
  for (uint32_t i = 0; i < count; ++i) params.push_back(old_type(ValueId(first.value + i)));
  const RegionId region = b().open_region(params);
  for (uint32_t i = 0; i < count; ++i) replace(ValueId(first.value + i), b().region_param(region, i));
  rewrite_insts(old);
  return b().close_region();
}

void Rewriter::rewrite_insts(RegionId old) { rewrite_insts(old, 0); }

void Rewriter::rewrite_insts(RegionId old, size_t first) {
  const RegionId outer_region = old_region_;
  const size_t outer_position = old_position_;
  // The old region does not change: new instructions go to new regions.
  for (size_t i = first; i < m_.regions[old].insts.size() && !b().terminated(); ++i) {
    old_region_ = old;
    old_position_ = i;
    const Inst inst = m_.insts[m_.regions[old].insts[i]];
    b().set_loc(inst.loc);
    if (!visit(inst)) keep(inst);
  }
  old_region_ = outer_region;
  old_position_ = outer_position;
}

namespace {

/// Copies regions of one function into another.
class Copier {
 public:
  Copier(Builder& builder, FunctionId from, LocId call_loc)
      : b_(builder), m_(builder.module()), from_(from), call_loc_(call_loc) {
    map_.assign(m_.functions[from].value_types.size(), ValueId::none());
  }
  void bind(ValueId old, ValueId v) { map_[old.index()] = v; }
  ValueId map(ValueId v) const { return v.is_local() && v ? map_[v.index()] : v; }

  /// Returned values come back in place of a `return` at depth 0.
  ValueId insts(RegionId region, uint32_t depth) {
    for (size_t i = 0; i < m_.regions[region].insts.size(); ++i) {
      const Inst in = m_.insts[m_.regions[region].insts[i]];
      if (depth == 0 && in.op == Op::return_) return in.operands.count == 0 ? ValueId::none() : map(m_.operand(in, 0));
      one(in, depth);
    }
    return ValueId::none();
  }

 private:
  void one(const Inst& in, uint32_t depth) {
    std::vector<ValueId> operands;
    for (ValueId v : m_.operands(in)) operands.push_back(map(v));
    std::vector<RegionId> regions;
    for (uint32_t r = 0; r < in.regions.count; ++r) {
      const RegionId old = m_.inst_region(in, r);
      std::vector<TypeId> params;
      for (uint32_t i = 0; i < m_.regions[old].param_count; ++i)
        params.push_back(type(ValueId(m_.regions[old].first_param.value + i)));
      const RegionId region = b_.open_region(params);
      for (uint32_t i = 0; i < params.size(); ++i)
        take(ValueId(m_.regions[old].first_param.value + i), b_.region_param(region, i));
      insts(old, depth + 1);
      regions.push_back(b_.close_region());
    }
    std::vector<TypeId> results;
    for (uint32_t i = 0; i < in.result_count; ++i) results.push_back(type(ValueId(in.first_result.value + i)));
    b_.set_loc(inlined(in.loc));
    const InstId id = b_.emit_full(in.op, results, operands, regions, in.payload, in.flags);
    for (uint32_t i = 0; i < in.result_count; ++i) take(ValueId(in.first_result.value + i), m_.result(m_.insts[id], i));
  }
  TypeId type(ValueId v) const { return m_.functions[from_].value_types[v.index()]; }
  void take(ValueId old, ValueId v) {
    map_[old.index()] = v;
    b_.set_name(v, m_.functions[from_].value_names[old.index()]);
  }
  LocId inlined(LocId loc) {
    if (!loc || !call_loc_) return loc;
    const LocInfo info = m_.locs[loc];
    return m_.add_loc(info.range, info.inlined_at ? inlined(info.inlined_at) : call_loc_);
  }

  Builder& b_;
  Module& m_;
  FunctionId from_;
  LocId call_loc_;
  std::vector<ValueId> map_;
};

uint32_t count_returns(const Module& m, RegionId region) {
  uint32_t n = 0;
  for (InstId id : m.regions[region].insts) {
    const Inst& in = m.insts[id];
    if (in.op == Op::return_) ++n;
    for (RegionId r : m.inst_regions(in)) n += count_returns(m, r);
  }
  return n;
}

}  // namespace

ValueId inline_call(Builder& builder, FunctionId callee, std::span<const ValueId> args, LocId call_loc) {
  Copier copier(builder, callee, call_loc);
  const Function& f = builder.module().functions[callee];
  for (size_t i = 0; i < args.size(); ++i) copier.bind(f.params[i].value, args[i]);
  const LocId loc = builder.loc();
  const ValueId result = copier.insts(f.body, 0);
  builder.set_loc(loc);
  return result;
}

bool has_single_return(const Module& module, const Function& function) {
  const Region& body = module.regions[function.body];
  return !body.insts.empty() && module.insts[body.insts.back()].op == Op::return_ && count_returns(module, function.body) == 1;
}

FunctionId clone_function(Module& module, FunctionId function) {
  Function copy = module.functions[function];
  copy.value_types.clear();
  copy.value_names.clear();
  const std::vector<Param> params = copy.params;
  copy.params.clear();
  const FunctionId id = module.functions.add(std::move(copy));
  for (size_t i = 0; i < module.function_order.size(); ++i) {
    if (module.function_order[i] != function) continue;
    module.function_order.insert(module.function_order.begin() + static_cast<std::ptrdiff_t>(i) + 1, id);
    break;
  }
  Builder builder(module, id);
  std::vector<ValueId> args;
  for (const Param& p : params) {
    const ValueId v = builder.new_local(module.functions[function].value_types[p.value.index()],
                                        module.functions[function].value_names[p.value.index()]);
    Param q = p;
    q.value = v;
    module.functions[id].params.push_back(q);
    args.push_back(v);
  }
  // Depth 1: returns are copied, not taken.
  Copier copier(builder, function, LocId::none());
  for (size_t i = 0; i < args.size(); ++i) copier.bind(params[i].value, args[i]);
  const RegionId body = builder.open_region();
  copier.insts(module.functions[function].body, 1);
  builder.close_region();
  module.functions[id].body = body;
  return id;
}

}  // namespace carry::ir

// Functions, regions, visibility and terminators (rules 1, 2, 4).
#include "ir/result_types.h"
#include "ir/text_tables.h"
#include "ir/verifier.h"

namespace carry::ir {

namespace {

bool in_pool(uint32_t first, uint32_t count, size_t size) { return count == 0 || (first < size && count <= size - first); }

}  // namespace

bool Verifier::visible(ValueId v) const {
  if (v.is_none()) return false;
  if (v.is_constant()) return v.const_id().value < m_.types().constant_count();
  if (v.is_global()) return m_.globals.contains(v.global_id()) && global_done_[v.index()];
  return v.is_local() && f_ != nullptr && v.index() < local_state_.size() && local_state_[v.index()] == 1;
}

void Verifier::define(ValueId v) {
  if (!v.is_local() || v.index() >= local_state_.size() || local_state_[v.index()] != 0) {
    error(1, "a value is defined twice, or out of range");
    return;
  }
  if (!valid_type(f_->value_types[v.index()])) error(1, "a value has no type");
  local_state_[v.index()] = 1;
  visible_.push_back(v);
}

void Verifier::undefine_from(size_t mark) {
  while (visible_.size() > mark) {
    local_state_[visible_.back().index()] = 2;
    visible_.pop_back();
  }
}

void Verifier::module_insts() {
  for (InstId id : m_.module_insts) {
    inst_ = id;
    if (!m_.insts.contains(id) || seen_inst_[id.value]) {
      error(1, "an instruction stands twice, or does not exist");
      return;
    }
    seen_inst_[id.value] = true;
    const Inst& in = m_.insts[id];
    if (!(in.op < Op::count_) || !has_trait(in.op, kPure)) {
      error(1, "only pure operations stand at module level");
      return;
    }
    if (!operands(in)) return;
    for (ValueId v : m_.operands(in)) {
      if (v.is_global() && m_.globals[v.global_id()].kind == GlobalKind::variable) error(1, "a variable is not a constant");
    }
    op(in);
  }
  inst_ = InstId::none();
}

void Verifier::entry(const Function& f) {
  if (f.entry.stage == Stage::none) error(4, "an entry has no stage");
  if (!f.params.empty() && f.param_io.size() > f.params.size()) error(4, "an entry describes more parameters than it has");
  for (ValueId v : f.entry.workgroup_size) {
    if (!v) continue;
    if (!(v.is_constant() || v.is_global()) || !visible(v) || type_of(v) != TypeId::u32)
      error(4, "a workgroup size is a u32 known before");
  }
}

void Verifier::function(FunctionId id) {
  function_ = id;
  f_ = &m_.functions[id];
  inst_ = InstId::none();
  if (f_->value_names.size() != f_->value_types.size()) error(1, "names and types of the values differ in number");
  if (!valid_type(f_->result)) error(1, "the function has no result type");
  local_state_.assign(f_->value_types.size(), 0);
  visible_.clear();
  frames_.clear();
  for (const Param& p : f_->params) {
    if (!p.value.is_local()) {
      error(1, "a parameter is no local");
      continue;
    }
    define(p.value);
    if (full() || p.mode == ParamMode::value) continue;
    const TypeId t = type_of(p.value);
    if (!t || !m_.types().is_pointer(t) || m_.types()[t].space != Space::function)
      error(4, "a reference parameter is a pointer to function memory");
  }
  if (f_->is_entry) entry(*f_);
  if (!full() && valid_type(f_->result)) region(f_->body, {Frame::Kind::function, nullptr, false}, false);
  f_ = nullptr;
  function_ = FunctionId::none();
  inst_ = InstId::none();
}

void Verifier::region(RegionId id, const Frame& frame, bool keep_params) {
  if (!id || !m_.regions.contains(id) || seen_region_[id.value]) {
    error(1, "a region stands twice, or does not exist");
    return;
  }
  seen_region_[id.value] = true;
  if (frames_.size() > kMaxRegionDepth) {
    error(2, "regions are nested too deeply");
    return;
  }
  const Region& r = m_.regions[id];
  frames_.push_back(frame);
  const size_t mark = visible_.size();
  for (uint32_t i = 0; i < r.param_count && !full(); ++i) define(ValueId(r.first_param.value + i));
  const size_t after_params = visible_.size();
  if (r.insts.empty()) error(2, "a region has no terminator");
  for (size_t i = 0; i < r.insts.size() && !full(); ++i) {
    if (!inst(r.insts[i], i + 1 == r.insts.size())) break;
  }
  undefine_from(keep_params ? after_params : mark);
  frames_.pop_back();
}

bool Verifier::operands(const Inst& in) {
  if (!in_pool(in.operands.first, in.operands.count, m_.operand_pool.size()) ||
      !in_pool(in.regions.first, in.regions.count, m_.region_pool.size())) {
    error(1, "operands or regions are out of range");
    return false;
  }
  const int8_t count = op_row(in.op).operands;
  if (count != kVariableCount && in.operands.count != static_cast<uint32_t>(count)) {
    error(1, "the number of operands is wrong");
    return false;
  }
  for (ValueId v : m_.operands(in)) {
    if (visible(v)) continue;
    error(1, "an operand is not defined here");
    return false;
  }
  return true;
}

bool Verifier::inst(InstId id, bool last) {
  inst_ = id;
  if (!m_.insts.contains(id) || seen_inst_[id.value]) {
    error(1, "an instruction stands twice, or does not exist");
    return false;
  }
  seen_inst_[id.value] = true;
  const Inst& in = m_.insts[id];
  if (!(in.op < Op::count_)) {
    error(1, "unknown operation");
    return false;
  }
  const uint32_t traits = op_row(in.op).traits;
  if (((traits & kTerminator) != 0) != last) {
    error(2, last ? "a region does not end in a terminator" : "something follows a terminator");
    return false;
  }
  if (!operands(in)) return false;
  if ((traits & kTerminator) != 0) {
    terminator(in);
    return true;
  }
  if ((traits & kControl) != 0) {
    control(in);
    inst_ = id;
  } else {
    op(in);
    if (in.regions.count != 0) error(1, "this operation has no regions");
  }
  for (uint32_t i = 0; i < in.result_count && !full(); ++i) define(ValueId(in.first_result.value + i));
  return true;
}

void Verifier::control(const Inst& in) {
  const uint32_t count = in.regions.count;
  for (uint32_t i = 0; i < in.result_count; ++i) {
    const ValueId v(in.first_result.value + i);
    if (!v.is_local() || v.index() >= local_state_.size()) {
      error(1, "a result is out of range");
      return;
    }
  }
  if (in.op == Op::if_) {
    want(type_of(m_.operand(in, 0)) == TypeId::bool_, 1, "the condition is not a bool");
    want(count == 2, 2, "`if` has two regions");
    if (count != 2) return;
    for (RegionId r : m_.inst_regions(in)) region(r, {Frame::Kind::branch, &in, false}, false);
  } else if (in.op == Op::switch_) {
    switch_cases(in);
  } else {
    want(count == 2, 2, "`loop` has two regions");
    if (count != 2) return;
    const RegionId body = m_.inst_region(in, 0);
    if (!m_.regions.contains(body)) {
      error(1, "a region does not exist");
      return;
    }
    values_match(in, m_.operands(in), m_.regions[body].param_count, m_.regions[body].first_param, "initial values");
    const size_t mark = visible_.size();
    region(body, {Frame::Kind::body, &in, false}, true);
    if (!full()) region(m_.inst_region(in, 1), {Frame::Kind::continuing, &in, false}, false);
    undefine_from(mark);
  }
  for (RegionId r : m_.inst_regions(in)) {
    if (in.op != Op::loop && m_.regions.contains(r))
      want(m_.regions[r].param_count == 0, 2, "regions of `if` and `switch` have no parameters");
  }
}

void Verifier::switch_cases(const Inst& in) {
  want(in.operands.count == 1, 1, "`switch` has a selector");
  if (in.payload >= m_.switches.size() || m_.switches[in.payload].cases.size() != in.regions.count || in.operands.count != 1) {
    error(2, "the cases do not fit the regions");
    return;
  }
  const TypeId selector = operand_type(in, 0);
  want(m_.types().is_scalar(selector) && is_int(m_.types().scalar_of(selector)), 1, "the selector is not an integer");
  uint32_t defaults = 0;
  std::unordered_set<uint32_t> labels;
  for (const SwitchCase& c : m_.switches[in.payload].cases) {
    if (c.is_default) ++defaults;
    if (c.labels.empty() && !c.is_default) error(2, "a case has no label");
    for (ConstId label : c.labels) {
      if (!label || label.value >= m_.types().constant_count() || m_.types().constant(label).type != selector) {
        error(2, "a label has another type than the selector");
      } else if (!labels.insert(label.value).second) {
        error(2, "two cases have the same label");
      }
    }
  }
  if (defaults != 1) error(2, "a switch has exactly one default");
  for (uint32_t i = 0; i < in.regions.count && !full(); ++i) {
    region(m_.inst_region(in, i), {Frame::Kind::case_, &in, i + 1 == in.regions.count}, false);
  }
}

void Verifier::values_match(const Inst&, std::span<const ValueId> values, uint32_t count, ValueId first, const char* what) {
  if (values.size() != count) {
    error(2, std::string("the number of ") + what + " is wrong");
    return;
  }
  for (uint32_t i = 0; i < count; ++i) {
    const ValueId v(first.value + i);
    const TypeId t = v.is_local() && v.index() < f_->value_types.size() ? f_->value_types[v.index()] : TypeId::none();
    if (type_of(values[i]) != t) error(2, std::string("the types of ") + what + " are wrong");
  }
}

/// The frame that a terminator goes to, or none.
const Verifier::Frame* Verifier::target(Op op) const {
  using Kind = Frame::Kind;
  if (frames_.empty()) return nullptr;
  const Frame& top = frames_.back();
  if (op == Op::yield) return top.kind == Kind::branch || top.kind == Kind::case_ ? &top : nullptr;
  if (op == Op::fallthrough) return top.kind == Kind::case_ && !top.last_case ? &top : nullptr;
  if (op == Op::next || op == Op::next_if) return top.kind == Kind::continuing ? &top : nullptr;
  for (size_t i = frames_.size(); i-- > 0;) {
    const Kind k = frames_[i].kind;
    if (k == Kind::function || k == Kind::continuing) return nullptr;
    if (op == Op::leave) {
      if (k == Kind::case_) return &frames_[i];
      if (k == Kind::body) return nullptr;
    } else if (k == Kind::body) {
      return &frames_[i];
    }
  }
  return nullptr;
}

bool Verifier::in_continuing() const {
  for (const Frame& f : frames_) {
    if (f.kind == Frame::Kind::continuing) return true;
  }
  return false;
}

void Verifier::terminator(const Inst& in) {
  want(in.result_count == 0 && in.regions.count == 0, 1, "a terminator has no results and no regions");
  const std::span<const ValueId> values = m_.operands(in);
  for (ValueId v : values) {
    const Type& t = m_.types()[type_of(v)];
    if (t.kind == TypeKind::pointer && t.space != Space::physical && t.space != Space::storage)
      error(3, "a pointer is not a value of a region");
  }
  switch (in.op) {
    case Op::return_: {
      want(!in_continuing(), 2, "`return` in a continuing region");
      const bool none = f_->result == TypeId::void_;
      want(values.size() == (none ? 0u : 1u), 2, "the function's result is missing, or too many");
      if (!none && values.size() == 1) want(type_of(values[0]) == f_->result, 2, "the returned value has another type");
      return;
    }
    case Op::terminate:
    case Op::unreachable: want(values.empty(), 1, "this terminator has no operands"); return;
    default: break;
  }
  const Frame* frame = target(in.op);
  if (frame == nullptr || frame->inst == nullptr) {
    error(2, "the terminator's target does not exist");
    return;
  }
  const Inst& to = *frame->inst;
  if (in.op == Op::continue_ || in.op == Op::next || in.op == Op::next_if) {
    const RegionId r = to.regions.count == 2 ? m_.inst_region(to, in.op == Op::continue_ ? 1 : 0) : RegionId::none();
    if (!r || !m_.regions.contains(r)) return;
    const Region& region = m_.regions[r];
    std::span<const ValueId> body = values;
    if (in.op == Op::next_if) {
      if (values.empty() || in.payload > values.size() - 1) {
        error(2, "`next_if` has too few values");
        return;
      }
      want(type_of(values[0]) == TypeId::bool_, 1, "the condition is not a bool");
      body = values.subspan(1, in.payload);
      values_match(in, values.subspan(1 + in.payload), to.result_count, to.first_result, "values for the loop's results");
    }
    values_match(in, body, region.param_count, region.first_param, "values for the region's parameters");
  } else if (in.op == Op::fallthrough) {
    want(values.empty(), 2, "`fallthrough` has no values");
    want(to.result_count == 0, 2, "`fallthrough` in a switch with results");
  } else {
    values_match(in, values, to.result_count, to.first_result, "values for the results");
  }
}

}  // namespace carry::ir

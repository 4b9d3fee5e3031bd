#include "exec/control.h"
#include "exec/decode.h"
#include "exec/memory.h"

namespace carry::exec {

namespace {
constexpr size_t kDeepestFrames = 500;  // nested regions of one function
}

bool Decoder::find_reachable(ir::FunctionId entry, std::vector<bool>& reachable) {
  std::vector<ir::FunctionId> work{entry};
  reachable.assign(module_.functions.size(), false);
  reachable[entry.value] = true;
  std::vector<ir::RegionId> regions;
  while (!work.empty()) {
    const ir::Function& f = module_.functions[work.back()];
    work.pop_back();
    regions.assign(1, f.body);
    while (!regions.empty()) {
      const ir::RegionId region = regions.back();
      regions.pop_back();
      if (!module_.regions.contains(region)) return fail("a function without a body is called");
      for (ir::InstId id : module_.regions[region].insts) {
        const ir::Inst& inst = module_.insts[id];
        for (ir::RegionId inner : module_.inst_regions(inst)) regions.push_back(inner);
        if (inst.op != Op::call || inst.payload >= reachable.size() || reachable[inst.payload]) continue;
        reachable[inst.payload] = true;
        work.push_back(ir::FunctionId(inst.payload));
      }
    }
  }
  return true;
}

bool Decoder::decode_entry(ir::FunctionId entry) {
  std::vector<bool> reachable;
  if (!find_reachable(entry, reachable)) return false;
  program_.functions.resize(module_.functions.size());
  infos_.resize(module_.functions.size());
  for (ir::FunctionId id : module_.function_order) {
    if (!reachable[id.value]) continue;
    decode_function(id);
    if (failed_) return false;
  }
  if (!program_.functions[entry.value].decoded) return fail("the entry is not in the module's function order");
  return !failed_;
}

bool Decoder::decode_module_insts() {
  module_rows_.assign(module_.globals.size(), kNoRow);
  for (ir::GlobalId g : module_.globals.ids()) {
    const ir::Global& global = module_.globals[g];
    if (global.kind != ir::GlobalKind::override_) continue;
    uint64_t bits = global.init.is_constant() ? types_.constant(global.init.const_id()).bits : 0;
    for (const SpecValue& spec : options_.spec) {
      if (spec.id == global.override_id) bits = spec.bits;
    }
    module_rows_[g.value] = bits_row(global.type, {bits});
  }
  RegionCode code;
  region_ = &code;
  code.mask = new_mask();
  for (ir::InstId id : module_.module_insts) {
    if (!has_trait(module_.insts[id].op, kPure)) return fail("a module-level instruction is not pure", id);
    decode_inst(id);
    if (failed_) return false;
  }
  program_.regions.push_back(std::move(code));
  FunctionCode f;
  f.returned = new_mask();
  program_.functions.push_back(f);
  return true;
}

bool Decoder::is_resource_array(TypeId type) const {
  const Type& t = types_[type];
  return t.kind == TypeKind::bindings || (t.kind == TypeKind::pointer && types_.kind(t.element) == TypeKind::bindings);
}

/// What the calls hand in for a parameter: passes give it to one array of resources only.
ir::GlobalId Decoder::resource_of(ir::FunctionId callee, size_t index) const {
  for (ir::FunctionId caller : module_.function_order) {
    const ir::Function& f = module_.functions[caller];
    const ir::ValueId v = f.dead ? ir::ValueId::none() : argument(f.body, callee, index);
    if (v.is_none()) continue;
    if (v.is_global()) return v.global_id();
    for (size_t i = 0; i < f.params.size(); ++i) {
      if (!(f.params[i].value == v)) continue;
      if (!f.is_entry) return resource_of(caller, i);
      return i < f.param_io.size() && !f.param_io[i].empty() ? f.param_io[i][0].resource : ir::GlobalId::none();
    }
  }
  return ir::GlobalId::none();
}

ir::ValueId Decoder::argument(ir::RegionId region, ir::FunctionId callee, size_t index) const {
  for (ir::InstId i : module_.regions[region].insts) {
    const ir::Inst& inst = module_.insts[i];
    if (inst.op == Op::call && inst.payload == callee.value && index < inst.operands.count)
      return module_.operand(inst, static_cast<uint32_t>(index));
    for (ir::RegionId r : module_.inst_regions(inst)) {
      if (const ir::ValueId v = argument(r, callee, index); !v.is_none()) return v;
    }
  }
  return ir::ValueId::none();
}

void Decoder::decode_function(ir::FunctionId id) {
  function_id_ = id;
  function_ = &module_.functions[id];
  const ir::Function& f = *function_;
  locals_.assign(f.value_types.size(), {});
  addresses_.clear();
  FunctionCode& code = program_.functions[id.value];
  code.name = std::string(module_.names().text(f.name));
  code.returned = new_mask();
  FunctionInfo& info = infos_[id.value];
  if (f.result != TypeId::void_ && !f.result.is_none()) info.result_row = alloc(units(f.result));
  RegionCode prologue;
  region_ = &prologue;
  for (size_t i = 0; i < f.params.size(); ++i) {
    const ir::ValueId v = f.params[i].value;
    if (f.is_entry) {
      if (!entry_param(v, i < f.param_io.size() ? f.param_io[i] : std::vector<ir::IoAttr>{})) return;
      continue;
    }
    if (is_resource_array(type_of(v))) {  // known by the calls; nothing is handed over at run time
      info.param_rows.push_back(kNoRow);
      const ir::GlobalId g = resource_of(id, i);
      Pointer p;
      if (!g) return;  // nothing calls the function
      if (!pointer_of(ir::ValueId::global(g), p, {})) return;
      set_pointer(v, p);
      continue;
    }
    const uint32_t row = define(v);
    info.param_rows.push_back(row);
    if (types_.is_pointer(type_of(v))) split_pointer(v, {});
  }
  if (failed_) return;
  const uint32_t body = decode_region(f.body);
  if (failed_) return;
  RegionCode& decoded = program_.regions[body];
  decoded.code.insert(decoded.code.begin(), prologue.code.begin(), prologue.code.end());
  code.body = body;
  code.decoded = true;
}

/// A parameter of an entry hands in a resource, or built-in variables: one, or one a struct member.
bool Decoder::entry_param(ir::ValueId v, const std::vector<ir::IoAttr>& io) {
  const TypeId type = type_of(v);
  if (io.empty()) return fail("an entry parameter says neither built-in variable nor resource");
  if (!io[0].resource.is_none()) {
    Pointer p;
    if (!pointer_of(ir::ValueId::global(io[0].resource), p, {})) return false;
    const Type t = types_[type];
    if (t.kind == TypeKind::pointer) {
      p.type = t.element;
      if (!t.layout.is_none()) p.layout = t.layout;
      set_pointer(v, p);
    } else if (t.kind == TypeKind::bindings) {
      set_pointer(v, p);
    } else if (p.address.mode == MemMode::handle && p.address.object_row != kNoRow) {
      alias(v, p.address.object_row);
    } else {
      return fail("an entry parameter takes a buffer by value");
    }
    return true;
  }
  if (types_.is_pointer(type)) return bind_sizes(v, io[0]);
  const uint32_t row = define(v);
  const bool members = types_.kind(type) == TypeKind::struct_;
  if (members && io.size() != types_.struct_decl(type).members.size())
    return fail("an entry parameter lacks attributes of its members");
  uint64_t unit = 0;
  for (size_t i = 0; i < io.size() && !failed_; ++i) {
    const TypeId part = members ? types_.struct_decl(type).members[i].type : type;
    if (io[i].builtin == BuiltinVar::none) return fail("stage inputs are not supported by the executor yet");
    const uint32_t word = static_cast<uint32_t>(program_.lane_words);
    program_.lane_words += 4;
    program_.builtins.push_back({io[i].builtin, word});
    const uint64_t n = units(part);
    if (n > 4) return fail("an entry parameter of this type is not supported by the executor yet");
    Code& code = emit(op_load_lane_rows, {});
    code.dst = row + static_cast<uint32_t>(unit) * stride_;
    code.a = word;
    code.n = static_cast<uint32_t>(n);
    unit += n;
  }
  return !failed_;
}

uint32_t Decoder::decode_region(ir::RegionId id) {
  if (frames_.size() > kDeepestFrames) {
    fail("regions are nested too deeply for the executor");
    return 0;
  }
  const uint32_t index = static_cast<uint32_t>(program_.regions.size());
  program_.regions.emplace_back();
  RegionCode code;
  code.mask = new_mask();
  program_.regions[index].mask = code.mask;
  RegionCode* outer = region_;
  region_ = &code;
  for (ir::InstId inst : module_.regions[id].insts) {
    decode_inst(inst);
    if (failed_) break;
    if (options_.trace_lane >= 0) note_trace(inst, module_.insts[inst]);
  }
  region_ = outer;
  program_.regions[index] = std::move(code);
  return index;
}

/// Named results, and what is stored where.
void Decoder::note_trace(ir::InstId id, const ir::Inst& inst) {
  ir::ValueId shown;
  ir::ValueId named;
  if (inst.op == Op::store) {
    named = module_.operand(inst, 0);
    shown = module_.operand(inst, 1);
  } else if (inst.result_count == 1) {
    named = shown = module_.result(inst);
  } else {
    return;
  }
  const NameId name = named.is_local()    ? function_->value_names[named.index()]
                      : named.is_global() ? module_.globals[named.global_id()].name
                                          : NameId{};
  const Type& t = types_[type_of(shown)];
  if ((t.kind != TypeKind::scalar && t.kind != TypeKind::vector) || (shown.is_local() && locals_[shown.index()].row == kNoRow))
    return;
  const std::string text(module_.names().text(name));
  if (text.empty() && inst.op != Op::store) return;
  TraceValue value;
  value.inst = id;
  value.row = row_of(shown);
  value.count = t.kind == TypeKind::vector ? t.rows : 1;
  value.kind = t.scalar;
  value.name = text;
  program_.traces.push_back(std::move(value));
}

void Decoder::decode_inst(ir::InstId id) {
  const ir::Inst& inst = module_.insts[id];
  const uint32_t traits = op_row(inst.op).traits;
  if (inst.op == Op::and_ && !module_.result(inst).is_global()) locals_[module_.result(inst).index()].mask = id;
  switch (inst.op) {
    case Op::if_: decode_if(id, inst); return;
    case Op::switch_: decode_switch(id, inst); return;
    case Op::loop: decode_loop(id, inst); return;
    case Op::call: decode_call(id, inst); return;
    case Op::select: decode_select(id, inst); return;
    case Op::elem: decode_elem(id, inst); return;
    case Op::with: decode_with(id, inst); return;
    case Op::make: decode_make(id, inst); return;
    case Op::shuffle: decode_shuffle(id, inst); return;
    case Op::bitcast: decode_bitcast(id, inst); return;
    case Op::barrier: emit(op_barrier, id).aux = inst.payload; return;
    case Op::demote: emit(op_demote, id); return;
    case Op::is_helper: {
      const uint32_t row = define(module_.result(inst));
      emit(op_is_helper, id).dst = row;
      return;
    }
    default: break;
  }
  if ((traits & kTerminator) != 0) {
    decode_terminator(id, inst);
  } else if ((traits & kImage) != 0) {
    decode_image(id, inst);
  } else if ((traits & (kLanes | kDerivative)) != 0) {
    decode_lanes(id, inst);
  } else if ((traits & (kRead | kWrite | kAtomic)) != 0 || inst.op == Op::var || inst.op == Op::at || inst.op == Op::at_byte ||
             inst.op == Op::texel || inst.op == Op::array_length) {
    decode_memory(id, inst);
  } else {
    decode_pure(id, inst);
  }
}

void Decoder::decode_if(ir::InstId id, const ir::Inst& inst) {
  IfCode code;
  code.condition = row_of(module_.operand(inst, 0));
  code.merge = new_mask();
  Frame frame;
  frame.kind = FrameKind::branch;
  frame.merge = code.merge;
  for (uint32_t r = 0; r < inst.result_count; ++r) {
    frame.results.push_back(module_.result(inst, r));
    define(frame.results.back());
  }
  if (failed_) return;
  frames_.push_back(std::move(frame));
  for (uint32_t k = 0; k < 2; ++k) {
    if (k < inst.regions.count) {
      code.regions[k] = decode_region(module_.inst_region(inst, k));
      continue;
    }
    // No else: the lanes go straight to the merge.
    code.regions[k] = static_cast<uint32_t>(program_.regions.size());
    RegionCode empty;
    empty.mask = new_mask();
    RegionCode* outer = region_;
    region_ = &empty;
    jump(id, code.merge, add_copies({}));
    region_ = outer;
    program_.regions.push_back(std::move(empty));
  }
  frames_.pop_back();
  program_.ifs.push_back(code);
  emit(op_if, id).aux = static_cast<uint32_t>(program_.ifs.size() - 1);
}

void Decoder::decode_switch(ir::InstId id, const ir::Inst& inst) {
  SwitchCode code;
  const ir::ValueId selector = module_.operand(inst, 0);
  code.selector = row_of(selector);
  code.wide = is_wide(kind_of(selector));
  code.choice_row = alloc(1);
  code.merge = new_mask();
  const ir::SwitchInfo& info = module_.switches[inst.payload];
  Frame frame;
  frame.kind = FrameKind::switch_;
  frame.merge = code.merge;
  for (uint32_t r = 0; r < inst.result_count; ++r) {
    frame.results.push_back(module_.result(inst, r));
    define(frame.results.back());
  }
  if (failed_) return;
  frames_.push_back(std::move(frame));
  const uint32_t n = inst.regions.count;
  code.regions.resize(n);
  // From the last to the first: a case that falls through must know the next one's mask.
  uint32_t next_mask = kNoRow;
  for (uint32_t k = n; k-- > 0;) {
    frames_.back().fallthrough = next_mask;
    code.regions[k] = decode_region(module_.inst_region(inst, k));
    if (failed_) break;
    next_mask = program_.regions[code.regions[k]].mask;
    const ir::SwitchCase& c = info.cases[k];
    if (c.is_default) code.default_region = k;
    for (ConstId label : c.labels) code.labels.emplace_back(types_.constant(label).bits, k);
  }
  frames_.pop_back();
  const uint64_t cost = code.labels.size();
  program_.switches.push_back(std::move(code));
  emit(op_switch, id, cost).aux = static_cast<uint32_t>(program_.switches.size() - 1);
}

void Decoder::decode_loop(ir::InstId id, const ir::Inst& inst) {
  LoopCode code;
  code.exit = new_mask();
  code.go_on = new_mask();
  code.again = new_mask();
  Frame frame;
  frame.kind = FrameKind::loop;
  frame.merge = code.exit;
  frame.go_on = code.go_on;
  frame.again = code.again;
  frame.body = module_.inst_region(inst, 0);
  frame.continuing = module_.inst_region(inst, 1);
  for (uint32_t r = 0; r < inst.result_count; ++r) {
    frame.results.push_back(module_.result(inst, r));
    define(frame.results.back());
  }
  for (ir::RegionId region : {frame.body, frame.continuing}) {
    const ir::Region& r = module_.regions[region];
    for (uint32_t i = 0; i < r.param_count; ++i) define(ir::ValueId(r.first_param.value + i));
  }
  std::vector<std::pair<uint32_t, ir::ValueId>> pairs;
  const ir::Region& body = module_.regions[frame.body];
  for (uint32_t i = 0; i < body.param_count && i < inst.operands.count; ++i) {
    pairs.emplace_back(row_of(ir::ValueId(body.first_param.value + i)), module_.operand(inst, i));
  }
  if (failed_) return;
  code.init = add_copies(pairs);
  frames_.push_back(frame);
  code.body = decode_region(frame.body);
  if (!failed_) {
    frames_.back().kind = FrameKind::continuing;
    code.continuing = decode_region(frame.continuing);
  }
  frames_.pop_back();
  program_.loops.push_back(code);
  emit(op_loop, id, pairs.size()).aux = static_cast<uint32_t>(program_.loops.size() - 1);
}

void Decoder::decode_call(ir::InstId id, const ir::Inst& inst) {
  if (inst.payload >= program_.functions.size() || !program_.functions[inst.payload].decoded) {
    fail("a function is called before it is defined; recursion cannot run", id);
    return;
  }
  const FunctionInfo& info = infos_[inst.payload];
  CallCode code;
  code.function = inst.payload;
  std::vector<std::pair<uint32_t, ir::ValueId>> pairs;
  for (uint32_t i = 0; i < info.param_rows.size() && i < inst.operands.count; ++i) {
    if (info.param_rows[i] != kNoRow) pairs.emplace_back(info.param_rows[i], module_.operand(inst, i));
  }
  code.args = add_copies(pairs);
  Copies result;
  if (inst.result_count != 0 && info.result_row != kNoRow) {
    const ir::ValueId r = module_.result(inst);
    add_copy(result, type_of(r), define(r), info.result_row);
  }
  program_.copies.push_back(std::move(result));
  code.result = static_cast<uint32_t>(program_.copies.size() - 1);
  program_.calls.push_back(code);
  emit(op_call, id, pairs.size()).aux = static_cast<uint32_t>(program_.calls.size() - 1);
  if (inst.result_count != 0 && info.result_row != kNoRow && types_.is_pointer(type_of(module_.result(inst))))
    split_pointer(module_.result(inst), id);
}

// ---- terminators ----

Decoder::Frame* Decoder::frame(FrameKind kind) {
  for (size_t i = frames_.size(); i-- > 0;) {
    if (frames_[i].kind == kind) return &frames_[i];
  }
  return nullptr;
}

void Decoder::jump(ir::InstId id, uint32_t mask, uint32_t copies) {
  Code& code = emit(op_jump, id, program_.copies[copies].parts.size());
  code.dst = mask;
  code.aux = copies;
}

void Decoder::decode_terminator(ir::InstId id, const ir::Inst& inst) {
  const std::span<const ir::ValueId> values = module_.operands(inst);
  std::vector<std::pair<uint32_t, ir::ValueId>> pairs;
  const auto to_results = [&](const Frame& f) {
    for (size_t i = 0; i < values.size() && i < f.results.size(); ++i) pairs.emplace_back(row_of(f.results[i]), values[i]);
    jump(id, f.merge, add_copies(pairs));
  };
  const auto to_params = [&](ir::RegionId region, uint32_t mask) {
    const ir::Region& r = module_.regions[region];
    for (uint32_t i = 0; i < r.param_count && i < values.size(); ++i)
      pairs.emplace_back(row_of(ir::ValueId(r.first_param.value + i)), values[i]);
    jump(id, mask, add_copies(pairs));
  };
  Frame* f = nullptr;
  switch (inst.op) {
    case Op::yield:
      f = frames_.empty() ? nullptr : &frames_.back();
      if (f != nullptr) to_results(*f);
      break;
    case Op::leave:
      f = frame(FrameKind::switch_);
      if (f != nullptr) to_results(*f);
      break;
    case Op::fallthrough:
      f = frame(FrameKind::switch_);
      if (f != nullptr && f->fallthrough == kNoRow) f = nullptr;
      if (f != nullptr) jump(id, f->fallthrough, add_copies({}));
      break;
    case Op::break_:
      f = frame(FrameKind::loop);
      if (f != nullptr) to_results(*f);
      break;
    case Op::continue_:
      f = frame(FrameKind::loop);
      if (f != nullptr) to_params(f->continuing, f->go_on);
      break;
    case Op::next:
      f = frame(FrameKind::continuing);
      if (f != nullptr) to_params(f->body, f->again);
      break;
    case Op::next_if:
      f = frame(FrameKind::continuing);
      if (f != nullptr) decode_next_if(id, inst, *f);
      break;
    case Op::return_:
      if (!values.empty()) pairs.emplace_back(infos_[function_id_.value].result_row, values[0]);
      jump(id, program_.functions[function_id_.value].returned, add_copies(pairs));
      return;
    case Op::terminate: emit(op_terminate, id); return;
    case Op::unreachable: emit(op_unreachable, id); return;
    default: emit_fault(id, "the executor does not support this terminator yet"); return;
  }
  if (f == nullptr) fail("a terminator without a target", id);
}

void Decoder::decode_next_if(ir::InstId id, const ir::Inst& inst, const Frame& loop) {
  NextIfCode code;
  code.condition = row_of(module_.operand(inst, 0));
  code.again = loop.again;
  code.exit = loop.merge;
  std::vector<std::pair<uint32_t, ir::ValueId>> again;
  std::vector<std::pair<uint32_t, ir::ValueId>> exit;
  const ir::Region& body = module_.regions[loop.body];
  for (uint32_t i = 1; i < inst.operands.count; ++i) {
    const ir::ValueId v = module_.operand(inst, i);
    if (i <= inst.payload) {
      if (i - 1 < body.param_count) again.emplace_back(row_of(ir::ValueId(body.first_param.value + i - 1)), v);
    } else if (i - 1 - inst.payload < loop.results.size()) {
      exit.emplace_back(row_of(loop.results[i - 1 - inst.payload]), v);
    }
  }
  code.again_copies = add_copies(again);
  code.exit_copies = add_copies(exit);
  program_.next_ifs.push_back(code);
  emit(op_next_if, id, again.size() + exit.size()).aux = static_cast<uint32_t>(program_.next_ifs.size() - 1);
}

}  // namespace carry::exec

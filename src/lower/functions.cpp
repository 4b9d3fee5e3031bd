// The module: globals, then functions with callees first, then entries.
#include "lower/function_lowering.h"

namespace carry::lower {

ModuleLowering::ModuleLowering(const Input& input)
    : tree(input.tree),
      facts(input.facts),
      mode(input.mode),
      options(input.options),
      diags(input.diags),
      module(input.context),
      types(input.context.types),
      layouts(input.context.layouts),
      names(input.context.names) {}

ir::Module lower(const Input& input) {
  ModuleLowering lowering(input);
  return lowering.run();
}

void ModuleLowering::unsupported(LocRange at, std::string_view what) { diags.emit(at, diag::not_supported_yet, what); }

void ModuleLowering::too_deep(NodeId at) {
  if (!too_deep_) diags.emit(tree.loc(at), diag::nesting_too_deep, ir::kMaxSourceDepth);
  too_deep_ = true;
}

ir::LocId ModuleLowering::loc_of(NodeId n) {
  const Loc place = tree.loc(n);
  if (!(place == last_loc_place_)) {
    last_loc_place_ = place;
    last_loc_ = module.add_loc({place, {}});
  }
  return last_loc_;
}

ir::Module ModuleLowering::run() {
  if (!hlsl() && !facts.entries.empty()) current_entry = &facts.entries[0];
  assign_bindings();
  declare_globals();
  lower_functions();
  for (const EntryFact& e : facts.entries) {
    current_entry = &e;
    lower_entry(e);
  }
  drop_uncalled_originals();
  flatten_builtins();
  return std::move(module);
}

void ModuleLowering::reach_globals(ir::FunctionId f, std::vector<bool>& reached, std::vector<bool>& seen) {
  std::vector<ir::FunctionId> functions{f};
  std::vector<ir::RegionId> regions;
  while (!functions.empty()) {
    const ir::FunctionId next = functions.back();
    functions.pop_back();
    if (seen[next.value]) continue;
    seen[next.value] = true;
    regions.push_back(module.functions[next].body);
    while (!regions.empty()) {
      const ir::RegionId region = regions.back();
      regions.pop_back();
      for (ir::InstId id : module.regions[region].insts) {
        const ir::Inst& inst = module.insts[id];
        for (ir::ValueId v : module.operands(inst)) {
          if (v.is_global()) reached[v.global_id().value] = true;
        }
        if (inst.op == Op::call) functions.push_back(ir::FunctionId(inst.payload));
        for (ir::RegionId r : module.inst_regions(inst)) regions.push_back(r);
      }
    }
  }
}

/// Built-in integers that functions of a fragment shader read (made before the entry was known).
void ModuleLowering::flatten_builtins() {
  std::vector<bool> fragment(module.globals.size(), false), other(module.globals.size(), false);
  for (ir::FunctionId f : module.function_order) {
    if (!module.functions[f].is_entry) continue;
    std::vector<bool> seen(module.functions.size(), false);
    reach_globals(f, module.functions[f].entry.stage == Stage::fragment ? fragment : other, seen);
  }
  for (ir::GlobalId id : module.global_order) {
    ir::Global& g = module.globals[id];
    if (g.builtin == BuiltinVar::none || g.space != Space::in || !fragment[id.value]) continue;
    TypeId t = g.value_type;
    while (types.kind(t) == TypeKind::array) t = types[t].element;
    if (!is_int(types.scalar_of(t))) continue;
    if (other[id.value]) {
      unsupported(tree.range(facts.functions[facts.entries[0].function].decl),
                  "one built-in input for a fragment shader and another stage in one module");
      return;
    }
    g.flags |= ir::kGlobalFlat;
  }
}

namespace {

ir::ParamMode ir_mode(ParamMode mode) {
  return mode == ParamMode::out ? ir::ParamMode::out : mode == ParamMode::in ? ir::ParamMode::value : ir::ParamMode::inout;
}

}  // namespace

void ModuleLowering::lower_functions() {
  // A GLSL main is the entry itself, unless its interface needs a wrapper.
  const auto is_direct_main = [&](FuncId id) {
    if (hlsl()) return false;
    bool entry = false;
    for (const EntryFact& e : facts.entries) entry = entry || e.function == id;
    if (!entry) return false;
    for (VarId v : used_globals) {
      const Variable& var = facts.variables[v];
      if (var.kind == VarKind::stage_out && is_flattened(var)) return false;
    }
    return true;
  };
  for (FuncId id : facts.function_order) {
    const Function& f = facts.functions[id];
    if (!f.body || is_direct_main(id)) continue;
    NameId name = f.name;
    if ((f.flags & kFuncEntry) != 0) {  // the wrapper has the entry's name
      std::string text(names.text(name));
      name = names.intern(text.append("_body"));
    }
    const ir::FunctionId made = ir::add_function(module, name, ir_type(f.result));
    functions[id.value] = made;
    module.functions[made].loc = loc_of(f.decl);
    if ((f.flags & kFuncMethod) != 0 && (f.flags & kFuncStatic) == 0) {
      ir::add_param(module, made, ir_type(f.this_type), ir::ParamMode::inout, names.intern("this"));
    }
    for (const Parameter& p : f.params) {
      ir::add_param(module, made, ir_type(p.type), ir_mode(p.mode), p.var ? facts.variables[p.var].name : NameId());
    }
    FunctionLowering lowering(*this, made);
    lowering.lower_body(id);
    depths_[id.value] = lowering.deepest_;
  }
}

void ModuleLowering::lower_entry(const EntryFact& entry) {
  ir::Function f;
  f.name = entry.name;
  f.result = TypeId::void_;
  f.is_entry = true;
  f.loc = loc_of(facts.functions[entry.function].decl);
  f.entry.stage = entry.stage;
  static constexpr std::pair<uint32_t, uint32_t> kFlags[] = {{kFactEarlyTests, ir::kEntryEarlyTests},
                                                             {kFactDepthGreater, ir::kEntryDepthGreater},
                                                             {kFactDepthLess, ir::kEntryDepthLess},
                                                             {kFactDepthUnchanged, ir::kEntryDepthUnchanged},
                                                             {kFactSubgroupUniform, ir::kEntrySubgroupUniform},
                                                             {kFactMaximalReconvergence, ir::kEntryMaximalReconvergence},
                                                             {kFactRoundEven16, ir::kEntryRoundEven16},
                                                             {kFactRoundEven32, ir::kEntryRoundEven32},
                                                             {kFactRoundEven64, ir::kEntryRoundEven64}};
  for (const auto& [from, to] : kFlags) {
    if ((entry.flags & from) != 0) f.entry.flags |= to;
  }
  if (entry.stage == Stage::compute) {
    for (uint32_t i = 0; i < 3; ++i) f.entry.workgroup_size[i] = workgroup_size(entry, i);
    // HLSL has derivatives in compute shaders: over 2x2 invocations, else over four in a row.
    const SizeValue* size = entry.workgroup;
    const bool quads = size[0].value % 2 == 0 && size[1].value % 2 == 0;
    const bool rows = uint64_t{size[0].value} * size[1].value * size[2].value % 4 == 0;
    if (hlsl() && (quads || rows) && !size[0].spec && !size[1].spec && !size[2].spec)
      f.entry.flags |= ir::kEntryQuadDerivatives;
  } else if (entry.stage == Stage::fragment) {
    f.entry.flags |= ir::kEntryOriginUpperLeft;
  }
  if (entry.stage == Stage::none) {
    diags.emit(tree.range(facts.functions[entry.function].decl), diag::no_stage, names.text(entry.name));
    return;
  }
  if (entry.stage != Stage::compute && entry.stage != Stage::vertex && entry.stage != Stage::fragment) {
    unsupported(facts.functions[entry.function].decl, "this shader stage");
    return;
  }
  const std::vector<bool> used = used_by(entry.function);
  std::vector<VarId> list;
  for (VarId id : facts.globals) {
    if (used[id.value]) list.push_back(id);
  }
  for (VarId id : list) {
    const Variable& v = facts.variables[id];
    if (v.kind == VarKind::builtin && v.builtin == BuiltinVar::frag_depth) f.entry.flags |= ir::kEntryWritesDepth;
  }
  const ir::FunctionId id = module.functions.add(std::move(f));
  module.function_order.push_back(id);
  FunctionLowering lowering(*this, id);
  if (functions.count(entry.function.value) != 0)
    lowering.lower_wrapper(entry, list);
  else
    lowering.lower_main(entry.function, list);
  if (entry.stage == Stage::compute && (module.functions[id].entry.flags & ir::kEntryQuadDerivatives) == 0)
    refuse_derivatives(entry);
}

void ModuleLowering::refuse_derivatives(const EntryFact& entry) {
  for (uint32_t i = 0; i < module.insts.size(); ++i) {
    const Op op = module.insts[ir::InstId(i)].op;
    if (!has_trait(op, kDerivative) && op != Op::query_lod) continue;
    unsupported(facts.functions[entry.function].decl, "derivatives in workgroups whose size is no multiple of 4");
    return;
  }
}

void FunctionLowering::bind_parameters(FuncId id) {
  const carry::Function& f = facts_.functions[id];
  const ir::Function& made = b_.function();
  uint32_t next = 0;
  std::vector<ValueId> values;
  for (const ir::Param& p : made.params) values.push_back(p.value);
  if ((f.flags & kFuncMethod) != 0 && (f.flags & kFuncStatic) == 0) {
    this_ = values[next++];
    this_type_ = f.this_type;
  }
  for (const Parameter& p : f.params) {
    const ValueId v = values[next++];
    if (!p.var) continue;
    if (p.mode != ParamMode::in) {
      locals_[p.var.value] = v;
      local_is_value_[p.var.value] = false;
      continue;
    }
    const TypeKind k = types_.kind(p.type);
    const bool is_value = types_.is_handle(p.type) || (k == TypeKind::object && !m_.is_reference(p.type));
    locals_[p.var.value] = is_value ? v : b_.var(ir(p.type), v, facts_.variables[p.var].name);
    local_is_value_[p.var.value] = is_value;
  }
}

void FunctionLowering::end_body(FuncId id) {
  if (b_.terminated()) return;
  at(facts_.functions[id].decl);
  if (result_type_ == TypeId::void_)
    b_.terminator(Op::return_);
  else
    b_.emit(Op::return_, TypeId::void_, {b_.zero(ir(result_type_))});
}

void FunctionLowering::lower_body(FuncId id) {
  function_ = id;
  result_type_ = facts_.functions[id].result;
  const ir::RegionId body = b_.open_region();
  at(facts_.functions[id].decl);
  bind_parameters(id);
  block(facts_.functions[id].body);
  end_body(id);
  b_.close_region();
  b_.function().body = body;
}

void FunctionLowering::lower_main(FuncId id, std::span<const VarId> used) {
  function_ = id;
  result_type_ = TypeId::void_;
  const ir::RegionId body = b_.open_region();
  at(facts_.functions[id].decl);
  run_initialisers(used);
  flattened_inputs(used);
  block(facts_.functions[id].body);
  end_body(id);
  b_.close_region();
  b_.function().body = body;
}

namespace {

/// The object that an access chain starts from is `this`, written or implied.
bool starts_at_this(const Tree& tree, const Facts& facts, NodeId n) {
  while (true) {
    const NodeKind k = tree.kind(n);
    if (k == NodeKind::this_expr) return true;
    if (k == NodeKind::name) return facts.node(n).ref == Ref::member;
    if (k != NodeKind::member && k != NodeKind::index && k != NodeKind::paren) return false;
    n = tree.child(n, 0);
  }
}

}  // namespace

bool ModuleLowering::writes_this(FuncId id) {
  if (const auto found = writes_this_.find(id.value); found != writes_this_.end()) return found->second != 0;
  writes_this_[id.value] = 0;  // no recursion in shaders; a cycle was an error already
  const Function& f = facts.functions[id];
  bool writes = false;
  if (f.body) {
    for (uint32_t i = tree.first_in_subtree(f.body).value; i <= f.body.value && !writes; ++i) {
      const NodeId n(i);
      const NodeKind k = tree.kind(n);
      if (k == NodeKind::assign || (k == NodeKind::unary && tree.unary_op(n) >= UnaryOp::pre_inc)) {
        writes = starts_at_this(tree, facts, tree.child(n, 0));
      } else if (facts.node(n).ref == Ref::call) {
        const Call& c = facts.call_of(n);
        for (const Argument& a : facts.args_of(c)) {
          if (a.mode != ParamMode::in && a.node && starts_at_this(tree, facts, a.node)) writes = true;
        }
        if (c.kind == CallKind::user && (facts.functions[c.function].flags & kFuncMethod) != 0 &&
            (!c.object || starts_at_this(tree, facts, c.object))) {
          writes = writes || writes_this(c.function);
        }
      }
    }
  }
  writes_this_[id.value] = writes ? 1 : 0;
  return writes;
}

}  // namespace carry::lower

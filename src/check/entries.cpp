// Entry points.
#include "check/checker.h"

namespace carry::check {
namespace {

constexpr uint32_t kNone = Id<TypeId>::kNone;

constexpr uint16_t kOnlyCompute = 1u << (static_cast<unsigned>(Stage::compute) - 1);

struct StageWord {
  std::string_view text;
  Stage stage;
};
constexpr StageWord kStages[] = {{"vertex", Stage::vertex},
                                 {"hull", Stage::tess_control},
                                 {"domain", Stage::tess_eval},
                                 {"geometry", Stage::geometry},
                                 {"pixel", Stage::fragment},
                                 {"compute", Stage::compute},
                                 {"mesh", Stage::mesh},
                                 {"amplification", Stage::task},
                                 {"raygeneration", Stage::raygen},
                                 {"intersection", Stage::intersection},
                                 {"anyhit", Stage::any_hit},
                                 {"closesthit", Stage::closest_hit},
                                 {"miss", Stage::miss},
                                 {"callable", Stage::callable}};

}  // namespace

void Checker::check_stages() {
  for (const EntryFact& e : facts_.entries) {
    if (e.stage == Stage::none) continue;
    std::vector<bool> seen(facts_.functions.size(), false);
    std::vector<FuncId> work{e.function};
    seen[e.function.value] = true;
    while (!work.empty()) {
      const FuncId f = work.back();
      work.pop_back();
      check_stages_of(f, e.stage);
      for (FuncId callee : facts_.functions[f].callees) {
        if (!seen[callee.value]) work.push_back(callee);
        seen[callee.value] = true;
      }
    }
  }
}

void Checker::check_stages_of(FuncId f, Stage stage) {
  const NodeId body = facts_.functions[f].body;
  if (!body) return;
  for (uint32_t i = tree_.first_in_subtree(body).value; i <= body.value; ++i) {
    const NodeId n(i);
    if (tree_.is(n, NodeKind::discard_stmt) && stage != Stage::fragment)
      diags_.emit(loc(n), diag::misplaced_jump, "discard", "a fragment shader");
    if (facts_.node(n).ref != Ref::call) continue;
    const Call& call = facts_.call_of(n);
    if (call.kind != CallKind::builtin) continue;
    const uint16_t stages = call.form->available.stages;
    const bool other = stages != 0 && (stages >> (static_cast<unsigned>(stage) - 1) & 1u) == 0;
    const builtins::Action& action = builtins::action(*call.form, call.bindings);
    const bool derivative = action.kind == builtins::Action::Kind::op && has_trait(action.op, kDerivative);
    if (other)
      diags_.emit(range(n), diag::misplaced_jump, call.form->name,
                  stages == kOnlyCompute ? "a compute shader" : "a fragment shader");
    else if (derivative && stage == Stage::vertex)
      diags_.emit(range(n), diag::misplaced_jump, call.form->name, "a fragment shader");
  }
}

// A specialization constant with this id, made if the source has none.
VarId Checker::spec_size(uint32_t id, uint32_t value) {
  for (VarId v : facts_.globals) {
    const Variable& var = facts_.variables[v];
    if (var.kind != VarKind::spec_constant || var.constant_id != id) continue;
    if (var.type == TypeId::u32 || var.type == TypeId::i32) return v;
    diags_.emit(loc(var.decl), diag::bad_layout, "constant_id",
                "is the workgroup size's too and so must be of type `uint` or `int`");
  }
  Variable v;
  v.kind = VarKind::spec_constant;
  v.name = NameId(0u);
  v.type = TypeId::u32;
  v.constant_id = id;
  v.flags = kVarConst | kVarUsed;
  v.value = types_.constant_u32(value);
  const VarId made = facts_.variables.add(v);
  facts_.globals.push_back(made);
  return made;
}

bool Checker::unsupported_stage(Stage s, NodeId at) {
  if (s == Stage::none || s == Stage::compute || s == Stage::vertex || s == Stage::fragment) return false;
  std::string_view word = "this";
  for (const StageWord& w : kStages) {
    if (w.stage == s) word = w.text;
  }
  not_yet(at, std::string(word) + " shaders");
  return true;
}

void Checker::find_entries() {
  std::vector<EntryRequest> wanted = options_.entries;
  if (glsl()) {
    if (wanted.empty()) wanted.push_back({names_.intern("main"), Stage::none});
  } else if (wanted.empty()) {
    for (FuncId f : facts_.functions.ids()) {
      if (facts_.functions[f].body && attribute(f, "shader")) wanted.push_back({facts_.functions[f].name, Stage::none});
    }
    if (wanted.empty()) wanted.push_back({names_.intern("main"), Stage::none});
  }
  for (const EntryRequest& r : wanted) {
    const Symbol* s = scopes_.find_in(kGlobalSpace, r.name);
    FuncId found;
    // GLSL's only entry is `main`.
    if (s != nullptr && (hlsl() || text(r.name) == "main") && s->kind == Symbol::Kind::functions) {
      for (FuncId f : sets_[s->index]) {
        if (facts_.functions[f].body) found = f;
      }
    }
    if (!found) {
      if (diags_.has_errors()) continue;
      std::string known;
      for (FuncId f : facts_.functions.ids()) {
        if (!facts_.functions[f].body || known.size() > 200) continue;
        known += (known.empty() ? ": functions are `" : ", `") + std::string(text(facts_.functions[f].name)) + "`";
      }
      if (glsl() && text(r.name) != "main") known = ": in GLSL it is always `main`";
      diags_.emit(loc(tree_.root()), diag::no_entry, text(r.name), known);
      continue;
    }
    add_entry(found, r.stage != Stage::none ? r.stage : options_.stage);
  }
}

void Checker::add_entry(FuncId f, Stage stage) {
  EntryFact e;
  e.function = f;
  e.name = facts_.functions[f].name;
  const NodeId decl = facts_.functions[f].decl;
  facts_.functions[f].flags |= kFuncEntry | kFuncUsed;
  if (hlsl()) {
    if (const NodeId a = attribute(f, "shader"); a && stage == Stage::none) {
      NodeList args;
      tree_.children(a, args);
      if (args.size() > 1) {
        std::string_view t = token_text(args[1]);
        if (t.size() >= 2) t = t.substr(1, t.size() - 2);
        for (const StageWord& w : kStages) {
          if (w.text == t) stage = w.stage;
        }
      }
    }
    if (stage == Stage::none && attribute(f, "numthreads")) stage = Stage::compute;
  }
  e.stage = stage;
  for (const EntryFact& before : facts_.entries) {
    if (before.function == f && before.stage == stage) return;  // asked for twice
  }
  if (unsupported_stage(stage, decl)) return;
  if (glsl()) {
    for (size_t i = 0; i < 3; ++i) {
      e.workgroup[i] = workgroup_[i];
      if (workgroup_ids_[i] != kNone) e.workgroup[i].spec = spec_size(workgroup_ids_[i], workgroup_[i].value);
    }
    e.flags = entry_flags_;
    const Function& fn = facts_.functions[f];
    if ((fn.flags & kFuncSubgroupUniform) != 0) e.flags |= kFactSubgroupUniform;
    if ((fn.flags & kFuncMaximalReconvergence) != 0) e.flags |= kFactMaximalReconvergence;
    if (!fn.params.empty() || fn.result != TypeId::void_)
      diags_.emit(loc(decl), diag::return_mismatch, "main", "takes and returns nothing");
  } else {
    hlsl_entry(f, e);
  }
  facts_.entries.push_back(e);
}

}  // namespace carry::check

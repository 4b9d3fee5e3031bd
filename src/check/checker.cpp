#include "check/checker.h"

#include "check/type_text.h"

namespace carry::check {
namespace {

bool any_extension(const LanguageMode& mode, const Names& names, std::string_view start) {
  for (NameId e : mode.extensions) {
    if (names.text(e).substr(0, start.size()) == start) return true;
  }
  return false;
}

ConversionRules rules_of(const LanguageMode& mode, const Names& names) {
  if (mode.is_hlsl()) return hlsl_conversion_rules(mode);
  ConversionExtensions e;
  e.gpu_shader5 = any_extension(mode, names, "GL_ARB_gpu_shader5") || any_extension(mode, names, "GL_NV_gpu_shader5");
  e.fp64 = any_extension(mode, names, "GL_ARB_gpu_shader_fp64");
  e.int64_arb = any_extension(mode, names, "GL_ARB_gpu_shader_int64");
  e.explicit_types = any_extension(mode, names, "GL_EXT_shader_explicit_arithmetic_types") ||
                     any_extension(mode, names, "GL_AMD_gpu_shader_int16") ||
                     any_extension(mode, names, "GL_AMD_gpu_shader_half_float");
  e.es_implicit = any_extension(mode, names, "GL_EXT_shader_implicit_conversions");
  return glsl_conversion_rules(mode, e);
}

}  // namespace

Checker::Checker(const Input& in)
    : tree_(in.tree),
      sources_(in.sources),
      names_(in.names),
      types_(in.types),
      mode_(in.mode),
      options_(in.options),
      diags_(in.diags),
      rules_(rules_of(in.mode, in.names)),
      fold_(in.types, in.mode.is_hlsl()) {
  facts_.nodes.resize(tree_.size());
  facts_.pack_matrix = options_.pack_matrix;
  if (options_.strict_literals) {
    DiagOptions o = diags_.options();
    for (DiagId id : {DiagId::literal_changes_sign, DiagId::literal_cut, DiagId::hlsl_legacy_literal}) {
      o.state[static_cast<size_t>(id)] = DiagOptions::State::error;
    }
    diags_.set_options(o);
  }
  if (hlsl()) default_uniform_rule_ = options_.cbuffer_layout;
}

Facts Checker::run() {
  check_decls(tree_.root());
  glsl_finish_arrays();
  if (glsl() && options_.all_invariant) glsl_all_invariant();
  find_entries();
  order_functions();
  report_not_yet();
  if (!diags_.has_errors()) check_stages();
  if (glsl() && !diags_.has_errors()) glsl_writeonly_reads();
  one_push_block();
  if (!diags_.has_errors()) refuse_unexplained();
  return std::move(facts_);
}

void Checker::refuse_unexplained() {
  std::vector<bool> explained(facts_.nodes.size(), false);
  for (const NotYet& later : not_yet_) {
    const NodeId body = facts_.functions[later.function].body;
    if (!body || explained[body.value]) continue;
    for (uint32_t i = tree_.first_in_subtree(body).value; i <= body.value; ++i) explained[i] = true;
  }
  for (uint32_t i = 0; i < facts_.nodes.size(); ++i) {
    if (facts_.nodes[i].type == TypeId::error && !explained[i]) return not_yet(NodeId(i), "`" + source_text(NodeId(i)) + "`");
  }
}

void Checker::set_ref(NodeId n, Ref ref, uint32_t index, uint16_t extra) {
  NodeFact& f = fact(n);
  f.ref = ref;
  f.index = index;
  f.extra = extra;
}

std::string Checker::type_text(TypeId t) const { return check::type_text(types_, names_, t, mode_); }

LocRange Checker::range(NodeId n) const {
  const uint32_t first = tree_.first_token(n);
  const uint32_t last = tree_.last_token(n);
  const std::vector<Token>& tokens = tree_.tokens().tokens;
  if (first >= tokens.size() || last >= tokens.size()) return {tree_.loc(n), {}};
  return sources_.range(tokens[first].loc, tokens[last].loc);
}

NodeId Checker::strip_parens(NodeId n) const {
  while (tree_.is(n, NodeKind::paren)) n = tree_.child(n, 0);
  return n;
}

void Checker::not_yet(NodeId n, std::string what) {
  if (function_)
    not_yet_.push_back({function_, n, std::move(what)});
  else
    diags_.emit(range(n), diag::not_supported_yet, std::move(what));
}

// What no entry reaches is not compiled.
void Checker::report_not_yet() {
  for (NotYet& later : not_yet_) {
    if ((facts_.functions[later.function].flags & kFuncUsed) != 0)
      diags_.emit(range(later.at), diag::not_supported_yet, std::move(later.what));
  }
}

void Checker::inherit(NodeId n, NodeId child) {
  fact(n).flags = static_cast<uint8_t>(fact(n).flags | (fact(child).flags & (kFactEffects | kFactCostly | kFactNonUniform)));
}

void Checker::apply_extensions(NodeId n) {
  if (mode_.advance_to(tree_.first_token(n))) rules_ = rules_of(mode_, names_);
}

void Checker::missing(LocRange at, std::string_view what, const Need& need) {
  DiagHandle d = diags_.emit(at, diag::needs_version, what, need_text(need, mode_));
  fix_need(d, need, mode_);
}

bool Checker::needs_extension(NodeId n, std::string_view what, std::string_view extension) {
  if (!has_ext(extension)) {
    missing({loc(n), {}}, what, {.extension = extension});
    return false;
  }
  uses_extension({loc(n), {}}, what, extension);
  return true;
}

void Checker::uses_extension(LocRange at, std::string_view what, std::string_view extension) {
  if (mode_.warned.empty()) return;
  for (NameId w : mode_.warned) {
    if (names_.text(w) == extension) diags_.emit(at, diag::extension_used, what, extension);
  }
}

bool Checker::has_ext(std::string_view name) const {
  for (NameId e : mode_.extensions) {
    if (names_.text(e) == name) return true;
  }
  return false;
}

// Vulkan has one block of push constants.
void Checker::one_push_block() {
  VarId first;
  for (VarId id : facts_.globals) {
    const Variable& v = facts_.variables[id];
    if (v.kind != VarKind::push_block || (v.flags & kVarUsed) == 0) continue;
    if (!first) {
      first = id;
      continue;
    }
    const auto name = [&](VarId of) {
      const Variable& block = facts_.variables[of];
      return std::string(text(text(block.name).empty() ? block.block_name : block.name));
    };
    diags_.emit(loc(v.decl), diag::bad_qualifier, name(id), "is a second block of push constants, after `" + name(first) + "`");
  }
}

}  // namespace carry::check

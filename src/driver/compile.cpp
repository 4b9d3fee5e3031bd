// The pipeline: reading this function is reading the compiler.
#include <algorithm>

#include "driver/compilation.h"
#include "driver/front.h"
#include "driver/stopwatch.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "lang/glsl/grammar.h"
#include "lang/hlsl/grammar.h"
#include "pass/pass.h"
#include "syntax/parser.h"

namespace carry::driver {

namespace {

/// Stages stop at the limit of errors: what they did not look at may have more.
Output failed(Output& out) {
  Emitter& diags = out.compilation->diags;
  const std::vector<Diagnostic>& all = diags.diagnostics();
  const bool said = std::any_of(all.begin(), all.end(), [](const Diagnostic& d) { return d.id == DiagId::too_many_errors; });
  if (diags.at_limit() && !said) diags.emit(LocRange{}, diag::too_many_errors, diags.options().error_limit);
  out.ok = false;
  return std::move(out);
}

/// The optimisations that all targets share.
std::optional<Bug> optimise_early(Compilation& c, const Request& request, Output& out) {
  IrPrinter printer{pass::find_pass(request.print_after), {}, request.print_places ? &c.sources : nullptr, {}};
  const pass::Plan plan = pass::early_plan(request.optimisation == Optimisation::o0 ? 0 : 1);
  const Result<bool> done = pass::run(plan, *c.module, {}, &c.diags, printer.options(false));
  out.ir_text = std::move(printer.text);
  return done.ok() ? std::nullopt : std::optional<Bug>(done.bug());
}

uint64_t size_of(const ir::Module& m) {
  return uint64_t{m.insts.size()} * sizeof(ir::Inst) + m.operand_pool.size() * sizeof(ir::ValueId);
}

}  // namespace

Output compile(const Session& session, const Request& request) {
  static_cast<void>(session);
  Output out;
  Stopwatch watch(request.times ? &out.times : nullptr);
  out.compilation = std::make_unique<Compilation>(request);
  Compilation& c = *out.compilation;
  const SourceId main = c.sources.add_file(request.name, request.text ? request.text : std::make_shared<const std::string>());
  if (!main) return failed(out);

  c.preprocessed = preprocess(c.sources, main, c.context.names, c.diags, preprocess_options(request), request.includes);
  watch.lap("preprocess", c.preprocessed.tokens.tokens.size() * sizeof(Token));
  out.dependencies = c.preprocessed.dependencies;
  if (request.stop_after == StopAfter::preprocess) {
    const auto language = request.language == SourceLanguage::hlsl ? PreprocessLanguage::hlsl : PreprocessLanguage::glsl;
    out.preprocessed_text = preprocessed_text(c.preprocessed, c.sources, c.context.names, language);
    out.ok = !c.diags.has_errors();
    return out;
  }
  if (c.preprocessed.failed) return failed(out);
  fill_mode(c, request);

  const syntax::Grammar& grammar = c.mode.is_hlsl() ? hlsl::grammar() : glsl::grammar();
  c.tree.emplace(syntax::parse(c.preprocessed.tokens, c.context.names, c.sources, c.mode, grammar, c.diags));
  watch.lap("parse", c.tree->size() * sizeof(Node));
  const check::Options options = check_options(c, request);
  c.facts = check::check({*c.tree, c.sources, c.context.names, c.context.types, c.mode, options, c.diags});
  watch.lap("check", c.facts.nodes.size() * sizeof(NodeFact));
  if (c.diags.has_errors()) return failed(out);
  if (request.stop_after == StopAfter::check) {
    out.ok = true;
    return out;
  }

  lower::Options lowering = request.lowering;
  lowering.row_major_default = options.row_major_default;  // #pragma pack_matrix
  c.module.emplace(lower::lower({c.context, *c.tree, c.facts, c.mode, lowering, c.diags}));
  if (c.diags.has_errors()) return failed(out);
  c.module->source_file = c.context.names.intern(request.name);
  watch.lap("lower", size_of(*c.module));
  if (const auto faults = ir::verify(*c.module, 1); !faults.empty()) {
    out.bug = Bug{"lower", "", ir::describe(*c.module, faults[0])};
    return failed(out);
  }
  out.bug = optimise_early(c, request, out);
  watch.lap("optimise", size_of(*c.module));
  if (out.bug) return failed(out);
  out.ok = true;
  if (request.stop_after == StopAfter::lower || !out.ir_text.empty()) return out;
  if (request.stop_after == StopAfter::plan) {
    out.plan_text = describe_plans(c, request);
    return out;
  }
  warn_of_wave_sizes(c);
  write_targets(request, out, watch);
  if (request.reflection) fill_reflection(request, out);
  return out;
}

}  // namespace carry::driver

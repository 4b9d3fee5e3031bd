// The pipeline: reading this function is reading the compiler.
#include "driver/compilation.h"
#include "driver/front.h"
#include "ir/text.h"
#include "ir/verify.h"
#include "lang/glsl/grammar.h"
#include "lang/hlsl/grammar.h"
#include "pass/pass.h"
#include "syntax/parser.h"

namespace carry::driver {

namespace {

Output failed(Output& out) {
  out.ok = false;
  return std::move(out);
}

/// Verifies what lowering made, then the optimisations that all targets share.
std::optional<Bug> optimise_early(Compilation& c, const Request& request) {
  const std::vector<ir::VerifyError> errors = ir::verify(*c.module, 1);
  if (!errors.empty()) return Bug{"lower", "", ir::describe(*c.module, errors[0])};
  const uint32_t level = request.optimisation == Optimisation::o0 ? 0 : 1;
  const Result<bool> done = pass::run(pass::early_plan(level), *c.module, {}, &c.diags, {.verify = false});
  return done.ok() ? std::nullopt : std::optional<Bug>(done.bug());
}

}  // namespace

Output compile(const Session& session, const Request& request) {
  static_cast<void>(session);
  Output out;
  out.compilation = std::make_unique<Compilation>(request);
  Compilation& c = *out.compilation;
  const SourceId main = c.sources.add_file(request.name, request.text ? request.text : std::make_shared<const std::string>());
  if (!main) return failed(out);

  c.preprocessed = preprocess(c.sources, main, c.context.names, c.diags, preprocess_options(request), request.includes);
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
  const check::Options options = check_options(c, request);
  c.facts = check::check({*c.tree, c.sources, c.context.names, c.context.types, c.mode, options, c.diags});
  if (c.diags.has_errors()) return failed(out);
  if (request.stop_after == StopAfter::check) {
    out.ok = true;
    return out;
  }

  c.module.emplace(lower::lower({c.context, *c.tree, c.facts, c.mode, request.lowering, c.diags}));
  if (c.diags.has_errors()) return failed(out);
  c.module->source_file = c.context.names.intern(request.name);
  out.bug = optimise_early(c, request);
  if (out.bug) return failed(out);
  out.ok = true;
  if (request.stop_after == StopAfter::lower) return out;

  for (const target::Target& target : request.targets) {  // one that fails reports for itself, the others go on
    TargetOutput result;
    result.target = target;
    result.ok = write_target(c, request, result, out.bug);
    out.ok = out.ok && result.ok;
    out.targets.push_back(std::move(result));
  }
  return out;
}

}  // namespace carry::driver

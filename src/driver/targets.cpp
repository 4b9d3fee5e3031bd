// One target: its own copy of the module, the passes that its plan names, its writer.
#include "analysis/stage_rules.h"
#include "analysis/uniformity.h"
#include "base/text_sink.h"
#include "driver/front.h"
#include "ir/text.h"
#include "target/limits.h"
#include "target/prepare.h"
#include "write/msl/writer.h"
#include "write/spirv/writer.h"
#include "write/wgsl/writer.h"

namespace carry::driver {

namespace {

#ifdef NDEBUG
constexpr bool kVerifyEachPass = false;  // after the last one only
#else
constexpr bool kVerifyEachPass = true;
#endif

std::string to_bytes(const std::vector<uint32_t>& words) {
  std::string bytes;
  bytes.reserve(words.size() * 4);
  for (uint32_t w : words) {
    for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<char>(w >> shift & 0xffu));
  }
  return bytes;
}

void report_unwritable(Compilation& c, const ir::Module& module, const target::Target& target, ir::InstId id) {
  const ir::Inst& inst = module.insts[id];
  const LocRange range = inst.loc ? module.locs[inst.loc].range : LocRange{};
  c.diags.emit(range, diag::not_supported_yet, "operation `" + std::string(op_row(inst.op).name) + "`").target(target.name);
}

/// False, with an error, when the writer has no spelling for something that is left.
bool check_spellings(Compilation& c, const ir::Module& module, const target::Target& target) {
  ir::InstId missing;
  if (target.family == target::Family::msl) missing = write::msl::first_unwritable(module);
  if (target.family == target::Family::wgsl) missing = write::wgsl::first_unwritable(module);
  if (!missing) return true;
  report_unwritable(c, module, target, missing);
  return false;
}

LocRange range_of(const ir::Module& module, ir::InstId id) {
  const ir::LocId loc = id ? module.insts[id].loc : ir::LocId{};
  return loc ? module.locs[loc].range : LocRange{};
}

/// WGSL leaves some things to some stages, and refuses barriers that its uniformity analysis cannot place. False, with an error for each.
bool check_wgsl(Compilation& c, const ir::Module& module, const target::Target& target) {
  if (target.family != target::Family::wgsl) return true;
  const std::vector<analysis::StageFault> faults = analysis::find_stage_faults(module);
  for (const analysis::StageFault& fault : faults) {
    const LocRange range = fault.loc ? module.locs[fault.loc].range : LocRange{};
    c.diags.emit(range, diag::stage_lacks, fault.what).target(target.name);
  }
  if (!faults.empty()) return false;
  const std::vector<analysis::DivergentBarrier> found = analysis::find_divergent_barriers(module);
  for (const analysis::DivergentBarrier& barrier : found) {
    DiagHandle error = c.diags.emit(range_of(module, barrier.barrier), diag::barrier_not_uniform).target(target.name);
    if (barrier.call) error.note(range_of(module, barrier.call), diag::barrier_reached_from);
    if (barrier.condition) error.note(range_of(module, barrier.condition), diag::condition_not_uniform);
    if (barrier.source) error.note(range_of(module, barrier.source), diag::value_not_uniform, barrier.what);
  }
  if (const ir::LocId coherent = analysis::find_coherent_access(module))
    c.diags.emit(module.locs[coherent].range, diag::coherence_weakened, "WGSL").target(target.name);
  return found.empty();
}

/// An execution barrier beside it: the source promises that all invocations come here.
bool is_beside_barrier(const ir::Module& module, ir::RegionId region, ir::InstId fence) {
  const std::vector<ir::InstId>& insts = module.regions[region].insts;
  bool run_has_fence = false, run_holds = false;
  for (ir::InstId id : insts) {
    const ir::Inst& inst = module.insts[id];
    if (inst.op != Op::barrier) {
      if (run_has_fence && run_holds) return true;
      run_has_fence = run_holds = false;
    } else {
      run_has_fence = run_has_fence || id == fence;
      run_holds = run_holds || ir::BarrierInfo::unpack(inst.payload).exec == ir::Scope::workgroup;
    }
    for (ir::RegionId r : module.inst_regions(inst)) {
      if (is_beside_barrier(module, r, fence)) return true;
    }
  }
  return run_has_fence && run_holds;
}

bool is_beside_barrier(const ir::Module& module, ir::InstId fence) {
  for (ir::FunctionId f : module.function_order) {
    if (!module.functions[f].dead && is_beside_barrier(module, module.functions[f].body, fence)) return true;
  }
  return false;
}

/// Before Metal 3.2 a fence is a barrier, which all invocations must reach. False, with an error for each that some may miss.
bool check_msl(Compilation& c, const ir::Module& module, const target::Target& target) {
  if (target.family != target::Family::msl || target.version >= 302) return true;
  if (const ir::LocId plain = write::msl::first_weakened(module, {.version = target.version}))
    c.diags
        .emit(module.locs[plain].range, diag::coherence_weakened,
              "Metal before 3.2, for structs, matrices, packed vectors and textures,")
        .target(target.name);
  bool ok = true;
  for (const analysis::DivergentBarrier& found : analysis::find_divergent_barriers(module)) {
    const bool is_fence = ir::BarrierInfo::unpack(module.insts[found.barrier].payload).exec == ir::Scope::invocation;
    if (!is_fence || is_beside_barrier(module, found.barrier)) continue;
    ok = false;
    DiagHandle error = c.diags.emit(range_of(module, found.barrier), diag::fence_not_uniform).target(target.name);
    if (found.call) error.note(range_of(module, found.call), diag::barrier_reached_from);
    if (found.condition) error.note(range_of(module, found.condition), diag::condition_not_uniform);
    if (found.source) error.note(range_of(module, found.source), diag::value_not_uniform, found.what);
  }
  return ok;
}

bool find_device_fence(const ir::Module& module, ir::RegionId region, ir::InstId& found) {
  for (ir::InstId id : module.regions[region].insts) {
    const ir::Inst& inst = module.insts[id];
    const ir::BarrierInfo info = ir::BarrierInfo::unpack(inst.payload);
    const bool wide = info.scope == ir::Scope::device || info.scope == ir::Scope::queue_family;
    if (inst.op == Op::barrier && wide && (info.spaces & (ir::kSpaceStorage | ir::kSpaceImage)) != 0) {
      found = id;
      return true;
    }
    for (ir::RegionId r : module.inst_regions(inst)) {
      if (find_device_fence(module, r, found)) return true;
    }
  }
  return false;
}

/// WGSL, and Metal before 3.2, order memory within a workgroup only (semantics: device-fence-weakened).
void warn_of_fences(Compilation& c, const ir::Module& module, const target::Target& target) {
  const bool has_them =
      target.family == target::Family::spirv || (target.family == target::Family::msl && target.version >= 302);
  if (has_them) return;
  for (ir::FunctionId f : module.function_order) {
    ir::InstId found;
    if (module.functions[f].dead || !find_device_fence(module, module.functions[f].body, found)) continue;
    const bool msl = target.family == target::Family::msl;
    c.diags.emit(range_of(module, found), diag::device_fence_weakened, msl ? "Metal before 3.2" : "WGSL").target(target.name);
    return;
  }
}

/// SPIR-V's number of the source language and its version.
write::spirv::DebugOptions debug_options(const Compilation& c, const Request& request) {
  write::spirv::DebugOptions d;
  if (!request.debug_info) return d;
  d.sources = &c.sources;
  d.language = c.mode.is_hlsl() ? 5 : c.mode.profile == GlslProfile::es ? 1 : 2;
  d.language_version = c.mode.is_hlsl() ? request.shader_model * 10 : c.mode.glsl_version;
  d.prefixes = request.debug_prefixes;
  return d;
}

/// Nothing, with an error, when the SPIR-V writer meets an operation without a spelling.
std::string write_module(Compilation& c, const Request& request, const ir::Module& module, const target::Target& target) {
  switch (target.family) {
    case target::Family::spirv: {
      ir::InstId missing;
      const std::vector<uint32_t> words =
          write::spirv::write(module, {.version = target.version, .names = true, .debug = debug_options(c, request)}, &missing);
      if (const std::optional<target::LimitFault> past =
              target::past_limit(target::Limit::ids, target.family, words.size() > 3 ? words[3] : 0)) {
        c.diags.emit(LocRange{}, diag::target_limit, past->most, past->what, past->value, past->way).target(target.name);
        return {};
      }
      if (!missing) return to_bytes(words);
      report_unwritable(c, module, target, missing);
      return {};
    }
    case target::Family::msl: return write::msl::write(module, {.version = target.version});
    case target::Family::wgsl:
      return write::wgsl::write(module,
                                {.subgroups = target.has(target::kExtraSubgroups), .f16 = target.has(target::kExtraF16)});
  }
  return {};
}

/// The module with this entry only, and what it reaches.
Result<bool> keep_entry(ir::Module& module, ir::FunctionId entry) {
  std::vector<ir::FunctionId> order;
  for (ir::FunctionId id : module.function_order) {
    if (module.functions[id].is_entry && id != entry) {
      module.functions[id].dead = true;
    } else {
      order.push_back(id);
    }
  }
  module.function_order = std::move(order);
  const pass::Plan plan{{pass::find_pass("dead_code")}};
  return pass::run(plan, module, {}, nullptr, {.verify = false});
}

/// Clone, passes, writer. False and diagnostics when this target cannot say the module.
bool write_target(Output& output, const Request& request, TargetOutput& out, ir::FunctionId only_entry, Stopwatch& watch) {
  Compilation& c = *output.compilation;
  out.module.emplace(c.module->clone());
  if (only_entry) {
    if (const Result<bool> kept = keep_entry(*out.module, only_entry); !kept.ok()) {
      output.bug = kept.bug();
      return false;
    }
  }
  const std::string label = out.target.name + (out.entry.empty() ? "" : " " + out.entry);
  IrPrinter printer{pass::find_pass(request.print_after), label, request.print_places ? &c.sources : nullptr, {}};
  const Result<bool> prepared =
      target::prepare(*out.module, out.target, level(request.optimisation), &c.diags, printer.options(kVerifyEachPass));
  output.ir_text += printer.text;
  watch.lap(label + ": passes", uint64_t{out.module->insts.size()} * sizeof(ir::Inst));
  if (!prepared.ok()) {
    output.bug = prepared.bug();
    return false;
  }
  if (!prepared.value()) return false;
  if (!check_spellings(c, *out.module, out.target) || !check_wgsl(c, *out.module, out.target) ||
      !check_msl(c, *out.module, out.target))
    return false;
  warn_of_fences(c, *out.module, out.target);
  if (!request.print_after.empty()) return true;
  out.bytes = write_module(c, request, *out.module, out.target);
  watch.lap(label + ": write", out.bytes.size());
  return out.target.family != target::Family::spirv || !out.bytes.empty();
}

std::vector<ir::FunctionId> entries_of(const ir::Module& module) {
  std::vector<ir::FunctionId> entries;
  for (ir::FunctionId id : module.function_order) {
    if (module.functions[id].is_entry && !module.functions[id].dead) entries.push_back(id);
  }
  return entries;
}

std::vector<std::string> names_in_output(const TargetOutput& out) {
  if (out.target.family == target::Family::msl) return write::msl::entry_names(*out.module);
  if (out.target.family == target::Family::wgsl) return write::wgsl::entry_names(*out.module);
  return {};  // as in the source
}

/// "12:5" for the printer of the IR.
std::string place_text(const void* sources, LocRange range) {
  const Place p = static_cast<const SourceMap*>(sources)->place(range.begin);
  return std::to_string(p.line) + ":" + std::to_string(p.column);
}

void describe(TextSink& text, const pass::Plan& plan, ir::FeatureSet lacks) {
  for (pass::PassId id : plan.passes) {
    const pass::PassRow& row = pass::pass_row(id);
    text << "  " << row.name;
    std::string_view separator = "  removes ";
    for (size_t i = 0; i < ir::kFeatureCount; ++i) {
      const ir::Feature f = static_cast<ir::Feature>(i);
      if (!row.removes.has(f) || !lacks.has(f)) continue;
      text << separator << ir::feature_name(f);
      separator = " ";
    }
    text << '\n';
  }
  if (plan.passes.empty()) text << "  no pass\n";
}

}  // namespace

uint32_t level(Optimisation o) { return o == Optimisation::o0 ? 0 : o == Optimisation::o2 ? 2 : 1; }

void IrPrinter::after_pass(void* self, pass::PassId pass, const ir::Module& module) {
  auto* printer = static_cast<IrPrinter*>(self);
  if (pass != printer->wanted) return;
  if (!printer->title.empty()) printer->text += "// " + printer->title + "\n";
  ir::PrintOptions options;
  if (printer->sources != nullptr) options = {&place_text, printer->sources};
  printer->text += ir::print(module, options);
}

pass::RunOptions IrPrinter::options(bool verify) {
  pass::RunOptions options;
  options.verify = verify;
  if (wanted == pass::PassId::count_) return options;
  options.after_pass = &IrPrinter::after_pass;
  options.user = this;
  return options;
}

void warn_of_wave_sizes(Compilation& c) {
  for (const EntryFact& e : c.facts.entries) {
    if (e.wave_sizes.attribute)
      c.diags.emit(c.tree->range(e.wave_sizes.attribute), diag::attribute_left_out, "WaveSize",
                   "no output can ask for a size of subgroups: the host sets it where it makes the pipeline");
  }
}

void write_targets(const Request& request, Output& out, Stopwatch& watch) {
  std::vector<ir::FunctionId> entries{ir::FunctionId::none()};
  if (request.split_entries) entries = entries_of(*out.compilation->module);
  for (const target::Target& target : request.targets) {  // one that fails reports for itself, the others go on
    for (ir::FunctionId entry : entries) {
      TargetOutput result;
      result.target = target;
      if (entry) result.entry = out.compilation->context.names.text(out.compilation->module->functions[entry].name);
      result.ok = write_target(out, request, result, entry, watch);
      out.ok = out.ok && result.ok;
      out.targets.push_back(std::move(result));
    }
  }
}

std::string describe_plans(const Compilation& c, const Request& request) {
  TextSink text;
  text << "all targets\n";
  describe(text, pass::early_plan(request.optimisation == Optimisation::o0 ? 0 : 1), {});
  const ir::Scan scan = ir::scan_features(*c.module);
  for (const target::Target& t : request.targets) {
    text << t.name << '\n';
    const pass::PassConfig config = target::pass_config(t);
    describe(text, pass::plan(scan, config, level(request.optimisation)), config.lacks);
  }
  return text.take();
}

void fill_reflection(const Request& request, Output& out) {
  reflect::Options options;
  options.language = request.language == SourceLanguage::hlsl ? "hlsl" : "glsl";
  options.matrices_by_rows = request.language == SourceLanguage::hlsl;
  out.reflection = reflect::reflect(*out.compilation->module, options);
  for (const TargetOutput& t : out.targets) {
    const std::string name = t.target.name;
    reflect::add_target(*out.reflection, name, t.ok ? &*t.module : nullptr,
                        t.ok ? names_in_output(t) : std::vector<std::string>());
  }
}

}  // namespace carry::driver

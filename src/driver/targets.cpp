// One target: its own copy of the module, the passes that its plan names, its writer.
#include "driver/front.h"
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

uint32_t level(Optimisation o) { return o == Optimisation::o0 ? 0 : o == Optimisation::o2 ? 2 : 1; }

/// False, with an error, when the writer has no spelling for something that is left.
bool check_spellings(Compilation& c, const ir::Module& module, const target::Target& target) {
  ir::InstId missing;
  if (target.family == target::Family::msl) missing = write::msl::first_unwritable(module);
  if (target.family == target::Family::wgsl) missing = write::wgsl::first_unwritable(module);
  if (!missing) return true;
  const ir::Inst& inst = module.insts[missing];
  const LocRange range = inst.loc ? module.locs[inst.loc].range : LocRange{};
  c.diags.emit(range, diag::not_supported_yet, "operation `" + std::string(op_row(inst.op).name) + "`").target(target.name);
  return false;
}

std::string write_module(const ir::Module& module, const target::Target& target) {
  switch (target.family) {
    case target::Family::spirv: return to_bytes(write::spirv::write(module, {.version = target.version, .names = true}));
    case target::Family::msl: return write::msl::write(module, {.version = target.version});
    case target::Family::wgsl:
      return write::wgsl::write(module,
                                {.subgroups = target.has(target::kExtraSubgroups), .f16 = target.has(target::kExtraF16)});
  }
  return {};
}

}  // namespace

bool write_target(Compilation& c, const Request& request, TargetOutput& out, std::optional<Bug>& bug) {
  out.module.emplace(c.module->clone());
  const Result<bool> prepared =
      target::prepare(*out.module, out.target, level(request.optimisation), &c.diags, {.verify = kVerifyEachPass});
  if (!prepared.ok()) {
    bug = prepared.bug();
    return false;
  }
  if (!prepared.value()) return false;
  if (!check_spellings(c, *out.module, out.target)) return false;
  out.bytes = write_module(*out.module, out.target);
  return true;
}

}  // namespace carry::driver

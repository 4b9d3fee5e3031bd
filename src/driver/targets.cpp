// One target: its own copy of the module, the passes that its plan names, its writer.
#include "driver/front.h"
#include "target/prepare.h"
#include "write/msl/writer.h"
#include "write/spirv/writer.h"
#include "write/wgsl/writer.h"

namespace carry::driver {

namespace {

std::string to_bytes(const std::vector<uint32_t>& words) {
  std::string bytes;
  bytes.reserve(words.size() * 4);
  for (uint32_t w : words) {
    for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<char>(w >> shift & 0xffu));
  }
  return bytes;
}

uint32_t spirv_version(const TargetRequest& t) {
  if (t.version != 0) return t.version;
  switch (t.vulkan) {
    case 100: return 0x00010000;
    case 101: return 0x00010300;
    case 103: return 0x00010600;
    case 104: return 0x00010600;
    default: return 0x00010500;
  }
}

}  // namespace

bool write_target(Compilation& c, const Request& request, TargetOutput& out, std::optional<Bug>& bug) {
  target::Target target;
  std::string error;
  if (!target::find_target(out.target.name, target, error)) {
    bug = Bug{"driver", "", error};
    return false;
  }
  out.module.emplace(c.module->clone());
  const uint32_t level = request.optimisation == Optimisation::o0 ? 0 : 1;
  const Result<bool> ready = target::prepare(*out.module, target, level, &c.diags);
  if (!ready.ok()) {
    bug = ready.bug();
    return false;
  }
  if (!ready.value()) return false;
  switch (target.family) {
    case target::Family::spirv:
      out.bytes = to_bytes(write::spirv::write(*out.module, {.version = spirv_version(out.target), .names = true}));
      return true;
    case target::Family::msl:
      out.bytes = write::msl::write(*out.module, {.version = target.version});
      return true;
    case target::Family::wgsl:
      out.bytes = write::wgsl::write(*out.module, {.subgroups = target.has(target::kExtraSubgroups), .f16 = target.has(target::kExtraF16)});
      return true;
  }
  return false;
}

}  // namespace carry::driver

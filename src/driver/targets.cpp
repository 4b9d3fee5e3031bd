// One target: its own copy of the module, the passes that its plan names, its writer.
#include "driver/front.h"
#include "write/spirv/writer.h"

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
  static_cast<void>(bug);
  static_cast<void>(request);
  out.module.emplace(c.module->clone());
  switch (out.target.kind) {
    case TargetKind::spirv:
      out.bytes = to_bytes(write::spirv::write(*out.module, {.version = spirv_version(out.target), .names = true}));
      return true;
    default:
      c.diags.emit(Loc{}, diag::not_supported_yet, "this target").target(out.target.name);
      return false;
  }
}

}  // namespace carry::driver

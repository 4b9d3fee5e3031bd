#include "syntax/needs.h"

namespace carry {

std::string version_text(uint16_t version) {
  std::string s = std::to_string(version / 100);
  s += '.';
  s += static_cast<char>('0' + version / 10 % 10);
  s += static_cast<char>('0' + version % 10);
  return s;
}

std::string need_text(const Need& need, const LanguageMode& mode) {
  std::string text;
  if (need.version > mode.glsl_version) text = (mode.is_es() ? "ESSL " : "GLSL ") + version_text(need.version);
  if (!need.extension.empty()) {
    if (!text.empty()) text += " or ";
    text += "`#extension ";
    text += need.extension;
    text += " : require`";
  }
  if (text.empty()) text = need.other;
  return text;
}

void fix_need(DiagHandle& handle, const Need& need, const LanguageMode& mode) {
  if (!need.extension.empty() && !mode.extension_place.is_none()) {
    std::string line = "#extension ";
    line += need.extension;
    line += " : require\n";
    handle.fix({mode.extension_place, mode.extension_place}, std::move(line));
  } else if (need.version > mode.glsl_version && !mode.version_number.begin.is_none()) {
    handle.fix(mode.version_number, std::to_string(need.version));
  }
}

}  // namespace carry

#include "write/text/names.h"

#include <algorithm>

#include "base/text_sink.h"

namespace carry::write::text {

namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::string legal_name(std::string_view wanted, const NameRules& rules) {
  std::string name;
  for (char c : wanted) {
    const char kept = is_letter(c) || is_digit(c) ? c : '_';
    if (kept == '_' && !rules.double_underscore && !name.empty() && name.back() == '_') continue;
    name.push_back(kept);
  }
  // A leading underscore is refused or reserved in one target or another.
  const size_t first = name.find_first_not_of('_');
  name.erase(0, first == std::string::npos ? name.size() : first);
  if (name.empty()) name = "v";
  if (is_digit(name[0])) name.insert(0, "v");
  if (std::binary_search(rules.words.begin(), rules.words.end(), std::string_view(name))) {
    if (name.back() != '_')
      name.push_back('_');
    else
      name += "1";
  }
  return name;
}

std::string NameScope::take(std::string_view wanted) {
  const std::string base = legal_name(wanted, *rules_);
  if (taken_.insert(base).second) return base;
  uint32_t& n = next_.try_emplace(base, 1).first->second;
  for (;; ++n) {
    TextSink sink;
    sink << base << (base.back() == '_' ? "" : "_") << n;
    if (taken_.insert(sink.text()).second) return sink.take();
  }
}

}  // namespace carry::write::text

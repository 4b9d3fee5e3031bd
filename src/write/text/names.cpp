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

NameScope NameScope::inner() const {
  NameScope scope(*rules_);
  scope.outer_ = this;
  return scope;
}

bool NameScope::try_take(const std::string& name) {
  for (const NameScope* s = outer_; s != nullptr; s = s->outer_) {
    if (s->taken_.count(name) != 0) return false;
  }
  return taken_.insert(name).second;
}

uint32_t NameScope::first_number(const std::string& base) const {
  for (const NameScope* s = this; s != nullptr; s = s->outer_) {
    if (const auto found = s->next_.find(base); found != s->next_.end()) return found->second;
  }
  return 1;
}

std::string NameScope::take(std::string_view wanted) {
  std::string base = legal_name(wanted, *rules_);
  if (try_take(base)) return base;
  for (uint32_t n = first_number(base);; ++n) {
    TextSink sink;
    sink << base << (base.back() == '_' ? "" : "_") << n;
    if (!try_take(sink.text())) continue;
    next_[std::move(base)] = n + 1;
    return sink.take();
  }
}

}  // namespace carry::write::text

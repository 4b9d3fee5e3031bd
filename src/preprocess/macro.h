// Macro definitions.
#pragma once

#include <memory>
#include <vector>

#include "base/names.h"
#include "lex/token.h"

namespace carry {

struct MacroToken {
  static constexpr uint16_t kNoParam = 0xffff;
  Token token;
  uint16_t param = kNoParam;  // index of the parameter that stands here
  bool stringify = false;     // `#param`
  bool paste_after = false;   // followed by `##`
};

enum class MacroKind : uint8_t { object, function, line, file, counter };

struct Macro {
  NameId name;
  Loc loc;  // of the name in its definition
  MacroKind kind = MacroKind::object;
  bool variadic = false;
  bool predefined = false;  // by the language, not by -D
  bool plain = true;        // neither `#` nor `##` in the body
  uint32_t active = 0;      // expansions of it that are being rescanned: its name is not expanded then
  std::vector<NameId> params;
  std::vector<MacroToken> body;
};

/// By name. Definitions stay, so that an expansion outlives an #undef in its arguments.
class MacroTable {
 public:
  [[nodiscard]] Macro* find(uint32_t name) {
    return name < by_name_.size() && by_name_[name] != 0 ? macros_[by_name_[name] - 1].get() : nullptr;
  }
  Macro* define(std::unique_ptr<Macro> macro) {
    const uint32_t name = macro->name.value;
    if (name >= by_name_.size()) by_name_.resize(name + name / 2 + 64, 0);
    macros_.push_back(std::move(macro));
    by_name_[name] = static_cast<uint32_t>(macros_.size());
    return macros_.back().get();
  }
  void undefine(uint32_t name) {
    if (name < by_name_.size()) by_name_[name] = 0;
  }

 private:
  std::vector<std::unique_ptr<Macro>> macros_;
  std::vector<uint32_t> by_name_;  // index + 1
};

}  // namespace carry

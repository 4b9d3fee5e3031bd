// Symbols by name. Namespaces and structs are spaces that live for the whole run and can be asked by name; blocks of a function
// are a stack of local scopes in front of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/names.h"
#include "syntax/tree.h"

namespace carry::check {

struct Symbol {
  enum class Kind : uint8_t { none, variable, type, functions, name_space, template_ };
  Kind kind = Kind::none;
  uint32_t index = 0;  // VarId, TypeId, index of the function set, space
  NodeId decl;
};

using SpaceId = uint32_t;
inline constexpr SpaceId kGlobalSpace = 0;
inline constexpr SpaceId kNoSpace = 0xffffffffu;

class Scopes {
 public:
  Scopes() { spaces_.push_back({kNoSpace, NameId(), {}}); }

  SpaceId make_space(SpaceId parent, NameId name) {
    spaces_.push_back({parent, name, {}});
    return static_cast<SpaceId>(spaces_.size() - 1);
  }
  [[nodiscard]] SpaceId parent(SpaceId space) const { return spaces_[space].parent; }
  [[nodiscard]] NameId name(SpaceId space) const { return spaces_[space].name; }
  void use_space(SpaceId in, SpaceId used) { spaces_[in].used.push_back(used); }

  [[nodiscard]] Symbol* find_in(SpaceId space, NameId name) {
    const auto it = symbols_.find(key(space, name));
    return it == symbols_.end() ? nullptr : &it->second;
  }
  /// In `space`, then in the spaces it uses and those they use: base structs, `using namespace`.
  [[nodiscard]] Symbol* find_with_used(SpaceId space, NameId name) {
    if (Symbol* s = find_in(space, name)) return s;
    std::vector<SpaceId> seen = {space};
    for (size_t i = 0; i < seen.size(); ++i) {
      for (SpaceId used : spaces_[seen[i]].used) {
        if (std::find(seen.begin(), seen.end(), used) != seen.end()) continue;
        if (Symbol* s = find_in(used, name)) return s;
        seen.push_back(used);
      }
    }
    return nullptr;
  }
  Symbol& declare_in(SpaceId space, NameId name, Symbol symbol) { return symbols_[key(space, name)] = symbol; }
  /// From `space` outward, with the namespaces used in each.
  [[nodiscard]] Symbol* find_outward(SpaceId space, NameId name) {
    for (; space != kNoSpace; space = spaces_[space].parent) {
      if (Symbol* s = spaces_[space].used.empty() ? find_in(space, name) : find_with_used(space, name)) return s;
    }
    return nullptr;
  }

  void push() { marks_.push_back(locals_.size()); }
  void pop() {
    locals_.resize(marks_.back());
    marks_.pop_back();
  }
  [[nodiscard]] bool in_local() const { return !marks_.empty(); }
  [[nodiscard]] Symbol* find_local(NameId name) {
    for (size_t i = locals_.size(); i-- > 0;) {
      if (locals_[i].name == name) return &locals_[i].symbol;
    }
    return nullptr;
  }
  [[nodiscard]] Symbol* find_innermost(NameId name) {
    for (size_t i = locals_.size(); i-- > marks_.back();) {
      if (locals_[i].name == name) return &locals_[i].symbol;
    }
    return nullptr;
  }
  void declare_local(NameId name, Symbol symbol) { locals_.push_back({name, symbol}); }

 private:
  struct Space {
    SpaceId parent;
    NameId name;
    std::vector<SpaceId> used;
  };
  struct Local {
    NameId name;
    Symbol symbol;
  };
  static uint64_t key(SpaceId space, NameId name) { return uint64_t{space} << 32 | name.value; }
  std::vector<Space> spaces_;
  std::unordered_map<uint64_t, Symbol> symbols_;
  std::vector<Local> locals_;
  std::vector<size_t> marks_;
};

}  // namespace carry::check

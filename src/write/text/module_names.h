// The names of a module in a text target: entries, globals, functions, structs and their members, and the values of a function.
// Names are taken in one order, so that a name that a user sees (an entry, a resource) yields to none that we make up.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ir/module.h"
#include "write/text/fold.h"
#include "write/text/names.h"

namespace carry::write::text {

struct LocalNameOptions {
  bool names_unused_parts = false;  // also the results without a use of instructions with several
};

class ModuleNames {
 public:
  ModuleNames(const ir::Module& module, const NameRules& rules) : m_(module), rules_(&rules), scope_(rules) {}

  /// Entries choose first. `main`: the name of an entry called so.
  void take_entries(std::string_view main);
  /// Then the globals that `wants` accepts, functions, and computed overrides without a name so far.
  void take_globals(bool (*wants)(const ir::Global&));
  /// Of the live entries, in the order of `function_order`.
  [[nodiscard]] std::vector<std::string> live_entries() const;
  /// Parameters and the values that `plan` does not fold, by local, in the function's own `scope`.
  [[nodiscard]] std::vector<std::string> take_locals(const ir::Function& f, const FoldPlan& plan, NameScope& scope,
                                                     const LocalNameOptions& options) const;

  /// True: the struct is new and has its names now; the writer has to declare it.
  bool add_struct(TypeId id);
  [[nodiscard]] const std::string& struct_name(TypeId id) const { return structs_.find(id.value)->second.name; }
  [[nodiscard]] const std::vector<std::string>& members(TypeId id) const { return structs_.find(id.value)->second.members; }

  [[nodiscard]] const std::string& global(uint32_t index) const { return globals_[index]; }
  [[nodiscard]] const std::string& function(ir::FunctionId id) const { return functions_[id.value]; }
  [[nodiscard]] bool has_fragment() const { return has_fragment_; }
  [[nodiscard]] NameScope& scope() { return scope_; }

 private:
  struct Struct {
    std::string name;
    std::vector<std::string> members;
  };

  const ir::Module& m_;
  const NameRules* rules_;
  NameScope scope_;
  std::vector<std::string> globals_, functions_;
  std::unordered_map<uint32_t, Struct> structs_;
  bool has_fragment_ = false;
};

/// The output without empty lines at its end.
[[nodiscard]] std::string without_trailing_lines(std::string text);

}  // namespace carry::write::text

// Which specialization constants size the arrays in a module's types.
#pragma once

#include <vector>

#include "ir/module.h"

namespace carry::pass {

/// Walks types down to what sizes their arrays; each type once in all.
class SizeOverrides {
 public:
  explicit SizeOverrides(const ir::Module& module) : m_(module), seen_(module.types().size(), false) {}

  /// Calls `f(value)` for every override, or module-level value computed from overrides, that sizes an array in the type.
  template <class F>
  void each(TypeId id, F f) {
    if (!id || id.value >= seen_.size() || seen_[id.value]) return;
    seen_[id.value] = true;
    const Type& t = m_.types()[id];
    if (t.count_override != Id<TypeId>::kNone) f(ir::ValueId(t.count_override));
    each(t.element, f);
    if (t.kind != TypeKind::struct_) return;
    for (const Member& member : m_.types().struct_decl(id).members) each(member.type, f);
  }

 private:
  const ir::Module& m_;
  std::vector<bool> seen_;
};

}  // namespace carry::pass

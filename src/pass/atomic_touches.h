// Which parts of which globals atomics touch. Wants pointers that lead to a global within their function.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "ir/module.h"
#include "pass/memory_shape.h"
#include "pass/pass.h"

namespace carry::pass {

class AtomicTouches {
 public:
  /// Whether an atomic on plain memory of this scalar type counts.
  using Filter = bool (*)(const ir::Inst& inst, TypeId scalar);
  AtomicTouches(PassContext& context, Filter filter) : context_(context), m_(context.module), filter_(filter) {}

  void collect_all();
  /// Null: untouched.
  [[nodiscard]] const Touch* operator[](ir::GlobalId id) const {
    return id.value < touches_.size() ? touches_[id.value].get() : nullptr;
  }

 private:
  struct Path {
    ir::GlobalId global;
    std::vector<uint32_t> steps;
  };
  Path path_of(ir::ValueId v) const;
  void collect(const ir::Function& f, ir::RegionId region);
  void step(const ir::Inst& inst, const ir::Function& f);
  void touch(const ir::Inst& inst, const ir::Function& f);

  PassContext& context_;
  ir::Module& m_;
  Filter filter_;
  std::vector<std::unique_ptr<Touch>> touches_;  // by GlobalId
  std::unordered_map<uint32_t, Path> paths_;     // by local of the function being looked at
};

}  // namespace carry::pass

// What a target's tools take at most (limits.def): a text or module past it would be refused there.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "ir/module.h"
#include "target/target.h"

namespace carry::target {

enum class Limit : uint8_t {
#define LIMIT(name, ...) name,
#include "target/limits.def"
#undef LIMIT
  count_
};

struct LimitFault {
  ir::LocId loc;
  uint64_t most = 0, value = 0;
  std::string_view what, way;
};

/// In: a module in the target's form. Out: one row a kind of limit that it is past, at the first place.
[[nodiscard]] std::vector<LimitFault> find_limit_faults(const ir::Module& module, Family family);
/// The fault if `value` is past the limit, without a place.
[[nodiscard]] std::optional<LimitFault> past_limit(Limit limit, Family family, uint64_t value);

}  // namespace carry::target

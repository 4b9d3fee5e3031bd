#include "ir/module.h"

namespace carry::ir {

namespace {

constexpr std::string_view kStageNames[] = {"none",         "vertex",  "tess_control", "tess_eval", "geometry",
                                            "fragment",     "compute", "mesh",         "task",      "raygen",
                                            "intersection", "any_hit", "closest_hit",  "miss",      "callable"};

constexpr std::string_view kBuiltinNames[] = {
    "none",
#define BUILTIN_VAR(name, type, stages, direction, spirv) #name,
#include "ir/builtin_vars.def"
#undef BUILTIN_VAR
};

template <class T>
Range<T> append(std::vector<T>& pool, std::span<const T> values) {
  const Range<T> range{static_cast<uint32_t>(pool.size()), static_cast<uint32_t>(values.size())};
  // `values` may view the pool itself.
  if (!values.empty() && values.data() >= pool.data() && values.data() < pool.data() + pool.size()) {
    const std::vector<T> copy(values.begin(), values.end());
    pool.insert(pool.end(), copy.begin(), copy.end());
  } else {
    pool.insert(pool.end(), values.begin(), values.end());
  }
  return range;
}

}  // namespace

std::string_view stage_name(Stage s) { return kStageNames[static_cast<size_t>(s)]; }
std::string_view builtin_var_name(BuiltinVar v) { return kBuiltinNames[static_cast<size_t>(v)]; }

Range<ValueId> Module::add_operands(std::span<const ValueId> values) { return append(operand_pool, values); }
Range<RegionId> Module::add_regions(std::span<const RegionId> ids) { return append(region_pool, ids); }

GlobalId Module::add_global(Global global) {
  if (global.kind == GlobalKind::variable) {
    global.type = types().pointer(global.space, global.access, global.value_type, global.layout);
  } else if (!global.value_type) {
    global.value_type = global.type;
  }
  const GlobalId id = globals.add(std::move(global));
  global_order.push_back(id);
  return id;
}

LocId Module::add_loc(LocRange range, LocId inlined_at) {
  if (range.begin.is_none()) return LocId::none();
  if (locs.size() != 0) {
    const LocInfo& last = locs[LocId(locs.size() - 1)];
    if (last.range == range && last.inlined_at == inlined_at) return LocId(locs.size() - 1);
  }
  return locs.add({range, inlined_at});
}

}  // namespace carry::ir

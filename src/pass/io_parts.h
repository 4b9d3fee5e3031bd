// Stage inputs and outputs as the flat list that entry parameters and result structs need: one part a location or built-in
// value. Arrays are taken apart by location, globals that share a location by component are joined.
#pragma once

#include <vector>

#include "ir/builder.h"

namespace carry::pass {

/// A piece of one global inside a part.
struct IoPiece {
  ir::GlobalId global;
  uint32_t element = Id<TypeId>::kNone;  // array element, or none for the whole
  uint32_t component = 0;                // first component in the part
  TypeId type;                           // scalar or vector
};

struct IoPart {
  ir::IoAttr io;
  TypeId type;
  NameId name;
  std::vector<IoPiece> pieces;
};

/// Parts of these globals, built-ins last, locations ascending. `output` of a vertex stage or input of a fragment stage:
/// integers become flat.
[[nodiscard]] std::vector<IoPart> io_parts(ir::Module& m, const std::vector<ir::GlobalId>& globals, bool interpolated);

/// The value of a global from the values of the parts.
[[nodiscard]] ir::ValueId global_from_parts(ir::Builder& b, ir::GlobalId global, const std::vector<IoPart>& parts,
                                            const std::vector<ir::ValueId>& values);
/// The value of a part from the values of the globals (indexed by GlobalId).
[[nodiscard]] ir::ValueId part_from_globals(ir::Builder& b, const IoPart& part, const std::vector<ir::ValueId>& globals);

/// subgroup_eq_mask and kin from lane and size.
[[nodiscard]] ir::ValueId subgroup_mask(ir::Builder& b, ir::BuiltinVar mask, ir::ValueId lane, ir::ValueId size);
/// The mask of all lanes below `end`.
[[nodiscard]] ir::ValueId lanes_below(ir::Builder& b, ir::ValueId end);
[[nodiscard]] bool is_subgroup_mask(ir::BuiltinVar v);

}  // namespace carry::pass

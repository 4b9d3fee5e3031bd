#include "write/text/spelled.h"

#include "ops/conversions.h"

namespace carry::write::text {

namespace {

ir::InstId first_unspelled_in(const ir::Module& m, ir::RegionId region, bool (*is_spelled)(Op)) {
  for (ir::InstId id : m.regions[region].insts) {
    const ir::Inst& inst = m.insts[id];
    if (!is_spelled(inst.op)) return id;
    for (ir::RegionId r : m.inst_regions(inst)) {
      if (const ir::InstId found = first_unspelled_in(m, r, is_spelled)) return found;
    }
  }
  return ir::InstId::none();
}

}  // namespace

bool is_core_operation(Op op) {
  if (is_conversion(op)) return true;
  switch (op) {
    case Op::add:
    case Op::sub:
    case Op::mul:
    case Op::neg:
    case Op::sdiv:
    case Op::udiv:
    case Op::srem:
    case Op::urem:
    case Op::shl:
    case Op::lshr:
    case Op::ashr:
    case Op::and_:
    case Op::or_:
    case Op::xor_:
    case Op::not_:
    case Op::eq:
    case Op::ne:
    case Op::slt:
    case Op::sle:
    case Op::ult:
    case Op::ule:
    case Op::sclamp:
    case Op::uclamp:
    case Op::fclamp:
    case Op::fadd:
    case Op::fsub:
    case Op::fmul:
    case Op::fdiv:
    case Op::frem:
    case Op::fneg:
    case Op::feq:
    case Op::fne:
    case Op::flt:
    case Op::fle:
    case Op::mat_mul:
    case Op::mat_vec:
    case Op::vec_mat:
    case Op::mat_scale:
    case Op::select:
    case Op::elem:
    case Op::with:
    case Op::shuffle:
    case Op::make:
    case Op::var:
    case Op::load:
    case Op::store:
    case Op::at:
    case Op::barrier:
    case Op::demote:
    case Op::call:
    case Op::frexp:
    case Op::modf: return true;
    default: return false;
  }
}

ir::InstId first_unspelled(const ir::Module& module, bool (*is_spelled)(Op)) {
  for (ir::FunctionId id : module.function_order) {
    if (module.functions[id].dead) continue;
    if (const ir::InstId found = first_unspelled_in(module, module.functions[id].body, is_spelled)) return found;
  }
  return ir::InstId::none();
}

}  // namespace carry::write::text

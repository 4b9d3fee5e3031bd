// Handlers of memory ops. Internal to exec/.
#pragma once

#include "exec/machine.h"

namespace carry::exec {

/// Loads: dst = first row, aux = MemAccess. The decoder picks the quick ones where they fit and no check is on.
void op_load(Machine& m, const Code& code);
void op_load_lane_rows(Machine& m, const Code& code);  // lane memory at a fixed place: a: word, n: units
void op_load_word(Machine& m, const Code& code);       // one 32-bit scalar of a fixed buffer
/// Stores: a = first row of the value.
void op_store(Machine& m, const Code& code);
void op_store_lane_rows(Machine& m, const Code& code);
void op_store_word(Machine& m, const Code& code);
/// `var`: a = row of the initial value or kNoRow, b = word in lane memory, n = units, aux = MemAccess.
void op_var(Machine& m, const Code& code);
void op_at(Machine& m, const Code& code);  // aux: AtPlan
void op_at_byte(Machine& m,
                const Code& code);  // aux: AtPlan with the offset row as its step; a second one: the address as written
void op_at_handle(Machine& m, const Code& code);     // dst: handle row, a: index, b: first slot, n: count, aux: 1 = combined
void op_array_length(Machine& m, const Code& code);  // aux: MemAccess; a: stride
/// Pointer value (64-bit row) from an address and back. aux: MemAccess
void op_make_pointer(Machine& m, const Code& code);   // dst: row
void op_split_pointer(Machine& m, const Code& code);  // a: row; dst: offset row; b: object row
/// Atomics: dst (kNoRow: unused), a: operand, b: second operand; n: Op; aux: MemAccess; c: row of `exchanged`
void op_atomic(Machine& m, const Code& code);
/// New value of a read-modify-write. `bits` and `operand` are zero-extended.
[[nodiscard]] uint64_t atomic_result(Op op, ScalarKind kind, uint64_t bits, uint64_t operand);
void op_barrier(Machine& m, const Code& code);  // aux: BarrierInfo::pack
void op_demote(Machine& m, const Code& code);
void op_is_helper(Machine& m, const Code& code);

/// Object of a laid-out address for a lane; garbage ids give the null object.
[[nodiscard]] inline uint32_t object_of(const Machine& m, const Address& a, uint32_t lane) {
  if (a.object_row == kNoRow) return a.object;
  const uint32_t id = m.regs[a.object_row + lane];
  return id < m.objects.size() ? id : 0;
}

}  // namespace carry::exec

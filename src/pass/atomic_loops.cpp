#include "pass/atomic_loops.h"

#include "pass/loops.h"

namespace carry::pass {

using ir::Builder;
using ir::ValueId;

namespace {

TypeId scalar_in(Builder& b, ValueId pointer) {
  const TypeTable& types = b.module().types();
  const TypeId pointee = types[b.type_of(pointer)].element;
  return types.kind(pointee) == TypeKind::atomic ? types[pointee].element : pointee;
}

ValueId as(Builder& b, TypeId type, ValueId v) { return b.type_of(v) == type ? v : b.convert(Op::bitcast, type, v); }

TypeId bits_type(Builder& b, TypeId scalar) {
  TypeTable& types = b.module().types();
  const ScalarKind s = types.scalar_of(scalar);
  if (!is_float(s)) return scalar;
  return scalar_bits(s) == 64 ? TypeId::u64 : scalar_bits(s) == 16 ? TypeId::u16 : TypeId::u32;
}

struct Weak {
  ValueId old, exchanged;
};

Weak weak_cas(Builder& b, ValueId pointer, ValueId expected, ValueId value, uint32_t info) {
  const TypeId results[] = {scalar_in(b, pointer), TypeId::bool_};
  const ValueId operands[] = {pointer, expected, value};
  const ir::InstId id = b.emit_full(Op::atomic_cas_weak, results, operands, {}, info);
  const ir::Inst& inst = b.module().insts[id];
  return {b.module().result(inst, 0), b.module().result(inst, 1)};
}

}  // namespace

ValueId emit_strong_cas(Builder& b, ValueId pointer, ValueId expected, ValueId value, uint32_t info) {
  const TypeId bits = bits_type(b, scalar_in(b, pointer));
  const ValueId old = b.var(bits);
  const ValueId expected_bits = as(b, bits, expected);
  OpenLoop loop(b);
  const Weak weak = weak_cas(b, pointer, expected, value, info);
  const ValueId seen = as(b, bits, weak.old);
  b.store(old, seen);
  const ValueId different = b.binary(Op::ne, seen, expected_bits);
  loop.leave_if(b.binary(Op::or_, weak.exchanged, different));
  loop.close();
  return as(b, scalar_in(b, pointer), b.load(old));
}

ValueId emit_update_loop(Builder& b, ValueId pointer, ValueId operand, Op op, uint32_t info, UpdateFn update) {
  const TypeId memory = scalar_in(b, pointer);
  const TypeId bits = bits_type(b, memory);
  const ValueId first = b.emit(Op::atomic_load, memory, {pointer}, info);
  const ValueId old = b.var(bits, as(b, bits, first));
  OpenLoop loop(b);
  const ValueId current = as(b, memory, b.load(old));
  const Weak weak = weak_cas(b, pointer, current, update(b, current, operand, op), info);
  b.store(old, as(b, bits, weak.old));
  loop.leave_if(weak.exchanged);
  loop.close();
  return as(b, memory, b.load(old));
}

}  // namespace carry::pass

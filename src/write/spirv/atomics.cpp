// Atomics and barriers. Scope and order come from the instruction; the storage bits of the semantics from the pointer.
#include "write/spirv/state.h"

namespace carry::write::spirv {

using ir::AtomicInfo;
using ir::BarrierInfo;
using ir::Inst;
using ir::Order;
using ir::Scope;
using spv::Capability;

Word Writer::scope_id(Scope scope) {
  switch (scope) {
    case Scope::device: return const_u32(static_cast<Word>(spv::Scope::Device));
    case Scope::queue_family: return const_u32(static_cast<Word>(spv::Scope::QueueFamily));
    case Scope::workgroup: return const_u32(static_cast<Word>(spv::Scope::Workgroup));
    case Scope::subgroup: return const_u32(static_cast<Word>(spv::Scope::Subgroup));
    default: return const_u32(static_cast<Word>(spv::Scope::Invocation));
  }
}

Word Writer::semantics_bits(Order order, uint8_t spaces) const {
  constexpr Word kAcquire = 0x2, kRelease = 0x4, kAcquireRelease = 0x8, kUniform = 0x40, kWorkgroup = 0x100, kImage = 0x800;
  if (order == Order::relaxed) return 0;
  Word bits = order == Order::acquire ? kAcquire : order == Order::release ? kRelease : kAcquireRelease;
  if (spaces & ir::kSpaceStorage) bits |= kUniform;
  if (spaces & ir::kSpaceWorkgroup) bits |= kWorkgroup;
  if (spaces & ir::kSpaceImage) bits |= kImage;
  return bits;
}

void Writer::barrier(const Inst& inst) {
  const BarrierInfo info = BarrierInfo::unpack(inst.payload);
  const Word semantics = const_u32(info.spaces == 0 ? 0 : semantics_bits(info.order, info.spaces));
  const Word memory = scope_id(info.scope);
  if (info.exec == Scope::invocation) return body_.inst(spv::Op::OpMemoryBarrier, {memory, semantics});
  const Word exec = scope_id(info.exec);
  if (info.exec == Scope::subgroup) group_capability(Capability::GroupNonUniform);
  body_.inst(spv::Op::OpControlBarrier, {exec, memory, semantics});
}

void Writer::atomic_capabilities(Op op, const Type& pointer, ScalarKind scalar) {
  const bool image = pointer.space == Space::handle;
  if (scalar_bits(scalar) == 64 && is_int(scalar)) {
    capability(Capability::Int64Atomics);
    if (image) capability(Capability::Int64ImageEXT);
    if (image) extension("SPV_EXT_shader_image_int64");
  }
  if (op == Op::atomic_fadd) {
    capability(scalar == ScalarKind::f64   ? Capability::AtomicFloat64AddEXT
               : scalar == ScalarKind::f16 ? Capability::AtomicFloat16AddEXT
                                           : Capability::AtomicFloat32AddEXT);
    extension(scalar == ScalarKind::f16 ? "SPV_EXT_shader_atomic_float16_add" : "SPV_EXT_shader_atomic_float_add");
  }
  if (op == Op::atomic_fmin || op == Op::atomic_fmax) {
    capability(scalar == ScalarKind::f64   ? Capability::AtomicFloat64MinMaxEXT
               : scalar == ScalarKind::f16 ? Capability::AtomicFloat16MinMaxEXT
                                           : Capability::AtomicFloat32MinMaxEXT);
    extension("SPV_EXT_shader_atomic_float_min_max");
  }
}

void Writer::atomic(const Inst& inst) {
  const std::span<const ir::ValueId> ops = m_.operands(inst);
  const Type pointer = m_.types()[type_of(ops[0])];
  Type pointee = m_.types()[pointer.element];
  atomic_capabilities(inst.op, pointer, pointee.scalar);
  const AtomicInfo info = AtomicInfo::unpack(inst.payload);
  const uint8_t spaces = pointer.space == Space::workgroup ? ir::kSpaceWorkgroup
                         : pointer.space == Space::handle  ? ir::kSpaceImage
                                                           : ir::kSpaceStorage;
  const SpvId p = pointer_value(ops[0]);
  const Word scope = scope_id(info.scope);
  const Word semantics = const_u32(semantics_bits(info.order, spaces));
  std::vector<SpvId> values = values_of(ops.subspan(1));
  spv::Op op = spv::Op::OpNop;
  switch (inst.op) {
    case Op::atomic_store: return body_.inst(spv::Op::OpAtomicStore, {p, scope, semantics, values[0]});
    case Op::atomic_load: op = spv::Op::OpAtomicLoad; break;
    case Op::atomic_exchange: op = spv::Op::OpAtomicExchange; break;
    case Op::atomic_add: op = spv::Op::OpAtomicIAdd; break;
    case Op::atomic_sub: op = spv::Op::OpAtomicISub; break;
    case Op::atomic_and: op = spv::Op::OpAtomicAnd; break;
    case Op::atomic_or: op = spv::Op::OpAtomicOr; break;
    case Op::atomic_xor: op = spv::Op::OpAtomicXor; break;
    case Op::atomic_smin: op = spv::Op::OpAtomicSMin; break;
    case Op::atomic_smax: op = spv::Op::OpAtomicSMax; break;
    case Op::atomic_umin: op = spv::Op::OpAtomicUMin; break;
    case Op::atomic_umax: op = spv::Op::OpAtomicUMax; break;
    case Op::atomic_fadd: op = spv::Op::OpAtomicFAddEXT; break;
    case Op::atomic_fmin: op = spv::Op::OpAtomicFMinEXT; break;
    case Op::atomic_fmax: op = spv::Op::OpAtomicFMaxEXT; break;
    default: {  // atomic_cas: SPIR-V wants the new value before the expected one, and no release on failure
      const Order failure = info.order == Order::acq_rel || info.order == Order::acquire ? Order::acquire : Order::relaxed;
      const Word unequal = const_u32(semantics_bits(failure, spaces));
      const SpvId old =
          emit(spv::Op::OpAtomicCompareExchange, type(pointee.kind == TypeKind::atomic ? pointee.element : pointer.element),
               {p, scope, semantics, unequal, values[1], values[0]});
      if (inst.result_count > 1)  // never weak here: exchanged means equal
        locals_[m_.result(inst, 1).index()] = emit(spv::Op::OpIEqual, type(TypeId::bool_), {old, values[0]});
      return finish(inst, old);
    }
  }
  std::vector<Word> words{p, scope, semantics};
  words.insert(words.end(), values.begin(), values.end());
  finish(inst, emit(op, result_type(inst), words));
}

}  // namespace carry::write::spirv

// Atomics and barriers. Memory is declared plain; the pointer is cast at the operation. Metal's one order is relaxed.
#include "write/msl/state.h"

namespace carry::write::msl {

using ir::Inst;
using ir::ValueId;

namespace {

constexpr std::string_view kRelaxed = ", memory_order_relaxed)";

std::string_view function_name(Op op) {
  switch (op) {
    case Op::atomic_load: return "atomic_load_explicit(";
    case Op::atomic_store: return "atomic_store_explicit(";
    case Op::atomic_exchange: return "atomic_exchange_explicit(";
    case Op::atomic_add:
    case Op::atomic_fadd: return "atomic_fetch_add_explicit(";
    case Op::atomic_sub: return "atomic_fetch_sub_explicit(";
    case Op::atomic_and: return "atomic_fetch_and_explicit(";
    case Op::atomic_or: return "atomic_fetch_or_explicit(";
    case Op::atomic_xor: return "atomic_fetch_xor_explicit(";
    case Op::atomic_smin:
    case Op::atomic_umin: return "atomic_fetch_min_explicit(";
    default: return "atomic_fetch_max_explicit(";
  }
}

/// The type that the operation works in: min and max by the opcode's sign, floats by their bits except for a float add.
ScalarKind working_type(Op op, ScalarKind memory) {
  if (op == Op::atomic_fadd) return ScalarKind::f32;
  if (op == Op::atomic_smin || op == Op::atomic_smax) return ScalarKind::i32;
  if (op == Op::atomic_umin || op == Op::atomic_umax) return scalar_bits(memory) == 64 ? ScalarKind::u64 : ScalarKind::u32;
  if (memory == ScalarKind::f32) return ScalarKind::u32;
  return memory;
}

}  // namespace

std::string Writer::atomic_pointer(ValueId pointer, ScalarKind as) {
  const Type& p = m_.types()[type_of(pointer)];
  const char* word = as == ScalarKind::i32   ? "atomic_int"
                     : as == ScalarKind::f32 ? "atomic_float"
                     : as == ScalarKind::u64 ? "atomic_ulong"
                                             : "atomic_uint";
  return element_pointer(pointer, "(" + std::string(address_space(p)) + " " + word + "*)&");
}

/// The cast address of what a pointer names.
std::string Writer::element_pointer(ValueId pointer, const std::string& cast) {
  // A component of a vector has no address of its own in Metal.
  const ir::InstId definition = pointer.is_local() ? fold_->definition(pointer) : ir::InstId::none();
  if (definition && m_.insts[definition].op == Op::at) {
    const std::span<const ValueId> ops = m_.operands(m_.insts[definition]);
    TypeId t = m_.types()[type_of(ops[0])].element;
    for (size_t i = 1; i + 1 < ops.size(); ++i) {
      t = m_.types().part(t, ops[i].is_constant() ? static_cast<uint32_t>(m_.types().constant(ops[i].const_id()).bits) : 0);
    }
    if (m_.types().is_vector(t)) {
      const std::string vector = steps(place(ops[0]), m_.types()[type_of(ops[0])].element, ops.subspan(1, ops.size() - 2));
      return "(" + cast + vector + " + " + operand(value(ops[ops.size() - 1]), Prec::add, true) + ")";
    }
  }
  return cast + place(pointer);
}

/// What a load or store names. Volatile memory, and coherent memory before Metal 3.2, are reached through a volatile pointer.
std::string Writer::accessed(const Inst& inst) {
  const ValueId pointer = m_.operand(inst, 0);
  const uint32_t flags = options_.version >= 302 ? ir::kVolatile : ir::kVolatile | ir::kCoherent;
  if ((inst.flags & flags) == 0 || !has_volatile_pointer(m_.types(), type_of(pointer))) return place(pointer);
  const Type& p = m_.types()[type_of(pointer)];
  return "*" + element_pointer(pointer, "(volatile " + std::string(address_space(p)) + " " + type(p.element) + "*)&");
}

Expr Writer::atomic(const Inst& inst) {
  const std::span<const ValueId> ops = m_.operands(inst);
  if (m_.types()[type_of(ops[0])].space == Space::handle) return texel_atomic(inst);
  const TypeId memory = m_.types()[type_of(ops[0])].element;
  const ScalarKind s = m_.types().scalar_of(memory);
  const ScalarKind as = working_type(inst.op, s);
  // 64-bit minimum and maximum have no result and no "fetch" in their names.
  if (as == ScalarKind::u64) {
    const char* name = inst.op == Op::atomic_umin ? "atomic_min_explicit(" : "atomic_max_explicit(";
    return {name + atomic_pointer(ops[0], as) + ", " + arg(ops[1]) + std::string(kRelaxed)};
  }
  const TypeId as_id = m_.types().scalar(as);
  std::string text(function_name(inst.op));
  text += atomic_pointer(ops[0], as);
  for (size_t i = 1; i < ops.size(); ++i) {
    const std::string v = arg(ops[i]);
    text += ", " + (type_of(ops[i]) == as_id ? v : "as_type<" + type(as_id) + ">(" + v + ")");
  }
  text += kRelaxed;
  if (inst.result_count != 0 && !(result_type(inst) == as_id)) text = "as_type<" + type(result_type(inst)) + ">(" + text + ")";
  return {std::move(text)};
}

void Writer::atomic_statement(ir::InstId id) {
  const Inst& inst = m_.insts[id];
  if (inst.op == Op::atomic_cas_weak) return weak_exchange(inst);
  const Expr call = atomic(inst);
  if (inst.result_count == 0 || fold_->uses(inst.first_result) == 0) {
    line(call.text + ";");
  } else {
    bind(inst.first_result, call);
  }
  if (fences_.count(id.value) != 0) line(texel_place(m_.operand(inst, 0)).image + ".fence();");
}

void Writer::weak_exchange(const Inst& inst) {
  const std::span<const ValueId> ops = m_.operands(inst);
  if (m_.types()[type_of(ops[0])].space == Space::handle) return weak_texel_exchange(inst);
  const TypeId memory = type_of(ops[1]);
  const ScalarKind as = working_type(inst.op, m_.types().scalar_of(memory));
  const TypeId as_id = m_.types().scalar(as);
  const auto word = [&](ValueId v) { return memory == as_id ? arg(v) : "as_type<" + type(as_id) + ">(" + arg(v) + ")"; };
  const std::string expected = names_.take("expected");
  body_.indent(depth_) << type(as_id) << ' ' << expected << " = " << word(ops[1]) << ";\n";
  std::string call = "atomic_compare_exchange_weak_explicit(" + atomic_pointer(ops[0], as) + ", &" + expected + ", " +
                     word(ops[2]) + ", memory_order_relaxed" + std::string(kRelaxed);
  const ValueId old = m_.result(inst, 0);
  const ValueId exchanged = m_.result(inst, 1);
  if (fold_->uses(exchanged) != 0) {
    bind(exchanged, {std::move(call)});
  } else {
    line(call + ";");
  }
  if (fold_->uses(old) != 0) bind(old, {memory == as_id ? expected : "as_type<" + type(memory) + ">(" + expected + ")"});
}

/// Metal 3.1: functions of the texture; four components come and go.
Expr Writer::texel_atomic(const Inst& inst) {
  const std::span<const ValueId> ops = m_.operands(inst);
  const Texel texel = texel_place(ops[0]);
  std::string name(function_name(inst.op));
  name = name.substr(0, name.find("_explicit"));
  std::string text = texel.image + "." + name + "(";
  if (inst.op == Op::atomic_store) return {text + texel.type + "(" + arg(ops[1]) + "), " + texel.at + ")"};
  text += texel.at;
  for (size_t i = 1; i < ops.size(); ++i) text += ", " + texel.type + "(" + arg(ops[i]) + ")";
  text += ')';
  return {inst.result_count != 0 ? text + ".x" : text};
}

Writer::Texel Writer::texel_place(ValueId pointer) {
  const std::span<const ValueId> at = m_.operands(m_.insts[fold_->definition(pointer)]);
  const Type& t = m_.types()[type_of(at[0])];
  const Coordinate c = coordinate(at[1], t, true);
  return {arg(at[0]), c.layer.empty() ? c.at : c.at + ", " + c.layer, type(m_.types().vector(t.scalar, 4))};
}

void Writer::weak_texel_exchange(const Inst& inst) {
  const std::span<const ValueId> ops = m_.operands(inst);
  const Texel texel = texel_place(ops[0]);
  const std::string expected = names_.take("expected");
  body_.indent(depth_) << texel.type << ' ' << expected << " = " << texel.type << '(' << arg(ops[1]) << ");\n";
  std::string call = texel.image + ".atomic_compare_exchange_weak(" + texel.at + ", &" + expected + ", " + texel.type + "(" +
                     arg(ops[2]) + "))";
  const ValueId exchanged = m_.result(inst, 1);
  if (fold_->uses(exchanged) != 0) {
    bind(exchanged, {std::move(call)});
  } else {
    line(call + ";");
  }
  if (fold_->uses(m_.result(inst, 0)) != 0) bind(m_.result(inst, 0), {expected + ".x"});
}

void Writer::barrier(const Inst& inst) {
  const ir::BarrierInfo info = ir::BarrierInfo::unpack(inst.payload);
  std::string device, flags;
  const auto add = [](std::string& to, std::string_view flag) {
    to += (to.empty() ? "mem_flags::" : " | mem_flags::") + std::string(flag);
  };
  for (std::string* to : {&device, &flags}) {
    if (info.spaces & ir::kSpaceStorage) add(*to, "mem_device");
    if ((info.spaces & ir::kSpaceWorkgroup) && to == &flags) add(*to, "mem_threadgroup");
    if (info.spaces & ir::kSpaceImage) add(*to, "mem_texture");
  }
  const bool is_fence = info.exec == ir::Scope::invocation;
  if (flags.empty() && is_fence) return;
  if (flags.empty()) add(flags, "mem_none");
  // Metal 3.2; the barriers order memory for the threads that they hold only.
  const bool wide = info.scope == ir::Scope::device || info.scope == ir::Scope::queue_family;
  if (options_.version >= 302 && (is_fence || (wide && !device.empty()))) {
    line("atomic_thread_fence(" + (is_fence ? flags : device) + ", memory_order_seq_cst, " +
         (wide ? "thread_scope_device" : "thread_scope_threadgroup") + ");");
    if (is_fence) return;
  }
  line((info.exec == ir::Scope::subgroup ? "simdgroup_barrier(" : "threadgroup_barrier(") + flags + ");");
}

}  // namespace carry::write::msl

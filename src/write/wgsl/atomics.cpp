// Atomics and barriers: relaxed, device or workgroup memory, by the declared atomic type.
#include "write/wgsl/state.h"

namespace carry::write::wgsl {

using ir::Inst;

namespace {

std::string_view function_name(Op op) {
  switch (op) {
    case Op::atomic_load: return "atomicLoad";
    case Op::atomic_store: return "atomicStore";
    case Op::atomic_exchange: return "atomicExchange";
    case Op::atomic_add: return "atomicAdd";
    case Op::atomic_sub: return "atomicSub";
    case Op::atomic_and: return "atomicAnd";
    case Op::atomic_or: return "atomicOr";
    case Op::atomic_xor: return "atomicXor";
    case Op::atomic_smin:
    case Op::atomic_umin: return "atomicMin";
    case Op::atomic_smax:
    case Op::atomic_umax: return "atomicMax";
    default: return "atomicCompareExchangeWeak";
  }
}

}  // namespace

Expr Writer::atomic(const Inst& inst) {
  const std::span<const ir::ValueId> ops = m_.operands(inst);
  std::string text(function_name(inst.op));
  text += '(' + address(ops[0]);
  for (size_t i = 1; i < ops.size(); ++i) text += ", " + arg(ops[i]);
  return {text + ")"};
}

void Writer::atomic_statement(const Inst& inst) {
  const Expr call = atomic(inst);
  if (inst.op == Op::atomic_cas_weak) {
    const std::string name = names_.take("exchange");
    body_.indent(depth_) << "let " << name << " = " << call.text << ";\n";
    for (uint32_t i = 0; i < 2; ++i) {
      if (fold_->uses(m_.result(inst, i)) != 0) bind(m_.result(inst, i), {name + (i == 0 ? ".old_value" : ".exchanged")});
    }
    return;
  }
  if (inst.op == Op::atomic_load && fold_->uses(inst.first_result) == 0) return line("_ = " + call.text + ";");
  if (inst.result_count == 0 || fold_->uses(inst.first_result) == 0) return line(call.text + ";");
  bind(inst.first_result, call);
}

/// WGSL has workgroup-scoped barriers only, which are execution barriers as well.
void Writer::barrier(const Inst& inst) {
  const ir::BarrierInfo info = ir::BarrierInfo::unpack(inst.payload);
  if (info.spaces & ir::kSpaceStorage) line("storageBarrier();");
  if (info.spaces & ir::kSpaceImage) line("textureBarrier();");
  if ((info.spaces & ir::kSpaceWorkgroup) || (info.spaces == 0 && info.exec != ir::Scope::invocation))
    line("workgroupBarrier();");
}

}  // namespace carry::write::wgsl

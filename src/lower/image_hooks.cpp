// Storage images, and atomics and barriers with a written scope.
#include "ir/expansion.h"
#include "lower/function_lowering.h"

namespace carry::lower {

using builtins::Hook;
using builtins::Role;

namespace {

const BoundArgument* find(const Call& c, std::span<const BoundArgument> args, Role role, uint32_t skip = 0) {
  const std::span<const builtins::Param> params = builtins::params(*c.form);
  for (size_t i = 0; i < args.size() && i < params.size(); ++i) {
    if (params[i].role == role && skip-- == 0) return &args[i];
  }
  return nullptr;
}

ValueId get(const Call& c, std::span<const BoundArgument> args, Role role) {
  const BoundArgument* a = find(c, args, role);
  return a != nullptr ? a->value : ValueId();
}

// Values of gl_Scope*, gl_Semantics*, gl_StorageSemantics* (GL_KHR_memory_scope_semantics).
ir::Scope scope_of(uint64_t v) {
  switch (v) {
    case 2: return ir::Scope::workgroup;
    case 3: return ir::Scope::subgroup;
    case 4: return ir::Scope::invocation;
    case 5: return ir::Scope::queue_family;
    default: return ir::Scope::device;
  }
}

ir::Order order_of(uint64_t v) {
  if ((v & 8) != 0) return ir::Order::acq_rel;
  if ((v & 2) != 0) return ir::Order::acquire;
  return (v & 4) != 0 ? ir::Order::release : ir::Order::relaxed;
}

uint8_t spaces_of(uint64_t v) {
  return static_cast<uint8_t>(((v & 0x40) != 0 ? ir::kSpaceStorage : 0) | ((v & 0x100) != 0 ? ir::kSpaceWorkgroup : 0) |
                              ((v & 0x800) != 0 ? ir::kSpaceImage : 0));
}

}  // namespace

ValueId FunctionLowering::image_hook(NodeId n, const Call& c, Hook hook) {
  const bool atomic = hook == Hook::image_atomic;
  ValueId handle;
  if (c.object) handle = object_value(c.object);
  std::vector<BoundArgument> args = bind_arguments(c, atomic ? First::place : First::value);
  at(n);
  if (find(c, args, Role::status) != nullptr) return unsupported(n, "residency status of a texture read", c.result);
  const ValueId coordinate = get(c, args, Role::coord);
  const ValueId sample = get(c, args, Role::sample);
  if (atomic) {
    const Place& image = args[0].place;
    if (image.kind != Place::Kind::memory) return unsupported(n, "an atomic operation on an image parameter", c.result);
    const ValueId ptr = pointer(image);
    const Type t = types_[types_[b_.type_of(ptr)].element];
    std::vector<ValueId> operands{ptr, coordinate};
    if (sample) operands.push_back(sample);
    const TypeId texel = types_.pointer(Space::handle, Access::read_write, types_.scalar(t.scalar));
    operands = {b_.emit(Op::texel, texel, operands)};
    for (uint32_t i = 0; const BoundArgument* a = find(c, args, Role::data, i); ++i) operands.push_back(a->value);
    if (const ValueId compare = get(c, args, Role::compare)) operands.insert(operands.begin() + 1, compare);
    const Op op = builtins::action(*c.form, c.bindings).op;
    return b_.emit(op, ir(c.result), operands, ir::relaxed_atomic(Space::handle));
  }
  if (!handle) handle = get(c, args, Role::handle);
  std::vector<ValueId> operands{handle, coordinate};
  if (sample) operands.push_back(sample);
  const TypeId four = types_.vector(types_[b_.type_of(handle)].scalar, 4);
  if (hook == Hook::image_load) return convert(b_.emit(Op::image_read, four, operands), four, c.result, n);
  operands.push_back(get(c, args, Role::data));
  b_.emit(Op::image_write, TypeId::void_, operands);
  return {};
}

ValueId FunctionLowering::scoped_hook(NodeId n, const Call& c, Hook hook) {
  std::vector<BoundArgument> args = bind_arguments(c);
  at(n);
  const auto constant = [&](const BoundArgument* a) {
    return a != nullptr && a->value.is_constant() ? types_.constant(a->value.const_id()).bits : uint64_t{0};
  };
  if (hook == Hook::scoped_barrier) {
    ir::BarrierInfo info;
    const BoundArgument* second = find(c, args, Role::scope, 1);
    if (second != nullptr) info.exec = scope_of(constant(find(c, args, Role::scope)));
    info.scope = scope_of(constant(second != nullptr ? second : find(c, args, Role::scope)));
    info.spaces = spaces_of(constant(find(c, args, Role::storage)));
    info.order = order_of(constant(find(c, args, Role::semantics)));
    b_.emit(Op::barrier, TypeId::void_, {}, info.pack());
    return {};
  }
  const BoundArgument& memory_arg = args[0];
  std::vector<ValueId> operands{reference(memory_arg.place, memory_arg.node)};
  const Op op = builtins::action(*c.form, c.bindings).op;
  const std::span<const builtins::Param> params = builtins::params(*c.form);
  for (size_t i = 1; i < args.size(); ++i) {
    if (args[i].mode == ParamMode::in && params[i].direction != builtins::Direction::constant)
      operands.push_back(args[i].value);
  }
  if (hook == Hook::float_bits_cas) {
    const ValueId old =
        b_.emit(Op::atomic_cas, TypeId::f32, operands, ir::relaxed_atomic(types_[b_.type_of(operands[0])].space));
    for (const BoundArgument& a : args) {
      if (a.mode == ParamMode::out) copy_out(a, old, TypeId::f32);
    }
    return {};
  }
  ir::AtomicInfo info;
  info.scope = scope_of(constant(find(c, args, Role::scope)));
  info.order = order_of(constant(find(c, args, Role::semantics)));
  return b_.emit(op, ir(c.result), operands, info.pack());
}

}  // namespace carry::lower

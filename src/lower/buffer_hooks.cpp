// HLSL buffers: structured elements, counters, bytes.
#include "ir/expansion.h"
#include "lower/function_lowering.h"

namespace carry::lower {

using builtins::Hook;

ValueId FunctionLowering::structured_hook(NodeId n, const Call& c, Hook hook) {
  const Place object = access(c.object);
  std::vector<BoundArgument> args = bind_arguments(c);
  at(n);
  const ValueId buffer = load(object, n);
  if (hook == Hook::structured_load) {
    if (args.size() > 1) return unsupported(n, "residency status of a buffer read", c.result);
    return load(memory(b_.at(buffer, {to_u32(args[0].value, args[0].type)}), c.result), n);
  }
  if (hook == Hook::structured_dimensions) {
    copy_out(args[0], b_.emit(Op::array_length, TypeId::u32, {buffer}), TypeId::u32);
    const LayoutId layout = types_[b_.type_of(buffer)].layout;
    copy_out(args[1], u32(m_.layouts[layout].stride), TypeId::u32);
    return {};
  }
  const bool in_array = object.buffer && types_.kind(facts_.variables[object.buffer].type) == TypeKind::array;
  if (!object.buffer || object.steps.size() != (in_array ? 1 : 0))
    return unsupported(n, "the counter of a buffer that is not a variable", c.result);
  ValueId counter = m_.counter_of(object.buffer);
  if (in_array) counter = b_.at(counter, object.steps, object.at_flags);
  const uint32_t relaxed = ir::relaxed_atomic(Space::storage);
  const bool up = hook == Hook::increment_counter || hook == Hook::append;
  ValueId slot = b_.emit(up ? Op::atomic_add : Op::atomic_sub, TypeId::u32, {counter, u32(1)}, relaxed);
  // Down gives the new value, up the old one.
  if (!up) slot = b_.binary(Op::sub, slot, u32(1));
  if (hook == Hook::increment_counter || hook == Hook::decrement_counter) return slot;
  const Place element = memory(b_.at(buffer, {slot}), types_[c.object_type].element);
  if (hook == Hook::consume) return load(element, n);
  store(element, args[0].value, n);
  return {};
}

ValueId FunctionLowering::byte_pointer(ValueId buffer, ValueId address, TypeId type) {
  const TypeId value = ir(type);
  const LayoutId layout = m_.buffer_layout(type, LayoutRule::scalar, !m_.options.row_major_default);
  const TypeId pointer = types_.pointer(Space::storage, types_[b_.type_of(buffer)].access, value, layout);
  return b_.emit(Op::at_byte, pointer, {buffer, address});
}

ValueId FunctionLowering::byte_hook(NodeId n, const Call& c, Hook hook) {
  const ValueId buffer = object_value(c.object);
  std::vector<BoundArgument> args = bind_arguments(c);
  at(n);
  if (hook == Hook::byte_dimensions) {
    const ValueId words = b_.emit(Op::array_length, TypeId::u32, {buffer});
    copy_out(args[0], b_.binary(Op::mul, words, u32(4)), TypeId::u32);
    return {};
  }
  const ValueId address = args[0].value;
  if (hook == Hook::byte_load) {
    if (args.size() > 1) return unsupported(n, "residency status of a buffer read", c.result);
    return b_.load(byte_pointer(buffer, address, c.result));
  }
  if (hook == Hook::byte_store) {
    b_.store(byte_pointer(buffer, address, args[1].type), args[1].value);
    return {};
  }
  std::vector<ValueId> operands{byte_pointer(buffer, address, args[1].type)};
  for (size_t i = 1; i < args.size(); ++i) {
    if (args[i].mode == ParamMode::in) operands.push_back(args[i].value);
  }
  const ValueId old =
      b_.emit(builtins::action(*c.form, c.bindings).op, ir(args[1].type), operands, ir::relaxed_atomic(Space::storage));
  for (const BoundArgument& a : args) {
    if (a.mode == ParamMode::out) copy_out(a, old, args[1].type);
  }
  return {};
}

}  // namespace carry::lower

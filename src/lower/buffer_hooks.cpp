// HLSL buffers: structured elements, counters, bytes.
#include <algorithm>
#include <bit>

#include "ir/expansion.h"
#include "lower/function_lowering.h"

namespace carry::lower {

using builtins::Hook;

/// Operators of an address that are looked through.
static constexpr uint32_t kAddressDepth = 8;

ValueId FunctionLowering::structured_hook(NodeId n, const Call& c, Hook hook) {
  const Place object = access(c.object);
  std::vector<BoundArgument> args = bind_arguments(c);
  at(n);
  const ValueId buffer = load(object, n);
  if (hook == Hook::structured_load) {
    if (args.size() > 1) return unsupported(n, "residency status of a buffer read", c.result);
    return load(memory(b_.at(buffer, {to_u32(args[0].value, args[0].type)}), c.result, object.flags), n);
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

/// How many of the lowest bits of an integer expression are 0 whatever its operands are.
uint32_t FunctionLowering::low_zero_bits(NodeId n, uint32_t depth) const {
  const ConstId known = facts_.node(n).value;
  const TypeId type = known ? facts_.result_type(n) : facts_.node(n).type;
  if (!types_.is_scalar(type) || !is_int(types_.scalar_of(type)) || scalar_bits(types_.scalar_of(type)) < 32) return 0;
  if (known) return static_cast<uint32_t>(std::countr_zero(types_.constant(known).bits));
  if (depth == 0) return 0;
  const auto child = [&](uint32_t i) { return low_zero_bits(tree_.child(n, i), depth - 1); };
  if (tree_.is(n, NodeKind::paren)) return child(0);
  if (tree_.is(n, NodeKind::cast)) return child(1);
  if (!tree_.is(n, NodeKind::binary)) return 0;
  switch (tree_.binary_op(n)) {
    case BinaryOp::add:
    case BinaryOp::sub:
    case BinaryOp::bit_or: return std::min(child(0), child(1));
    case BinaryOp::bit_and: return std::max(child(0), child(1));
    case BinaryOp::mul: return std::min(child(0) + child(1), 32u);
    case BinaryOp::shift_left: {
      const ConstId count = facts_.node(tree_.child(n, 1)).value;
      return count ? static_cast<uint32_t>(types_.constant(count).bits & 31) : child(0);
    }
    default: return 0;
  }
}

/// Addresses count in steps of the value's scalars, 4 bytes at most, for atomics all of them; what lies below is ignored, as
/// by Direct3D's hardware (the address "must be a multiple").
ValueId FunctionLowering::byte_pointer(ValueId buffer, const BoundArgument& at, TypeId type, bool atomic) {
  const TypeId value = ir(type);
  const bool row_major = facts_.row_major_at(tree_[at.node].token, m_.options.row_major_default);
  if (types_.kind(type) == TypeKind::matrix && row_major != m_.options.row_major_default)
    m_.unsupported(at.node, "a matrix in a byte address buffer whose order differs from that of the source's others");
  const LayoutId layout = m_.buffer_layout(type, LayoutRule::scalar, !m_.options.row_major_default);
  const TypeId pointer = types_.pointer(Space::storage, types_[b_.type_of(buffer)].access, value, layout);
  const uint32_t natural = layout ? m_.layouts[layout].align : scalar_bits(types_.scalar_of(value)) / 8;
  const uint32_t step = atomic ? natural : std::min(natural, 4u);
  ValueId address = at.value;
  if (step > 1 && low_zero_bits(at.node, kAddressDepth) < static_cast<uint32_t>(std::countr_zero(step))) {
    const uint64_t known = address.is_constant() ? types_.constant(address.const_id()).bits : 0;
    if (known % step != 0)
      m_.diags.emit(m_.tree.range(at.node), diag::byte_address_misaligned, known, known - known % step, step);
    address = b_.binary(Op::and_, address, u32(~(step - 1)));
  }
  return b_.emit(Op::at_byte, pointer, {buffer, address});
}

ValueId FunctionLowering::byte_hook(NodeId n, const Call& c, Hook hook) {
  const Place object = access(c.object);
  at(n);
  const ValueId buffer = load(object, n);
  const auto flags = static_cast<uint8_t>(object.flags & (ir::kCoherent | ir::kVolatile));
  std::vector<BoundArgument> args = bind_arguments(c);
  at(n);
  if (hook == Hook::byte_dimensions) {
    const ValueId words = b_.emit(Op::array_length, TypeId::u32, {buffer});
    copy_out(args[0], b_.binary(Op::mul, words, u32(4)), TypeId::u32);
    return {};
  }
  if (hook == Hook::byte_load) {
    if (args.size() > 1) return unsupported(n, "residency status of a buffer read", c.result);
    return b_.load(byte_pointer(buffer, args[0], c.result, false), flags);
  }
  if (hook == Hook::byte_store) {
    b_.store(byte_pointer(buffer, args[0], args[1].type, false), args[1].value, flags);
    return {};
  }
  std::vector<ValueId> operands{byte_pointer(buffer, args[0], args[1].type, true)};
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

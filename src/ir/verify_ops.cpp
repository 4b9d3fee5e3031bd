// Operand and result types of operations (rules 1, 3, 4).
#include "ir/result_types.h"
#include "ir/verifier.h"
#include "ops/conversions.h"

namespace carry::ir {

TypeId Verifier::type_of(ValueId v) const {
  const TypeId t = value_type(m_, f_, v);
  return valid_type(t) ? t : TypeId::error;
}

void Verifier::want(bool ok, uint8_t rule, const char* message) {
  if (!ok) error(rule, message);
}

void Verifier::results(const Inst& in) {
  std::vector<TypeId> named;
  for (uint32_t i = 0; i < in.result_count; ++i) {
    const ValueId v(in.first_result.value + i);
    const TypeId t = type_of(v);
    if (t == TypeId::error) {
      error(1, "a result is out of range");
      return;
    }
    named.push_back(t);
  }
  std::vector<TypeId> derived;
  std::string message;
  // The derivation interns types, which a const module may do: the table only grows and belongs to the context.
  Module& module = const_cast<Module&>(m_);
  if (!derive_results(module, f_, {in.op, m_.operands(in), in.payload, named}, derived, message)) {
    error(1, message);
    return;
  }
  if (derived != named) error(1, "the results' types are not those of the operation");
}

void Verifier::shift(const Inst& in) {
  const TypeId a = operand_type(in, 0);
  const TypeId count = operand_type(in, 1);
  want(m_.types().is_numeric(count) && m_.types().scalar_of(count) == ScalarKind::u32, 1, "a shift count is u32");
  want(m_.types().component_count(a) == m_.types().component_count(count), 1, "a shift count has the shape of the value");
}

void Verifier::arithmetic(const Inst& in) {
  const uint32_t traits = op_row(in.op).traits;
  const TypeId a = operand_type(in, 0);
  const TypeTable& types = m_.types();
  if (!types.is_numeric(a)) {
    error(1, "operands are no numbers");
    return;
  }
  const ScalarKind s = types.scalar_of(a);
  if ((traits & kSigned) != 0) want(is_signed_int(s), 1, "operands are not signed integers");
  if ((traits & kUnsigned) != 0) want(is_unsigned_int(s), 1, "operands are not unsigned integers");
  if ((traits & kFloat) != 0) want(is_float(s), 1, "operands are not floats");
  if ((traits & kVariant) != 0) {
    const bool division = in.op == Op::sdiv || in.op == Op::udiv || in.op == Op::srem || in.op == Op::urem || in.op == Op::smod;
    want(in.payload <= static_cast<uint32_t>(ArithmeticVariant::raw), 1, "unknown variant");
    want(division == (in.payload == 1 || in.payload == 2) || in.payload == 3, 1, "this operation has no such variant");
  }
  if (in.op == Op::shl || in.op == Op::lshr || in.op == Op::ashr) {
    want(is_int(s), 1, "operands are not integers");
    shift(in);
    return;
  }
  uint32_t alike = in.operands.count;
  if (in.op == Op::extract_bits_s || in.op == Op::extract_bits_u) alike = 1;
  if (in.op == Op::insert_bits) alike = 2;
  for (uint32_t i = 1; i < alike; ++i) want(operand_type(in, i) == a, 1, "operands have different types");
  for (uint32_t i = alike; i < in.operands.count; ++i) want(operand_type(in, i) == TypeId::u32, 1, "offset and count are u32");
  const bool logic =
      in.op == Op::and_ || in.op == Op::or_ || in.op == Op::xor_ || in.op == Op::not_ || in.op == Op::eq || in.op == Op::ne;
  if ((traits & kFloat) == 0) want(is_int(s) || (logic && s == ScalarKind::bool_), 1, "operands are not integers");
}

void Verifier::conversion(const Inst& in) {
  const TypeTable& types = m_.types();
  const TypeId from = operand_type(in, 0);
  const TypeId to = type_of(in.first_result);
  const Type& a = types[from];
  const Type& b = types[to];
  if (in.op == Op::bitcast) {
    const bool pointer = a.kind == TypeKind::pointer || b.kind == TypeKind::pointer;
    const auto bits = [&](const Type& t) {
      return t.kind == TypeKind::pointer ? 64 : scalar_bits(t.scalar) * (t.kind == TypeKind::vector ? t.rows : 1);
    };
    const bool shaped = pointer || (types.component_count(from) != 0 && types.component_count(to) != 0);
    want(shaped && bits(a) == bits(b) && bits(a) != 0, 1, "`bitcast` keeps the number of bits");
    return;
  }
  if (types.component_count(from) == 0 || types.component_count(from) != types.component_count(to)) {
    error(1, "a conversion keeps the shape");
    return;
  }
  const uint32_t from_bits = scalar_bits(a.scalar);
  const uint32_t to_bits = scalar_bits(b.scalar);
  switch (in.op) {
    case Op::trunc:
      want(is_int(a.scalar) && is_int(b.scalar) && to_bits < from_bits, 1, "`trunc` goes to a narrower integer");
      return;
    case Op::zext:
      want(is_int(a.scalar) && is_int(b.scalar) && to_bits > from_bits, 1, "`zext` goes to a wider integer");
      return;
    case Op::sext:
      want(is_int(a.scalar) && is_int(b.scalar) && to_bits > from_bits, 1, "`sext` goes to a wider integer");
      return;
    case Op::f_to_s: want(is_float(a.scalar) && is_signed_int(b.scalar), 1, "`f_to_s` goes from float to signed"); return;
    case Op::f_to_u: want(is_float(a.scalar) && is_unsigned_int(b.scalar), 1, "`f_to_u` goes from float to unsigned"); return;
    case Op::s_to_f: want(is_signed_int(a.scalar) && is_float(b.scalar), 1, "`s_to_f` goes from signed to float"); return;
    case Op::u_to_f: want(is_unsigned_int(a.scalar) && is_float(b.scalar), 1, "`u_to_f` goes from unsigned to float"); return;
    default: want(is_float(a.scalar) && is_float(b.scalar), 1, "`f_to_f` goes from float to float"); return;
  }
}

void Verifier::store_allowed(TypeId pointer) {
  const Type& p = m_.types()[pointer];
  const bool readonly_space =
      p.space == Space::in || p.space == Space::uniform || p.space == Space::push || p.space == Space::handle;
  want(!readonly_space || p.access == Access::read_write, 3, "this space is not written");
  want(p.access != Access::read, 3, "this memory is read only");
}

void Verifier::memory(const Inst& in) {
  if (in.op == Op::var) {
    const TypeId p = type_of(in.first_result);
    const bool pointer = m_.types().is_pointer(p);
    want(pointer, 1, "the result of `var` is a pointer");
    want(in.operands.count <= 1, 1, "`var` has at most an initial value");
    if (pointer && in.operands.count == 1)
      want(operand_type(in, 0) == m_.types()[p].element, 1, "the initial value has another type");
    return;
  }
  const TypeId a = operand_type(in, 0);
  if (!m_.types().is_pointer(a)) {
    error(1, "operand 0 is not a pointer");
    return;
  }
  const Type& p = m_.types()[a];
  const TypeId pointee = loaded_type(m_.types(), p.element);
  const uint32_t traits = op_row(in.op).traits;
  if ((traits & kWrite) != 0) store_allowed(a);
  if (in.op == Op::load) {
    want(p.access != Access::write, 3, "this memory is write only");
    const Type& t = m_.types()[pointee];
    want(!(t.kind == TypeKind::array && t.count == 0 && t.count_override == Id<TypeId>::kNone), 5,
         "an array without a size is not a value");
    want(t.kind != TypeKind::bindings, 5, "a binding array is not a value");
  } else if (in.op == Op::at) {
    for (uint32_t i = 1; i < in.operands.count; ++i) want(is_index_type(operand_type(in, i)), 3, "a step is i32 or u32");
  } else if (in.op == Op::at_byte) {
    want(operand_type(in, 1) == TypeId::u32, 3, "a byte offset is u32");
    want(m_.types().is_pointer(type_of(in.first_result)), 3, "the result of `at_byte` is a pointer");
  } else if ((traits & kAtomic) != 0 || in.op == Op::store) {
    for (uint32_t i = 1; i < in.operands.count; ++i)
      want(operand_type(in, i) == pointee, 1, "the value has another type than the memory");
  }
}

void Verifier::call(const Inst& in) {
  const FunctionId callee(in.payload);
  if (!m_.functions.contains(callee) || !function_done_[callee.value]) {
    error(4, "the callee does not stand before its caller");
    return;
  }
  const Function& f = m_.functions[callee];
  want(!f.is_entry, 4, "an entry is not called");
  if (in.operands.count != f.params.size()) {
    error(4, "the number of arguments is wrong");
    return;
  }
  for (uint32_t i = 0; i < in.operands.count; ++i) {
    const ValueId v = m_.operand(in, i);
    const ValueId p = f.params[i].value;
    const TypeId want_type = p.is_local() && p.index() < f.value_types.size() ? f.value_types[p.index()] : TypeId::none();
    want(type_of(v) == want_type, 4, "an argument has another type than its parameter");
    if (f.params[i].mode == ParamMode::value) continue;
    for (uint32_t k = i + 1; k < in.operands.count; ++k) {
      if (f.params[k].mode != ParamMode::value) want(m_.operand(in, k) != v, 4, "one variable stands for two references");
    }
  }
}

void Verifier::composite(const Inst& in) {
  const TypeTable& types = m_.types();
  if (in.op == Op::make) {
    const TypeId t = type_of(in.first_result);
    const TypeKind kind = types.kind(t);
    if (kind == TypeKind::vector) {
      uint32_t n = 0;
      for (ValueId v : m_.operands(in)) {
        want(types.component_count(type_of(v)) != 0 && types.scalar_of(type_of(v)) == types.scalar_of(t), 1,
             "a part has another scalar type");
        n += types.component_count(type_of(v));
      }
      want(n == types.component_count(t) || (n == 1 && in.operands.count == 1), 1, "the number of components is wrong");
      return;
    }
    want(kind == TypeKind::matrix || kind == TypeKind::array || kind == TypeKind::struct_, 1,
         "a value of this type has no parts");
    want(in.operands.count == types.part_count(t) || types[t].count_override != Id<TypeId>::kNone, 1,
         "the number of parts is wrong");
    for (uint32_t i = 0; i < in.operands.count; ++i) {
      want(operand_type(in, i) == const_cast<Module&>(m_).types().part(t, i), 1, "a part has another type");
    }
    return;
  }
  if (in.op == Op::shuffle) {
    const uint32_t n = types.component_count(operand_type(in, 0));
    want(n != 0 && operand_type(in, 0) == operand_type(in, 1), 1, "the operands of `shuffle` are alike");
    const uint32_t count = types.component_count(type_of(in.first_result));
    for (uint32_t i = 0; i < count; ++i) want((in.payload >> (4 * i) & 15) < 2 * n, 1, "a component is out of range");
    return;
  }
  // elem, with: steps of i32 or u32.
  const uint32_t end = in.op == Op::with ? in.operands.count - 1 : in.operands.count;
  want(in.operands.count >= (in.op == Op::with ? 3u : 2u), 1, "steps are missing");
  TypeId t = operand_type(in, 0);
  for (uint32_t i = 1; i < end && in.operands.count >= 2; ++i) {
    want(is_index_type(operand_type(in, i)), 1, "a step is i32 or u32");
    t = value_step(const_cast<Module&>(m_), t, m_.operand(in, i));
    if (!t) {
      error(1, "a step does not fit the value");
      return;
    }
  }
  if (in.op == Op::with && in.operands.count >= 3) want(operand_type(in, end) == t, 1, "the part has another type");
}

void Verifier::pointer_positions(const Inst& in) {
  const uint32_t traits = op_row(in.op).traits;
  const bool takes = in.op == Op::load || in.op == Op::store || in.op == Op::at || in.op == Op::at_byte || in.op == Op::texel ||
                     in.op == Op::array_length || in.op == Op::call || in.op == Op::var || in.op == Op::bitcast ||
                     in.op == Op::make || (traits & (kAtomic | kBuiltin)) != 0;
  if (takes) return;
  for (ValueId v : m_.operands(in)) {
    const Type& t = m_.types()[type_of(v)];
    const bool value_like = t.space == Space::physical || t.space == Space::storage;
    if (t.kind == TypeKind::pointer && !value_like) error(3, "a pointer is not allowed here");
  }
}

void Verifier::op(const Inst& in) {
  results(in);
  if (full()) return;
  pointer_positions(in);
  if (is_conversion(in.op)) return conversion(in);
  switch (in.op) {
    case Op::select: {
      const TypeId c = operand_type(in, 0);
      const TypeId a = operand_type(in, 1);
      want(a == operand_type(in, 2), 1, "the alternatives have different types");
      const bool shape = c == TypeId::bool_ || (m_.types().is_vector(c) && m_.types().scalar_of(c) == ScalarKind::bool_ &&
                                                m_.types().component_count(c) == m_.types().component_count(a));
      want(shape, 1, "the condition is not a bool of the shape");
      return;
    }
    case Op::var:
    case Op::load:
    case Op::store:
    case Op::at:
    case Op::at_byte:
    case Op::array_length: memory(in); return;
    case Op::make:
    case Op::elem:
    case Op::with:
    case Op::shuffle: composite(in); return;
    case Op::call: call(in); return;
    case Op::mat_scale:
    case Op::mat_mul:
    case Op::mat_vec:
    case Op::vec_mat:
    case Op::transpose: return;
    default: break;
  }
  const uint32_t traits = op_row(in.op).traits;
  if ((traits & kAtomic) != 0 && (traits & kBuiltin) == 0) memory(in);
  if ((traits & kComp) != 0 && (traits & kBuiltin) == 0) arithmetic(in);
}

}  // namespace carry::ir

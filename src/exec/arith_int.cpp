#include "exec/arith.h"
#include "exec/rows.h"

namespace carry::exec {

namespace {

template <class T>
using Unsigned = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
template <class T>
using Signed = std::conditional_t<sizeof(T) == 8, int64_t, int32_t>;

// Every function takes and gives the unsigned type; signed operations cast inside, so that everything wraps.
struct Add {
  template <class T>
  static T f(T a, T b) {
    return a + b;
  }
};
struct Sub {
  template <class T>
  static T f(T a, T b) {
    return a - b;
  }
};
struct Mul {
  template <class T>
  static T f(T a, T b) {
    return a * b;
  }
};
struct And {
  template <class T>
  static T f(T a, T b) {
    return a & b;
  }
};
struct Or {
  template <class T>
  static T f(T a, T b) {
    return a | b;
  }
};
struct Xor {
  template <class T>
  static T f(T a, T b) {
    return a ^ b;
  }
};
struct Not {
  template <class T>
  static T f(T a) {
    return ~a;
  }
};
struct NotBool {
  template <class T>
  static T f(T a) {
    return a ^ T { 1 };
  }
};
struct Neg {
  template <class T>
  static T f(T a) {
    return T{0} - a;
  }
};
struct AbsS {
  template <class T>
  static T f(T a) {
    return static_cast<Signed<T>>(a) < 0 ? T{0} - a : a;
  }
};
struct SMin {
  template <class T>
  static T f(T a, T b) {
    return static_cast<Signed<T>>(a) < static_cast<Signed<T>>(b) ? a : b;
  }
};
struct SMax {
  template <class T>
  static T f(T a, T b) {
    return static_cast<Signed<T>>(a) < static_cast<Signed<T>>(b) ? b : a;
  }
};
struct UMin {
  template <class T>
  static T f(T a, T b) {
    return a < b ? a : b;
  }
};
struct UMax {
  template <class T>
  static T f(T a, T b) {
    return a < b ? b : a;
  }
};
struct Shl {
  template <class T>
  static T f(T a, uint32_t n) {
    return a << (n & (sizeof(T) * 8 - 1));
  }
};
struct Lshr {
  template <class T>
  static T f(T a, uint32_t n) {
    return a >> (n & (sizeof(T) * 8 - 1));
  }
};
struct Ashr {
  template <class T>
  static T f(T a, uint32_t n) {
    return static_cast<T>(static_cast<Signed<T>>(a) >> (n & (sizeof(T) * 8 - 1)));
  }
};
struct Eq {
  template <class T>
  static bool f(T a, T b) {
    return a == b;
  }
};
struct Ne {
  template <class T>
  static bool f(T a, T b) {
    return a != b;
  }
};
struct Ult {
  template <class T>
  static bool f(T a, T b) {
    return a < b;
  }
};
struct Ule {
  template <class T>
  static bool f(T a, T b) {
    return a <= b;
  }
};
struct Slt {
  template <class T>
  static bool f(T a, T b) {
    return static_cast<Signed<T>>(a) < static_cast<Signed<T>>(b);
  }
};
struct Sle {
  template <class T>
  static bool f(T a, T b) {
    return static_cast<Signed<T>>(a) <= static_cast<Signed<T>>(b);
  }
};

/// `zero`: the quotient of a zero divisor is all ones, else the dividend. Signed division by -1 negates, which gives INT_MIN.
template <bool kOnes>
struct UDiv {
  template <class T>
  static T f(T a, T b) {
    return b == 0 ? (kOnes ? static_cast<T>(~T{0}) : a) : a / b;
  }
};
template <bool kOnes>
struct URem {
  template <class T>
  static T f(T a, T b) {
    return b == 0 ? (kOnes ? static_cast<T>(~T{0}) : T{0}) : a % b;
  }
};
template <bool kOnes>
struct SDiv {
  template <class T>
  static T f(T a, T b) {
    if (b == 0) return kOnes ? static_cast<T>(~T{0}) : a;
    if (b == static_cast<T>(~T{0})) return T{0} - a;
    return static_cast<T>(static_cast<Signed<T>>(a) / static_cast<Signed<T>>(b));
  }
};
template <bool kOnes>
struct SRem {
  template <class T>
  static T f(T a, T b) {
    if (b == 0) return kOnes ? static_cast<T>(~T{0}) : T{0};
    if (b == static_cast<T>(~T{0})) return T{0};
    return static_cast<T>(static_cast<Signed<T>>(a) % static_cast<Signed<T>>(b));
  }
};

template <class T, bool kOnes>
Handler division(Op op) {
  switch (op) {
    case Op::udiv: return map2<T, T, UDiv<kOnes>>;
    case Op::urem: return map2<T, T, URem<kOnes>>;
    case Op::sdiv: return map2<T, T, SDiv<kOnes>>;
    case Op::srem: return map2<T, T, SRem<kOnes>>;
    default: return nullptr;
  }
}

template <class T>
Handler compare(Op op) {
  switch (op) {
    case Op::eq: return map2<RowU32, T, Eq>;
    case Op::ne: return map2<RowU32, T, Ne>;
    case Op::ult: return map2<RowU32, T, Ult>;
    case Op::ule: return map2<RowU32, T, Ule>;
    case Op::slt: return map2<RowU32, T, Slt>;
    case Op::sle: return map2<RowU32, T, Sle>;
    default: return nullptr;
  }
}

template <class T>
Handler bitwise(Op op) {
  switch (op) {
    case Op::and_: return map2<T, T, And>;
    case Op::or_: return map2<T, T, Or>;
    case Op::xor_: return map2<T, T, Xor>;
    default: return nullptr;
  }
}

template <class T>
Handler arithmetic(Op op) {
  switch (op) {
    case Op::add: return map2<T, T, Add>;
    case Op::sub: return map2<T, T, Sub>;
    case Op::mul: return map2<T, T, Mul>;
    case Op::neg: return map1<T, T, Neg>;
    case Op::not_: return map1<T, T, Not>;
    case Op::abs_s: return map1<T, T, AbsS>;
    case Op::smin: return map2<T, T, SMin>;
    case Op::smax: return map2<T, T, SMax>;
    case Op::umin: return map2<T, T, UMin>;
    case Op::umax: return map2<T, T, UMax>;
    case Op::shl: return map2_count<T, T, Shl>;
    case Op::lshr: return map2_count<T, T, Lshr>;
    case Op::ashr: return map2_count<T, T, Ashr>;
    default: return nullptr;
  }
}

template <class T>
Handler all_integer(Op op, ArithmeticVariant variant) {
  if (Handler h = arithmetic<T>(op)) return h;
  if (Handler h = bitwise<T>(op)) return h;
  if (Handler h = compare<T>(op)) return h;
  return variant == ArithmeticVariant::ones ? division<T, true>(op) : division<T, false>(op);
}

}  // namespace

Handler integer_handler(Op op, ScalarKind kind, ArithmeticVariant variant) {
  switch (kind) {
    case ScalarKind::i32:
    case ScalarKind::u32: return all_integer<RowU32>(op, variant);
    case ScalarKind::i64:
    case ScalarKind::u64: return all_integer<RowU64>(op, variant);
    case ScalarKind::bool_:
      if (op == Op::not_) return map1<RowU32, RowU32, NotBool>;
      if (op == Op::eq) return map2<RowU32, RowU32, Eq>;
      if (op == Op::ne) return map2<RowU32, RowU32, Ne>;
      return bitwise<RowU32>(op);
    case ScalarKind::u8:
    case ScalarKind::u16:
    case ScalarKind::i8:
    case ScalarKind::i16:
      // Zero-extended rows: these need no care for the width.
      if (op == Op::slt || op == Op::sle) return nullptr;
      if (Handler h = compare<RowU32>(op)) return h;
      return bitwise<RowU32>(op);
    default: return nullptr;
  }
}

namespace {

template <class T>
void op_select(Machine& m, const Code& code) {
  for (uint32_t c = 0; c < code.n; ++c) {
    const RowU32* on = m.at<RowU32>(code.a + c * code.aux);
    T* __restrict d = m.at<T>(code.dst) + size_t{c} * m.stride;
    const T* x = m.at<T>(code.b) + size_t{c} * m.stride;
    const T* y = m.at<T>(code.c) + size_t{c} * m.stride;
    for (uint32_t i = m.lo; i < m.hi; ++i) d[i] = on[i] != 0 ? x[i] : y[i];
  }
}

template <class T>
void op_elem_dynamic(Machine& m, const Code& code) {
  T* d = m.at<T>(code.dst);
  const uint32_t* index = m.regs + code.b;
  for (uint32_t i = m.lo; i < m.hi; ++i) {
    d[i] = index[i] < code.n ? m.at<T>(code.a + index[i] * code.aux * m.stride)[i] : T{0};
  }
}

template <class T>
void op_with_dynamic(Machine& m, const Code& code) {
  const uint32_t* index = m.regs + code.a;
  const T* x = m.at<T>(code.b);
  for (uint32_t i = m.lo; i < m.hi; ++i) {
    if (index[i] < code.n) m.at<T>(code.dst + index[i] * code.aux * m.stride)[i] = x[i];
  }
}

}  // namespace

Handler select_handler(bool wide) { return wide ? op_select<RowU64> : op_select<RowU32>; }
Handler elem_dynamic_handler(bool wide) { return wide ? op_elem_dynamic<RowU64> : op_elem_dynamic<RowU32>; }
Handler with_dynamic_handler(bool wide) { return wide ? op_with_dynamic<RowU64> : op_with_dynamic<RowU32>; }

void op_any(Machine& m, const Code& code) {
  uint32_t* d = m.regs + code.dst;
  for (uint32_t i = m.lo; i < m.hi; ++i) {
    uint32_t any = 0;
    for (uint32_t c = 0; c < code.n; ++c) any |= m.regs[code.a + c * m.stride + i];
    d[i] = any;
  }
}

void op_all(Machine& m, const Code& code) {
  uint32_t* d = m.regs + code.dst;
  for (uint32_t i = m.lo; i < m.hi; ++i) {
    uint32_t all = 1;
    for (uint32_t c = 0; c < code.n; ++c) all &= m.regs[code.a + c * m.stride + i];
    d[i] = all;
  }
}

}  // namespace carry::exec

#include <cmath>
#include <limits>

#include "exec/arith.h"
#include "exec/rows.h"

namespace carry::exec {

namespace {

/// Every NaN result is the quiet one of ops/eval.
template <class T>
T one_nan(T v) {
  return v == v ? v : std::numeric_limits<T>::quiet_NaN();
}

/// The operand that is no NaN; -0 is below +0.
struct FMin {
  template <class T>
  static T f(T a, T b) {
    const T least = a < b || (a == b && std::signbit(a)) ? a : b;
    return a != a ? one_nan(b) : b != b ? a : least;
  }
};
struct FMax {
  template <class T>
  static T f(T a, T b) {
    const T most = b < a || (a == b && !std::signbit(a)) ? a : b;
    return a != a ? one_nan(b) : b != b ? a : most;
  }
};
struct FAdd {
  template <class T>
  static T f(T a, T b) {
    return one_nan(a + b);
  }
};
struct FSub {
  template <class T>
  static T f(T a, T b) {
    return one_nan(a - b);
  }
};
struct FMul {
  template <class T>
  static T f(T a, T b) {
    return one_nan(a * b);
  }
};
struct FDiv {
  template <class T>
  static T f(T a, T b) {
    return one_nan(a / b);
  }
};
struct FEq {
  template <class T>
  static bool f(T a, T b) {
    return a == b;
  }
};
struct FNe {
  template <class T>
  static bool f(T a, T b) {
    return a != b;
  }
};
struct FLt {
  template <class T>
  static bool f(T a, T b) {
    return a < b;
  }
};
struct FLe {
  template <class T>
  static bool f(T a, T b) {
    return a <= b;
  }
};
struct Flip32 {
  static uint32_t f(uint32_t a) { return a ^ 0x80000000u; }
};
struct Flip64 {
  static uint64_t f(uint64_t a) { return a ^ 0x8000000000000000u; }
};

template <class T>
Handler float_loop(Op op) {
  switch (op) {
    case Op::fadd: return map2<T, T, FAdd>;
    case Op::fsub: return map2<T, T, FSub>;
    case Op::fmul: return map2<T, T, FMul>;
    case Op::fdiv: return map2<T, T, FDiv>;
    case Op::fmin: return map2<T, T, FMin>;
    case Op::fmax: return map2<T, T, FMax>;
    case Op::feq: return map2<RowU32, T, FEq>;
    case Op::fne: return map2<RowU32, T, FNe>;
    case Op::flt: return map2<RowU32, T, FLt>;
    case Op::fle: return map2<RowU32, T, FLe>;
    default: return nullptr;
  }
}

struct Same {
  template <class T>
  static T f(T a) {
    return a;
  }
};
struct SignExtend {
  static uint64_t f(uint32_t a) { return static_cast<uint64_t>(int64_t{static_cast<int32_t>(a)}); }
};
struct Low {
  static uint32_t f(uint64_t a) { return static_cast<uint32_t>(a); }
};

/// Truncates, saturates at the limits of To, NaN gives 0 (semantics.md 4.2).
template <class To, class From>
To saturate(From x) {
  constexpr To kMin = std::numeric_limits<To>::min();
  constexpr To kMax = std::numeric_limits<To>::max();
  // 2^digits is exact in every float type here, kMax may not be.
  const From past = std::ldexp(From{1}, std::numeric_limits<To>::digits);
  if (x != x) return 0;
  if (x >= past) return kMax;
  if (x <= static_cast<From>(kMin)) return kMin;
  return static_cast<To>(x);
}
struct ToI32 {
  template <class T>
  static uint32_t f(T x) {
    return static_cast<uint32_t>(saturate<int32_t>(x));
  }
};
struct ToU32 {
  template <class T>
  static uint32_t f(T x) {
    return saturate<uint32_t>(x);
  }
};

bool is_int32(ScalarKind k) { return k == ScalarKind::i32 || k == ScalarKind::u32; }
bool is_int64(ScalarKind k) { return k == ScalarKind::i64 || k == ScalarKind::u64; }

}  // namespace

Handler float_handler(Op op, ScalarKind kind) {
  if (kind == ScalarKind::f32) return op == Op::fneg ? map1<RowU32, RowU32, Flip32> : float_loop<RowF32>(op);
  if (kind == ScalarKind::f64) return op == Op::fneg ? map1<RowU64, RowU64, Flip64> : float_loop<RowF64>(op);
  return nullptr;
}

Handler convert_handler(Op op, ScalarKind from, ScalarKind to) {
  switch (op) {
    case Op::s_to_f:
      if (is_int32(from) && to == ScalarKind::f32) return map1<RowF32, RowI32, Same>;
      return nullptr;
    case Op::u_to_f:
      if (is_int32(from) && to == ScalarKind::f32) return map1<RowF32, RowU32, Same>;
      return nullptr;
    case Op::f_to_s:
      if (from == ScalarKind::f32 && is_int32(to)) return map1<RowU32, RowF32, ToI32>;
      return nullptr;
    case Op::f_to_u:
      if (from == ScalarKind::f32 && is_int32(to)) return map1<RowU32, RowF32, ToU32>;
      return nullptr;
    case Op::zext:
      if (is_int32(from) && is_int64(to)) return map1<RowU64, RowU32, Same>;
      return nullptr;
    case Op::sext:
      if (is_int32(from) && is_int64(to)) return map1<RowU64, RowU32, SignExtend>;
      return nullptr;
    case Op::trunc:
      if (is_int64(from) && is_int32(to)) return map1<RowU32, RowU64, Low>;
      return nullptr;
    default: return nullptr;
  }
}

}  // namespace carry::exec

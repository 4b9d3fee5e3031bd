// Loops over rows. The mask is ignored: rows of inactive lanes are garbage that nobody reads. Internal to exec/.
#pragma once

#include <type_traits>

#include "exec/machine.h"

namespace carry::exec {

template <class T>
inline constexpr uint32_t kUnits = sizeof(T) / 4;

/// Calls body(first, last, dst offset, src offset) for runs of lanes; offsets are in elements.
template <class D, class S, class Body>
inline void for_rows(const Machine& m, uint32_t n, Body body) {
  if (m.full_range()) {
    body(size_t{0}, size_t{n} * m.stride);
    return;
  }
  for (uint32_t c = 0; c < n; ++c) body(size_t{c} * m.stride + m.lo, size_t{c} * m.stride + m.hi);
}

template <class D, class S, class F>
void map1(Machine& m, const Code& code) {
  D* __restrict d = m.at<D>(code.dst);
  const S* a = m.at<S>(code.a);
  for_rows<D, S>(m, code.n, [&](size_t first, size_t last) {
    for (size_t i = first; i < last; ++i) d[i] = static_cast<D>(F::f(a[i]));
  });
}

template <class D, class S, class F>
void map2(Machine& m, const Code& code) {
  D* __restrict d = m.at<D>(code.dst);
  const S* a = m.at<S>(code.a);
  const S* b = m.at<S>(code.b);
  for_rows<D, S>(m, code.n, [&](size_t first, size_t last) {
    for (size_t i = first; i < last; ++i) d[i] = static_cast<D>(F::f(a[i], b[i]));
  });
}

/// Second operand in 32-bit rows (shift counts).
template <class D, class S, class F>
void map2_count(Machine& m, const Code& code) {
  D* __restrict d = m.at<D>(code.dst);
  const S* a = m.at<S>(code.a);
  const RowU32* b = m.at<RowU32>(code.b);
  for_rows<D, S>(m, code.n, [&](size_t first, size_t last) {
    for (size_t i = first; i < last; ++i) d[i] = static_cast<D>(F::f(a[i], b[i]));
  });
}

}  // namespace carry::exec

#include "exec/values_ops.h"

#include <cmath>
#include <cstring>

#include "exec/arith.h"
#include "exec/check.h"
#include "ops/eval/eval.h"
#include "ops/eval/float_bits.h"

namespace carry::exec {

namespace {

constexpr uint32_t kMostOperands = 40;

void no_value(Machine& m, const Code& code, Op op) {
  m.set_fault(code.inst, "the executor does not support `" + std::string(op_row(op).name) + "` on this type yet");
}

void eval_components(Machine& m, const Code& code, const EvalCode& eval) {
  uint64_t args[8];
  uint64_t results[4] = {};
  const size_t arg_count = eval.args.size();
  const size_t result_count = eval.results.size();
  if (arg_count > 8 || result_count > 4) return no_value(m, code, eval.op);
  const uint32_t* on = m.active->lanes;
  for (uint32_t c = 0; c < eval.results[0].count; ++c) {
    for (uint32_t i = m.lo; i < m.hi; ++i) {
      if (on[i] == 0) continue;
      for (size_t k = 0; k < arg_count; ++k) {
        const EvalCode::Part& p = eval.args[k];
        const bool wide = is_wide(p.kind);
        args[k] = read_row(m, component_row(m, p.row, wide, p.count == 1 ? 0 : c), wide, i);
      }
      if (!eval::eval_scalar(eval.op, eval.kind, eval.result_kind, eval.payload, {args, arg_count}, {results, result_count})) {
        return no_value(m, code, eval.op);
      }
      for (size_t k = 0; k < result_count; ++k) {
        const bool wide = is_wide(eval.results[k].kind);
        write_row(m, component_row(m, eval.results[k].row, wide, c), wide, i, results[k]);
      }
    }
  }
}

/// Determinant of the matrix without one column and row, and of the whole, by cofactors; n up to 4.
double determinant(const double* a, uint32_t n) {
  if (n == 1) return a[0];
  if (n == 2) return a[0] * a[3] - a[1] * a[2];
  double sum = 0;
  for (uint32_t skip = 0; skip < n; ++skip) {
    double minor[9];
    uint32_t k = 0;
    for (uint32_t c = 1; c < n; ++c) {
      for (uint32_t r = 0; r < n; ++r) {
        if (r != skip) minor[k++] = a[c * n + r];
      }
    }
    const double term = a[skip] * determinant(minor, n - 1);
    sum += skip % 2 == 0 ? term : -term;
  }
  return sum;
}

void inverse(const double* a, uint32_t n, double* out) {
  const double whole = determinant(a, n);
  for (uint32_t c = 0; c < n; ++c) {
    for (uint32_t r = 0; r < n; ++r) {
      double minor[9] = {1};
      uint32_t k = 0;
      for (uint32_t x = 0; x < n; ++x) {
        for (uint32_t y = 0; y < n; ++y) {
          if (x != c && y != r) minor[k++] = a[x * n + y];
        }
      }
      const double cofactor = determinant(minor, n - 1);
      out[r * n + c] = ((c + r) % 2 == 0 ? cofactor : -cofactor) / whole;
    }
  }
}

/// Both have a stated error; they go through double.
bool eval_matrix(const EvalCode& eval, const uint64_t* args, uint64_t* results) {
  const EvalCode::Part& p = eval.args[0];
  if ((eval.op != Op::determinant && eval.op != Op::inverse) || p.columns != p.rows || p.columns < 2) return false;
  double a[16];
  double out[16];
  for (uint32_t i = 0; i < p.count; ++i) a[i] = eval::float_value(p.kind, args[i]);
  if (eval.op == Op::determinant) {
    results[0] = eval::float_bits(p.kind, determinant(a, p.columns));
    return true;
  }
  inverse(a, p.columns, out);
  for (uint32_t i = 0; i < p.count; ++i) results[i] = eval::float_bits(p.kind, out[i]);
  return true;
}

void eval_whole(Machine& m, const Code& code, const EvalCode& eval) {
  uint64_t args[kMostOperands];
  uint64_t results[kMostOperands] = {};
  uint32_t arg_total = 0;
  uint32_t result_total = 0;
  for (const EvalCode::Part& p : eval.args) arg_total += p.count;
  for (const EvalCode::Part& p : eval.results) result_total += p.count;
  if (arg_total > kMostOperands || result_total > kMostOperands) return no_value(m, code, eval.op);
  const uint32_t* on = m.active->lanes;
  for (uint32_t i = m.lo; i < m.hi; ++i) {
    if (on[i] == 0) continue;
    uint32_t k = 0;
    for (const EvalCode::Part& p : eval.args) {
      const bool wide = is_wide(p.kind);
      for (uint32_t c = 0; c < p.count; ++c) args[k++] = read_row(m, component_row(m, p.row, wide, c), wide, i);
    }
    const bool done = eval.args[0].columns != 0 ? eval_matrix(eval, args, results)
                                                : eval::eval_vector(eval.op, eval.kind, eval.args[0].count, {args, arg_total},
                                                                    {results, result_total});
    if (!done) return no_value(m, code, eval.op);
    k = 0;
    for (const EvalCode::Part& p : eval.results) {
      const bool wide = is_wide(p.kind);
      for (uint32_t c = 0; c < p.count; ++c) write_row(m, component_row(m, p.row, wide, c), wide, i, results[k++]);
    }
  }
}

}  // namespace

void op_eval(Machine& m, const Code& code) {
  const EvalCode& eval = m.program->evals[code.aux];
  if (eval.componentwise) {
    eval_components(m, code, eval);
  } else {
    eval_whole(m, code, eval);
  }
}

void op_bitcast(Machine& m, const Code& code) {
  const EvalCode& eval = m.program->evals[code.aux];
  const EvalCode::Part& from = eval.args[0];
  const EvalCode::Part& to = eval.results[0];
  const uint32_t from_bytes = scalar_bits(from.kind) / 8;
  const uint32_t to_bytes = scalar_bits(to.kind) / 8;
  uint8_t bytes[64] = {};
  for (uint32_t i = m.lo; i < m.hi; ++i) {
    for (uint32_t c = 0; c < from.count && (c + 1) * from_bytes <= sizeof(bytes); ++c) {
      const uint64_t bits = read_row(m, component_row(m, from.row, is_wide(from.kind), c), is_wide(from.kind), i);
      std::memcpy(bytes + c * from_bytes, &bits, from_bytes);
    }
    for (uint32_t c = 0; c < to.count && (c + 1) * to_bytes <= sizeof(bytes); ++c) {
      uint64_t bits = 0;
      std::memcpy(&bits, bytes + c * to_bytes, to_bytes);
      write_row(m, component_row(m, to.row, is_wide(to.kind), c), is_wide(to.kind), i, bits);
    }
  }
}

// ---- guards ----

namespace {

bool outside(GuardKind guard, ScalarKind kind, ScalarKind to, uint64_t a, uint64_t b, uint64_t c, const char*& what) {
  const uint32_t width = scalar_bits(kind);
  switch (guard) {
    case GuardKind::divide_unsigned: what = "integer division by zero"; return b == 0;
    case GuardKind::divide_signed: {
      if (b == 0) {
        what = "integer division by zero";
        return true;
      }
      what = "signed division overflows";
      const uint64_t ones = width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
      return b == ones && a == uint64_t{1} << (width - 1);
    }
    case GuardKind::shift: what = "shift count at or past the width"; return b >= width;
    case GuardKind::bits: what = "bit field reaches past the width"; return b > width || c > width - b;
    case GuardKind::float_to_signed:
    case GuardKind::float_to_unsigned: {
      what = "float outside of the integer's range";
      const double v = std::trunc(eval::float_value(kind, a));
      const int bits = static_cast<int>(scalar_bits(to));
      const bool is_signed = guard == GuardKind::float_to_signed;
      const double high = std::ldexp(1.0, is_signed ? bits - 1 : bits);
      return !(v < high && v >= (is_signed ? -high : 0.0));
    }
  }
  return false;
}

}  // namespace

void op_guard(Machine& m, const Code& code) {
  const GuardKind guard = static_cast<GuardKind>(code.aux & 255);
  const ScalarKind kind = static_cast<ScalarKind>(code.aux >> 8 & 255);
  const bool raw = (code.aux >> 16 & 1) != 0;
  const bool wide = is_wide(kind);
  const bool count_operand = guard == GuardKind::shift || guard == GuardKind::bits;
  const uint32_t* on = m.active->lanes;
  for (uint32_t k = 0; k < code.n; ++k) {
    for (uint32_t i = m.lo; i < m.hi; ++i) {
      if (on[i] == 0) continue;
      // The bit fields' offset and count are scalars of 32 bits beside a vector or scalar value.
      const uint64_t a = guard == GuardKind::bits ? 0 : read_row(m, component_row(m, code.a, wide, k), wide, i);
      const uint64_t b =
          count_operand ? m.regs[code.b + k * m.stride + i] : read_row(m, component_row(m, code.b, wide, k), wide, i);
      const uint64_t c = guard == GuardKind::bits ? m.regs[code.c + k * m.stride + i] : 0;
      const char* what = "";
      if (!outside(guard, kind, static_cast<ScalarKind>(code.dst), a, b, c, what)) continue;
      if (raw) return m.set_fault(code.inst, std::string(what) + " in an operation that a pass left unguarded");
      if (m.checker != nullptr && !(guard == GuardKind::divide_signed && b != 0)) {
        m.checker->report(m, guard == GuardKind::shift ? kCheckShift : kCheckDivision, code.inst, what);
      }
    }
  }
}

void op_guard_nan(Machine& m, const Code& code) {
  if (m.checker == nullptr) return;
  const ScalarKind kind = static_cast<ScalarKind>(code.aux);
  const bool wide = is_wide(kind);
  const uint32_t* on = m.active->lanes;
  const auto is_nan = [&](uint32_t row, uint32_t component, uint32_t lane) {
    const double v = eval::float_value(kind, read_row(m, component_row(m, row, wide, component), wide, lane));
    return v != v;
  };
  for (uint32_t c = 0; c < code.n; ++c) {
    for (uint32_t i = m.lo; i < m.hi; ++i) {
      if (on[i] == 0 || !is_nan(code.a, c, i) || is_nan(code.b, c, i) || is_nan(code.c, c, i)) continue;
      m.checker->report(m, kCheckNan, code.inst, "the result is NaN, the operands are not");
    }
  }
}

}  // namespace carry::exec

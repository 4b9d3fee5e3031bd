#include "ops/eval/matrix.h"

#include "ops/eval/eval.h"
#include "ops/eval/float_bits.h"

namespace carry::eval {

namespace {

struct Matrices {
  ScalarKind s;
  std::span<const uint64_t> in;
  std::span<uint64_t> out;

  [[nodiscard]] double at(size_t i) const { return float_value(s, in[i]); }
  [[nodiscard]] double round(double v) const { return float_value(s, float_bits(s, v)); }
  void set(size_t i, double v) const { out[i] = float_bits(s, v); }

  /// Sum of n products; strides walk both factors.
  [[nodiscard]] double dot(size_t p, size_t p_step, size_t q, size_t q_step, uint32_t n) const {
    double sum = round(at(p) * at(q));
    for (uint32_t i = 1; i < n; ++i) sum = round(sum + round(at(p + i * p_step) * at(q + i * q_step)));
    return sum;
  }

  void mat_mul(const Type& a, const Type& b) const {
    const size_t second = static_cast<size_t>(a.columns) * a.rows;
    for (uint32_t c = 0; c < b.columns; ++c) {
      for (uint32_t r = 0; r < a.rows; ++r) set(c * a.rows + r, dot(r, a.rows, second + c * b.rows, 1, a.columns));
    }
  }
  void mat_vec(const Type& a) const {
    for (uint32_t r = 0; r < a.rows; ++r) set(r, dot(r, a.rows, static_cast<size_t>(a.columns) * a.rows, 1, a.columns));
  }
  void vec_mat(const Type& b) const {
    for (uint32_t c = 0; c < b.columns; ++c) set(c, dot(0, 1, b.rows + c * b.rows, 1, b.rows));
  }
  void mat_scale(size_t count) const {
    for (size_t i = 0; i < count; ++i) set(i, at(i) * at(count));
  }
  void outer_product(uint32_t rows, uint32_t columns) const {
    for (uint32_t c = 0; c < columns; ++c) {
      for (uint32_t r = 0; r < rows; ++r) set(c * rows + r, at(r) * at(rows + c));
    }
  }

  /// Determinant of the square of size n that is left without the rows and columns in the masks, by the first column.
  [[nodiscard]] double minor_of(uint32_t size, uint32_t skip_rows, uint32_t skip_columns) const {
    uint32_t column = 0;
    while (column < size && (skip_columns >> column & 1) != 0) ++column;
    if (column == size) return 1.0;
    double sum = 0;
    bool plus = true;
    for (uint32_t r = 0; r < size; ++r) {
      if ((skip_rows >> r & 1) != 0) continue;
      const double term = round(at(column * size + r) * minor_of(size, skip_rows | 1u << r, skip_columns | 1u << column));
      sum = round(plus ? sum + term : sum - term);
      plus = !plus;
    }
    return sum;
  }
  void inverse(uint32_t size) const {
    const double d = minor_of(size, 0, 0);
    for (uint32_t c = 0; c < size; ++c) {
      for (uint32_t r = 0; r < size; ++r) {
        const double cofactor = minor_of(size, 1u << c, 1u << r);
        set(c * size + r, ((c + r) % 2 == 0 ? cofactor : -cofactor) / d);
      }
    }
  }
};

bool by_component(Op op, ScalarKind s, size_t count, std::span<const uint64_t> in, std::span<uint64_t> out) {
  const bool two = op != Op::fneg;
  if (in.size() != (two ? 2 * count : count)) return false;
  for (size_t i = 0; i < count; ++i) {
    const uint64_t operands[2] = {in[i], two ? in[count + i] : 0};
    if (!eval_float(op, s, {operands, two ? size_t{2} : size_t{1}}, out.subspan(i, 1))) return false;
  }
  return true;
}

}  // namespace

bool eval_matrix(Op op, const Type& a, const Type& b, std::span<const uint64_t> in, std::span<uint64_t> out) {
  if (!is_float(a.scalar)) return false;
  const Matrices m{a.scalar, in, out};
  const bool square = a.kind == TypeKind::matrix && a.columns == a.rows;
  const size_t count = static_cast<size_t>(a.columns) * a.rows;
  switch (op) {
    case Op::mat_mul:
      if (b.kind != TypeKind::matrix || a.columns != b.rows) return false;
      m.mat_mul(a, b);
      return true;
    case Op::mat_vec:
      if (b.kind != TypeKind::vector || b.rows != a.columns) return false;
      m.mat_vec(a);
      return true;
    case Op::vec_mat:
      if (a.kind != TypeKind::vector || b.kind != TypeKind::matrix || a.rows != b.rows) return false;
      m.vec_mat(b);
      return true;
    case Op::mat_scale:
      if (in.size() != count + 1) return false;
      m.mat_scale(count);
      return true;
    case Op::outer_product:
      if (a.kind != TypeKind::vector || b.kind != TypeKind::vector) return false;
      m.outer_product(a.rows, b.rows);
      return true;
    case Op::determinant:
      if (square) m.set(0, m.minor_of(a.columns, 0, 0));
      return square;
    case Op::inverse:
      if (square) m.inverse(a.columns);
      return square;
    case Op::fadd:
    case Op::fsub:
    case Op::fmul:
    case Op::fdiv:
    case Op::fneg: return by_component(op, a.scalar, count, in, out);
    default: return false;
  }
}

}  // namespace carry::eval

#include "check/fold.h"

#include "ops/eval/eval.h"
#include "ops/eval/float_bits.h"
#include "ops/fold_form.h"

namespace carry::check {
namespace {

ScalarKind computed_as(ScalarKind s) {
  return s == ScalarKind::lit_int ? ScalarKind::i64 : s == ScalarKind::lit_float ? ScalarKind::f64 : s;
}

uint32_t bits_of(ScalarKind s) { return s == ScalarKind::bool_ ? 1u : scalar_bits(computed_as(s)); }

Op binary_op(BinaryOp op, ScalarKind s) {
  const bool f = is_float(s);
  const bool u = is_unsigned_int(s);
  switch (op) {
    case BinaryOp::add: return f ? Op::fadd : Op::add;
    case BinaryOp::sub: return f ? Op::fsub : Op::sub;
    case BinaryOp::mul: return f ? Op::fmul : Op::mul;
    case BinaryOp::div: return f ? Op::fdiv : u ? Op::udiv : Op::sdiv;
    case BinaryOp::rem: return f ? Op::frem : u ? Op::urem : Op::srem;
    case BinaryOp::bit_and:
    case BinaryOp::logical_and: return Op::and_;
    case BinaryOp::bit_or:
    case BinaryOp::logical_or: return Op::or_;
    case BinaryOp::bit_xor:
    case BinaryOp::logical_xor: return Op::xor_;
    case BinaryOp::shift_left: return Op::shl;
    case BinaryOp::shift_right: return u ? Op::lshr : Op::ashr;
    case BinaryOp::equal: return f ? Op::feq : Op::eq;
    case BinaryOp::not_equal: return f ? Op::fne : Op::ne;
    case BinaryOp::less:
    case BinaryOp::greater: return f ? Op::flt : u ? Op::ult : Op::slt;
    case BinaryOp::less_equal:
    case BinaryOp::greater_equal: return f ? Op::fle : u ? Op::ule : Op::sle;
    default: return Op::count_;
  }
}

bool swaps(BinaryOp op) { return op == BinaryOp::greater || op == BinaryOp::greater_equal; }

}  // namespace

bool Folder::to_int(ConstId value, int64_t& out) const {
  const Constant& c = types_.constant(value);
  const ScalarKind s = types_.scalar_of(c.type);
  if (!types_.is_scalar(c.type) || (!is_int(s) && s != ScalarKind::bool_)) return false;
  const uint64_t bits = c.kind == Constant::Kind::zero ? 0 : c.bits;
  out = is_signed_int(s) ? eval::sign_extend(bits, bits_of(s)) : static_cast<int64_t>(bits);
  return true;
}

ConstId Folder::convert_scalar(ConstId value, ScalarKind to) {
  const Constant c = types_.constant(value);
  const ScalarKind from = types_.scalar_of(c.type);
  if (from == to) return value;
  const TypeId type = types_.scalar(to);
  const uint64_t bits = c.kind == Constant::Kind::zero ? 0 : c.bits;
  const ScalarKind f = computed_as(from);
  const ScalarKind t = computed_as(to);
  uint64_t r = 0;
  if (f == ScalarKind::bool_) {
    r = bits == 0 ? 0 : is_float(t) ? eval::float_bits(t, 1.0) : 1;
  } else if (t == ScalarKind::bool_) {
    r = is_float(f) ? (eval::float_value(f, bits) != 0 ? 1 : 0) : bits != 0 ? 1 : 0;
  } else if (is_int(f) && is_int(t)) {
    r = is_signed_int(f) ? static_cast<uint64_t>(eval::sign_extend(bits, scalar_bits(f))) : bits;
  } else {
    const Op op = is_float(f) && is_float(t) ? Op::f_to_f
                  : is_float(f)              ? (is_signed_int(t) ? Op::f_to_s : Op::f_to_u)
                  : is_signed_int(f)         ? Op::s_to_f
                                             : Op::u_to_f;
    if (f == t)
      r = bits;
    else if (!eval::eval_conversion(op, f, t, bits, r))
      return ConstId();
  }
  return types_.constant_bits(type, r);
}

void Folder::leaves(ConstId value, std::vector<ConstId>& out) {
  uint32_t visits = 0;
  add_leaves(value, out, visits);
}

// Empty structs have parts but no leaves: the visits are bounded too.
void Folder::add_leaves(ConstId value, std::vector<ConstId>& out, uint32_t& visits) {
  if (!value || out.size() > kMaxFlattened || ++visits > 4 * kMaxFlattened) return;
  const TypeId t = types_.constant(value).type;
  if (types_.is_scalar(t)) {
    out.push_back(value);
    return;
  }
  const uint32_t n = types_.part_count(t);
  for (uint32_t i = 0; i < n && out.size() <= kMaxFlattened && visits <= 4 * kMaxFlattened; ++i) {
    add_leaves(types_.part_of(value, i), out, visits);
  }
}

ConstId Folder::rebuild(TypeId type, std::span<const ConstId> source, size_t& next, bool splat) {
  if (types_.is_scalar(type)) {
    if (source.empty()) return ConstId();
    const size_t i = splat ? 0 : next++;
    return i < source.size() ? convert_scalar(source[i], types_.scalar_of(type)) : ConstId();
  }
  const uint32_t n = types_.part_count(type);
  std::vector<ConstId> parts;
  for (uint32_t i = 0; i < n; ++i) {
    const ConstId p = rebuild(types_.part(type, i), source, next, splat);
    if (!p) return p;
    parts.push_back(p);
  }
  if (n == 0) return ConstId();
  return types_.constant_composite(type, parts);
}

ConstId Folder::convert(ConstId value, TypeId to) {
  const TypeId from = types_.constant(value).type;
  if (from == to) return value;
  const Conversion c = classify_conversion(types_, from, to);
  if (c == Conversion::impossible) return ConstId();
  if (c == Conversion::truncate && types_.is_matrix(from) && types_.is_matrix(to)) {
    std::vector<ConstId> columns;
    const Type t = types_[to];
    for (uint32_t i = 0; i < t.columns; ++i) {
      const ConstId column = convert(types_.part_of(value, i), types_.vector(t.scalar, t.rows));
      if (!column) return column;
      columns.push_back(column);
    }
    return types_.constant_composite(to, columns);
  }
  std::vector<ConstId> all;
  leaves(value, all);
  size_t next = 0;
  return rebuild(to, all, next, types_.is_scalar(from));
}

ConstId Folder::unary(UnaryOp op, ConstId value) {
  if (op == UnaryOp::plus) return value;
  const TypeId t = types_.constant(value).type;
  if (!types_.is_scalar(t)) {
    std::vector<ConstId> parts;
    for (uint32_t i = 0; i < types_.part_count(t); ++i) {
      const ConstId p = unary(op, types_.part_of(value, i));
      if (!p) return p;
      parts.push_back(p);
    }
    return types_.constant_composite(t, parts);
  }
  const Constant c = types_.constant(value);
  const ScalarKind s = computed_as(types_.scalar_of(t));
  const Op o = op == UnaryOp::neg ? (is_float(s) ? Op::fneg : Op::neg) : Op::not_;
  const uint64_t in[1] = {c.kind == Constant::Kind::zero ? 0 : c.bits};
  uint64_t out[1] = {0};
  if (!eval::eval_scalar(o, s, s, 0, in, out)) return ConstId();
  return types_.constant_bits(t, out[0]);
}

ConstId Folder::scalar_binary(BinaryOp op, ConstId a, ConstId b, TypeId result) {
  if (swaps(op)) std::swap(a, b);
  const Constant x = types_.constant(a);
  const Constant y = types_.constant(b);
  const ScalarKind s = computed_as(types_.scalar_of(x.type));
  const Op o = binary_op(op, s);
  if (o == Op::count_) return ConstId();
  const bool shift = o == Op::shl || o == Op::lshr || o == Op::ashr;
  uint64_t in[2] = {x.kind == Constant::Kind::zero ? 0 : x.bits, y.kind == Constant::Kind::zero ? 0 : y.bits};
  if (shift) in[1] = eval::cut(in[1], 32);
  uint64_t out[1] = {0};
  const ScalarKind to = computed_as(types_.scalar_of(result));
  const bool divides = o == Op::udiv || o == Op::sdiv || o == Op::urem || o == Op::srem;
  const auto payload = static_cast<uint32_t>(!divides ? ArithmeticVariant::total
                                             : hlsl_  ? ArithmeticVariant::ones
                                                      : ArithmeticVariant::x0);
  if (!eval::eval_scalar(o, s, to, payload, in, out)) return ConstId();
  return types_.constant_bits(types_.scalar(types_.scalar_of(result)), out[0]);
}

ConstId Folder::equal(ConstId a, ConstId b) {
  std::vector<ConstId> x;
  std::vector<ConstId> y;
  leaves(a, x);
  leaves(b, y);
  if (x.size() != y.size() || x.size() > kMaxFlattened) return ConstId();
  for (size_t i = 0; i < x.size(); ++i) {
    const ConstId e = scalar_binary(BinaryOp::equal, x[i], y[i], TypeId::bool_);
    if (!e) return e;
    if (types_.is_zero(e)) return types_.constant_bool(false);
  }
  return types_.constant_bool(true);
}

// Column-major algebra: matrix times matrix, matrix times column vector, row vector times matrix.
ConstId Folder::matrix_product(ConstId a, ConstId b, TypeId result) {
  const TypeId ta = types_.constant(a).type;
  const TypeId tb = types_.constant(b).type;
  const ScalarKind s = types_.scalar_of(ta);
  const TypeId scalar = types_.scalar(s);
  const bool row = types_.is_vector(ta);
  const bool column = types_.is_vector(tb);
  const uint32_t inner = row ? types_[ta].rows : types_[ta].columns;
  const uint32_t rows = row ? 1u : types_[ta].rows;
  const uint32_t columns = column ? 1u : types_[tb].columns;
  std::vector<ConstId> cells;
  for (uint32_t c = 0; c < columns; ++c) {
    for (uint32_t r = 0; r < rows; ++r) {
      ConstId sum;
      for (uint32_t i = 0; i < inner; ++i) {
        const ConstId x = row ? types_.part_of(a, i) : types_.part_of(types_.part_of(a, i), r);
        const ConstId y = column ? types_.part_of(b, i) : types_.part_of(types_.part_of(b, c), i);
        const ConstId p = scalar_binary(BinaryOp::mul, x, y, scalar);
        if (!p) return p;
        sum = sum ? scalar_binary(BinaryOp::add, sum, p, scalar) : p;
      }
      cells.push_back(sum);
    }
  }
  size_t next = 0;
  return rebuild(result, cells, next, false);
}

ConstId Folder::binary(BinaryOp op, ConstId a, ConstId b, TypeId result) {
  const TypeId ta = types_.constant(a).type;
  const TypeId tb = types_.constant(b).type;
  const bool equality = op == BinaryOp::equal || op == BinaryOp::not_equal;
  if (equality && result == TypeId::bool_ && !types_.is_scalar(ta)) {
    const ConstId e = equal(a, b);
    if (!e || op == BinaryOp::equal) return e;
    return types_.constant_bool(types_.is_zero(e));
  }
  if (types_.is_scalar(result))
    return types_.is_scalar(ta) && types_.is_scalar(tb) ? scalar_binary(op, a, b, result) : ConstId();
  const bool matrices = types_.is_matrix(ta) || types_.is_matrix(tb);
  if (!hlsl_ && op == BinaryOp::mul && matrices && !types_.is_scalar(ta) && !types_.is_scalar(tb))
    return matrix_product(a, b, result);
  std::vector<ConstId> parts;
  for (uint32_t i = 0; i < types_.part_count(result); ++i) {
    const ConstId x = types_.is_scalar(ta) ? a : types_.part_of(a, i);
    const ConstId y = types_.is_scalar(tb) ? b : types_.part_of(b, i);
    const ConstId p = binary(op, x, y, types_.part(result, i));
    if (!p) return p;
    parts.push_back(p);
  }
  return types_.constant_composite(result, parts);
}

ConstId Folder::swizzle(ConstId value, uint32_t packed, uint32_t count, TypeId result) {
  std::vector<ConstId> all;
  leaves(value, all);
  std::vector<ConstId> parts;
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t c = packed >> (4 * i) & 15u;
    if (c >= all.size()) return ConstId();
    parts.push_back(all[c]);
  }
  return count == 1 ? parts[0] : types_.constant_composite(result, parts);
}

ConstId Folder::construct(ConstructKind kind, TypeId type, std::span<const ConstId> args) {
  std::vector<ConstId> all;
  for (ConstId a : args) leaves(a, all);
  size_t next = 0;
  switch (kind) {
    case ConstructKind::zero: return types_.zero(type);
    case ConstructKind::splat: return rebuild(type, all, next, true);
    case ConstructKind::parts:
    case ConstructKind::flatten: return rebuild(type, all, next, false);
    case ConstructKind::aggregate: return types_.constant_composite(type, args);
    case ConstructKind::diagonal:
    case ConstructKind::address:
    case ConstructKind::combine: return ConstId();
    case ConstructKind::resize: break;
  }
  const Type t = types_[type];
  const TypeId scalar = types_.scalar(t.scalar);
  const ConstId one = convert_scalar(types_.constant_bool(true), t.scalar);
  std::vector<ConstId> columns;
  for (uint32_t c = 0; c < t.columns; ++c) {
    std::vector<ConstId> column;
    for (uint32_t r = 0; r < t.rows; ++r) {
      ConstId cell = r == c ? one : types_.zero(scalar);
      if (kind == ConstructKind::diagonal) {
        cell = r == c ? all[0] : types_.zero(scalar);
      } else {
        const Type& from = types_[types_.constant(args[0]).type];
        if (c < from.columns && r < from.rows) cell = convert_scalar(types_.part_of(types_.part_of(args[0], c), r), t.scalar);
      }
      column.push_back(cell);
    }
    columns.push_back(types_.constant_composite(types_.vector(t.scalar, t.rows), column));
  }
  return types_.constant_composite(type, columns);
}

ConstId Folder::builtin(const builtins::Form& form, const builtins::Bindings& b, std::span<const ConstId> args, TypeId result) {
  std::vector<ConstId> results;
  if (result == TypeId::void_ || !fold_form(types_, form, b, args, results) || results.size() != 1) return ConstId();
  return results[0];
}

}  // namespace carry::check

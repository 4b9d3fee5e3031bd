#include "ops/fold.h"

#include <vector>

#include "ops/builtins.h"
#include "ops/eval/eval.h"
#include "ops/eval/matrix.h"

namespace carry {

namespace {

constexpr uint32_t kMaxParts = 64;  // of one operation: four 4x4 matrices

/// Scalars of a scalar, vector or matrix constant in order; false for others.
bool flatten(TypeTable& types, ConstId id, std::vector<uint64_t>& bits) {
  const TypeId type = types.constant(id).type;
  if (types.is_scalar(type)) {
    bits.push_back(types.constant(id).bits);
    return true;
  }
  if (!types.is_vector(type) && !types.is_matrix(type)) return false;
  for (uint32_t i = 0; i < types.part_count(type); ++i) {
    if (!flatten(types, types.part_of(id, i), bits)) return false;
  }
  return true;
}

/// The inverse: takes as many bits as the type needs, from `at` on.
ConstId rebuild(TypeTable& types, TypeId type, std::span<const uint64_t> bits, size_t& at) {
  if (types.is_scalar(type)) return at < bits.size() ? types.constant_bits(type, bits[at++]) : ConstId();
  if (!types.is_vector(type) && !types.is_matrix(type)) return {};
  std::vector<ConstId> parts;
  for (uint32_t i = 0; i < types.part_count(type); ++i) {
    parts.push_back(rebuild(types, types.part(type, i), bits, at));
    if (!parts.back()) return {};
  }
  return types.constant_composite(type, parts);
}
ConstId rebuild(TypeTable& types, TypeId type, std::span<const uint64_t> bits) {
  size_t at = 0;
  return rebuild(types, type, bits, at);
}

bool has_bits(ScalarKind s) { return s == ScalarKind::bool_ || scalar_bits(s) != 0; }

/// Component by component; a scalar operand counts for all components (bit fields, select).
ConstId fold_components(TypeTable& types, Op op, TypeId result_type, std::span<const ConstId> operands, uint32_t payload,
                        uint32_t result) {
  const OpRow& row = op_row(op);
  const uint32_t n = types.component_count(result_type);
  const size_t of = op == Op::select ? 1 : 0;
  if (n == 0 || operands.size() <= of || operands.size() > 4 || row.results > 2 || result >= static_cast<uint32_t>(row.results))
    return {};
  std::vector<uint64_t> flat[4];
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!flatten(types, operands[i], flat[i]) || (flat[i].size() != n && flat[i].size() != 1)) return {};
  }
  const ScalarKind from = types.scalar_of(types.constant(operands[of]).type), to = types.scalar_of(result_type);
  if (!has_bits(from) || !has_bits(to)) return {};
  std::vector<uint64_t> out;
  for (uint32_t c = 0; c < n; ++c) {
    uint64_t in[4], results[2] = {0, 0};
    for (size_t i = 0; i < operands.size(); ++i) in[i] = flat[i].size() == 1 ? flat[i][0] : flat[i][c];
    if (!eval::eval_scalar(op, from, to, payload, {in, operands.size()}, {results, static_cast<size_t>(row.results)}))
      return {};
    out.push_back(results[result]);
  }
  return rebuild(types, result_type, out);
}

/// Built-in operations: the operands' types are those of the signature, so eval may index them.
bool fits_signature(TypeTable& types, Op op, TypeId result_type, std::span<const ConstId> operands) {
  if (!has_trait(op, kBuiltin)) return true;
  TypeId found[4], results[2];
  if (operands.size() > 4 || op_row(op).results != 1) return false;
  for (size_t i = 0; i < operands.size(); ++i) found[i] = types.constant(operands[i]).type;
  return builtins::op_result_types(types, op, {found, operands.size()}, {results, 1}) && results[0] == result_type;
}

/// Operations that see a whole vector or matrix.
ConstId fold_whole(TypeTable& types, Op op, TypeId result_type, std::span<const ConstId> operands) {
  std::vector<uint64_t> in;
  for (ConstId c : operands) {
    if (!flatten(types, c, in)) return {};
  }
  if (operands.empty() || in.size() > kMaxParts || !fits_signature(types, op, result_type, operands)) return {};
  const TypeId first = types.constant(operands[0]).type;
  const Type type = types[first];
  uint64_t out[16] = {};
  if (type.kind == TypeKind::matrix || op == Op::vec_mat || op == Op::outer_product) {
    const Type second = operands.size() > 1 ? types[types.constant(operands[1]).type] : Type{};
    if (!eval::eval_matrix(op, type, second, in, out)) return {};
  } else if (!eval::eval_vector(op, type.scalar, types.component_count(first), in, out)) {
    return {};
  }
  return rebuild(types, result_type, out);
}

ConstId fold_transpose(TypeTable& types, TypeId result_type, ConstId value) {
  const TypeId type = types.constant(value).type;
  if (!types.is_matrix(type) || !types.is_matrix(result_type)) return {};
  std::vector<uint64_t> in, out;
  if (!flatten(types, value, in)) return {};
  const uint32_t columns = types[type].columns, rows = types[type].rows;
  for (uint32_t r = 0; r < rows; ++r) {
    for (uint32_t c = 0; c < columns; ++c) out.push_back(in[c * rows + r]);
  }
  return rebuild(types, result_type, out);
}

// ---- composites ----

/// An integer constant as a step into `type`; false if it is out of range.
bool step(TypeTable& types, ConstId id, TypeId type, uint32_t& index) {
  const Constant& c = types.constant(id);
  if (!types.is_scalar(c.type) || !is_int(types.scalar_of(c.type))) return false;
  index = static_cast<uint32_t>(c.bits);
  return index < types.part_count(type) && c.bits == index;
}

ConstId fold_elem(TypeTable& types, std::span<const ConstId> operands) {
  ConstId value = operands[0];
  for (ConstId s : operands.subspan(1)) {
    uint32_t index = 0;
    if (!step(types, s, types.constant(value).type, index)) return {};
    value = types.part_of(value, index);
  }
  return value;
}

ConstId fold_with(TypeTable& types, ConstId value, std::span<const ConstId> steps, ConstId part) {
  if (steps.empty()) return part;
  const TypeId type = types.constant(value).type;
  uint32_t index = 0;
  if (!step(types, steps[0], type, index)) return {};
  std::vector<ConstId> parts;
  for (uint32_t i = 0; i < types.part_count(type); ++i) parts.push_back(types.part_of(value, i));
  parts[index] = fold_with(types, parts[index], steps.subspan(1), part);
  return parts[index] ? types.constant_composite(type, parts) : ConstId();
}

ConstId fold_shuffle(TypeTable& types, TypeId result_type, std::span<const ConstId> operands, uint32_t payload) {
  std::vector<uint64_t> in, out;
  if (operands.size() != 2 || !flatten(types, operands[0], in) || !flatten(types, operands[1], in)) return {};
  for (uint32_t i = 0; i < types.component_count(result_type); ++i) {
    const uint32_t lane = payload >> (4 * i) & 15;
    if (lane >= in.size()) return {};
    out.push_back(in[lane]);
  }
  return rebuild(types, result_type, out);
}

ConstId fold_make(TypeTable& types, TypeId result_type, std::span<const ConstId> operands) {
  if (operands.empty()) return {};
  const uint32_t n = types.component_count(result_type);
  if (n == 0) {  // matrix by columns, array, struct
    if (operands.size() != types.part_count(result_type)) return {};
    for (uint32_t i = 0; i < operands.size(); ++i) {
      if (types.constant(operands[i]).type != types.part(result_type, i)) return {};
    }
    return types.constant_composite(result_type, operands);
  }
  std::vector<uint64_t> in;
  for (ConstId c : operands) {
    if (!flatten(types, c, in)) return {};
  }
  if (in.size() == 1) in.assign(n, in[0]);
  return in.size() == n ? rebuild(types, result_type, in) : ConstId();
}

/// Equal or different widths of components: the bits of all components in order, cut anew.
ConstId fold_bitcast(TypeTable& types, TypeId result_type, ConstId value) {
  std::vector<uint64_t> in, out;
  const TypeId type = types.constant(value).type;
  const uint32_t n = types.component_count(type), m = types.component_count(result_type);
  if (n == 0 || m == 0 || !flatten(types, value, in)) return {};
  const uint32_t from = scalar_bits(types.scalar_of(type)), to = scalar_bits(types.scalar_of(result_type));
  if (from == 0 || to == 0 || from * n != to * m) return {};
  for (uint32_t i = 0; i < m; ++i) {
    uint64_t bits = 0;
    for (uint32_t done = 0; done < to;) {
      const uint32_t at = i * to + done, offset = at % from, take = from - offset < to - done ? from - offset : to - done;
      const uint64_t mask = take >= 64 ? ~uint64_t{0} : (uint64_t{1} << take) - 1;
      bits |= (in[at / from] >> offset & mask) << done;
      done += take;
    }
    out.push_back(bits);
  }
  return rebuild(types, result_type, out);
}

}  // namespace

ConstId fold(TypeTable& types, Op op, TypeId result_type, std::span<const ConstId> operands, uint32_t payload,
             uint32_t result) {
  const OpRow& row = op_row(op);
  if ((row.traits & kPure) == 0 || operands.empty()) return {};
  if (row.operands >= 0 && operands.size() != static_cast<size_t>(row.operands)) return {};
  switch (op) {
    case Op::elem: return fold_elem(types, operands);
    case Op::with:
      if (operands.size() < 3) return {};
      return fold_with(types, operands[0], operands.subspan(1, operands.size() - 2), operands.back());
    case Op::shuffle: return fold_shuffle(types, result_type, operands, payload);
    case Op::make: return fold_make(types, result_type, operands);
    case Op::bitcast: return fold_bitcast(types, result_type, operands[0]);
    case Op::transpose: return fold_transpose(types, result_type, operands[0]);
    case Op::select:
      if (types.is_scalar(types.constant(operands[0]).type)) return operands[types.constant(operands[0]).bits != 0 ? 1 : 2];
      return fold_components(types, op, result_type, operands, payload, result);
    default: break;
  }
  const bool whole_matrix = types.is_matrix(types.constant(operands[0]).type);
  if ((row.traits & kComp) != 0 && !whole_matrix) return fold_components(types, op, result_type, operands, payload, result);
  return fold_whole(types, op, result_type, operands);
}

}  // namespace carry

#include "ir/result_types.h"

#include "ir/builder.h"

namespace carry::ir {

bool is_index_type(TypeId type) { return type == TypeId::i32 || type == TypeId::u32; }

TypeId loaded_type(TypeTable& types, TypeId pointee) {
  Type t = types[pointee];
  if (t.kind == TypeKind::atomic) return t.element;
  if (t.kind != TypeKind::vector || (t.flags & kVectorPacked) == 0) return pointee;
  t.flags = static_cast<uint8_t>(t.flags & ~kVectorPacked);
  return types.intern(t);
}

TypeId value_type(const Module& module, const Function* function, ValueId v) {
  if (v.is_constant())
    return v.const_id().value < module.types().constant_count() ? module.types().constant(v.const_id()).type : TypeId::none();
  if (v.is_global()) return module.globals.contains(v.global_id()) ? module.globals[v.global_id()].type : TypeId::none();
  if (!v.is_local() || function == nullptr || v.index() >= function->value_types.size()) return TypeId::none();
  return function->value_types[v.index()];
}

namespace {

/// The index a step names if it is a constant; `known` tells.
uint32_t constant_step(const Module& module, ValueId step, bool& known) {
  known = step.is_constant() && module.types().constant(step.const_id()).kind == Constant::Kind::scalar;
  return known ? static_cast<uint32_t>(module.types().constant(step.const_id()).bits) : 0;
}

bool step_fits(Module& module, TypeId type, ValueId step, uint32_t& index) {
  const TypeTable& types = module.types();
  bool known = false;
  index = constant_step(module, step, known);
  switch (types.kind(type)) {
    case TypeKind::struct_: return known && index < types.part_count(type);
    case TypeKind::vector:
    case TypeKind::matrix:
    case TypeKind::array:
    case TypeKind::bindings: return true;
    default: return false;
  }
}

struct Derive {
  Module& m;
  const Function* f;
  const OpUse& use;
  std::vector<TypeId>& out;
  std::string& error;

  TypeTable& types() { return m.types(); }
  TypeId type(size_t i) { return i < use.operands.size() ? value_type(m, f, use.operands[i]) : TypeId::none(); }
  bool fail(const char* message) {
    error = message;
    return false;
  }
  bool give(TypeId t) {
    if (!t) return fail("operands do not fit the operation");
    out.push_back(t);
    return true;
  }
  TypeId bool_shape(TypeId t) { return types().is_numeric(t) ? types().with_scalar(t, ScalarKind::bool_) : TypeId::bool_; }
  bool is_numeric(TypeId t) { return t && types().is_numeric(t); }
  bool is_pointer(TypeId t) { return t && types().is_pointer(t); }

  TypeId steps(TypeId from, size_t first, size_t end, bool pointer) {
    TypeId t = from;
    for (size_t i = first; i < end && t; ++i)
      t = pointer ? pointer_step(m, t, use.operands[i]) : value_step(m, t, use.operands[i]);
    return t;
  }

  TypeId matrix_result() {
    const TypeId a = type(0);
    const TypeId b = type(1);
    if (!is_numeric(a)) return TypeId::none();
    const Type ta = types()[a];
    if (use.op == Op::transpose)
      return ta.kind == TypeKind::matrix ? types().matrix(ta.scalar, ta.rows, ta.columns) : TypeId::none();
    if (!is_numeric(b)) return TypeId::none();
    const Type tb = types()[b];
    if (use.op == Op::mat_vec) return ta.kind == TypeKind::matrix ? types().vector(ta.scalar, ta.rows) : TypeId::none();
    if (tb.kind != TypeKind::matrix) return TypeId::none();
    if (use.op == Op::vec_mat) return types().vector(tb.scalar, tb.columns);
    return ta.kind == TypeKind::matrix ? types().matrix(ta.scalar, tb.columns, ta.rows) : TypeId::none();
  }

  /// Pointee of operand 0, atomics unwrapped.
  TypeId memory_scalar() {
    const TypeId p = type(0);
    if (!is_pointer(p)) return TypeId::none();
    const Type pointee = types()[types()[p].element];
    if (pointee.kind == TypeKind::atomic) return pointee.element;
    return pointee.kind == TypeKind::scalar ? types()[p].element : TypeId::none();
  }

  bool special() {
    const TypeId a = type(0);
    switch (use.op) {
      case Op::uadd_carry:
      case Op::usub_borrow: return is_numeric(a) ? give(a) && give(bool_shape(a)) : fail("needs numbers");
      case Op::umul_extended:
      case Op::smul_extended: return is_numeric(a) ? give(a) && give(a) : fail("needs numbers");
      case Op::select: return give(type(1));
      case Op::any:
      case Op::all:
      case Op::is_helper: return give(TypeId::bool_);
      case Op::array_length: return is_pointer(a) ? give(TypeId::u32) : fail("needs a pointer");
      case Op::elem:
        return a && use.operands.size() > 1 ? give(steps(a, 1, use.operands.size(), false)) : fail("needs a value and steps");
      case Op::subgroup: return give(a);
      case Op::atomic_cas_weak: return give(memory_scalar()) && give(TypeId::bool_);
      case Op::call: {
        if (!m.functions.contains(FunctionId(use.payload))) return fail("no such function");
        const TypeId result = m.functions[FunctionId(use.payload)].result;
        return result == TypeId::void_ || give(result);
      }
      default: out.assign(use.named.begin(), use.named.end()); return true;
    }
  }

  bool named() {
    switch (use.op) {
      case Op::mat_mul:
      case Op::mat_vec:
      case Op::vec_mat:
      case Op::transpose: return give(matrix_result());
      case Op::shuffle:
        // The component count stands in the named type; the scalar is the operand's.
        if (use.named.size() != 1 || !is_numeric(type(0))) return fail("needs vectors");
        return give(types().vector(types().scalar_of(type(0)), types().component_count(use.named[0])));
      default:
        if (use.named.size() != 1) return fail("the result's type is missing");
        return give(use.named[0]);
    }
  }

  bool run() {
    switch (op_row(use.op).rule) {
      case TypeRule::none: return true;
      case TypeRule::same0: return give(type(0));
      case TypeRule::bool0: return is_numeric(type(0)) ? give(bool_shape(type(0))) : fail("needs numbers or bool");
      case TypeRule::named: return named();
      case TypeRule::pointer:
        if (use.op == Op::var) {
          if (use.named.size() != 1) return fail("the variable's type is missing");
          return give(use.named[0]);
        }
        if (!is_pointer(type(0)) || use.operands.size() < 2) return fail("`at` needs a pointer and steps");
        return give(steps(type(0), 1, use.operands.size(), true));
      case TypeRule::loaded: {
        if (!is_pointer(type(0))) return fail("needs a pointer");
        return give(loaded_type(types(), types()[type(0)].element));
      }
      case TypeRule::old: return give(memory_scalar());
      case TypeRule::special: return special();
    }
    return false;
  }
};

}  // namespace

TypeId value_step(Module& module, TypeId type, ValueId step) {
  uint32_t index = 0;
  if (!type || !step_fits(module, type, step, index)) return TypeId::none();
  return module.types().part(type, index);
}

TypeId pointer_step(Module& module, TypeId pointer, ValueId step) {
  if (!pointer || !module.types().is_pointer(pointer)) return TypeId::none();
  const TypeId pointee = module.types()[pointer].element;
  uint32_t index = 0;
  if (!pointee || !step_fits(module, pointee, step, index)) return TypeId::none();
  Builder builder(module, FunctionId::none());
  const TypeId result = builder.step_pointer(pointer, index);
  return result == TypeId::error ? TypeId::none() : result;
}

bool derive_results(Module& module, const Function* function, const OpUse& use, std::vector<TypeId>& results,
                    std::string& error) {
  results.clear();
  Derive derive{module, function, use, results, error};
  return derive.run();
}

}  // namespace carry::ir

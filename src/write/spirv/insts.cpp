// Instructions: dispatch, arithmetic, conversions, composite values, calls.
#include <spirv/unified1/GLSL.std.450.h>

#include "ops/conversions.h"
#include "write/spirv/state.h"

namespace carry::write::spirv {

using ir::Inst;
using ir::ValueId;

namespace {

struct Spelling {
  uint8_t kind = 0;  // 0: none, 1: core, 2: extended
  uint16_t number = 0;
};

struct SpellingTable {
  Spelling rows[static_cast<size_t>(Op::count_)];
};

constexpr SpellingTable make_table() {
  SpellingTable t{};
#define CORE(op, instruction) t.rows[static_cast<size_t>(Op::op)] = {1, static_cast<uint16_t>(spv::Op::instruction)};
#define EXT(op, number) t.rows[static_cast<size_t>(Op::op)] = {2, static_cast<uint16_t>(GLSLstd450##number)};
#include "write/spirv/op_table.def"
#undef CORE
#undef EXT
  return t;
}

constexpr SpellingTable kSpellings = make_table();

}  // namespace

SpvId Writer::value(ValueId v) {
  if (v.is_constant()) return constant(v.const_id());
  if (v.is_global()) return global_ids_[v.index()];
  SpvId& id = locals_[v.index()];
  if (id == 0) id = new_id();
  return id;
}

SpvId Writer::result_id(const Inst& inst, uint32_t i) { return value(m_.result(inst, i)); }

SpvId Writer::emit(spv::Op op, SpvId type_id, std::span<const Word> operands) {
  const SpvId id = new_id();
  body_.begin(op);
  body_.word(type_id);
  body_.word(id);
  body_.words(operands);
  body_.end();
  return id;
}

SpvId Writer::emit(spv::Op op, SpvId type_id, std::initializer_list<Word> operands) {
  return emit(op, type_id, std::span<const Word>(operands.begin(), operands.size()));
}

void Writer::emit_to(spv::Op op, SpvId type_id, SpvId id, std::initializer_list<Word> operands) {
  body_.begin(op);
  body_.word(type_id);
  body_.word(id);
  body_.words(std::span<const Word>(operands.begin(), operands.size()));
  body_.end();
}

SpvId Writer::emit_ext(uint32_t number, SpvId type_id, std::initializer_list<Word> operands) {
  std::vector<Word> words{glsl_std(), number};
  words.insert(words.end(), operands.begin(), operands.end());
  return emit(spv::Op::OpExtInst, type_id, words);
}

/// Binds the (first) result to `id` and applies the instruction's flags.
void Writer::finish(const Inst& inst, SpvId id) {
  const ValueId r = inst.first_result;
  if (r.is_global()) {
    global_ids_[r.index()] = id;
  } else {
    locals_[r.index()] = id;
    if (inst.flags & ir::kNonUniform) non_uniform_[r.index()] = true;
    if (!fn_->value_names[r.index()].is_none()) name(id, fn_->value_names[r.index()]);
  }
  // Componentwise arithmetic on a matrix ends in OpCompositeConstruct: its columns are decorated.
  const bool by_columns = has_trait(inst.op, kComp) && m_.types().is_matrix(type_of(inst.first_result));
  if ((inst.flags & ir::kPrecise) && has_trait(inst.op, kFloat) && !by_columns) decorate(id, spv::Decoration::NoContraction);
  if (inst.flags & ir::kRelaxed) decorate(id, spv::Decoration::RelaxedPrecision);
  if (inst.flags & ir::kNonUniform) {
    capability(spv::Capability::ShaderNonUniform);
    extension_before("SPV_EXT_descriptor_indexing", 0x00010500);
    decorate(id, spv::Decoration::NonUniform);
  }
}

void Writer::simple(const Inst& inst, spv::Op op) {
  const SpvId type_id = result_type(inst);
  const std::vector<SpvId> operands = values_of(m_.operands(inst));
  finish(inst, emit(op, type_id, operands));
}

/// SPIR-V has no componentwise arithmetic on matrices.
void Writer::matrix_by_columns(const Inst& inst, spv::Op op) {
  const TypeId matrix = m_.type_of(*fn_, inst.first_result);
  const SpvId column = type(m_.types().part(matrix, 0));
  const std::vector<SpvId> operands = values_of(m_.operands(inst));
  std::vector<Word> columns;
  for (uint32_t c = 0; c < m_.types().part_count(matrix); ++c) {
    std::vector<Word> parts;
    for (SpvId operand : operands) parts.push_back(emit(spv::Op::OpCompositeExtract, column, {operand, c}));
    columns.push_back(emit(op, column, parts));
    if (inst.flags & ir::kPrecise) decorate(columns.back(), spv::Decoration::NoContraction);
  }
  finish(inst, emit(spv::Op::OpCompositeConstruct, type(matrix), columns));
}

void Writer::ext_inst(const Inst& inst, uint32_t number) {
  const SpvId type_id = result_type(inst);
  std::vector<Word> words{glsl_std(), number};
  for (ValueId v : m_.operands(inst)) words.push_back(value(v));
  finish(inst, emit(spv::Op::OpExtInst, type_id, words));
}

void Writer::instruction(ir::InstId id) {
  const Inst& inst = m_.insts[id];
  if (fn_ != nullptr && inst.result_count != 0 && inst.first_result.is_local()) {
    for (uint32_t i = 0; i < inst.result_count; ++i) defs_[m_.result(inst, i).index()] = id;
  }
  const OpRow& row = op_row(inst.op);
  if (row.traits & kTerminator) return terminator(inst);
  if (row.traits & kAtomic) return atomic(inst);
  if (row.traits & kImage) return image(inst);
  if (is_conversion(inst.op)) return convert(inst);
  switch (inst.op) {
    case Op::if_: return control_if(inst);
    case Op::switch_: return control_switch(inst);
    case Op::loop: return control_loop(inst);
    case Op::call: return call(inst);
    case Op::barrier: return barrier(inst);
    case Op::var:
    case Op::load:
    case Op::store:
    case Op::at:
    case Op::array_length:
    case Op::texel: return memory(inst);
    case Op::elem:
    case Op::with:
    case Op::shuffle:
    case Op::make: return composite(inst);
    case Op::select: return select(inst);
    case Op::uadd_carry: return pair_result(inst, spv::Op::OpIAddCarry);
    case Op::usub_borrow: return pair_result(inst, spv::Op::OpISubBorrow);
    case Op::umul_extended: return pair_result(inst, spv::Op::OpUMulExtended);
    case Op::smul_extended: return pair_result(inst, spv::Op::OpSMulExtended);
    case Op::sclamp:
    case Op::uclamp:
    case Op::fclamp: return clamp(inst);
    case Op::demote:
      capability(spv::Capability::DemoteToHelperInvocation);
      extension_before("SPV_EXT_demote_to_helper_invocation", 0x00010600);
      return body_.inst(spv::Op::OpDemoteToHelperInvocation, {});
    case Op::is_helper: {
      capability(spv::Capability::DemoteToHelperInvocation);
      extension_before("SPV_EXT_demote_to_helper_invocation", 0x00010600);
      return finish(inst, emit(spv::Op::OpIsHelperInvocationEXT, result_type(inst), {}));
    }
    default: break;
  }
  if (subgroup(inst)) return;
  current_ = id;
  arithmetic(inst);
}

void Writer::arithmetic(const Inst& inst) {
  const ScalarKind s = m_.types().scalar_of(type_of(m_.operand(inst, 0)));
  const bool logical = s == ScalarKind::bool_;
  switch (inst.op) {
    case Op::and_: return simple(inst, logical ? spv::Op::OpLogicalAnd : spv::Op::OpBitwiseAnd);
    case Op::or_: return simple(inst, logical ? spv::Op::OpLogicalOr : spv::Op::OpBitwiseOr);
    case Op::xor_: return simple(inst, logical ? spv::Op::OpLogicalNotEqual : spv::Op::OpBitwiseXor);
    case Op::not_: return simple(inst, logical ? spv::Op::OpLogicalNot : spv::Op::OpNot);
    case Op::eq: return simple(inst, logical ? spv::Op::OpLogicalEqual : spv::Op::OpIEqual);
    case Op::ne: return simple(inst, logical ? spv::Op::OpLogicalNotEqual : spv::Op::OpINotEqual);
    case Op::any:
    case Op::all:
      if (m_.types().is_scalar(type_of(m_.operand(inst, 0)))) return finish(inst, value(m_.operand(inst, 0)));
      return simple(inst, inst.op == Op::any ? spv::Op::OpAny : spv::Op::OpAll);
    case Op::insert_bits: return simple(inst, spv::Op::OpBitFieldInsert);
    case Op::dot:
      if (m_.types().is_scalar(type_of(m_.operand(inst, 0)))) return simple(inst, spv::Op::OpFMul);
      break;
    default: break;
  }
  if (builtin(inst)) return;
  const Spelling spelling = kSpellings.rows[static_cast<size_t>(inst.op)];
  if (spelling.kind == 0) {  // an error of the driver's; the words are not used
    if (!unwritable_) unwritable_ = current_;
    return finish(inst, new_id());
  }
  derivatives_ = derivatives_ || has_trait(inst.op, kDerivative);
  if (has_trait(inst.op, kDerivative) && inst.op != Op::dpdx && inst.op != Op::dpdy && inst.op != Op::fwidth) {
    capability(spv::Capability::DerivativeControl);
  }
  if (spelling.kind == 1 && has_trait(inst.op, kComp) && m_.types().is_matrix(type_of(m_.operand(inst, 0)))) {
    return matrix_by_columns(inst, static_cast<spv::Op>(spelling.number));
  }
  if (spelling.kind == 1) return simple(inst, static_cast<spv::Op>(spelling.number));
  ext_inst(inst, spelling.number);
}

/// Built-ins that need more than their operands.
bool Writer::builtin(const Inst& inst) {
  switch (inst.op) {
    case Op::frexp: struct_result(inst, GLSLstd450FrexpStruct); return true;
    case Op::modf: struct_result(inst, GLSLstd450ModfStruct); return true;
    case Op::f32_to_f16_word: {
      // One half in the low 16 bits: pack (x, 0), component by component.
      const TypeId t = type_of(inst.first_result);
      const uint32_t n = m_.types().component_count(t);
      const SpvId pair = type(m_.types().vector(ScalarKind::f32, 2));
      const SpvId zero = value(ValueId::constant(m_.types().constant_f32(0.0f)));
      const SpvId x = value(m_.operand(inst, 0));
      std::vector<Word> words;
      for (uint32_t i = 0; i < n; ++i) {
        const SpvId c = n == 1 ? x : emit(spv::Op::OpCompositeExtract, type(TypeId::f32), {x, i});
        words.push_back(emit_ext(GLSLstd450PackHalf2x16, u32_type(), {emit(spv::Op::OpCompositeConstruct, pair, {c, zero})}));
      }
      finish(inst, n == 1 ? words[0] : emit(spv::Op::OpCompositeConstruct, type(t), words));
      return true;
    }
    case Op::f16_word_to_f32: {
      const TypeId t = type_of(inst.first_result);
      const uint32_t n = m_.types().component_count(t);
      const SpvId pair = type(m_.types().vector(ScalarKind::f32, 2));
      const SpvId x = value(m_.operand(inst, 0));
      std::vector<Word> words;
      for (uint32_t i = 0; i < n; ++i) {
        const SpvId c = n == 1 ? x : emit(spv::Op::OpCompositeExtract, u32_type(), {x, i});
        words.push_back(
            emit(spv::Op::OpCompositeExtract, type(TypeId::f32), {emit_ext(GLSLstd450UnpackHalf2x16, pair, {c}), 0}));
      }
      finish(inst, n == 1 ? words[0] : emit(spv::Op::OpCompositeConstruct, type(t), words));
      return true;
    }
    default: return false;
  }
}

void Writer::struct_result(const Inst& inst, uint32_t number) {
  const SpvId first = result_type(inst, 0);
  const SpvId second = result_type(inst, 1);
  const SpvId pair = emit_ext(number, pair_struct(first, second), {value(m_.operand(inst, 0))});
  locals_[m_.result(inst, 0).index()] = emit(spv::Op::OpCompositeExtract, first, {pair, 0});
  locals_[m_.result(inst, 1).index()] = emit(spv::Op::OpCompositeExtract, second, {pair, 1});
}

void Writer::clamp(const Inst& inst) {
  // Not SClamp or FClamp: those leave low > high undefined; the contract is min(max(x, low), high).
  const bool is_signed = inst.op == Op::sclamp;
  const uint32_t max_op = inst.op == Op::fclamp ? GLSLstd450NMax : is_signed ? GLSLstd450SMax : GLSLstd450UMax;
  const uint32_t min_op = inst.op == Op::fclamp ? GLSLstd450NMin : is_signed ? GLSLstd450SMin : GLSLstd450UMin;
  const SpvId type_id = result_type(inst);
  const std::vector<SpvId> o = values_of(m_.operands(inst));
  const SpvId low = emit_ext(max_op, type_id, {o[0], o[1]});
  finish(inst, emit_ext(min_op, type_id, {low, o[2]}));
}

void Writer::convert(const Inst& inst) {
  const TypeId from = type_of(m_.operand(inst, 0));
  const TypeId to = m_.type_of(*fn_, inst.first_result);
  const ScalarKind target = m_.types().scalar_of(to);
  switch (inst.op) {
    case Op::trunc: return simple(inst, is_signed_int(target) ? spv::Op::OpSConvert : spv::Op::OpUConvert);
    case Op::sext: return simple(inst, spv::Op::OpSConvert);
    case Op::zext: {
      // OpUConvert gives unsigned types only.
      if (!is_signed_int(target)) return simple(inst, spv::Op::OpUConvert);
      const SpvId wide =
          emit(spv::Op::OpUConvert, type(m_.types().with_scalar(to, to_unsigned(target))), {value(m_.operand(inst, 0))});
      return finish(inst, emit(spv::Op::OpBitcast, type(to), {wide}));
    }
    case Op::f_to_s: return simple(inst, spv::Op::OpConvertFToS);
    case Op::f_to_u: return simple(inst, spv::Op::OpConvertFToU);
    case Op::s_to_f: return simple(inst, spv::Op::OpConvertSToF);
    case Op::u_to_f: return simple(inst, spv::Op::OpConvertUToF);
    case Op::f_to_f:
      if (from == to) return finish(inst, value(m_.operand(inst, 0)));
      return simple(inst, spv::Op::OpFConvert);
    default:
      if (type(from) == type(to)) return finish(inst, value(m_.operand(inst, 0)));
      if (m_.types().is_pointer(to)) return simple(inst, spv::Op::OpConvertUToPtr);
      if (m_.types().is_pointer(from)) return simple(inst, spv::Op::OpConvertPtrToU);
      return simple(inst, spv::Op::OpBitcast);
  }
}

/// (value, carry) and (low, high). A bool carry is the second member compared with zero.
void Writer::pair_result(const Inst& inst, spv::Op op) {
  const TypeId word = type_of(m_.result(inst, 0));
  const TypeId second = type_of(m_.result(inst, 1));
  const SpvId word_type = type(word);
  const std::vector<SpvId> o = values_of(m_.operands(inst));
  const SpvId pair = emit(op, pair_struct(word_type, word_type), o);
  locals_[m_.result(inst, 0).index()] = emit(spv::Op::OpCompositeExtract, word_type, {pair, 0});
  SpvId carry = emit(spv::Op::OpCompositeExtract, word_type, {pair, 1});
  if (m_.types().scalar_of(second) == ScalarKind::bool_) {
    const SpvId zero = constant(m_.types().zero(word));
    carry = emit(spv::Op::OpINotEqual, type(second), {carry, zero});
  }
  locals_[m_.result(inst, 1).index()] = carry;
}

void Writer::select(const Inst& inst) {
  const SpvId type_id = result_type(inst);
  std::vector<SpvId> o = values_of(m_.operands(inst));
  const TypeId result = m_.type_of(*fn_, inst.first_result);
  if (m_.types().is_vector(result) && m_.types().is_scalar(type_of(m_.operand(inst, 0))) && !at_least(0x00010400)) {
    const uint32_t n = m_.types().component_count(result);
    const std::vector<Word> copies(n, o[0]);
    o[0] = emit(spv::Op::OpCompositeConstruct, type(m_.types().vector(ScalarKind::bool_, n)), copies);
  }
  finish(inst, emit(spv::Op::OpSelect, type_id, o));
}

void Writer::composite(const Inst& inst) {
  const std::span<const ValueId> ops = m_.operands(inst);
  const SpvId type_id = result_type(inst);
  const auto literal = [&](ValueId v) { return static_cast<Word>(m_.types().constant(v.const_id()).bits); };
  switch (inst.op) {
    case Op::elem: {
      SpvId base = value(ops[0]);
      TypeId t = type_of(ops[0]);
      std::vector<Word> words{base};
      for (size_t i = 1; i < ops.size(); ++i) {
        if (!ops[i].is_constant()) {  // canonical form: only a vector, hence the last step
          if (words.size() > 1) base = emit(spv::Op::OpCompositeExtract, type(t), words);
          const SpvId index = value(ops[i]);
          return finish(inst, emit(spv::Op::OpVectorExtractDynamic, type_id, {base, index}));
        }
        words.push_back(literal(ops[i]));
        t = m_.types().part(t, literal(ops[i]));
      }
      return finish(inst, emit(spv::Op::OpCompositeExtract, type_id, words));
    }
    case Op::with: {
      const SpvId part = value(ops[ops.size() - 1]);
      const SpvId base = value(ops[0]);
      if (!ops[1].is_constant()) {
        const SpvId index = value(ops[1]);
        return finish(inst, emit(spv::Op::OpVectorInsertDynamic, type_id, {base, part, index}));
      }
      std::vector<Word> words{part, base};
      for (size_t i = 1; i + 1 < ops.size(); ++i) words.push_back(literal(ops[i]));
      return finish(inst, emit(spv::Op::OpCompositeInsert, type_id, words));
    }
    case Op::shuffle: {
      const SpvId a = value(ops[0]);
      const SpvId b = value(ops[1]);
      std::vector<Word> words{a, b};
      const uint32_t n = m_.types().component_count(m_.type_of(*fn_, inst.first_result));
      for (uint32_t i = 0; i < n; ++i) words.push_back(inst.payload >> (4 * i) & 15u);
      if (n > 1) return finish(inst, emit(spv::Op::OpVectorShuffle, type_id, words));
      const uint32_t first_count = m_.types().component_count(type_of(ops[0]));
      const uint32_t c = words[2];
      return finish(
          inst, emit(spv::Op::OpCompositeExtract, type_id, {c < first_count ? a : b, c < first_count ? c : c - first_count}));
    }
    default: {  // make
      const TypeId result = m_.type_of(*fn_, inst.first_result);
      std::vector<Word> words = values_of(ops);
      if (ops.size() == 1 && m_.types().is_scalar(result)) return finish(inst, words[0]);
      if (ops.size() == 1 && m_.types().is_vector(result)) {
        if (type_of(ops[0]) == result) return finish(inst, words[0]);
        words.assign(m_.types().component_count(result), words[0]);
      }
      return finish(inst, emit(spv::Op::OpCompositeConstruct, type_id, words));
    }
  }
}

void Writer::call(const Inst& inst) {
  const ir::FunctionId callee(inst.payload);
  std::vector<Word> words{function_ids_[callee.value]};
  for (ValueId v : m_.operands(inst)) words.push_back(value(v));
  const SpvId result = emit(spv::Op::OpFunctionCall, type(m_.functions[callee].result), words);
  if (inst.result_count != 0) finish(inst, result);
}

}  // namespace carry::write::spirv

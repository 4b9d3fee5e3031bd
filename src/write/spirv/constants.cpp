// Constants, specialization constants and the module-level instructions that compute with them.
#include "write/spirv/state.h"

namespace carry::write::spirv {

SpvId Writer::const_u32(uint32_t v) { return constant(m_.types().constant_u32(v)); }

SpvId Writer::const_null(SpvId type_id) {
  if (const auto found = nulls_.find(type_id); found != nulls_.end()) return found->second;
  const SpvId id = new_id();
  global_words_.inst(spv::Op::OpConstantNull, {type_id, id});
  nulls_.emplace(type_id, id);
  return id;
}

namespace {

/// The words of a scalar: a narrow signed integer is sign-extended to its word, all else zero-extended.
void scalar_words(std::vector<Word>& words, ScalarKind s, uint64_t bits) {
  const uint32_t width = scalar_bits(s);
  if (is_signed_int(s) && width < 32) {
    const uint64_t sign = uint64_t{1} << (width - 1);
    bits = static_cast<uint32_t>((bits ^ sign) - sign);
  }
  words.push_back(static_cast<Word>(bits));
  if (width == 64) words.push_back(static_cast<Word>(bits >> 32));
}

}  // namespace

SpvId Writer::constant(ConstId id) {
  if (const auto found = constants_.find(id.value); found != constants_.end()) return found->second;
  const Constant c = m_.types().constant(id);
  const SpvId type_id = type(c.type);
  SpvId result = 0;
  switch (c.kind) {
    case Constant::Kind::zero: result = const_null(type_id); break;
    case Constant::Kind::scalar: {
      const ScalarKind s = m_.types().scalar_of(c.type);
      result = new_id();
      if (s == ScalarKind::bool_) {
        global_words_.inst(c.bits ? spv::Op::OpConstantTrue : spv::Op::OpConstantFalse, {type_id, result});
        break;
      }
      std::vector<Word> words{type_id, result};
      scalar_words(words, s, c.bits);
      global_words_.inst(spv::Op::OpConstant, words);
      break;
    }
    case Constant::Kind::composite: {
      std::vector<Word> words{type_id, 0};
      const std::span<const ConstId> parts = m_.types().parts(id);
      const std::vector<ConstId> copy(parts.begin(), parts.end());
      for (ConstId part : copy) words.push_back(constant(part));
      result = new_id();
      words[1] = result;
      global_words_.inst(spv::Op::OpConstantComposite, words);
      break;
    }
  }
  constants_.emplace(id.value, result);
  return result;
}

void Writer::override_constant(ir::GlobalId id) {
  const ir::Global& g = m_.globals[id];
  const SpvId type_id = type(g.type);
  const SpvId result = new_id();
  global_ids_[id.value] = result;
  uint64_t bits = 0;
  if (g.init && g.init.is_constant()) bits = m_.types().constant(g.init.const_id()).bits;
  if (g.type == TypeId::bool_) {
    global_words_.inst(bits ? spv::Op::OpSpecConstantTrue : spv::Op::OpSpecConstantFalse, {type_id, result});
  } else {
    std::vector<Word> words{type_id, result};
    scalar_words(words, m_.types().scalar_of(g.type), bits);
    global_words_.inst(spv::Op::OpSpecConstant, words);
  }
  if (g.override_id != Id<TypeId>::kNone) decorate(result, spv::Decoration::SpecId, {g.override_id});
  name(result, g.name);
}

/// Module-level insts are written by the ordinary instruction writer into a scratch body; each of its instructions then
/// becomes an OpSpecConstantOp (or OpSpecConstantComposite).
void Writer::module_insts() {
  static const ir::Function no_function{};
  fn_ = &no_function;
  for (ir::InstId id : m_.module_insts) {
    body_.clear();
    instruction(id);
    const std::vector<Word> words = body_.all();
    for (size_t at = 0; at < words.size(); at += words[at] >> 16) {
      const auto op = static_cast<spv::Op>(words[at] & 0xffffu);
      const size_t length = words[at] >> 16;
      const std::span<const Word> rest(words.data() + at + 3, length - 3);
      std::vector<Word> out{words[at + 1], words[at + 2]};
      if (op == spv::Op::OpBitcast) {
        // Shaders have no OpBitcast here; a sum with zero changes the sign of the type just as well.
        const TypeId type = m_.globals[m_.insts[id].first_result.global_id()].type;
        const SpvId zero = value(ir::ValueId::constant(m_.types().zero(type)));
        global_words_.inst(spv::Op::OpSpecConstantOp,
                           {words[at + 1], words[at + 2], static_cast<Word>(spv::Op::OpIAdd), rest[0], zero});
        continue;
      }
      if (op != spv::Op::OpCompositeConstruct) out.push_back(static_cast<Word>(op));
      out.insert(out.end(), rest.begin(), rest.end());
      global_words_.inst(op == spv::Op::OpCompositeConstruct ? spv::Op::OpSpecConstantComposite : spv::Op::OpSpecConstantOp,
                         out);
    }
  }
  body_.clear();
  fn_ = nullptr;
}

}  // namespace carry::write::spirv

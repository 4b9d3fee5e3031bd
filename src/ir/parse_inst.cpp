// Instructions of the text form, read. Regions and their operations are in parse_control.cpp.
#include "ir/parser.h"
#include "ir/result_types.h"
#include "ir/text_tables.h"

namespace carry::ir {

namespace {

constexpr size_t kMaxOperands = 1u << 16;
constexpr size_t kMaxResults = 200;

}  // namespace

TypeId Parser::type_of(ValueId v) { return value_type(m_, builder_ != nullptr ? &builder_->function() : nullptr, v); }

bool Parser::starts_value() const {
  if (token_.kind == TextToken::value || token_.kind == TextToken::number) return true;
  if (token_.kind == TextToken::string) return structs_.count(key(token_)) != 0;
  if (token_.kind != TextToken::word) return false;
  return is_type_word(token_.text) || structs_.count(key(token_)) != 0;
}

bool Parser::value(ValueId& out) {
  if (token_.kind != TextToken::value) {
    if (!starts_value()) return fail("expected a value");
    return constant(out);
  }
  const std::string k = key(token_);
  const auto local = locals_.find(k);
  if (builder_ != nullptr && local != locals_.end()) {
    out = local->second;
  } else {
    const auto global = globals_.find(k);
    if (global == globals_.end()) return fail("unknown value `%" + k + "`");
    out = global->second;
  }
  advance();
  return true;
}

bool Parser::values(std::vector<ValueId>& out) {
  do {
    ValueId v;
    if (out.size() >= kMaxOperands) return fail("too many operands");
    if (!value(v)) return false;
    out.push_back(v);
  } while (accept(','));
  return true;
}

bool Parser::define(const TextTok& token, ValueId v) {
  const std::string k = key(token);
  if (builder_ == nullptr) {
    if (!globals_.emplace(k, v).second) return fail_at(token, "this name is taken");
    return true;
  }
  if (globals_.count(k) != 0 || !locals_.emplace(k, v).second) return fail_at(token, "this name is taken");
  builder_->set_name(v, source_name(token));
  return true;
}

bool Parser::result_list(std::vector<TextTok>& names, std::vector<TypeId>& types) {
  if (token_.kind != TextToken::value) return true;
  do {
    if (token_.kind != TextToken::value) return fail("expected a result's name");
    if (names.size() >= kMaxResults) return fail("too many results");
    names.push_back(token_);
    advance();
    if (accept(':')) {
      TypeId t;
      if (!type(t)) return false;
      types.push_back(t);
    }
  } while (accept(','));
  if (!types.empty() && types.size() != names.size()) return fail("either all results have their types or none");
  return expect('=');
}

bool Parser::flags(uint8_t& out) {
  while (accept('!')) {
    const FlagWord* flag = token_.kind == TextToken::word ? find_flag(inst_flag_words(), token_.text) : nullptr;
    if (flag == nullptr) return fail("unknown flag");
    out = static_cast<uint8_t>(out | flag->bit);
    advance();
  }
  // A location, " @12:5": positions of another text, not kept.
  if (is_punct('@')) {
    advance();
    uint32_t n = 0;
    if (!integer(n, ~0u) || !expect(':') || !integer(n, ~0u)) return false;
  }
  return true;
}

bool Parser::hint(uint32_t& out) {
  if (!is_word("hint")) return true;
  advance();
  if (!expect('=')) return false;
  const int n = find_word(hint_words(), token_.text);
  if (token_.kind != TextToken::word || n < 0) return fail("unknown hint");
  out = static_cast<uint32_t>(n);
  advance();
  return true;
}

bool Parser::space_set(uint32_t& payload) {
  BarrierInfo info = BarrierInfo::unpack(payload);
  if (!expect('{')) return false;
  while (!is_punct('}')) {
    const FlagWord* bit = token_.kind == TextToken::word ? find_flag(space_bit_words(), token_.text) : nullptr;
    if (bit == nullptr) return fail("unknown memory space of a barrier");
    info.spaces = static_cast<uint8_t>(info.spaces | bit->bit);
    advance();
    accept(',');
  }
  payload = info.pack();
  return expect('}');
}

bool Parser::sample_option(const TextTok& word, std::vector<std::vector<ValueId>>& sample, uint32_t& payload) {
  SampleInfo info = SampleInfo::unpack(payload);
  uint32_t n = 0;
  if (word.text == "component") {
    if (!integer(n, 3)) return false;
    info.component = static_cast<uint8_t>(n);
  } else if (word.text == "project") {
    if (!integer(n, 1)) return false;
    info.mask = static_cast<uint16_t>(info.mask | kSampleProject);
  } else {
    size_t i = 0;
    while (i < sample_words().size() && sample_words()[i].word != word.text) ++i;
    if (i == sample_words().size()) return fail_at(word, "unknown option");
    info.mask = static_cast<uint16_t>(info.mask | sample_words()[i].bit);
    sample[i].clear();
    for (uint8_t k = 0; k < sample_words()[i].operands; ++k) {
      ValueId v;
      if ((k != 0 && !expect(',')) || !value(v)) return false;
      sample[i].push_back(v);
    }
  }
  payload = info.pack();
  return true;
}

bool Parser::option(Op op, const TextTok& word, std::vector<std::vector<ValueId>>& sample, uint32_t& payload) {
  if (op == Op::sample || op == Op::gather || op == Op::fetch) return sample_option(word, sample, payload);
  const std::string_view w = word.text;
  if (op == Op::barrier && w == "spaces") return space_set(payload);
  uint32_t n = 0;
  if (w == "payload" || w == "cluster") {
    if (!integer(n, w == "cluster" ? 0xffffu : ~0u)) return false;
    payload = w == "payload" ? n : (payload & 0xffffu) | n << 16;
    return true;
  }
  const bool atomic = has_trait(op, kAtomic);
  const std::span<const std::string_view> words = w == "order"  ? order_words()
                                                  : w == "op"   ? subgroup_op_words()
                                                  : w == "form" ? subgroup_form_words()
                                                                : scope_words();
  const bool none = w == "exec" && is_word("none");
  const int found = none ? 0 : find_word(words, token_.text);
  if (token_.kind != TextToken::word || found < 0) return fail("unknown word");
  const uint32_t bits = static_cast<uint32_t>(found);
  if (atomic && w == "scope") {
    payload = (payload & ~15u) | bits;
  } else if (atomic && w == "order") {
    payload = (payload & ~0xf0u) | bits << 4;
  } else if (op == Op::barrier && (w == "exec" || w == "scope" || w == "order")) {
    const uint32_t shift = w == "exec" ? 0 : w == "scope" ? 4 : 8;
    payload = (payload & ~(15u << shift)) | bits << shift;
  } else if (op == Op::subgroup && (w == "op" || w == "form")) {
    const uint32_t shift = w == "op" ? 0 : 8;
    payload = (payload & ~(255u << shift)) | bits << shift;
  } else {
    return fail_at(word, "unknown option");
  }
  advance();
  return true;
}

bool Parser::options(Op op, std::vector<ValueId>& operands, uint32_t& payload) {
  std::vector<std::vector<ValueId>> sample(sample_words().size());
  const bool samples = op == Op::sample || op == Op::gather || op == Op::fetch;
  if (has_trait(op, kAtomic)) payload = AtomicInfo{}.pack();
  if (op == Op::barrier) payload = BarrierInfo{}.pack();
  if (samples && op != Op::fetch && operands.size() == 3) payload = SampleInfo{kSampleHasSampler, 0}.pack();
  while (token_.kind == TextToken::word && !token_.quoted && lexer_.at_equals()) {
    const TextTok word = token_;
    advance();
    advance();
    if (!option(op, word, sample, payload)) return false;
  }
  for (const std::vector<ValueId>& s : sample) operands.insert(operands.end(), s.begin(), s.end());
  return true;
}

bool Parser::named_types(std::vector<TypeId>& out) {
  do {
    TypeId t;
    if (out.size() >= 8 || !type(t)) return fail("expected a type");
    if (m_.types().kind(t) != TypeKind::pointer && is_punct('$')) {
      // at_byte<T $L>: space and access are those of the buffer, known later.
      LayoutId l;
      if (!layout(t, l)) return false;
      t = m_.types().pointer(Space::none, Access::none, t, l);
    }
    out.push_back(t);
  } while (accept(','));
  return expect('>');
}

/// Types that ir.md's examples leave out because texture or operands tell.
bool Parser::default_named(Op op, const std::vector<ValueId>& operands, uint32_t payload, std::vector<TypeId>& named) {
  const TypeId first = operands.empty() ? TypeId::none() : type_of(operands[0]);
  if (!first) return true;
  const Type t = m_.types()[first];
  if (op == Op::at_byte && named.size() == 1 && t.kind == TypeKind::pointer && m_.types().is_pointer(named[0])) {
    const Type p = m_.types()[named[0]];
    if (p.space == Space::none) named[0] = m_.types().pointer(t.space, t.access, p.element, p.layout);
    return true;
  }
  if (!named.empty()) return true;
  if (op == Op::sample || op == Op::gather || op == Op::fetch) {
    const Type texture = t.kind == TypeKind::combined ? m_.types()[t.element] : t;
    if (texture.kind != TypeKind::texture) return true;
    const bool scalar = op == Op::sample && (SampleInfo::unpack(payload).mask & kSampleCompare) != 0;
    named.push_back(m_.types().vector(texture.scalar, scalar ? 1 : 4));
  }
  return true;
}

bool Parser::op_operands(Op op, std::vector<TypeId>& named, std::vector<ValueId>& operands, uint32_t& payload) {
  const int8_t count = op_row(op).operands;
  switch (op) {
    case Op::make:
      named.emplace_back();
      if (!type(named.back()) || !expect('(')) return false;
      if (!is_punct(')') && !values(operands)) return false;
      return expect(')');
    case Op::var: {
      TypeId t;
      const bool workgroup = is_word("workgroup");
      if (workgroup) advance();
      if (!type(t)) return false;
      named.push_back(m_.types().pointer(workgroup ? Space::workgroup : Space::function, Access::read_write, t));
      if (!accept('=')) return true;
      operands.emplace_back();
      return value(operands.back());
    }
    case Op::call: {
      const auto found = functions_.find(key(token_));
      if ((token_.kind != TextToken::word && token_.kind != TextToken::string) || found == functions_.end())
        return fail("unknown function");
      payload = found->second.value;
      advance();
      if (!expect('(')) return false;
      if (!is_punct(')') && !values(operands)) return false;
      return expect(')');
    }
    case Op::next_if: {
      operands.emplace_back();
      if (!value(operands.back())) return false;
      for (int part = 0; part < 2; ++part) {
        if (!expect(',') || !expect('(')) return false;
        if (!is_punct(')') && !values(operands)) return false;
        if (!expect(')')) return false;
        if (part == 0) payload = static_cast<uint32_t>(operands.size() - 1);
      }
      return true;
    }
    case Op::shuffle: {
      operands.resize(2);
      if (!value(operands[0]) || !expect(',') || !value(operands[1])) return false;
      std::vector<uint32_t> components;
      while (accept(',')) {
        components.push_back(0);
        if (components.size() > 4 || !integer(components.back(), 7)) return fail("expected a component");
      }
      const TypeId t = type_of(operands[0]);
      if (components.empty() || !t || !m_.types().is_numeric(t)) return fail("`shuffle` needs vectors and components");
      named.push_back(m_.types().vector(m_.types().scalar_of(t), static_cast<uint32_t>(components.size())));
      payload = pack_shuffle(components);
      return true;
    }
    default: break;
  }
  if (count == kVariableCount ? starts_value() : count > 0) {
    if (!values(operands)) return false;
  }
  if (count != kVariableCount && operands.size() != static_cast<size_t>(count)) {
    return fail("`" + std::string(op_row(op).name) + "` has " + std::to_string(count) + " operands");
  }
  return true;
}

void Parser::note_terminator(Op op, const std::vector<ValueId>& operands, uint32_t payload) {
  const size_t skip = op == Op::next_if ? (payload + 1 < operands.size() ? payload + 1 : operands.size()) : 0;
  for (size_t i = targets_.size(); i-- > 0;) {
    Target& target = targets_[i];
    const bool loop = target.op == Op::loop;
    const bool loop_exit = op == Op::break_ || op == Op::next_if;
    if (op == Op::yield && i + 1 != targets_.size()) return;
    if (op == Op::leave && loop) return;
    const bool hit = op == Op::yield   ? !loop
                     : op == Op::leave ? target.op == Op::switch_
                                       : loop && (loop_exit || op == Op::continue_);
    if (!hit) continue;
    std::vector<TypeId>& types = op == Op::continue_ ? target.continuing : target.results;
    bool& known = op == Op::continue_ ? target.continuing_known : target.results_known;
    if (!known) {
      for (size_t k = skip; k < operands.size(); ++k) types.push_back(type_of(operands[k]));
      known = true;
    }
    return;
  }
}

bool Parser::emit(const TextTok& op_token, Op op, const std::vector<TypeId>& types, const std::vector<ValueId>& operands,
                  std::span<const RegionId> regions, uint32_t payload, const std::vector<TextTok>& names) {
  uint8_t inst_flags = 0;
  if (!flags(inst_flags)) return false;
  if (types.size() > kMaxResults) return fail_at(op_token, "too many results");
  const bool unused_result = names.empty() && (has_trait(op, kAtomic) || op == Op::call || has_trait(op, kControl));
  if (names.size() != types.size() && !unused_result) {
    return fail_at(op_token, "`" + std::string(op_row(op).name) + "` has " + std::to_string(types.size()) + " results");
  }
  ValueId first;
  if (builder_ != nullptr) {
    const InstId id = builder_->emit_full(op, types, operands, regions, payload, inst_flags);
    first = m_.insts[id].first_result;
  } else {
    Inst in;
    in.op = op;
    in.flags = inst_flags;
    in.payload = payload;
    in.operands = m_.add_operands(operands);
    in.result_count = static_cast<uint8_t>(types.size());
    for (size_t i = 0; i < types.size(); ++i) {
      Global g;
      g.kind = GlobalKind::result;
      g.type = types[i];
      g.value_type = types[i];
      g.name = source_name(names[i]);
      const ValueId v = ValueId::global(m_.add_global(std::move(g)));
      if (i == 0) in.first_result = v;
    }
    first = in.first_result;
    m_.module_insts.push_back(m_.insts.add(in));
  }
  for (size_t i = 0; i < names.size(); ++i) {
    if (!define(names[i], ValueId(first.value + static_cast<uint32_t>(i)))) return false;
  }
  return true;
}

bool Parser::op_inst(const TextTok& op_token, const std::vector<TextTok>& names) {
  std::string_view word = op_token.text;
  uint32_t payload = 0;
  const size_t dot = word.find('.');
  Op op = find_op(word.substr(0, dot));
  if (op == Op::count_) return fail_at(op_token, "unknown operation `" + std::string(word) + "`");
  if (dot != std::string_view::npos) {
    const int variant = find_word(variant_words(), word.substr(dot + 1));
    if (variant <= 0 || !has_trait(op, kVariant)) return fail_at(op_token, "unknown variant of the operation");
    payload = static_cast<uint32_t>(variant);
  }
  if (has_trait(op, kControl)) return fail_at(op_token, "control flow is not allowed here");
  if (builder_ == nullptr && !has_trait(op, kPure)) return fail_at(op_token, "only pure operations stand at module level");
  std::vector<TypeId> named;
  std::vector<ValueId> operands;
  if (is_punct('<')) {
    advance();
    if (!named_types(named)) return false;
  }
  const uint32_t variant = payload;
  if (!op_operands(op, named, operands, payload)) return false;
  const bool has_options = op != Op::call && op != Op::next_if && op != Op::shuffle;
  uint32_t option_bits = 0;
  if (has_options && !has_trait(op, kTerminator)) {
    if (!options(op, operands, option_bits)) return false;
    payload = has_trait(op, kVariant) ? variant : option_bits;
  }
  if (!default_named(op, operands, payload, named)) return false;
  std::vector<TypeId> types;
  std::string message;
  const Function* function = builder_ != nullptr ? &builder_->function() : nullptr;
  if (!derive_results(m_, function, {op, operands, payload, named}, types, message)) {
    return fail_at(op_token, "`" + std::string(op_row(op).name) + "`: " + message);
  }
  if (has_trait(op, kTerminator)) note_terminator(op, operands, payload);
  return emit(op_token, op, types, operands, {}, payload, names);
}

}  // namespace carry::ir

// Globals, functions and entries of the text form, read.
#include "ir/parser.h"
#include "ir/text_tables.h"

namespace carry::ir {

namespace {

constexpr uint32_t kMaxIndex = 0x0fffffffu;

}  // namespace

bool Parser::block_names(NameId& first, NameId& second) {
  if (!expect('(')) return false;
  for (NameId* name : {&first, &second}) {
    if (token_.kind != TextToken::string && token_.kind != TextToken::word) return fail("expected a name");
    *name = token_.kind == TextToken::string ? source_name(token_) : m_.names().intern(token_.text);
    advance();
    if (name == &first && !expect(',')) return false;
  }
  return expect(')');
}

bool Parser::attribute(Global& g, const TextTok& name) {
  const std::string_view w = name.text;
  if (const FlagWord* flag = find_flag(global_flag_words(), w)) {
    g.flags |= flag->bit;
    return true;
  }
  if (w == "block") return block_names(g.block, g.block_member);
  if (!expect('(')) return false;
  if (w == "id" || w == "location" || w == "component" || w == "index" || w == "input_attachment") {
    uint32_t n = 0;
    if (!integer(n, kMaxIndex)) return false;
    (w == "id"          ? g.override_id
     : w == "location"  ? g.location
     : w == "component" ? g.component
     : w == "index"     ? g.index
                        : g.input_attachment) = n;
  } else if (w == "bind") {
    if (!integer(g.set, kMaxIndex) || !expect(',') || !integer(g.binding, kMaxIndex)) return false;
  } else if (w == "builtin") {
    for (int i = 1; i < static_cast<int>(BuiltinVar::count_); ++i) {
      if (is_word(builtin_var_name(static_cast<BuiltinVar>(i)))) g.builtin = static_cast<BuiltinVar>(i);
    }
    if (g.builtin == BuiltinVar::none) return fail("unknown built-in variable");
    advance();
  } else if (w == "semantic") {
    if (token_.kind != TextToken::string) return fail("expected a string");
    g.semantic = source_name(token_);
    advance();
    if (!expect(',') || !integer(g.semantic_index, kMaxIndex)) return false;
  } else if (w == "counter_of") {
    ValueId v;
    if (!value(v)) return false;
    if (!v.is_global()) return fail("expected a global");
    g.counter_of = v.global_id();
  } else {
    return fail_at(name, "unknown attribute `" + std::string(w) + "`");
  }
  return expect(')');
}

bool Parser::attributes(Global& g) {
  while (accept('@')) {
    const TextTok name = token_;
    std::string_view word;
    if (!expect_word(word, "an attribute") || !attribute(g, name)) return false;
  }
  return true;
}

bool Parser::global(bool is_override) {
  if (token_.kind != TextToken::value) return fail("expected a name");
  const TextTok name = token_;
  advance();
  if (globals_.count(key(name)) != 0) return fail_at(name, "this name is taken");
  Global g;
  g.kind = is_override ? GlobalKind::override_ : GlobalKind::variable;
  g.name = source_name(name);
  if (!expect(':')) return false;
  if (!is_override && !space(g.space)) return false;
  if (!is_override && token_.kind == TextToken::word) {
    const int access = find_word(access_words(), token_.text);
    if (access > 0) {
      g.access = static_cast<Access>(access);
      advance();
    }
  }
  if (!type(g.value_type)) return false;
  g.type = g.value_type;
  if (!is_override && !layout(g.value_type, g.layout)) return false;
  if (!attributes(g)) return false;
  if (accept('=') && !value(g.init)) return false;
  globals_[key(name)] = ValueId::global(m_.add_global(std::move(g)));
  return true;
}

bool Parser::module_inst() {
  std::vector<TextTok> names;
  std::vector<TypeId> types;
  if (!result_list(names, types)) return false;
  if (names.empty() || !types.empty()) return fail("a module-level instruction has a result");
  const TextTok op = token_;
  std::string_view word;
  if (!expect_word(word, "an operation")) return false;
  return op_inst(op, names);
}

bool Parser::stage_arguments(EntryInfo& info) {
  if (!accept('(')) return true;
  size_t sizes = 0;
  while (!is_punct(')')) {
    if (token_.kind == TextToken::word) {
      const FlagWord* flag = find_flag(entry_flag_words(), token_.text);
      if (flag == nullptr) return fail("unknown entry attribute");
      info.flags |= flag->bit;
      advance();
    } else {
      if (sizes == 3) return fail("a workgroup has three sizes");
      if (!value(info.workgroup_size[sizes++])) return false;
    }
    if (!accept(',')) break;
  }
  if (sizes != 0 && sizes != 3) return fail("a workgroup has three sizes");
  return expect(')');
}

bool Parser::stage(FunctionId id) {
  EntryInfo info;
  if (!expect('@')) return false;
  for (int i = 1; i <= static_cast<int>(Stage::callable); ++i) {
    if (is_word(stage_name(static_cast<Stage>(i)))) info.stage = static_cast<Stage>(i);
  }
  if (info.stage == Stage::none) return fail("expected a stage");
  advance();
  if (!stage_arguments(info)) return false;
  m_.functions[id].entry = info;
  return true;
}

bool Parser::parameters(FunctionId id) {
  if (!expect('(')) return false;
  while (!is_punct(')')) {
    if (token_.kind != TextToken::value) return fail("expected a parameter");
    const TextTok name = token_;
    advance();
    if (!expect(':')) return false;
    ParamMode mode = ParamMode::value;
    if (is_word("inout") || is_word("out")) {
      mode = is_word("out") ? ParamMode::out : ParamMode::inout;
      advance();
    }
    TypeId t;
    if (!type(t)) return false;
    const ValueId v = add_param(m_, id, t, mode, source_name(name));
    std::vector<IoAttr> io;
    if (!io_list(io)) return false;
    if (!io.empty()) {
      m_.functions[id].param_io.resize(m_.functions[id].params.size());
      m_.functions[id].param_io.back() = std::move(io);
    }
    if (!define(name, v)) return false;
    if (!accept(',')) break;
  }
  return expect(')');
}

bool Parser::io_attribute(IoAttr& io) {
  const TextTok name = token_;
  std::string_view w;
  if (!expect_word(w, "an attribute")) return false;
  if (w == "resource") {
    ValueId v;
    if (!expect('(') || !value(v)) return false;
    if (!v.is_global()) return fail("expected a global");
    io.resource = v.global_id();
    return expect(')');
  }
  if (w == "slot") {
    if (!expect('(')) return false;
    const int kind = find_word(slot_words(), token_.text);
    if (kind <= 0) return fail("expected `buffer`, `texture` or `sampler`");
    io.slot_kind = static_cast<SlotKind>(kind);
    advance();
    return expect(',') && integer(io.slot, kMaxIndex) && expect(')');
  }
  Global g;
  if (!attribute(g, name)) return false;
  if (g.builtin != BuiltinVar::none) io.builtin = g.builtin;
  if (g.location != Id<TypeId>::kNone) io.location = g.location;
  if (g.component != Id<TypeId>::kNone) io.component = g.component;
  if (g.index != Id<TypeId>::kNone) io.index = g.index;
  io.flags |= g.flags;
  return true;
}

bool Parser::io_list(std::vector<IoAttr>& out) {
  if (!accept('[')) return true;
  do {
    if (out.size() >= 4096) return fail("too many attributes");
    out.emplace_back();
    while (accept('@')) {
      if (!io_attribute(out.back())) return false;
    }
  } while (accept(','));
  return expect(']');
}

bool Parser::function_rest(FunctionId id) {
  const bool is_entry = m_.functions[id].is_entry;
  if ((!is_entry || is_punct('(')) && !parameters(id)) return false;
  if (token_.kind == TextToken::arrow) {
    advance();
    TypeId result;
    if (!type(result)) return false;
    m_.functions[id].result = result;
  }
  if (!io_list(m_.functions[id].result_io)) return false;
  if (is_entry && !stage(id)) return false;
  targets_.clear();
  RegionId body;
  if (!region({}, {}, body)) return false;
  m_.functions[id].body = body;
  return true;
}

bool Parser::function(bool is_entry) {
  const TextTok name = token_;
  if (name.kind != TextToken::word && name.kind != TextToken::string) return fail("expected a name");
  advance();
  if (functions_.count(key(name)) != 0) return fail_at(name, "a function of this name exists");
  locals_.clear();
  const FunctionId id = add_function(m_, source_name(name), TypeId::void_);
  m_.functions[id].is_entry = is_entry;
  Builder builder(m_, id);
  builder_ = &builder;
  const bool ok = function_rest(id);
  builder_ = nullptr;
  if (!ok) return false;
  functions_[key(name)] = id;
  return true;
}

bool Parser::top_level() {
  if (token_.kind == TextToken::value) return module_inst();
  for (const std::string_view w : {"override", "global", "struct", "fn", "entry"}) {
    if (!is_word(w)) continue;
    advance();
    if (w == "override" || w == "global") return global(w == "override");
    return w == "struct" ? struct_decl() : function(w == "entry");
  }
  return fail("expected `struct`, `override`, `global`, `fn` or `entry`");
}

bool Parser::run() {
  if (!is_word("carry_ir")) return fail("expected `carry_ir 1`");
  advance();
  uint32_t version = 0;
  if (!integer(version, 1000)) return false;
  if (version != 1) return fail("unknown version of the text form");
  while (token_.kind != TextToken::end) {
    if (!top_level()) return false;
  }
  return true;
}

bool parse(std::string_view text, Module& module, ParseError& error) {
  return Parser(text, module, error).run() && error.message.empty();
}

}  // namespace carry::ir

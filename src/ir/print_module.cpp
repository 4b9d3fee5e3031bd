// Globals, functions and entries of the text form.
#include "ir/printer.h"
#include "ir/text_tables.h"

namespace carry::ir {

void Printer::top_level(std::string_view text) { out_ << text; }

void Printer::global_names() {
  global_text_.assign(m_.globals.size(), "?");
  function_text_.assign(m_.functions.size(), "?");
  const auto name_global = [&](GlobalId id) {
    const std::string_view name = m_.names().text(m_.globals[id].name);
    if (name.empty()) {
      global_text_[id.value] = std::to_string(unnamed_globals_++);
    } else {
      global_text_[id.value] = globals_scope_.unique(quoted_if_needed(name));
    }
  };
  for (GlobalId id : m_.global_order) {
    if (m_.globals.contains(id)) name_global(id);
  }
  for (FunctionId id : m_.function_order) {
    if (!m_.functions.contains(id)) continue;
    const std::string_view name = m_.names().text(m_.functions[id].name);
    function_text_[id.value] = functions_scope_.unique(name.empty() ? std::string() : quoted_if_needed(name));
  }
}

std::string Printer::attributes(const Global& g) {
  constexpr uint32_t kNone = Id<TypeId>::kNone;
  TextSink s;
  if (g.override_id != kNone) s << " @id(" << g.override_id << ')';
  if (g.binding != kNone || g.set != kNone)
    s << " @bind(" << (g.set == kNone ? 0 : g.set) << ", " << (g.binding == kNone ? 0 : g.binding) << ')';
  if (g.builtin != BuiltinVar::none) s << " @builtin(" << builtin_var_name(g.builtin) << ')';
  if (g.location != kNone) s << " @location(" << g.location << ')';
  if (g.component != kNone) s << " @component(" << g.component << ')';
  if (g.index != kNone) s << " @index(" << g.index << ')';
  if (g.input_attachment != kNone) s << " @input_attachment(" << g.input_attachment << ')';
  for (const FlagWord& flag : global_flag_words()) {
    if ((g.flags & flag.bit) != 0) s << " @" << flag.word;
  }
  if (!m_.names().text(g.block).empty() || !m_.names().text(g.block_member).empty()) {
    s << " @block(\"" << m_.names().text(g.block) << "\", \"" << m_.names().text(g.block_member) << "\")";
  }
  if (!m_.names().text(g.semantic).empty())
    s << " @semantic(\"" << m_.names().text(g.semantic) << "\", " << g.semantic_index << ')';
  if (g.counter_of) s << " @counter_of(" << value(ValueId::global(g.counter_of)) << ')';
  return s.take();
}

void Printer::global(GlobalId id) {
  const Global g = m_.globals[id];
  TextSink s;
  const bool is_override = g.kind == GlobalKind::override_;
  s << (is_override ? "override %" : "global %") << global_text_[id.value] << ": ";
  if (!is_override) {
    s << space_name(g.space) << ' ';
    if (g.access != Access::none) s << access_words()[static_cast<size_t>(g.access)] << ' ';
  }
  s << type(is_override ? g.type : g.value_type);
  if (!is_override) s << layout(g.layout, g.value_type, g.space);
  s << attributes(g);
  if (g.init) s << " = " << value(g.init);
  s << '\n';
  top_level(s.text());
}

void Printer::module_insts_up_to(size_t count) {
  for (; module_insts_done_ < count && module_insts_done_ < m_.module_insts.size(); ++module_insts_done_) {
    TextSink s;
    inst(s, m_.module_insts[module_insts_done_], 0);
    top_level(s.text());
  }
}

void Printer::globals() {
  std::unordered_map<uint32_t, size_t> defined_by;
  for (size_t i = 0; i < m_.module_insts.size(); ++i) {
    if (!m_.insts.contains(m_.module_insts[i])) continue;
    const Inst& in = m_.insts[m_.module_insts[i]];
    for (uint32_t r = 0; r < in.result_count; ++r) defined_by[in.first_result.index() + r] = i;
  }
  for (GlobalId id : m_.global_order) {
    if (!m_.globals.contains(id)) continue;
    if (m_.globals[id].kind == GlobalKind::result) {
      const auto found = defined_by.find(id.value);
      if (found != defined_by.end()) module_insts_up_to(found->second + 1);
    } else {
      global(id);
    }
  }
  module_insts_up_to(m_.module_insts.size());
}

std::string Printer::stage_text(const Function& f) {
  TextSink s;
  s << " @" << stage_name(f.entry.stage);
  bool open = false;
  const auto item = [&](std::string_view text) {
    s << (open ? ", " : "(") << text;
    open = true;
  };
  if (f.entry.workgroup_size[0]) {
    for (ValueId v : f.entry.workgroup_size) item(value(v));
  }
  for (const FlagWord& flag : entry_flag_words()) {
    if ((f.entry.flags & flag.bit) != 0) item(flag.word);
  }
  if (open) s << ')';
  return s.take();
}

std::string Printer::io_list(const std::vector<IoAttr>& items) {
  if (items.empty()) return {};
  TextSink s;
  s << " [";
  for (size_t i = 0; i < items.size(); ++i) {
    const IoAttr& io = items[i];
    Global g;
    g.builtin = io.builtin;
    g.location = io.location;
    g.component = io.component;
    g.index = io.index;
    g.flags = io.flags;
    const std::string text = attributes(g);
    s << (i == 0 ? "" : ", ") << std::string_view(text).substr(text.empty() ? 0 : 1);
    if (io.resource) s << (text.empty() ? "" : " ") << "@resource(" << value(ValueId::global(io.resource)) << ')';
    if (io.slot_kind != SlotKind::none)
      s << " @slot(" << slot_words()[static_cast<size_t>(io.slot_kind)] << ", " << io.slot << ')';
  }
  s << ']';
  return s.take();
}

std::string Printer::signature(const Function& f) {
  TextSink s;
  if (!f.is_entry || !f.params.empty()) {
    s << '(';
    for (size_t i = 0; i < f.params.size(); ++i) {
      const Param& p = f.params[i];
      TypeId t = p.value.is_local() && p.value.index() < f.value_types.size() ? f.value_types[p.value.index()] : TypeId::none();
      s << (i == 0 ? "" : ", ") << define_local(p.value) << ": ";
      if (p.mode != ParamMode::value) {
        s << (p.mode == ParamMode::out ? "out " : "inout ");
        if (t && m_.types().is_pointer(t)) t = m_.types()[t].element;
      }
      s << type(t);
      if (i < f.param_io.size()) s << io_list(f.param_io[i]);
    }
    s << ')';
  }
  if (f.result && f.result != TypeId::void_) s << " -> " << type(f.result);
  s << io_list(f.result_io);
  return s.take();
}

void Printer::function(FunctionId id) {
  const Function& f = m_.functions[id];
  f_ = &f;
  NameScope scope(&globals_scope_);
  locals_scope_ = &scope;
  unnamed_ = unnamed_globals_;
  local_text_.assign(f.value_types.size(), std::string());
  TextSink s;
  s << (f.is_entry ? "\nentry " : "\nfn ") << function_text_[id.value];
  s << signature(f);
  if (f.is_entry) s << stage_text(f);
  s << " {\n";
  region(s, f.body, 1);
  s << "}\n";
  top_level(s.text());
  f_ = nullptr;
  locals_scope_ = nullptr;
}

std::string Printer::run() {
  out_ << "carry_ir 1\n";
  global_names();
  globals();
  for (FunctionId id : m_.function_order) {
    if (m_.functions.contains(id) && !m_.functions[id].dead) function(id);
  }
  return out_.take();
}

std::string print(const Module& module, const PrintOptions& options) { return Printer(module, options).run(); }

}  // namespace carry::ir

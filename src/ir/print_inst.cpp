// Regions and instructions of the text form.
#include "ir/printer.h"
#include "ir/text_tables.h"
#include "types/loop_control.h"

namespace carry::ir {

std::string Printer::value(ValueId v) {
  if (v.is_constant()) return constant(v.const_id());
  if (v.is_global()) return "%" + (v.index() < global_text_.size() ? global_text_[v.index()] : std::string("?"));
  if (v.is_none() || !v.is_local() || v.index() >= local_text_.size()) return "%?";
  const std::string& text = local_text_[v.index()];
  return text.empty() ? "%?" + std::to_string(v.index()) : "%" + text;
}

std::string Printer::define_local(ValueId v) {
  if (v.is_none()) return "%?";
  if (v.is_global()) return value(v);
  if (v.index() >= local_text_.size() || f_ == nullptr) return "%?";
  std::string& text = local_text_[v.index()];
  if (text.empty()) {
    const NameId name_id = v.index() < f_->value_names.size() ? f_->value_names[v.index()] : NameId::none();
    const std::string_view name = m_.names().text(name_id);
    text = name.empty() ? std::to_string(unnamed_++) : locals_scope_->unique(quoted_if_needed(name));
  }
  return "%" + text;
}

void Printer::region(TextSink& out, RegionId id, int depth) {
  if (!id || !m_.regions.contains(id) || depth > static_cast<int>(kMaxRegionDepth) + 8) {
    out.indent(depth) << "%?\n";
    return;
  }
  for (InstId inst_id : m_.regions[id].insts) inst(out, inst_id, depth);
}

void Printer::operand_list(TextSink& out, std::span<const ValueId> values) {
  for (size_t i = 0; i < values.size(); ++i) out << (i == 0 ? " " : ", ") << value(values[i]);
}

/// True when the text of the region says which types the construct's results have.
bool Printer::gives_types(RegionId region_id, Op terminator, bool through_switch, uint32_t depth) {
  if (!region_id || !m_.regions.contains(region_id) || depth > kMaxRegionDepth) return false;
  for (InstId id : m_.regions[region_id].insts) {
    if (!m_.insts.contains(id)) continue;
    const Inst& in = m_.insts[id];
    if (in.op == terminator) return true;
    if (in.op == Op::next_if && terminator == Op::break_) return true;
    if (terminator == Op::yield || in.op == Op::loop || (in.op == Op::switch_ && !through_switch)) continue;
    for (RegionId r : m_.inst_regions(in)) {
      if (gives_types(r, terminator, through_switch, depth + 1)) return true;
    }
  }
  return false;
}

std::string Printer::result_names(const Inst& in, bool with_types) {
  TextSink s;
  for (uint32_t i = 0; i < in.result_count; ++i) {
    const ValueId v = m_.result(in, i);
    s << (i == 0 ? "" : ", ") << define_local(v);
    if (with_types && f_ != nullptr && v.index() < f_->value_types.size()) s << ": " << type(f_->value_types[v.index()]);
  }
  if (in.result_count != 0) s << " = ";
  return s.take();
}

TypeId Printer::result_type(const Inst& in, uint32_t i) {
  if (i >= in.result_count) return TypeId::none();
  const ValueId v = m_.result(in, i);
  if (v.is_global()) return m_.globals.contains(v.global_id()) ? m_.globals[v.global_id()].type : TypeId::none();
  return f_ != nullptr && v.is_local() && v.index() < f_->value_types.size() ? f_->value_types[v.index()] : TypeId::none();
}

void Printer::named_types(TextSink& out, const Inst& in) {
  out << '<';
  for (uint32_t i = 0; i < in.result_count; ++i) {
    out << (i == 0 ? "" : ", ") << type(result_type(in, i));
  }
  out << '>';
}

void Printer::payload(TextSink& out, const Inst& in) {
  const uint32_t traits = op_row(in.op).traits;
  if ((traits & kVariant) != 0 || in.op == Op::shuffle || in.op == Op::next_if) return;
  if ((traits & kAtomic) != 0) {
    const AtomicInfo info = AtomicInfo::unpack(in.payload);
    const size_t scope = static_cast<size_t>(info.scope);
    const size_t order = static_cast<size_t>(info.order);
    out << " scope=" << (scope < scope_words().size() ? scope_words()[scope] : "?");
    out << " order=" << (order < order_words().size() ? order_words()[order] : "?");
    return;
  }
  if (in.op == Op::barrier) {
    const BarrierInfo info = BarrierInfo::unpack(in.payload);
    const auto scope = [](Scope s) {
      return static_cast<size_t>(s) < scope_words().size() ? scope_words()[static_cast<size_t>(s)] : "?";
    };
    out << " exec=" << (info.exec == Scope::invocation ? "none" : scope(info.exec)) << " scope=" << scope(info.scope)
        << " spaces={";
    bool first = true;
    for (const FlagWord& bit : space_bit_words()) {
      if ((info.spaces & bit.bit) == 0) continue;
      out << (first ? "" : " ") << bit.word;
      first = false;
    }
    const size_t order = static_cast<size_t>(info.order);
    out << "} order=" << (order < order_words().size() ? order_words()[order] : "?");
    return;
  }
  if (in.op == Op::subgroup) {
    const SubgroupInfo info = SubgroupInfo::unpack(in.payload);
    const size_t op = static_cast<size_t>(info.op);
    const size_t form = static_cast<size_t>(info.form);
    out << " op=" << (op < subgroup_op_words().size() ? subgroup_op_words()[op] : "?");
    out << " form=" << (form < subgroup_form_words().size() ? subgroup_form_words()[form] : "?");
    if (info.cluster != 0) out << " cluster=" << static_cast<int>(info.cluster);
    return;
  }
  if (in.payload != 0) out << " payload=" << in.payload;
}

void Printer::sample_operands(TextSink& out, const Inst& in) {
  const SampleInfo info = SampleInfo::unpack(in.payload);
  const std::span<const ValueId> ops = m_.operands(in);
  size_t optional = 0;
  for (const SampleWord& word : sample_words()) {
    if ((info.mask & word.bit) != 0) optional += word.operands;
  }
  const size_t plain = ops.size() > optional ? ops.size() - optional : 0;
  operand_list(out, ops.subspan(0, plain));
  size_t next = plain;
  for (const SampleWord& word : sample_words()) {
    if ((info.mask & word.bit) == 0) continue;
    out << ' ' << word.word << '=';
    for (uint8_t i = 0; i < word.operands; ++i, ++next)
      out << (i == 0 ? "" : ", ") << (next < ops.size() ? value(ops[next]) : std::string("%?"));
  }
  if ((info.mask & kSampleProject) != 0) out << " project=1";
  if (info.component != 0) out << " component=" << static_cast<int>(info.component);
}

void Printer::inst_head(TextSink& out, const Inst& in) {
  const OpRow& row = op_row(in.op);
  out << row.name;
  if ((row.traits & kVariant) != 0 && in.payload < variant_words().size() && in.payload != 0)
    out << '.' << variant_words()[in.payload];
}

void Printer::inst_body(TextSink& out, const Inst& in) {
  inst_head(out, in);
  const std::span<const ValueId> ops = m_.operands(in);
  switch (in.op) {
    case Op::make:
      out << ' ' << type(result_type(in));
      out << '(';
      for (size_t i = 0; i < ops.size(); ++i) out << (i == 0 ? "" : ", ") << value(ops[i]);
      out << ')';
      return;
    case Op::var: {
      const TypeId t = result_type(in);
      const bool pointer = t && m_.types().is_pointer(t);
      out << (pointer && m_.types()[t].space == Space::workgroup ? " workgroup " : " ")
          << type(pointer ? m_.types()[t].element : t);
      if (!ops.empty()) out << " = " << value(ops[0]);
      return;
    }
    case Op::call: {
      const bool known = in.payload < function_text_.size();
      out << ' ' << (known ? function_text_[in.payload] : std::string("?")) << '(';
      for (size_t i = 0; i < ops.size(); ++i) out << (i == 0 ? "" : ", ") << value(ops[i]);
      out << ')';
      return;
    }
    case Op::shuffle: {
      operand_list(out, ops);
      const TypeId t = result_type(in);
      const uint32_t count = t ? m_.types().component_count(t) : 0;
      for (uint32_t i = 0; i < count; ++i) out << ", " << (in.payload >> (4 * i) & 15);
      return;
    }
    case Op::next_if: {
      const size_t body = in.payload;
      out << ' ' << (ops.empty() ? std::string("%?") : value(ops[0]));
      out << ", (";
      for (size_t i = 1; i < ops.size(); ++i) {
        if (i == body + 1) out << "), (";
        out << (i == 1 || i == body + 1 ? "" : ", ") << value(ops[i]);
      }
      if (ops.size() <= body + 1) out << "), (";
      out << ')';
      return;
    }
    case Op::sample:
    case Op::gather:
    case Op::fetch:
      named_types(out, in);
      sample_operands(out, in);
      return;
    default: break;
  }
  if (type_in_text(in.op) == TypeInText::named && in.result_count != 0) named_types(out, in);
  operand_list(out, ops);
  payload(out, in);
}

void Printer::if_inst(TextSink& out, const Inst& in, int depth) {
  const bool typed = in.result_count != 0 && in.regions.count == 2 && !gives_types(m_.inst_region(in, 0), Op::yield, true, 0) &&
                     !gives_types(m_.inst_region(in, 1), Op::yield, true, 0);
  // Results become visible after the regions: they are named last, printed first.
  TextSink body;
  body << "if";
  operand_list(body, m_.operands(in));
  if (in.payload != 0 && in.payload < hint_words().size()) body << " hint=" << hint_words()[in.payload];
  body << " {\n";
  if (in.regions.count > 0) region(body, m_.inst_region(in, 0), depth + 1);
  body.indent(depth) << '}';
  if (in.regions.count > 1) {
    const RegionId other = m_.inst_region(in, 1);
    bool empty_else = false;
    if (m_.regions.contains(other) && m_.regions[other].insts.size() == 1 && m_.insts.contains(m_.regions[other].insts[0])) {
      const Inst& only = m_.insts[m_.regions[other].insts[0]];
      empty_else = only.op == Op::yield && only.operands.empty();
    }
    if (!empty_else) {
      body << " else {\n";
      region(body, other, depth + 1);
      body.indent(depth) << '}';
    }
  }
  out << result_names(in, typed) << body.text();
}

void Printer::switch_inst(TextSink& out, const Inst& in, int depth) {
  bool typed = in.result_count != 0;
  for (RegionId r : m_.inst_regions(in)) {
    if (gives_types(r, Op::yield, true, 0) || gives_types(r, Op::leave, false, 0)) typed = false;
  }
  TextSink body;
  body << "switch";
  operand_list(body, m_.operands(in));
  body << " {\n";
  const bool known = in.payload < m_.switches.size();
  for (uint32_t i = 0; i < in.regions.count; ++i) {
    body.indent(depth + 1);
    if (!known || i >= m_.switches[in.payload].cases.size()) {
      body << "case %?";
    } else {
      const SwitchCase& c = m_.switches[in.payload].cases[i];
      for (size_t k = 0; k < c.labels.size(); ++k) body << (k == 0 ? "case " : ", ") << constant(c.labels[k]);
      if (c.is_default) body << (c.labels.empty() ? "default" : ", default");
    }
    body << " {\n";
    region(body, m_.inst_region(in, i), depth + 2);
    body.indent(depth + 1) << "}\n";
  }
  body.indent(depth) << '}';
  out << result_names(in, typed) << body.text();
}

void Printer::loop_inst(TextSink& out, const Inst& in, int depth) {
  TextSink body;
  body << "loop";
  const std::span<const ValueId> init = m_.operands(in);
  const bool known =
      in.regions.count == 2 && m_.regions.contains(m_.inst_region(in, 0)) && m_.regions.contains(m_.inst_region(in, 1));
  if (!init.empty()) {
    body << " (";
    for (uint32_t i = 0; i < init.size(); ++i) {
      const ValueId p = known ? ValueId(m_.regions[m_.inst_region(in, 0)].first_param.value + i) : ValueId::none();
      body << (i == 0 ? "" : ", ") << define_local(p) << " = " << value(init[i]);
    }
    body << ')';
  }
  const LoopControl control = LoopControl::unpack(in.payload);
  const auto hint = static_cast<size_t>(control.hint);
  if (hint != 0 && hint < hint_words().size()) body << " hint=" << hint_words()[hint];
  if (control.kind != LoopCount::none && control.kind < LoopCount::count_)
    body << ' ' << kLoopCountWords[static_cast<size_t>(control.kind)] << '=' << static_cast<uint32_t>(control.number);
  bool typed = in.result_count != 0;
  if (known) {
    const RegionId loop_body = m_.inst_region(in, 0);
    const RegionId continuing = m_.inst_region(in, 1);
    const bool params_typed = !gives_types(loop_body, Op::continue_, true, 0);
    body << " {\n";
    region(body, loop_body, depth + 1);
    body.indent(depth) << "} continuing";
    const Region& c = m_.regions[continuing];
    for (uint32_t i = 0; i < c.param_count; ++i) {
      const ValueId p(c.first_param.value + i);
      body << (i == 0 ? " (" : ", ") << define_local(p);
      if (params_typed && f_ != nullptr && p.index() < f_->value_types.size()) body << ": " << type(f_->value_types[p.index()]);
    }
    body << (c.param_count != 0 ? ") {\n" : " {\n");
    region(body, continuing, depth + 1);
    body.indent(depth) << '}';
    if (gives_types(loop_body, Op::break_, true, 0) || gives_types(continuing, Op::break_, true, 0)) typed = false;
  }
  out << result_names(in, typed) << body.text();
}

void Printer::inst(TextSink& out, InstId id, int depth) {
  out.indent(depth);
  if (!m_.insts.contains(id)) {
    out << "%?\n";
    return;
  }
  const Inst in = m_.insts[id];
  switch (in.op) {
    case Op::if_: if_inst(out, in, depth); break;
    case Op::switch_: switch_inst(out, in, depth); break;
    case Op::loop: loop_inst(out, in, depth); break;
    default: {
      TextSink body;
      inst_body(body, in);
      out << result_names(in, false) << body.text();
      break;
    }
  }
  for (const FlagWord& flag : inst_flag_words()) {
    if ((in.flags & flag.bit) != 0) out << " !" << flag.word;
  }
  if (options_.loc_text != nullptr && in.loc && m_.locs.contains(in.loc)) {
    const std::string text = options_.loc_text(options_.loc_user, m_.locs[in.loc].range);
    if (!text.empty()) out << " @" << text;
  }
  out << '\n';
}

}  // namespace carry::ir

// Statements and control flow.
#include "write/msl/state.h"

namespace carry::write::msl {

using ir::Inst;
using ir::RegionId;
using ir::ValueId;

void Writer::line(std::string_view text) { body_.indent(depth_) << text << '\n'; }

void Writer::bind(ValueId result, const Expr& value) {
  if (fold_->uses(result) == 0) return line(value.text + ";");
  body_.indent(depth_) << type(type_of(result)) << ' ' << local_names_[result.index()] << " = " << value.text << ";\n";
}

void Writer::region(RegionId id) {
  for (ir::InstId inst : m_.regions[id].insts) statement(inst);
}

void Writer::statement(ir::InstId id) {
  const Inst& inst = m_.insts[id];
  const OpRow& row = op_row(inst.op);
  if (inst.result_count == 1 && inst.first_result.is_local() && fold_->folded(inst.first_result)) return;
  if (row.traits & kTerminator) return terminator(inst);
  if (row.traits & kControl) return control(inst);
  if (row.traits & kAtomic) return atomic_statement(id);
  if (multi_result(inst)) return;
  switch (inst.op) {
    case Op::var: {
      const Type p = m_.types()[result_type(inst)];
      body_.indent(depth_) << (p.space == Space::workgroup ? "threadgroup " : "") << type(p.element) << ' '
                           << local_names_[inst.first_result.index()];
      if (inst.operands.count != 0) body_ << " = " << arg(m_.operand(inst, 0));
      body_ << ";\n";
      return;
    }
    case Op::store: body_.indent(depth_) << accessed(inst) << " = " << arg(m_.operand(inst, 1)) << ";\n"; return;
    case Op::with: {
      const std::string& name = local_names_[inst.first_result.index()];
      const std::span<const ValueId> ops = m_.operands(inst);
      body_.indent(depth_) << type(result_type(inst)) << ' ' << name << " = " << arg(ops[0]) << ";\n";
      body_.indent(depth_) << steps(name, type_of(ops[0]), ops.subspan(1, ops.size() - 2)) << " = " << arg(ops[ops.size() - 1])
                           << ";\n";
      return;
    }
    case Op::call: return call_statement(inst);
    case Op::barrier: return barrier(inst);
    case Op::image_write:
      line(image(inst).text + ";");
      if (fences_.count(id.value) != 0) line(arg(m_.operand(inst, 0)) + ".fence();");
      return;
    case Op::demote: return line("discard_fragment();");
    default: break;
  }
  if (inst.result_count == 0) return;
  const bool plain_load = inst.op == Op::load && (inst.flags & ir::kVolatile) == 0;
  if (((row.traits & kPure) || plain_load) && fold_->uses(inst.first_result) == 0) return;
  bind(inst.first_result, expression(inst));
}

void Writer::call_statement(const Inst& inst) {
  std::string text = module_names_.function(ir::FunctionId(inst.payload)) + "(";
  const std::span<const ValueId> ops = m_.operands(inst);
  for (size_t i = 0; i < ops.size(); ++i) {
    if (i != 0) text += ", ";
    text += m_.types().is_pointer(type_of(ops[i])) ? place(ops[i]) : arg(ops[i]);
  }
  text += ')';
  if (inst.result_count == 0) return line(text + ";");
  bind(inst.first_result, {std::move(text)});
}

/// Operations with two results: the second comes back through a reference, or is computed beside the first.
bool Writer::multi_result(const Inst& inst) {
  if (inst.result_count < 2) return false;
  const ValueId first = m_.result(inst, 0);
  const ValueId second = m_.result(inst, 1);
  switch (inst.op) {
    case Op::frexp:
    case Op::modf:
      body_.indent(depth_) << type(type_of(second)) << ' ' << local_names_[second.index()] << ";\n";
      body_.indent(depth_) << type(type_of(first)) << ' ' << local_names_[first.index()] << " = "
                           << (inst.op == Op::frexp ? "frexp(" : "modf(") << arg(m_.operand(inst, 0)) << ", "
                           << local_names_[second.index()] << ");\n";
      return true;
    case Op::umul_extended:
    case Op::smul_extended: {
      const std::string a = arg(m_.operand(inst, 0));
      const std::string b = arg(m_.operand(inst, 1));
      if (fold_->uses(first) != 0) {
        body_.indent(depth_) << type(type_of(first)) << ' ' << local_names_[first.index()] << " = "
                             << wrapping(inst, "*", Prec::multiply).text << ";\n";
      }
      if (fold_->uses(second) != 0) {
        body_.indent(depth_) << type(type_of(second)) << ' ' << local_names_[second.index()] << " = mulhi(" << a << ", " << b
                             << ");\n";
      }
      return true;
    }
    default: return false;
  }
}

void Writer::control(const Inst& inst) {
  if (inst.op == Op::loop) return loop(inst);
  if (inst.op == Op::switch_) return switch_statement(inst);
  const RegionId else_region = m_.inst_region(inst, 1);
  const std::vector<ir::InstId>& else_insts = m_.regions[else_region].insts;
  body_.indent(depth_) << "if (" << arg(m_.operand(inst, 0)) << ") {\n";
  ++depth_;
  region(m_.inst_region(inst, 0));
  --depth_;
  if (else_insts.size() != 1 || m_.insts[else_insts[0]].op != Op::yield) {
    line("} else {");
    ++depth_;
    region(else_region);
    --depth_;
  }
  line("}");
}

namespace {

uint32_t count_continues(const ir::Module& m, RegionId id) {
  uint32_t n = 0;
  for (ir::InstId i : m.regions[id].insts) {
    const Inst& inst = m.insts[i];
    if (inst.op == Op::continue_) ++n;
    if (inst.op == Op::loop) continue;
    for (RegionId r : m.inst_regions(inst)) n += count_continues(m, r);
  }
  return n;
}

}  // namespace

/// The continuing region runs before each round but the first. With one `continue` it is written there; with more, a flag
/// at the loop's head tells the first round.
void Writer::loop(const Inst& inst) {
  const RegionId body = m_.inst_region(inst, 0);
  const RegionId continuing = m_.inst_region(inst, 1);
  const std::vector<ir::InstId>& insts = m_.regions[continuing].insts;
  const bool bare = insts.size() == 1 && m_.insts[insts[0]].op == Op::next;
  const bool at_head = !bare && count_continues(m_, body) > 1;
  std::string flag;
  if (at_head) {
    flag = names_.take("first_round");
    line("bool " + flag + " = true;");
  }
  line("while (true) {");
  ++depth_;
  if (at_head) {
    line("if (!" + flag + ") {");
    ++depth_;
    region(continuing);
    --depth_;
    line("}");
    line(flag + " = false;");
  }
  continuing_.push_back(at_head || bare ? RegionId::none() : continuing);
  region(body);
  continuing_.pop_back();
  --depth_;
  line("}");
}

void Writer::switch_statement(const Inst& inst) {
  const ir::SwitchInfo& info = m_.switches[inst.payload];
  body_.indent(depth_) << "switch (" << arg(m_.operand(inst, 0)) << ") {\n";
  ++depth_;
  for (size_t i = 0; i < info.cases.size(); ++i) {
    const ir::SwitchCase& c = info.cases[i];
    for (ConstId label : c.labels) body_.indent(depth_) << "case " << constant(label).text << ":\n";
    if (c.is_default) line("default:");
    line("{");
    ++depth_;
    region(m_.inst_region(inst, static_cast<uint32_t>(i)));
    // `yield` ends the region without a word of its own.
    const std::vector<ir::InstId>& insts = m_.regions[m_.inst_region(inst, static_cast<uint32_t>(i))].insts;
    if (!insts.empty() && m_.insts[insts.back()].op == Op::yield) line("break;");
    --depth_;
    line("}");
  }
  --depth_;
  line("}");
}

void Writer::terminator(const Inst& inst) {
  switch (inst.op) {
    case Op::leave: return line("break;");
    case Op::break_: return line("break;");
    case Op::continue_:
      if (!continuing_.empty() && continuing_.back()) {
        const RegionId region_id = continuing_.back();
        continuing_.back() = RegionId::none();
        region(region_id);
        continuing_.back() = region_id;
      }
      return line("continue;");
    case Op::next_if: body_.indent(depth_) << "if (!(" << arg(m_.operand(inst, 0)) << ")) { break; }\n"; return;
    case Op::return_:
      if (inst.operands.count == 0) return line("return;");
      body_.indent(depth_) << "return " << arg(m_.operand(inst, 0)) << ";\n";
      return;
    case Op::terminate: line("discard_fragment();"); [[fallthrough]];
    case Op::unreachable:
      if (fn_->result == TypeId::void_) {
        if (inst.op == Op::terminate) line("return;");
        return;
      }
      body_.indent(depth_) << "return " << type(fn_->result) << " {};\n";
      return;
    default: return;  // yield, next, fallthrough
  }
}

}  // namespace carry::write::msl

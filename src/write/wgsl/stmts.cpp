// Statements and control flow.
#include "write/wgsl/state.h"

namespace carry::write::wgsl {

using ir::Inst;
using ir::RegionId;
using ir::ValueId;

void Writer::line(std::string_view text) { body_.indent(depth_) << text << '\n'; }

void Writer::bind(ValueId result, const Expr& value) {
  if (fold_->uses(result) == 0) {
    // Results of built-ins must be used; `_ =` uses them.
    body_.indent(depth_) << "_ = " << value.text << ";\n";
    return;
  }
  body_.indent(depth_) << "let " << local_names_[result.index()] << " = " << value.text << ";\n";
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
  if (row.traits & kAtomic) return atomic_statement(inst);
  switch (inst.op) {
    case Op::var: {
      body_.indent(depth_) << "var " << local_names_[inst.first_result.index()] << ": "
                           << type(m_.types()[result_type(inst)].element);
      if (inst.operands.count != 0) body_ << " = " << arg(m_.operand(inst, 0));
      body_ << ";\n";
      return;
    }
    case Op::store: body_.indent(depth_) << place(m_.operand(inst, 0)) << " = " << arg(m_.operand(inst, 1)) << ";\n"; return;
    case Op::with: {
      const std::string& name = local_names_[inst.first_result.index()];
      const std::span<const ValueId> ops = m_.operands(inst);
      body_.indent(depth_) << "var " << name << " = " << arg(ops[0]) << ";\n";
      body_.indent(depth_) << steps(name, type_of(ops[0]), ops.subspan(1, ops.size() - 2)) << " = " << arg(ops[ops.size() - 1])
                           << ";\n";
      return;
    }
    case Op::call: {
      std::string text = module_names_.function(ir::FunctionId(inst.payload)) + "(";
      const std::span<const ValueId> ops = m_.operands(inst);
      for (size_t i = 0; i < ops.size(); ++i) {
        if (i != 0) text += ", ";
        text += m_.types().is_pointer(type_of(ops[i])) ? address(ops[i]) : arg(ops[i]);
      }
      text += ')';
      if (inst.result_count == 0 || fold_->uses(inst.first_result) == 0) return line(text + ";");
      return bind(inst.first_result, {std::move(text)});
    }
    case Op::barrier: return barrier(inst);
    case Op::image_write: return line(image(inst).text + ";");
    case Op::demote: return line("discard;");
    case Op::frexp:
    case Op::modf: {
      const std::string name = names_.take(inst.op == Op::frexp ? "parts" : "whole_and_fract");
      const TypeId of = type_of(m_.operand(inst, 0));
      // naga gives the exponents of halves 16 bits: computed in 32 bits, which is exact.
      const bool widened = inst.op == Op::frexp && m_.types().scalar_of(of) == ScalarKind::f16;
      std::string x = arg(m_.operand(inst, 0));
      if (widened) x = type(m_.types().with_scalar(of, ScalarKind::f32)) + "(" + x + ")";
      body_.indent(depth_) << "let " << name << " = " << (inst.op == Op::frexp ? "frexp(" : "modf(") << x << ");\n";
      bind(m_.result(inst, 0), {widened ? type(of) + "(" + name + ".fract)" : name + ".fract"});
      bind(m_.result(inst, 1), {name + (inst.op == Op::frexp ? ".exp" : ".whole")});
      return;
    }
    default: break;
  }
  if (inst.result_count == 0) return;
  if (((row.traits & kPure) || inst.op == Op::load) && fold_->uses(inst.first_result) == 0) return;
  bind(inst.first_result, expression(inst));
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

/// True when something in the region leaves the loop around it: WGSL refuses loops that cannot end.
bool Writer::exits(RegionId id) const {
  for (ir::InstId i : m_.regions[id].insts) {
    const Inst& inst = m_.insts[i];
    if (inst.op == Op::break_ || inst.op == Op::return_ || inst.op == Op::terminate) return true;
    if (inst.op == Op::next_if) return true;
    for (RegionId r : m_.inst_regions(inst)) {
      if (inst.op == Op::loop) {
        // Only a return leaves through an inner loop.
        for (ir::InstId j : m_.regions[r].insts) {
          if (m_.insts[j].op == Op::return_) return true;
        }
      } else if (exits(r)) {
        return true;
      }
    }
  }
  return false;
}

void Writer::loop(const Inst& inst) {
  const RegionId body = m_.inst_region(inst, 0);
  const RegionId continuing = m_.inst_region(inst, 1);
  line("loop {");
  ++depth_;
  if (!exits(body) && !exits(continuing)) line("if (false) { break; }");
  region(body);
  const std::vector<ir::InstId>& insts = m_.regions[continuing].insts;
  if (insts.size() != 1 || m_.insts[insts[0]].op != Op::next) {
    line("continuing {");
    ++depth_;
    region(continuing);
    --depth_;
    line("}");
  }
  --depth_;
  line("}");
}

void Writer::switch_statement(const Inst& inst) {
  const ir::SwitchInfo& info = m_.switches[inst.payload];
  body_.indent(depth_) << "switch (" << arg(m_.operand(inst, 0)) << ") {\n";
  ++depth_;
  for (size_t i = 0; i < info.cases.size(); ++i) {
    body_.indent(depth_);
    const ir::SwitchCase& c = info.cases[i];
    if (c.labels.empty()) {
      body_ << "default";
    } else {
      body_ << "case ";
      for (size_t l = 0; l < c.labels.size(); ++l) body_ << (l == 0 ? "" : ", ") << constant(c.labels[l]).text;
      if (c.is_default) body_ << ", default";
    }
    body_ << ": {\n";
    ++depth_;
    region(m_.inst_region(inst, static_cast<uint32_t>(i)));
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
    case Op::continue_: {
      // The last statement of a body need not say it.
      return line("continue;");
    }
    case Op::next_if: body_.indent(depth_) << "break if !(" << arg(m_.operand(inst, 0)) << ");\n"; return;
    case Op::return_:
      if (inst.operands.count == 0) return line("return;");
      body_.indent(depth_) << "return " << arg(m_.operand(inst, 0)) << ";\n";
      return;
    case Op::terminate:
      // WGSL's discard goes on as a helper invocation; leaving the function keeps the rest from being evaluated.
      line("discard;");
      [[fallthrough]];
    case Op::unreachable:
      if (fn_->result == TypeId::void_) {
        if (inst.op == Op::terminate) line("return;");
        return;
      }
      body_.indent(depth_) << "return " << type(fn_->result) << "();\n";
      return;
    default: return;  // yield, next, fallthrough: the text's own order says it
  }
}

}  // namespace carry::write::wgsl

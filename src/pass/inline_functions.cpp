/// Inlines calls that a target cannot make: pointers to other spaces than function memory as parameters (or those of functions
/// that ask for the length of an array), parts of variables as references. Callees come first in the order, so a callee is
/// already free of such calls when it is inlined.
///   before  fn f(%p: ptr<storage read, u32 $std430>) -> u32 { %v = load %p  return %v }   ...  %x = call f(%q)
///   after   %x = load %q
#include "pass/inline_functions.h"

#include <algorithm>

#include "ir/rewriter.h"
#include "pass/pass.h"
#include "pass/single_return.h"

namespace carry::pass {

namespace {

using ir::Inst;
using ir::ValueId;

class InlineFunctions : public ir::Rewriter {
 public:
  InlineFunctions(ir::Module& module, const InlineChoice& choice) : Rewriter(module), choice_(choice) {}

 protected:
  bool wants(ir::FunctionId id) override {
    parts_.clear();
    return has_call(m().functions[id].body);
  }

  bool visit(const Inst& inst) override {
    if (inst.op == Op::at) parts_.push_back(inst.first_result);
    if (inst.op != Op::call) return false;
    const ir::FunctionId callee(inst.payload);
    if (!choice_.callee(m(), m().functions[callee]) && !(choice_.parts && passes_part(inst))) return false;
    make_single_return(m(), callee);
    const ValueId result = ir::inline_call(b(), callee, mapped_operands(inst), inst.loc);
    if (inst.result_count != 0) replace(inst, 0, result);
    return true;
  }

 private:
  bool has_call(ir::RegionId region) {
    for (ir::InstId id : m().regions[region].insts) {
      if (m().insts[id].op == Op::call) return true;
      for (ir::RegionId r : m().inst_regions(m().insts[id])) {
        if (has_call(r)) return true;
      }
    }
    return false;
  }

  /// A reference argument that is a part of a variable.
  bool passes_part(const Inst& inst) {
    const ir::Function& f = m().functions[ir::FunctionId(inst.payload)];
    for (uint32_t i = 0; i < inst.operands.count; ++i) {
      if (f.params[i].mode == ir::ParamMode::value) continue;
      if (std::find(parts_.begin(), parts_.end(), m().operand(inst, i)) != parts_.end()) return true;
    }
    return false;
  }

  const InlineChoice& choice_;
  std::vector<ValueId> parts_;  // old pointers made by `at`
};

bool has_foreign_pointer(const ir::Module& m, const ir::Function& f) {
  for (const ir::Param& p : f.params) {
    const TypeId t = f.value_types[p.value.index()];
    if (m.types().is_pointer(t) && m.types()[t].space != Space::function && m.types()[t].space != Space::physical) return true;
  }
  return false;
}

/// naga stores to images of the module only.
bool has_foreign_pointer_or_image(const ir::Module& m, const ir::Function& f) {
  for (const ir::Param& p : f.params) {
    if (m.types().kind(f.value_types[p.value.index()]) == TypeKind::image) return true;
  }
  return has_foreign_pointer(m, f);
}

bool asks_length(const ir::Module& m, ir::RegionId region) {
  for (ir::InstId id : m.regions[region].insts) {
    if (m.insts[id].op == Op::array_length) return true;
    for (ir::RegionId r : m.inst_regions(m.insts[id])) {
      if (asks_length(m, r)) return true;
    }
  }
  return false;
}

/// The length is known where the buffer is.
bool asks_param_length(const ir::Module& m, const ir::Function& f) {
  return has_foreign_pointer(m, f) && asks_length(m, f.body);
}

}  // namespace

void inline_calls(ir::Module& module, const InlineChoice& choice) {
  InlineFunctions(module, choice).run();
  // What was inlined everywhere is not called any more.
  std::vector<bool> called(module.functions.size(), false);
  const auto mark = [&](const auto& self, ir::RegionId region) -> void {
    for (ir::InstId id : module.regions[region].insts) {
      if (module.insts[id].op == Op::call) called[module.insts[id].payload] = true;
      for (ir::RegionId r : module.inst_regions(module.insts[id])) self(self, r);
    }
  };
  for (ir::FunctionId id : module.function_order) mark(mark, module.functions[id].body);
  std::erase_if(module.function_order, [&](ir::FunctionId id) {
    ir::Function& f = module.functions[id];
    if (f.is_entry || called[id.value] || !choice.callee(module, f)) return false;
    f.dead = true;
    return true;
  });
}

void inline_functions(PassContext& context) {
  InlineChoice choice;
  if (context.config.lacks.has(ir::Feature::pointer_param)) {
    choice.callee = context.config.lacks.has(ir::Feature::image_param) ? has_foreign_pointer_or_image : has_foreign_pointer;
  } else if (context.config.lacks.has(ir::Feature::param_length)) {
    choice.callee = asks_param_length;
  }
  choice.parts = context.config.lacks.has(ir::Feature::ref_to_part);
  inline_calls(context.module, choice);
}

}  // namespace carry::pass

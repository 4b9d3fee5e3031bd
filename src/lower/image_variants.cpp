// Functions that take storage images, for arguments of another image type: a parameter without a format takes images of any
// format, one that is `readonly` also those that can be written. One variant a function and list of types.
#include <algorithm>
#include <unordered_set>

#include "ir/rewriter.h"
#include "lower/module_lowering.h"

namespace carry::lower {

using ir::FunctionId;
using ir::Inst;
using ir::ValueId;

namespace {

/// Gives values that come from a parameter the type of its argument.
class Retype {
 public:
  Retype(ModuleLowering& lowering, FunctionId id) : l_(lowering), m_(lowering.module), id_(id) {}

  /// False: a value of the old type is needed somewhere.
  bool run() {
    for (bool again = true; again && ok_;) {
      changed_ = false;
      region(m_.functions[id_].body, false);
      again = changed_;
    }
    if (ok_) region(m_.functions[id_].body, true);
    return ok_;
  }

 private:
  [[nodiscard]] TypeId type(ValueId v) const { return m_.type_of(m_.functions[id_], v); }
  [[nodiscard]] bool is_image(TypeId t) const { return m_.types().kind(t) == TypeKind::image; }
  [[nodiscard]] bool is_image_var(ValueId v) const {
    return v.is_local() && m_.types().is_pointer(type(v)) && m_.types()[type(v)].space == Space::function &&
           is_image(m_.types()[type(v)].element);
  }

  void set(ValueId v, TypeId to) {
    TypeId& now = m_.functions[id_].value_types[v.index()];
    if (now == to) return;
    if (!retyped_.insert(v.value).second) ok_ = false;  // of two types
    now = to;
    changed_ = true;
  }
  void set_var(ValueId v, TypeId element) {
    Type t = m_.types()[type(v)];
    set(v, m_.types().pointer(t.space, t.access, element, t.layout));
  }

  void region(ir::RegionId id, bool calls) {
    const std::vector<ir::InstId> insts = m_.regions[id].insts;
    for (ir::InstId i : insts) {
      const Inst inst = m_.insts[i];
      if (calls) {
        if (inst.op == Op::call) call(i);
      } else {
        one(inst);
      }
      for (uint32_t r = 0; r < inst.regions.count && ok_; ++r) region(m_.inst_region(inst, r), calls);
    }
  }

  void one(const Inst& inst) {
    const auto has_image = [&](uint32_t o) { return o < inst.operands.count && is_image(type(m_.operand(inst, o))); };
    if (inst.op == Op::var && has_image(0)) return set_var(inst.first_result, type(m_.operand(inst, 0)));
    if (inst.op == Op::store && has_image(1) && is_image_var(m_.operand(inst, 0)))
      return set_var(m_.operand(inst, 0), type(m_.operand(inst, 1)));
    if (inst.op == Op::load && is_image_var(m_.operand(inst, 0)))
      return set(inst.first_result, m_.types()[type(m_.operand(inst, 0))].element);
    if (inst.op == Op::call || inst.op == Op::texel || has_trait(inst.op, kImage)) return;
    for (uint32_t o = 0; o < inst.operands.count; ++o) ok_ = ok_ && !has_image(o);
  }

  void call(ir::InstId id) {
    const Inst inst = m_.insts[id];
    std::vector<TypeId> wanted;
    for (ValueId v : m_.operands(inst)) wanted.push_back(type(v));
    const FunctionId variant = l_.image_variant(FunctionId(inst.payload), wanted);
    if (!variant) ok_ = false;
    if (ok_) m_.insts[id].payload = variant.value;
  }

  ModuleLowering& l_;
  ir::Module& m_;
  FunctionId id_;
  bool changed_ = false, ok_ = true;
  std::unordered_set<uint32_t> retyped_;
};

}  // namespace

FunctionId ModuleLowering::image_variant(FunctionId callee, const std::vector<TypeId>& wanted) {
  std::vector<uint32_t> key{callee.value};
  bool differs = false;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const ir::Function& f = module.functions[callee];
    const TypeId now = f.value_types[f.params[i].value.index()];
    const bool image = types.kind(now) == TypeKind::image && types.kind(wanted[i]) == TypeKind::image;
    if (!image && !(now == wanted[i])) return FunctionId::none();
    differs = differs || !(now == wanted[i]);
    key.push_back(wanted[i].value);
  }
  if (!differs) return callee;
  if (const auto found = image_variants_.find(key); found != image_variants_.end()) return found->second;
  const FunctionId made = ir::clone_function(module, callee);
  for (size_t i = 0; i < wanted.size(); ++i) {
    ir::Function& f = module.functions[made];
    f.value_types[f.params[i].value.index()] = wanted[i];
  }
  const FunctionId id = Retype(*this, made).run() ? made : FunctionId::none();
  image_variants_[key] = id;
  return id;
}

/// Functions for any format of which only variants are called.
void ModuleLowering::drop_uncalled_originals() {
  if (image_variants_.empty()) return;
  std::vector<bool> called(module.functions.size(), false);
  for (size_t i = module.function_order.size(); i-- > 0;) {
    const FunctionId id = module.function_order[i];
    const bool original =
        std::any_of(image_variants_.begin(), image_variants_.end(), [&](const auto& row) { return row.first[0] == id.value; });
    if (!original || called[id.value] || module.functions[id].is_entry) {
      mark_calls(module.functions[id].body, called);
      continue;
    }
    module.functions[id].dead = true;
    module.function_order.erase(module.function_order.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

void ModuleLowering::mark_calls(ir::RegionId region, std::vector<bool>& called) const {
  for (ir::InstId id : module.regions[region].insts) {
    const Inst& inst = module.insts[id];
    if (inst.op == Op::call) called[inst.payload] = true;
    for (ir::RegionId r : module.inst_regions(inst)) mark_calls(r, called);
  }
}

}  // namespace carry::lower

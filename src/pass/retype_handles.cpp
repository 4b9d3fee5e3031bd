/// Textures and storage images get the type that their uses ask for. A colour texture that is compared becomes a depth
/// texture, also where it is read plainly (a depth texture gives its value, 0, 0, 1); a storage image that is only read or
/// only written gets that access.
///   before  global %t: handle texture_2d<f32>   %v = load %t   %x = sample %v, %s, %c compare=0.5 ...
///   after   global %t: handle depth_2d          ...
#include <unordered_map>

#include "ir/rewriter.h"
#include "pass/pass.h"

namespace carry::pass {

namespace {

using ir::GlobalId;
using ir::Inst;
using ir::ValueId;

/// A global or a parameter, and those that are handed to it: one type for all of them.
struct Node {
  uint32_t parent;
  bool compared = false, component = false, read = false, written = false;
  GlobalId global;
  TypeId type;
};

class RetypeHandles : public ir::Rewriter {
 public:
  explicit RetypeHandles(PassContext& context) : Rewriter(context.module), context_(context) {}

  void run_all() {
    for (ir::FunctionId id : m().function_order) {
      if (!m().functions[id].dead) collect(id);
    }
    if (!choose()) return;
    for (auto& [key, index] : nodes_by_key_) {
      const Node& n = nodes_[index];
      if (!n.global) continue;
      ir::Global& g = m().globals[n.global];
      g.value_type = with_element(g.value_type, nodes_[root(index)].type);
      g.type = types().pointer(Space::handle, g.access, g.value_type);
    }
    run();
  }

 private:
  using Key = uint64_t;
  static Key global_key(GlobalId g) { return g.value; }
  static Key param_key(ir::FunctionId f, uint32_t i) { return uint64_t{f.value + 1} << 32 | i; }

  /// The texture or image type of a handle or an array of them; none for others.
  TypeId element_of(TypeId id) {
    const Type& t = types()[id];
    if (t.kind == TypeKind::bindings) return element_of(t.element);
    return t.kind == TypeKind::texture || t.kind == TypeKind::image ? id : TypeId::none();
  }
  TypeId with_element(TypeId id, TypeId element) {
    const Type t = types()[id];
    return t.kind == TypeKind::bindings ? types().bindings(with_element(t.element, element), t.count) : element;
  }

  uint32_t node(Key key, TypeId type, GlobalId global) {
    const auto [found, is_new] = nodes_by_key_.try_emplace(key, static_cast<uint32_t>(nodes_.size()));
    if (is_new) nodes_.push_back({found->second, false, false, false, false, global, type});
    return found->second;
  }
  uint32_t root(uint32_t i) {
    while (nodes_[i].parent != i) i = nodes_[i].parent = nodes_[nodes_[i].parent].parent;
    return i;
  }
  void join(uint32_t a, uint32_t b) {
    a = root(a), b = root(b);
    if (a == b || nodes_[a].type != nodes_[b].type) return;
    nodes_[a].compared = nodes_[a].compared || nodes_[b].compared;
    nodes_[a].component = nodes_[a].component || nodes_[b].component;
    nodes_[a].read = nodes_[a].read || nodes_[b].read;
    nodes_[a].written = nodes_[a].written || nodes_[b].written;
    nodes_[b].parent = a;
  }

  // ---- what functions do ----
  static constexpr uint32_t kNone = 0xffffffffu;
  std::vector<uint32_t> origin_;  // by local: its node

  uint32_t origin(ValueId v) {
    if (v.is_global()) {
      const ir::Global& g = m().globals[v.global_id()];
      const TypeId t = g.space == Space::handle ? element_of(g.value_type) : TypeId::none();
      return t ? node(global_key(v.global_id()), t, v.global_id()) : kNone;
    }
    return v.is_local() && v.index() < origin_.size() ? origin_[v.index()] : kNone;
  }

  void collect(ir::FunctionId id) {
    const ir::Function& f = m().functions[id];
    origin_.assign(f.value_types.size(), kNone);
    for (uint32_t i = 0; i < f.params.size(); ++i) {
      const TypeId t = element_of(f.value_types[f.params[i].value.index()]);
      if (t) origin_[f.params[i].value.index()] = node(param_key(id, i), t, {});
    }
    collect_region(f.body);
  }

  void collect_region(ir::RegionId region) {
    for (ir::InstId id : m().regions[region].insts) {
      const Inst& inst = m().insts[id];
      collect_inst(inst);
      for (ir::RegionId r : m().inst_regions(inst)) collect_region(r);
    }
  }

  void collect_inst(const Inst& inst) {
    if (inst.op == Op::call) {
      const ir::FunctionId callee(inst.payload);
      for (uint32_t i = 0; i < inst.operands.count; ++i) {
        const uint32_t from = origin(m().operand(inst, i));
        if (from == kNone) continue;
        join(from, node(param_key(callee, i), nodes_[root(from)].type, {}));
      }
      return;
    }
    if (inst.operands.count == 0) return;
    const uint32_t from = origin(m().operand(inst, 0));
    if (from == kNone) return;
    if (inst.op == Op::load || inst.op == Op::at || inst.op == Op::texel) origin_[inst.first_result.index()] = from;
    Node& n = nodes_[root(from)];
    if (inst.op == Op::image_read) n.read = true;
    if (inst.op == Op::image_write) n.written = true;
    if (has_trait(inst.op, kAtomic)) n.read = n.written = true;
    if (inst.op != Op::sample && inst.op != Op::gather) return;
    const ir::SampleInfo info = ir::SampleInfo::unpack(inst.payload);
    if (info.mask & ir::kSampleCompare)
      n.compared = true;
    else if (inst.op == Op::gather && info.component != 0)
      n.component = true;
  }

  // ---- types ----
  bool choose() {
    for (size_t i = 0; i < nodes_.size(); ++i) {
      Node& n = nodes_[i];
      if (root(static_cast<uint32_t>(i)) != i) continue;
      Type t = types()[n.type];
      if (t.kind == TypeKind::texture) {
        if (!n.compared || (t.flags & kImageDepth) != 0 || !context_.config.lacks.has(ir::Feature::depth_by_use)) continue;
        const bool shape = (t.dim == Dim::d2 || t.dim == Dim::cube) && (t.flags & kImageMultisampled) == 0;
        if (!shape || n.component || t.scalar != ScalarKind::f32)
          return refuse(i, "comparison on a texture of this shape, or of which other components than the first are gathered");
        t.flags |= kImageDepth;
      } else {
        if (t.access == Access::read || t.access == Access::write) continue;
        if (!context_.config.lacks.has(ir::Feature::image_read_write)) continue;
        const bool word = t.format == ImageFormat::r32ui || t.format == ImageFormat::r32i || t.format == ImageFormat::r32f;
        if (n.read && n.written) {
          if (word) continue;
          return refuse(i,
                        "reading and writing one storage image of this format: use r32ui, r32i or r32f, or an image for each");
        }
        t.access = n.read ? Access::read : Access::write;
      }
      n.type = types().intern(t);
    }
    return true;
  }

  bool refuse(size_t index, const char* what) {
    ir::LocId loc;
    for (size_t i = 0; i < nodes_.size(); ++i) {
      if (root(static_cast<uint32_t>(i)) == index && nodes_[i].global) loc = m().globals[nodes_[i].global].loc;
    }
    context_.error(loc, diag::not_supported_yet, what);
    return false;
  }

  // ---- functions ----
  void make_params() override {
    ir::Function& f = new_function();
    for (uint32_t i = 0; i < old_function().params.size(); ++i) {
      const ir::Param& p = old_function().params[i];
      const auto found = nodes_by_key_.find(param_key(function_id(), i));
      TypeId type = old_function().value_types[p.value.index()];
      if (found != nodes_by_key_.end() && element_of(type)) type = with_element(type, nodes_[root(found->second)].type);
      const ValueId v = b().new_local(type, old_function().value_names[p.value.index()]);
      f.params[i].value = v;
      replace(p.value, v);
    }
  }

  bool visit(const Inst& inst) override {
    if (inst.op != Op::load && inst.op != Op::at) return false;
    const TypeId t = types()[old_type(m().operand(inst, 0))].element;
    if (!element_of(t)) return false;
    std::vector<ValueId> operands = mapped_operands(inst);
    const ValueId pointer = operands[0];
    operands.erase(operands.begin());
    replace(inst, 0, inst.op == Op::load ? b().load(pointer, inst.flags) : b().at(pointer, operands, inst.flags));
    return true;
  }

  PassContext& context_;
  std::vector<Node> nodes_;
  std::unordered_map<Key, uint32_t> nodes_by_key_;
};

}  // namespace

void retype_handles(PassContext& context) { RetypeHandles(context).run_all(); }

}  // namespace carry::pass

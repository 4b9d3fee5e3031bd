// ResourceDescriptorHeap and SamplerDescriptorHeap: an element becomes a resource where it meets a resource type. Each type that is
// read from a heap is an unbounded array of its own; all of one heap share a binding (lower/bindings.cpp).
#include "check/checker.h"

namespace carry::check {

bool Checker::hlsl_heap_name(NodeId n, NameId name) {
  const std::string_view word = text(name);
  const bool samplers = word == "SamplerDescriptorHeap";
  if (!samplers && word != "ResourceDescriptorHeap") return false;
  if (!heap_) {
    heap_ = types_.make_struct(names_.intern("ResourceDescriptorHeap"), {});
    sampler_heap_ = types_.make_struct(names_.intern("SamplerDescriptorHeap"), {});
    heap_element_ = types_.make_struct(names_.intern("element of ResourceDescriptorHeap"), {});
    sampler_heap_element_ = types_.make_struct(names_.intern("element of SamplerDescriptorHeap"), {});
  }
  set_type(n, samplers ? sampler_heap_ : heap_);
  return true;
}

bool Checker::hlsl_heap_index(NodeId n, NodeId object, NodeId index) {
  if (!heap_ || is_error(object) || is_error(index)) return false;
  const TypeId t = type_of(object);
  if (t != heap_ && t != sampler_heap_) return false;
  if (!is_value(index) || !coerce(index, TypeId::u32, "an index")) return fail(n), true;
  inherit(n, index);
  set_type(n, t == heap_ ? heap_element_ : sampler_heap_element_);
  fact(n).flags |= kFactPlace | kFactCostly;
  return true;
}

bool Checker::heap_gives(TypeId element, TypeId to) const {
  const bool sampler = types_.kind(to) == TypeKind::sampler;
  return is_opaque(to) && types_.kind(to) != TypeKind::ray_query && sampler == (element == sampler_heap_element_);
}

// The index node and the name below it get the types of the array that holds such resources.
void Checker::bind_heap_element(NodeId n, TypeId to) {
  const bool samplers = type_of(n) == sampler_heap_element_;
  if (!heap_gives(type_of(n), to)) return;
  while (tree_.is(n, NodeKind::paren)) {
    set_type(n, to);
    n = tree_.child(n, 0);
  }
  set_type(n, to);
  if (!tree_.is(n, NodeKind::index)) {
    not_yet(n, "an element of a descriptor heap in this expression");
    return;
  }
  NodeId name = tree_.child(n, 0);
  const VarId var = heap_variable(samplers, to);
  for (;; name = tree_.child(name, 0)) {
    set_type(name, facts_.variables[var].type);
    if (!tree_.is(name, NodeKind::paren)) break;
  }
  set_ref(name, Ref::variable, var.value);
}

VarId Checker::heap_variable(bool samplers, TypeId type) {
  const TypeId array = types_.array(type, 0);
  for (VarId id : heap_variables_) {
    if (facts_.variables[id].type == array) return id;
  }
  Variable v;
  v.kind = VarKind::private_;
  v.name = names_.intern(samplers ? "SamplerDescriptorHeap" : "ResourceDescriptorHeap");
  v.type = array;
  v.flags = kVarUsed | (samplers ? static_cast<uint32_t>(kVarSamplerHeap) : static_cast<uint32_t>(kVarResourceHeap));
  if (options_.row_major_default) v.flags |= kVarRowMajorDefault;
  hlsl_resource(v, type, Qualifiers{});
  const VarId id = facts_.variables.add(v);
  facts_.globals.push_back(id);
  heap_variables_.push_back(id);
  return id;
}

}  // namespace carry::check

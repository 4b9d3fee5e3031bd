// Places: addresses are fixed step by step, memory is read or written at the end.
#include "lower/by_columns.h"

namespace carry::lower {

Place FunctionLowering::memory(ValueId pointer, TypeId type, uint8_t flags) {
  Place p;
  p.kind = Place::Kind::memory;
  p.base = pointer;
  p.type = type;
  p.flags = flags;
  return p;
}

ValueId FunctionLowering::pointer(const Place& p) { return p.steps.empty() ? p.base : b_.at(p.base, p.steps, p.at_flags); }

void FunctionLowering::into_memory(Place& p) {
  if (p.kind == Place::Kind::memory) return;
  const ValueId v = load(p, NodeId());
  p = memory(spill(v), p.type);
}

/// Walks down the left-deep chain without recursion: it may be as long as the source.
Place FunctionLowering::access(NodeId n) {
  std::vector<NodeId> chain;
  NodeId root = n;
  while (true) {
    const NodeFact& f = fact(root);
    if (root != n && (f.converted || f.value)) break;
    if (root == n && f.value) break;
    const NodeKind k = tree_.kind(root);
    const bool is_step = (k == NodeKind::paren && f.ref == Ref::none) ||
                         (k == NodeKind::member && f.ref != Ref::variable && f.ref != Ref::type_name) ||
                         (k == NodeKind::index && f.ref != Ref::call && f.ref != Ref::texel_mip);
    if (!is_step) break;
    chain.push_back(root);
    root = tree_.child(root, 0);
  }
  Place p = root_place(root);
  for (size_t i = chain.size(); i-- > 0;) step(p, chain[i]);
  return p;
}

Place FunctionLowering::root_place(NodeId n) {
  const NodeFact& f = fact(n);
  Place p;
  p.type = f.type;
  if (!f.value) {
    at(n);
    if (f.ref == Ref::variable) return variable_place(n, VarId(f.index));
    const NodeKind k = tree_.kind(n);
    if (k == NodeKind::this_expr && this_) return memory(this_, this_type_);
    if (k == NodeKind::name && f.ref == Ref::bit_field && this_) {
      p = memory(this_, this_type_);
      step_bits(p, n);
      p.type = f.type;
      return p;
    }
    if (k == NodeKind::name && f.ref == Ref::member && this_) {
      p = memory(this_, this_type_);
      step_member(p, this_type_, f.index);
      p.type = f.type;
      return p;
    }
    if (f.ref == Ref::texel_mip) {  // t.mips[level][xy] or t.sample[index][xy]
      const NodeId level = tree_.child(n, 0);
      const NodeId texture = tree_.child(tree_.child(level, 0), 0);
      p.kind = Place::Kind::texel;
      p.base = object_value(texture);
      p.direct = true;
      p.lod = to_u32(value(tree_.child(level, 1)), fact(tree_.child(level, 1)).type);
      p.coordinate = value(tree_.child(n, 1));
      return p;
    }
    if ((f.flags & kFactPlace) != 0 && (k == NodeKind::assign || k == NodeKind::unary)) {
      effects(n);  // HLSL: assignments and ++x denote their operand
      return access(tree_.child(n, 0));
    }
  }
  p.kind = Place::Kind::value;
  p.base = value(n);
  p.type = facts_.result_type(n);
  return p;
}

Place FunctionLowering::variable_place(NodeId n, VarId id) {
  const Variable& v = facts_.variables[id];
  Place p;
  p.type = v.type;
  switch (v.kind) {
    case VarKind::constant:
      if (!v.value) break;
      p.base = b_.constant(m_.map_const(v.value));
      return p;
    case VarKind::spec_constant: p.base = m_.spec_constant(id); return p;
    case VarKind::block_member: {
      p = memory(m_.global_of(v.owner), facts_.variables[v.owner].type);
      const TypeId owner_type = p.type;
      step_member(p, owner_type, v.member);
      p.type = v.type;
      return p;
    }
    case VarKind::builtin: {
      if (v.builtin == BuiltinVar::workgroup_size && m_.current_entry != nullptr) {
        const ValueId axes[] = {m_.workgroup_size(*m_.current_entry, 0), m_.workgroup_size(*m_.current_entry, 1),
                                m_.workgroup_size(*m_.current_entry, 2)};
        p.base = adapt(build(types_.vector(ScalarKind::u32, 3), axes), ir(v.type));
        return p;
      }
      break;
    }
    case VarKind::uniform_plain:
    case VarKind::payload:
      p.base = unsupported(n, "the kind of variable that `" + std::string(m_.names.text(v.name)) + "` is", v.type);
      return p;
    default: break;
  }
  const uint8_t precise = (v.flags & kPreciseVariable) != 0 ? ir::kPrecise : 0;
  if (const auto found = locals_.find(id.value); found != locals_.end()) {
    if (!local_is_value_[id.value]) return memory(found->second, v.type, precise);
    p.base = found->second;
    return p;
  }
  // A constant made of specialization constants is computed once, outside of functions.
  if (v.init && (v.kind == VarKind::const_variable || v.kind == VarKind::private_) &&
      (module_level_ || (v.flags & kVarConst) != 0) && facts_.has(v.init, kFactSpec)) {
    p.base = m_.module_value(v.init);
    return p;
  }
  const ValueId global = m_.global_of(id);
  if (!global) {
    p.base = unsupported(n, "`" + std::string(m_.names.text(v.name)) + "` here", v.type);
    return p;
  }
  p = memory(global, v.type, precise);
  if ((v.flags & kVarCoherent) != 0) p.flags |= ir::kCoherent;
  if ((v.flags & kVarVolatile) != 0) p.flags |= ir::kVolatile;
  if (v.kind == VarKind::storage_object) p.buffer = id;
  return p;
}

void FunctionLowering::follow(Place& p, NodeId n) {
  const TypeId block = types_[p.type].element;
  const ValueId address = load(p, n);
  uint8_t flags = 0;
  if (const auto found = facts_.references.find(types_[block].struct_id.value); found != facts_.references.end()) {
    if ((found->second.flags & kVarCoherent) != 0) flags |= ir::kCoherent;
    if ((found->second.flags & kVarVolatile) != 0) flags |= ir::kVolatile;
  }
  p = memory(b_.convert(Op::bitcast, m_.reference_pointer(p.type), address), block, flags);
}

void FunctionLowering::step_member(Place& p, TypeId struct_type, uint32_t member) {
  if (types_.kind(struct_type) == TypeKind::object) struct_type = types_[struct_type].element;
  if (p.kind == Place::Kind::value) {
    p.base = part(p.base, struct_type, member);
    return;
  }
  into_memory(p);
  p.steps.push_back(u32(member));
  const uint32_t id = types_[struct_type].struct_id.value;
  if (id < facts_.members.size() && member < facts_.members[id].size()) {
    const uint32_t flags = facts_.members[id][member].flags;
    if ((flags & kVarCoherent) != 0) p.flags |= ir::kCoherent;
    if ((flags & kVarVolatile) != 0) p.flags |= ir::kVolatile;
    if ((flags & kPreciseVariable) != 0) p.flags |= ir::kPrecise;
  }
}

void FunctionLowering::step_swizzle(Place& p, NodeId n) {
  const NodeFact& f = fact(n);
  uint32_t picks = f.index;
  const uint32_t count = f.extra;
  const TypeId whole = p.kind == Place::Kind::components ? p.whole : p.type;
  if (p.kind == Place::Kind::components || (p.kind == Place::Kind::texel && p.count != 0)) {
    uint32_t composed = 0;
    for (uint32_t i = 0; i < count; ++i) composed |= p.pick(picks >> (4 * i) & 15u) << (4 * i);
    picks = composed;
  }
  if (p.kind == Place::Kind::texel) {
    if (p.count == 0) p.whole = p.type;
    p.picks = picks;
    p.count = static_cast<uint8_t>(count);
    return;
  }
  if (p.kind == Place::Kind::value || p.kind == Place::Kind::elements || p.kind == Place::Kind::bits) {
    const ValueId v = load(p, n);
    const TypeId type = p.type;
    p = Place();
    if (count == 1) {
      p.base = part(v, type, picks & 15u);
    } else if (types_.is_scalar(type)) {
      p.base = splat(v, count);
    } else {
      std::array<uint32_t, 4> list{};
      for (uint32_t i = 0; i < count; ++i) list[i] = picks >> (4 * i) & 15u;
      p.base = b_.shuffle(v, v, std::span<const uint32_t>(list.data(), count));
    }
    return;
  }
  if (count == 1) {
    p.kind = Place::Kind::memory;
    if (!types_.is_scalar(whole)) p.steps.push_back(u32(picks & 15u));
    return;
  }
  p.kind = Place::Kind::components;
  p.whole = whole;
  p.picks = picks;
  p.count = static_cast<uint8_t>(count);
}

void FunctionLowering::step_elements(Place& p, NodeId n) {
  const NodeFact& f = fact(n);
  const TypeId whole = p.type;
  const bool scalar_columns = types_[whole].rows == 1;
  const bool one_column = types_[whole].columns == 1;
  if (p.kind == Place::Kind::value) {
    std::vector<ValueId> parts;
    for (uint32_t i = 0; i < f.extra; ++i) {
      const uint32_t pick = f.index >> (4 * i) & 15u;
      const ValueId column = part(p.base, whole, pick >> 2);
      parts.push_back(scalar_columns ? column : part(column, types_.part(whole, 0), pick & 3u));
    }
    p.base = build(ir(f.type), parts);
    return;
  }
  if (p.kind != Place::Kind::memory) into_memory(p);
  if (f.extra == 1) {
    if (!one_column) p.steps.push_back(u32(f.index >> 2 & 3u));
    if (!scalar_columns) p.steps.push_back(u32(f.index & 3u));
    return;
  }
  p.kind = Place::Kind::elements;
  p.whole = whole;
  p.picks = f.index;
  p.count = static_cast<uint8_t>(f.extra);
}

namespace {

/// nonuniformEXT may stand around the index or inside a conversion of it.
bool is_non_uniform(const Tree& tree, const Facts& facts, NodeId index) {
  while (true) {
    if (facts.has(index, kFactNonUniform)) return true;
    const NodeKind k = tree.kind(index);
    if (k != NodeKind::paren && facts.node(index).ref != Ref::conversion) return false;
    const NodeId inner = tree.last_child(index);
    if (!inner) return false;
    index = inner;
  }
}

}  // namespace

void FunctionLowering::step_index(Place& p, NodeId n) {
  const NodeId index_node = tree_.child(n, 1);
  ValueId index = value(index_node);
  const TypeId index_type = facts_.result_type(index_node);
  const ScalarKind s = types_.scalar_of(b_.type_of(index));
  if (s != ScalarKind::i32 && s != ScalarKind::u32) index = to_u32(index, index_type);
  at(n);
  uint64_t constant = ~uint64_t{0};
  if (index.is_constant()) constant = types_.constant(index.const_id()).bits;
  const uint32_t count = types_.part_count(p.type);
  if (p.kind != Place::Kind::memory && constant < count) {
    if (p.kind == Place::Kind::components) {
      p.kind = Place::Kind::memory;
      if (!types_.is_scalar(p.whole)) p.steps.push_back(u32(p.pick(static_cast<uint32_t>(constant))));
      return;
    }
    if (p.kind == Place::Kind::texel) {
      const uint32_t pick = p.count == 0 ? static_cast<uint32_t>(constant) : p.pick(static_cast<uint32_t>(constant));
      if (p.count == 0) p.whole = p.type;
      p.picks = pick;
      p.count = 1;
      return;
    }
    const TypeId type = p.type;
    const ValueId v = load(p, n);
    p = Place();
    p.base = part(v, type, static_cast<uint32_t>(constant));
    return;
  }
  if (p.kind == Place::Kind::components && facts_.has(n, kFactLvalue) && types_.is_vector(p.whole)) {
    // v.zyx[i]: which component of v it is, looked up.
    std::array<ValueId, 4> picks;
    for (uint32_t i = 0; i < p.count; ++i) picks[i] = u32(p.pick(i));
    const ValueId list = build(types_.vector(ScalarKind::u32, p.count), std::span<const ValueId>(picks.data(), p.count));
    p.kind = Place::Kind::memory;
    p.steps.push_back(b_.elem_dynamic(list, index));
    return;
  }
  if (p.kind != Place::Kind::memory && types_.is_vector(p.type)) {
    const ValueId v = load(p, n);
    p = Place();
    p.base = b_.elem_dynamic(v, index);
    return;
  }
  into_memory(p);
  if (types_.is_scalar(p.type) || (is_matrix(p.type) && types_[p.type].columns == 1)) return;
  p.steps.push_back(index);
  if (is_non_uniform(tree_, facts_, index_node)) p.at_flags |= ir::kNonUniform;
}

void FunctionLowering::step(Place& p, NodeId n) {
  const NodeFact& f = fact(n);
  at(n);
  switch (f.ref) {
    case Ref::member:
      if (m_.is_reference(p.type)) follow(p, n);
      step_member(p, p.type, f.index);
      break;
    case Ref::bit_field: step_bits(p, n); break;
    case Ref::swizzle: step_swizzle(p, n); break;
    case Ref::matrix_swizzle: step_elements(p, n); break;
    case Ref::buffer_element: {
      if (p.kind != Place::Kind::memory || types_.is_pointer(types_[b_.type_of(pointer(p))].element)) {
        p = memory(load(p, n), p.type);
      }
      const NodeId index_node = tree_.child(n, 1);
      p.steps.push_back(to_u32(value(index_node), facts_.result_type(index_node)));
      break;
    }
    case Ref::texel: {
      Place t = p;
      t.direct = p.kind != Place::Kind::memory;
      t.kind = Place::Kind::texel;
      t.coordinate = value(tree_.child(n, 1));
      p = t;
      break;
    }
    default:
      if (tree_.kind(n) == NodeKind::index) {
        step_index(p, n);
      } else if (tree_.kind(n) != NodeKind::paren) {
        p.base = unsupported(n, "this access", f.type);
        p.kind = Place::Kind::value;
      }
      break;
  }
  p.type = f.type;
}

ValueId FunctionLowering::load(const Place& p, NodeId n) {
  switch (p.kind) {
    case Place::Kind::value: return p.base;
    case Place::Kind::memory: {
      const ValueId ptr = pointer(p);
      const TypeId pointee = types_[b_.type_of(ptr)].element;
      if (types_.kind(pointee) == TypeKind::bindings)
        return unsupported(n ? n : NodeId(0u), "an array of resources as a value", p.type);
      const ObjectKind object = types_[p.type].object;
      const bool block = object == ObjectKind::constant_buffer || object == ObjectKind::texture_buffer ||
                         object == ObjectKind::buffer_reference;
      if (types_.kind(p.type) == TypeKind::object && !block && !types_.is_pointer(pointee)) return ptr;
      return adapt(b_.load(ptr, p.flags), ir(p.type));
    }
    case Place::Kind::components: {
      const ValueId v = b_.load(pointer(p), p.flags);
      if (types_.is_scalar(b_.type_of(v))) return adapt(splat(v, p.count), ir(p.type));
      std::array<uint32_t, 4> list{};
      for (uint32_t i = 0; i < p.count; ++i) list[i] = p.pick(i);
      return adapt(b_.shuffle(v, v, std::span<const uint32_t>(list.data(), p.count)), ir(p.type));
    }
    case Place::Kind::elements: {
      const ValueId v = b_.load(pointer(p), p.flags);
      std::vector<ValueId> parts;
      for (uint32_t i = 0; i < p.count; ++i) {
        const ValueId column = part(v, p.whole, p.pick(i) >> 2);
        parts.push_back(part(column, types_.part(p.whole, 0), p.pick(i) & 3u));
      }
      return build(ir(p.type), parts);
    }
    case Place::Kind::bits: return extract_field(b_.load(pointer(p), p.flags), p.low, p.width);
    case Place::Kind::texel: return load_texel(p, n);
  }
  return p.base;
}

void FunctionLowering::store(const Place& p, ValueId value, NodeId n) {
  switch (p.kind) {
    case Place::Kind::value: m_.unsupported(n, "assignment to this expression"); return;
    case Place::Kind::memory: {
      const ValueId ptr = pointer(p);
      if (!same_image_type(value, types_[b_.type_of(ptr)].element, n)) return;
      b_.store(ptr, adapt(value, types_[b_.type_of(ptr)].element), p.flags);
      return;
    }
    case Place::Kind::bits: {
      const ValueId ptr = pointer(p);
      b_.store(ptr, insert_field(b_.load(ptr, p.flags), value, p.low, p.width), p.flags);
      return;
    }
    case Place::Kind::components:
      for (uint32_t i = 0; i < p.count; ++i) {
        Place c = memory(p.base, types_.part(p.type, i), p.flags);
        c.steps = p.steps;
        c.at_flags = p.at_flags;
        c.steps.push_back(u32(p.pick(i)));
        store(c, part(value, p.type, i), n);
      }
      return;
    case Place::Kind::elements:
      for (uint32_t i = 0; i < p.count; ++i) {
        Place c = memory(p.base, types_.part(p.type, i), p.flags);
        c.steps = p.steps;
        c.at_flags = p.at_flags;
        if (types_[p.whole].columns > 1) c.steps.push_back(u32(p.pick(i) >> 2));
        if (types_[p.whole].rows > 1) c.steps.push_back(u32(p.pick(i) & 3u));
        store(c, part(value, p.type, i), n);
      }
      return;
    case Place::Kind::texel: store_texel(p, value, n); return;
  }
}

ValueId FunctionLowering::handle_of(const Place& p) { return p.direct ? p.base : b_.load(pointer(p)); }

ValueId FunctionLowering::texel_pointer(const Place& p, NodeId n) {
  const TypeId pointee = p.direct ? TypeId() : types_[b_.type_of(pointer(p))].element;
  if (p.direct || types_.kind(pointee) != TypeKind::image) {
    m_.unsupported(n, "an atomic operation on this image");
    return b_.var(TypeId::u32);
  }
  const TypeId type = types_.pointer(Space::handle, Access::read_write, types_.scalar(types_[pointee].scalar));
  return b_.emit(Op::texel, type, {pointer(p), p.coordinate});
}

ValueId FunctionLowering::load_texel(const Place& p, NodeId n) {
  const ValueId h = handle_of(p);
  const Type handle = types_[b_.type_of(h)];
  const TypeId four = types_.vector(handle.scalar, 4);
  ValueId v;
  if (handle.kind == TypeKind::image) {
    v = b_.emit(Op::image_read, four, {h, p.coordinate});
  } else if (handle.kind == TypeKind::texture) {
    if (handle.dim == Dim::buffer) {
      v = b_.emit(Op::fetch, four, {h, p.coordinate}, ir::SampleInfo{}.pack());
    } else {
      ir::SampleInfo info;
      info.mask = (handle.flags & kImageMultisampled) != 0 ? ir::kSampleIndex : ir::kSampleLod;
      v = b_.emit(Op::fetch, four, {h, p.coordinate, p.lod ? p.lod : u32(0)}, info.pack());
    }
  } else {
    return unsupported(n, "reading this texture with []", p.type);
  }
  const TypeId whole = p.count != 0 ? p.whole : p.type;
  v = truncate(v, four, types_.vector(handle.scalar, types_.component_count(whole)));
  if (p.count == 0) return adapt(v, ir(p.type));
  if (p.count == 1) return adapt(part(v, whole, p.pick(0)), ir(p.type));
  std::array<uint32_t, 4> list{};
  for (uint32_t i = 0; i < p.count; ++i) list[i] = p.pick(i);
  if (types_.is_scalar(whole)) return adapt(splat(v, p.count), ir(p.type));
  return adapt(b_.shuffle(v, v, std::span<const uint32_t>(list.data(), p.count)), ir(p.type));
}

void FunctionLowering::store_texel(const Place& p, ValueId value, NodeId n) {
  const ValueId h = handle_of(p);
  const Type handle = types_[b_.type_of(h)];
  if (handle.kind != TypeKind::image) {
    m_.unsupported(n, "writing this texture");
    return;
  }
  TypeId type = p.type;
  if (p.count != 0) {
    // A texel is written whole: the components not named keep what they have.
    Place all = p;
    all.count = 0;
    all.type = p.whole;
    ValueId old = load_texel(all, n);
    for (uint32_t i = 0; i < p.count; ++i) {
      const ValueId c = part(value, p.type, i);
      old = types_.is_scalar(p.whole) ? c : b_.with(old, p.pick(i), c);
    }
    value = old;
    type = p.whole;
  }
  const TypeId four = types_.vector(handle.scalar, 4);
  const uint32_t count = types_.component_count(type);
  value = adapt(value, types_.vector(handle.scalar, count));
  if (count < 4) {
    std::vector<ValueId> parts{value};
    for (uint32_t i = count; i < 4; ++i) parts.push_back(b_.zero(types_.scalar(handle.scalar)));
    value = b_.make(four, parts);
  }
  b_.emit(Op::image_write, TypeId::void_, {h, p.coordinate, value});
}

}  // namespace carry::lower

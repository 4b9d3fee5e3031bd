// GLSL declarations: storage qualifiers, blocks, layout defaults, precision.
#include <unordered_set>

#include "check/checker.h"

namespace carry::check {

namespace {

constexpr uint32_t kNone = Id<TypeId>::kNone;

bool is_writeonly_buffer(const Variable& v) { return v.kind == VarKind::storage_block && (v.flags & kVarWriteonly) != 0; }

}  // namespace

uint32_t Checker::default_precision(TypeId t, const Qualifiers& q, NodeId at) {
  if (hlsl()) return 0;
  if (q.has(QualifierKind::highp)) return 0;
  if (q.has(QualifierKind::mediump) || q.has(QualifierKind::lowp)) return kVarMediump;
  TypeId e = t;
  while (types_.kind(e) == TypeKind::array) e = types_[e].element;
  if (mode_.is_es()) need_precision(e, at);
  if (!types_.is_numeric(e)) return 0;
  const ScalarKind s = types_.scalar_of(e);
  if (s == ScalarKind::f32 && default_float_precision_ == 1) return kVarMediump;
  if ((s == ScalarKind::i32 || s == ScalarKind::u32) && default_int_precision_ == 1) return kVarMediump;
  return 0;
}

// ESSL 3.20, 4.7.4: float has no default in fragment shaders; of the opaque types sampler2D and samplerCube have one only.
void Checker::need_precision(TypeId t, NodeId at) {
  const Type& type = types_[t];
  if (types_.is_numeric(t)) {
    if (type.scalar != ScalarKind::f32 || options_.stage != Stage::fragment || default_float_precision_ != 0) return;
    diags_.emit(loc(at), diag::precision_missing, "float");
    default_float_precision_ = 2;  // once is enough
    return;
  }
  if (type.kind != TypeKind::image && type.kind != TypeKind::combined && type.kind != TypeKind::texture) return;
  const TypeId plain = plain_handle(t);
  for (TypeId known : precise_handles_) {
    if (known == plain) return;
  }
  const Type& texture = types_[type.kind == TypeKind::combined ? type.element : t];
  const bool usual = (texture.dim == Dim::d2 || texture.dim == Dim::cube) && texture.flags == 0 &&
                     texture.scalar == ScalarKind::f32 && type.kind != TypeKind::image;
  if (usual) return;
  diags_.emit(loc(at), diag::precision_missing, type_text(plain));
  precise_handles_.push_back(plain);
}

/// Without what qualifiers add to an image.
TypeId Checker::plain_handle(TypeId t) {
  Type type = types_[t];
  if (type.kind != TypeKind::image) return t;
  type.format = ImageFormat::any;
  type.access = Access::read_write;
  return types_.intern(type);
}

void Checker::glsl_precision(NodeId n) {
  const TypeId t = check_type(tree_.child(n, 0));
  const uint8_t level = tree_.qualifier(n) == QualifierKind::highp ? 2 : 1;
  if (t == TypeId::f32) default_float_precision_ = level;
  if (t == TypeId::i32) default_int_precision_ = level;
  if (types_.is_handle(t)) precise_handles_.push_back(plain_handle(t));
}

void Checker::glsl_variable(Variable& v, NodeId declarator, const Qualifiers& q) {
  const bool global = v.kind == VarKind::private_;
  v.flags |= default_precision(v.type, q, declarator);
  auto bad = [&](std::string_view word, std::string why) {
    diags_.emit(loc(declarator), diag::bad_qualifier, word, std::move(why));
  };
  TypeId core = v.type;
  while (types_.kind(core) == TypeKind::array) core = types_[core].element;
  const bool opaque = is_opaque(core);
  if (!global) {
    if (q.has(QualifierKind::in) || q.has(QualifierKind::out) || q.has(QualifierKind::uniform) ||
        q.has(QualifierKind::buffer) || q.has(QualifierKind::shared)) {
      bad("storage qualifier", "is not allowed on a local variable");
    }
    if (opaque && types_.kind(core) != TypeKind::ray_query) bad(type_text(core), "cannot be a local variable");
    return;
  }
  if (q.has(QualifierKind::uniform)) {
    if (types_.kind(core) == TypeKind::image) v.type = glsl_image_type(v.type, q, declarator);
    v.kind = opaque ? VarKind::handle : VarKind::uniform_plain;
    glsl_check_uniform_layout(q, core, declarator);
    v.flags &= ~static_cast<uint32_t>(kVarConst);
    if (!opaque) {
      if (mode_.vulkan)
        bad("uniform", "of a type that is no sampler, texture or image must stand in a block");
      else
        not_yet(declarator, "uniforms outside of a block");
    } else if (types_.kind(core) == TypeKind::struct_) {
      not_yet(declarator, "structs with samplers");
    }
    return;
  }
  if (opaque || contains_opaque(v.type)) {
    bad(type_text(core), "needs `uniform`");
    v.type = TypeId::error;
    return;
  }
  if (q.has(QualifierKind::buffer)) return bad("buffer", "must be a block");
  if (q.has(QualifierKind::shared)) {
    v.kind = VarKind::shared;
    if (options_.stage != Stage::none && options_.stage != Stage::compute && options_.stage != Stage::mesh &&
        options_.stage != Stage::task) {
      bad("shared", "is for compute shaders only");
    }
    return;
  }
  const bool in = q.has(QualifierKind::in) || q.has(QualifierKind::attribute) ||
                  (q.has(QualifierKind::varying) && options_.stage == Stage::fragment);
  const bool out = q.has(QualifierKind::out) || (q.has(QualifierKind::varying) && options_.stage != Stage::fragment);
  if (in || out) {
    v.kind = in ? VarKind::stage_in : VarKind::stage_out;
    glsl_check_interface(v, declarator);
    return;
  }
  for (QualifierKind k : {QualifierKind::ray_payload, QualifierKind::ray_payload_in, QualifierKind::hit_attribute,
                          QualifierKind::callable_data, QualifierKind::callable_data_in, QualifierKind::task_payload_shared,
                          QualifierKind::hit_object_attribute, QualifierKind::tile_image, QualifierKind::task}) {
    if (q.has(k)) return not_yet(declarator, "`" + std::string(qualifier_text(k)) + "`");
  }
  if (v.constant_id != kNone) {
    if (q.has(QualifierKind::const_) && types_.is_scalar(v.type)) return;
    if (q.has(QualifierKind::const_)) diags_.emit(loc(declarator), diag::bad_layout, "constant_id", "needs a const scalar");
    v.constant_id = kNone;
  }
}

void Checker::glsl_check_interface(Variable& v, NodeId declarator) {
  TypeId core = v.type;
  while (types_.kind(core) == TypeKind::array) core = types_[core].element;
  if (options_.stage == Stage::compute) {
    diags_.emit(loc(declarator), diag::bad_qualifier, v.kind == VarKind::stage_in ? "in" : "out", "is not for compute shaders");
    return;
  }
  const bool is_bool = types_.is_numeric(core) && types_.scalar_of(core) == ScalarKind::bool_;
  if (is_bool) diags_.emit(loc(declarator), diag::bad_type_use, type_text(v.type), "cannot be a stage input or output");
  const bool ints = types_.is_numeric(core) && (is_int(types_.scalar_of(core)) || types_.scalar_of(core) == ScalarKind::f64);
  if (v.kind == VarKind::stage_in && options_.stage == Stage::fragment && ints && (v.flags & kVarFlat) == 0) {
    diags_.emit(loc(declarator), diag::bad_qualifier, text(v.name),
                "is an integer input of a fragment shader and needs `flat`");
  }
  if (v.kind == VarKind::stage_in) v.flags |= kVarReadonly;
  if (v.component == kNone) return;
  if (v.location == kNone)
    diags_.emit(loc(declarator), diag::bad_layout, "component", "needs a location");
  else
    glsl_check_component(core, v.component, declarator);
}

// GLSL 4.60, 4.4.1: a component is one of four, and the type must fit behind it.
void Checker::glsl_check_component(TypeId core, uint32_t component, NodeId at) {
  if (!types_.is_scalar(core) && !types_.is_vector(core)) {
    diags_.emit(loc(at), diag::bad_layout, "component", "is for scalars and vectors");
    return;
  }
  const bool wide = scalar_bits(types_.scalar_of(core)) == 64;
  const uint32_t size = types_.component_count(core) * (wide ? 2 : 1);
  if (component > 3)
    diags_.emit(loc(at), diag::bad_layout, "component", "is a number from 0 to 3");
  else if (wide && component % 2 != 0)
    diags_.emit(loc(at), diag::bad_layout, "component", "of a type of 64 bits is 0 or 2");
  else if (component + size > 4)
    diags_.emit(loc(at), diag::bad_layout, "component", "leaves no room for `" + type_text(core) + "`");
}

TypeId Checker::glsl_image_type(TypeId t, const Qualifiers& q, NodeId at) {
  const Type type = types_[t];
  if (type.kind == TypeKind::array) {
    const TypeId e = glsl_image_type(type.element, q, at);
    Type a = type;
    a.element = e;
    return types_.intern(a);
  }
  if (type.dim == Dim::subpass) return t;
  Type i = type;
  const bool readonly = q.has(QualifierKind::readonly);
  const bool writeonly = q.has(QualifierKind::writeonly);
  i.access = readonly ? Access::read : writeonly ? Access::write : Access::read_write;
  if (q.has_format) {
    i.format = q.format;
    const ScalarKind s = image_format_row(q.format).scalar;
    if (s != type.scalar)
      diags_.emit(loc(at), diag::bad_layout, image_format_row(q.format).name, "does not fit `" + type_text(t) + "`");
  } else if (!writeonly && !has_ext("GL_EXT_shader_image_load_formatted")) {
    diags_.emit(loc(at), diag::bad_type_use, type_text(t), "needs a format layout qualifier unless it is writeonly");
  }
  return types_.intern(i);
}

TypeId Checker::glsl_reference(NodeId n, NameId name) {
  const Symbol* known = scopes_.find_in(space_, name);
  if (known != nullptr && known->kind == Symbol::Kind::type && is_reference(TypeId(known->index))) return TypeId(known->index);
  const TypeId structure = types_.make_struct(name, {});
  incomplete_.insert(types_[structure].struct_id.value);
  const TypeId t = types_.object(ObjectKind::buffer_reference, structure);
  declare(name, {Symbol::Kind::type, t.value, n}, n);
  return t;
}

/// The struct of a block that is a buffer reference; error if it may not be one.
TypeId Checker::reference_block(NodeId n, const Qualifiers& q, const Variable& v) {
  if (v.kind != VarKind::storage_block) {
    diags_.emit(loc(n), diag::bad_layout, "buffer_reference", "needs a `buffer` block");
    return TypeId::error;
  }
  const TypeId reference = glsl_reference(n, tree_.name(n));
  const TypeId structure = types_[reference].element;
  if (is_complete(structure)) {
    diags_.emit(loc(n), diag::redeclared, tree_.name_text(n));
    return TypeId::error;
  }
  ReferenceFact fact;
  fact.layout = v.layout;
  fact.flags = q.flags & (kVarReadonly | kVarWriteonly | kVarCoherent | kVarVolatile);
  if (q.reference_align != 0) fact.align = q.reference_align;
  facts_.references[types_[structure].struct_id.value] = fact;
  return structure;
}

bool Checker::glsl_address(NodeId n, TypeId type, const std::vector<NodeId>& args) {
  const TypeId pair = types_.vector(ScalarKind::u32, 2);
  const bool to_address = is_reference(type) || type == TypeId::u64 || type == pair;
  if (args.size() != 1 || !to_address) return false;
  TypeId from = facts_.result_type(args[0]);
  if (!is_reference(type) && !is_reference(from)) return false;
  if (is_reference(type) && types_.is_scalar(from) && from != TypeId::u64 && converts_implicitly(from, TypeId::u64)) {
    convert(args[0], TypeId::u64);
    from = TypeId::u64;
  }
  if (!is_reference(from) && from != TypeId::u64 && from != pair) return false;
  if ((type == pair || from == pair) && !needs_extension(n, "uvec2 as an address", "GL_EXT_buffer_reference_uvec2")) {
    fail(n);
    return true;
  }
  set_ref(n, Ref::construct, kNone, static_cast<uint16_t>(ConstructKind::address));
  return true;
}

/// What a block is by its qualifier: kind, layout, and the majorness that its matrices have by default. False: there is no such.
bool Checker::glsl_block_kind(NodeId n, const Qualifiers& q, Variable& v, Majorness& major) {
  const auto bad = [&](std::string_view word, std::string why) {
    diags_.emit(loc(n), diag::bad_qualifier, word, std::move(why));
  };
  if (q.has(QualifierKind::uniform)) {
    v.kind = q.push_constant ? VarKind::push_block : VarKind::uniform_block;
    v.layout = q.std430          ? LayoutRule::std430
               : q.std140        ? LayoutRule::std140
               : q.push_constant ? LayoutRule::std430
                                 : default_uniform_rule_;
    if (major == Majorness::by_default) major = default_uniform_major_;
  } else if (q.has(QualifierKind::buffer)) {
    v.kind = VarKind::storage_block;
    v.layout = q.std140 ? LayoutRule::std140 : q.std430 ? LayoutRule::std430 : default_buffer_rule_;
    if (major == Majorness::by_default) major = default_buffer_major_;
    if (q.shader_record) not_yet(n, "shader records");
  } else if (q.has(QualifierKind::in) || q.has(QualifierKind::out)) {
    v.kind = q.has(QualifierKind::in) ? VarKind::stage_in : VarKind::stage_out;
    if (v.kind == VarKind::stage_in) v.flags |= kVarReadonly;
    if (options_.stage == Stage::compute) bad(v.kind == VarKind::stage_in ? "in" : "out", "is not for compute shaders");
  } else if (q.has(QualifierKind::shared)) {
    if (!needs_extension(n, "shared block", "GL_EXT_shared_memory_block")) return false;
    for (VarId id : facts_.globals) {
      const Variable& other = facts_.variables[id];
      if (other.kind == VarKind::shared && !text(other.block_name).empty())
        return not_yet(n, "several shared blocks, which lie in the same memory"), false;
    }
    v.kind = VarKind::shared;
  } else {
    bad("block", "needs `uniform`, `buffer`, `in` or `out`");
    return false;
  }
  return true;
}

/// A block without an instance: its members are names of their own.
void Checker::glsl_nameless_block(NodeId n, Variable v) {
  v.name = NameId(0u);
  const TypeId type = v.type;
  const uint32_t flags = v.flags;
  const VarId owner = facts_.variables.add(std::move(v));
  set_ref(n, Ref::variable, owner.value);
  facts_.globals.push_back(owner);
  const uint32_t sid = types_[type].struct_id.value;
  const std::vector<Member> members = types_.struct_decl(type).members;
  for (uint32_t i = 0; i < members.size(); ++i) {
    Variable m;
    m.kind = VarKind::block_member;
    m.name = members[i].name;
    m.type = members[i].type;
    m.owner = owner;
    m.member = i;
    m.flags = facts_.members[sid][i].flags | (flags & kVarReadonly);
    m.decl = facts_.members[sid][i].decl;
    add_variable(std::move(m), facts_.members[sid][i].decl);
  }
}

void Checker::glsl_block(NodeId n) {
  NodeList c;
  tree_.children(n, c);
  const Qualifiers q = read_qualifiers(c[0]);
  const NameId name = tree_.name(n);
  if (text(name) == "gl_PerVertex") {
    if (tree_.is_empty(c[2])) glsl_per_vertex(c[1]);
    return;
  }
  check_places(q, LayoutPlace::block);
  if (q.push_constant && (q.set != kNone || q.binding != kNone))
    diags_.emit(loc(n), diag::bad_layout, q.binding != kNone ? "binding" : "set", "cannot stand beside `push_constant`");
  Variable v;
  v.block_name = name;
  v.flags = q.flags;
  v.set = q.set;
  v.binding = q.binding;
  v.location = q.location;
  v.decl = n;
  Qualifiers inner = q;
  if (!glsl_block_kind(n, q, v, inner.major)) return;
  if (q.scalar) v.layout = LayoutRule::scalar;
  const TypeId type = q.buffer_reference ? reference_block(n, q, v) : types_.make_struct(name, {});
  if (type == TypeId::error) return;
  const uint32_t struct_id = types_[type].struct_id.value;
  if (type_spaces_.count(struct_id) == 0) type_spaces_[struct_id] = scopes_.make_space(space_, name);
  fill_struct_members(c[1], type, nullptr, true, &inner);
  incomplete_.erase(struct_id);
  glsl_check_block(n, type, v.kind);
  // The name of a reference is a type; a variable is there only if an instance is named.
  if (q.buffer_reference && tree_.is_empty(c[2])) return;
  v.type = type;
  if (!tree_.is_empty(c[2]) && tree_.is(c[2], NodeKind::declarator)) {
    v.name = tree_.name(c[2]);
    v.type = apply_dims(type, tree_.child(c[2], 0), true);
    const VarId id = add_variable(std::move(v), c[2]);
    set_ref(n, Ref::variable, id.value);
    facts_.globals.push_back(id);
    return;
  }
  glsl_nameless_block(n, std::move(v));
}

void Checker::glsl_writeonly_reads() {
  bool any = false;
  for (VarId id : facts_.globals) any = any || is_writeonly_buffer(facts_.variables[id]);
  if (!any) return;
  std::unordered_set<uint32_t> written;  // names that stand only for the place where something is stored
  const auto mark = [&](NodeId n) {
    while (tree_.is(n, NodeKind::paren) || tree_.is(n, NodeKind::index) || tree_.is(n, NodeKind::member)) n = tree_.child(n, 0);
    written.insert(n.value);
  };
  for (uint32_t i = 0; i < tree_.size(); ++i) {
    const NodeId n(i);
    const NodeFact& f = facts_.node(n);
    if (tree_.is(n, NodeKind::assign) && tree_.binary_op(n) == BinaryOp::none) mark(tree_.child(n, 0));
    if (f.ref == Ref::length) mark(tree_.child(n, 0));
    if (f.ref != Ref::call) continue;
    for (const Argument& a : facts_.args_of(facts_.call_of(n))) {
      if (a.mode == ParamMode::out && a.node) mark(a.node);
    }
  }
  for (uint32_t i = 0; i < tree_.size(); ++i) {
    const NodeId n(i);
    VarId id = facts_.variable_of(n);
    if (!id || !tree_.is(n, NodeKind::name) || written.count(i) != 0) continue;
    if (facts_.variables[id].owner) id = facts_.variables[id].owner;
    Variable& v = facts_.variables[id];
    if (!is_writeonly_buffer(v)) continue;
    diags_.emit(loc(n), diag::writeonly_read, tree_.name_text(n));
    v.flags &= ~static_cast<uint32_t>(kVarWriteonly);
  }
}

void Checker::glsl_check_block(NodeId n, TypeId type, VarKind kind) {
  const std::vector<Member>& members = types_.struct_decl(type).members;
  if (members.empty()) diags_.emit(loc(n), diag::bad_type_use, tree_.name_text(n), "has no members");
  for (size_t i = 0; i < members.size(); ++i) {
    const TypeId t = members[i].type;
    const NodeId at = facts_.members[types_[type].struct_id.value][i].decl;
    if (t == TypeId::error) continue;
    const uint32_t component = facts_.members[types_[type].struct_id.value][i].component;
    TypeId core = t;
    while (types_.kind(core) == TypeKind::array) core = types_[core].element;
    if (component != kNone) glsl_check_component(core, component, at);
    if (contains_opaque(t)) diags_.emit(loc(at), diag::bad_type_use, type_text(t), "cannot be a member of a block");
    if (!has_unsized(t) || (kind == VarKind::storage_block && i + 1 == members.size())) continue;
    if (!mode_.is_es() && is_unsized_array(t)) {
      add_unsized_member(type, static_cast<uint32_t>(i), at);
    } else {
      diags_.emit(loc(at), diag::bad_type_use, type_text(t),
                  "needs a size: only the last member of a buffer block may have none");
    }
  }
}

void Checker::glsl_qualifier_decl(NodeId n) {
  NodeList c;
  tree_.children(n, c);
  const Qualifiers q = read_qualifiers(c[0]);
  if (c.size() > 1 && q.constant_id != kNone)
    not_yet(q.first_layout, "specialization of built-in constants");
  else if (c.size() == 1 || !q.buffer_reference)
    check_places(q, c.size() == 1 ? LayoutPlace::alone : LayoutPlace::names);
  for (uint32_t i = 1; i < c.size(); ++i) {
    // invariant gl_Position, v;   layout(buffer_reference) buffer Node;
    const NameId name = tree_.name(c[i]);
    if (q.buffer_reference && q.has(QualifierKind::buffer)) {
      glsl_reference(c[i], name);
      continue;
    }
    const Symbol* s = lookup(name);
    if (s == nullptr || s->kind != Symbol::Kind::variable) {
      diags_.emit(loc(c[i]), diag::undeclared_name, text(name));
      continue;
    }
    Variable& v = facts_.variables[VarId(s->index)];
    const uint32_t flags =
        q.flags & (kVarInvariant | kVarPrecise | kVarCoherent | kVarVolatile | kVarRestrict | kVarReadonly | kVarWriteonly);
    v.flags |= flags;
    if (!v.owner) continue;
    const TypeId block = facts_.variables[v.owner].type;
    if (types_.kind(block) == TypeKind::struct_) facts_.members[types_[block].struct_id.value][v.member].flags |= flags;
  }
  if (c.size() > 1) return;
  entry_flags_ |= q.entry_flags;
  if (q.has(QualifierKind::in) && q.local_size) {
    for (size_t i = 0; i < 3; ++i) {
      if (q.size_set[i]) workgroup_[i].value = q.size[i].value;
      if (q.size_ids[i] != kNone) workgroup_ids_[i] = q.size_ids[i];
    }
    workgroup_declared_ = true;
  }
  if (q.has(QualifierKind::uniform)) {
    if (q.std140) default_uniform_rule_ = LayoutRule::std140;
    if (q.std430) default_uniform_rule_ = LayoutRule::std430;
    if (q.scalar) default_uniform_rule_ = LayoutRule::scalar;
    if (q.major != Majorness::by_default) default_uniform_major_ = q.major;
  }
  if (q.has(QualifierKind::buffer)) {
    if (q.std140) default_buffer_rule_ = LayoutRule::std140;
    if (q.std430) default_buffer_rule_ = LayoutRule::std430;
    if (q.scalar) default_buffer_rule_ = LayoutRule::scalar;
    if (q.major != Majorness::by_default) default_buffer_major_ = q.major;
  }
}

bool Checker::special_call(NodeId n, std::string_view name, const std::vector<NodeId>& args) {
  if (glsl() && name == "nonuniformEXT") {
    if (args.size() != 1) {
      diags_.emit(range(n), diag::no_matching_overload, name, arg_types(args));
      fail(n);
      return true;
    }
    const TypeId t = facts_.result_type(args[0]);
    set_type(n, t);
    set_ref(n, Ref::conversion, kNone);
    set_value(n, value_of(args[0]));
    inherit(n, args[0]);
    fact(n).flags = static_cast<uint8_t>(fact(n).flags | kFactNonUniform | (fact(args[0]).flags & (kFactPlace | kFactLvalue)));
    return true;
  }
  return hlsl() ? hlsl_special_call(n, name) : glsl_known_function(n, name);
}

void Checker::glsl_combine(NodeId n, TypeId type, const std::vector<NodeId>& args) {
  if (args.size() == 2) {
    const TypeId t = facts_.result_type(args[0]);
    const TypeId s = facts_.result_type(args[1]);
    const Type texture = types_[types_.kind(type) == TypeKind::combined ? types_[type].element : type];
    Type plain = texture;
    plain.flags = static_cast<uint8_t>(plain.flags & ~kImageDepth);
    const bool shadow = (texture.flags & kImageDepth) != 0;
    if (types_.kind(t) == TypeKind::texture && types_[t] == plain && types_.kind(s) == TypeKind::sampler &&
        (s == TypeId::sampler_cmp) == shadow) {
      set_ref(n, Ref::construct, kNone, static_cast<uint16_t>(ConstructKind::combine));
      return;
    }
    if (types_.kind(t) == TypeKind::texture && types_[t] == plain && types_.kind(s) == TypeKind::sampler) {
      // samplerShadow with a colour type and the reverse are legal in GL_KHR_vulkan_glsl's words, but not across depth.
      set_ref(n, Ref::construct, kNone, static_cast<uint16_t>(ConstructKind::combine));
      return;
    }
  }
  bad_construct(n, type, "takes a texture of its shape and a sampler");
}

}  // namespace carry::check

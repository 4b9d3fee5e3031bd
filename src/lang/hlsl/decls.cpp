// HLSL declarations: globals, cbuffers, annotations, attributes, entry points.
#include "check/checker.h"

namespace carry::check {
namespace {

constexpr uint32_t kNone = Id<TypeId>::kNone;

std::string lower(std::string_view t) {
  std::string s(t);
  for (char& c : s) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return s;
}

RegisterClass class_of(char c) {
  switch (c) {
    case 'b':
    case 'B': return RegisterClass::b;
    case 't':
    case 'T': return RegisterClass::t;
    case 's':
    case 'S': return RegisterClass::s;
    case 'u':
    case 'U': return RegisterClass::u;
    case 'c':
    case 'C': return RegisterClass::c;
    default: return RegisterClass::none;
  }
}

bool number(std::string_view t, uint32_t& out) {
  if (t.empty() || t.size() > 9) return false;
  out = 0;
  for (char c : t) {
    if (c < '0' || c > '9') return false;
    out = out * 10 + static_cast<uint32_t>(c - '0');
  }
  return true;
}

}  // namespace

void Checker::hlsl_register(Variable& v, NodeId r) {
  NodeList c;
  tree_.children(r, c);
  // (profile, register, [index], space); the register may stand in the place of the profile.
  for (uint32_t i = 0; i < c.size(); ++i) {
    if (tree_.is_empty(c[i])) continue;
    if (i == 2) {
      check_expr(c[i]);
      uint32_t extra = 0;
      if (constant_u32(c[i], extra) && v.register_index != kNone) v.register_index += extra;
      continue;
    }
    const std::string_view t = tree_.name_text(c[i]);
    uint32_t value = 0;
    if (t.substr(0, 5) == "space" && number(t.substr(5), value)) {
      v.register_space = value;
      continue;
    }
    const RegisterClass k = t.empty() ? RegisterClass::none : class_of(t[0]);
    if (k != RegisterClass::none && (t.size() == 1 || number(t.substr(1), value))) {
      v.register_class = k;
      v.register_index = value;
    } else if (i == 1 || i == 3) {
      diags_.emit(loc(c[i]), diag::bad_register, t, "is not known");
    }
  }
}

// A resource's kind gives the letter of its register.
void Checker::check_register_class(RegisterClass written, RegisterClass wanted, NodeId annotations, TypeId type) {
  if (written == RegisterClass::none || written == wanted) return;
  static constexpr std::string_view kLetters[] = {"", "b", "t", "s", "u", "c"};
  NodeList items;
  tree_.children(annotations, items);
  for (NodeId a : items) {
    if (!tree_.is(a, NodeKind::register_annotation)) continue;
    const std::string what = type ? type_text(type) : wanted == RegisterClass::b ? "cbuffer" : "tbuffer";
    diags_.emit(range(a), diag::bad_register, kLetters[static_cast<size_t>(written)],
                "is the wrong kind here: `" + what + "` takes `" + std::string(kLetters[static_cast<size_t>(wanted)]) + "`");
    return;
  }
}

void Checker::hlsl_annotations(Variable& v, NodeId list) {
  NodeList items;
  tree_.children(list, items);
  for (NodeId a : items) {
    switch (tree_.kind(a)) {
      case NodeKind::semantic:
        read_semantic(a, v.semantic, v.semantic_index);
        if (v.builtin == BuiltinVar::none) v.builtin = system_value(text(v.semantic));
        break;
      case NodeKind::register_annotation: hlsl_register(v, a); break;
      case NodeKind::packoffset: {
        NodeList c;
        tree_.children(a, c);
        uint32_t reg = 0;
        const std::string_view t = tree_.name_text(c[0]);
        if (t.size() < 2 || (t[0] != 'c' && t[0] != 'C') || !number(t.substr(1), reg)) {
          diags_.emit(loc(c[0]), diag::bad_register, t, "is not known");
          break;
        }
        uint32_t component = 0;
        if (c.size() > 1 && !tree_.is_empty(c[1])) {
          constexpr std::string_view kComponents = "xyzw";
          const size_t at = kComponents.find(tree_.name_text(c[1]));
          component = at == std::string_view::npos ? 0u : static_cast<uint32_t>(at);
        }
        const bool plain = v.type && (types_.is_scalar(v.type) || types_.is_vector(v.type));
        const uint32_t bytes = plain ? types_.component_count(v.type) * scalar_bits(types_.scalar_of(v.type)) / 8 : 16;
        if (component != 0 && plain && component * 4 + bytes > 16)
          diags_.emit(loc(c[0]), diag::bad_register, t, "has no room for this type behind that component");
        if (reg >= 4096) diags_.emit(loc(c[0]), diag::bad_register, t, "is beyond the last one, c4095");
        v.offset = reg * 16 + component * 4;
        break;
      }
      default: break;
    }
  }
}

void Checker::hlsl_image_format(Qualifiers& q, NodeId arg) {
  std::string_view t = token_text(arg);
  if (t.size() >= 2) t = t.substr(1, t.size() - 2);
  std::string s(t);
  // DXC writes r11g11b10f, rgba8snorm, rgb10a2 ... where GLSL has underscores.
  if (s == "r11g11b10f") s = "r11f_g11f_b10f";
  if (s == "rgb10a2") s = "rgb10_a2";
  if (s == "rgb10a2ui") s = "rgb10_a2ui";
  if (s.size() > 5 && s.substr(s.size() - 5) == "snorm" && s[s.size() - 6] != '_') s.insert(s.size() - 5, "_");
  const ImageFormat f = find_image_format(s);
  if (f == ImageFormat::count_) {
    if (s != "unknown") diags_.emit(loc(arg), diag::bad_attribute, "vk::image_format", "does not know this format");
    return;
  }
  q.format = f;
  q.has_format = true;
}

void Checker::hlsl_resource(Variable& v, TypeId core, const Qualifiers& q) {
  const Type t = types_[core];
  auto implied = [&](RegisterClass k) {
    if (v.register_class == RegisterClass::none) v.register_class = k;
  };
  v.kind = VarKind::handle;
  switch (t.kind) {
    case TypeKind::sampler: return implied(RegisterClass::s);
    case TypeKind::texture:
    case TypeKind::accel: return implied(RegisterClass::t);
    case TypeKind::image: {
      implied(RegisterClass::u);
      if (q.has_format) v.type = with_format(v.type, q.format);
      if ((v.flags & kVarReadonly) == 0) v.flags |= t.dim == Dim::buffer ? static_cast<uint32_t>(kVarTypedBuffer) : 0u;
      return;
    }
    case TypeKind::object: break;
    default: return;
  }
  switch (t.object) {
    case ObjectKind::constant_buffer:
      v.kind = q.push_constant ? VarKind::push_block : VarKind::uniform_block;
      v.layout = q.push_constant ? options_.structured_layout : options_.cbuffer_layout;
      return implied(RegisterClass::b);
    case ObjectKind::texture_buffer:
      v.kind = VarKind::storage_block;
      v.flags |= kVarReadonly;
      v.layout = options_.structured_layout;
      return implied(RegisterClass::t);
    case ObjectKind::structured_buffer:
    case ObjectKind::byte_address_buffer:
      v.kind = VarKind::storage_object;
      v.flags |= kVarReadonly;
      v.layout = options_.structured_layout;
      return implied(RegisterClass::t);
    default:
      v.kind = VarKind::storage_object;
      v.layout = options_.structured_layout;
      if (t.object == ObjectKind::append_buffer || t.object == ObjectKind::consume_buffer) v.flags |= kVarHasCounter;
      return implied(RegisterClass::u);
  }
}

TypeId Checker::with_format(TypeId t, ImageFormat f) {
  Type type = types_[t];
  if (type.kind == TypeKind::array)
    type.element = with_format(type.element, f);
  else
    type.format = f;
  return types_.intern(type);
}

void Checker::hlsl_variable(Variable& v, NodeId declarator, const Qualifiers& q, NodeId annotations) {
  const bool global = v.kind == VarKind::private_;
  hlsl_annotations(v, annotations);
  TypeId core = v.type;
  while (types_.kind(core) == TypeKind::array) core = types_[core].element;
  if (options_.row_major_default) v.flags |= kVarRowMajorDefault;
  if (q.has(QualifierKind::groupshared)) {
    v.kind = VarKind::shared;
    v.flags &= ~static_cast<uint32_t>(kVarConst);
    if (contains_opaque(v.type)) {
      diags_.emit(loc(declarator), diag::bad_type_use, type_text(v.type), "cannot be groupshared");
      v.type = TypeId::error;
    }
    return;
  }
  if (is_opaque(core) && (v.flags & kVarCoherent) != 0 && (!global || q.has(QualifierKind::static_)))
    not_yet(declarator, "globallycoherent on a variable that holds a resource");
  if (!global) {
    v.constant_id = kNone;
    if (q.has(QualifierKind::static_)) v.kind = VarKind::private_;
    return;
  }
  if (v.constant_id != kNone) {
    v.flags |= kVarConst;  // without `const`, too
    if (types_.is_scalar(v.type)) return;
    diags_.emit(loc(declarator), diag::bad_attribute, "vk::constant_id",
                "is for scalars: make `" + type_text(v.type) + "` from several constants of one scalar each");
    v.constant_id = kNone;
    return;
  }
  if (q.has(QualifierKind::static_)) {
    const bool bound = v.binding != kNone || v.counter_binding != kNone;
    if (bound) diags_.emit(loc(declarator), diag::attribute_left_out, "vk::binding", "a static variable has no binding");
    return;
  }
  if (is_opaque(core)) {
    const RegisterClass written = v.register_class;
    v.register_class = RegisterClass::none;
    hlsl_resource(v, core, q);
    check_register_class(written, v.register_class, annotations, core);
    return;
  }
  if (this_type_) return;
  if (q.push_constant) {
    v.kind = VarKind::push_block;
    v.layout = options_.structured_layout;
    return;
  }
  if (contains_opaque(v.type)) {
    // A global struct with resources in it: each one a binding of its own.
    not_yet(declarator, "global structs with resources");
    return;
  }
  hlsl_globals_member(v, declarator, q);
}

// Plain globals are members of the implicit cbuffer $Globals.
void Checker::hlsl_globals_member(Variable& v, NodeId declarator, const Qualifiers& q) {
  if (!globals_block_) {
    globals_struct_ = types_.make_struct(names_.intern("$Globals"), {});
    Variable b;
    b.kind = VarKind::uniform_block;
    b.name = names_.intern("$Globals");
    b.block_name = b.name;
    b.type = globals_struct_;
    b.layout = options_.cbuffer_layout;
    b.register_class = RegisterClass::b;
    b.flags = kVarGlobalsBlock | kVarUsed | (options_.row_major_default ? static_cast<uint32_t>(kVarRowMajorDefault) : 0u);
    globals_block_ = facts_.variables.add(b);
    facts_.globals.push_back(globals_block_);
  }
  Member m;
  m.name = v.name;
  m.type = v.type;
  m.major = q.major;
  if (v.register_class == RegisterClass::c && v.register_index != kNone) m.offset = v.register_index * 16;
  std::vector<Member>& members = types_.struct_decl(globals_struct_).members;
  v.kind = VarKind::block_member;
  v.owner = globals_block_;
  v.member = static_cast<uint32_t>(members.size());
  v.flags |= kVarConst;
  members.push_back(m);
  note_member(globals_struct_, m.type);
  static_cast<void>(declarator);
}

void Checker::hlsl_buffer_block(NodeId n) {
  NodeList c;
  tree_.children(n, c);
  const Qualifiers q = read_qualifiers(c[0]);
  check_places(q, LayoutPlace::block);
  Variable v;
  v.kind = tree_[n].op == 0 ? (q.push_constant ? VarKind::push_block : VarKind::uniform_block) : VarKind::storage_block;
  v.name = tree_.has_flag(n, kNodeUnnamed) ? NameId(0u) : tree_.name(n);
  v.block_name = v.name;
  v.decl = n;
  v.layout = tree_[n].op == 0 ? options_.cbuffer_layout : options_.structured_layout;
  v.flags = q.flags | kVarReadonly | (options_.row_major_default ? static_cast<uint32_t>(kVarRowMajorDefault) : 0u);
  v.set = q.set;
  v.binding = q.binding;
  hlsl_annotations(v, c[1]);
  const RegisterClass wanted = tree_[n].op == 0 ? RegisterClass::b : RegisterClass::t;
  check_register_class(v.register_class, wanted, c[1], TypeId::none());
  v.register_class = wanted;
  const TypeId type = types_.make_struct(v.name, {});
  type_spaces_[types_[type].struct_id.value] = scopes_.make_space(space_, v.name);
  v.type = type;
  const VarId owner = facts_.variables.add(v);
  set_ref(n, Ref::variable, owner.value);
  facts_.globals.push_back(owner);
  for (uint32_t i = 2; i < c.size(); ++i) {
    if (!tree_.is(c[i], NodeKind::var_decl)) {
      check_decl(c[i]);
      continue;
    }
    NodeList parts;
    tree_.children(c[i], parts);
    const Qualifiers mq = read_qualifiers(parts[0]);
    check_places(mq, LayoutPlace::block_member);
    const TypeId base = check_type(parts[1]);
    for (uint32_t k = 2; k < parts.size(); ++k) {
      if (!tree_.is(parts[k], NodeKind::declarator)) continue;
      if (mq.has(QualifierKind::static_)) {
        declare_variable(c[i], parts[k], base, mq);
        continue;
      }
      if (base != TypeId::error && contains_opaque(base)) {
        declare_variable(c[i], parts[k], base, mq);  // a resource inside a cbuffer is a global of its own
        continue;
      }
      const size_t before = types_.struct_decl(type).members.size();
      add_member(type, parts[k], base, mq, true, nullptr);
      if (types_.struct_decl(type).members.size() == before) continue;
      Variable m;
      m.kind = VarKind::block_member;
      m.name = tree_.name(parts[k]);
      m.type = types_.struct_decl(type).members.back().type;
      m.owner = owner;
      m.member = static_cast<uint32_t>(before);
      m.flags = kVarConst;
      m.decl = parts[k];
      add_variable(std::move(m), parts[k]);
    }
  }
}

void Checker::hlsl_namespace(NodeId n) {
  const SpaceId outer = space_;
  if (!tree_.has_flag(n, kNodeUnnamed)) {
    const NameId name = tree_.name(n);
    const Symbol* s = scopes_.find_in(space_, name);
    if (s != nullptr && s->kind == Symbol::Kind::name_space) {
      space_ = s->index;
    } else {
      const SpaceId inner = scopes_.make_space(space_, name);
      declare(name, {Symbol::Kind::name_space, inner, n}, n);
      space_ = inner;
    }
  }
  check_decls(n);
  space_ = outer;
}

NodeId Checker::attribute(FuncId f, std::string_view name) const {
  NodeList items;
  tree_.children(tree_.child(facts_.functions[f].decl, 0), items);
  for (NodeId a : items) {
    if (tree_.is(a, NodeKind::attribute) && lower(tree_.name_text(a)) == name) return a;
  }
  return NodeId();
}

void Checker::hlsl_entry(FuncId f, EntryFact& e) {
  const Function& fn = facts_.functions[f];
  if (e.stage == Stage::compute) {
    const NodeId a = attribute(f, "numthreads");
    if (!a) {
      diags_.emit(loc(fn.decl), diag::missing_numthreads, text(fn.name));
      return;
    }
    NodeList all;
    tree_.children(tree_.child(fn.decl, 0), all);
    for (NodeId other : all) {
      if (!(other == a) && tree_.is(other, NodeKind::attribute) && lower(tree_.name_text(other)) == "numthreads")
        diags_.emit(loc(other), diag::bad_attribute, "numthreads", "stands twice");
    }
    NodeList args;
    tree_.children(a, args);
    for (uint32_t i = 1; i < args.size() && i < 4; ++i) {
      check_expr(args[i]);
      uint32_t v = 0;
      const VarId spec = facts_.variable_of(strip_parens(args[i]));
      if (spec && facts_.variables[spec].kind == VarKind::spec_constant) {
        e.workgroup[i - 1].spec = spec;
        int64_t d = 1;
        if (facts_.variables[spec].value && fold_.to_int(facts_.variables[spec].value, d))
          e.workgroup[i - 1].value = static_cast<uint32_t>(d);
      } else if (constant_u32(args[i], v)) {
        if (v == 0) diags_.emit(range(args[i]), diag::bad_local_size, "must be greater than 0");
        e.workgroup[i - 1].value = v;
      }
    }
    if (args.size() != 4) diags_.emit(loc(a), diag::bad_attribute, "numthreads", "takes three numbers");
    const uint64_t rows = uint64_t{e.workgroup[0].value} * e.workgroup[1].value;
    if (e.workgroup[0].value > 1024 || e.workgroup[1].value > 1024 || e.workgroup[2].value > 64 ||
        rows * e.workgroup[2].value > 1024)
      diags_.emit(loc(a), diag::bad_local_size, "is at most 1024 by 1024 by 64, and 1024 in all");
  }
  hlsl_entry_attributes(f, e);
  const std::vector<Parameter> params = fn.params;
  for (const Parameter& p : params) {
    const Variable& v = facts_.variables[p.var];
    if (p.type == TypeId::error) continue;
    const IoPlace io{e.stage, p.mode != ParamMode::out, p.mode != ParamMode::in};
    hlsl_check_io(p.type, v.semantic, io, v.decl, text(v.name));
    facts_.variables[p.var].flags |= kVarUsed;
  }
  if (fn.result != TypeId::void_ && fn.result != TypeId::error)
    hlsl_check_io(fn.result, fn.semantic, {e.stage, false, true}, fn.decl, "the result");
}

bool Checker::hlsl_operator_call(NodeId n, std::string_view op, NodeId object, const std::vector<NodeId>& args) {
  if (is_error(object)) return false;
  TypeId t = facts_.result_type(object);
  if (types_.kind(t) == TypeKind::object && types_[t].object == ObjectKind::constant_buffer) t = types_[t].element;
  if (types_.kind(t) != TypeKind::struct_ || fact(object).ref == Ref::type_name) return false;
  const NameId name = names_.intern("operator" + std::string(op));
  const auto space = type_spaces_.find(types_[t].struct_id.value);
  const Symbol* s = space == type_spaces_.end() ? nullptr : scopes_.find_with_used(space->second, name);
  if (s == nullptr || s->kind != Symbol::Kind::functions) return false;
  std::vector<Candidate> users;
  user_candidates(*s, users);
  const int winner = resolve(n, text(name), users, args);
  if (winner < 0) return fail(n), true;
  bind_call(n, users[static_cast<size_t>(winner)], args, object);
  return true;
}

// f(x) where f is no function: an object with operator().
bool Checker::hlsl_call_object(NodeId n, NodeId callee, const std::vector<NodeId>& args) {
  if (!hlsl() || depth_ >= kMaxTypeNesting) return false;
  ++depth_;
  if (tree_.is(callee, NodeKind::member))
    check_expr_node(callee);  // its object was checked on the way here
  else
    check_expr(callee);
  --depth_;
  if (is_error(callee)) return fail(n), true;
  inherit(n, callee);
  return hlsl_operator_call(n, "()", callee, args);
}

}  // namespace carry::check

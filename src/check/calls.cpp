// Calls: functions, methods, built-ins.
#include "check/checker.h"

namespace carry::check {

using builtins::Form;

void Checker::check_call(NodeId n) {
  NodeList children;
  tree_.children(n, children);
  const NodeId callee = children[0];
  std::vector<NodeId> args;
  bool ok = true;
  for (uint32_t i = 1; i < children.size(); ++i) {
    args.push_back(children[i]);
    if (tree_.is(children[i], NodeKind::init_list)) continue;
    check_expr(children[i]);
    inherit(n, children[i]);
  }
  auto values = [&] {
    for (NodeId a : args) {
      if (tree_.is(a, NodeKind::init_list)) {
        diags_.emit(range(a), diag::not_a_value, "an initialiser list");
        ok = false;
      } else if (!is_value(a)) {
        ok = false;
      }
    }
    return ok;
  };
  switch (tree_.kind(callee)) {
    case NodeKind::builtin_type:
    case NodeKind::array_type: {
      const TypeId t = check_type(callee);
      if (!values() || t == TypeId::error) return void(fail(n));
      return check_construct(n, t);
    }
    case NodeKind::template_ref: {
      const NodeId head = tree_.child(callee, 0);
      if (tree_.is(head, NodeKind::member)) {
        if (!values()) return void(fail(n));
        return check_method(n, head, tree_.child(callee, 1), args);
      }
      const TypeId t = check_type(callee);
      if (!values() || t == TypeId::error) return void(fail(n));
      return check_construct(n, t);
    }
    case NodeKind::member:
      if (!values()) return void(fail(n));
      return check_method(n, callee, NodeId(), args);
    case NodeKind::name:
    case NodeKind::scope: break;
    default:
      if (tree_.is(callee, NodeKind::error) || !values()) return void(fail(n));
      if (hlsl_call_object(n, callee, args)) return;
      diags_.emit(range(callee), diag::not_callable, "expression");
      return void(fail(n));
  }
  const bool scoped = tree_.is(callee, NodeKind::scope);
  const NameId name = scoped ? tree_.name(tree_.child(callee, 1)) : tree_.name(callee);
  const Symbol* s = scoped ? lookup_scope(callee) : lookup(name);
  if (s != nullptr && s->kind == Symbol::Kind::type) {
    set_type(callee, TypeId(s->index));
    fact(callee).ref = Ref::type_name;
    if (!values()) return void(fail(n));
    return check_construct(n, TypeId(s->index));
  }
  if (s == nullptr && !scoped) {
    const TypeId t = glsl() ? glsl_type_word(text(name)) : hlsl_type_word(text(name));
    if (t) {
      if (!values()) return void(fail(n));
      return check_construct(n, t);
    }
  }
  if (!values()) return void(fail(n));
  if (s != nullptr && s->kind == Symbol::Kind::variable) {
    if (hlsl_call_object(n, callee, args)) return;
    diags_.emit(range(callee), diag::not_callable, text(name));
    return void(fail(n));
  }
  if (s != nullptr && s->kind == Symbol::Kind::template_) {
    not_yet(callee, "templates");
    return void(fail(n));
  }
  call_named(n, name, s, callee, args);
}

void Checker::user_candidates(const Symbol& set, std::vector<Candidate>& out) {
  for (FuncId f : sets_[set.index]) {
    const Function& fn = facts_.functions[f];
    Candidate c;
    c.function = f;
    c.result = fn.result;
    c.decl = fn.decl;
    for (const Parameter& p : fn.params) {
      c.params.push_back(p.type);
      c.modes.push_back(p.mode);
      if (!p.default_value) c.min_params = static_cast<uint32_t>(c.params.size());
    }
    out.push_back(std::move(c));
  }
}

void Checker::call_named(NodeId n, NameId name, const Symbol* symbol, NodeId callee, const std::vector<NodeId>& args) {
  std::vector<Candidate> users;
  if (symbol != nullptr && symbol->kind == Symbol::Kind::functions) user_candidates(*symbol, users);
  const std::string_view word = text(name);
  if (users.empty() && special_call(n, word, args)) return;
  if (glsl()) {
    for (const Candidate& c : users) {
      if (exact(c, args)) return bind_call(n, c, args, NodeId());
    }
  }
  const Form* unavailable = nullptr;
  std::vector<Candidate> all = users;
  const auto forms = builtins::find_forms(glsl() ? builtins::Lang::glsl : builtins::Lang::hlsl, word);
  if (!tree_.is(callee, NodeKind::scope) || users.empty()) {
    std::vector<Candidate> built;
    builtin_candidates(forms, args, TypeId::none(), TypeId::none(), built, &unavailable);
    if (glsl() && !users.empty()) {
      for (const Candidate& c : built) {
        if (exact(c, args)) return bind_call(n, c, args, NodeId());
      }
    } else {
      all.insert(all.end(), built.begin(), built.end());
    }
  }
  if (users.empty() && forms.empty()) {
    for (NodeId r : reported_) {
      if (tree_.name(r) == name) return void(fail(n));
    }
    if (tree_.is(callee, NodeKind::name)) reported_.push_back(callee);
    if (!glsl() || !glsl_missing_name(callee, name)) diags_.emit(loc(callee), diag::undeclared_name, word);
    return void(fail(n));
  }
  if (all.empty()) return failed_builtin(n, word, forms, args, unavailable, callee);
  const int winner = resolve(n, word, all, args);
  if (winner < 0) return void(fail(n));
  const Candidate& c = all[static_cast<size_t>(winner)];
  if (c.form != nullptr) warn_lossy(n, c, word, args);
  bind_call(n, c, args, NodeId());
}

// No form of a built-in takes these arguments: say why.
void Checker::failed_builtin(NodeId n, std::string_view name, std::span<const Form> forms, const std::vector<NodeId>& args,
                             const Form* unavailable, NodeId callee) {
  fail(n);
  bool any_available = false;
  bool memory = false;
  for (const Form& f : forms) {
    any_available = any_available || form_available(f);
    const auto params = builtins::params(f);
    memory = memory || (!params.empty() && params[0].direction == builtins::Direction::ref);
  }
  if (!any_available && unavailable != nullptr) return needs_version(callee, name, *unavailable);
  for (const Form& f : forms) {
    if (!glsl() || memory || form_available(f)) continue;
    std::vector<Candidate> fitting;
    add_form_candidates(f, args, TypeId::none(), TypeId::none(), fitting);
    if (!fitting.empty()) return needs_version(callee, name, f);
  }
  if (memory && !args.empty()) {
    const TypeId t = facts_.result_type(args[0]);
    const bool scalar_int = types_.is_scalar(t) && is_int(types_.scalar_of(t)) && scalar_bits(types_.scalar_of(t)) >= 32;
    if (!scalar_int) {
      const bool is_float_scalar = types_.is_scalar(t) && is_float(types_.scalar_of(t));
      const char* hint = hlsl() && is_float_scalar ? ": loop with InterlockedCompareExchange on the bits, or use -fatomic-float"
                         : is_float_scalar ? ": enable GL_EXT_shader_atomic_float, or loop with atomicCompSwap on the bits"
                                           : "";
      diags_.emit(range(args[0]), diag::atomic_type_not_supported, name, type_text(t), hint);
      return;
    }
    if (unavailable != nullptr && scalar_bits(types_.scalar_of(t)) == 64) return needs_version(callee, name, *unavailable);
  }
  auto d = diags_.emit(range(n), diag::no_matching_overload, name, arg_types(args));
  uint32_t shown = 0;
  for (const Form& f : forms) {
    if (!form_available(f) || ++shown > 3) continue;
    d.note(loc(callee), diag::candidate_here, form_text(f));
  }
}

// Parameters whose size the texture decides.
static std::string_view open_vector(builtins::PatternKind kind) {
  using builtins::PatternKind;
  switch (kind) {
    case PatternKind::coord:
    case PatternKind::scoord:
    case PatternKind::pcoord:
    case PatternKind::grad: return "float vector ";
    case PatternKind::icoord:
    case PatternKind::lcoord:
    case PatternKind::offset:
    case PatternKind::size: return "int vector ";
    case PatternKind::offsets: return "array of int vectors ";
    default: return "";
  }
}

std::string Checker::form_text(const Form& form) {
  builtins::Bindings b = builtins::open_bindings();
  constexpr uint16_t kUsual = builtins::scalar_bit(ScalarKind::f32) | builtins::scalar_bit(ScalarKind::i32) |
                              builtins::scalar_bit(ScalarKind::u32) | builtins::scalar_bit(ScalarKind::bool_);
  if (!builtins::first_bindings(form, kUsual, b)) {
    b = builtins::open_bindings();
    builtins::first_bindings(form, static_cast<uint16_t>(enabled_scalars_), b);
  }
  std::string s = "(";
  for (const builtins::Param& p : builtins::params(form)) {
    if (s.size() > 1) s += ", ";
    if (p.direction == builtins::Direction::out) s += "out ";
    const TypeId t = builtins::instantiate(types_, p.type, b);
    s += t == TypeId::error ? std::string(open_vector(p.type.kind)) + std::string(p.name)
                            : type_text(t) + " " + std::string(p.name);
  }
  return s + ")";
}

void Checker::warn_lossy(NodeId n, const Candidate& c, std::string_view name, const std::vector<NodeId>& args) {
  if (!glsl() || (name != "abs" && name != "dot" && name != "mix" && name != "pow" && name != "mod" && name != "sign")) return;
  for (size_t i = 0; i < args.size(); ++i) {
    const TypeId from = facts_.result_type(args[i]);
    if (!types_.is_numeric(from) || !types_.is_numeric(c.params[i])) continue;
    if (is_int(types_.scalar_of(from)) && is_float(types_.scalar_of(c.params[i])) && !value_of(args[i])) {
      diags_.emit(range(args[i]), diag::lossy_builtin, name,
                  "`" + type_text(from) + "` becomes `" + type_text(c.params[i]) + "`");
      return;
    }
  }
  static_cast<void>(n);
}

void Checker::bind_call(NodeId n, const Candidate& c, const std::vector<NodeId>& args, NodeId object) {
  Call call;
  call.kind = c.form != nullptr ? CallKind::builtin : CallKind::user;
  call.function = c.function;
  call.form = c.form;
  call.bindings = c.bindings;
  call.object = object;
  if (object) call.object_type = facts_.result_type(object);
  call.result = c.result;
  call.args.first = static_cast<uint32_t>(facts_.arguments.size());
  call.args.count = static_cast<uint32_t>(c.form != nullptr ? args.size() : c.params.size());
  const std::string name = c.form != nullptr ? std::string(c.form->name) : std::string(text(facts_.functions[c.function].name));
  if (c.form != nullptr && !mode_.warned.empty()) {
    const uint16_t since = mode_.is_es() ? c.form->available.es : c.form->available.since;
    const bool core = since != 0 && mode_.glsl_version >= since;
    for (std::string_view e : builtins::extensions(*c.form)) {
      if (!core) uses_extension({loc(n), {}}, name, e);
    }
  }
  bool ok = true;
  uint8_t effects = c.form != nullptr ? 0 : kFactEffects | kFactCostly;
  for (size_t i = 0; i < call.args.count; ++i) {
    Argument a;
    a.type = c.params[i];
    a.mode = c.modes[i];
    if (i < args.size()) {
      a.node = args[i];
      const TypeId from = facts_.result_type(args[i]);
      if (a.mode == ParamMode::in) {
        if (hlsl() && from != a.type) warn_hlsl_conversion(args[i], from, a.type);
        convert(args[i], a.type);
        // HLSL: offsets are constants but for gathers; those of Load are added to the coordinate.
        const bool offset =
            hlsl() && c.form != nullptr && name.substr(0, 6) == "Sample" && builtins::params(*c.form)[i].name == "offset";
        if (c.form != nullptr && (offset || builtins::params(*c.form)[i].direction == builtins::Direction::constant) &&
            !value_of(args[i])) {
          diags_.emit(range(args[i]), diag::constant_needed, "this argument of `" + name + "`");
          ok = false;
        }
      } else if (a.mode == ParamMode::ref) {
        effects |= kFactEffects | kFactCostly;
        if (!require_atomic_memory(args[i])) {
          diags_.emit(range(args[i]), diag::atomic_needs_buffer_or_shared, name);
          ok = false;
        }
      } else {
        effects |= kFactEffects | kFactCostly;
        ok = require_lvalue(args[i], "an output argument of `" + name + "`") && ok;
      }
    } else {
      a.default_value = facts_.functions[c.function].params[i].default_value;
    }
    facts_.arguments.push_back(a);
  }
  if (c.form == nullptr) {
    if (!function_) init_callees_.push_back(c.function);
    if (function_) {
      Function& from = facts_.functions[function_];
      bool known = false;
      for (FuncId f : from.callees) known = known || f == c.function;
      if (!known) from.callees.push_back(c.function);
    }
  } else {
    effects |= builtin_effects(*c.form, c.bindings, c.result);
  }
  if (glsl() && c.form != nullptr && !args.empty()) ok = glsl_image_access(name, args[0]) && ok;
  warn_overlap(n, call, name);
  const CallId id = facts_.calls.add(call);
  set_type(n, ok ? c.result : TypeId::error);
  set_ref(n, Ref::call, id.value);
  fact(n).flags = static_cast<uint8_t>(fact(n).flags | effects);
  if (object) inherit(n, object);
  if (ok && c.form != nullptr) fold_call(n, call);
  if (c.form != nullptr && name == "NonUniformResourceIndex") fact(n).flags |= kFactNonUniform;
}

// GLSL 4.60, 4.10: a readonly image is not stored to, a writeonly one is not read.
bool Checker::glsl_image_access(std::string_view name, NodeId image) {
  const TypeId t = facts_.result_type(image);
  if (types_.kind(t) != TypeKind::image || name.substr(0, 5) != "image" || name == "imageSize" || name == "imageSamples")
    return true;
  const Access access = types_[t].access;
  const bool reads = name != "imageStore";
  const bool writes = name.substr(0, 9) != "imageLoad";
  if (!(reads && access == Access::write) && !(writes && access == Access::read)) return true;
  const VarId v = root_variable(image);
  diags_.emit(range(image), diag::bad_qualifier, v ? text(facts_.variables[v].name) : token_text(image),
              access == Access::read ? "is readonly" : "is writeonly");
  return false;
}

namespace {

/// Hooks that change memory and also give a value.
bool writes_memory(builtins::Hook hook) {
  switch (hook) {
    case builtins::Hook::image_atomic:
    case builtins::Hook::scoped_atomic:
    case builtins::Hook::float_bits_cas:
    case builtins::Hook::byte_atomic:
    case builtins::Hook::increment_counter:
    case builtins::Hook::decrement_counter:
    case builtins::Hook::consume: return true;
    default: return false;
  }
}

}  // namespace

uint8_t Checker::builtin_effects(const Form& form, const builtins::Bindings& b, TypeId result) const {
  const builtins::Action& a = builtins::action(form, b);
  if (a.kind == builtins::Action::Kind::op) return has_trait(static_cast<Op>(a.index), kPure) ? 0 : kFactEffects | kFactCostly;
  if (a.kind == builtins::Action::Kind::hook) {
    const bool effects = result == TypeId::void_ || writes_memory(static_cast<builtins::Hook>(a.index));
    return effects ? kFactEffects | kFactCostly : kFactCostly;
  }
  return 0;
}

void Checker::warn_overlap(NodeId, const Call& call, std::string_view name) {
  const auto args = facts_.args_of(call);
  for (size_t i = 0; i < args.size(); ++i) {
    if (args[i].mode != ParamMode::out && args[i].mode != ParamMode::inout) continue;
    for (size_t k = i + 1; k < args.size(); ++k) {
      if (args[k].mode != ParamMode::out && args[k].mode != ParamMode::inout) continue;
      if (!args[i].node || !args[k].node) continue;
      const NodeId a = strip_parens(args[i].node);
      const NodeId c = strip_parens(args[k].node);
      if (tree_.is(a, NodeKind::name) && tree_.is(c, NodeKind::name) && tree_.name(a) == tree_.name(c)) {
        diags_.emit(range(args[k].node), diag::out_arguments_overlap, name);
        return;
      }
    }
  }
}

void Checker::fold_call(NodeId n, const Call& call) {
  std::vector<ConstId> values;
  bool spec = false;
  for (const Argument& a : facts_.args_of(call)) {
    if (a.mode != ParamMode::in) return;
    if (facts_.has(a.node, kFactSpec))
      spec = true;
    else if (!value_of(a.node))
      return;
    values.push_back(value_of(a.node));
  }
  if (values.empty() || call.object) return;
  if (spec) return;
  if (const ConstId v = fold_.builtin(*call.form, call.bindings, values, call.result)) set_value(n, v);
}

void Checker::check_method(NodeId n, NodeId callee, NodeId template_args, const std::vector<NodeId>& args) {
  const NodeId object = tree_.child(callee, 0);
  if (is_error(object)) return void(fail(n));
  const NameId name = tree_.name(callee);
  TypeId t = facts_.result_type(object);
  if (glsl()) {
    if (text(name) != "length" || !args.empty()) {
      diags_.emit(loc(callee), diag::no_member, type_text(t), text(name));
      return void(fail(n));
    }
    return glsl_length(n, object);
  }
  if (types_.kind(t) == TypeKind::object && types_[t].object == ObjectKind::constant_buffer) t = types_[t].element;
  inherit(n, object);
  if (types_.kind(t) == TypeKind::struct_) {
    const auto space = type_spaces_.find(types_[t].struct_id.value);
    const Symbol* s = space == type_spaces_.end() ? nullptr : scopes_.find_with_used(space->second, name);
    if (s == nullptr || s->kind != Symbol::Kind::functions) {
      if (!template_args && hlsl_call_object(n, callee, args)) return;
      if (template_args)
        diags_.emit(loc(callee), diag::no_member, type_text(t), text(name));
      else
        diags_.emit(loc(callee), diag::not_callable, text(name));
      return void(fail(n));
    }
    if (template_args) {
      not_yet(n, "templates");
      return void(fail(n));
    }
    std::vector<Candidate> users;
    user_candidates(*s, users);
    const int winner = resolve(n, text(name), users, args);
    if (winner < 0) return void(fail(n));
    return bind_call(n, users[static_cast<size_t>(winner)], args, fact(object).ref == Ref::type_name ? NodeId() : object);
  }
  TypeId element = TypeId::none();
  if (template_args) {
    NodeList list;
    tree_.children(template_args, list);
    if (list.size() != 1) {
      not_yet(n, "templates");
      return void(fail(n));
    }
    element = check_type(list[0]);
    if (element == TypeId::error) return void(fail(n));
  }
  const ObjectKind kind = types_[t].object;
  const bool is_bytes = kind == ObjectKind::byte_address_buffer || kind == ObjectKind::rw_byte_address_buffer ||
                        kind == ObjectKind::rov_byte_address_buffer;
  if (!element && is_bytes && text(name) == "Load") element = TypeId::u32;
  const auto forms = builtins::find_methods(text(name));
  std::vector<Candidate> all;
  const Form* unavailable = nullptr;
  builtin_candidates(forms, args, t, element, all, &unavailable);
  if (all.empty()) {
    bool owned = false;
    for (const Form& f : forms) {
      builtins::Bindings b = builtins::open_bindings();
      owned = owned || builtins::unify(types_, f.owner, t, b);
    }
    const bool geometry =
        types_.kind(t) == TypeKind::object &&
        (kind == ObjectKind::point_stream || kind == ObjectKind::line_stream || kind == ObjectKind::triangle_stream ||
         kind == ObjectKind::input_patch || kind == ObjectKind::output_patch);
    if (!owned && (geometry || hlsl_known_method(text(name)))) {
      not_yet(callee, std::string(text(name)));
      return void(fail(n));
    }
    if (!owned) {
      diags_.emit(loc(callee), diag::no_member, type_text(t), text(name));
      return void(fail(n));
    }
    return failed_builtin(n, text(name), forms, args, unavailable, callee);
  }
  const int winner = resolve(n, text(name), all, args);
  if (winner < 0) return void(fail(n));
  bind_call(n, all[static_cast<size_t>(winner)], args, object);
  note_counter(object, text(name));
}

void Checker::note_counter(NodeId object, std::string_view name) {
  if (name != "IncrementCounter" && name != "DecrementCounter" && name != "Append" && name != "Consume") return;
  if (const VarId v = root_variable(object)) facts_.variables[v].flags |= kVarHasCounter;
}

void Checker::glsl_length(NodeId n, NodeId object) {
  const TypeId t = facts_.result_type(object);
  const Type& type = types_[t];
  inherit(n, object);
  set_type(n, TypeId::i32);
  if (type.kind == TypeKind::array && type.count_override != Id<TypeId>::kNone) {
    fact(n).flags |= kFactSpec;
    set_ref(n, Ref::length, Id<TypeId>::kNone);
    return;
  }
  if ((type.kind == TypeKind::array && type.count != 0) || type.kind == TypeKind::vector || type.kind == TypeKind::matrix) {
    set_value(n, types_.constant_i32(static_cast<int32_t>(types_.part_count(t))));
    return;
  }
  if (type.kind == TypeKind::array && !through_reference(object)) return set_ref(n, Ref::length, Id<TypeId>::kNone);
  diags_.emit(range(n), diag::no_member, type_text(t), "length");
  fail(n);
}

}  // namespace carry::check

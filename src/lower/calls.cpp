// User functions: arguments once, left to right; references by copy-in and copy-out in parameter order (semantics.md 3.3).
#include "lower/by_columns.h"

namespace carry::lower {

ValueId FunctionLowering::call(NodeId n) {
  const Call& c = facts_.call_of(n);
  return c.kind == CallKind::user ? call_user(n, c) : call_builtin(n, c);
}

ValueId FunctionLowering::object_value(NodeId n) {
  const Place p = access(n);
  at(n);
  return load(p, n);
}

std::vector<BoundArgument> FunctionLowering::bind_arguments(const Call& c, First first) {
  std::vector<BoundArgument> bound;
  const std::span<const Argument> args = facts_.args_of(c);
  bound.reserve(args.size());
  for (const Argument& a : args) {
    BoundArgument out;
    out.type = a.type;
    out.mode = a.mode;
    out.node = a.node ? a.node : a.default_value;
    if (bound.empty() && first == First::skip) {
      out.mode = ParamMode::ref;
    } else if (bound.empty() && first == First::place) {
      out.place = access(a.node);
      out.source = out.place.type;
      out.mode = ParamMode::ref;
    } else if (a.mode == ParamMode::in || !a.node) {
      out.value = value(out.node);
      out.source = facts_.result_type(out.node);
    } else {
      out.place = access(a.node);
      out.source = out.place.type;
      if (a.mode == ParamMode::inout) {
        at(a.node);
        out.value = convert(load(out.place, a.node), out.source, a.type, a.node);
      }
    }
    bound.push_back(std::move(out));
  }
  return bound;
}

void FunctionLowering::copy_out(const BoundArgument& a, ValueId value, TypeId from) {
  if (!value) return;
  store(a.place, convert(value, from, a.source, a.node), a.node);
}

/// What a method of `base` sees of an object of `type`: a derived struct begins with the members of its base.
ValueId FunctionLowering::base_part(ValueId object, TypeId type, TypeId base) {
  if (types_.kind(type) == TypeKind::object) type = types_[type].element;
  if (type == base) return object;
  std::vector<ValueId> members;
  for (uint32_t i = 0; i < types_.part_count(base); ++i) members.push_back(part(object, type, i));
  return build(ir(base), members);
}

void FunctionLowering::store_base_part(const Place& object, ValueId value, TypeId type, TypeId base, NodeId n) {
  if (types_.kind(type) == TypeKind::object) type = types_[type].element;
  if (type == base) return store(object, value, n);
  for (uint32_t i = 0; i < types_.part_count(base); ++i) {
    Place member = object;
    step_member(member, type, i);
    member.type = types_.part(base, i);
    store(member, part(value, base, i), n);
  }
}

/// The callee for these arguments: images may have another format or access than the parameters.
ir::FunctionId FunctionLowering::variant_for(ir::FunctionId callee, std::span<const ValueId> operands, NodeId n) {
  bool images = false;
  for (ValueId v : operands) {
    if (!v) return callee;  // an error was reported
    images = images || types_.kind(b_.type_of(v)) == TypeKind::image;
  }
  if (!images) return callee;
  std::vector<TypeId> wanted;
  for (ValueId v : operands) wanted.push_back(b_.type_of(v));
  const ir::FunctionId variant = m_.image_variant(callee, wanted);
  if (variant) return variant;
  m_.unsupported(n, "a storage image in place of one with another format");
  return callee;
}

ValueId FunctionLowering::call_user(NodeId n, const Call& c) {
  const carry::Function& callee = facts_.functions[c.function];
  const auto target = m_.functions.find(c.function.value);
  if (target == m_.functions.end()) return unsupported(n, "a call of a function without a body", c.result);
  fits(n, m_.depths_[c.function.value]);

  TypeId object_type = this_type_;
  const bool is_method = (callee.flags & kFuncMethod) != 0 && (callee.flags & kFuncStatic) == 0;
  Place object;
  ValueId this_var;
  bool store_this = false;
  if (is_method) {
    if (c.object) {
      object = access(c.object);
      object_type = facts_.result_type(c.object);
    } else if (this_) {
      object = memory(this_, this_type_);
    } else {
      return unsupported(n, "a call of the method `" + std::string(m_.names.text(callee.name)) + "` here", c.result);
    }
    store_this = object.kind != Place::Kind::value && m_.writes_this(c.function);
    at(n);
    this_var = b_.var(ir(callee.this_type), base_part(load(object, n), object_type, callee.this_type));
  }
  std::vector<BoundArgument> args = bind_arguments(c);
  at(n);
  std::vector<ValueId> operands;
  if (is_method) operands.push_back(this_var);
  std::vector<ValueId> vars(args.size());
  for (size_t i = 0; i < args.size(); ++i) {
    if (args[i].mode == ParamMode::in) {
      operands.push_back(args[i].value);
      continue;
    }
    vars[i] = b_.var(ir(args[i].type), args[i].value);
    operands.push_back(vars[i]);
  }
  const ValueId result = b_.emit(Op::call, ir(callee.result), operands, variant_for(target->second, operands, n).value);
  if (store_this) store_base_part(object, b_.load(this_var), object_type, callee.this_type, n);
  for (size_t i = 0; i < args.size(); ++i) {
    if (vars[i]) copy_out(args[i], b_.load(vars[i]), args[i].type);
  }
  return result;
}

}  // namespace carry::lower

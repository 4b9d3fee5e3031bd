#include "gen/generator.h"

namespace carry::gen {

std::string Generator::call_function(const Text& function, std::initializer_list<Text> arguments) {
  Text out = function + "(";
  bool first = true;
  for (const Text& a : arguments) {
    out += (first ? "" : ", ") + a;
    first = false;
  }
  return out + ")";
}

std::string Generator::literal(Kind kind) {
  static constexpr uint32_t kWords[] = {0,          1,          2,          3,          5,          7,         8,      15,
                                        16,         31,         32,         33,         255,        256,       0xffff, 0x10000,
                                        0xaaaaaaaa, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff};
  static constexpr const char* kFloats[] = {"0.0",     "1.0",     "2.0",   "0.5",         "1.5",          "2.5",
                                            "3.25",    "0.1",     "100.0", "16777217.0",  "2147483648.0", "3.0e38",
                                            "1.0e-38", "1.0e-40", "1.0e9", "4294967296.0"};
  switch (kind) {
    case Kind::bool_: return c_.chance(50) ? "true" : "false";
    case Kind::float_: {
      const Text text = kFloats[c_.below(16)];
      return c_.chance(30) ? "(-" + text + ")" : text;
    }
    case Kind::uint_:
    case Kind::int_: break;
  }
  const uint32_t word = c_.chance(75) ? kWords[c_.below(22)] : c_.word();
  if (kind == Kind::uint_) return std::to_string(word) + "u";
  if (word < 0x80000000u) return c_.chance(25) ? "(-" + std::to_string(word) + ")" : std::to_string(word);
  return "int(" + std::to_string(word) + "u)";
}

std::string Generator::splat(uint32_t type, const Text& value) {
  return glsl() || types_[type].rows == 1 ? name(type) + "(" + value + ")" : "((" + name(type) + ")(" + value + "))";
}

/// A value of `type` from parts. Arrays have none outside of declarations.
std::string Generator::construct(uint32_t type, int depth) {
  const Type t = types_[type];
  if (t.form == Form::vector && t.rows == 1) return literal(t.kind);
  if (t.form == Form::vector && c_.chance(25)) return splat(type, scalar(t.kind, depth - 1));
  Text out = (t.form == Form::structure ? "make_" : "") + name(type) + "(";
  if (t.form == Form::structure) {
    for (uint32_t m = 0; m < t.members.size(); ++m) {
      if (m != 0) out += ", ";
      uint32_t base = t.members[m];
      while (types_[base].form == Form::array) base = types_[base].part;
      out += expression(base, depth - 1);
    }
    return out + ")";
  }
  if (t.form == Form::vector && t.rows > 2 && c_.chance(30)) {
    const uint32_t head = 1 + c_.below(t.rows - 1);
    return out + expression(vector(t.kind, head), depth - 1) + ", " + expression(vector(t.kind, t.rows - head), depth - 1) +
           ")";
  }
  if (t.form == Form::matrix && c_.chance(50)) {
    for (uint32_t i = 0; i < t.columns; ++i) out += (i != 0 ? ", " : "") + expression(vector(t.kind, t.rows), depth - 1);
    return out + ")";
  }
  for (uint32_t i = 0; i < t.rows * t.columns; ++i) out += (i != 0 ? ", " : "") + scalar(t.kind, depth - 2);
  return out + ")";
}

std::string Generator::swizzle(uint32_t rows, uint32_t wanted, bool distinct) {
  static constexpr char kNames[] = "xyzw";
  Text out;
  uint32_t used = 0;
  while (out.size() < wanted) {
    const uint32_t k = c_.below(rows);
    if (distinct && (used >> k & 1) != 0) {
      // The next free one, so that this ends whatever the choices are.
      uint32_t free = k;
      while ((used >> free & 1) != 0) free = (free + 1) % rows;
      used |= 1u << free;
      out += kNames[free];
      continue;
    }
    used |= 1u << k;
    out += kNames[k];
  }
  return out;
}

std::string Generator::index(uint32_t count, int depth) {
  if (nesting_ > 2 || c_.chance(40)) return std::to_string(c_.below(count));
  ++nesting_;
  const Text word = scalar(Kind::uint_, depth - 1);
  --nesting_;
  const bool power = (count & (count - 1)) == 0;
  const Text in_range =
      power ? "(" + word + " & " + std::to_string(count - 1) + "u)" : "(" + word + " % " + std::to_string(count) + "u)";
  // HLSL: x % n is all ones only for n = 0.
  return c_.chance(30) ? "int" + in_range : in_range;
}

bool Generator::step_into(Path& path, bool write) {
  const Type t = types_[path.type];
  switch (t.form) {
    case Form::vector:
      if (t.rows == 1) return false;
      if (c_.chance(30)) {
        const uint32_t wanted = 1 + c_.below(write ? t.rows : 4);
        path.text += "." + swizzle(t.rows, wanted, write);
        path.type = vector(t.kind, wanted);
        return true;
      }
      path.text += c_.chance(50) ? "." + swizzle(t.rows, 1, true) : "[" + index(t.rows, 1) + "]";
      path.type = vector(t.kind, 1);
      return true;
    case Form::matrix:
      path.text += "[" + index(t.columns, 1) + "]";
      path.type = vector(t.kind, t.rows);
      return true;
    case Form::array:
      path.text += "[" + index(t.count, 1) + "]";
      path.type = t.part;
      return true;
    case Form::structure: break;
  }
  const uint32_t m = c_.below(static_cast<uint32_t>(t.members.size()));
  path.text += ".m" + std::to_string(m);
  path.type = t.members[m];
  return true;
}

/// A variable or a part of one, of this type.
bool Generator::find_path(uint32_t type, bool write, Path& out) {
  if (scope_.empty()) return false;
  for (int attempt = 0; attempt < 5; ++attempt) {
    // Newer variables are likelier.
    const auto size = static_cast<uint32_t>(scope_.size());
    const uint32_t at = c_.chance(50) && size > 6 ? size - 1 - c_.below(6) : c_.below(size);
    const Variable v = scope_[at];
    if (write && !v.writable) continue;
    Path path{v.name, v.type};
    for (int step = 0; step < 4; ++step) {
      const bool was_vector = types_[path.type].form == Form::vector;
      if (path.type == type) {
        out = path;
        return true;
      }
      if (!step_into(path, write)) break;
      // A swizzle ends what can be written: no index of one.
      if (write && path.type != type && path.text.back() != ']' && types_[path.type].form == Form::vector && was_vector) break;
    }
  }
  return false;
}

std::string Generator::leaf(uint32_t type) {
  Path path;
  if (c_.chance(75) && find_path(type, false, path)) return path.text;
  for (const Variable& v : scope_) {
    if (v.type == type) return v.name;
  }
  return construct(type, 0);
}

bool Generator::call(uint32_t result, bool any_result, int depth, Text& out) {
  if (functions_.empty()) return false;
  const Function f = functions_[c_.below(static_cast<uint32_t>(functions_.size()))];
  if (!any_result && (!f.has_result || f.result != result)) return false;
  if (uint64_t{weight_} * f.cost > 2000) return false;
  out = f.name + "(";
  for (size_t i = 0; i < f.parameters.size(); ++i) {
    if (i != 0) out += ", ";
    const Parameter& p = f.parameters[i];
    if (p.way == Parameter::Way::in && types_[p.type].form != Form::array) {
      out += expression(p.type, depth - 1);
      continue;
    }
    Path path;
    bool found = find_path(p.type, true, path);
    for (const Variable& v : scope_) {
      if (found || v.type != p.type || !v.writable) continue;
      path.text = v.name;
      found = true;
    }
    if (!found) return false;
    out += path.text;
  }
  out += ")";
  cost_ += weight_ * f.cost;
  return true;
}

std::string Generator::convert(uint32_t type, int depth) {
  const Type t = types_[type];
  Kind from = c_.chance(15) ? Kind::bool_ : number_kind();
  if (from == t.kind) from = t.kind == Kind::int_ ? Kind::uint_ : Kind::int_;
  const Text value = expression(vector(from, t.rows), depth - 1);
  const bool bits = o_.floats && c_.chance(40);
  if (bits && t.kind == Kind::float_ && from != Kind::bool_)
    return call_function(glsl() ? (from == Kind::int_ ? "intBitsToFloat" : "uintBitsToFloat") : "asfloat", {value});
  if (bits && from == Kind::float_ && t.kind != Kind::bool_) {
    const char* name = t.kind == Kind::int_ ? (glsl() ? "floatBitsToInt" : "asint") : glsl() ? "floatBitsToUint" : "asuint";
    return call_function(name, {value});
  }
  return name(type) + "(" + value + ")";
}

std::string Generator::any_vector(uint32_t type, int depth) {
  const Type t = types_[type];
  switch (c_.below(7)) {
    case 0:
      if (t.rows > 1 && c_.chance(50)) {
        const Text which = expression(vector(Kind::bool_, t.rows), depth - 1);
        const Text yes = expression(type, depth - 1), no = expression(type, depth - 1);
        return glsl() ? call_function("mix", {no, yes, which}) : call_function("select", {which, yes, no});
      }
      return "(" + scalar(Kind::bool_, depth - 1) + " ? " + expression(type, depth - 1) + " : " + expression(type, depth - 1) +
             ")";
    case 1:
    case 2: return convert(type, depth);
    case 3:
      if (const uint32_t rows = 2 + c_.below(3); t.rows <= 4)
        return "(" + expression(vector(t.kind, rows), depth - 1) + ")." + swizzle(rows, t.rows, false);
      break;
    case 4: {
      Text out;
      if (call(type, false, depth, out)) return out;
      break;
    }
    case 5: {
      Path path;
      if (t.kind == Kind::bool_ || !c_.chance(40) || !find_path(type, true, path)) break;
      if (c_.chance(50)) return "(" + path.text + (c_.chance(50) ? "++)" : "--)");
      return "(" + path.text + (c_.chance(50) ? " = " : " += ") + expression(type, depth - 1) + ")";
    }
    default: break;
  }
  return construct(type, depth);
}

std::string Generator::integer_builtin(uint32_t type, int depth) {
  const Type t = types_[type];
  const auto same = [&] { return expression(type, depth - 1); };
  const Text cast = name(type);
  switch (c_.below(8)) {
    case 0: return call_function("min", {same(), same()});
    case 1: return call_function("max", {same(), same()});
    case 2: return call_function("clamp", {same(), same(), same()});
    case 3:
      return t.kind == Kind::int_ ? call_function("abs", {same()})
                                  : call_function(glsl() ? "bitfieldReverse" : "reversebits", {same()});
    case 4: return cast + "(" + call_function(glsl() ? "bitCount" : "countbits", {same()}) + ")";
    case 5: return cast + "(" + call_function(glsl() ? "findMSB" : "firstbithigh", {same()}) + ")";
    case 6: return cast + "(" + call_function(glsl() ? "findLSB" : "firstbitlow", {same()}) + ")";
    default: break;
  }
  if (!glsl()) return call_function("max", {same(), same()});
  const Text offset = scalar(Kind::int_, depth - 1), bits = scalar(Kind::int_, depth - 1);
  if (c_.chance(50)) return call_function("bitfieldExtract", {same(), offset, bits});
  return call_function("bitfieldInsert", {same(), same(), offset, bits});
}

std::string Generator::integer(uint32_t type, int depth) {
  const Type t = types_[type];
  const auto same = [&] { return expression(type, depth - 1); };
  const auto right = [&] { return t.rows > 1 && c_.chance(25) ? scalar(t.kind, depth - 1) : same(); };
  static constexpr const char* kOps[] = {" + ", " - ", " * ", " & ", " | ", " ^ "};
  switch (c_.below(10)) {
    case 0:
    case 1:
    case 2:
    case 3: {
      const Text op = kOps[c_.below(6)];
      const Text a = same();
      return "(" + a + op + right() + ")";
    }
    case 4: {
      const Text a = same();
      return "(" + a + (c_.chance(50) ? " / " : " % ") + right() + ")";
    }
    case 5: {
      const Text a = same();
      return "(" + a + (c_.chance(50) ? " << " : " >> ") + right() + ")";
    }
    case 6: return (c_.chance(50) ? "(-" : "(~") + same() + ")";
    case 7:
    case 8: return integer_builtin(type, depth);
    default: return any_vector(type, depth);
  }
}

std::string Generator::floating_builtin(uint32_t type, int depth) {
  static constexpr const char* kGlsl[] = {"abs", "floor", "ceil", "trunc", "roundEven", "fract", "sqrt", "sign"};
  static constexpr const char* kHlsl[] = {"abs", "floor", "ceil", "trunc", "round", "frac", "sqrt", "abs"};
  const auto same = [&] { return expression(type, depth - 1); };
  switch (c_.below(7)) {
    case 0: return call_function("min", {same(), same()});
    case 1: return call_function("max", {same(), same()});
    case 2: return call_function("clamp", {same(), same(), same()});
    case 3: return glsl() ? call_function("fma", {same(), same(), same()}) : call_function("max", {same(), same()});
    case 4: return call_function("step", {same(), same()});
    default: return call_function((glsl() ? kGlsl : kHlsl)[c_.below(8)], {same()});
  }
}

std::string Generator::floating(uint32_t type, int depth) {
  const Type t = types_[type];
  const auto same = [&] { return expression(type, depth - 1); };
  static constexpr const char* kOps[] = {" + ", " - ", " * ", " / "};
  switch (c_.below(9)) {
    case 0:
    case 1:
    case 2: {
      const Text op = kOps[c_.below(4)];
      const Text a = same();
      return "(" + a + op + (t.rows > 1 && c_.chance(25) ? scalar(t.kind, depth - 1) : same()) + ")";
    }
    case 3: return "(-" + same() + ")";
    case 4:
    case 5: return floating_builtin(type, depth);
    case 6: {
      if (t.rows == 1) {
        const uint32_t rows = vector(Kind::float_, 2 + c_.below(3));
        const Text a = expression(rows, depth - 1);
        return call_function("dot", {a, expression(rows, depth - 1)});
      }
      const uint32_t columns = 2 + c_.below(3);
      const Text m = expression(matrix(columns, t.rows), depth - 1);
      const Text v = expression(vector(Kind::float_, columns), depth - 1);
      return glsl() ? "(" + m + " * " + v + ")" : "mul(" + v + ", " + m + ")";
    }
    default: return any_vector(type, depth);
  }
}

std::string Generator::compare(int depth) {
  static constexpr const char* kOps[] = {" < ", " > ", " <= ", " >= ", " == ", " != "};
  const uint32_t type = vector(number_kind(), 1);
  const Text op = kOps[c_.below(6)];
  const Text a = expression(type, depth - 1);
  return "(" + a + op + expression(type, depth - 1) + ")";
}

std::string Generator::boolean(uint32_t type, int depth) {
  const Type t = types_[type];
  if (t.rows > 1) {
    static constexpr const char* kOps[] = {" < ", " > ", " <= ", " >= ", " == ", " != "};
    static constexpr const char* kNames[] = {"lessThan",         "greaterThan", "lessThanEqual",
                                             "greaterThanEqual", "equal",       "notEqual"};
    const uint32_t n = c_.below(8);
    if (n == 6) return call_function(glsl() ? "not" : "!", {expression(type, depth - 1)});
    if (n == 7) return any_vector(type, depth);
    const uint32_t of = vector(number_kind(), t.rows);
    const Text a = expression(of, depth - 1), b = expression(of, depth - 1);
    return glsl() ? call_function(kNames[n], {a, b}) : "(" + a + kOps[n] + b + ")";
  }
  switch (c_.below(9)) {
    case 0:
    case 1:
    case 2:
    case 3: return compare(depth);
    case 4: {
      const Text a = expression(type, depth - 1);
      const Text op = glsl() && c_.chance(30) ? " ^^ " : c_.chance(50) ? " && " : " || ";
      return "(" + a + op + expression(type, depth - 1) + ")";
    }
    case 5: return "(!" + expression(type, depth - 1) + ")";
    case 6: return call_function(c_.chance(50) ? "any" : "all", {expression(vector(Kind::bool_, 2 + c_.below(3)), depth - 1)});
    case 7: {
      if (!glsl()) return compare(depth);
      const uint32_t of = c_.chance(50) ? vector_type() : value_type();
      const Text a = expression(of, depth - 1);
      return "(" + a + (c_.chance(50) ? " == " : " != ") + expression(of, depth - 1) + ")";
    }
    default: return any_vector(type, depth);
  }
}

std::string Generator::matrix_value(uint32_t type, int depth) {
  const Type t = types_[type];
  const auto same = [&] { return expression(type, depth - 1); };
  switch (c_.below(6)) {
    case 0: {
      const Text a = same();
      return "(" + a + (c_.chance(50) ? " + " : " - ") + same() + ")";
    }
    case 1: {
      const uint32_t inner = 2 + c_.below(3);
      const Text a = expression(matrix(inner, t.rows), depth - 1);
      const Text b = expression(matrix(t.columns, inner), depth - 1);
      return glsl() ? "(" + a + " * " + b + ")" : "mul(" + b + ", " + a + ")";
    }
    case 2: return "transpose(" + expression(matrix(t.rows, t.columns), depth - 1) + ")";
    case 3: return "(" + same() + " * " + scalar(Kind::float_, depth - 1) + ")";
    case 4: {
      Text out;
      if (call(type, false, depth, out)) return out;
      return "(-" + same() + ")";
    }
    default: return construct(type, depth);
  }
}

std::string Generator::expression(uint32_t type, int depth) {
  if (budget_ > 0) --budget_;
  if (depth <= 0 || budget_ == 0 || c_.chance(20)) return leaf(type);
  const Type& t = types_[type];
  switch (t.form) {
    case Form::matrix: return matrix_value(type, depth);
    case Form::structure: {
      Text out;
      if (c_.chance(50) && call(type, false, depth, out)) return out;
      return c_.chance(50) ? construct(type, depth) : leaf(type);
    }
    case Form::array: return leaf(type);
    case Form::vector: break;
  }
  switch (t.kind) {
    case Kind::float_: return floating(type, depth);
    case Kind::bool_: return boolean(type, depth);
    default: return integer(type, depth);
  }
}

}  // namespace carry::gen

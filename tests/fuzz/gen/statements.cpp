#include "gen/generator.h"

namespace carry::gen {

void Generator::line(const Text& text) { text_ += std::string(size_t{indent_} * 2, ' ') + text + "\n"; }
void Generator::open(const Text& text) {
  line(text);
  ++indent_;
}
void Generator::close(const Text& text) {
  --indent_;
  line(text);
}

/// Initial value in a declaration: arrays have one here only.
std::string Generator::declaration(uint32_t type) {
  const Type t = types_[type];
  if (t.form != Form::array) return expression(type, 3);
  // A list in braces would do for both languages; the constructor of GLSL is the commoner form there.
  const uint32_t part = t.part;
  const bool nested = types_[part].form == Form::array;
  Text out = glsl() && !nested ? declare(type, "") + "(" : "{";
  for (uint32_t i = 0; i < t.count; ++i) out += (i != 0 ? ", " : "") + (nested ? declaration(part) : expression(part, 2));
  if (glsl() && !nested) {
    const size_t space = out.find(' ');
    out.erase(space, 1);
  }
  return out + (glsl() && !nested ? ")" : "}");
}

void Generator::local() {
  const uint32_t type = any_type();
  const Text name = "v" + std::to_string(names_++);
  const bool constant = c_.chance(10);
  const Text value = declaration(type);
  line((constant ? "const " : "") + declare(type, name) + " = " + value + ";");
  scope_.push_back({name, type, !constant});
}

void Generator::assignment() {
  const uint32_t wanted = any_type();
  Path path;
  if (!find_path(wanted, true, path)) return local();
  const Type t = types_[wanted];
  if (t.form == Form::array) {
    Path other;
    if (find_path(wanted, false, other)) line(path.text + " = " + other.text + ";");
    return;
  }
  const bool number = t.form == Form::vector && t.kind != Kind::bool_;
  if (number && c_.chance(15)) {
    const Text op = c_.chance(50) ? "++" : "--";
    line(c_.chance(50) ? path.text + op + ";" : op + path.text + ";");
    return;
  }
  Text op = " = ";
  if (number && c_.chance(35)) {
    static constexpr const char* kOps[] = {" += ", " -= ", " *= ", " /= ", " %= ", " &= ", " |= ", " ^= ", " <<= ", " >>= "};
    op = kOps[c_.below(t.kind == Kind::float_ ? 4 : 10)];
  }
  line(path.text + op + expression(wanted, 4) + ";");
}

void Generator::block(int depth) {
  const size_t size = scope_.size();
  statements(1 + c_.below(3), depth - 1);
  scope_.resize(size);
}

void Generator::branch(int depth) {
  open("if (" + scalar(Kind::bool_, 3) + ") {");
  block(depth);
  while (c_.chance(20)) {
    close("} else if (" + scalar(Kind::bool_, 2) + ") {");
    ++indent_;
    block(depth);
  }
  if (c_.chance(45)) {
    close("} else {");
    ++indent_;
    block(depth);
  }
  close();
}

/// The counter is not among what may be written, so that the loop ends.
void Generator::loop(int depth) {
  const uint32_t turns = 1 + c_.below(4);
  const Text i = "i" + std::to_string(names_++);
  const uint32_t outer_switches = switches_, outer_weight = weight_;
  const size_t size = scope_.size();
  const uint32_t form = c_.below(3);
  const bool is_int = c_.chance(50);
  const Text type = is_int ? "int" : "uint";
  const Text suffix = is_int ? "" : "u";
  const Text limit = std::to_string(turns) + suffix;
  switches_ = 0;
  weight_ *= turns;
  ++loops_;
  if (form == 0) {
    const bool also = c_.chance(40);
    open("for (" + type + " " + i + " = 0" + suffix + "; " + (also ? "(" : "") + i + " < " + limit +
         (also ? ") && " + scalar(Kind::bool_, 2) : "") + "; " + (c_.chance(50) ? i + "++" : i + " += 1" + suffix) + ") {");
    scope_.push_back({i, vector(is_int ? Kind::int_ : Kind::uint_, 1), false});
    block(depth);
    close();
  } else {
    line(type + " " + i + " = 0" + suffix + ";");
    scope_.push_back({i, vector(is_int ? Kind::int_ : Kind::uint_, 1), false});
    open(form == 1 ? "while (" + i + " < " + limit + ") {" : "do {");
    line(i + "++;");
    block(depth);
    // HLSL and GLSL: the condition of do does not see the body's variables.
    if (form == 1) {
      close();
    } else {
      close("} while ((" + i + " < " + limit + ") && " + scalar(Kind::bool_, 2) + ");");
    }
  }
  --loops_;
  switches_ = outer_switches;
  weight_ = outer_weight;
  scope_.resize(size);
}

void Generator::switch_statement(int depth) {
  const bool is_int = c_.chance(50);
  const Text suffix = is_int ? "" : "u";
  open("switch (" + scalar(is_int ? Kind::int_ : Kind::uint_, 2) + " & 3" + suffix + ") {");
  ++switches_;
  const uint32_t cases = 1 + c_.below(3);
  const uint32_t default_at = c_.below(cases + 1);
  for (uint32_t k = 0; k <= cases; ++k) {
    if (k == default_at) {
      line("default:");
      if (c_.chance(30)) line("case " + std::to_string(k) + suffix + ":");
    } else {
      line("case " + std::to_string(k) + suffix + ":");
      if (c_.chance(15)) line("case " + std::to_string(k + 5) + suffix + ":");
    }
    open("{");
    block(depth);
    close();
    // HLSL has no fall-through out of a case with statements.
    if (!glsl() || k == cases || c_.chance(75)) line("break;");
  }
  --switches_;
  close();
}

void Generator::jump() {
  const uint32_t n = c_.below(4);
  Text what;
  if (n == 0 && loops_ > 0) what = "continue;";
  if (n == 1 && (loops_ > 0 || switches_ > 0)) what = "break;";
  if (n == 2 && may_return_) what = has_result_ ? "return " + expression(result_, 2) + ";" : "return;";
  if (what.empty()) return assignment();
  if (c_.chance(85)) {
    line("if (" + scalar(Kind::bool_, 2) + ") { " + what + " }");
    return;
  }
  line(what);
}

void Generator::carry_statement() {
  if (!glsl()) return assignment();
  const uint32_t n = c_.below(3);
  const Kind kind = n == 2 && c_.chance(50) ? Kind::int_ : Kind::uint_;
  const uint32_t type = vector(kind, 1 + c_.below(4));
  Path a, b;
  if (!find_path(type, true, a) || !find_path(type, true, b)) return local();
  const Text x = expression(type, 2), y = expression(type, 2);
  if (n < 2) {
    line(a.text + " = " + call_function(n == 0 ? "uaddCarry" : "usubBorrow", {x, y, b.text}) + ";");
  } else {
    line(call_function(kind == Kind::int_ ? "imulExtended" : "umulExtended", {x, y, a.text, b.text}) + ";");
  }
}

void Generator::atomic_statement() {
  static constexpr const char* kNames[] = {"Add", "Min", "Max", "And", "Or", "Xor"};
  const Text op = kNames[c_.below(6)];
  const Text value = scalar(Kind::uint_, 2);
  if (!glsl()) {
    const Text name =
        op == "And" || op == "Or" || op == "Xor" || op == "Add" || op == "Min" || op == "Max" ? "Interlocked" + op : op;
    if (c_.chance(40)) {
      Path old;
      if (find_path(vector(Kind::uint_, 1), true, old) && old.text.find('[') == Text::npos) {
        line(name + "(own[gid], " + value + ", " + old.text + ");");
        return;
      }
    }
    line(name + "(own[gid], " + value + ");");
    return;
  }
  Path old;
  const Text invocation = "atomic" + op + "(own[gid], " + value + ")";
  line(c_.chance(50) && find_path(vector(Kind::uint_, 1), true, old) ? old.text + " = " + invocation + ";" : invocation + ";");
}

void Generator::statement(int depth) {
  const uint32_t n = depth > 0 && budget_ > 0 && weight_ < 64 ? c_.below(20) : c_.below(12);
  switch (n) {
    case 0:
    case 1:
    case 2: return local();
    case 8: return jump();
    case 9: return carry_statement();
    case 10: {
      Text out;
      if (call(0, true, 3, out)) return line(out + ";");
      return assignment();
    }
    case 11: return atomic_statement();
    case 12:
    case 13:
    case 14: return branch(depth);
    case 15:
    case 16: return loop(depth);
    case 17: return switch_statement(depth);
    case 18:
      open("{");
      block(depth);
      return close();
    default: return assignment();
  }
}

void Generator::statements(uint32_t count, int depth) {
  for (uint32_t i = 0; i < count; ++i) {
    cost_ += weight_;
    statement(depth);
  }
}

}  // namespace carry::gen

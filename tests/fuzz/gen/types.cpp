#include "gen/generator.h"

namespace carry::gen {

uint32_t Generator::intern(const Type& type) {
  for (uint32_t i = 0; i < types_.size(); ++i) {
    const Type& t = types_[i];
    if (t.form == type.form && t.form != Form::structure && t.kind == type.kind && t.rows == type.rows &&
        t.columns == type.columns && t.count == type.count && t.part == type.part)
      return i;
  }
  types_.push_back(type);
  return static_cast<uint32_t>(types_.size() - 1);
}

uint32_t Generator::vector(Kind kind, uint32_t rows) {
  Type t;
  t.kind = kind;
  t.rows = rows;
  return intern(t);
}
uint32_t Generator::matrix(uint32_t columns, uint32_t rows) {
  Type t;
  t.form = Form::matrix;
  t.kind = Kind::float_;
  t.columns = columns;
  t.rows = rows;
  return intern(t);
}
uint32_t Generator::array(uint32_t part, uint32_t count) {
  Type t;
  t.form = Form::array;
  t.part = part;
  t.count = count;
  return intern(t);
}

bool Generator::vector_of(uint32_t type, Kind kind, uint32_t rows) const {
  const Type& t = types_[type];
  return t.form == Form::vector && t.kind == kind && t.rows == rows;
}

Kind Generator::number_kind() {
  const uint32_t n = c_.below(o_.floats ? 7 : 4);
  return n < 2 ? Kind::int_ : n < 4 ? Kind::uint_ : Kind::float_;
}

uint32_t Generator::vector_type() {
  const Kind kind = c_.chance(12) ? Kind::bool_ : number_kind();
  return vector(kind, c_.chance(55) ? 1 : 2 + c_.below(3));
}

uint32_t Generator::value_type() {
  const uint32_t n = c_.below(10);
  if (n == 0 && o_.floats) return matrix(2 + c_.below(3), 2 + c_.below(3));
  if (n == 1 && !structs_.empty()) return structs_[c_.below(static_cast<uint32_t>(structs_.size()))];
  return vector_type();
}

uint32_t Generator::any_type() {
  if (!c_.chance(20)) return value_type();
  const uint32_t part = value_type();
  const uint32_t one = array(part, 2 + c_.below(4));
  return c_.chance(12) && types_[part].form == Form::vector ? array(one, 2) : one;
}

uint32_t Generator::word_count(uint32_t type) {
  const Type& t = types_[type];
  switch (t.form) {
    case Form::vector: return t.rows;
    case Form::matrix: return t.rows * t.columns;
    case Form::array: return t.count * word_count(t.part);
    case Form::structure: break;
  }
  uint32_t sum = 0;
  for (uint32_t m : t.members) sum += word_count(m);
  return sum;
}

void Generator::make_structs() {
  const uint32_t count = 1 + c_.below(3);
  for (uint32_t i = 0; i < count; ++i) {
    Type t;
    t.form = Form::structure;
    t.name = "S" + std::to_string(i);
    uint32_t words = 0;
    for (uint32_t n = 1 + c_.below(4); n > 0; --n) {
      const uint32_t member = any_type();
      if (words + word_count(member) > 24) continue;
      words += word_count(member);
      t.members.push_back(member);
    }
    if (t.members.empty()) t.members.push_back(vector(Kind::uint_, 1));
    open("struct " + t.name + " {");
    for (uint32_t m = 0; m < t.members.size(); ++m) line(declare(t.members[m], "m" + std::to_string(m)) + ";");
    close("};");
    types_.push_back(t);
    structs_.push_back(static_cast<uint32_t>(types_.size() - 1));
  }
}

std::string Generator::name(uint32_t type) {
  static constexpr const char* kScalar[] = {"int", "uint", "bool", "float"};
  static constexpr const char* kVector[] = {"ivec", "uvec", "bvec", "vec"};
  const Type& t = types_[type];
  const auto kind = static_cast<size_t>(t.kind);
  switch (t.form) {
    case Form::vector:
      if (t.rows == 1) return kScalar[kind];
      return (glsl() ? kVector[kind] : kScalar[kind]) + std::to_string(t.rows);
    case Form::matrix:
      // An HLSL row is a GLSL column: m[i] is the same in both.
      return (glsl() ? "mat" : "float") + std::to_string(t.columns) + "x" + std::to_string(t.rows);
    default: return t.name;
  }
}

std::string Generator::declare(uint32_t type, const std::string& variable) {
  std::string sizes;
  while (types_[type].form == Form::array) {
    sizes += "[" + std::to_string(types_[type].count) + "]";
    type = types_[type].part;
  }
  return name(type) + " " + variable + sizes;
}

}  // namespace carry::gen

// The state of one generated program. Internal to gen/: types.cpp, expressions.cpp, statements.cpp, program.cpp.
#pragma once

#include <string>
#include <vector>

#include "gen/shader.h"

namespace carry::gen {

enum class Kind : uint8_t { int_, uint_, bool_, float_ };
enum class Form : uint8_t { vector, matrix, structure, array };  // a scalar is a vector of one

struct Type {
  Form form = Form::vector;
  Kind kind = Kind::int_;
  uint32_t rows = 1;     // vector size; of a matrix' columns
  uint32_t columns = 1;  // matrix
  uint32_t count = 0;    // array
  uint32_t part = 0;     // array: element, index into Generator::types_
  std::vector<uint32_t> members;
  std::string name;
};

struct Variable {
  std::string name;
  uint32_t type = 0;
  bool writable = true;
};

/// A place in memory or a part of a value.
struct Path {
  std::string text;
  uint32_t type = 0;
};

struct Parameter {
  uint32_t type = 0;
  enum class Way : uint8_t { in, out, inout } way = Way::in;
};
struct Function {
  std::string name;
  uint32_t result = 0;
  bool has_result = false;
  std::vector<Parameter> parameters;
  uint32_t cost = 1;
};

class Generator {
 public:
  Generator(Choices& choices, const ShaderOptions& options) : c_(choices), o_(options) {}
  std::string program();

 private:
  using Text = std::string;

  // ---- types.cpp
  uint32_t vector(Kind kind, uint32_t rows);
  uint32_t matrix(uint32_t columns, uint32_t rows);
  uint32_t array(uint32_t part, uint32_t count);
  uint32_t intern(const Type& type);
  Kind number_kind();
  uint32_t vector_type();
  uint32_t value_type();  // vector, matrix or structure
  uint32_t any_type();    // arrays too
  void make_structs();
  Text name(uint32_t type);
  Text declare(uint32_t type, const Text& variable);
  uint32_t word_count(uint32_t type);
  bool vector_of(uint32_t type, Kind kind, uint32_t rows) const;

  // ---- expressions.cpp
  Text literal(Kind kind);
  Text construct(uint32_t type, int depth);
  Text leaf(uint32_t type);
  Text expression(uint32_t type, int depth);
  Text scalar(Kind kind, int depth) { return expression(vector(kind, 1), depth); }
  Text index(uint32_t count, int depth);
  bool find_path(uint32_t type, bool write, Path& out);
  bool step_into(Path& path, bool write);
  Text swizzle(uint32_t rows, uint32_t wanted, bool distinct);
  Text integer(uint32_t type, int depth);
  Text integer_builtin(uint32_t type, int depth);
  Text floating(uint32_t type, int depth);
  Text floating_builtin(uint32_t type, int depth);
  Text boolean(uint32_t type, int depth);
  Text compare(int depth);
  Text any_vector(uint32_t type, int depth);  // select, conversion, swizzle, call, assignment
  Text matrix_value(uint32_t type, int depth);
  Text convert(uint32_t type, int depth);
  Text splat(uint32_t type, const Text& value);
  bool call(uint32_t result, bool any_result, int depth, Text& out);
  Text call_function(const Text& function, std::initializer_list<Text> arguments);

  // ---- statements.cpp
  void line(const Text& text);
  void open(const Text& text);
  void close(const Text& text = "}");
  void block(int depth);
  void statements(uint32_t count, int depth);
  void statement(int depth);
  Text declaration(uint32_t type);
  void local();
  void assignment();
  void branch(int depth);
  void loop(int depth);
  void switch_statement(int depth);
  void jump();
  void carry_statement();
  void atomic_statement();
  void initialise(const Path& path);

  // ---- program.cpp
  void declare_resources();
  void globals();
  void function();
  void main_function();
  void exchange();
  void results(const Path& path, uint32_t& slot);
  Text as_word(const Path& path);

  bool glsl() const { return !o_.hlsl; }

  Choices& c_;
  ShaderOptions o_;
  std::vector<Type> types_;
  std::vector<uint32_t> structs_;
  std::vector<Variable> scope_;
  std::vector<Function> functions_;
  Text text_;
  uint32_t indent_ = 0, names_ = 0, budget_ = 0;
  uint32_t item_ = 0, shared_ = 0;
  uint32_t loops_ = 0;     // open loops
  uint32_t switches_ = 0;  // open in the innermost loop
  uint32_t nesting_ = 0;   // indices within indices
  uint32_t weight_ = 1;    // how often this place runs, at most
  uint32_t cost_ = 0;
  bool may_return_ = false, in_main_ = false;
  bool has_result_ = false;
  uint32_t result_ = 0;
};

}  // namespace carry::gen

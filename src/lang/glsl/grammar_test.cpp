#include "lang/glsl/grammar.h"

#include <gtest/gtest.h>

#include <string>

#include "lex/scan.h"
#include "syntax/parser.h"

namespace carry {
namespace {

struct Parsed {
  SourceMap sources;
  Names names;
  Emitter diags;
  TokenBuffer tokens;
  std::string tree;
  std::string messages;

  explicit Parsed(std::string text, LanguageMode mode = {}) {
    const SourceId file = sources.add_file("a.comp", std::move(text));
    tokens = scan(sources, file, names, diags);
    const Tree t = syntax::parse(tokens, names, sources, mode, glsl::grammar(), diags);
    tree = dump(t);
    for (const Diagnostic& d : diags.diagnostics()) messages += message_text(d) + "\n";
  }
};

LanguageMode essl(uint16_t version) {
  LanguageMode mode;
  mode.glsl_version = version;
  mode.profile = GlslProfile::es;
  return mode;
}

LanguageMode core(uint16_t version) {
  LanguageMode mode;
  mode.glsl_version = version;
  return mode;
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(GlslGrammar, FunctionWithExpressions) {
  const Parsed p("int f(const in int a, vec2[3] b) { return -a * 2 + b[1].x; }");
  EXPECT_EQ(p.messages, "");
  EXPECT_EQ(p.tree, R"(translation_unit
  function_decl f
    qualifiers
    builtin_type int
    empty
    params
      param a
        qualifiers
          qualifier const
          qualifier in
        builtin_type int
        array_dims
        annotations
        empty
      param b
        qualifiers
        array_type
          builtin_type vec2
          array_dims
            int_literal
        array_dims
        annotations
        empty
    annotations
    block
      return_stmt
        binary +
          binary *
            unary -
              name a
            int_literal
          member x
            index
              name b
              int_literal
)");
}

TEST(GlslGrammar, Blocks) {
  const Parsed p(R"(
layout(local_size_x = 8, local_size_y = 1 + 1) in;
layout(std430, binding = 0) readonly buffer B { uint n; float data[]; } b[2];
uniform U { mat4 m; };
invariant gl_Position;
)");
  EXPECT_EQ(p.messages, "");
  EXPECT_EQ(p.tree, R"(translation_unit
  qualifier_decl
    qualifiers
      layout_qualifier
        layout_id local_size_x
          int_literal
        layout_id local_size_y
          binary +
            int_literal
            int_literal
      qualifier in
  interface_block B
    qualifiers
      layout_qualifier
        layout_id std430
          empty
        layout_id binding
          int_literal
      qualifier readonly
      qualifier buffer
    block_members
      var_decl
        qualifiers
        builtin_type uint
        declarator n
          array_dims
          annotations
          empty
      var_decl
        qualifiers
        builtin_type float
        declarator data
          array_dims
            empty
          annotations
          empty
    declarator b
      array_dims
        int_literal
      annotations
      empty
  interface_block U
    qualifiers
      qualifier uniform
    block_members
      var_decl
        qualifiers
        builtin_type mat4
        declarator m
          array_dims
          annotations
          empty
    empty
  qualifier_decl
    qualifiers
      qualifier invariant
    name gl_Position
)");
}

TEST(GlslGrammar, ConstructorsAndStatements) {
  const Parsed p(R"(
struct S { int a; };
void main() {
  S s = S(1), t[2] = S[2](s, s), u[] = { s, { 2 } };
  vec3[](vec3(0), vec3(1)).length();
  for (int i = 0, n = t.length(); i < n; ++i) if (i == 2) continue; else break;
  while (bool go = s.a > 0) { s.a--; }
  do s.a += 1; while (s.a < 3);
  switch (s.a) { case 1: case 2 + 1: discard; default: return; }
  for (;;) ;
  s.a = true ? 1 : false ? 2 : 3, s.a = 4;
}
)");
  EXPECT_EQ(p.messages, "");
  EXPECT_TRUE(has(p.tree, "call\n            array_type\n              name S\n"));
  EXPECT_TRUE(has(p.tree, "while_stmt\n        var_decl"));
  EXPECT_FALSE(has(p.tree, "error"));
}

TEST(GlslGrammar, WordsByVersion) {
  EXPECT_EQ(Parsed("int sample = 1, buffer = 2;", core(330)).messages, "");
  EXPECT_TRUE(has(Parsed("int sample = 1;", essl(310)).messages, "`sample` is a reserved word"));
  EXPECT_TRUE(has(Parsed("int goto = 1;").messages, "`goto` is a reserved word of GLSL"));
  EXPECT_EQ(Parsed("int uint64_t = 1;").messages, "");
  const Parsed wide("uint64_t a;\nint b;");
  EXPECT_EQ(wide.messages, "");  // an unknown type: the checker's message
  EXPECT_EQ(Parsed("precision mediump float; varying highp vec2 v;", essl(100)).messages, "");
}

TEST(GlslGrammar, OrderOfQualifiers) {
  EXPECT_TRUE(has(Parsed("in flat int a;", core(330)).messages, "`flat` must stand before `in` in version 330"));
  EXPECT_EQ(Parsed("in flat int a;", core(450)).messages, "");
}

TEST(GlslGrammar, ErrorsRecover) {
  const Parsed p(R"(
void f() {
  int a = 1
  int b = (2 + ;
  foo(1, 2;
  if (a == 1 { b = 2; }
  a = b b;
  else a = 1;
}
int g( { return 1; }
int x y;
void h() { a = 1; }
)");
  EXPECT_EQ(p.diags.error_count(), 8u) << p.messages;
  EXPECT_TRUE(has(p.messages, "expected `;`, found `int`")) << p.messages;
  EXPECT_TRUE(has(p.messages, "expected an expression, found `;`")) << p.messages;
  EXPECT_TRUE(has(p.messages, "expected `)`, found `;`")) << p.messages;
  EXPECT_TRUE(has(p.messages, "expected `)`, found `{`")) << p.messages;
  EXPECT_TRUE(has(p.messages, "`else` without an `if`")) << p.messages;
  EXPECT_TRUE(has(p.tree, "function_decl h\n")) << p.tree;
}

TEST(GlslGrammar, StructWithoutSemicolon) {
  const Parsed p("struct S { int a; }\nvoid main() { }\n");
  EXPECT_EQ(p.messages, "expected `;`, found `void`\n");
  EXPECT_TRUE(has(p.tree, "function_decl main"));
}

std::string repeat(std::string_view text, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += text;
  return out;
}

TEST(GlslGrammar, DepthIsBounded) {
  for (const char* open : {"(", "-", "f(", "a[", "{", "if (a) ", "a = ", "b ? ", "for (;;) "}) {
    const Parsed p("void main() { int x; " + repeat(open, 100000) + " }");
    EXPECT_TRUE(has(p.messages, "nested deeper than 256 levels")) << open;
    EXPECT_EQ(p.diags.error_count(), 1u) << open << p.messages.substr(0, 300);
  }
  EXPECT_TRUE(has(Parsed("void main() { int x; " + repeat("if (a) {} else ", 5000) + " ; }").messages,
                  "more than 4000 `else if` in one chain"));
  EXPECT_EQ(Parsed("void main() { int x = 1" + repeat(" + x", 100000) + "; }").messages, "");
  EXPECT_EQ(Parsed("void main() { x" + repeat(".x", 100000) + "; }").messages, "");
  EXPECT_EQ(Parsed("void main() { if (a) ; " + repeat("else if (b) ;", 900) + "}").messages, "");
  EXPECT_TRUE(has(Parsed(repeat("struct S {", 1000)).messages, "nested deeper"));
}

}  // namespace
}  // namespace carry

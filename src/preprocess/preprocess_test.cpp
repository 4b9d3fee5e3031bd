#include "preprocess/preprocess.h"

#include <gtest/gtest.h>

#include <string>

#include "diag/render.h"
#include "lex/scan.h"

namespace carry {
namespace {

struct Job {
  SourceMap sources;
  Names names;
  Emitter diags;
  MemoryResolver files{{""}};
  PreprocessOptions options;
  Preprocessed result;

  Job() { options.default_version = {450, GlslProfile::core}; }
  static Job hlsl() {
    Job run;
    run.options.language = PreprocessLanguage::hlsl;
    run.options.default_version = {};
    return run;
  }
  /// The tokens with blanks between, or the names of the errors in brackets.
  std::string operator()(const std::string& text) {
    const SourceId main = sources.add_file("main.x", text);
    result = preprocess(sources, main, names, diags, options, &files);
    std::string out;
    for (const Diagnostic& d : diags.diagnostics()) {
      if (d.severity != Severity::note) out += "[" + std::string(diag_row(d.id).name) + "]";
    }
    const size_t errors = out.size();
    for (const Token& token : result.tokens.tokens) {
      const auto kind = static_cast<TokenKind>(uint32_t{token.kind});
      if (kind == TokenKind::eof) break;
      if (out.size() > errors) out += ' ';
      if (kind == TokenKind::identifier) {
        out += names.text(NameId(uint32_t{token.name}));
      } else if (kind > TokenKind::invalid) {
        out += token_kind_text(kind);
      } else {
        out += sources.token_text(token.loc);
      }
    }
    return out;
  }
};

std::string glsl(const std::string& text) {
  Job run;
  return run(text);
}
std::string hlsl(const std::string& text) {
  Job run = Job::hlsl();
  return run(text);
}

TEST(Preprocess, ObjectMacros) {
  EXPECT_EQ(glsl("#define A B+1\n#define B 2\nA;"), "2 + 1 ;");
  EXPECT_EQ(glsl("#define A\nx A y"), "x y");
  EXPECT_EQ(glsl("#define A 1\n#undef A\nA"), "A");
  EXPECT_EQ(glsl("#define A \\\n 1 \\\n + 2\nA"), "1 + 2");
  EXPECT_EQ(glsl("#define A(x) x\n#define B A\nB(3) A"), "3 A");
}

TEST(Preprocess, FunctionMacros) {
  EXPECT_EQ(glsl("#define M(a,b) a-b\nM(1,(2,3))"), "1 - ( 2 , 3 )");
  EXPECT_EQ(glsl("#define M(a) [a]\nM()M( )"), "[ ] [ ]");
  EXPECT_EQ(glsl("#define M() x\nM()M ()"), "x x");
  EXPECT_EQ(glsl("#define M(a) a\nM\n(\n1\n)"), "1");
  EXPECT_EQ(glsl("#define M (1)\nM"), "( 1 )");
  EXPECT_EQ(glsl("#define F(a) a*G\n#define G(a) F(a)\nF(2)(9)"), "2 * 9 * G");
  EXPECT_EQ(glsl("#define X 7\n#define C(a) a X\nC(X)"), "7 7");
  EXPECT_EQ(glsl("#define M(a) a\nM(\n#if 1\n1\n#else\n2\n#endif\n)"), "1");
}

TEST(Preprocess, SelfReference) {
  EXPECT_EQ(glsl("#define foo foo + 1\nfoo"), "foo + 1");
  EXPECT_EQ(glsl("#define a b\n#define b a\na b"), "a b");
  EXPECT_EQ(glsl("#define value inst.value\n#define twice(x) ((x)+(x))\ntwice(value)"),
            "( ( inst . value ) + ( inst . value ) )");
  EXPECT_EQ(glsl("#define ping(x) pong(ping(x))\n#define pong(x) ping(pong(x))\nping(4u)"), "ping ( pong ( ping ( 4u ) ) )");
  EXPECT_EQ(glsl("#define f(x) x\nf(f)(1)"), "f ( 1 )");
}

TEST(Preprocess, StandardExample) {
  // C11 6.10.3.5, example 3, without its stringified part.
  const char* defines =
      "#define x 3\n#define f(a) f(x * (a))\n#undef x\n#define x 2\n#define g f\n#define z z[0]\n"
      "#define h g(~\n#define m(a) a(w)\n#define w 0,1\n#define t(a) a\n#define p() int\n#define q(x) x\n"
      "#define r(x,y) x ## y\n";
  EXPECT_EQ(hlsl(std::string(defines) + "f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);"),
            "f ( 2 * ( y + 1 ) ) + f ( 2 * ( f ( 2 * ( z [ 0 ] ) ) ) ) % f ( 2 * ( 0 ) ) + t ( 1 ) ;");
  EXPECT_EQ(hlsl(std::string(defines) + "g(x+(3,4)-w) | h 5) & m\n(f)^m(m);"),
            "f ( 2 * ( 2 + ( 3 , 4 ) - 0 , 1 ) ) | f ( 2 * ( ~ 5 ) ) & f ( 2 * ( 0 , 1 ) ) ^ m ( 0 , 1 ) ;");
  EXPECT_EQ(hlsl(std::string(defines) + "p() i[q()] = { q(1), r(2,3), r(4,), r(,5), r(,) };"),
            "int i [ ] = { 1 , 23 , 4 , 5 , } ;");
}

TEST(Preprocess, PasteAndStringify) {
  EXPECT_EQ(glsl("#define C(a,b) a##b\nC(x,1) C(+,=) C(1,.5)"), "x1 += 1.5");
  EXPECT_EQ(glsl("#define C(a,b) a##b\n#define xy z\nC(x,y)"), "z");
  EXPECT_EQ(glsl("#define C(a,b) a##b\nC(+,x)"), "[bad-paste]+ x");
  EXPECT_EQ(glsl("#version 310 es\n#define C(a,b) a##b\n"), "[no-token-pasting]");
  EXPECT_EQ(glsl("#define C(a) #a\n"), "[no-stringification]");
  EXPECT_EQ(hlsl("#define S(a) #a\nS( x  + \"q\\n\" )"), "\"x + \\\"q\\\\n\\\"\"");
  EXPECT_EQ(hlsl("#define hash_hash # ## #\n#define mk(a) # a\n#define in(a) mk(a)\n#define join(c, d) in(c hash_hash "
                 "d)\njoin(x, y)"),
            "\"x ## y\"");
  EXPECT_EQ(hlsl("#define t(x,y,z) x ## y ## z\nt(1,2,3) t(,4,5) t(6,,7) t(8,9,) t(10,,) t(,11,) t(,,12) t(,,)"),
            "123 45 67 89 10 11 12");
}

TEST(Preprocess, Variadic) {
  EXPECT_EQ(hlsl("#define V(a,...) a(__VA_ARGS__)\nV(f,1,2) V(g)"), "f ( 1 , 2 ) g ( )");
  EXPECT_EQ(hlsl("#define V(a,...) f(a, ## __VA_ARGS__)\nV(1) V(1,2)"), "f ( 1 ) f ( 1 , 2 )");
  EXPECT_EQ(hlsl("#define V(a...) f(a)\nV(1,2)"), "f ( 1 , 2 )");
  EXPECT_EQ(glsl("#define V(...) x\n"), "[bad-macro-parameters]");
}

TEST(Preprocess, Conditions) {
  EXPECT_EQ(glsl("#if 1\na\n#elif 1/0\nb\n#else\nc\n#endif\nd"), "a d");
  EXPECT_EQ(glsl("#if 0\n#if 1\na\n#else\nb\n#endif\n#elif defined(X)\nc\n#elif !defined X\nd\n#endif"), "d");
  EXPECT_EQ(glsl("#ifdef A\nx\n#else\ny\n#endif"), "y");
  EXPECT_EQ(glsl("#define A\n#ifndef A\nx\n#else\ny\n#endif"), "y");
  EXPECT_EQ(glsl("#if 0\ndon't \"stop\n#endif\nx"), "x");
  EXPECT_EQ(glsl("#if (1 << 40) > 0 && -1 < 0 && 7 / 2 == 3 && -7 % 3 == -1 && ~0 == -1 && 0x10 == 020\ny\n#endif"), "y");
  EXPECT_EQ(glsl("#if 1 || 1/0\ny\n#endif"), "y");
  EXPECT_EQ(glsl("#if 0 && 1/0\n#else\ny\n#endif"), "y");
  EXPECT_EQ(glsl("#if 1 +\n#endif"), "[condition-syntax]");
  EXPECT_EQ(glsl("#if 1/0\n#endif"), "[condition-division-by-zero]");
  EXPECT_EQ(glsl("#if\n#endif"), "[condition-missing]");
  EXPECT_EQ(glsl("#if 1\n"), "[unterminated-conditional]");
  EXPECT_EQ(glsl("#endif\n#else\n"), "[conditional-without-if][conditional-without-if]");
  EXPECT_EQ(glsl("#if 1\n#else\n#else\n#endif"), "[conditional-after-else]");
  EXPECT_EQ(glsl("#if 0\n#else\n#elif 1\n#endif"), "[conditional-after-else]");
  EXPECT_EQ(glsl("#ifdef A B\n#endif X\n"), "[extra-tokens][extra-tokens]");
  EXPECT_EQ(glsl("#if X\n#endif"), "[undefined-in-condition-is-zero]");
  EXPECT_EQ(glsl("#version 310 es\n#if X\n#endif"), "[undefined-in-condition]");
  EXPECT_EQ(glsl("#version 310 es\n#if defined(X) && X > 1\n#else\ny\n#endif"), "y");
  EXPECT_EQ(hlsl("#if X == 0 ? 1 : 0\ny\n#endif\n#if 'a' == 97\nz\n#endif"), "y z");
  EXPECT_EQ(hlsl("#define D defined(Q)\n#if D\nx\n#else\ny\n#endif"), "y");
  EXPECT_EQ(hlsl("#if -1 > 0u\ny\n#endif"), "y");
  EXPECT_EQ(hlsl("#if (-9223372036854775807 - 1) / -1 < 0 && (-9223372036854775807 - 1) % -1 == 0\ny\n#endif"), "y");
}

TEST(Preprocess, DirectiveFaults) {
  EXPECT_EQ(glsl("#foo\n#\nx"), "[unknown-directive]x");
  EXPECT_EQ(glsl("#error don't do this\nx"), "[error-directive]x");
  EXPECT_EQ(hlsl("#warning careful\nx"), "[warning-directive]x");
  EXPECT_EQ(glsl("#define A 1\n#define A 1\n#define A 2\nA"), "[macro-redefinition]1");
  EXPECT_EQ(hlsl("#define A 1\n#define A 2\nA"), "[macro-redefined]2");
  EXPECT_EQ(glsl("#define GL_x 1\n#define defined 1\n#undef __LINE__\n"),
            "[reserved-macro-name][reserved-macro-name][reserved-macro-name]");
  EXPECT_EQ(glsl("#define M(a,a) a\n"), "[duplicate-macro-parameter]");
  EXPECT_EQ(glsl("#define M(a\n"), "[bad-macro-parameters]");
  EXPECT_EQ(glsl("#define M(a) a\nM(1,2);"), "[macro-argument-count]M ;");
  EXPECT_EQ(glsl("#define M(a) a\nM(1;"), "[unterminated-macro-call]M");
  EXPECT_EQ(glsl("#define\n#define 1\n"), "[macro-name-missing][macro-name-missing]");
  EXPECT_EQ(glsl("a $ b"), "[character-not-allowed]a b");
}

TEST(Preprocess, Includes) {
  Job run = Job::hlsl();
  run.files.add("a.h", "#pragma once\nint a;\n#include \"sub/b.h\"\n");
  run.files.add("sub/b.h", "int b;\n#include \"c.h\"\n");
  run.files.add("sub/c.h", "int c;");
  EXPECT_EQ(run("#include \"a.h\"\n#include \"./a.h\"\n#define F <sub/c.h>\n#include F\nend"),
            "int a ; int b ; int c ; int c ; end");
  EXPECT_EQ(run.result.dependencies, (std::vector<std::string>{"a.h", "sub/b.h", "sub/c.h"}));
  EXPECT_EQ(hlsl("#include \"none.h\"\n#include\n"), "[include-not-found][include-name-missing]");

  Job gl;
  gl.files.add("a.h", "int a;");
  EXPECT_EQ(gl("#version 450\n#include \"a.h\"\n"), "[include-needs-extension]int a ;");
  EXPECT_EQ(gl.diags.diagnostics()[0].fixes.size(), 1u);
  Job enabled;
  enabled.files.add("a.h", "int a;");
  EXPECT_EQ(enabled("#version 450\n#extension GL_GOOGLE_include_directive : require\n#include \"a.h\"\n"), "int a ;");
}

TEST(Preprocess, Limits) {
  Job deep = Job::hlsl();
  deep.files.add("a.h", "#include \"a.h\"\n#include \"a.h\"\n");
  EXPECT_EQ(deep("#include \"a.h\"\n"), "[include-too-deep]");
  EXPECT_TRUE(deep.result.failed);

  std::string bomb = "#define A0 x x x x\n";
  for (int i = 1; i < 40; ++i) {
    const std::string prev = "A" + std::to_string(i - 1);
    bomb += "#define A" + std::to_string(i) + " " + prev + " " + prev + " " + prev + "\n";
  }
  Job big;
  big.options.limits.expanded_tokens = 10000;
  EXPECT_EQ(big(bomb + "A39").substr(0, 21), "[expansion-too-large]");
  std::string nested = "1";
  for (int i = 0; i < 5000; ++i) nested = "f(" + nested + ")";
  EXPECT_EQ(glsl("#define f(x) x\n" + nested).substr(0, 15), "[macro-nesting]");
  EXPECT_EQ(glsl("#if " + std::string(5000, '(') + "\n#endif").substr(0, 20), "[condition-too-deep]");
  EXPECT_EQ(glsl("#if " + std::string(5000, '!') + "1\ny\n#endif"), "y");
}

TEST(Preprocess, Version) {
  Job run;
  EXPECT_EQ(run("// first\n#version 310 es\n__VERSION__ GL_ES GL_core_profile VULKAN"), "310 1 GL_core_profile 100");
  EXPECT_EQ(run.result.version.version, (LanguageVersion{310, GlslProfile::es}));
  EXPECT_EQ(glsl("#version 450\n__VERSION__ GL_ES GL_core_profile"), "450 GL_ES 1");
  EXPECT_EQ(glsl("#version 450 compatibility\nGL_compatibility_profile"), "1");
  EXPECT_EQ(glsl("#version 455\n"), "[bad-version]");
  EXPECT_EQ(glsl("#version 310\n"), "[bad-version]");
  EXPECT_EQ(glsl("#version 450 foo\n"), "[bad-version]");
  EXPECT_EQ(glsl("int a;\n#version 450\n"), "[version-not-first]int a ;");
  EXPECT_EQ(glsl("#version 450\n#version 450\n"), "[version-again]");
  EXPECT_EQ(glsl("#version 450\n#version 450\n#version 460\n"), "[version-again]");  // the first is enough
  Job none;
  none.options.default_version = {};
  none("precision mediump float;");
  EXPECT_EQ(none.result.version.version, (LanguageVersion{100, GlslProfile::es}));
  Job old;
  old.options.default_version = {};
  old("void main(){}");
  EXPECT_EQ(old.result.version.version, (LanguageVersion{110, GlslProfile::none}));
}

TEST(Preprocess, ExtensionsAndPragmas) {
  Job run;
  run.options.extensions.known = [](std::string_view name, LanguageVersion) { return name == "GL_EXT_known"; };
  EXPECT_EQ(run("#extension GL_EXT_known : enable\n#extension GL_EXT_no : enable\n#extension GL_EXT_no : require\n"
                "#extension all : require\n#extension x : maybe\n#ifdef GL_EXT_known\na\n#endif\n"
                "#if GL_EXT_known && !defined(GL_EXT_no)\nb\n#endif\n#pragma shader_stage(compute)\nc"),
            "[extension-unknown][extension-required-unknown][all-extensions-enabled][bad-extension-behavior]a b c");
  ASSERT_EQ(run.result.extensions.size(), 1u);
  ASSERT_EQ(run.result.pragmas.size(), 1u);
  EXPECT_EQ(run.result.pragmas[0].tokens.size(), 4u);
  EXPECT_EQ(run.result.pragmas[0].before_token, 2u);
}

TEST(Preprocess, LineAndFile) {
  Job run;
  EXPECT_EQ(run("#version 450\n#line 100\n__LINE__\n__LINE__ __FILE__\n#line 7 3\n__LINE__ __FILE__"), "100 101 0 7 3");
  EXPECT_EQ(run.sources.place(run.result.tokens.tokens[0].loc).line, 100u);
  EXPECT_EQ(glsl("#version 150\n#line 100\n__LINE__"), "101");
  EXPECT_EQ(glsl("#version 310 es\n#line 100\n__LINE__"), "100");
  EXPECT_EQ(glsl("#define L __LINE__\n\nL\n#line -1\n"), "[bad-line-directive]3");
  EXPECT_EQ(hlsl("#line 5 \"b.h\"\n__LINE__ __FILE__"), "5 \"b.h\"");
  EXPECT_EQ(hlsl("# 5 \"b.h\" 1 2\n__LINE__"), "5");
  EXPECT_EQ(glsl("#define SKIP \\\n 0u\n#line 100\n__LINE__"), "100");
}

TEST(Preprocess, CommandLine) {
  Job run;
  run.options.macros = {{"A", false}, {"B=2", false}, {"C(x)=x+1", false}, {"A", true}, {"D=x\\", false}, {"E", false}};
  run.options.includes = {"first.h", "second.h"};
  run.files.add("first.h", "f");
  run.files.add("second.h", "s");
  run.options.include_without_extension = true;
  EXPECT_EQ(run("#version 450\nA B C(3) E"), "f s A 2 3 + 1 1");
}

TEST(Preprocess, ExpansionPlaces) {
  Job run;
  run("#define BAD(x) vec4(x)\nuint a = BAD(1.0);");
  const Token vec4 = run.result.tokens.tokens[3];
  EXPECT_EQ(run.sources.place(vec4.loc).line, 2u);
  EXPECT_EQ(run.sources.place(vec4.loc).column, 10u);
  run.diags.emit(vec4.loc, diag::not_supported_yet, "this");
  TextSink out;
  render_all(run.diags, run.sources, {}, out);
  EXPECT_EQ(out.text(),
            "main.x:2:10: error[CY1003]: not supported yet: this\n"
            "  uint a = BAD(1.0);\n"
            "           ^~~\n"
            "main.x:1:16: note: in the expansion of macro `BAD`\n"
            "  #define BAD(x) vec4(x)\n"
            "                 ^~~~\n");
}

std::string repeated(const std::string& text, size_t count) {
  std::string out;
  out.reserve(text.size() * count);
  for (size_t i = 0; i < count; ++i) out += text;
  return out;
}

/// Each ends, most with a message of their own, in time that grows with the text only.
TEST(Preprocess, HostileTextEnds) {
  constexpr size_t kMany = 50'000;
  std::string bomb = "#define A0 x x x x x x x x x x\n";
  std::string chain;
  for (int i = 1; i < 20; ++i) {
    const std::string inner = " A" + std::to_string(i - 1);
    bomb += "#define A" + std::to_string(i) + repeated(inner, 10) + "\n";
  }
  std::string params = "a";
  for (size_t i = 0; i < kMany; ++i) params += ",a" + std::to_string(i);
  const struct {
    std::string text;
    std::string_view code;
  } cases[] = {
      {bomb + "A19", "CY1155"},
      {"#define F(x) x\n" + repeated("F(", kMany) + repeated(")", kMany), "CY115"},
      {"#define F(x) x x\n" + repeated("F(", 100) + "y" + repeated(")", 100), "CY1155"},
      {"#define F(" + params + ", 1) a\n", "CY1145"},
      {"#if " + repeated("(", kMany) + "1" + repeated(")", kMany) + "\n#endif\n", "CY"},
      {"#if " + repeated("!", kMany) + "1\n#endif\n", ""},
      {"#if " + repeated("1?", kMany) + "1" + repeated(":1", kMany) + "\n#endif\n", "CY"},
      {repeated("#if 1\n", kMany), "CY"},
  };
  for (const auto& c : cases) {
    Job run;
    run(c.text);
    TextSink out;
    render_all(run.diags, run.sources, {}, out);
    EXPECT_NE(out.text().find(c.code), std::string::npos) << c.text.substr(0, 60) << "\n" << out.text().substr(0, 200);
  }
}

TEST(Preprocess, PrintedTextGivesTheSameTokens) {
  const std::string text =
      "#version 450\n#extension GL_A : enable\n#define M(a) a-a +\n#define N -1\n\n\n\n\n\n\n\n\n\n\n\nint x = M(N)+ 1;\n"
      "#pragma foo(bar)\n/* c */ y/ /**/ z; #line\n";
  Job first;
  const std::string tokens = first(text);
  const std::string printed = preprocessed_text(first.result, first.sources, first.names, PreprocessLanguage::glsl);
  Job second;
  EXPECT_EQ(second(printed), tokens) << printed;
  EXPECT_EQ(second.result.extensions.size(), 1u);
  EXPECT_EQ(second.result.pragmas.size(), 1u);
  for (size_t i = 0; i + 1 < first.result.tokens.tokens.size(); ++i) {
    EXPECT_EQ(first.sources.place(first.result.tokens.tokens[i].loc).line,
              second.sources.place(second.result.tokens.tokens[i].loc).line);
  }
}

}  // namespace
}  // namespace carry

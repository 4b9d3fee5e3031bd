#include "lang/hlsl/grammar.h"

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

  explicit Parsed(std::string text) {
    LanguageMode mode;
    mode.language = SourceLanguage::hlsl;
    const SourceId file = sources.add_file("a.hlsl", std::move(text));
    tokens = scan(sources, file, names, diags);
    const Tree t = syntax::parse(tokens, names, sources, mode, hlsl::grammar(), diags);
    tree = dump(t);
    for (const Diagnostic& d : diags.diagnostics()) messages += message_text(d) + "\n";
  }
};

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(HlslGrammar, Bindings) {
  const Parsed p(R"(
cbuffer C : register(b0, space1) { float4 a : packoffset(c0.y); row_major float2x2 m; };
[[vk::binding(1, 2)]] RWStructuredBuffer<vector<float, 4> > u[2] : register(u1);
groupshared uint g[4];
)");
  EXPECT_EQ(p.messages, "");
  EXPECT_EQ(p.tree, R"(translation_unit
  buffer_block C
    qualifiers
    annotations
      register_annotation
        empty
        name b0
        empty
        name space1
    var_decl
      qualifiers
      builtin_type float4
      declarator a
        array_dims
        annotations
          packoffset
            name c0
            name y
        empty
    var_decl
      qualifiers
        qualifier row_major
      builtin_type float2x2
      declarator m
        array_dims
        annotations
        empty
  var_decl
    qualifiers
      attribute binding [double]
        name vk
        int_literal
        int_literal
    template_ref
      builtin_type RWStructuredBuffer
      template_args
        template_ref
          builtin_type vector
          template_args
            builtin_type float
            int_literal
    declarator u
      array_dims
        int_literal
      annotations
        register_annotation
          empty
          name u1
          empty
          empty
      empty
  var_decl
    qualifiers
      qualifier groupshared
    builtin_type uint
    declarator g
      array_dims
        int_literal
      annotations
      empty
)");
}

TEST(HlslGrammar, CastsAndTemplates) {
  const Parsed p(R"(
struct S { int a; };
static const float k = 1;
void f(int a, int b, ByteAddressBuffer buf) {
  float3 v = (float3)a;
  S s = (S)0;
  int c = (a) * (b);
  int d = (a) - b;
  bool e = a < b && c > (d);
  uint u = buf.Load<uint>(4) + g<2>(a);
  vector<vector<float, 2>, 2> w;
  float S = 1;
  c = (S) + 1;
  e = S < a;
}
)");
  EXPECT_EQ(p.messages, "");
  const size_t casts = [&] {
    size_t n = 0;
    for (size_t at = p.tree.find("cast\n"); at != std::string::npos; at = p.tree.find("cast\n", at + 1)) ++n;
    return n;
  }();
  EXPECT_EQ(casts, 2u);
  EXPECT_TRUE(has(p.tree, R"(
              template_ref
                member Load
                  name buf
                template_args
                  builtin_type uint
              int_literal
)"));
  EXPECT_TRUE(has(p.tree, "binary &&\n"));
}

TEST(HlslGrammar, StructsWithMethods) {
  const Parsed p(R"(
interface I { float get(); };
struct S : I {
  float a;
  static const int n = 3;
  float get() { return this.a + n; }
  S operator+(S o) { return o; }
  float operator[](int i) const;
};
float S::operator[](int i) { return a; }
enum class E : uint { x = 1, y };
typedef float4 F4[2];
using G = float3;
namespace A { namespace B { struct T { int q; }; int h(T t = (T)0) { return t.q; } } }
template <typename T, int N = 2> T pick(T a) { return a; }
float main(A::B::T t : TEXCOORD0, in uniform float4 p : COLOR = 0) : SV_Target0 { return A::B::h(t) + pick<float>(1.0); }
)");
  EXPECT_EQ(p.messages, "");
  EXPECT_FALSE(has(p.tree, "error"));
  EXPECT_TRUE(has(p.tree, "function_decl + [operator]"));
  EXPECT_TRUE(has(p.tree, "function_decl [ [operator] [const]"));
  EXPECT_TRUE(has(p.tree, "template_param N"));
  EXPECT_TRUE(has(p.tree, "semantic SV_Target0"));
}

TEST(HlslGrammar, Statements) {
  const Parsed p(R"(
[numthreads(8, 8, 1)]
void main(uint3 id : SV_DispatchThreadID, point float4 x[1], linear sample float y) {
  float point = 1, sample = 2, line = point;
  [unroll(4)] for (uint i = 0; i < 4; i++) { [branch] if (i == 2) continue; else [flatten] if (i) break; }
  [[vk::ext]] float z = 1;
  float texture = 3; texture += 1;
  const static float a[2] = { 1, 2, };
  float3(1, 2, 3).x;
  if (float q = f()) z = q;
  switch (id.x) { case 0: z = 1; break; default: z = 2; }
  float3 const c = 1;
  z = sizeof(float4), z = sizeof z;
}
)");
  EXPECT_EQ(p.messages, "expected `(`, found `z`\nexpected `)`, found `;`\n");
}

TEST(HlslGrammar, EffectFiles) {
  const Parsed p(R"(
texture Tex < string UIName = "x"; >;
sampler2D s = sampler_state { Texture = <Tex>; MinFilter = Linear; };
BlendState b { BlendEnable[0] = TRUE; };
technique10 T { pass P { SetVertexShader(CompileShader(vs_4_0, VS())); } }
float x;
)");
  EXPECT_EQ(p.messages, "`technique10` of effect files has no meaning here and is ignored\n");
  EXPECT_TRUE(has(p.tree, "declarator x"));
}

TEST(HlslGrammar, Errors) {
  EXPECT_TRUE(has(Parsed("float[2] a;").messages, "the brackets of an array stand after the name"));
  EXPECT_TRUE(has(Parsed("void f() { a->b = 1; }").messages, "`->` is not an operator of HLSL; write `.`"));
  EXPECT_TRUE(has(Parsed("struct S { int a; }\nfloat4 main() { return 1; }").messages, "expected `;`, found `float4`"));
  const Parsed p("void f() { float3 v = 1 v = 2; int = 3; }\nfloat g(float a { return 1; }\nint z;");
  EXPECT_EQ(p.diags.error_count(), 3u) << p.messages;
  EXPECT_TRUE(has(p.tree, "declarator z"));
}

}  // namespace
}  // namespace carry

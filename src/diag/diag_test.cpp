#include <gtest/gtest.h>

#include "diag/render.h"

namespace carry {
namespace {

struct DiagTest : ::testing::Test {
  SourceMap sources;
  Emitter diags;
  SourceId file = sources.add_file("a.comp", "float x;\n\tuint é = 1;\n");

  std::string text(DiagFormat format) {
    TextSink out;
    render_all(diags, sources, {format, false}, out);
    return out.take();
  }
};

TEST_F(DiagTest, Rows) {
  EXPECT_STREQ(diag_row(DiagId::not_supported_yet).name, "not-supported-yet");
  EXPECT_EQ(find_diag("not-supported-yet"), DiagId::not_supported_yet);
  EXPECT_EQ(find_diag("CY1003"), DiagId::not_supported_yet);
  EXPECT_EQ(find_diag("1003"), DiagId::not_supported_yet);
  EXPECT_EQ(find_diag("nothing"), DiagId::count_);
  EXPECT_EQ(find_diag(""), DiagId::count_);
}

TEST_F(DiagTest, Text) {
  diags.emit(sources.loc(file, 10), diag::not_supported_yet, "this")
      .note(sources.loc(file, 0), diag::candidate_here, "more")
      .fix({sources.loc(file, 10), {}}, "int");
  EXPECT_EQ(text(DiagFormat::text),
            "a.comp:2:2: error[CY1003]: not supported yet: this\n"
            "  \tuint é = 1;\n"
            "  \t^~~~\n"
            "  \tint\n"
            "  fix: a.comp:2:2: write `int`\n"
            "a.comp:1:1: note: candidate needs more\n"
            "  float x;\n"
            "  ^~~~~\n");
}

TEST_F(DiagTest, Msvc) {
  diags.emit(sources.loc(file, 10), diag::not_supported_yet, "this").fix({sources.loc(file, 10), {}}, "int").target("wgsl");
  EXPECT_EQ(text(DiagFormat::msvc), "a.comp(2,2): error CY1003: wgsl: not supported yet: this; write `int`\n");
}

TEST_F(DiagTest, Json) {
  diags.emit(sources.loc(file, 10), diag::not_supported_yet, "a\"\\\n\xff").fix({sources.loc(file, 0), {}}, "int");
  EXPECT_EQ(text(DiagFormat::json),
            "{\"file\":\"a.comp\",\"line\":2,\"col\":2,\"end\":{\"line\":2,\"col\":6},\"severity\":\"error\","
            "\"code\":\"CY1003\",\"name\":\"not-supported-yet\",\"text\":\"not supported yet: a\\\"\\\\\\n\xef\xbf\xbd\","
            "\"notes\":[],\"fixes\":[{\"file\":\"a.comp\",\"line\":1,\"col\":1,\"end\":{\"line\":1,\"col\":6},"
            "\"text\":\"int\"}],\"target\":\"\"}\n");
}

TEST_F(DiagTest, NoPlace) {
  diags.emit(Loc{}, diag::not_supported_yet, "x");
  EXPECT_EQ(text(DiagFormat::text), "carry: error[CY1003]: not supported yet: x\n");
}

TEST_F(DiagTest, LimitAndRewind) {
  DiagOptions options;
  options.error_limit = 2;
  diags.set_options(options);
  const uint32_t mark = diags.mark();
  for (int i = 0; i < 5; ++i) diags.emit(Loc{}, diag::not_supported_yet, i).note(Loc{}, diag::included_from);
  EXPECT_EQ(diags.diagnostics().size(), 3u);
  EXPECT_TRUE(diags.at_limit());
  diags.rewind(mark);
  EXPECT_FALSE(diags.has_errors());
}

}  // namespace
}  // namespace carry

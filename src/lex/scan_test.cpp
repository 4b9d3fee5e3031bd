#include "lex/scan.h"

#include <gtest/gtest.h>

#include <string>

namespace carry {
namespace {

struct Scanned {
  SourceMap sources;
  Names names;
  Emitter diags;
  TokenBuffer buffer;

  explicit Scanned(std::string text) {
    const SourceId file = sources.add_file("a.comp", std::move(text));
    buffer = scan(sources, file, names, diags);
  }
  /// Texts of all tokens but the last, separated by blanks; names where there are names.
  std::string texts() {
    std::string out;
    for (const Token& token : buffer.tokens) {
      const auto kind = static_cast<TokenKind>(token.kind);
      if (kind == TokenKind::eof) break;
      if (!out.empty()) out += ' ';
      if (kind == TokenKind::identifier) {
        out += names.text(NameId(uint32_t{token.name}));
      } else if (kind >= TokenKind::int_literal && kind <= TokenKind::invalid) {
        out += sources.token_text(token.loc);
      } else {
        out += token_kind_text(kind);
      }
    }
    return out;
  }
  TokenKind kind(size_t i) { return static_cast<TokenKind>(buffer.tokens[i].kind); }
};

TEST(Scan, Punctuation) {
  std::string all;
  std::string want;
#define PUNCT(name, text)         \
  all += std::string(text) + " "; \
  want += want.empty() ? text : " " text;
#include "lex/tokens.def"
#undef PUNCT
  Scanned s(all);
  EXPECT_EQ(s.texts(), want);
  size_t i = 0;
#define PUNCT(name, text) EXPECT_EQ(s.kind(i++), TokenKind::name) << text;
#include "lex/tokens.def"
#undef PUNCT
}

TEST(Scan, LongestMatch) {
  EXPECT_EQ(Scanned("a+++b>>=c<<d...e").texts(), "a ++ + b >>= c << d ... e");
  EXPECT_EQ(Scanned("x-->y").texts(), "x -- > y");
}

TEST(Scan, Numbers) {
  for (const char* text : {"1.",     ".5",   "1e5f", "0x1F",  "1.0lf",   "1.0h", "1.f",    "1.e+5", "1E-5", "017u",
                           "0xFFul", "12LL", "1f",   "1.5LF", "0x1.8p3", "089",  "1.#INF", "12abc", "0x",   "1e"}) {
    Scanned s(text);
    EXPECT_EQ(s.texts(), text);
    EXPECT_EQ(s.buffer.tokens.size(), 2u) << text;
  }
  EXPECT_EQ(Scanned("1.0").kind(0), TokenKind::float_literal);
  EXPECT_EQ(Scanned("1e5").kind(0), TokenKind::float_literal);
  EXPECT_EQ(Scanned("0x1F").kind(0), TokenKind::int_literal);
  EXPECT_EQ(Scanned("10u").kind(0), TokenKind::int_literal);
  EXPECT_EQ(Scanned("1.xxx").texts(), "1 . xxx");
  EXPECT_EQ(Scanned("1..xxx").texts(), "1. . xxx");
  EXPECT_EQ(Scanned("1.0.xxx").texts(), "1.0 . xxx");
  EXPECT_EQ(Scanned("a[1].x").texts(), "a [ 1 ] . x");
  EXPECT_EQ(Scanned("1+1").texts(), "1 + 1");
  EXPECT_EQ(Scanned("0xe+1").texts(), "0xe + 1");
}

TEST(Scan, CommentsAndLines) {
  Scanned s("a /* x \n y */ b // c \\\n still comment\n#c\r\nd");
  EXPECT_EQ(s.texts(), "a b # c d");
  EXPECT_EQ(s.buffer.tokens[1].flags, kTokenSpaceBefore);
  EXPECT_EQ(s.buffer.tokens[2].flags, kTokenLineStart);
  EXPECT_EQ(s.buffer.tokens[3].flags, 0u);
  EXPECT_EQ(s.buffer.tokens[4].flags, kTokenLineStart);
  EXPECT_FALSE(s.diags.has_errors());
  EXPECT_TRUE(Scanned("a /* no end").diags.has_errors());
  EXPECT_FALSE(Scanned("a //").diags.has_errors());
  EXPECT_FALSE(Scanned("/**/ /***/ /*/**/").diags.has_errors());
}

TEST(Scan, Splices) {
  Scanned s("ab\\\ncd +\\\r\n= 12\\\n3u /\\\n/ gone\nx");
  EXPECT_EQ(s.texts(), "abcd += 123u x");
  EXPECT_EQ(s.kind(1), TokenKind::plus_equal);
  EXPECT_EQ(s.sources.place(s.buffer.tokens[2].loc).line, 3u);
  EXPECT_EQ(s.sources.token_text(s.buffer.tokens[0].loc), "ab\\\ncd");
}

TEST(Scan, BadBytes) {
  Scanned s("a \x01 \xc3\xa9 \"open\n$ don't\n'x' \"s\"");
  EXPECT_EQ(s.kind(1), TokenKind::invalid);
  EXPECT_EQ(s.kind(2), TokenKind::invalid);
  EXPECT_EQ(s.kind(3), TokenKind::invalid);
  EXPECT_EQ(s.kind(6), TokenKind::invalid);
  EXPECT_EQ(s.kind(8), TokenKind::char_literal);
  EXPECT_EQ(s.kind(9), TokenKind::string_literal);
  EXPECT_FALSE(s.diags.has_errors());
  for (size_t i = 1; i < 4; ++i) report_invalid(s.sources, s.buffer.tokens[i], s.diags);
  EXPECT_EQ(s.diags.error_count(), 3u);
  EXPECT_TRUE(Scanned(std::string("a\0b", 3)).diags.has_errors());
  EXPECT_TRUE(Scanned("\xff\xfe"
                      "a")
                  .diags.has_errors());
  EXPECT_EQ(Scanned("\xef\xbb\xbf"
                    "a")
                .texts(),
            "a");
  EXPECT_EQ(Scanned("").buffer.tokens.size(), 1u);
}

TEST(Scan, ManySplicesAreQuick) {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += "a\\\n+\\\n";
  EXPECT_EQ(Scanned(text).buffer.tokens.size(), 200001u);
}

}  // namespace
}  // namespace carry

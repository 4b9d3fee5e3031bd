#include "source/source_map.h"

#include <gtest/gtest.h>

namespace carry {
namespace {

TEST(SourceMap, PlacesAndLines) {
  SourceMap map;
  const SourceId a = map.add_file("a.comp", "one\r\n  two three\n\nx");
  const SourceId b = map.add_file("b.h", "", map.loc(a, 0));
  const Place place = map.place(map.loc(a, 7));
  EXPECT_EQ(place.file, "a.comp");
  EXPECT_EQ(place.line, 2u);
  EXPECT_EQ(place.column, 3u);
  EXPECT_EQ(map.token_text(map.loc(a, 7)), "two");
  EXPECT_EQ(map.line_text(map.loc(a, 0)), "one");
  EXPECT_EQ(map.line_text(map.loc(a, 7)), "  two three");
  EXPECT_EQ(map.place(map.loc(a, 18)).line, 4u);
  EXPECT_EQ(map.place(map.loc(b, 0)).line, 1u);
  EXPECT_EQ(map.file_of(map.included_at(b)), a);
  EXPECT_EQ(map.place(Loc{}).line, 0u);
}

TEST(SourceMap, LoneCarriageReturnEndsALine) {
  SourceMap map;
  const SourceId a = map.add_file("a", "x\ry\r\nz");
  EXPECT_EQ(map.place(map.loc(a, 2)).line, 2u);
  EXPECT_EQ(map.place(map.loc(a, 5)).line, 3u);
}

TEST(SourceMap, LineDirective) {
  SourceMap map;
  const SourceId a = map.add_file("a", "l1\n#line\nl3\nl4\n#line\nl6");
  map.set_line(map.loc(a, 3), 100, "");
  map.set_line(map.loc(a, 15), 7, "other");
  EXPECT_EQ(map.place(map.loc(a, 0)).line, 1u);
  EXPECT_EQ(map.place(map.loc(a, 9)).line, 100u);
  EXPECT_EQ(map.place(map.loc(a, 12)).line, 101u);
  EXPECT_EQ(map.place(map.loc(a, 21)).line, 7u);
  EXPECT_EQ(map.place(map.loc(a, 21)).file, "other");
  EXPECT_EQ(map.physical_line(map.loc(a, 21)), 6u);
}

TEST(SourceMap, Expansions) {
  SourceMap map;
  const SourceId a = map.add_file("a", "#define M(x) x+1\nuse M(arg);");
  const Loc name = map.loc(a, 21);
  const Loc last = map.loc(a, 26);
  const ExpandedToken tokens[] = {{map.loc(a, 23), true}, {map.loc(a, 14), false}, {map.loc(a, 15), false}};
  const Loc e = map.add_expansion(name, last, tokens, 3);
  EXPECT_TRUE(map.is_expansion(e));
  EXPECT_EQ(map.token_text(e), "arg");
  EXPECT_EQ(map.place(e).column, 7u);
  const Loc one{e.offset + 2};
  EXPECT_EQ(map.token_text(one), "1");
  EXPECT_EQ(map.file_loc(one), name);
  const LocRange range = map.file_range(map.range(e, one));
  EXPECT_EQ(range.begin, map.loc(a, 23));
  EXPECT_EQ(range.end.offset, last.offset + 1);
  const Loc pasted = map.add_text("ab", one);
  EXPECT_EQ(map.token_text(pasted), "ab");
  EXPECT_EQ(map.file_loc(pasted), name);
}

}  // namespace
}  // namespace carry

// SourceMap: all text of one compilation in one 32-bit offset space. Files, macro expansions and pasted text each own a
// range of it; a Loc maps back to what was written (spelling) and to where it is used (expansion, file, line, column).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/id.h"
#include "source/loc.h"

namespace carry {

struct SourceId : Id<SourceId> {
  using Id::Id;
};

/// A place as a message shows it. `#line` has been applied to `file` and `line`.
struct Place {
  std::string_view file;  // as it was given or included; empty when there is no place
  uint32_t line = 0;      // from 1
  uint32_t column = 0;    // from 1, in bytes
};

/// One token of a macro expansion: where it was spelled, and whether it came in through an argument.
struct ExpandedToken {
  Loc spelling;
  bool from_argument = false;
};

/// The use of a macro that a Loc lies in.
struct ExpansionInfo {
  Loc name;      // of the macro, where it is used
  Loc last;      // last token of the use: the name, or the closing parenthesis
  Loc spelling;  // of the token asked for
  bool from_argument = false;
};

/// Not thread-safe, not even for reading: line tables are made on first use. Ranges are only added.
class SourceMap {
 public:
  SourceMap() = default;
  SourceMap(SourceMap&&) noexcept = default;
  SourceMap& operator=(SourceMap&&) noexcept = default;

  /// None when the offset space (4 GiB over all ranges) is full. A byte order mark is skipped.
  SourceId add_file(std::string name, std::shared_ptr<const std::string> text, Loc included_at = {});
  SourceId add_file(std::string name, std::string text, Loc included_at = {});
  /// Text that no file holds (a pasted token, a number with a line splice in it). `origin` is the place to show for it.
  /// No place when the offset space is full.
  Loc add_text(std::string_view text, Loc origin);
  /// Place of the first of the tokens; the others follow at 1 each. No place when the offset space is full.
  Loc add_expansion(Loc name, Loc last, const ExpandedToken* tokens, uint32_t count);
  /// The line after the one that holds `at` gets the number `line`, and those after it follow. An empty `file` keeps
  /// the name that is in force there. Calls for one file go forward.
  void set_line(Loc at, uint32_t line, std::string_view file);

  [[nodiscard]] uint32_t file_count() const { return static_cast<uint32_t>(files_.size()); }
  [[nodiscard]] std::string_view name(SourceId file) const;
  /// Whole text, followed by a NUL byte, without the byte order mark.
  [[nodiscard]] std::string_view text(SourceId file) const;
  [[nodiscard]] Loc included_at(SourceId file) const;
  /// `offset` may be the size of the text: the end of the file has a place.
  [[nodiscard]] Loc loc(SourceId file, uint32_t offset) const;
  /// None for places in expansions and added text.
  [[nodiscard]] SourceId file_of(Loc loc) const;

  [[nodiscard]] bool is_expansion(Loc loc) const;
  /// Only for places in expansions.
  [[nodiscard]] ExpansionInfo expansion(Loc loc) const;
  /// Where the token was written: in a file or in added text.
  [[nodiscard]] Loc spelling(Loc loc) const;
  /// Where the user wrote what led to the token: the outermost macro use, or the token itself; always in a file.
  [[nodiscard]] Loc file_loc(Loc loc) const;
  /// Just past the token at `loc`, in the file that `file_loc` names: end of a LocRange whose last token is `loc`.
  [[nodiscard]] Loc end_of(Loc loc) const;
  [[nodiscard]] LocRange range(Loc first_token, Loc last_token) const { return {first_token, end_of(last_token)}; }
  /// Both ends in one file, begin <= end; the token at `begin` where `end` does not fit.
  [[nodiscard]] LocRange file_range(LocRange range) const;

  /// Text of the token at `loc` as it is spelled (line splices included, where a file holds it so).
  [[nodiscard]] std::string_view token_text(Loc loc) const;
  /// Place of `file_loc(loc)`.
  [[nodiscard]] Place place(Loc loc) const;
  /// Number of the line in its file, from 1, without `#line`; 0 for no place.
  [[nodiscard]] uint32_t physical_line(Loc loc) const;
  /// The line that holds `file_loc(loc)`, without its end.
  [[nodiscard]] std::string_view line_text(Loc loc) const;

 private:
  enum class Kind : uint8_t { file, text, expansion };
  struct Range {
    uint32_t begin;
    uint32_t kind : 2;
    uint32_t index : 30;
  };
  struct LineMark {
    uint32_t first;  // index of the first line concerned, from 0
    uint32_t number;
    std::string file;
  };
  struct File {
    std::string name;
    std::shared_ptr<const std::string> text;
    uint32_t begin;
    uint32_t skip;  // byte order mark
    Loc included_at;
    std::vector<LineMark> marks;
    mutable std::vector<uint32_t> line_starts;  // empty until asked for
  };
  struct Text {
    const char* data;
    uint32_t size;
    Loc origin;
  };
  struct Expansion {
    Loc name;
    Loc last;
    uint32_t first;  // in spellings_
  };

  [[nodiscard]] bool reserve(uint64_t size) const;
  uint32_t add_range(Kind kind, size_t index, uint32_t size);
  [[nodiscard]] const Range* find(Loc loc) const;
  [[nodiscard]] std::string_view file_text(const File& file) const;
  const std::vector<uint32_t>& line_starts(const File& file) const;
  [[nodiscard]] uint32_t line_index(const File& file, uint32_t offset) const;
  char* scratch(size_t size);

  std::vector<Range> ranges_;
  uint32_t next_ = 1;  // offset 0 means no place
  std::vector<File> files_;
  std::vector<Text> texts_;
  std::vector<Expansion> expansions_;
  std::vector<Loc> spellings_;
  std::vector<uint8_t> from_argument_;
  std::vector<std::unique_ptr<char[]>> scratch_;
  size_t scratch_used_ = 0;
  size_t scratch_size_ = 0;
};

}  // namespace carry

#include "source/source_map.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "source/token_extent.h"

namespace carry {

namespace {
constexpr uint64_t kLimit = 0xfffffff0u;
constexpr size_t kScratchBlock = 4096;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
}  // namespace

bool SourceMap::reserve(uint64_t size) const { return next_ + size + 1 < kLimit; }

uint32_t SourceMap::add_range(Kind kind, size_t index, uint32_t size) {
  const uint32_t begin = next_;
  ranges_.push_back({begin, static_cast<uint32_t>(kind) & 3u, static_cast<uint32_t>(index) & 0x3fffffffu});
  next_ += size;
  return begin;
}

SourceId SourceMap::add_file(std::string name, std::shared_ptr<const std::string> text, Loc included_at) {
  const uint32_t skip = text->compare(0, 3, kByteOrderMark) == 0 ? 3 : 0;
  if (!reserve(text->size())) return {};
  const auto size = static_cast<uint32_t>(text->size()) - skip;
  File file;
  file.name = std::move(name);
  file.text = std::move(text);
  file.skip = skip;
  file.included_at = included_at;
  file.begin = add_range(Kind::file, files_.size(), size + 1);
  files_.push_back(std::move(file));
  return SourceId(files_.size() - 1);
}

SourceId SourceMap::add_file(std::string name, std::string text, Loc included_at) {
  // A carriage return alone ends a line too; one byte for one byte keeps every offset.
  for (size_t i = text.find('\r'); i != std::string::npos; i = text.find('\r', i + 1)) {
    if (i + 1 >= text.size() || text[i + 1] != '\n') text[i] = '\n';
  }
  return add_file(std::move(name), std::make_shared<const std::string>(std::move(text)), included_at);
}

char* SourceMap::scratch(size_t size) {
  if (scratch_used_ + size > scratch_size_) {
    scratch_size_ = std::max(size, kScratchBlock);
    scratch_.push_back(std::make_unique<char[]>(scratch_size_));
    scratch_used_ = 0;
  }
  char* place = scratch_.back().get() + scratch_used_;
  scratch_used_ += size;
  return place;
}

Loc SourceMap::add_text(std::string_view text, Loc origin) {
  if (!reserve(text.size())) return {};
  char* copy = scratch(text.size() + 1);
  if (!text.empty()) std::memcpy(copy, text.data(), text.size());
  copy[text.size()] = '\0';
  const auto size = static_cast<uint32_t>(text.size());
  const Loc begin{add_range(Kind::text, texts_.size(), size + 1)};
  texts_.push_back({copy, size, origin});
  return begin;
}

Loc SourceMap::add_expansion(Loc name, Loc last, const ExpandedToken* tokens, uint32_t count) {
  if (count == 0 || !reserve(count)) return {};
  const Loc begin{add_range(Kind::expansion, expansions_.size(), count)};
  expansions_.push_back({name, last, static_cast<uint32_t>(spellings_.size())});
  for (uint32_t i = 0; i < count; ++i) {
    spellings_.push_back(tokens[i].spelling);
    from_argument_.push_back(tokens[i].from_argument ? 1 : 0);
  }
  return begin;
}

void SourceMap::set_line(Loc at, uint32_t line, std::string_view file) {
  const SourceId id = file_of(at);
  if (!id) return;
  File& f = files_[id.value];
  const uint32_t first = line_index(f, at.offset - f.begin) + 1;
  std::string name(file);
  if (file.empty() && !f.marks.empty()) name = f.marks.back().file;
  f.marks.push_back({first, line, std::move(name)});
}

const SourceMap::Range* SourceMap::find(Loc loc) const {
  if (loc.is_none() || loc.offset >= next_) return nullptr;
  const auto past = std::upper_bound(ranges_.begin(), ranges_.end(), loc.offset,
                                     [](uint32_t offset, const Range& range) { return offset < range.begin; });
  return &*(past - 1);
}

std::string_view SourceMap::file_text(const File& file) const { return std::string_view(*file.text).substr(file.skip); }
std::string_view SourceMap::name(SourceId file) const { return files_[file.value].name; }
std::string_view SourceMap::text(SourceId file) const { return file_text(files_[file.value]); }
Loc SourceMap::included_at(SourceId file) const { return files_[file.value].included_at; }

Loc SourceMap::loc(SourceId file, uint32_t offset) const {
  CARRY_CHECK(offset <= text(file).size());
  return Loc{files_[file.value].begin + offset};
}

SourceId SourceMap::file_of(Loc loc) const {
  const Range* range = find(loc);
  if (range == nullptr || range->kind != static_cast<uint32_t>(Kind::file)) return {};
  return SourceId(static_cast<uint32_t>(range->index));
}

bool SourceMap::is_expansion(Loc loc) const {
  const Range* range = find(loc);
  return range != nullptr && range->kind == static_cast<uint32_t>(Kind::expansion);
}

ExpansionInfo SourceMap::expansion(Loc loc) const {
  const Range* range = find(loc);
  if (range == nullptr || range->kind != static_cast<uint32_t>(Kind::expansion)) return {};
  const Expansion& e = expansions_[range->index];
  const uint32_t i = e.first + (loc.offset - range->begin);
  return {e.name, e.last, spellings_[i], from_argument_[i] != 0};
}

Loc SourceMap::spelling(Loc loc) const {
  while (is_expansion(loc)) loc = expansion(loc).spelling;
  return loc;
}

Loc SourceMap::file_loc(Loc loc) const {
  // Each step goes to an older range, so this ends.
  while (const Range* range = find(loc)) {
    if (range->kind == static_cast<uint32_t>(Kind::file)) return loc;
    if (range->kind == static_cast<uint32_t>(Kind::text)) {
      loc = texts_[range->index].origin;
    } else {
      const ExpansionInfo info = expansion(loc);
      loc = info.from_argument ? info.spelling : info.name;
    }
  }
  return {};
}

Loc SourceMap::end_of(Loc loc) const {
  while (const Range* range = find(loc)) {
    if (range->kind == static_cast<uint32_t>(Kind::file)) {
      return Loc{loc.offset + static_cast<uint32_t>(token_text(loc).size())};
    }
    if (range->kind == static_cast<uint32_t>(Kind::text)) {
      loc = texts_[range->index].origin;
    } else {
      const ExpansionInfo info = expansion(loc);
      loc = info.from_argument ? info.spelling : info.last;
    }
  }
  return {};
}

LocRange SourceMap::file_range(LocRange range) const {
  const Loc begin = file_loc(range.begin);
  if (begin.is_none()) return {};
  Loc end = range.end;
  if (is_expansion(end)) end = file_loc(end);
  if (range.begin == range.end) return {begin, begin};
  if (end.is_none() || end.offset <= begin.offset || !(file_of(end) == file_of(begin))) {
    end = Loc{begin.offset + static_cast<uint32_t>(token_text(begin).size())};
  }
  return {begin, end};
}

std::string_view SourceMap::token_text(Loc loc) const {
  loc = spelling(loc);
  const Range* range = find(loc);
  if (range == nullptr) return {};
  const uint32_t offset = loc.offset - range->begin;
  if (range->kind == static_cast<uint32_t>(Kind::text)) {
    const Text& text = texts_[range->index];
    return offset <= text.size ? std::string_view(text.data + offset, text.size - offset) : std::string_view();
  }
  const std::string_view rest = file_text(files_[range->index]).substr(offset);
  return rest.substr(0, token_extent(rest));
}

const std::vector<uint32_t>& SourceMap::line_starts(const File& file) const {
  std::vector<uint32_t>& starts = file.line_starts;
  if (!starts.empty()) return starts;
  const std::string_view text = file_text(file);
  starts.push_back(0);
  const char* p = text.data();
  const char* end = p + text.size();
  while (p < end) {
    p = static_cast<const char*>(std::memchr(p, '\n', static_cast<size_t>(end - p)));
    if (p == nullptr) break;
    starts.push_back(static_cast<uint32_t>(++p - text.data()));
  }
  return starts;
}

uint32_t SourceMap::line_index(const File& file, uint32_t offset) const {
  const std::vector<uint32_t>& starts = line_starts(file);
  return static_cast<uint32_t>(std::upper_bound(starts.begin(), starts.end(), offset) - starts.begin()) - 1;
}

Place SourceMap::place(Loc loc) const {
  loc = file_loc(loc);
  const SourceId id = file_of(loc);
  if (!id) return {};
  const File& file = files_[id.value];
  const uint32_t offset = loc.offset - file.begin;
  const uint32_t index = line_index(file, offset);
  Place place{file.name, index + 1, offset - file.line_starts[index] + 1};
  const auto past = std::upper_bound(file.marks.begin(), file.marks.end(), index,
                                     [](uint32_t line, const LineMark& mark) { return line < mark.first; });
  if (past == file.marks.begin()) return place;
  const LineMark& mark = *(past - 1);
  place.line = mark.number + (index - mark.first);
  if (!mark.file.empty()) place.file = mark.file;
  return place;
}

uint32_t SourceMap::physical_line(Loc loc) const {
  loc = file_loc(loc);
  const SourceId id = file_of(loc);
  if (!id) return 0;
  const File& file = files_[id.value];
  return line_index(file, loc.offset - file.begin) + 1;
}

std::string_view SourceMap::line_text(Loc loc) const {
  loc = file_loc(loc);
  const SourceId id = file_of(loc);
  if (!id) return {};
  const File& file = files_[id.value];
  const std::string_view text = file_text(file);
  const uint32_t index = line_index(file, loc.offset - file.begin);
  const uint32_t begin = file.line_starts[index];
  size_t end = text.find('\n', begin);
  if (end == std::string_view::npos) end = text.size();
  std::string_view line = text.substr(begin, end - begin);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

}  // namespace carry

// Loc: one 32-bit offset into the SourceMap's address space. Every file, and every macro expansion, owns a range of it.
#pragma once

#include <cstdint>

namespace carry {

/// 0 means "no place". Compare only for equality or order within one file.
struct Loc {
  uint32_t offset = 0;
  [[nodiscard]] constexpr bool is_none() const { return offset == 0; }
  friend constexpr bool operator==(Loc a, Loc b) { return a.offset == b.offset; }
};

/// Half-open: [begin, end). `end` may be none: then the range is the token at `begin`.
struct LocRange {
  Loc begin;
  Loc end;
  friend constexpr bool operator==(LocRange a, LocRange b) { return a.begin == b.begin && a.end == b.end; }
};

}  // namespace carry

#include <cstring>

#include "base/number_text.h"
#include "exec/values.h"

namespace carry::exec {

namespace {

constexpr uint64_t kMostBytes = uint64_t{1} << 31;

bool integer_text(std::string_view text, uint64_t& out) {
  uint64_t base = 10;
  if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
    base = 16;
    text.remove_prefix(2);
  }
  if (text.empty()) return false;
  out = 0;
  for (const char c : text) {
    uint64_t digit = 99;
    if (c >= '0' && c <= '9') digit = static_cast<uint64_t>(c - '0');
    if (c >= 'a' && c <= 'f') digit = static_cast<uint64_t>(c - 'a' + 10);
    if (c >= 'A' && c <= 'F') digit = static_cast<uint64_t>(c - 'A' + 10);
    if (digit >= base || out > (~uint64_t{0} - digit) / base) return false;
    out = out * base + digit;
  }
  return true;
}

/// One scalar as bits, zero-extended. Integers must fit the type, a sign for unsigned ones is refused.
bool scalar_text(std::string_view text, ScalarKind kind, uint64_t& bits) {
  const bool negative = !text.empty() && text[0] == '-';
  std::string_view rest = negative || (!text.empty() && text[0] == '+') ? text.substr(1) : text;
  if (kind == ScalarKind::bool_) {
    bits = text == "true" || text == "1" ? 1 : 0;
    return text == "true" || text == "1" || text == "false" || text == "0";
  }
  const uint32_t width = scalar_bits(kind);
  const uint64_t sign = uint64_t{1} << (width - 1);
  if (is_float(kind)) {
    uint64_t b64 = 0;
    uint32_t b32 = 0;
    uint16_t b16 = 0;
    if (rest == "nan" || rest == "inf") {
      bits = kind == ScalarKind::f64 ? 0x7ff0000000000000u : kind == ScalarKind::f32 ? 0x7f800000u : 0x7c00u;
      if (rest == "nan") bits |= sign >> (kind == ScalarKind::f64 ? 12 : kind == ScalarKind::f32 ? 9 : 6);
    } else if (kind == ScalarKind::f64) {
      if (!parse_f64(rest, b64)) return false;
      bits = b64;
    } else if (kind == ScalarKind::f32) {
      if (!parse_f32(rest, b32)) return false;
      bits = b32;
    } else {
      if (!parse_f16(rest, b16)) return false;
      bits = b16;
    }
    if (negative) bits |= sign;
    return true;
  }
  uint64_t magnitude = 0;
  if (!integer_text(rest, magnitude)) return false;
  const bool is_signed = is_signed_int(kind);
  const bool hexadecimal = rest.size() > 2 && (rest[1] == 'x' || rest[1] == 'X');
  if (negative && (!is_signed || magnitude > sign)) return false;
  const uint64_t most = is_signed && !hexadecimal ? sign - 1 : width == 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
  if (!negative && magnitude > most) return false;
  bits = negative ? uint64_t{0} - magnitude : magnitude;
  if (width < 64) bits &= (uint64_t{1} << width) - 1;
  return true;
}

uint32_t memory_bytes(ScalarKind kind) { return kind == ScalarKind::bool_ ? 4 : scalar_bits(kind) / 8; }

class Reader {
 public:
  Reader(const ValueShape& shape, std::string_view text, std::vector<uint8_t>& bytes, std::string& error)
      : shape_(shape), text_(text), bytes_(bytes), error_(error) {}

  bool run() {
    bytes_.clear();
    const size_t colon = text_.find(':');
    if (!text_.empty() && (text_[0] == '{' || text_[0] == '[' || text_[0] == '(')) return structured();
    if (colon == std::string_view::npos) return structured();
    const std::string_view head = text_.substr(0, colon);
    const std::string_view rest = text_.substr(colon + 1);
    if (head == "zeros") return filled(rest, Fill::zeros);
    if (head == "iota") return filled(rest, Fill::iota);
    if (head == "random") return filled(rest, Fill::random);
    bool hex = false;
    const ScalarKind kind = scalar_of_word(head, hex);
    if (kind == ScalarKind::none)
      return fail("unknown form `" + std::string(head) +
                  ":`; known are zeros, iota, random, u32, i32, f32, u64, i64, f64, f16, u16, i16, u8, i8");
    return list(rest, kind);
  }

 private:
  enum class Fill : uint8_t { zeros, iota, random };

  bool fail(std::string message) {
    error_ = std::move(message);
    return false;
  }

  bool put(uint64_t offset, uint64_t bits, uint32_t size) {
    if (offset + size > kMostBytes) return fail("the value is larger than 2 GiB");
    if (bytes_.size() < offset + size) bytes_.resize(offset + size, 0);
    std::memcpy(bytes_.data() + offset, &bits, size);
    return true;
  }

  ScalarKind first_scalar() const {
    TypeId t = shape_.type;
    for (int depth = 0; depth < 32 && !t.is_none(); ++depth) {
      const Type& type = shape_.types[t];
      if (type.scalar != ScalarKind::none) return type.scalar == ScalarKind::bool_ ? ScalarKind::u32 : type.scalar;
      if (type.kind == TypeKind::array) {
        t = type.element;
      } else if (type.kind == TypeKind::struct_ && !shape_.types.struct_decl(t).members.empty()) {
        t = shape_.types.struct_decl(t).members[0].type;
      } else {
        break;
      }
    }
    return ScalarKind::u32;
  }

  bool filled(std::string_view rest, Fill fill) {
    uint64_t seed = 0;
    const size_t colon = rest.find(':');
    if (colon != std::string_view::npos) {
      if (fill != Fill::random || !integer_text(rest.substr(colon + 1), seed)) return fail("expected random:N:SEED");
      rest = rest.substr(0, colon);
    }
    uint64_t n = 0;
    if (!integer_text(rest, n) || n > kMostBytes / 4)
      return fail("expected a number of words up to " + std::to_string(kMostBytes / 4) + ", found `" + std::string(rest) + "`");
    bytes_.assign(n * 4, 0);
    if (fill == Fill::zeros) return true;
    const ScalarKind kind = first_scalar();
    const uint32_t size = memory_bytes(kind);
    for (uint64_t i = 0; (i + 1) * size <= bytes_.size(); ++i) {
      uint64_t bits = i;
      if (fill == Fill::random) {
        seed += 0x9e3779b97f4a7c15u;
        uint64_t z = seed;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        bits = z ^ (z >> 31);
      }
      if (is_float(kind)) {
        const double v = fill == Fill::iota ? static_cast<double>(i) : static_cast<double>(bits >> 40) / 16777216.0;
        uint64_t b = 0;
        std::memcpy(&b, &v, 8);
        const float f = static_cast<float>(v);
        uint32_t b32 = 0;
        std::memcpy(&b32, &f, 4);
        bits = kind == ScalarKind::f64 ? b : kind == ScalarKind::f32 ? b32 : f64_to_f16_bits(b);
      }
      std::memcpy(bytes_.data() + i * size, &bits, size);
    }
    return true;
  }

  bool list(std::string_view rest, ScalarKind kind) {
    const uint32_t size = memory_bytes(kind);
    uint64_t offset = 0;
    while (!rest.empty()) {
      const size_t comma = rest.find(',');
      std::string_view item = rest.substr(0, comma);
      rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
      while (!item.empty() && item.front() == ' ') item.remove_prefix(1);
      while (!item.empty() && item.back() == ' ') item.remove_suffix(1);
      uint64_t bits = 0;
      if (!scalar_text(item, kind, bits)) return fail("`" + std::string(item) + "` is no " + std::string(scalar_name(kind)));
      if (!put(offset, bits, size)) return false;
      offset += size;
    }
    return true;
  }

  // ---- by name ----

  bool structured() {
    const uint64_t size = shape_.layout.is_none() ? 0 : shape_.layouts[shape_.layout].size;
    if (shape_.layout.is_none()) return fail("a value by members needs a buffer");
    if (size < kMostBytes) bytes_.assign(size, 0);
    if (!item(shape_.type, shape_.layout, 0, 0)) return false;
    skip();
    return at_ == text_.size() || fail("unexpected `" + std::string(text_.substr(at_, 10)) + "` after the value");
  }

  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
  }
  bool accept(char c) {
    skip();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  std::string_view word() {
    skip();
    const size_t first = at_;
    while (at_ < text_.size() && std::string_view(" ,:{}[]()\n\t\"").find(text_[at_]) == std::string_view::npos) ++at_;
    return text_.substr(first, at_ - first);
  }

  bool item(TypeId type, LayoutId layout, uint64_t offset, int depth) {
    if (depth > 64) return fail("the value is nested too deeply");
    const Type t = shape_.types[type];
    switch (t.kind) {
      case TypeKind::scalar:
      case TypeKind::atomic: {
        const std::string_view w = word();
        uint64_t bits = 0;
        if (!scalar_text(w, t.scalar, bits))
          return fail("`" + std::string(w) + "` is no " + std::string(scalar_name(t.scalar)));
        return put(offset, bits, memory_bytes(t.scalar));
      }
      case TypeKind::struct_: return members(type, layout, offset, depth);
      case TypeKind::vector:
      case TypeKind::matrix:
      case TypeKind::array: return elements(t, layout, offset, depth);
      default: return fail("a value of this type cannot be written as text");
    }
  }

  bool members(TypeId type, LayoutId layout, uint64_t offset, int depth) {
    if (!accept('{')) return fail("expected `{`, members by name");
    const std::vector<Member>& list = shape_.types.struct_decl(type).members;
    while (!accept('}')) {
      accept('"');
      const std::string_view name = word();
      accept('"');
      uint32_t index = 0;
      while (index < list.size() && shape_.names.text(list[index].name) != name) ++index;
      if (index >= list.size()) return fail("no member `" + std::string(name) + "`");
      if (!accept(':')) return fail("expected `:` after `" + std::string(name) + "`");
      if (!item(list[index].type, shape_.layouts.member_layout(layout, index),
                offset + shape_.layouts.member_offset(layout, index), depth + 1))
        return false;
      if (!accept(',')) {
        if (accept('}')) return true;
        return fail("expected `,` or `}` after member `" + std::string(name) + "`");
      }
    }
    return true;
  }

  bool elements(const Type& t, LayoutId layout, uint64_t offset, int depth) {
    const char close = accept('[') ? ']' : accept('(') ? ')' : '\0';
    if (close == '\0') return fail("expected `[`, a list");
    const Layout l = shape_.layouts[layout];
    const uint32_t size = t.scalar == ScalarKind::none ? 0 : memory_bytes(t.scalar);
    for (uint64_t i = 0; !accept(close); ++i) {
      bool done = false;
      if (t.kind == TypeKind::vector) {
        if (i >= t.rows) return fail("too many components");
        done = item(shape_.types.scalar(t.scalar), {}, offset + i * (l.stride != 0 ? l.stride : size), depth + 1);
      } else if (t.kind == TypeKind::matrix) {
        if (i >= t.columns) return fail("too many columns");
        const TypeId column = shape_.types.vector(t.scalar, t.rows);
        const LayoutId part = shape_.layouts.strided_vector(column, l.row_major ? l.stride : size);
        done = item(column, part, offset + i * (l.row_major ? size : l.stride), depth + 1);
      } else {
        if (t.count != 0 && i >= t.count) return fail("too many elements");
        done = item(t.element, l.element, offset + i * l.stride, depth + 1);
        // A runtime-sized array is as long as its list, padding of the last element included.
        if (done && t.count == 0 && offset + (i + 1) * l.stride <= kMostBytes && bytes_.size() < offset + (i + 1) * l.stride) {
          bytes_.resize(offset + (i + 1) * l.stride, 0);
        }
      }
      if (!done) return false;
      if (accept(',')) continue;
      return accept(close) || fail("expected `,` between elements");
    }
    return true;
  }

  const ValueShape& shape_;
  std::string_view text_;
  size_t at_ = 0;
  std::vector<uint8_t>& bytes_;
  std::string& error_;
};

}  // namespace

bool parse_value(const ValueShape& shape, std::string_view text, std::vector<uint8_t>& bytes, std::string& error) {
  return Reader(shape, text, bytes, error).run();
}

ScalarKind scalar_of_word(std::string_view word, bool& hex) {
  hex = false;
  if (!word.empty() && word[0] == 'x') {
    hex = true;
    const std::string_view width = word.substr(1);
    return width == "8"    ? ScalarKind::u8
           : width == "16" ? ScalarKind::u16
           : width == "32" ? ScalarKind::u32
           : width == "64" ? ScalarKind::u64
                           : ScalarKind::none;
  }
  for (const ScalarKind k : {ScalarKind::i8, ScalarKind::i16, ScalarKind::i32, ScalarKind::i64, ScalarKind::u8, ScalarKind::u16,
                             ScalarKind::u32, ScalarKind::u64, ScalarKind::f16, ScalarKind::f32, ScalarKind::f64}) {
    if (scalar_name(k) == word) return k;
  }
  return ScalarKind::none;
}

}  // namespace carry::exec

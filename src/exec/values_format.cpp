#include <cmath>
#include <cstring>

#include "base/number_text.h"
#include "base/text_sink.h"
#include "exec/values.h"

namespace carry::exec {

namespace {

constexpr uint64_t kShort = 64;  // elements shown without a count

std::string float_text(ScalarKind kind, uint64_t bits, bool json) {
  const uint32_t mantissa = kind == ScalarKind::f64 ? 52 : kind == ScalarKind::f32 ? 23 : 10;
  const uint32_t width = scalar_bits(kind);
  const uint64_t magnitude = bits & ((uint64_t{1} << (width - 1)) - 1);
  const uint64_t infinity = ((uint64_t{1} << (width - 1)) - 1) >> mantissa << mantissa;
  const char* quote = json ? "\"" : "";
  if (magnitude > infinity) return std::string(quote) + "nan" + quote;
  if (magnitude == infinity) return std::string(quote) + (bits >> (width - 1) != 0 ? "-inf" : "inf") + quote;
  return kind == ScalarKind::f64   ? shortest_f64(bits)
         : kind == ScalarKind::f32 ? shortest_f32(static_cast<uint32_t>(bits))
                                   : shortest_f16(static_cast<uint16_t>(bits));
}

uint32_t memory_bytes(ScalarKind kind) { return kind == ScalarKind::bool_ ? 4 : scalar_bits(kind) / 8; }

class Writer {
 public:
  Writer(const ValueShape& shape, std::span<const uint8_t> bytes, const FormatOptions& options)
      : shape_(shape), bytes_(bytes), options_(options) {}

  std::string run() {
    if (options_.json) out_ << "[";
    if (options_.as != ScalarKind::none) {
      const uint32_t size = memory_bytes(options_.as);
      repeat(bytes_.size() / size, [&](uint64_t i) { scalar(options_.as, i * size, options_.hex); });
    } else if (shape_.types.kind(shape_.type) == TypeKind::array && !shape_.layout.is_none()) {
      elements(shape_.types[shape_.type], shape_.layout, 0, bytes_.size());
    } else {
      value(shape_.type, shape_.layout, 0, 0);
    }
    if (options_.json) out_ << "]";
    return out_.take();
  }

 private:
  template <class F>
  void repeat(uint64_t total, F each) {
    uint64_t n = options_.count != 0 && options_.count < total ? options_.count : total;
    const bool shortened = options_.count == 0 && !options_.json && n > kShort;
    if (shortened) n = kShort;
    for (uint64_t i = 0; i < n; ++i) {
      if (i != 0) out_ << (options_.json ? ", " : " ");
      each(i);
    }
    if (shortened) out_ << " ... (" << total << " in all)";
  }

  void elements(const Type& t, LayoutId layout, uint64_t offset, uint64_t end) {
    const Layout l = shape_.layouts[layout];
    const uint64_t room = l.stride == 0 || end <= offset ? 0 : (end - offset + l.stride - element_size(l)) / l.stride;
    repeat(t.count != 0 ? t.count : room, [&](uint64_t i) { value(t.element, l.element, offset + i * l.stride, 1); });
  }
  /// The last element may lack its padding.
  [[nodiscard]] uint64_t element_size(const Layout& array) const {
    const uint64_t size = array.element.is_none() ? 0 : shape_.layouts[array.element].size;
    return size == 0 || size > array.stride ? array.stride : size;
  }

  void scalar(ScalarKind kind, uint64_t offset, bool hex = false) {
    const uint32_t size = memory_bytes(kind);
    uint64_t bits = 0;
    if (offset + size <= bytes_.size()) std::memcpy(&bits, bytes_.data() + offset, size);
    out_ << format_scalar(kind, bits, hex, options_.json);
  }

  template <class F>
  void parts(uint64_t n, char open, char close, F each) {
    out_ << (options_.json ? '[' : open);
    for (uint64_t i = 0; i < n; ++i) {
      if (i != 0) out_ << ", ";
      each(i);
    }
    out_ << (options_.json ? ']' : close);
  }

  void value(TypeId type, LayoutId layout, uint64_t offset, int depth) {
    const Type t = shape_.types[type];
    if (depth > 64 || (layout.is_none() && t.kind != TypeKind::scalar)) return;
    const uint32_t size = t.scalar == ScalarKind::none ? 0 : memory_bytes(t.scalar);
    switch (t.kind) {
      case TypeKind::scalar:
      case TypeKind::atomic: scalar(t.scalar, offset); return;
      case TypeKind::vector: {
        const uint32_t step = shape_.layouts[layout].stride != 0 ? shape_.layouts[layout].stride : size;
        parts(t.rows, '(', ')', [&](uint64_t i) { scalar(t.scalar, offset + i * step); });
        return;
      }
      case TypeKind::matrix: {
        const Layout l = shape_.layouts[layout];
        parts(t.columns, '(', ')', [&](uint64_t c) {
          parts(t.rows, '(', ')', [&](uint64_t r) {
            scalar(t.scalar, offset + (l.row_major ? r * l.stride + c * size : c * l.stride + r * size));
          });
        });
        return;
      }
      case TypeKind::array: {
        const Layout l = shape_.layouts[layout];
        const uint64_t end = bytes_.size();
        const uint64_t n = t.count != 0                    ? t.count
                           : l.stride != 0 && end > offset ? (end - offset + l.stride - element_size(l)) / l.stride
                                                           : 0;
        if (t.count == 0 && !options_.json) {  // the array at a block's end
          out_ << "[";
          repeat(n, [&](uint64_t i) { value(t.element, l.element, offset + i * l.stride, depth + 1); });
          out_ << "]";
          return;
        }
        parts(n, '[', ']', [&](uint64_t i) { value(t.element, l.element, offset + i * l.stride, depth + 1); });
        return;
      }
      case TypeKind::struct_: {
        out_ << "{";
        const size_t n = shape_.types.struct_decl(type).members.size();
        for (uint32_t i = 0; i < n; ++i) {
          const Member& m = shape_.types.struct_decl(type).members[i];
          const char* quote = options_.json ? "\"" : "";
          out_ << (i != 0 ? ", " : "") << quote << shape_.names.text(m.name) << quote << ": ";
          value(m.type, shape_.layouts.member_layout(layout, i), offset + shape_.layouts.member_offset(layout, i), depth + 1);
        }
        out_ << "}";
        return;
      }
      default: out_ << "?"; return;
    }
  }

  const ValueShape& shape_;
  std::span<const uint8_t> bytes_;
  const FormatOptions& options_;
  TextSink out_;
};

}  // namespace

std::string format_scalar(ScalarKind kind, uint64_t bits, bool hex, bool json) {
  TextSink out;
  if (kind == ScalarKind::bool_) return bits != 0 ? "true" : "false";
  const uint32_t width = scalar_bits(kind);
  if (hex) {
    if (json) out << '"';
    out << "0x";
    out.hex(bits, static_cast<int>(width / 4));
    if (json) out << '"';
    return out.take();
  }
  if (is_float(kind)) return float_text(kind, bits, json);
  const bool quoted = json && width == 64;
  if (quoted) out << '"';
  if (is_signed_int(kind)) {
    const uint64_t sign = uint64_t{1} << (width - 1);
    const uint64_t low = width == 64 ? bits : bits & ((uint64_t{1} << width) - 1);
    out << static_cast<long long>((low ^ sign) - sign);
  } else {
    out << static_cast<unsigned long long>(bits);
  }
  if (quoted) out << '"';
  return out.take();
}

std::string format_value(const ValueShape& shape, std::span<const uint8_t> bytes, const FormatOptions& options) {
  return Writer(shape, bytes, options).run();
}

std::string format_image(const Image& image, const FormatOptions& options) {
  TextSink out;
  const bool wide = image.words_per_texel() == 2;
  const ScalarKind kind = options.as != ScalarKind::none ? options.as : image.scalar;
  const uint32_t components = wide ? 1 : 4;
  const uint64_t total = uint64_t{image.width} * image.height * image.depth * image.layers * image.samples;
  uint64_t n = options.count != 0 && options.count < total ? options.count : total;
  const bool shortened = options.count == 0 && !options.json && n > kShort;
  if (shortened) n = kShort;
  if (options.json) out << "[";
  for (uint64_t i = 0; i < n; ++i) {
    if (i != 0) out << (options.json ? ", " : " ");
    if (components > 1) out << (options.json ? "[" : "(");
    for (uint32_t c = 0; c < components; ++c) {
      const uint64_t at = i * image.words_per_texel() + c;
      uint64_t bits = at < image.words.size() ? image.words[at] : 0;
      if (wide && at + 1 < image.words.size()) bits |= uint64_t{image.words[at + 1]} << 32;
      out << (c != 0 ? ", " : "") << format_scalar(kind, bits, options.hex, options.json);
    }
    if (components > 1) out << (options.json ? "]" : ")");
  }
  if (options.json) out << "]";
  if (shortened) out << " ... (" << total << " in all)";
  return out.take();
}

}  // namespace carry::exec

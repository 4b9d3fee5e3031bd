// TextSink: the one way to build text. Appends only; no locale, no streams.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace carry {

class TextSink {
 public:
  TextSink& operator<<(std::string_view text) {
    text_.append(text);
    return *this;
  }
  TextSink& operator<<(const char* text) { return *this << std::string_view(text); }
  TextSink& operator<<(const std::string& text) { return *this << std::string_view(text); }
  TextSink& operator<<(char c) {
    text_.push_back(c);
    return *this;
  }
  TextSink& operator<<(int v) { return append_signed(v); }
  TextSink& operator<<(long v) { return append_signed(v); }
  TextSink& operator<<(long long v) { return append_signed(v); }
  TextSink& operator<<(unsigned v) { return append_unsigned(v); }
  TextSink& operator<<(unsigned long v) { return append_unsigned(v); }
  TextSink& operator<<(unsigned long long v) { return append_unsigned(v); }

  /// Lower-case hexadecimal without prefix, at least `digits` wide.
  TextSink& hex(uint64_t v, int digits = 1);
  TextSink& indent(int levels) {
    text_.append(static_cast<size_t>(levels) * 2, ' ');
    return *this;
  }

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] std::string take() { return std::move(text_); }
  [[nodiscard]] size_t size() const { return text_.size(); }

 private:
  TextSink& append_signed(long long v);
  TextSink& append_unsigned(unsigned long long v);
  std::string text_;
};

}  // namespace carry

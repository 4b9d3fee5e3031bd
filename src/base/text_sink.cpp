#include "base/text_sink.h"

#include <charconv>

namespace carry {

TextSink& TextSink::append_signed(long long v) {
  char buffer[24];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, v);
  text_.append(buffer, end.ptr);
  return *this;
}

TextSink& TextSink::append_unsigned(unsigned long long v) {
  char buffer[24];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, v);
  text_.append(buffer, end.ptr);
  return *this;
}

TextSink& TextSink::hex(uint64_t v, int digits) {
  char buffer[20];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, v, 16);
  for (int pad = digits - static_cast<int>(end.ptr - buffer); pad > 0; --pad) text_.push_back('0');
  text_.append(buffer, end.ptr);
  return *this;
}

}  // namespace carry

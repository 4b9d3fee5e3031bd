// Word streams of a SPIR-V module, in the order that the specification's logical layout wants them (2.4).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include <spirv/unified1/spirv.hpp11>

namespace carry::write::spirv {

using Word = uint32_t;
using SpvId = uint32_t;

class WordStream {
 public:
  /// Writes one instruction; the count word is made from the operands.
  void inst(spv::Op op, std::initializer_list<Word> operands) {
    inst(op, std::span<const Word>(operands.begin(), operands.size()));
  }
  void inst(spv::Op op, std::span<const Word> operands) {
    begin(op);
    words_.insert(words_.end(), operands.begin(), operands.end());
    end();
  }
  void begin(spv::Op op) {
    start_ = words_.size();
    words_.push_back(static_cast<Word>(op));
  }
  void word(Word w) { words_.push_back(w); }
  void words(std::span<const Word> list) { words_.insert(words_.end(), list.begin(), list.end()); }
  /// Literal string: UTF-8, zero-terminated, padded with zeros to a word.
  void string(std::string_view text) {
    Word w = 0;
    for (size_t i = 0; i < text.size(); ++i) {
      w |= static_cast<Word>(static_cast<unsigned char>(text[i])) << (8 * (i % 4));
      if (i % 4 == 3) {
        words_.push_back(w);
        w = 0;
      }
    }
    words_.push_back(w);
  }
  void end() { words_[start_] |= static_cast<Word>(words_.size() - start_) << 16; }

  [[nodiscard]] size_t size() const { return words_.size(); }
  [[nodiscard]] Word& at(size_t index) { return words_[index]; }
  [[nodiscard]] const std::vector<Word>& all() const { return words_; }
  void append(const WordStream& other) { words_.insert(words_.end(), other.words_.begin(), other.words_.end()); }
  void clear() { words_.clear(); }

 private:
  std::vector<Word> words_;
  size_t start_ = 0;
};

}  // namespace carry::write::spirv

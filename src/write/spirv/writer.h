// SPIR-V writer: a legalised ir::Module to a SPIR-V binary. It decides nothing: every shape that SPIR-V cannot say was
// removed by passes (guards in arithmetic, byte pointers, resources in memory ...). What it does itself is representation:
// region values become OpPhi, layouts become decorations, bools in laid-out memory become 32-bit words.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ir/module.h"
#include "source/source_map.h"

namespace carry::write::spirv {

/// Debug information (-g): OpSource, OpString and OpLine.
struct DebugOptions {
  const SourceMap* sources = nullptr;  // null: none
  uint32_t language = 0;               // SourceLanguage enumerant
  uint32_t language_version = 0;
  std::span<const std::pair<std::string, std::string>> prefixes;  // of file names: the last that fits is replaced
};

struct Options {
  uint32_t version = 0x00010500;  // as in the module header: 0x00010000 ... 0x00010600
  bool names = true;              // OpName, OpMemberName
  DebugOptions debug;
};

/// The module must have passed the verifier. The result is a complete module, ready for `spirv-val`.
/// An operation without a spelling goes to `unwritable`; the words are then no module.
[[nodiscard]] std::vector<uint32_t> write(const ir::Module& module, const Options& options, ir::InstId* unwritable = nullptr);

}  // namespace carry::write::spirv

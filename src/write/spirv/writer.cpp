#include "write/spirv/writer.h"

#include <algorithm>

#include "write/spirv/state.h"

namespace carry::write::spirv {

namespace {

/// Registered in the SPIR-V generator list once Carry has a number; 0 means unregistered.
constexpr Word kGenerator = 0;

}  // namespace

void Writer::capability(spv::Capability c) {
  if (std::find(capabilities_.begin(), capabilities_.end(), c) == capabilities_.end()) capabilities_.push_back(c);
}

void Writer::extension(std::string_view name) {
  if (std::find(extensions_.begin(), extensions_.end(), name) == extensions_.end()) extensions_.emplace_back(name);
}

void Writer::extension_before(std::string_view name, uint32_t core_since) {
  if (!at_least(core_since)) extension(name);
}

SpvId Writer::glsl_std() {
  if (glsl_std_ == 0) glsl_std_ = new_id();
  return glsl_std_;
}

void Writer::decorate(SpvId id, spv::Decoration d, std::initializer_list<Word> operands) {
  decoration_words_.begin(spv::Op::OpDecorate);
  decoration_words_.word(id);
  decoration_words_.word(static_cast<Word>(d));
  decoration_words_.words(std::span<const Word>(operands.begin(), operands.size()));
  decoration_words_.end();
}

void Writer::member_decorate(SpvId id, uint32_t member, spv::Decoration d, std::initializer_list<Word> operands) {
  decoration_words_.begin(spv::Op::OpMemberDecorate);
  decoration_words_.word(id);
  decoration_words_.word(member);
  decoration_words_.word(static_cast<Word>(d));
  decoration_words_.words(std::span<const Word>(operands.begin(), operands.size()));
  decoration_words_.end();
}

void Writer::name(SpvId id, NameId text) {
  if (!options_.names || !text || m_.names().text(text).empty()) return;
  name_words_.begin(spv::Op::OpName);
  name_words_.word(id);
  name_words_.string(m_.names().text(text));
  name_words_.end();
}

std::vector<Word> Writer::run() {
  capability(spv::Capability::Shader);
  global_ids_.assign(m_.globals.size(), 0);
  wrapped_.assign(m_.globals.size(), false);
  blocks_.assign(m_.globals.size(), 0);
  block_types_.assign(m_.globals.size(), 0);
  function_ids_.assign(m_.functions.size(), 0);
  global_uses_.resize(m_.functions.size());
  globals();
  for (ir::FunctionId id : m_.function_order) {
    function_ids_[id.value] = new_id();
    collect_uses(id);
    const ir::Function& f = m_.functions[id];
    const bool quads = (f.entry.flags & ir::kEntryQuadDerivatives) != 0;
    implicit_lod_ = implicit_lod_ || (f.is_entry && (f.entry.stage == ir::Stage::fragment || quads));
  }
  for (ir::FunctionId id : m_.function_order) {
    const ir::Function& f = m_.functions[id];
    if (f.dead) continue;
    if (f.is_entry && f.entry.stage == ir::Stage::geometry) capability(spv::Capability::Geometry);
    function(id);
  }
  entry_points();
  debug_source();

  WordStream out;
  for (spv::Capability c : capabilities_) out.inst(spv::Op::OpCapability, {static_cast<Word>(c)});
  for (const std::string& e : extensions_) {
    out.begin(spv::Op::OpExtension);
    out.string(e);
    out.end();
  }
  if (glsl_std_ != 0) {
    out.begin(spv::Op::OpExtInstImport);
    out.word(glsl_std_);
    out.string("GLSL.std.450");
    out.end();
  }
  out.inst(spv::Op::OpMemoryModel,
           {static_cast<Word>(physical_ ? spv::AddressingModel::PhysicalStorageBuffer64 : spv::AddressingModel::Logical),
            static_cast<Word>(spv::MemoryModel::GLSL450)});
  for (const WordStream* part :
       {&entry_words_, &mode_words_, &string_words_, &name_words_, &decoration_words_, &global_words_, &function_words_}) {
    out.append(*part);
  }
  std::vector<Word> words{spv::MagicNumber, options_.version, kGenerator, next_id_, 0};
  words.insert(words.end(), out.all().begin(), out.all().end());
  return words;
}

std::vector<uint32_t> write(const ir::Module& module, const Options& options, ir::InstId* unwritable) {
  Writer writer(module, options);
  std::vector<uint32_t> words = writer.run();
  if (unwritable != nullptr) *unwritable = writer.unwritable();
  return words;
}

}  // namespace carry::write::spirv

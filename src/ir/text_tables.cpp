#include "ir/text_tables.h"

namespace carry::ir {

namespace {

constexpr FlagWord kInstFlags[] = {{"precise", kPrecise},
                                   {"relaxed", kRelaxed},
                                   {"nonuniform", kNonUniform},
                                   {"volatile", kVolatile},
                                   {"coherent", kCoherent}};

constexpr FlagWord kGlobalFlagWords[] = {
    {"coherent", kGlobalCoherent},
    {"volatile", kGlobalVolatile},
    {"restrict", kGlobalRestrict},
    {"aliased", kGlobalAliased},
    {"byte_address", kGlobalByteAddress},
    {"flat", kGlobalFlat},
    {"noperspective", kGlobalNoPerspective},
    {"centroid", kGlobalCentroid},
    {"sample", kGlobalSample},
    {"invariant", kGlobalInvariant},
    {"per_vertex", kGlobalPerVertex},
    {"per_primitive", kGlobalPerPrimitive},
    {"patch", kGlobalPatch},
    {"relaxed", kGlobalRelaxed},
    {"heap", kGlobalHeap},
    {"used", kGlobalUsed},
    {"precise", kGlobalPrecise},
};

constexpr FlagWord kEntryFlagWords[] = {
    {"early_tests", kEntryEarlyTests},
    {"depth_greater", kEntryDepthGreater},
    {"depth_less", kEntryDepthLess},
    {"depth_unchanged", kEntryDepthUnchanged},
    {"origin_upper_left", kEntryOriginUpperLeft},
    {"writes_depth", kEntryWritesDepth},
    {"post_depth_coverage", kEntryPostDepthCoverage},
    {"quad_derivatives", kEntryQuadDerivatives},
    {"full_quads", kEntryFullQuads},
    {"maximal_reconvergence", kEntryMaximalReconvergence},
    {"subgroup_uniform", kEntrySubgroupUniform},
    {"round_even_16", kEntryRoundEven16},
    {"round_even_32", kEntryRoundEven32},
    {"round_even_64", kEntryRoundEven64},
};

constexpr FlagWord kSpaceBits[] = {{"storage", kSpaceStorage}, {"workgroup", kSpaceWorkgroup}, {"image", kSpaceImage}};

constexpr SampleWord kSampleWords[] = {
    {"compare", kSampleCompare, 1}, {"bias", kSampleBias, 1},       {"lod", kSampleLod, 1},        {"grad", kSampleGrad, 2},
    {"offset", kSampleOffset, 1},   {"offsets", kSampleOffsets, 1}, {"min_lod", kSampleMinLod, 1}, {"index", kSampleIndex, 1}};

constexpr std::string_view kScopes[] = {"invocation", "subgroup", "workgroup", "queue_family", "device"};
constexpr std::string_view kOrders[] = {"relaxed", "acquire", "release", "acq_rel"};
constexpr std::string_view kAccesses[] = {"none", "read", "write", "read_write"};
constexpr std::string_view kDims[] = {"1d", "2d", "3d", "cube", "buffer", "subpass", "rect"};
constexpr std::string_view kSubgroupOps[] = {"add",  "mul", "smin", "umin", "fmin", "smax", "umax",
                                             "fmax", "and", "or",   "xor",  "fadd", "fmul"};
constexpr std::string_view kSubgroupForms[] = {"reduce", "inclusive", "exclusive"};
constexpr std::string_view kHints[] = {"none", "unroll", "dont_unroll", "flatten", "dont_flatten"};
constexpr std::string_view kSlots[] = {"none", "buffer", "texture", "sampler"};
constexpr std::string_view kVariants[] = {"", "x0", "ones", "raw"};

constexpr std::string_view kTypeWords[] = {"void",      "bool",    "i8",          "i16",      "i32",      "i64",    "u8",
                                           "u16",       "u32",     "u64",         "f16",      "f32",      "f64",    "array",
                                           "ptr",       "sampler", "sampler_cmp", "combined", "bindings", "atomic", "accel",
                                           "ray_query", "zero",    "true",        "false",    "coop"};

bool starts_with(std::string_view text, std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; }

}  // namespace

std::span<const FlagWord> inst_flag_words() { return kInstFlags; }
std::span<const FlagWord> global_flag_words() { return kGlobalFlagWords; }
std::span<const FlagWord> entry_flag_words() { return kEntryFlagWords; }
std::span<const FlagWord> space_bit_words() { return kSpaceBits; }
std::span<const SampleWord> sample_words() { return kSampleWords; }
std::span<const std::string_view> scope_words() { return kScopes; }
std::span<const std::string_view> order_words() { return kOrders; }
std::span<const std::string_view> access_words() { return kAccesses; }
std::span<const std::string_view> dim_words() { return kDims; }
std::span<const std::string_view> subgroup_op_words() { return kSubgroupOps; }
std::span<const std::string_view> subgroup_form_words() { return kSubgroupForms; }
std::span<const std::string_view> slot_words() { return kSlots; }
std::span<const std::string_view> hint_words() { return kHints; }
std::span<const std::string_view> variant_words() { return kVariants; }

int find_word(std::span<const std::string_view> words, std::string_view word) {
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] == word) return static_cast<int>(i);
  }
  return -1;
}

const FlagWord* find_flag(std::span<const FlagWord> words, std::string_view word) {
  for (const FlagWord& flag : words) {
    if (flag.word == word) return &flag;
  }
  return nullptr;
}

bool is_type_word(std::string_view word) {
  if (find_word(kTypeWords, word) >= 0) return true;
  if (word.size() == 4 && starts_with(word, "vec")) return true;
  if (word.size() == 5 && starts_with(word, "pvec")) return true;
  if (word.size() == 6 && starts_with(word, "mat")) return true;
  return starts_with(word, "texture_") || starts_with(word, "depth_") || starts_with(word, "image_");
}

TypeInText type_in_text(Op op) {
  switch (op) {
    case Op::mat_mul:
    case Op::mat_vec:
    case Op::vec_mat:
    case Op::transpose:
    case Op::shuffle:
    case Op::make: return TypeInText::derived;
    default: break;
  }
  const OpRow& row = op_row(op);
  if (row.rule == TypeRule::named) return TypeInText::named;
  const bool special_builtin = row.rule == TypeRule::special && (row.traits & kBuiltin) != 0;
  return special_builtin ? TypeInText::named : TypeInText::derived;
}

}  // namespace carry::ir

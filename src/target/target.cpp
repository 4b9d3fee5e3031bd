#include "target/target.h"

namespace carry::target {

namespace {

struct Row {
  std::string_view name;
  Family family;
  uint32_t version;
  uint32_t vulkan;
};
constexpr Row kRows[] = {
#define FAMILY_LACKS(...)
#define FAMILY_REJECTS(...)
#define MSL_SINCE(...)
#define TARGET(name, family, version, vulkan) {name, Family::family, version, vulkan},
#include "target/targets.def"
#undef TARGET
#undef MSL_SINCE
#undef FAMILY_REJECTS
#undef FAMILY_LACKS
};

struct ExtraRow {
  std::string_view name;
  Extra extra;
  uint32_t families;  // bits of Family
};
constexpr uint32_t kSpirv = 1;
constexpr uint32_t kMsl = 2;
constexpr uint32_t kWgsl = 4;
constexpr ExtraRow kExtras[] = {{"subgroups", kExtraSubgroups, kWgsl},
                                {"f16", kExtraF16, kWgsl},
                                {"atomic-float", kExtraAtomicFloat, kSpirv | kMsl},
                                {"int64", kExtraInt64, kSpirv | kMsl},
                                {"atomic-int64", kExtraAtomicInt64, kSpirv},
                                {"atomic-vec2u-min-max", kExtraAtomicVec2uMinMax, kWgsl}};

/// The name of a Metal target of this version, on the same system as `t`.
std::string msl_name(const Target& t, uint32_t version) {
  for (const Row& row : kRows) {
    if (row.family == Family::msl && row.version == version) return std::string(row.name) + (t.ios ? "-ios" : "");
  }
  return "a later target";
}

void reject_before(Target& t, ir::Feature feature, uint32_t version) {
  t.rejects.push_back({feature, diag::not_supported_yet, msl_name(t, version)});
}

constexpr uint32_t kMslAtomicFloat = 300;  // atomic_float (Metal Shading Language 2.6)

void fill_family(Target& t) {
  using enum ir::Feature;
#define FAMILY_LACKS(f, ...) \
  if (t.family == Family::f) t.lacks = ir::FeatureSet{__VA_ARGS__};
#define FAMILY_REJECTS(f, feature, d) \
  if (t.family == Family::f) t.rejects.push_back({ir::Feature::feature, diag::d, {}});
#define MSL_SINCE(feature, macos, ios_) \
  if (t.family == Family::msl && t.version < (t.ios ? ios_ : macos)) reject_before(t, feature, t.ios ? ios_ : macos);
#define TARGET(...)
#include "target/targets.def"
#undef TARGET
#undef MSL_SINCE
#undef FAMILY_REJECTS
#undef FAMILY_LACKS
}

/// What depends on version and additions, and the operations to expand.
void refine(Target& t) {
  using ir::Feature;
  if (t.has(kExtraAtomicFloat)) {
    t.lacks.remove(Feature::float_atomic_add);
    t.lacks.remove(Feature::float_exchange);
  }
  if (t.family == Family::wgsl && !t.has(kExtraF16)) t.rejects.push_back({Feature::f16, diag::f16_not_available, {}});
  if (t.family == Family::wgsl && !t.has(kExtraSubgroups))
    t.rejects.push_back({Feature::subgroups, diag::subgroups_not_available, {}});
  if (t.family == Family::spirv && t.version < 0x00010300)
    t.rejects.push_back({Feature::subgroups, diag::subgroups_not_available, {}});
  t.expand_target = t.family == Family::spirv ? builtins::ExpandTarget::spirv
                    : t.family == Family::msl ? builtins::ExpandTarget::msl
                                              : builtins::ExpandTarget::wgsl;
}

}  // namespace

std::vector<std::string_view> target_names() {
  std::vector<std::string_view> names;
  for (const Row& row : kRows) names.push_back(row.name);
  return names;
}

std::vector<std::string_view> extra_names(Family family) {
  std::vector<std::string_view> names;
  for (const ExtraRow& row : kExtras) {
    if ((row.families >> static_cast<uint32_t>(family) & 1) != 0) names.push_back(row.name);
  }
  return names;
}

std::string_view file_ending(Family family) {
  return family == Family::spirv ? ".spv" : family == Family::msl ? ".metal" : ".wgsl";
}

bool find_target(std::string_view name, Target& out, std::string& error) {
  out = Target();
  out.name = std::string(name);
  std::string_view rest = name;
  const size_t plus = rest.find('+');
  std::string_view base = rest.substr(0, plus);
  rest = plus == std::string_view::npos ? std::string_view() : rest.substr(plus + 1);
  constexpr std::string_view kIos = "-ios";
  if (base.size() > kIos.size() && base.substr(base.size() - kIos.size()) == kIos) {
    out.ios = true;
    base.remove_suffix(kIos.size());
  }
  if (base == "spirv") base = "vulkan1.2";
  if (base == "msl") base = "msl2.4";
  const Row* found = nullptr;
  for (const Row& row : kRows) {
    if (row.name == base) found = &row;
  }
  if (found == nullptr || (out.ios && found->family != Family::msl)) {
    const std::string_view word = base.substr(0, base.find_first_of("0123456789"));
    const bool later = word == "glsl" || word == "essl" || word == "hlsl";
    error = (later ? "not supported yet: target `" : "unknown target `") + std::string(name) + "`";
    return false;
  }
  out.family = found->family;
  out.version = found->version;
  out.vulkan = found->vulkan;
  while (!rest.empty()) {
    const size_t next = rest.find('+');
    const std::string_view word = rest.substr(0, next);
    rest = next == std::string_view::npos ? std::string_view() : rest.substr(next + 1);
    const ExtraRow* extra = nullptr;
    for (const ExtraRow& row : kExtras) {
      if (row.name == word && (row.families >> static_cast<uint32_t>(out.family) & 1) != 0) extra = &row;
    }
    if (extra == nullptr) {
      error = "target `" + std::string(base) + "` has no feature `" + std::string(word) + "`";
      return false;
    }
    if (extra->extra == kExtraAtomicFloat && out.family == Family::msl && out.version < kMslAtomicFloat) {
      error = "target `" + std::string(name.substr(0, plus)) + "` has no feature `" + std::string(word) + "`: choose " +
              msl_name(out, kMslAtomicFloat) + "+" + std::string(word);
      return false;
    }
    out.extras |= extra->extra;
  }
  fill_family(out);
  refine(out);
  return true;
}

}  // namespace carry::target

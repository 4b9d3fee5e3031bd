#include "ops/builtins.h"

#include "base/check.h"
#include "base/hash.h"

namespace carry::builtins {

namespace {

constexpr Param kParams[] = {
#include "ops/gen/params.inc"
};
constexpr std::string_view kExtensions[] = {
#include "ops/gen/extensions.inc"
};
constexpr Form kForms[] = {
#include "ops/gen/forms.inc"
};

struct Slot {
  uint16_t first;
  uint16_t count;
  uint8_t group;  // glsl, hlsl, methods of hlsl
};
#include "ops/gen/form_index.inc"

constexpr std::string_view kHookNames[] = {
    "none",
#define LOWER_HOOK(name) #name,
#include "ops/gen/hooks.inc"
#undef LOWER_HOOK
};

constexpr uint8_t kMethods = 2;

std::span<const Form> find(uint8_t group, std::string_view name) {
  constexpr size_t kMask = sizeof(kSlots) / sizeof(kSlots[0]) - 1;
  for (size_t at = (hash_bytes(name) + group) & kMask; kSlots[at].count != 0; at = (at + 1) & kMask) {
    const Slot& slot = kSlots[at];
    if (slot.group == group && kForms[slot.first].name == name) return {kForms + slot.first, slot.count};
  }
  return {};
}

struct SpellingRow {
  Op op;
  Spelling spelling;
};
constexpr SpellingRow kSpellings[] = {
#define SPELLING(name, spirv, glsl450, msl, wgsl, glsl, hlsl) {Op::name, {spirv, glsl450, msl, wgsl, glsl, hlsl}},
#include "ops/gen/spellings.inc"
#undef SPELLING
};
struct SpellingTable {
  uint8_t row[static_cast<size_t>(Op::count_)] = {};  // 0: none
};
static_assert(sizeof(kSpellings) / sizeof(kSpellings[0]) < 255);
constexpr SpellingTable make_spelling_table() {
  SpellingTable table;
  uint8_t i = 0;
  for (const SpellingRow& row : kSpellings) table.row[static_cast<size_t>(row.op)] = ++i;
  return table;
}
constexpr SpellingTable kSpellingOf = make_spelling_table();
constexpr Spelling kNoSpelling;

}  // namespace

std::span<const Form> find_forms(Lang lang, std::string_view name) { return find(static_cast<uint8_t>(lang), name); }
std::span<const Form> find_methods(std::string_view name) { return find(kMethods, name); }
std::span<const Param> params(const Form& form) { return {kParams + form.first_param, form.param_count}; }
std::span<const std::string_view> extensions(const Form& form) {
  return {kExtensions + form.available.first_ext, form.available.ext_count};
}
std::span<const Form> all_forms() { return kForms; }
uint32_t form_index(const Form& form) { return static_cast<uint32_t>(&form - kForms); }

const Action& action(const Form& form, const Bindings& bindings) {
  const ScalarClass c = bindings.scalar[0] == ScalarKind::none ? ScalarClass::signed_ : scalar_class(bindings.scalar[0]);
  return form.actions[static_cast<size_t>(c)];
}

std::string_view hook_name(Hook hook) { return kHookNames[static_cast<size_t>(hook)]; }

const Spelling& spelling(Op op) {
  CARRY_CHECK(op < Op::count_);
  const uint8_t row = kSpellingOf.row[static_cast<size_t>(op)];
  return row == 0 ? kNoSpelling : kSpellings[row - 1].spelling;
}

}  // namespace carry::builtins

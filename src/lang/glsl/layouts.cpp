// Where layout ids stand: each on the declarations that it says something of, an error elsewhere (GLSL 4.60, 4.4).
#include <algorithm>

#include "check/checker.h"

namespace carry::check {
namespace {

struct Row {
  std::string_view name, places, interfaces, stages, words;
};
constexpr Row kRows[] = {
#define LAYOUT(id, places, interfaces, stages, words) {id, places, interfaces, stages, words},
#include "lang/glsl/layouts.def"
#undef LAYOUT
};
// Also taken on parameters, where code has it though 4.10 does not: it says which images may be given.
constexpr Row kFormat{"", "vp", "u", "", "uniforms of an image type"};

const Row* find_row(std::string_view name) {
  for (const Row& row : kRows) {
    if (row.name == name) return &row;
  }
  return find_image_format(name) == ImageFormat::count_ ? nullptr : &kFormat;
}

bool same_letters(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [&](char x, char y) { return lower(x) == lower(y); });
}

std::string_view place_text(LayoutPlace place) {
  switch (place) {
    case LayoutPlace::alone: return "a qualifier alone";
    case LayoutPlace::names: return "names declared before";
    case LayoutPlace::variable: return "this variable";
    case LayoutPlace::builtin: return "a built-in variable";
    case LayoutPlace::local: return "a variable inside of a function";
    case LayoutPlace::block: return "this block";
    case LayoutPlace::block_member: return "a member of this block";
    case LayoutPlace::struct_member: return "a member of a struct";
    case LayoutPlace::parameter: return "a parameter";
    case LayoutPlace::function: return "a function";
  }
  return {};
}

/// Letters of layouts.def for what the qualifiers say; "x" for storage of stages that are refused elsewhere.
std::string interfaces_of(const Qualifiers& q) {
  struct Word {
    QualifierKind kind;
    std::string_view letters;
  };
  static constexpr Word kWords[] = {{QualifierKind::uniform, "u"},
                                    {QualifierKind::buffer, "b"},
                                    {QualifierKind::in, "i"},
                                    {QualifierKind::out, "o"},
                                    {QualifierKind::inout, "io"},
                                    {QualifierKind::attribute, "i"},
                                    {QualifierKind::varying, "io"},
                                    {QualifierKind::const_, "c"},
                                    {QualifierKind::shared, "s"},
                                    {QualifierKind::ray_payload, "x"},
                                    {QualifierKind::ray_payload_in, "x"},
                                    {QualifierKind::hit_attribute, "x"},
                                    {QualifierKind::callable_data, "x"},
                                    {QualifierKind::callable_data_in, "x"},
                                    {QualifierKind::hit_object_attribute, "x"},
                                    {QualifierKind::tile_image, "x"},
                                    {QualifierKind::task_payload_shared, "x"},
                                    {QualifierKind::task, "x"}};
  std::string letters;
  for (const Word& w : kWords) {
    if (q.has(w.kind)) letters += w.letters;
  }
  return letters;
}

bool fits_stage(std::string_view stages, Stage stage) {
  if (stages.empty() || stage == Stage::none) return true;
  if (stages == "F") return stage == Stage::fragment;
  return stage == Stage::compute || stage == Stage::mesh || stage == Stage::task;
}

}  // namespace

/// Layout ids of desktop GLSL are not case sensitive (GLSL 4.60, 4.4), those of ESSL are.
std::string Checker::layout_word(std::string_view written) const {
  if (mode_.is_es()) return std::string(written);
  for (const Row& row : kRows) {
    if (same_letters(row.name, written)) return std::string(row.name);
  }
  std::string lower(written);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return find_image_format(lower) == ImageFormat::count_ ? std::string(written) : lower;
}

void Checker::glsl_check_layouts(const Qualifiers& q, LayoutPlace place, const Qualifiers* block) {
  if (!q.first_layout) return;
  const std::string interfaces = interfaces_of(block != nullptr ? *block : q);
  if (interfaces.find('x') != std::string::npos) return;
  NodeList layouts, ids;
  tree_.children(q.node, layouts);
  for (NodeId layout : layouts) {
    if (!tree_.is(layout, NodeKind::layout_qualifier)) continue;
    tree_.children(layout, ids);
    for (NodeId id : ids) {
      if (!tree_.is(id, NodeKind::layout_id)) continue;
      const std::string name = layout_word(tree_.name_text(id));
      const Row* row = find_row(name);
      if (row == nullptr) continue;
      const bool here = row->places.find(static_cast<char>(place)) != std::string_view::npos;
      const bool free = here && (place == LayoutPlace::struct_member || place == LayoutPlace::parameter);
      const bool suits = row->interfaces.empty() || free || interfaces.find_first_of(row->interfaces) != std::string::npos;
      if (here && suits && fits_stage(row->stages, options_.stage)) continue;
      diags_.emit(range(id), diag::bad_layout, name,
                  "does not belong on " + std::string(place_text(place)) + ": it is for " + std::string(row->words));
    }
  }
}

/// On a uniform outside of a block: ids of other types, and what Vulkan has no use for.
void Checker::glsl_check_uniform_layout(const Qualifiers& q, TypeId core, NodeId at) {
  const bool image = types_.kind(core) == TypeKind::image;
  const bool subpass = image && types_[core].dim == Dim::subpass;
  if (q.has_format && (!image || subpass))
    diags_.emit(loc(at), diag::bad_layout, image_format_row(q.format).name, "is for images, not for `" + type_text(core) + "`");
  if (q.input_attachment != Id<TypeId>::kNone && !subpass)
    diags_.emit(loc(at), diag::bad_layout, "input_attachment_index", "is for subpass types, not for `" + type_text(core) + "`");
  if (q.location != Id<TypeId>::kNone)
    diags_.emit(loc(at), diag::layout_no_effect, "location", "uniforms are found by `set` and `binding` on all targets");
}

}  // namespace carry::check

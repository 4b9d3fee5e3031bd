// Attributes of HLSL: of functions, of entry points, and Vulkan's [[vk::...]].
#include <algorithm>

#include "check/checker.h"

namespace carry::check {
namespace {

struct FunctionRow {
  std::string_view name, stages;
};
constexpr FunctionRow kFunctionRows[] = {
#define FUNCTION_ATTRIBUTE(name, stages) {name, stages},
#define VK_ATTRIBUTE(name, places, words)
#include "lang/hlsl/attributes.def"
#undef VK_ATTRIBUTE
#undef FUNCTION_ATTRIBUTE
};

struct VkRow {
  std::string_view name, places, words;
};
constexpr VkRow kVkRows[] = {
#define FUNCTION_ATTRIBUTE(name, stages)
#define VK_ATTRIBUTE(name, places, words) {name, places, words},
#include "lang/hlsl/attributes.def"
#undef VK_ATTRIBUTE
#undef FUNCTION_ATTRIBUTE
};

std::string lower(std::string_view t) {
  std::string s(t);
  for (char& c : s) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return s;
}

const FunctionRow* find_function_row(std::string_view name) {
  const std::string word = lower(name);
  for (const FunctionRow& row : kFunctionRows) {
    if (row.name == word) return &row;
  }
  return nullptr;
}

constexpr uint32_t kLeastWave = 4, kLargestWave = 128;

}  // namespace

void Checker::hlsl_function_attribute(NodeId attribute) {
  if (find_function_row(tree_.name_text(attribute)) == nullptr)
    diags_.emit(loc(attribute), diag::unknown_attribute, tree_.name_text(attribute));
}

void Checker::hlsl_attribute_qualifier(Qualifiers& q, NodeId attribute, bool of_function) {
  NodeList c;
  tree_.children(attribute, c);
  const std::string_view name = tree_.name_text(attribute);
  const bool vk = !tree_.is_empty(c[0]) && tree_.name_text(c[0]) == "vk";
  if (!vk && of_function) return hlsl_function_attribute(attribute);
  if (!vk) return void(diags_.emit(loc(attribute), diag::unknown_attribute, tree_.name_text(attribute)));
  auto value = [&](uint32_t i, uint32_t& out) {
    if (i >= c.size()) {
      if (i == 1) diags_.emit(loc(attribute), diag::bad_attribute, "vk::" + std::string(name), "needs a number");
      return;
    }
    check_expr(c[i]);
    constant_u32(c[i], out);
  };
  if (name == "binding") {
    value(1, q.binding);
    q.set = 0;
    value(2, q.set);
  } else if (name == "counter_binding")
    value(1, q.counter_binding);
  else if (name == "location")
    value(1, q.location);
  else if (name == "index")
    value(1, q.index);
  else if (name == "constant_id")
    value(1, q.constant_id);
  else if (name == "push_constant")
    q.push_constant = true;
  else if (name == "offset")
    value(1, q.offset);
  else if (name == "input_attachment_index")
    value(1, q.input_attachment);
  else if (name == "image_format" && c.size() > 1)
    hlsl_image_format(q, c[1]);
  else if (name == "shader_record_nv" || name == "shader_record_ext")
    not_yet(attribute, "shader records");
  else if (name == "combinedImageSampler" || name == "builtin" || name == "ext_builtin_input" || name == "ext_builtin_output")
    not_yet(attribute, "vk::" + std::string(name));
  else
    diags_.emit(loc(attribute), diag::unknown_attribute, "vk::" + std::string(name));
}

void Checker::hlsl_check_attributes(const Qualifiers& q, LayoutPlace place) {
  NodeList items, parts;
  tree_.children(q.node, items);
  for (NodeId a : items) {
    if (!tree_.is(a, NodeKind::attribute)) continue;
    tree_.children(a, parts);
    if (tree_.is_empty(parts[0]) || tree_.name_text(parts[0]) != "vk") continue;
    for (const VkRow& row : kVkRows) {
      if (row.name != tree_.name_text(a) || row.places.find(static_cast<char>(place)) != std::string_view::npos) continue;
      diags_.emit(range(a), diag::attribute_left_out, source_text(a), "it is for " + std::string(row.words));
    }
  }
}

/// Words of geometry and mesh shaders on the parameters of another entry.
void Checker::hlsl_entry_words(FuncId f) {
  constexpr QualifierKind kWords[] = {QualifierKind::point,    QualifierKind::line,         QualifierKind::line_adj,
                                      QualifierKind::triangle, QualifierKind::triangle_adj, QualifierKind::indices,
                                      QualifierKind::vertices, QualifierKind::primitives,   QualifierKind::payload};
  NodeList items;
  for (const Parameter& p : facts_.functions[f].params) {
    tree_.children(tree_.child(facts_.variables[p.var].decl, 0), items);
    for (NodeId i : items) {
      if (!tree_.is(i, NodeKind::qualifier)) continue;
      const bool odd = std::find(std::begin(kWords), std::end(kWords), tree_.qualifier(i)) != std::end(kWords);
      if (odd) diags_.emit(loc(i), diag::attribute_left_out, source_text(i), "it is for geometry and mesh shaders");
    }
  }
}

/// What an entry's attributes ask for; those that say nothing here get a warning.
void Checker::hlsl_entry_attributes(FuncId f, EntryFact& e) {
  const bool vertex = e.stage == Stage::vertex, fragment = e.stage == Stage::fragment;
  const char stage = vertex ? 'V' : fragment ? 'F' : 'X';
  const std::string_view stage_text = vertex ? "vertex" : fragment ? "pixel" : "compute";
  hlsl_entry_words(f);
  NodeList items;
  tree_.children(tree_.child(facts_.functions[f].decl, 0), items);
  for (NodeId a : items) {
    const FunctionRow* row = tree_.is(a, NodeKind::attribute) ? find_function_row(tree_.name_text(a)) : nullptr;
    if (row == nullptr) continue;
    if (!row->stages.empty() && row->stages.find(stage) == std::string_view::npos) {
      diags_.emit(range(a), diag::attribute_left_out, source_text(a),
                  "it says nothing of " + std::string(stage_text) + " shaders");
    } else if (row->name == "rootsignature") {
      diags_.emit(range(a), diag::attribute_left_out, tree_.name_text(a),
                  "root signatures are Direct3D's; bindings follow from registers and `[[vk::binding]]`");
    } else if (row->name == "wavesize") {
      hlsl_wave_size(a, e);
    } else if (row->name == "earlydepthstencil") {
      e.flags |= kFactEarlyTests;
    } else if (row->name == "clipplanes" || row->name == "waveopsincludehelperlanes") {
      not_yet(a, "the attribute `" + std::string(tree_.name_text(a)) + "`");
    }
  }
}

/// [WaveSize(n)] of shader model 6.6, [WaveSize(min, max[, preferred])] of 6.8.
void Checker::hlsl_wave_size(NodeId a, EntryFact& e) {
  NodeList args;
  tree_.children(a, args);
  if (args.size() < 2 || args.size() > 4)
    return void(diags_.emit(range(a), diag::bad_attribute, "WaveSize", "takes one to three numbers"));
  uint32_t sizes[3] = {0, 0, 0};
  for (uint32_t i = 1; i < args.size(); ++i) {
    check_expr(args[i]);
    if (!constant_u32(args[i], sizes[i - 1])) return;
    const uint32_t size = sizes[i - 1];
    if (size < kLeastWave || size > kLargestWave || (size & (size - 1)) != 0)
      return void(diags_.emit(range(args[i]), diag::bad_attribute, "WaveSize", "is a power of two from 4 to 128"));
  }
  if (args.size() == 2) sizes[1] = sizes[2] = sizes[0];
  if (args.size() > 2 && sizes[0] >= sizes[1])
    return void(diags_.emit(range(args[2]), diag::bad_attribute, "WaveSize", "has a minimum that is not below the maximum"));
  if (args.size() == 4 && (sizes[2] < sizes[0] || sizes[2] > sizes[1]))
    return void(diags_.emit(range(args[3]), diag::bad_attribute, "WaveSize", "prefers a size outside of its range"));
  e.wave_sizes = {sizes[0], sizes[1], sizes[2], a};
}

}  // namespace carry::check

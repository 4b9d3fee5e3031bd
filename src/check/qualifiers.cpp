// Qualifier lists, layout qualifiers and HLSL attributes of declarations, read into one record.
#include "check/checker.h"

namespace carry::check {
namespace {

struct FlagWord {
  QualifierKind kind;
  uint32_t flag;
};
constexpr FlagWord kFlagWords[] = {{QualifierKind::const_, kVarConst},
                                   {QualifierKind::precise, kVarPrecise},
                                   {QualifierKind::centroid, kVarCentroid},
                                   {QualifierKind::sample, kVarSample},
                                   {QualifierKind::noperspective, kVarNoPerspective},
                                   {QualifierKind::volatile_, kVarVolatile},
                                   {QualifierKind::flat, kVarFlat},
                                   {QualifierKind::nointerpolation, kVarFlat},
                                   {QualifierKind::patch, kVarPatch},
                                   {QualifierKind::invariant, kVarInvariant},
                                   {QualifierKind::mediump, kVarMediump},
                                   {QualifierKind::lowp, kVarMediump},
                                   {QualifierKind::coherent, kVarCoherent},
                                   {QualifierKind::globally_coherent, kVarCoherent},
                                   {QualifierKind::restrict_, kVarRestrict},
                                   {QualifierKind::readonly, kVarReadonly},
                                   {QualifierKind::writeonly, kVarWriteonly},
                                   {QualifierKind::device_coherent, kVarCoherent},
                                   {QualifierKind::queue_family_coherent, kVarCoherent},
                                   {QualifierKind::workgroup_coherent, kVarCoherent},
                                   {QualifierKind::subgroup_coherent, kVarCoherent},
                                   {QualifierKind::shader_call_coherent, kVarCoherent},
                                   {QualifierKind::per_vertex, kVarPerVertex},
                                   {QualifierKind::per_primitive, kVarPerPrimitive},
                                   {QualifierKind::nonuniform, kVarNonUniform},
                                   {QualifierKind::static_, kVarStatic}};

struct EntryWord {
  std::string_view text;
  uint32_t flag;
};
constexpr EntryWord kEntryWords[] = {{"early_fragment_tests", kFactEarlyTests},
                                     {"depth_greater", kFactDepthGreater},
                                     {"depth_less", kFactDepthLess},
                                     {"depth_unchanged", kFactDepthUnchanged},
                                     {"depth_any", 0},
                                     {"origin_upper_left", kFactOriginUpperLeft}};

}  // namespace

bool Checker::constant_u32(NodeId expr, uint32_t& out) {
  if (is_error(expr)) return false;
  int64_t v = 0;
  const ConstId c = value_of(expr);
  if (!c || !fold_.to_int(c, v) || v < 0 || v > 0xffffffffll) {
    diags_.emit(range(expr), diag::constant_needed, "this value, of integer type and not negative,");
    return false;
  }
  out = static_cast<uint32_t>(v);
  return true;
}

Qualifiers Checker::read_qualifiers(NodeId list, bool of_function) {
  Qualifiers q;
  q.node = list;
  NodeList items;
  tree_.children(list, items);
  for (NodeId i : items) {
    switch (tree_.kind(i)) {
      case NodeKind::qualifier: {
        const QualifierKind k = tree_.qualifier(i);
        q.words.set(static_cast<size_t>(k));
        if (k == QualifierKind::reorder_coherent || k == QualifierKind::node_shared)
          not_yet(i, "`" + std::string(qualifier_text(k)) + "`");
        for (const FlagWord& w : kFlagWords) {
          if (w.kind == k) q.flags |= w.flag;
        }
        if (k == QualifierKind::row_major) q.major = Majorness::row;
        if (k == QualifierKind::column_major) q.major = Majorness::column;
        break;
      }
      case NodeKind::layout_qualifier: glsl_layout(q, i); break;
      case NodeKind::subroutine_qualifier: not_yet(i, "subroutines"); break;
      case NodeKind::attribute:
        if (hlsl())
          hlsl_attribute_qualifier(q, i, of_function);
        else if (tree_.name_text(i) == "spirv_execution_mode")
          glsl_execution_mode(q, i);
        else if (!of_function)
          diags_.emit(loc(i), diag::unknown_attribute, tree_.name_text(i));
        break;
      default: break;
    }
  }
  if (!facts_.pack_matrix.empty() && q.major == Majorness::by_default)
    q.major = facts_.row_major_at(tree_[list].token, false) ? Majorness::row : Majorness::column;
  return q;
}

// Round to nearest even is what all arithmetic here does; other modes would change results.
void Checker::glsl_execution_mode(Qualifiers& q, NodeId attribute) {
  constexpr uint32_t kRoundingModeRte = 4462;
  NodeList args;
  tree_.children(attribute, args);
  uint32_t numbers[2] = {0, 0};
  for (uint32_t i = 1; i < args.size(); ++i) {
    check_expr(args[i]);
    if (i <= 2 && !constant_u32(args[i], numbers[i - 1])) return;
  }
  const bool known =
      args.size() == 3 && numbers[0] == kRoundingModeRte && (numbers[1] == 16 || numbers[1] == 32 || numbers[1] == 64);
  if (!known) return not_yet(attribute, "spirv_execution_mode other than RoundingModeRTE (4462) for a width");
  q.entry_flags |= numbers[1] == 16 ? kFactRoundEven16 : numbers[1] == 32 ? kFactRoundEven32 : kFactRoundEven64;
}

uint16_t Checker::glsl_function_attributes(NodeId list) {
  struct Row {
    std::string_view text, extension;
    uint16_t flag;
  };
  static constexpr Row kRows[] = {
      {"subgroup_uniform_control_flow", "GL_EXT_subgroup_uniform_control_flow", kFuncSubgroupUniform},
      {"maximally_reconverges", "GL_EXT_maximal_reconvergence", kFuncMaximalReconvergence}};
  uint16_t flags = 0;
  NodeList items;
  tree_.children(list, items);
  for (NodeId a : items) {
    if (!tree_.is(a, NodeKind::attribute)) continue;
    const std::string_view name = tree_.name_text(a);
    const Row* found = nullptr;
    for (const Row& r : kRows) {
      if (r.text == name) found = &r;
    }
    if (found == nullptr)
      diags_.emit(loc(a), diag::unknown_attribute, name);
    else if (needs_extension(a, name, found->extension))
      flags |= found->flag;
  }
  return flags;
}

void Checker::glsl_layout(Qualifiers& q, NodeId layout) {
  if (!q.first_layout) q.first_layout = layout;
  NodeList ids;
  tree_.children(layout, ids);
  for (NodeId id : ids) {
    if (tree_.is(id, NodeKind::layout_id)) glsl_layout_id(q, id);
  }
}

void Checker::glsl_layout_id(Qualifiers& q, NodeId id) {
  const std::string lower = layout_word(tree_.name_text(id));
  const std::string_view name = lower;
  const NodeId arg = tree_.child(id, 0);
  const bool has_arg = !tree_.is_empty(arg);
  uint32_t value = 0;
  bool value_ok = false;
  if (has_arg) {
    check_expr(arg);
    value_ok = constant_u32(arg, value);
  }
  struct Number {
    std::string_view text;
    uint32_t* target;
  };
  const Number numbers[] = {{"set", &q.set},
                            {"binding", &q.binding},
                            {"location", &q.location},
                            {"component", &q.component},
                            {"index", &q.index},
                            {"offset", &q.offset},
                            {"constant_id", &q.constant_id},
                            {"align", &q.align},
                            {"buffer_reference_align", &q.reference_align},
                            {"input_attachment_index", &q.input_attachment},
                            {"local_size_x_id", &q.size_ids[0]},
                            {"local_size_y_id", &q.size_ids[1]},
                            {"local_size_z_id", &q.size_ids[2]}};
  for (const Number& n : numbers) {
    if (n.text != name) continue;
    if (!has_arg)
      diags_.emit(loc(id), diag::bad_layout, name, "needs a value");
    else if (value_ok)
      *n.target = value;
    const bool align = n.target == &q.reference_align || n.target == &q.align;
    if (align && value_ok && (value == 0 || (value & (value - 1)) != 0)) {
      diags_.emit(loc(id), diag::bad_layout, name, "is a power of two");
      *n.target = 0;
    }
    if (name.substr(0, 10) == "local_size") q.local_size = true;
    return;
  }
  if (name.size() == 12 && name.substr(0, 11) == "local_size_") {
    const auto axis = static_cast<size_t>(name[11] - 'x');
    if (axis < 3) {
      q.local_size = true;
      q.size_set[axis] = true;
      if (!has_arg || (value_ok && value == 0)) diags_.emit(range(id), diag::bad_local_size, "must be greater than 0");
      if (value_ok) q.size[axis].value = value;
      return;
    }
  }
  for (const EntryWord& w : kEntryWords) {
    if (w.text == name) return void(q.entry_flags |= w.flag);
  }
  if (name == "std140")
    q.std140 = true;
  else if (name == "std430")
    q.std430 = true;
  else if (name == "scalar")
    q.scalar = true;
  else if (name == "row_major")
    q.major = Majorness::row;
  else if (name == "column_major")
    q.major = Majorness::column;
  else if (name == "push_constant")
    q.push_constant = true;
  else if (name == "shaderRecordEXT")
    q.shader_record = true;
  else if (name == "buffer_reference")
    q.buffer_reference = needs_extension(id, name, "GL_EXT_buffer_reference");
  else if (name == "shared" || name == "packed")
    glsl_layout_choice(id, name);
  else if (name == "pixel_center_integer" || name == "origin_lower_left")
    diags_.emit(loc(id), diag::bad_layout, name,
                "is not in GLSL for Vulkan: `gl_FragCoord` counts from the upper left"
                " corner, pixel centers are at .5; compute the other from it");
  else if (const ImageFormat f = find_image_format(name); f != ImageFormat::count_)
    q.format = f, q.has_format = true;
  else
    glsl_layout_other(id, name);
}

// The implementation of OpenGL chooses these layouts; GL_KHR_vulkan_glsl removes them. Std140 is one such choice.
void Checker::glsl_layout_choice(NodeId id, std::string_view name) {
  if (mode_.vulkan) diags_.emit(loc(id), diag::bad_layout, name, "is not in GLSL for Vulkan: `std140`, `std430` or `scalar`");
}

void Checker::glsl_layout_other(NodeId id, std::string_view name) {
  static constexpr std::string_view kLater[] = {"post_depth_coverage",
                                                "triangles",
                                                "quads",
                                                "isolines",
                                                "equal_spacing",
                                                "fractional_even_spacing",
                                                "fractional_odd_spacing",
                                                "cw",
                                                "ccw",
                                                "point_mode",
                                                "points",
                                                "lines",
                                                "lines_adjacency",
                                                "triangles_adjacency",
                                                "line_strip",
                                                "triangle_strip",
                                                "max_vertices",
                                                "max_primitives",
                                                "vertices",
                                                "invocations",
                                                "stream",
                                                "xfb_buffer",
                                                "xfb_offset",
                                                "xfb_stride",
                                                "num_views",
                                                "viewport_relative",
                                                "override_coverage",
                                                "derivative_group_quadsNV",
                                                "derivative_group_linearNV",
                                                "derivative_group_quadsKHR",
                                                "derivative_group_linearKHR",
                                                "commandBindableNV",
                                                "pixel_interlock_ordered",
                                                "pixel_interlock_unordered",
                                                "sample_interlock_ordered",
                                                "sample_interlock_unordered",
                                                "primitive_culling",
                                                "early_and_late_fragment_tests_amd",
                                                "full_quads",
                                                "quad_derivatives",
                                                "blend_support_all_equations"};
  for (std::string_view l : kLater) {
    if (l == name) return not_yet(id, "layout qualifier `" + std::string(name) + "`");
  }
  diags_.emit(loc(id), diag::bad_layout, name, "is not known");
}

}  // namespace carry::check

// gl_* variables and constants, declared when they are first named.
#include "check/checker.h"
#include "lang/glsl/extensions.h"
#include "lang/glsl/keywords.h"

namespace carry::check {
namespace {

struct Row {
  std::string_view name;
  BuiltinVar builtin;
  std::string_view type;
  uint8_t array;
  char direction;
  std::string_view stages;
  uint16_t since;
  uint16_t es;
  std::string_view extension;
};
constexpr Row kRows[] = {
#define GLSL_VAR(name, builtin, type, array, direction, stages, since, es, extension) \
  {name, BuiltinVar::builtin, type, array, direction, stages, since, es, extension},
#include "lang/glsl/builtin_vars.def"
#undef GLSL_VAR
};

struct Limit {
  std::string_view name;
  int32_t value;
};
constexpr Limit kLimits[] = {{"gl_MaxComputeUniformComponents", 1024},
                             {"gl_MaxComputeTextureImageUnits", 16},
                             {"gl_MaxComputeImageUniforms", 8},
                             {"gl_MaxComputeAtomicCounters", 8},
                             {"gl_MaxComputeAtomicCounterBuffers", 1},
                             {"gl_MaxVertexAttribs", 64},
                             {"gl_MaxTextureImageUnits", 32},
                             {"gl_MaxCombinedTextureImageUnits", 80},
                             {"gl_MaxDrawBuffers", 32},
                             {"gl_MaxSamples", 4},
                             {"gl_MaxImageUnits", 8},
                             {"gl_MaxClipDistances", 8},
                             {"gl_MaxCullDistances", 8},
                             {"gl_MaxCombinedClipAndCullDistances", 8},
                             {"gl_MaxVaryingVectors", 15},
                             {"gl_MaxVaryingComponents", 60},
                             {"gl_MaxVertexTextureImageUnits", 32},
                             {"gl_MinProgramTexelOffset", -8},
                             {"gl_MaxProgramTexelOffset", 7},
                             {"gl_MaxPatchVertices", 32},
                             {"gl_MaxTessGenLevel", 64},
                             {"gl_MaxViewports", 16},
                             {"gl_MaxInputAttachments", 1},
                             {"gl_MaxVertexUniformVectors", 1024},
                             {"gl_MaxFragmentUniformVectors", 1024},
                             {"gl_MaxTransformFeedbackBuffers", 4},
                             {"gl_MaxTransformFeedbackInterleavedComponents", 64},
                             {"gl_MaxCombinedShaderOutputResources", 16},
                             // GL_KHR_memory_scope_semantics
                             {"gl_ScopeDevice", 1},
                             {"gl_ScopeWorkgroup", 2},
                             {"gl_ScopeSubgroup", 3},
                             {"gl_ScopeInvocation", 4},
                             {"gl_ScopeQueueFamily", 5},
                             {"gl_SemanticsRelaxed", 0},
                             {"gl_SemanticsAcquire", 2},
                             {"gl_SemanticsRelease", 4},
                             {"gl_SemanticsAcquireRelease", 8},
                             {"gl_SemanticsMakeAvailable", 0x2000},
                             {"gl_SemanticsMakeVisible", 0x4000},
                             {"gl_SemanticsVolatile", 0x8000},
                             {"gl_StorageSemanticsNone", 0},
                             {"gl_StorageSemanticsBuffer", 0x40},
                             {"gl_StorageSemanticsShared", 0x100},
                             {"gl_StorageSemanticsImage", 0x800},
                             {"gl_StorageSemanticsOutput", 0x1000}};

constexpr uint32_t kMostDistances = 8;  // gl_MaxClipDistances, gl_MaxCullDistances

char stage_letter(Stage s) {
  constexpr std::string_view kLetters = "?VCEGFXMTRRRRRR";
  return kLetters[static_cast<size_t>(s)];
}

}  // namespace

void Checker::declare_builtin(Variable v) {
  const VarId id = facts_.variables.add(v);
  scopes_.declare_in(kGlobalSpace, v.name, {Symbol::Kind::variable, id.value, NodeId()});
  if (v.kind == VarKind::builtin) facts_.globals.push_back(id);
  if (!is_unsized_array(v.type)) return;
  add_unsized_variable(id, NodeId());
  implicit_arrays_.back().most = kMostDistances;
}

bool Checker::glsl_builtin_variable(NameId name) {
  const std::string_view word = text(name);
  if (word.substr(0, 3) != "gl_") return false;
  Variable v;
  v.name = name;
  for (const Row& row : kRows) {
    if (row.name != word) continue;
    if (options_.stage != Stage::none && !row.stages.empty() &&
        row.stages.find(stage_letter(options_.stage)) == std::string_view::npos)
      continue;
    const bool ext = !row.extension.empty() && has_ext(row.extension);
    const bool ok = ext || (mode_.is_es() ? row.es != 0 && mode_.glsl_version >= row.es
                                          : row.since != 0 && mode_.glsl_version >= row.since);
    if (!ok) continue;
    v.kind = VarKind::builtin;
    v.builtin = row.builtin;
    v.type = glsl_type_word(row.type);
    if (row.array != 0) v.type = types_.array(v.type, row.array == 255 ? 0 : row.array);
    if (row.direction == 'r') v.flags = kVarReadonly;
    declare_builtin(std::move(v));
    return true;
  }
  if (word == "gl_WorkGroupSize" && workgroup_declared_) {
    glsl_workgroup_size(name);
    return true;
  }
  if (word == "gl_MaxComputeWorkGroupCount" || word == "gl_MaxComputeWorkGroupSize") {
    v.kind = VarKind::constant;
    v.flags = kVarConst;
    v.type = types_.vector(ScalarKind::i32, 3);
    const bool count = word == "gl_MaxComputeWorkGroupCount";
    const ConstId parts[3] = {types_.constant_i32(count ? 65535 : 1024), types_.constant_i32(count ? 65535 : 1024),
                              types_.constant_i32(count ? 65535 : 64)};
    v.value = types_.constant_composite(v.type, parts);
    declare_builtin(std::move(v));
    return true;
  }
  for (const Limit& l : kLimits) {
    if (l.name != word) continue;
    v.kind = VarKind::constant;
    v.flags = kVarConst;
    v.type = TypeId::i32;
    v.value = types_.constant_i32(l.value);
    declare_builtin(std::move(v));
    return true;
  }
  return false;
}

// Variables of GLSL that Carry does not have yet.
constexpr std::string_view kLaterVariables[] = {"gl_FragColor",
                                                "gl_FragData",
                                                "gl_SecondaryFragColorEXT",
                                                "gl_BaryCoordEXT",
                                                "gl_BaryCoordNoPerspEXT",
                                                "gl_BaryCoordNV",
                                                "gl_BaryCoordNoPerspNV",
                                                "gl_FragStencilRefARB",
                                                "gl_ShadingRateEXT",
                                                "gl_PrimitiveShadingRateEXT",
                                                "gl_FragSizeEXT",
                                                "gl_FragInvocationCountEXT",
                                                "gl_FullyCoveredNV",
                                                "gl_LastFragData",
                                                "gl_ClipVertex"};

// A variable that other versions or extensions have, for which stages, or a type word of one.
bool Checker::glsl_missing_name(NodeId n, NameId name) {
  const std::string_view word = text(name);
  for (std::string_view later : kLaterVariables) {
    if (word == later) return not_yet(n, "`" + std::string(word) + "`"), true;
  }
  Need need = glsl::word_need(word, mode_);
  bool found = !need.empty();
  for (const Row& row : kRows) {
    if (row.name != word || found) continue;
    found = true;
    const bool staged = options_.stage == Stage::none || row.stages.empty() ||
                        row.stages.find(stage_letter(options_.stage)) != std::string_view::npos;
    const uint16_t version = mode_.is_es() ? row.es : row.since;
    if (!staged)
      need.other = "another stage";
    else if (version > mode_.glsl_version)
      need.version = version;
    if (staged) need.extension = glsl::extension_for(row.extension, mode_.is_es());
    if (need.empty()) need.other = mode_.is_es() ? "desktop GLSL" : "ESSL";
  }
  if (word == "gl_WorkGroupSize" && !found) {
    found = true;
    need.other = "`layout(local_size_x = ...) in;` before it";
  }
  if (found) missing({loc(n), {}}, word, need);
  return found;
}

void Checker::glsl_workgroup_size(NameId name) {
  Variable v;
  v.name = name;
  v.type = types_.vector(ScalarKind::u32, 3);
  v.flags = kVarConst;
  bool spec = false;
  for (uint32_t id : workgroup_ids_) spec = spec || id != Id<TypeId>::kNone;
  if (spec) {
    v.kind = VarKind::builtin;
    v.builtin = BuiltinVar::workgroup_size;
    v.flags |= kVarSpecValue | kVarReadonly;
  } else {
    v.kind = VarKind::constant;
    const ConstId parts[3] = {types_.constant_u32(workgroup_[0].value), types_.constant_u32(workgroup_[1].value),
                              types_.constant_u32(workgroup_[2].value)};
    v.value = types_.constant_composite(v.type, parts);
  }
  declare_builtin(std::move(v));
}

// gl_FragCoord with a layout, gl_ClipDistance with a size, invariant gl_Position, gl_WorkGroupSize ...
void Checker::glsl_redeclare(const Variable& v, NodeId declarator, const Qualifiers& q) {
  constexpr uint32_t kDepth = kFactDepthGreater | kFactDepthLess | kFactDepthUnchanged;
  const bool out = q.has(QualifierKind::out);  // else the place is wrong, which is said already
  if ((q.entry_flags & kDepth) != 0 && out && text(v.name) != "gl_FragDepth")
    diags_.emit(loc(declarator), diag::bad_layout, "depth_*", "is for `gl_FragDepth`");
  if ((q.entry_flags & kFactOriginUpperLeft) != 0 && !out && text(v.name) != "gl_FragCoord")
    diags_.emit(loc(declarator), diag::bad_layout, "origin_upper_left", "is for `gl_FragCoord`");
  entry_flags_ |= q.entry_flags;
  Symbol* s = lookup(v.name);
  if (s == nullptr || s->kind != Symbol::Kind::variable) {
    diags_.emit(loc(declarator), diag::bad_qualifier, text(v.name), "is a reserved name");
    return;
  }
  Variable& old = facts_.variables[VarId(s->index)];
  old.flags |= q.flags & (kVarInvariant | kVarPrecise | kVarFlat | kVarCentroid | kVarSample | kVarNoPerspective);
  if (types_.kind(v.type) != TypeKind::array || !is_unsized_array(old.type)) return;
  if (types_[v.type].count > kMostDistances) {
    diags_.emit(loc(declarator), diag::bad_type_use, type_text(v.type),
                "is too large: at most " + std::to_string(kMostDistances));
    return;
  }
  for (const ImplicitArray& a : implicit_arrays_) {
    if (a.variable == VarId(s->index)) give_size(old, a, v.type, declarator);
  }
}

// GLSL 4.60, 4.8.1: as if each output were declared with `invariant`; fragment shaders have no use for it.
void Checker::glsl_all_invariant() {
  if (options_.stage == Stage::fragment || options_.stage == Stage::compute) return;
  for (VarId id : facts_.globals) {
    Variable& v = facts_.variables[id];
    if (v.kind == VarKind::stage_out || (v.kind == VarKind::builtin && (v.flags & kVarReadonly) == 0)) v.flags |= kVarInvariant;
  }
}

// `out gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; };`
void Checker::glsl_per_vertex(NodeId members) {
  NodeList list;
  tree_.children(members, list);
  for (NodeId decl : list) {
    if (!tree_.is(decl, NodeKind::var_decl)) continue;
    NodeList parts;
    tree_.children(decl, parts);
    const Qualifiers q = read_qualifiers(parts[0]);
    const TypeId base = check_type(parts[1]);
    for (uint32_t i = 2; i < parts.size(); ++i) {
      if (!tree_.is(parts[i], NodeKind::declarator)) continue;
      Variable v;
      v.name = tree_.name(parts[i]);
      v.type = apply_dims(base, tree_.child(parts[i], 0), true);
      if (v.type != TypeId::error && lookup(v.name) != nullptr) glsl_redeclare(v, parts[i], q);
    }
  }
}

}  // namespace carry::check

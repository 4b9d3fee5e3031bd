// Semantics of HLSL: system values, where each may stand, the leaves of an entry's interface.
#include "check/checker.h"

namespace carry::check {
namespace {

// Stages by letter: V vertex, F pixel, X compute. `plain`: there it is a semantic like any other (DXC's semantic table).
struct SystemValue {
  std::string_view text;  // lower case, without SV_
  BuiltinVar builtin;     // none: not supported yet, or `target`
  std::string_view in, out;
  std::string_view plain_in = {}, plain_out = {};
};
constexpr SystemValue kSystemValues[] = {{"position", BuiltinVar::position, "F", "V", "V"},
                                         {"vertexid", BuiltinVar::vertex_index, "V", ""},
                                         {"instanceid", BuiltinVar::instance_index, "V", "", "F", "V"},
                                         {"dispatchthreadid", BuiltinVar::global_invocation_id, "X", ""},
                                         {"groupid", BuiltinVar::workgroup_id, "X", ""},
                                         {"groupthreadid", BuiltinVar::local_invocation_id, "X", ""},
                                         {"groupindex", BuiltinVar::local_invocation_index, "X", ""},
                                         {"isfrontface", BuiltinVar::front_facing, "F", ""},
                                         {"sampleindex", BuiltinVar::sample_id, "F", ""},
                                         {"coverage", BuiltinVar::sample_mask, "F", "F"},
                                         {"primitiveid", BuiltinVar::primitive_id, "F", ""},
                                         {"rendertargetarrayindex", BuiltinVar::layer, "F", "V", "V"},
                                         {"viewportarrayindex", BuiltinVar::viewport_index, "F", "V", "V"},
                                         {"clipdistance", BuiltinVar::clip_distance, "F", "V", "V"},
                                         {"culldistance", BuiltinVar::cull_distance, "F", "V", "V"},
                                         {"depth", BuiltinVar::frag_depth, "", "F"},
                                         {"depthgreaterequal", BuiltinVar::frag_depth, "", "F"},
                                         {"depthlessequal", BuiltinVar::frag_depth, "", "F"},
                                         {"viewid", BuiltinVar::view_index, "VF", ""},
                                         {"startvertexlocation", BuiltinVar::base_vertex, "V", ""},
                                         {"startinstancelocation", BuiltinVar::base_instance, "V", ""},
                                         {"target", BuiltinVar::none, "", "F"},
                                         {"barycentrics", BuiltinVar::none, "F", ""},
                                         {"cullprimitive", BuiltinVar::none, "", ""},
                                         {"dispatchgrid", BuiltinVar::none, "", ""},
                                         {"domainlocation", BuiltinVar::none, "", ""},
                                         {"gsinstanceid", BuiltinVar::none, "", ""},
                                         {"innercoverage", BuiltinVar::none, "F", ""},
                                         {"insidetessfactor", BuiltinVar::none, "", ""},
                                         {"outputcontrolpointid", BuiltinVar::none, "", ""},
                                         {"shadingrate", BuiltinVar::none, "F", "V"},
                                         {"stencilref", BuiltinVar::none, "", "F"},
                                         {"tessfactor", BuiltinVar::none, "", ""}};

std::string lower(std::string_view t) {
  std::string s(t);
  for (char& c : s) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return s;
}

/// none: no system value of that name.
const SystemValue* find_system_value(std::string_view semantic) {
  const std::string s = lower(semantic);
  if (s.substr(0, 3) != "sv_") return nullptr;
  for (const SystemValue& v : kSystemValues) {
    if (v.text == std::string_view(s).substr(3)) return &v;
  }
  return nullptr;
}

char letter(Stage s) { return s == Stage::vertex ? 'V' : s == Stage::fragment ? 'F' : 'X'; }

bool has(std::string_view stages, char c) { return stages.find(c) != std::string_view::npos; }

}  // namespace

BuiltinVar Checker::system_value(std::string_view semantic) const {
  const SystemValue* v = find_system_value(semantic);
  return v == nullptr ? BuiltinVar::none : v->builtin;
}

// COLOR1 is COLOR with index 1.
void Checker::read_semantic(NodeId n, NameId& name, uint32_t& index) {
  std::string_view t = tree_.name_text(n);
  size_t digits = 0;
  while (digits < t.size() && t[t.size() - 1 - digits] >= '0' && t[t.size() - 1 - digits] <= '9') ++digits;
  index = 0;
  if (digits != 0 && digits < t.size() && digits <= 9) {
    for (char c : t.substr(t.size() - digits)) index = index * 10 + static_cast<uint32_t>(c - '0');
    t = t.substr(0, t.size() - digits);
  }
  name = names_.intern(t);
}

void Checker::hlsl_check_system_value(NameId semantic, IoPlace io, NodeId at) {
  const std::string_view word = text(semantic);
  if (lower(word).substr(0, 3) != "sv_") {
    if (io.stage == Stage::compute || (io.stage == Stage::fragment && io.out))
      diags_.emit(loc(at), diag::bad_semantic, word, "is no system value, and this side of this stage has none but those");
    return;
  }
  const SystemValue* v = find_system_value(word);
  if (v == nullptr) {
    diags_.emit(loc(at), diag::bad_semantic, word, "is no system value");
    return;
  }
  const char stage = letter(io.stage);
  const bool known_stage = io.stage == Stage::vertex || io.stage == Stage::fragment || io.stage == Stage::compute;
  if (known_stage && io.in && !has(v->in, stage) && !has(v->plain_in, stage)) {
    diags_.emit(loc(at), diag::bad_semantic, word, "is no input of this stage");
  } else if (known_stage && io.out && !has(v->out, stage) && !has(v->plain_out, stage)) {
    diags_.emit(loc(at), diag::bad_semantic, word, "is no output of this stage");
  } else if (v->builtin == BuiltinVar::none && v->text != "target") {
    not_yet(at, "system value `" + std::string(word) + "`");
  }
}

void Checker::hlsl_check_io(TypeId t, NameId semantic, IoPlace io, NodeId at, std::string_view what) {
  TypeId core = t;
  while (types_.kind(core) == TypeKind::array) core = types_[core].element;
  if (types_.kind(core) == TypeKind::object || is_opaque(core)) {
    not_yet(at, "entry parameters of type `" + type_text(t) + "`");
    return;
  }
  const bool named = semantic && !text(semantic).empty();
  if (named) hlsl_check_system_value(semantic, io, at);
  if (types_.kind(core) == TypeKind::struct_) {
    const uint32_t sid = types_[core].struct_id.value;
    const std::vector<Member> members = types_.struct_decl(core).members;
    for (size_t i = 0; i < members.size(); ++i) {
      const MemberInfo info =
          sid < facts_.members.size() && i < facts_.members[sid].size() ? facts_.members[sid][i] : MemberInfo{};
      // Members without a semantic count on from that of the struct.
      if (named && types_.kind(core_type(members[i].type)) != TypeKind::struct_ &&
          (!info.semantic || text(info.semantic).empty()))
        continue;
      hlsl_check_io(members[i].type, named && !info.semantic ? semantic : info.semantic, io, info.decl ? info.decl : at,
                    text(members[i].name));
    }
    return;
  }
  if (!named) diags_.emit(loc(at), diag::missing_semantic, what);
}

}  // namespace carry::check

#include "driver/options.h"

#include <algorithm>

namespace carry::driver {

namespace {

struct StageWord {
  std::string_view word;
  Stage stage;
};
constexpr StageWord kStages[] = {{"vert", Stage::vertex},       {"vertex", Stage::vertex},
                                 {"vs", Stage::vertex},         {"frag", Stage::fragment},
                                 {"fragment", Stage::fragment}, {"pixel", Stage::fragment},
                                 {"ps", Stage::fragment},       {"comp", Stage::compute},
                                 {"compute", Stage::compute},   {"cs", Stage::compute},
                                 {"tesc", Stage::tess_control}, {"tesscontrol", Stage::tess_control},
                                 {"hull", Stage::tess_control}, {"hs", Stage::tess_control},
                                 {"tese", Stage::tess_eval},    {"tesseval", Stage::tess_eval},
                                 {"domain", Stage::tess_eval},  {"ds", Stage::tess_eval},
                                 {"geom", Stage::geometry},     {"geometry", Stage::geometry},
                                 {"gs", Stage::geometry},       {"mesh", Stage::mesh},
                                 {"ms", Stage::mesh},           {"task", Stage::task},
                                 {"as", Stage::task},           {"amplification", Stage::task},
                                 {"rgen", Stage::raygen},       {"raygen", Stage::raygen},
                                 {"rint", Stage::intersection}, {"intersection", Stage::intersection},
                                 {"rahit", Stage::any_hit},     {"anyhit", Stage::any_hit},
                                 {"rchit", Stage::closest_hit}, {"closesthit", Stage::closest_hit},
                                 {"rmiss", Stage::miss},        {"miss", Stage::miss},
                                 {"rcall", Stage::callable},    {"callable", Stage::callable}};

}  // namespace

Stage find_stage(std::string_view word) {
  for (const StageWord& w : kStages) {
    if (w.word == word) return w.stage;
  }
  return Stage::none;
}

bool is_macro(std::string_view text, bool undefine) {
  constexpr std::string_view kLetters = "_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  const size_t end = std::min(text.find_first_not_of(kLetters), text.size());
  if (end == 0 || (text[0] >= '0' && text[0] <= '9')) return false;
  return end == text.size() || (!undefine && (text[end] == '=' || text[end] == '('));
}

bool is_wrong_use(const Emitter& diags) {
  const std::vector<Diagnostic>& all = diags.diagnostics();
  return std::any_of(all.begin(), all.end(), [](const Diagnostic& d) { return d.id == DiagId::no_stage; });
}

bool set_layout(Request& request, std::string_view word) {
  struct Row {
    std::string_view word;
    LayoutRule cbuffer, structured;
  };
  constexpr Row kRows[] = {{"dxc", LayoutRule::std140_relaxed, LayoutRule::std430_relaxed},
                           {"d3d", LayoutRule::cbuffer, LayoutRule::structured},
                           {"std", LayoutRule::std140, LayoutRule::std430},
                           {"scalar", LayoutRule::scalar, LayoutRule::scalar}};
  for (const Row& row : kRows) {
    if (row.word != word) continue;
    request.cbuffer_layout = row.cbuffer;
    request.structured_layout = row.structured;
    return true;
  }
  return false;
}

bool set_bindings(Request& request, std::string_view word) {
  lower::BindingStyle& style = request.lowering.bindings.style;
  if (word == "auto")
    style = lower::BindingStyle::auto_;
  else if (word == "dxc")
    style = lower::BindingStyle::dxc;
  else if (word == "separated")
    style = lower::BindingStyle::separated;
  else
    return false;
  return true;
}

}  // namespace carry::driver

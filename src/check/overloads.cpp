// Choice among overloads: one engine, the rules as data (conversions.h).
#include "check/checker.h"

namespace carry::check {
namespace {

HlslShape shape_of(const Type& t) {
  if (t.kind == TypeKind::matrix) return {t.columns, t.rows};
  return {0, t.kind == TypeKind::vector ? t.rows : uint8_t{1}};
}

}  // namespace

bool Checker::argument_fits(TypeId arg, TypeId param, ParamMode mode) const {
  if (arg == param) return true;
  switch (mode) {
    case ParamMode::in: return converts_implicitly(arg, param);
    case ParamMode::out: return converts_implicitly(param, arg);
    case ParamMode::inout: return converts_implicitly(arg, param) && converts_implicitly(param, arg);
    case ParamMode::ref: return false;
  }
  return false;
}

bool Checker::viable(const Candidate& c, const std::vector<NodeId>& args) const {
  if (args.size() < c.min_params || args.size() > c.params.size()) return false;
  for (size_t i = 0; i < args.size(); ++i) {
    if (!argument_fits(facts_.result_type(args[i]), c.params[i], c.modes[i])) return false;
  }
  return true;
}

bool Checker::exact(const Candidate& c, const std::vector<NodeId>& args) const {
  if (args.size() < c.min_params || args.size() > c.params.size()) return false;
  for (size_t i = 0; i < args.size(); ++i) {
    if (facts_.result_type(args[i]) != c.params[i]) return false;
  }
  return true;
}

// -1: a beats b; 1: b beats a; 0: neither.
int Checker::compare_candidates(const Candidate& a, const Candidate& b, const std::vector<NodeId>& args) const {
  bool better = false;
  bool worse = false;
  for (size_t i = 0; i < args.size(); ++i) {
    const TypeId from = facts_.result_type(args[i]);
    if (a.params[i] == b.params[i] || !types_.is_numeric(from)) continue;
    const ScalarKind f = types_.scalar_of(from);
    const ScalarKind x = types_.scalar_of(a.params[i]);
    const ScalarKind y = types_.scalar_of(b.params[i]);
    int order = 0;
    if (rules_.hlsl) {
      const uint32_t ra = hlsl_rank(f, shape_of(types_[from]), x, shape_of(types_[a.params[i]]));
      const uint32_t rb = hlsl_rank(f, shape_of(types_[from]), y, shape_of(types_[b.params[i]]));
      order = ra < rb ? -1 : ra > rb ? 1 : 0;
    } else {
      order = compare_conversions(rules_, f, x, y);
    }
    better = better || order < 0;
    worse = worse || order > 0;
  }
  if (better == worse) return 0;
  return better ? -1 : 1;
}

uint64_t Checker::score(const Candidate& c, const std::vector<NodeId>& args) const {
  uint64_t sum = 0;
  for (size_t i = 0; i < args.size(); ++i) {
    const TypeId from = facts_.result_type(args[i]);
    const TypeId to = c.params[i];
    if (from == to || !types_.is_numeric(from) || !types_.is_numeric(to)) continue;
    const HlslShape a = shape_of(types_[from]);
    const HlslShape b = shape_of(types_[to]);
    // out and inout count both ways.
    if (c.modes[i] != ParamMode::out) sum += hlsl_score(types_.scalar_of(from), a, types_.scalar_of(to), b);
    if (c.modes[i] != ParamMode::in) sum += hlsl_score(types_.scalar_of(to), b, types_.scalar_of(from), a);
  }
  return sum;
}

namespace {

struct Pick {
  int winner = -1;
  bool tie = false;
};

}  // namespace

int Checker::resolve(NodeId n, std::string_view name, const std::vector<Candidate>& candidates,
                     const std::vector<NodeId>& args) {
  std::vector<int> fits;
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (exact(candidates[i], args)) return static_cast<int>(i);
    if (viable(candidates[i], args)) fits.push_back(static_cast<int>(i));
  }
  if (rules_.overloads == OverloadRule::exact_only) {
    // Only opaque types that differ in what the type system does not show are left.
    std::vector<int> same;
    for (int i : fits) {
      bool numeric = false;
      for (size_t k = 0; k < args.size(); ++k) {
        numeric = numeric || (types_.is_numeric(facts_.result_type(args[k])) &&
                              facts_.result_type(args[k]) != candidates[static_cast<size_t>(i)].params[k]);
      }
      if (!numeric) same.push_back(i);
    }
    fits = same;
  }
  if (fits.empty()) {
    no_overload(n, name, candidates, args);
    return -1;
  }
  if (fits.size() == 1) return fits[0];
  Pick pick;
  auto at = [&](int i) -> const Candidate& { return candidates[static_cast<size_t>(i)]; };
  if (rules_.overloads == OverloadRule::hlsl_sum) {
    uint64_t best = kHlslImpossible;
    for (int i : fits) {
      const uint64_t s = score(at(i), args);
      if (s < best) {
        best = s;
        pick = {i, false};
      } else if (s == best) {
        // Intrinsics are tried in table order; a user function hides one that fits equally well.
        pick.tie = pick.tie || (at(i).form == nullptr && at(pick.winner).form == nullptr);
        if (at(i).form == nullptr && at(pick.winner).form != nullptr) pick = {i, false};
      }
    }
  } else if (rules_.overloads != OverloadRule::exact_or_unique && rules_.overloads != OverloadRule::exact_only) {
    for (int i : fits) {
      bool all = true;
      for (int k : fits) {
        if (k != i && compare_candidates(at(i), at(k), args) >= 0) all = false;
      }
      if (all) pick.winner = i;
    }
    if (pick.winner < 0 && rules_.hlsl && at(fits[0]).form != nullptr) pick.winner = fits[0];
  }
  if (pick.winner >= 0 && !pick.tie) return pick.winner;
  auto d = diags_.emit(range(n), diag::ambiguous_overload, name, arg_types(args));
  uint32_t shown = 0;
  for (int i : fits) {
    if (++shown > 4) break;
    d.note(at(i).decl ? loc(at(i).decl) : loc(n), diag::overload_tie, candidate_text(at(i)));
  }
  return -1;
}

std::string Checker::arg_types(const std::vector<NodeId>& args) const {
  std::string s;
  for (NodeId a : args) {
    if (!s.empty()) s += ", ";
    s += type_text(facts_.result_type(a));
  }
  return s;
}

std::string Checker::candidate_text(const Candidate& c) const {
  std::string s = "(";
  for (size_t i = 0; i < c.params.size(); ++i) {
    if (i != 0) s += ", ";
    if (i == c.min_params && c.min_params != c.params.size()) s += "[";
    if (c.modes[i] == ParamMode::out) s += "out ";
    if (c.modes[i] == ParamMode::inout || c.modes[i] == ParamMode::ref) s += "inout ";
    s += type_text(c.params[i]);
  }
  if (c.min_params != c.params.size()) s += "]";
  return s + ")";
}

void Checker::no_overload(NodeId n, std::string_view name, const std::vector<Candidate>& candidates,
                          const std::vector<NodeId>& args) {
  // A declaration with an error was reported there.
  for (const Candidate& c : candidates) {
    for (TypeId t : c.params) {
      if (t == TypeId::error) return;
    }
  }
  auto d = diags_.emit(range(n), diag::no_matching_overload, name, arg_types(args));
  uint32_t shown = 0;
  for (const Candidate& c : candidates) {
    if (++shown > 4) break;
    d.note(c.decl ? loc(c.decl) : loc(n), diag::candidate_here, candidate_text(c));
  }
}

}  // namespace carry::check

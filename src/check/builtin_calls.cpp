// Built-in functions as candidates: forms of ops/builtins.h against arguments.
#include <algorithm>

#include "check/checker.h"

namespace carry::check {

using builtins::Bindings;
using builtins::Direction;
using builtins::Form;
using builtins::PatternKind;
using builtins::TypePattern;

namespace {

ParamMode mode_of(Direction d) {
  switch (d) {
    case Direction::out: return ParamMode::out;
    case Direction::inout: return ParamMode::inout;
    case Direction::ref: return ParamMode::ref;
    default: return ParamMode::in;
  }
}

/// Patterns whose type is taken from the argument as it is.
bool from_argument(PatternKind k) { return builtins::is_handle_pattern(k); }

bool uses(TypePattern p, uint8_t var) { return p.scalar == var; }

bool open_shape(PatternKind k) { return k == PatternKind::vec || k == PatternKind::vec2up || k == PatternKind::any; }

}  // namespace

bool Checker::form_available(const Form& form) {
  const builtins::Availability& a = form.available;
  // In HLSL the extension of float atomics is the option -fatomic-float.
  if (hlsl()) return options_.shader_model >= a.sm && (builtins::extensions(form).empty() || options_.atomic_float);
  bool ok = mode_.is_es() ? a.es != 0 && mode_.glsl_version >= a.es : a.since != 0 && mode_.glsl_version >= a.since;
  for (std::string_view e : builtins::extensions(form)) ok = ok || has_ext(e);
  if (!ok) return false;
  if (a.stages != 0 && options_.stage != Stage::none) {
    return (a.stages >> (static_cast<unsigned>(options_.stage) - 1) & 1u) != 0;
  }
  return true;
}

Candidate Checker::form_candidate(const Form& form, const Bindings& b, const std::vector<NodeId>& args) {
  Candidate c;
  c.form = &form;
  c.bindings = b;
  c.min_params = form.min_params;
  c.result = builtins::instantiate(types_, form.result, b);
  const auto params = builtins::params(form);
  for (size_t i = 0; i < params.size(); ++i) {
    TypeId t = from_argument(params[i].type.kind) && i < args.size() ? facts_.result_type(args[i])
                                                                     : builtins::instantiate(types_, params[i].type, b);
    c.params.push_back(t);
    c.modes.push_back(mode_of(params[i].direction));
  }
  return c;
}

// Handles and the object fix shapes; false: this form is not meant.
bool Checker::bind_fixed(const Form& form, const std::vector<NodeId>& args, TypeId object, TypeId element, Bindings& b) {
  const auto params = builtins::params(form);
  if (args.size() > params.size() || args.size() < form.min_params) return false;
  if (element) b.element = element;
  if (form.owner.kind != PatternKind::void_) {
    if (!object) return false;
    Bindings own = b;
    if (!builtins::unify(types_, form.owner, object, own)) return false;
    if (element) own.element = element;
    b = own;
  }
  for (size_t i = 0; i < args.size(); ++i) {
    if (from_argument(params[i].type.kind) && !builtins::unify(types_, params[i].type, facts_.result_type(args[i]), b))
      return false;
    if (params[i].type.kind == PatternKind::same && !b.element)
      b.element = settled(facts_.result_type(args[i]), value_of(args[i]));
  }
  return form.shapes == 0 || (form.shapes >> static_cast<unsigned>(b.shape) & 1) != 0;
}

void Checker::add_form_candidates(const Form& form, const std::vector<NodeId>& args, TypeId object, TypeId element,
                                  std::vector<Candidate>& out) {
  Bindings fixed = builtins::open_bindings();
  if (!bind_fixed(form, args, object, element, fixed)) return;
  if (hlsl()) return add_hlsl_candidate(form, args, fixed, out);
  const auto params = builtins::params(form);
  Bindings b = fixed;
  bool all = true;
  for (size_t i = 0; i < args.size() && all; ++i) {
    all = from_argument(params[i].type.kind) || builtins::unify(types_, params[i].type, facts_.result_type(args[i]), b);
  }
  auto allowed = [&](int k) {
    return form.scalars[k] == 0 ||
           (b.scalar[k] != ScalarKind::none && (form.scalars[k] & builtins::scalar_bit(b.scalar[k])) != 0);
  };
  const bool size_ok = form.sizes == 0 || (b.n >= 1 && (form.sizes >> (b.n - 1) & 1) != 0);
  if (all && allowed(0) && allowed(1) && size_ok) {
    out.insert(out.begin(), form_candidate(form, b, args));
    return;
  }
  b = fixed;
  for (bool more = builtins::first_bindings(form, static_cast<uint16_t>(enabled_scalars_), b); more;
       more = builtins::next_bindings(form, static_cast<uint16_t>(enabled_scalars_), b)) {
    Candidate c = form_candidate(form, b, args);
    // With one component, forms for vectors and for a scalar beside them are the same.
    bool known = false;
    for (const Candidate& o : out) known = known || (o.params == c.params && o.modes == c.modes);
    if (!known && viable(c, args)) out.push_back(std::move(c));
    if (out.size() > 400) return;
  }
}

// HLSL: T is the common kind of the arguments among those allowed, the shape is their common shape (semantics.md 2.4).
void Checker::add_hlsl_candidate(const Form& form, const std::vector<NodeId>& args, Bindings b, std::vector<Candidate>& out) {
  const auto params = builtins::params(form);
  for (uint8_t k = 0; k < 2; ++k) {
    if (form.scalars[k] == 0 || b.scalar[k] != ScalarKind::none) continue;
    const ScalarKind s = hlsl_scalar_of(form, args, k);
    if (s == ScalarKind::none) return;
    b.scalar[k] = s;
  }
  // Shapes as written, with the kinds of the pattern.
  Bindings shaped = b;
  bool unified = true;
  for (size_t i = 0; i < args.size() && unified; ++i) {
    const TypePattern p = params[i].type;
    const TypeId t = facts_.result_type(args[i]);
    if (from_argument(p.kind) || p.kind == PatternKind::same || p.kind == PatternKind::element || !types_.is_numeric(t))
      continue;
    const ScalarKind s =
        p.scalar >= TypePattern::kVarT ? shaped.scalar[p.scalar - TypePattern::kVarT] : static_cast<ScalarKind>(p.scalar);
    if (open_shape(p.kind) || p.kind >= PatternKind::mat) {
      Bindings probe = shaped;
      if (s != ScalarKind::none && builtins::unify(types_, p, types_.with_scalar(t, s), probe))
        shaped = probe;
      else if (open_shape(p.kind) || (p.kind <= PatternKind::fixed_mat && p.kind >= PatternKind::mat))
        unified = false;
    }
  }
  if (!unified) {
    shaped = b;
    uint32_t n = 0;
    TypeId common;
    for (size_t i = 0; i < args.size(); ++i) {
      const PatternKind k = params[i].type.kind;
      const TypeId t = facts_.result_type(args[i]);
      if (k >= PatternKind::mat && k <= PatternKind::fixed_mat) return;
      if (!open_shape(k) || !types_.is_numeric(t) || params[i].direction == Direction::out) continue;
      common = common ? hlsl_common_shape(common, types_.with_scalar(t, types_.scalar_of(common))) : t;
      if (!common) return;
    }
    if (!common) return;
    if (types_.is_matrix(common)) {
      shaped.columns = types_[common].columns;
      shaped.rows = types_[common].rows;
      shaped.n = 1;
    } else {
      n = types_.component_count(common);
      shaped.n = static_cast<uint8_t>(n);
    }
  }
  if (shaped.n == 0) shaped.n = 1;
  if (form.sizes != 0 && shaped.columns == 0 && (form.sizes >> (shaped.n - 1) & 1) == 0) {
    // A scalar where vectors are wanted spreads to the smallest allowed size.
    uint8_t n = 0;
    for (uint8_t i = 0; i < 4 && n == 0; ++i) {
      if ((form.sizes >> i & 1) != 0) n = static_cast<uint8_t>(i + 1);
    }
    if (shaped.n != 1 && shaped.n < n) return;
    shaped.n = shaped.n > n ? shaped.n : n;
    if ((form.sizes >> (shaped.n - 1) & 1) == 0) return;
  }
  if (shaped.columns != 0 && !form.matrices) return;
  Candidate c = form_candidate(form, shaped, args);
  if (viable(c, args)) out.push_back(std::move(c));
}

ScalarKind Checker::hlsl_scalar_of(const Form& form, const std::vector<NodeId>& args, uint8_t k) {
  const auto params = builtins::params(form);
  const auto var = static_cast<uint8_t>(TypePattern::kVarT + k);
  ScalarKind s = ScalarKind::none;
  bool negative = false;
  for (int pass = 0; pass < 2 && s == ScalarKind::none; ++pass) {
    for (size_t i = 0; i < args.size(); ++i) {
      const TypeId t = facts_.result_type(args[i]);
      const bool out_only = params[i].direction == Direction::out;
      if (!uses(params[i].type, var) || from_argument(params[i].type.kind) || !types_.is_numeric(t) || out_only != (pass == 1))
        continue;
      const ScalarKind a = types_.scalar_of(t);
      if (params[i].direction == Direction::ref) return (form.scalars[k] & builtins::scalar_bit(a)) != 0 ? a : ScalarKind::none;
      if (a == ScalarKind::lit_int && value_of(args[i])) {
        int64_t v = 0;
        negative = negative || (fold_.to_int(value_of(args[i]), v) && v < 0);
      }
      s = s == ScalarKind::none ? a : rules_.common(s, a);
    }
  }
  if (s == ScalarKind::none) {
    for (unsigned i = 0; i < 14; ++i) {
      if ((form.scalars[k] >> i & 1) != 0) return static_cast<ScalarKind>(i);
    }
    return s;
  }
  if (s == ScalarKind::lit_int) {
    const ScalarKind want = negative ? ScalarKind::i32 : ScalarKind::u32;
    if ((form.scalars[k] & builtins::scalar_bit(want)) != 0) return want;
  }
  if (s == ScalarKind::lit_float && (form.scalars[k] & builtins::scalar_bit(ScalarKind::f32)) != 0) return ScalarKind::f32;
  if (s < ScalarKind::lit_int && (form.scalars[k] & builtins::scalar_bit(s)) != 0) return s;
  ScalarKind best = ScalarKind::none;
  uint64_t cost = kHlslImpossible;
  for (unsigned i = 0; i < 12; ++i) {
    const auto to = static_cast<ScalarKind>(i);
    if ((form.scalars[k] >> i & 1) == 0) continue;
    if (!options_.native_16bit && scalar_bits(to) == 16 && scalar_bits(s) != 16) continue;
    const uint64_t c = hlsl_score(s, {}, to, {}) + (scalar_bits(to) == 32 ? 0u : 1u);
    if (c < cost) {
      cost = c;
      best = to;
    }
  }
  return best;
}

void Checker::builtin_candidates(std::span<const Form> forms, const std::vector<NodeId>& args, TypeId object, TypeId element,
                                 std::vector<Candidate>& out, const Form** unavailable) {
  for (const Form& form : forms) {
    if (!form_available(form)) {
      if (*unavailable == nullptr) *unavailable = &form;
      continue;
    }
    add_form_candidates(form, args, object, element, out);
  }
}

void Checker::needs_version(NodeId n, std::string_view name, const Form& form) {
  const builtins::Availability& a = form.available;
  Need need;
  if (hlsl()) {
    hlsl_needs_model(n, name, a.sm);
    return;
  }
  const bool stage_only =
      options_.stage != Stage::none && a.stages != 0 && (a.stages >> (static_cast<unsigned>(options_.stage) - 1) & 1u) == 0;
  const uint16_t version = mode_.is_es() ? a.es : a.since;
  if (version > mode_.glsl_version) need.version = version;
  if (!stage_only || need.version != 0) {
    for (std::string_view e : builtins::extensions(form)) {
      if (need.extension.empty() && !(e.substr(0, 7) == (mode_.is_es() ? "GL_ARB_" : "GL_OES_"))) need.extension = e;
    }
  }
  need.other = stage_only ? "another stage" : mode_.is_es() ? "desktop GLSL" : "ESSL";
  missing({loc(n), {}}, name, need);
}

void Checker::hlsl_needs_model(NodeId n, std::string_view name, uint32_t model) {
  const uint32_t major = model < 70 ? model / 10 : 6;  // 6.10 is 70
  const uint32_t minor = model - 10 * major;
  std::string what = "shader model " + std::to_string(major) + "." + std::to_string(minor);
  if (options_.stage == Stage::compute) what += " (-T cs_" + std::to_string(major) + "_" + std::to_string(minor) + ")";
  diags_.emit(loc(n), diag::needs_version, name, what);
}

}  // namespace carry::check

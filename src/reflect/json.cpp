// The text form, described in docs/reflection.md. Keys that say nothing (no semantic, no array) are left out; the order of keys
// and items is fixed, so equal reflections give equal bytes.
#include "base/number_text.h"
#include "base/text_sink.h"
#include "diag/render.h"
#include "reflect/reflection.h"

namespace carry::reflect {

namespace {

constexpr std::string_view kKinds[] = {"uniform-buffer",       "storage-buffer",   "push-constants",        "texture",
                                       "combined-sampler",     "sampler",          "storage-image",         "texel-buffer",
                                       "storage-texel-buffer", "input-attachment", "acceleration-structure"};
constexpr std::string_view kShapes[] = {"scalar", "vector", "matrix", "array", "struct"};
constexpr std::string_view kAccesses[] = {"none", "read", "write", "read_write"};

/// Objects and arrays; `open` ones put each item on its own line, flat ones all on one.
class Json {
 public:
  void open(char bracket) { push(bracket, false); }
  void flat(char bracket) { push(bracket, flat_depth_ == 0); }
  void close() {
    const Level level = levels_.back();
    levels_.pop_back();
    if (level.items != 0 && flat_depth_ == 0) line();
    if (level.starts_flat) --flat_depth_;
    out_ << (level.bracket == '{' ? '}' : ']');
  }
  void key(std::string_view name) {
    item();
    json_string(name, out_);
    out_ << ": ";
    after_key_ = true;
  }
  void text(std::string_view value) {
    item();
    json_string(value, out_);
  }
  void raw(std::string_view value) {
    item();
    out_ << value;
  }
  void number(uint64_t value) {
    item();
    out_ << value;
  }
  void field(std::string_view name, std::string_view value) {
    key(name);
    text(value);
  }
  void field(std::string_view name, uint32_t value) {
    key(name);
    number(value);
  }
  void flag(std::string_view name, bool value) {
    if (!value) return;
    key(name);
    raw("true");
  }
  void given(std::string_view name, uint32_t value) {
    if (value != kNone) field(name, value);
  }
  void given(std::string_view name, std::string_view value) {
    if (!value.empty()) field(name, value);
  }
  std::string take() {
    out_ << '\n';
    return out_.take();
  }

 private:
  struct Level {
    char bracket;
    bool starts_flat;
    uint32_t items = 0;
  };
  void push(char bracket, bool starts_flat) {
    item();
    out_ << bracket;
    if (starts_flat) ++flat_depth_;
    levels_.push_back({bracket, starts_flat});
  }
  void item() {
    if (after_key_) {
      after_key_ = false;
      return;
    }
    if (levels_.empty()) return;
    if (levels_.back().items++ != 0) out_ << (flat_depth_ != 0 ? ", " : ",");
    if (flat_depth_ == 0) line();
  }
  void line() { (out_ << '\n').indent(static_cast<int>(levels_.size())); }

  TextSink out_;
  std::vector<Level> levels_;
  uint32_t flat_depth_ = 0;
  bool after_key_ = false;
};

void shape(Json& j, const Reflection& r, const Shape& s) {
  j.field("type", kShapes[static_cast<size_t>(s.kind)]);
  switch (s.kind) {
    case Shape::Kind::scalar: j.field("scalar", s.scalar); break;
    case Shape::Kind::vector:
      j.field("scalar", s.scalar);
      j.field("components", s.rows);
      break;
    case Shape::Kind::matrix:
      j.field("scalar", s.scalar);
      j.field("rows", s.rows);
      j.field("columns", s.columns);
      if (s.matrix_stride != 0) {
        j.field("majorness", s.row_major ? "row" : "column");
        j.field("matrix_stride", s.matrix_stride);
      }
      break;
    case Shape::Kind::array:
      if (s.count_constant.empty()) {
        j.field("count", s.count);
      } else {
        j.field("count_constant", s.count_constant);
      }
      if (s.stride != 0) j.field("stride", s.stride);
      j.key("element");
      j.flat('{');
      shape(j, r, s.element[0]);
      j.close();
      break;
    case Shape::Kind::struct_:
      j.field("struct", s.struct_index);
      j.field("struct_name", r.structs[s.struct_index].name);
      break;
  }
  if (s.align == 0) return;
  j.field("size", s.size);
  j.field("align", s.align);
}

void variables(Json& j, const Reflection& r, std::string_view name, const std::vector<Variable>& list) {
  j.key(name);
  j.open('[');
  for (const Variable& v : list) {
    j.flat('{');
    j.field("name", v.name);
    j.given("semantic", v.semantic);
    j.given("builtin", v.builtin);
    j.given("location", v.location);
    j.given("component", v.component);
    j.given("index", v.index);
    j.given("interpolation", v.interpolation);
    j.flag("centroid", v.centroid);
    j.flag("sample", v.sample);
    j.flag("invariant", v.invariant);
    j.flag("patch", v.patch);
    shape(j, r, v.shape);
    j.close();
  }
  j.close();
}

void indices(Json& j, std::string_view name, const std::vector<uint32_t>& list) {
  j.key(name);
  j.flat('[');
  for (uint32_t i : list) j.number(i);
  j.close();
}

void workgroup(Json& j, const Entry& e) {
  if (!e.has_workgroup) return;
  j.key("workgroup_size");
  j.flat('[');
  for (uint32_t n : e.workgroup) j.number(n);
  j.close();
  if (e.workgroup_constant[0] == kNone && e.workgroup_constant[1] == kNone && e.workgroup_constant[2] == kNone) return;
  j.key("workgroup_size_constants");
  j.flat('[');
  for (uint32_t c : e.workgroup_constant) {
    if (c == kNone) {
      j.raw("null");
    } else {
      j.number(c);
    }
  }
  j.close();
}

void entries(Json& j, const Reflection& r) {
  j.key("entries");
  j.open('[');
  for (const Entry& e : r.entries) {
    j.open('{');
    j.field("name", e.name);
    j.field("stage", ir::stage_name(e.stage));
    workgroup(j, e);
    j.flag("early_fragment_tests", e.early_tests);
    j.flag("writes_depth", e.writes_depth);
    indices(j, "resources", e.resources);
    indices(j, "constants", e.constants);
    variables(j, r, "inputs", e.inputs);
    variables(j, r, "outputs", e.outputs);
    j.close();
  }
  j.close();
}

void resources(Json& j, const Reflection& r) {
  j.key("resources");
  j.open('[');
  for (const Resource& x : r.resources) {
    j.flat('{');
    j.field("name", x.name);
    j.given("block", x.block);
    j.field("kind", kind_name(x.kind));
    j.given("set", x.set);
    j.given("binding", x.binding);
    if (x.is_array) j.field("count", x.count);
    if (x.kind != ResourceKind::sampler)
      j.given("access", x.access == Access::none ? "" : kAccesses[static_cast<size_t>(x.access)]);
    j.flag("byte_address", x.byte_address);
    j.given("counter_of", x.counter_of);
    j.given("input_attachment", x.input_attachment);
    j.given("dim", x.dim);
    j.flag("arrayed", x.arrayed);
    j.flag("multisampled", x.multisampled);
    j.flag("depth", x.depth);
    j.flag("comparison", x.comparison);
    j.given("sampled", x.sampled);
    j.given("format", x.format);
    j.flag("atomics", x.atomics);
    if (x.shape != kNone) {
      j.key("layout");
      j.flat('{');
      shape(j, r, r.shapes[x.shape]);
      j.close();
    }
    j.close();
  }
  j.close();
}

uint64_t magnitude(int64_t v) { return v < 0 ? uint64_t{0} - static_cast<uint64_t>(v) : static_cast<uint64_t>(v); }

/// As `carry run --json` prints values: 64-bit integers, NaN and infinities as strings.
void default_value(Json& j, const Constant& c) {
  TextSink s;
  if (c.type == "bool") return j.raw(c.bits != 0 ? "true" : "false");
  if (c.type == "f32") s << shortest_f32(static_cast<uint32_t>(c.bits));
  if (c.type == "f64") s << shortest_f64(c.bits);
  if (c.type == "f16") s << shortest_f16(static_cast<uint16_t>(c.bits));
  if (s.size() != 0) {
    const bool finite = s.text().find_first_not_of("+-.0123456789e") == std::string::npos;
    return finite ? j.raw(s.text()) : j.text(s.text());
  }
  const bool is_signed = c.type[0] == 'i';
  const bool wide = c.type == "i64" || c.type == "u64";
  const uint64_t sign = wide ? uint64_t{1} << 63 : c.type == "i16" ? 0x8000u : c.type == "i8" ? 0x80u : 0x80000000u;
  const auto value = static_cast<int64_t>((c.bits ^ sign) - sign);
  if (is_signed && value < 0) s << '-';
  s << (is_signed ? magnitude(value) : c.bits);
  wide ? j.text(s.text()) : j.raw(s.text());
}

void constants(Json& j, const Reflection& r) {
  j.key("constants");
  j.open('[');
  for (const Constant& c : r.constants) {
    j.flat('{');
    j.field("name", c.name);
    j.given("id", c.id);
    j.field("type", c.type);
    j.key("default");
    default_value(j, c);
    j.close();
  }
  j.close();
}

void structs(Json& j, const Reflection& r) {
  j.key("structs");
  j.open('[');
  for (const Struct& s : r.structs) {
    j.open('{');
    j.field("name", s.name);
    j.field("size", s.size);
    j.field("align", s.align);
    j.key("members");
    j.open('[');
    for (const Field& f : s.fields) {
      j.flat('{');
      j.field("name", f.name);
      j.field("offset", f.offset);
      shape(j, r, f.shape);
      j.close();
    }
    j.close();
    j.close();
  }
  j.close();
}

void place(Json& j, const Reflection& r, const Place& p) {
  j.flat('{');
  j.field("name", r.resources[p.resource].name);
  j.field("resource", p.resource);
  j.flag("push_constants", p.push);
  j.given("group", p.group);
  j.given("binding", p.binding);
  j.given("sampler_group", p.sampler_group);
  j.given("sampler_binding", p.sampler_binding);
  j.given("buffer", p.buffer);
  j.given("texture", p.texture);
  j.given("sampler", p.sampler);
  j.close();
}

void targets(Json& j, const Reflection& r) {
  j.key("targets");
  j.open('[');
  for (const TargetInfo& t : r.targets) {
    j.open('{');
    j.field("name", t.name);
    j.key("ok");
    j.raw(t.ok ? "true" : "false");
    j.key("entries");
    j.open('[');
    for (const TargetEntry& e : t.entries) {
      j.open('{');
      j.field("entry", r.entries[e.entry].name);
      j.field("name", e.name);
      j.given("buffer_sizes", e.buffer_sizes);
      j.key("resources");
      j.open('[');
      for (const Place& p : e.places) place(j, r, p);
      j.close();
      j.close();
    }
    j.close();
    j.close();
  }
  j.close();
}

}  // namespace

std::string_view kind_name(ResourceKind kind) { return kKinds[static_cast<size_t>(kind)]; }

std::string to_json(const Reflection& reflection) {
  Json j;
  j.open('{');
  j.field("file", reflection.file);
  j.field("language", reflection.language);
  entries(j, reflection);
  resources(j, reflection);
  constants(j, reflection);
  structs(j, reflection);
  targets(j, reflection);
  j.close();
  return j.take();
}

}  // namespace carry::reflect

// Types, layouts and constants of the text form.
#include "base/number_text.h"
#include "ir/printer.h"
#include "ir/text_tables.h"

namespace carry::ir {

namespace {

constexpr LayoutRule kStorageRules[] = {
    LayoutRule::std430,         LayoutRule::std140,  LayoutRule::scalar,     LayoutRule::std430_relaxed,
    LayoutRule::std140_relaxed, LayoutRule::cbuffer, LayoutRule::structured, LayoutRule::wgsl_storage,
    LayoutRule::wgsl_uniform,   LayoutRule::msl};
constexpr LayoutRule kUniformRules[] = {
    LayoutRule::std140,         LayoutRule::std430,  LayoutRule::scalar,       LayoutRule::std140_relaxed,
    LayoutRule::std430_relaxed, LayoutRule::cbuffer, LayoutRule::wgsl_uniform, LayoutRule::wgsl_storage,
    LayoutRule::structured,     LayoutRule::msl};
constexpr uint32_t kMaxTypeDepth = 64;

bool ident_char(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

bool is_finite_bits(ScalarKind s, uint64_t bits) {
  switch (s) {
    case ScalarKind::f16: return (bits & 0x7c00u) != 0x7c00u;
    case ScalarKind::f32: return (bits & 0x7f800000u) != 0x7f800000u;
    default: return false;
  }
}

}  // namespace

std::string quoted_if_needed(std::string_view name) {
  bool plain = !name.empty() && !(name[0] >= '0' && name[0] <= '9');
  for (char c : name) plain = plain && ident_char(c);
  if (plain) return std::string(name);
  std::string text = "\"";
  for (char c : name) {
    if (c == '"' || c == '\\') text += '\\';
    if (c == '\n') {
      text += "\\n";
      continue;
    }
    text += c;
  }
  return text + "\"";
}

bool NameScope::taken(const std::string& text) const {
  for (const NameScope* s = this; s != nullptr; s = s->outer_) {
    if (s->taken_.count(text) != 0) return true;
  }
  return false;
}

std::string NameScope::unique(std::string_view base) {
  std::string text(base);
  if (!text.empty() && !taken(text)) {
    taken_.insert(text);
    return text;
  }
  uint32_t& n = next_[text];
  if (n == 0) n = text.empty() ? 0 : 1;
  std::string candidate;
  do {
    candidate = text + "." + std::to_string(++n);
  } while (taken(candidate));
  taken_.insert(candidate);
  return candidate;
}

std::string Printer::struct_name(TypeId id) {
  const auto found = struct_text_.find(id.value);
  if (found != struct_text_.end()) return found->second;
  const std::string_view name = m_.names().text(m_.types().struct_decl(id).name);
  if (plain_names_) return name.empty() ? std::string("(unnamed struct)") : std::string(name);
  const std::string base = name.empty() ? std::string() : quoted_if_needed(name);
  if (is_type_word(base)) structs_scope_.reserve(base);
  std::string text = structs_scope_.unique(base);
  struct_text_.emplace(id.value, text);
  declare_struct(id);
  return text;
}

void Printer::declare_struct(TypeId id) {
  TextSink s;
  s << "struct " << struct_text_[id.value] << " { ";
  const uint32_t count = m_.types().part_count(id);
  for (uint32_t i = 0; i < count; ++i) {
    const Member member = m_.types().struct_decl(id).members[i];
    const std::string_view name = m_.names().text(member.name);
    s << (i == 0 ? "" : ", ") << (name.empty() ? std::string("_") : quoted_if_needed(name)) << ": " << type(member.type);
  }
  s << " }\n";
  out_ << s.text();
}

std::string Printer::image_type(const Type& t) {
  TextSink s;
  const bool depth = (t.flags & kImageDepth) != 0;
  s << (t.kind == TypeKind::image ? "image_" : depth ? "depth_" : "texture_") << dim_words()[static_cast<size_t>(t.dim)];
  if ((t.flags & kImageArrayed) != 0) s << "_array";
  if ((t.flags & kImageMultisampled) != 0) s << "_ms";
  const bool odd_components = t.rows != 4 && t.rows != 0;
  if (t.kind == TypeKind::image) {
    s << '<' << image_format_row(t.format).name;
    if (t.format == ImageFormat::any || image_format_row(t.format).scalar != t.scalar) s << ' ' << scalar_name(t.scalar);
    s << ", " << access_words()[static_cast<size_t>(t.access)];
    if (odd_components) s << ", " << static_cast<int>(t.rows);
    s << '>';
    return s.take();
  }
  if (depth && t.scalar == ScalarKind::f32 && !odd_components) return s.take();
  s << '<' << scalar_name(t.scalar);
  if (odd_components) s << ", " << static_cast<int>(t.rows);
  s << '>';
  return s.take();
}

std::string Printer::type(TypeId id) {
  if (!id || id.value >= m_.types().size()) return "%?";
  const Type t = m_.types()[id];
  TextSink s;
  switch (t.kind) {
    case TypeKind::scalar: return std::string(scalar_name(t.scalar));
    case TypeKind::vector:
      s << ((t.flags & kVectorPacked) != 0 ? "pvec" : "vec") << static_cast<int>(t.rows) << '<' << scalar_name(t.scalar) << '>';
      break;
    case TypeKind::matrix:
      s << "mat" << static_cast<int>(t.columns) << 'x' << static_cast<int>(t.rows) << '<' << scalar_name(t.scalar) << '>';
      break;
    case TypeKind::array:
      s << "array<" << type(t.element);
      if (t.count_override != Id<TypeId>::kNone) {
        s << ", " << value(ValueId(t.count_override));
      } else if (t.count != 0) {
        s << ", " << t.count;
      }
      s << '>';
      break;
    case TypeKind::struct_: return struct_name(id);
    case TypeKind::pointer:
      s << "ptr<" << space_name(t.space);
      if (t.access != Access::none) s << ' ' << access_words()[static_cast<size_t>(t.access)];
      s << ", " << type(t.element) << layout(t.layout, t.element, t.space) << '>';
      break;
    case TypeKind::texture:
    case TypeKind::image: return image_type(t);
    case TypeKind::sampler: return (t.flags & kSamplerComparison) != 0 ? "sampler_cmp" : "sampler";
    case TypeKind::combined: s << "combined<" << type(t.element) << '>'; break;
    case TypeKind::bindings:
      s << "bindings<" << type(t.element);
      if (t.count != 0) s << ", " << t.count;
      s << '>';
      break;
    case TypeKind::atomic: s << "atomic<" << scalar_name(t.scalar) << '>'; break;
    case TypeKind::accel: return "accel";
    case TypeKind::ray_query: return "ray_query";
    case TypeKind::void_: return "void";
    case TypeKind::error: return "error";
    case TypeKind::object: return "object";
    case TypeKind::string: return "string";
    case TypeKind::count_: return "%?";
  }
  return s.take();
}

bool Printer::has_layout_annotations(TypeId id, uint32_t depth) {
  if (!id || depth > kMaxTypeDepth) return true;
  const Type t = m_.types()[id];
  if (t.kind == TypeKind::array || t.kind == TypeKind::bindings) return has_layout_annotations(t.element, depth + 1);
  if (t.kind != TypeKind::struct_) return false;
  const uint32_t count = m_.types().part_count(id);
  for (uint32_t i = 0; i < count; ++i) {
    const Member member = m_.types().struct_decl(id).members[i];
    if (member.major != Majorness::by_default || member.align != 0 || member.offset != Id<TypeId>::kNone) return true;
    if (has_layout_annotations(member.type, depth + 1)) return true;
  }
  return false;
}

bool Printer::layout_rule(TextSink& out, LayoutId id, TypeId type, Space space) {
  // The text's structs carry no offsets, so a rule's name stands only where the members alone give this layout.
  if (has_layout_annotations(type, 0)) return false;
  for (const bool row : {false, true}) {
    for (LayoutRule rule : space == Space::uniform ? kUniformRules : kStorageRules) {
      const LayoutOptions options{rule, row};
      if (m_.layouts().build(m_.types(), type, options) != id) continue;
      out << " $" << layout_rule_name(rule) << (row ? ".row" : "");
      return true;
    }
  }
  return false;
}

std::string Printer::layout(LayoutId id, TypeId type, Space space) {
  if (!id) return {};
  if (id.value >= m_.layouts().size()) return " $?";
  TextSink s;
  TypeId base = type;
  if (m_.types().kind(type) == TypeKind::bindings) base = m_.types()[type].element;
  if (layout_rule(s, id, base, space)) return s.take();
  s << " $explicit(";
  layout_tree(s, id, 0);
  s << ')';
  return s.take();
}

void Printer::layout_tree(TextSink& out, LayoutId id, uint32_t depth) {
  if (!id || id.value >= m_.layouts().size() || depth > kMaxTypeDepth) {
    out << '?';
    return;
  }
  const Layout l = m_.layouts()[id];
  switch (l.kind) {
    case Layout::Kind::scalar:
    case Layout::Kind::vector:
      if (m_.layouts().scalar_or_vector(m_.types(), l.type) == id) {
        out << '_';
        return;
      }
      out << "leaf(" << l.size << ", " << l.align;
      if (l.stride != 0) out << ", " << l.stride;
      break;
    case Layout::Kind::matrix:
      out << "mat(" << l.size << ", " << l.align << ", " << l.stride << (l.row_major ? ", row" : "");
      break;
    case Layout::Kind::array:
      out << "array(" << l.size << ", " << l.align << ", " << l.stride << ", ";
      layout_tree(out, l.element, depth + 1);
      break;
    case Layout::Kind::struct_:
      out << "struct(" << l.size << ", " << l.align;
      for (uint32_t i = 0; i < l.members.count; ++i) {
        out << ", " << m_.layouts().member_offset(id, i) << ": ";
        layout_tree(out, m_.layouts().member_layout(id, i), depth + 1);
      }
      break;
  }
  out << ')';
}

std::string Printer::scalar_text(const Constant& c) {
  const ScalarKind s = m_.types().scalar_of(c.type);
  TextSink out;
  const auto signed_value = [&](uint32_t width) {
    const uint64_t sign = uint64_t{1} << (width - 1);
    return static_cast<int64_t>((c.bits ^ sign) - sign);
  };
  switch (s) {
    case ScalarKind::bool_: return c.bits != 0 ? "true" : "false";
    case ScalarKind::i32: out << static_cast<long long>(signed_value(32)); return out.take();
    case ScalarKind::u32: out << static_cast<unsigned long long>(c.bits) << 'u'; return out.take();
    case ScalarKind::i8:
    case ScalarKind::i16:
    case ScalarKind::i64: out << static_cast<long long>(signed_value(scalar_bits(s))); break;
    case ScalarKind::u8:
    case ScalarKind::u16:
    case ScalarKind::u64: out << static_cast<unsigned long long>(c.bits); break;
    case ScalarKind::f32:
      if (is_finite_bits(s, c.bits)) return shortest_f32(static_cast<uint32_t>(c.bits));
      out << "0x";
      out.hex(c.bits, 8);
      break;
    default:
      out << "0x";
      out.hex(c.bits, s == ScalarKind::f16 ? 4 : 16);
      break;
  }
  out << ':' << scalar_name(s);
  return out.take();
}

std::string Printer::constant(ConstId id) {
  if (!id || id.value >= m_.types().constant_count()) return "%?";
  const Constant c = m_.types().constant(id);
  if (c.kind == Constant::Kind::scalar) return scalar_text(c);
  TextSink s;
  if (c.kind == Constant::Kind::zero) {
    s << "zero<" << type(c.type) << '>';
    return s.take();
  }
  s << type(c.type) << '(';
  bool first = true;
  const uint32_t count = c.parts.count;
  for (uint32_t i = 0; i < count; ++i) {
    s << (first ? "" : ", ") << constant(m_.types().parts(id)[i]);
    first = false;
  }
  s << ')';
  return s.take();
}

std::string type_text(const Module& module, TypeId type) {
  const PrintOptions options;
  Printer printer(module, options);
  printer.set_plain_names();
  return printer.type(type);
}

std::string constant_text(const Module& module, ConstId constant) {
  const PrintOptions options;
  Printer printer(module, options);
  printer.set_plain_names();
  return printer.constant(constant);
}

}  // namespace carry::ir

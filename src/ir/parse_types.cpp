// Types, layouts and structs of the text form, read.
#include "ir/override_default.h"
#include "ir/parser.h"
#include "ir/text_tables.h"

namespace carry::ir {

namespace {

constexpr uint32_t kMaxTypeDepth = 60;
constexpr uint32_t kMaxWeight = 1u << 16;  // members of nested structs, so that layouts stay cheap
constexpr uint32_t kMaxCount = 1u << 28;

bool starts_with(std::string_view text, std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; }

struct DepthGuard {
  uint32_t& depth;
  explicit DepthGuard(uint32_t& d) : depth(d) { ++depth; }
  ~DepthGuard() { --depth; }
};

}  // namespace

bool Parser::scalar_of_word(std::string_view word, ScalarKind& out) {
  for (int i = 0; i <= static_cast<int>(ScalarKind::f64); ++i) {
    if (scalar_name(static_cast<ScalarKind>(i)) == word) {
      out = static_cast<ScalarKind>(i);
      return true;
    }
  }
  return false;
}

bool Parser::type(TypeId& out) {
  if (token_.kind != TextToken::word && token_.kind != TextToken::string) return fail("expected a type");
  const DepthGuard guard(depth_);
  if (depth_ > kMaxTypeDepth) return fail("types are nested too deeply");
  const TextTok word = token_;
  advance();
  return type_word(word, out);
}

bool Parser::type_word(const TextTok& word, TypeId& out) {
  const std::string_view w = word.text;
  if (!word.quoted) {
    ScalarKind s = ScalarKind::none;
    if (scalar_of_word(w, s)) {
      out = m_.types().scalar(s);
      return true;
    }
    const auto digit = [&](size_t i) { return static_cast<uint32_t>(w[i] - '0'); };
    const bool vec = w.size() == 4 && starts_with(w, "vec") && digit(3) >= 2 && digit(3) <= 4;
    const bool packed = w.size() == 5 && starts_with(w, "pvec") && digit(4) >= 2 && digit(4) <= 4;
    const bool mat = w.size() == 6 && starts_with(w, "mat") && w[4] == 'x' && digit(3) >= 2 && digit(3) <= 4 && digit(5) >= 2 &&
                     digit(5) <= 4;
    if (vec || packed || mat || w == "atomic") {
      if (!expect('<')) return false;
      std::string_view name;
      const TextTok at = token_;
      if (!expect_word(name, "a scalar type")) return false;
      if (!scalar_of_word(name, s)) return fail_at(at, "expected a scalar type");
      if (mat && !is_float(s)) return fail_at(at, "matrices are of floats");
      if (packed) {
        Type t = m_.types()[m_.types().vector(s, digit(4))];
        t.flags = kVectorPacked;
        out = m_.types().intern(t);
        return expect('>');
      }
      out = vec ? m_.types().vector(s, digit(3)) : mat ? m_.types().matrix(s, digit(3), digit(5)) : m_.types().atomic(s);
      return expect('>');
    }
    if (w == "array") return array_type(out);
    if (w == "ptr") return pointer_type(out);
    if (w == "sampler" || w == "sampler_cmp") {
      out = w == "sampler" ? TypeId::sampler : TypeId::sampler_cmp;
      return true;
    }
    if (w == "accel" || w == "ray_query") {
      out = w == "accel" ? TypeId::accel : TypeId::ray_query;
      return true;
    }
    if (w == "combined" || w == "bindings") {
      TypeId element;
      if (!expect('<') || !type(element)) return false;
      uint32_t count = 0;
      if (w == "bindings" && accept(',') && !integer(count, kMaxCount)) return false;
      if (w == "combined" && m_.types().kind(element) != TypeKind::texture) return fail("`combined` is of a texture");
      out = w == "combined" ? m_.types().combined(element) : m_.types().bindings(element, count);
      return expect('>');
    }
    if (starts_with(w, "texture_") || starts_with(w, "depth_") || starts_with(w, "image_")) return image_type(word, out);
  }
  const auto found = structs_.find(key(word));
  if (found == structs_.end()) return fail_at(word, "unknown type `" + std::string(w) + "`");
  out = found->second;
  return true;
}

bool Parser::array_type(TypeId& out) {
  TypeId element;
  if (!expect('<') || !type(element)) return false;
  if (!accept(',')) {
    out = m_.types().array(element, 0);
    return expect('>');
  }
  if (token_.kind == TextToken::value) {
    ValueId size;
    if (!value(size)) return false;
    if (!size.is_global()) return fail("an array's size is a number or a module-level value");
    m_.types().set_override_default(size.value, static_cast<uint32_t>(default_bits(m_, size).value_or(0)));
    out = m_.types().array_override(element, size.value);
    return expect('>');
  }
  uint32_t count = 0;
  if (!integer(count, kMaxCount)) return false;
  if (count == 0) return fail("an array has at least one element");
  out = m_.types().array(element, count);
  return expect('>');
}

bool Parser::space(Space& out) {
  for (int i = 0; i < static_cast<int>(Space::none); ++i) {
    if (is_word(space_name(static_cast<Space>(i)))) {
      out = static_cast<Space>(i);
      advance();
      return true;
    }
  }
  return fail("expected an address space");
}

bool Parser::pointer_type(TypeId& out) {
  Space s = Space::none;
  if (!expect('<') || !space(s)) return false;
  Access access = Access::none;
  if (token_.kind == TextToken::word) {
    const int a = find_word(access_words(), token_.text);
    if (a <= 0) return fail("expected an access");
    access = static_cast<Access>(a);
    advance();
  }
  TypeId pointee;
  LayoutId pointee_layout;
  if (!expect(',') || !type(pointee) || !layout(pointee, pointee_layout)) return false;
  out = m_.types().pointer(s, access, pointee, pointee_layout);
  return expect('>');
}

bool Parser::image_arguments(std::string_view head, Type& t) {
  if (head == "image") {
    const ImageFormat format = find_image_format(token_.text);
    if (token_.kind != TextToken::word || format == ImageFormat::count_) return fail("expected an image format");
    t.format = format;
    t.scalar = image_format_row(format).scalar;
    advance();
    if (token_.kind == TextToken::word) {
      if (!scalar_of_word(token_.text, t.scalar)) return fail("expected a scalar type");
      advance();
    }
    if (t.scalar == ScalarKind::none) t.scalar = ScalarKind::f32;
    if (!expect(',')) return false;
    const int access = find_word(access_words(), token_.text);
    if (access <= 0) return fail("expected an access");
    t.access = static_cast<Access>(access);
    advance();
  } else {
    if (token_.kind != TextToken::word || !scalar_of_word(token_.text, t.scalar)) return fail("expected a scalar type");
    advance();
  }
  uint32_t components = 4;
  if (accept(',') && !integer(components, 4)) return false;
  if (components == 0) return fail("a texel has one to four components");
  t.rows = static_cast<uint8_t>(components);
  return expect('>');
}

bool Parser::image_type(const TextTok& word, TypeId& out) {
  const size_t cut = word.text.find('_');
  const std::string_view head = word.text.substr(0, cut);
  std::string_view rest = word.text.substr(cut + 1);
  const auto drop = [&](std::string_view tail) {
    if (rest.size() < tail.size() || rest.substr(rest.size() - tail.size()) != tail) return false;
    rest.remove_suffix(tail.size());
    return true;
  };
  Type t;
  t.rows = 4;
  t.scalar = ScalarKind::f32;
  if (drop("_ms")) t.flags |= kImageMultisampled;
  if (drop("_array")) t.flags |= kImageArrayed;
  if (head == "depth") t.flags |= kImageDepth;
  const int dim = find_word(dim_words(), rest);
  if (dim < 0) return fail_at(word, "unknown type `" + std::string(word.text) + "`");
  t.dim = static_cast<Dim>(dim);
  const bool arguments = is_punct('<');
  if (!arguments && head != "depth") return fail("expected `<`");
  if (arguments) {
    advance();
    if (!image_arguments(head, t)) return false;
  }
  out = head == "image" ? m_.types().image(t.dim, t.format, t.scalar, t.access, t.flags, t.rows)
                        : m_.types().texture(t.dim, t.scalar, t.flags, t.rows);
  return true;
}

bool Parser::layout(TypeId type, LayoutId& out) {
  if (!accept('$')) return true;
  const TypeId base = m_.types().kind(type) == TypeKind::bindings ? m_.types()[type].element : type;
  std::string_view name;
  const TextTok at = token_;
  if (!expect_word(name, "a layout")) return false;
  if (name == "explicit") {
    return expect('(') && layout_tree(base, out) && expect(')');
  }
  LayoutOptions options;
  if (name.size() > 4 && name.substr(name.size() - 4) == ".row") {
    options.row_major_default = true;
    name.remove_suffix(4);
  }
  for (int i = 0; i < static_cast<int>(LayoutRule::explicit_); ++i) {
    if (layout_rule_name(static_cast<LayoutRule>(i)) != name) continue;
    options.rule = static_cast<LayoutRule>(i);
    out = m_.layouts().build(m_.types(), base, options);
    return true;
  }
  return fail_at(at, "unknown layout");
}

bool Parser::layout_struct(TypeId type, uint32_t size, uint32_t align, LayoutId& out) {
  std::vector<uint32_t> offsets;
  std::vector<LayoutId> members;
  while (accept(',')) {
    uint32_t offset = 0;
    LayoutId member;
    if (offsets.size() >= m_.types().part_count(type)) return fail("the layout has more members than the struct");
    const TypeId part = m_.types().part(type, static_cast<uint32_t>(offsets.size()));
    if (!integer(offset, ~0u) || !expect(':') || !layout_tree(part, member)) return false;
    offsets.push_back(offset);
    members.push_back(member);
  }
  if (offsets.size() != m_.types().part_count(type)) return fail("the layout has fewer members than the struct");
  out = m_.layouts().explicit_struct(type, offsets, members, size, align);
  return expect(')');
}

bool Parser::layout_tree(TypeId type, LayoutId& out) {
  const DepthGuard guard(depth_);
  if (depth_ > kMaxTypeDepth) return fail("layouts are nested too deeply");
  const TypeKind kind = m_.types().kind(type);
  const TextTok word = token_;
  std::string_view name;
  if (!expect_word(name, "a layout")) return false;
  const bool leaf =
      kind == TypeKind::scalar || kind == TypeKind::vector || kind == TypeKind::pointer || kind == TypeKind::atomic;
  if (name == "_") {
    if (!leaf) return fail_at(word, "`_` is the layout of scalars and vectors");
    out = m_.layouts().scalar_or_vector(m_.types(), type);
    return true;
  }
  Layout l;
  l.type = type;
  if (!expect('(') || !integer(l.size, ~0u) || !expect(',') || !integer(l.align, 1u << 16)) return false;
  if (name == "struct" && kind == TypeKind::struct_) return layout_struct(type, l.size, l.align, out);
  if (name == "leaf" && leaf) {
    l.kind = kind == TypeKind::vector ? Layout::Kind::vector : Layout::Kind::scalar;
    if (accept(',') && !integer(l.stride, ~0u)) return false;
  } else if (name == "mat" && kind == TypeKind::matrix) {
    l.kind = Layout::Kind::matrix;
    if (!expect(',') || !integer(l.stride, ~0u)) return false;
    if (accept(',')) {
      if (!is_word("row")) return fail("expected `row`");
      advance();
      l.row_major = true;
    }
  } else if (name == "array" && kind == TypeKind::array) {
    l.kind = Layout::Kind::array;
    if (!expect(',') || !integer(l.stride, ~0u) || !expect(',') || !layout_tree(m_.types()[type].element, l.element))
      return false;
  } else {
    return fail_at(word, "the layout does not fit the type");
  }
  out = m_.layouts().exact(l);
  return expect(')');
}

uint32_t Parser::weight(TypeId type) {
  const Type t = m_.types()[type];
  if (t.kind == TypeKind::array || t.kind == TypeKind::bindings) return weight(t.element);
  const auto found = struct_weights_.find(type.value);
  return found == struct_weights_.end() ? 1 : found->second;
}

bool Parser::struct_decl() {
  const TextTok name = token_;
  if (name.kind != TextToken::word && name.kind != TextToken::string) return fail("expected the struct's name");
  if (is_type_word(name.text) && !name.quoted) return fail("this name is a type's");
  advance();
  if (structs_.count(key(name)) != 0) return fail_at(name, "a struct of this name exists");
  if (!expect('{')) return false;
  std::vector<Member> members;
  uint64_t total = 0;
  while (!is_punct('}')) {
    const TextTok member = token_;
    if (member.kind != TextToken::word && member.kind != TextToken::string) return fail("expected a member's name");
    advance();
    Member m;
    m.name = member.text == "_" ? NameId::none() : source_name(member);
    if (!expect(':') || !type(m.type)) return false;
    total += weight(m.type);
    members.push_back(m);
    if (!accept(',')) break;
  }
  if (total > kMaxWeight) return fail("the struct has too many members");
  if (!expect('}')) return false;
  const TypeId id = m_.types().make_struct(source_name(name), std::move(members));
  struct_weights_[id.value] = static_cast<uint32_t>(total);
  structs_[key(name)] = id;
  return true;
}

}  // namespace carry::ir

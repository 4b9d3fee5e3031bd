#include "image_values.h"

#include <charconv>
#include <cstring>

#include "exec/image.h"
#include "files.h"
#include "numbers.h"
#include "png_image.h"

namespace carry::cli {

namespace {

constexpr uint64_t kMostTexels = uint64_t{1} << 28;
constexpr uint32_t kMostSize = 65536;

/// The resource's own type, out of a combined sampler.
Type image_type(const RunState& state, size_t need) {
  Type t = state.canonical->types()[state.needs[need].type];
  return t.kind == TypeKind::combined ? state.canonical->types()[t.element] : t;
}

bool is_arrayed(const Type& t) { return (t.flags & kImageArrayed) != 0; }
/// A row of texels: what numbers alone give a size.
bool is_row(const Type& t) { return t.dim == Dim::buffer || (t.dim == Dim::d1 && !is_arrayed(t)); }

/// What the words of texels hold.
ScalarKind word_scalar(ScalarKind s) {
  if (is_float(s)) return ScalarKind::f32;
  if (scalar_bits(s) == 64) return s;
  return is_signed_int(s) ? ScalarKind::i32 : ScalarKind::u32;
}

/// Of one, two and four components of 32 bits, or 64-bit integers: texels of a buffer without a declared format.
ImageFormat format_of(ScalarKind scalar, uint32_t components) {
  if (scalar == ScalarKind::u64) return ImageFormat::r64ui;
  if (scalar == ScalarKind::i64) return ImageFormat::r64i;
  const char* tail = is_float(scalar) ? "32f" : is_signed_int(scalar) ? "32i" : "32ui";
  const char* head = components == 1 ? "r" : components == 2 ? "rg" : "rgba";
  return find_image_format(std::string(head) + tail);
}

class ImageReader {
 public:
  ImageReader(RunState& state, size_t need, std::string& error)
      : state_(state), need_(need), type_(image_type(state, need)), error_(error) {
    const RunNeed& n = state.needs[need];
    image_.set = n.set;
    image_.binding = n.binding;
    image_.index = n.element;
    image_.dim = type_.dim;
    image_.format = type_.format;
    image_.scalar = is_float(type_.scalar) ? ScalarKind::f32 : type_.scalar;
    if (type_.dim == Dim::cube) image_.layers = 6;
  }

  bool read(const std::string& value) {
    if (value.size() > 1 && value[0] == '@') return file(value.substr(1));
    const size_t colon = value.find(':');
    const std::string head = value.substr(0, colon);
    const std::string rest = colon == std::string::npos ? std::string() : value.substr(colon + 1);
    if (head == "zeros" || head == "rgba8") return sized(head, rest);
    if (!is_row(type_)) return fail("`" + value + "` has no size");
    if (const ImageFormat format = find_image_format(head); format != ImageFormat::count_) {
      if (!set_format(head)) return false;
      return numbers(std::string(scalar_name(word_scalar(image_.scalar))) + ":" + rest);
    }
    return numbers(value);
  }

  exec::Image take() { return std::move(image_); }

 private:
  bool fail(const std::string& why) {
    const std::string name = state_.name_of(need_);
    error_ = "option `--set`: the image `" + name + "`: " + why + "; it takes " + image_hint(state_, need_);
    return false;
  }

  bool set_format(const std::string& name) {
    const ImageFormat format = find_image_format(name);
    if (format == ImageFormat::count_) return fail("unknown image format `" + name + "`");
    const ScalarKind scalar = image_format_row(format).scalar;
    if (scalar != word_scalar(image_.scalar))
      return fail("the format `" + name + "` is of " + std::string(scalar_name(scalar)) + ", the image of " +
                  std::string(scalar_name(image_.scalar)));
    image_.format = format;
    return true;
  }

  /// "W", "WxH" or "WxHxD", as many as the image has; for arrays the last is the number of layers, of cube arrays that of cubes.
  bool size(std::string_view text) {
    uint32_t sizes[3] = {1, 1, 1};
    uint32_t given = 0;
    for (;;) {
      const size_t x = text.find('x');
      if (given == 3 || !whole_number(text.substr(0, x), sizes[given]) || sizes[given] == 0) return false;
      if (sizes[given] > kMostSize && !is_row(type_)) return false;
      ++given;
      if (x == std::string_view::npos) break;
      text.remove_prefix(x + 1);
    }
    const uint32_t plain = type_.dim == Dim::d3 ? 3 : type_.dim == Dim::d1 || type_.dim == Dim::buffer ? 1 : 2;
    for (uint32_t i = plain + (is_arrayed(type_) ? 1 : 0); i < given; ++i) {
      if (sizes[i] != 1) return false;
    }
    image_.width = sizes[0];
    if (plain > 1) image_.height = sizes[1];
    if (plain > 2) image_.depth = sizes[2];
    if (is_arrayed(type_)) image_.layers = sizes[plain] * (type_.dim == Dim::cube ? 6 : 1);
    return small();
  }

  [[nodiscard]] bool small() const {
    const uint64_t plane = uint64_t{image_.width} * image_.height;
    return plane <= kMostTexels && plane * image_.depth <= kMostTexels && plane * image_.depth * image_.layers <= kMostTexels;
  }

  /// zeros:WxH[:FORMAT], rgba8:WxH:HEX
  bool sized(const std::string& kind, const std::string& rest) {
    const size_t colon = rest.find(':');
    const std::string detail = colon == std::string::npos ? std::string() : rest.substr(colon + 1);
    if (!size(std::string_view(rest).substr(0, colon))) return fail("`" + rest.substr(0, colon) + "` is no size of it");
    if (kind == "zeros" && !detail.empty() && !set_format(detail)) return false;
    image_.words.assign(image_.word_count(), 0);
    if (kind == "zeros") return true;
    if (detail.size() % 2 != 0 || detail.size() / 2 > image_.words.size() || image_.words_per_texel() != 4)
      return fail("`" + detail.substr(0, 20) + "` are not bytes of its texels");
    for (size_t i = 0; i < detail.size(); i += 2) {
      uint32_t byte = 0;
      const auto r = std::from_chars(detail.data() + i, detail.data() + i + 2, byte, 16);
      if (r.ec != std::errc() || r.ptr != detail.data() + i + 2)
        return fail("`" + detail.substr(i, 2) + "` is not hexadecimal");
      const float f = static_cast<float>(byte) / 255.0f;
      image_.words[i / 2] = byte;
      if (image_.scalar == ScalarKind::f32) std::memcpy(&image_.words[i / 2], &f, sizeof f);
    }
    return true;
  }

  /// Components that stand in a texel of the numbers: of the format, else of the type in the source.
  uint32_t components() {
    if (image_.format == ImageFormat::any) {
      const uint32_t rows = source_rows();
      const uint32_t declared = rows == 1 || rows == 2 ? rows : 4u;
      image_.format = format_of(image_.scalar, declared);
    }
    return image_format_row(image_.format).components;
  }

  /// Components of T in Buffer<T>, which only the source's type knows.
  [[nodiscard]] uint32_t source_rows() const {
    const driver::Compilation& c = *state_.job.output.compilation;
    for (VarId v : c.facts.variables.ids()) {
      const Variable& variable = c.facts.variables[v];
      if (variable.name.is_none() || c.context.names.text(variable.name) != state_.base_name_of(need_)) continue;
      Type t = c.context.types[variable.type];
      if (t.kind == TypeKind::array) t = c.context.types[t.element];
      if (t.kind == TypeKind::texture || t.kind == TypeKind::image) return t.rows;
    }
    return 0;
  }

  /// f32:1,2,3 iota:N random:N[:SEED]: components after components.
  bool numbers(const std::string& value) {
    ir::Context& c = *state_.canonical->context;
    const TypeId scalar = c.types.scalar(word_scalar(image_.scalar));
    const exec::ValueShape shape{c.names, c.types, c.layouts, scalar, c.layouts.scalar_or_vector(c.types, scalar)};
    std::vector<uint8_t> bytes;
    std::string why;
    if (!exec::parse_value(shape, value, bytes, why)) return fail(why);
    return texels(bytes);
  }

  bool texels(const std::vector<uint8_t>& bytes) {
    const uint32_t each = components();
    const uint32_t wide = image_.words_per_texel() == 2 ? 2 : 1;
    const uint64_t per_texel = uint64_t{each} * wide * 4;
    if (bytes.empty() || bytes.size() % per_texel != 0)
      return fail(std::to_string(bytes.size()) + " bytes are no texels of " + std::to_string(each) + " " +
                  std::string(scalar_name(word_scalar(image_.scalar))));
    if (bytes.size() / per_texel > kMostTexels) return fail("more than 2^28 texels");
    image_.width = static_cast<uint32_t>(bytes.size() / per_texel);
    image_.words.assign(image_.word_count(), 0);
    const uint32_t step = image_.words_per_texel();
    for (uint32_t i = 0; i < image_.width; ++i) {
      uint32_t* texel = &image_.words[uint64_t{i} * step];
      std::memcpy(texel, &bytes[i * per_texel], per_texel);
      if (wide == 1) exec::convert_to_format(image_.format, image_.scalar, texel);
    }
    return true;
  }

  bool file(std::string path) {
    const std::string_view text = path;
    if (text.size() < 4 || text.find(".png") == std::string_view::npos) {
      if (!is_row(type_)) return fail("`" + path + "` is no .png");
      std::string content;
      if (!read_file(path, content, error_)) return false;
      return texels(std::vector<uint8_t>(content.begin(), content.end()));
    }
    bool srgb = false;
    uint32_t layers = 0;
    for (;;) {  // @FILE.png:srgb:LAYERS
      const size_t colon = path.rfind(':');
      if (colon == std::string::npos || path.find('/', colon) != std::string::npos) break;
      const std::string word = path.substr(colon + 1);
      if (word != "srgb" && (!whole_number(word, layers) || layers == 0)) break;
      srgb = srgb || word == "srgb";
      path.resize(colon);
    }
    if (image_.words_per_texel() != 4) return fail("a PNG has no 64-bit texels");
    if (!read_png(path, srgb, image_, error_)) return false;
    return layer_picture(layers);
  }

  /// Layers, slices and faces stand one below the other in the picture.
  bool layer_picture(uint32_t layers) {
    const bool flat = type_.dim == Dim::d1 || type_.dim == Dim::buffer;
    const bool stacked = is_arrayed(type_) || type_.dim == Dim::d3 || type_.dim == Dim::cube;
    const std::string size = std::to_string(image_.width) + "x" + std::to_string(image_.height);
    if (!stacked && layers > 1) return fail("it has no layers");
    if (!stacked && !flat) return true;
    if (!stacked) return image_.height == 1 || fail("the picture of " + size + " is higher than 1");
    if (flat) {
      image_.layers = image_.height;
      image_.height = 1;
      return layers == 0 || layers == image_.layers || fail("the picture of " + size + " has a layer a row");
    }
    const uint32_t height = layers != 0 ? image_.height / layers : image_.width;
    const uint32_t count = image_.height / (height == 0 ? 1 : height);
    const bool cube = type_.dim == Dim::cube;
    const bool right_count = !cube || (is_arrayed(type_) ? count % 6 == 0 : count == 6);
    if (height == 0 || image_.height % height != 0 || (layers != 0 && count != layers) || (cube && height != image_.width) ||
        !right_count)
      return fail("the picture of " + size + " is no column of its layers");
    image_.height = height;
    (type_.dim == Dim::d3 ? image_.depth : image_.layers) = count;
    return true;
  }

  RunState& state_;
  size_t need_;
  Type type_;
  std::string& error_;
  exec::Image image_;
};

}  // namespace

std::string image_hint(const RunState& state, size_t need) {
  const Type t = image_type(state, need);
  const std::string scalar(scalar_name(word_scalar(t.scalar)));
  if (is_row(t)) {
    const std::string row = scalar + ":1,2,3 (texel after texel), FORMAT:1,2,3, @FILE.bin or zeros:N[:FORMAT]";
    return t.dim == Dim::d1 ? "@FILE.png of height 1, " + row : row;
  }
  if (t.dim == Dim::d1) return "@FILE.png (a layer a row) or zeros:WxLAYERS[:FORMAT]";
  if (t.dim == Dim::d3) return "@FILE.png:DEPTH (slices one below the other) or zeros:WxHxD[:FORMAT]";
  if (t.dim == Dim::cube) {
    const std::string faces = "@FILE.png (square faces +x -x +y -y +z -z one below the other) or zeros:WxH";
    return faces + (is_arrayed(t) ? "xCUBES" : "") + "[:FORMAT]";
  }
  if (is_arrayed(t)) return "@FILE.png:LAYERS (one below the other) or zeros:WxHxLAYERS[:FORMAT]";
  return "@FILE.png, rgba8:WxH:HEX or zeros:WxH[:FORMAT]";
}

bool set_image(RunState& state, size_t need, const std::string& value, std::string& error) {
  ImageReader reader(state, need, error);
  if (!reader.read(value)) return false;
  if (exec::Image* old = state.image_of(need))
    *old = reader.take();
  else
    state.resources.images.push_back(reader.take());
  return true;
}

}  // namespace carry::cli

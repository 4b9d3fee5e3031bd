#include "png_image.h"

#include <png.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "base/number_text.h"

namespace carry::cli {

namespace {

uint32_t bits_of(float v) {
  uint32_t bits = 0;
  std::memcpy(&bits, &v, sizeof bits);
  return bits;
}

float from_srgb(float c) { return c <= 0.04045f ? c / 12.92f : std::pow((c + 0.055f) / 1.055f, 2.4f); }

}  // namespace

bool read_png(const std::string& path, bool srgb, exec::Image& image, std::string& error) {
  png_image png;
  std::memset(&png, 0, sizeof png);
  png.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_file(&png, path.c_str()) == 0) {
    error = "cannot read `" + path + "`: " + png.message;
    return false;
  }
  // RGBA with the file's own numbers: no gamma is applied.
  png.format = PNG_FORMAT_RGBA;
  std::vector<uint8_t> pixels(PNG_IMAGE_SIZE(png));
  if (png_image_finish_read(&png, nullptr, pixels.data(), 0, nullptr) == 0) {
    error = "cannot read `" + path + "`: " + png.message;
    png_image_free(&png);
    return false;
  }
  image.width = png.width;
  image.height = png.height;
  image.words.resize(pixels.size());
  for (size_t i = 0; i < pixels.size(); ++i) {
    float v = static_cast<float>(pixels[i]) / 255.0f;
    if (srgb && i % 4 != 3) v = from_srgb(v);
    image.words[i] = image.scalar == ScalarKind::f32 ? bits_of(v) : pixels[i];
  }
  return true;
}

std::string image_bytes(const exec::Image& image) {
  std::string out;
  const auto put = [&](uint32_t v, uint32_t bytes) {
    for (uint32_t b = 0; b < bytes; ++b) out.push_back(static_cast<char>(v >> (8 * b) & 0xffu));
  };
  const ImageFormatRow& row = image_format_row(image.format);
  const std::string_view name = row.name;
  const bool unorm8 = name == "rgba8" || name == "rg8" || name == "r8";
  const uint32_t bits = name.find("32") != std::string_view::npos   ? 32
                        : name.find("16") != std::string_view::npos ? 16
                        : name.find("8") != std::string_view::npos  ? 8
                                                                    : 0;
  const bool plain = bits != 0 && (unorm8 || bits == 32 || is_int(row.scalar) || name.back() == 'f');
  for (size_t i = 0; i < image.words.size(); ++i) {
    if (!plain) {
      put(image.words[i], 4);
      continue;
    }
    if (i % 4 >= row.components) continue;
    float v = 0;
    std::memcpy(&v, &image.words[i], sizeof v);
    if (unorm8)
      put(static_cast<uint32_t>(std::lround((v > 0 ? (v < 1 ? v : 1.0f) : 0.0f) * 255.0f)), 1);
    else if (bits == 16 && row.scalar == ScalarKind::f32)
      put(f32_to_f16_bits(image.words[i]), 2);
    else
      put(image.words[i], bits / 8);
  }
  return out;
}

bool write_png(const std::string& path, const exec::Image& image, std::string& error) {
  png_image png;
  std::memset(&png, 0, sizeof png);
  png.version = PNG_IMAGE_VERSION;
  png.width = image.width;
  png.height = image.height * image.depth * image.layers;  // one below the other, as set_image takes them
  png.format = PNG_FORMAT_RGBA;
  std::vector<uint8_t> pixels(size_t{image.width} * png.height * 4);
  for (size_t i = 0; i < pixels.size() && i < image.words.size(); ++i) {
    float v = 0;
    std::memcpy(&v, &image.words[i], sizeof v);
    const uint32_t word = image.words[i] > 255 ? 255 : image.words[i];
    if (image.scalar == ScalarKind::f32)
      pixels[i] = static_cast<uint8_t>(std::lround((v > 0 ? (v < 1 ? v : 1.0f) : 0.0f) * 255.0f));
    else
      pixels[i] = static_cast<uint8_t>(word);
  }
  if (png_image_write_to_file(&png, path.c_str(), 0, pixels.data(), 0, nullptr) != 0) return true;
  error = "cannot write `" + path + "`: " + png.message;
  return false;
}

}  // namespace carry::cli

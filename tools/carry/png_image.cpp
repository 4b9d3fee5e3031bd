#include "png_image.h"

#include <png.h>

#include <cmath>
#include <cstring>
#include <vector>

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

bool write_png(const std::string& path, const exec::Image& image, std::string& error) {
  png_image png;
  std::memset(&png, 0, sizeof png);
  png.version = PNG_IMAGE_VERSION;
  png.width = image.width;
  png.height = image.height;
  png.format = PNG_FORMAT_RGBA;
  std::vector<uint8_t> pixels(size_t{image.width} * image.height * 4);
  for (size_t i = 0; i < pixels.size() && i < image.words.size(); ++i) {
    float v = 0;
    std::memcpy(&v, &image.words[i], sizeof v);
    const uint32_t word = image.words[i] > 255 ? 255 : image.words[i];
    if (image.scalar == ScalarKind::f32) pixels[i] = static_cast<uint8_t>(std::lround((v > 0 ? (v < 1 ? v : 1.0f) : 0.0f) * 255.0f));
    else pixels[i] = static_cast<uint8_t>(word);
  }
  if (png_image_write_to_file(&png, path.c_str(), 0, pixels.data(), 0, nullptr) != 0) return true;
  error = "cannot write `" + path + "`: " + png.message;
  return false;
}

}  // namespace carry::cli

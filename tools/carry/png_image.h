// PNG files to and from executor images.
#pragma once

#include <string>

#include "exec/executor.h"

namespace carry::cli {

/// Texels as four floats in [0, 1] (linearised when `srgb`), or as integers 0 to 255 for integer textures.
[[nodiscard]] bool read_png(const std::string& path, bool srgb, exec::Image& image, std::string& error);
/// Texels of all mips in the bytes of the image's own format; formats without a plain byte form give four words a texel.
[[nodiscard]] std::string image_bytes(const exec::Image& image);
[[nodiscard]] bool write_png(const std::string& path, const exec::Image& image, std::string& error);

}  // namespace carry::cli

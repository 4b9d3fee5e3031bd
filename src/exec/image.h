// Images: texel access, sampling, format conversion. Internal to exec/.
#pragma once

#include "exec/machine.h"

namespace carry::exec {

/// A texel's place; `ok` is false outside of the image.
struct TexelPlace {
  uint32_t mip = 0, layer = 0, z = 0, y = 0, x = 0, sample = 0;
  bool ok = true;
};

/// Integer coordinates as `fetch`, `image_read` and `texel` take them: x [, y [, z or layer]]; cube faces are layers.
[[nodiscard]] TexelPlace texel_place(const Image& image, const Type& type, const int64_t* coord, uint32_t count, int64_t mip,
                                     uint32_t sample);
/// nullptr for a handle that names nothing.
[[nodiscard]] Image* image_of(Machine& m, uint32_t id);
[[nodiscard]] const Sampler* sampler_of(const Machine& m, uint32_t id);
/// The texel that a `texel` pointer names; nullptr out of bounds.
[[nodiscard]] uint32_t* texel_word(Machine& m, const Address& address, uint32_t lane);
/// A word of the four of a texel; components that the image's format lacks read as 0, 0, 1.
[[nodiscard]] uint32_t texel_component(const Image& image, const uint32_t* texel, uint32_t c);
/// Rounds four written components to what `format` can hold; missing ones become 0, 0, 1.
void convert_to_format(ImageFormat format, ScalarKind scalar, uint32_t texel[4]);

void op_fetch(Machine& m, const Code& code);  // fetch, image_read; aux: ImageOp
void op_image_write(Machine& m, const Code& code);
void op_image_query(Machine& m, const Code& code);  // size, levels, samples
void op_sample(Machine& m, const Code& code);       // sample, gather

}  // namespace carry::exec

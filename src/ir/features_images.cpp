// Operations on textures.
#include "ir/features_scanner.h"

#include <cmath>
#include <cstring>

namespace carry::ir {

bool Scanner::compares_colour(const Inst& in) const {
  if ((SampleInfo::unpack(in.payload).mask & kSampleCompare) == 0) return false;
  const TypeTable& types = m_.types();
  Type t = types[m_.type_of(*f_, m_.operand(in, 0))];
  if (t.kind == TypeKind::combined) t = types[t.element];
  return (t.flags & kImageDepth) == 0;
}

/// The operand of an optional part of a sample or gather, or none.
ValueId Scanner::option(const Inst& in, uint16_t bit) const {
  const uint16_t mask = SampleInfo::unpack(in.payload).mask;
  if ((mask & bit) == 0) return ValueId::none();
  uint32_t at = 2;  // the texture and the coordinate
  for (uint16_t before = 1; before < bit; before = static_cast<uint16_t>(before << 1)) {
    if ((mask & before) != 0) at += before == kSampleGrad ? 2 : 1;
  }
  return at < in.operands.count ? m_.operand(in, at) : ValueId::none();
}

bool Scanner::is_zero(ValueId v) const {
  if (!v.is_constant()) return false;
  const Constant& c = m_.types().constant(v.const_id());
  return c.kind == Constant::Kind::zero || (c.kind == Constant::Kind::scalar && (c.bits & 0x7fffffffu) == 0);
}

/// What reads that compute no level of their own leave to some textures of some targets.
void Scanner::odd_reads(const Inst& in, const Type& texture) {
  const uint16_t mask = SampleInfo::unpack(in.payload).mask;
  const bool derived = (mask & (kSampleGrad | kSampleBias)) != 0;
  const ValueId offset = option(in, kSampleOffset), lod = option(in, kSampleLod);
  if (texture.dim == Dim::d1 && (derived || (offset && !is_zero(offset)))) add(Feature::line_sample);
  const bool plain_depth = (texture.flags & kImageDepth) != 0 && (mask & kSampleCompare) == 0;
  if (plain_depth && (derived || (lod && !is_whole_level(lod)))) add(Feature::depth_level);
}

/// Levels below 0 are level 0.
bool Scanner::is_whole_level(ValueId v) const {
  if (!v.is_constant()) return v.is_local() && whole_.count(v.value) != 0;
  const Constant& c = m_.types().constant(v.const_id());
  if (c.kind == Constant::Kind::zero) return true;
  if (c.kind != Constant::Kind::scalar || m_.types().scalar_of(c.type) != ScalarKind::f32) return false;
  float level = 0;
  const uint32_t bits = static_cast<uint32_t>(c.bits);
  std::memcpy(&level, &bits, sizeof level);
  return level <= 0 || level == std::floor(level);
}

void Scanner::sample(const Inst& in) {
  const uint16_t mask = SampleInfo::unpack(in.payload).mask;
  if ((mask & kSampleProject) != 0) add(Feature::projected_sample);
  if ((mask & kSampleOffsets) != 0) add(Feature::gather_offsets);
  if ((mask & kSampleMinLod) != 0) add(Feature::min_lod);
  const ValueId offset = option(in, kSampleOffset), lod = option(in, kSampleLod);
  if (offset && !offset.is_constant()) add(Feature::varying_offset);
  const bool level = (mask & (kSampleGrad | kSampleBias)) != 0 || (lod && !is_zero(lod));
  if ((mask & kSampleCompare) != 0 && level) add(Feature::compare_odd_level);
  Type t = m_.types()[m_.type_of(*f_, m_.operand(in, 0))];
  if (t.kind == TypeKind::combined) t = m_.types()[t.element];
  if ((mask & kSampleCompare) != 0 && t.dim == Dim::d1) add(Feature::compare_1d);
  odd_reads(in, t);
  const bool chosen = (lod && !is_zero(lod)) || (mask & kSampleMinLod) != 0;
  if (t.dim == Dim::d1 && chosen) add(Feature::line_level);
  if (in.op == Op::sample && (t.scalar == ScalarKind::i32 || t.scalar == ScalarKind::u32)) add(Feature::integer_sample);
}

void Scanner::line_level(const Inst& in, ValueId level) {
  Type t = m_.types()[m_.type_of(*f_, m_.operand(in, 0))];
  if (t.kind == TypeKind::combined) t = m_.types()[t.element];
  if (t.dim == Dim::d1 && !is_zero(level)) add(Feature::line_level);
}

}  // namespace carry::ir

// Sampling, fetching, storage images and queries.
#include "write/spirv/state.h"

namespace carry::write::spirv {

using ir::Inst;
using ir::SampleInfo;
using ir::ValueId;
using spv::Capability;

namespace {

// Image operand bits (SPIR-V 3.14), in the order in which their operands follow the mask.
constexpr Word kBias = 0x1, kLod = 0x2, kGrad = 0x4, kConstOffset = 0x8, kOffset = 0x10, kConstOffsets = 0x20, kSample = 0x40,
               kMinLod = 0x80;

}  // namespace

const Type& Writer::texture_of(ValueId v) const {
  const Type& t = m_.types()[type_of(v)];
  return t.kind == TypeKind::combined ? m_.types()[t.element] : t;
}

/// The image without its sampler: what fetch and queries take.
SpvId Writer::plain_image(ValueId v) {
  const Type& t = m_.types()[type_of(v)];
  if (t.kind != TypeKind::combined) return value(v);
  return emit(spv::Op::OpImage, type(t.element), {value(v)});
}

/// Operands from number `next` on, by the mask of the instruction; the depth reference goes to `compare`.
Writer::ImageOperands Writer::image_operands(const Inst& inst, uint32_t next, SpvId& compare) {
  const SampleInfo info = SampleInfo::unpack(inst.payload);
  const std::span<const ValueId> ops = m_.operands(inst);
  ImageOperands out;
  SpvId bias = 0, lod = 0, dx = 0, dy = 0, offset = 0, offsets = 0, min_lod = 0, sample_index = 0;
  bool constant_offset = false;
  if (info.mask & ir::kSampleCompare) compare = value(ops[next++]);
  if (info.mask & ir::kSampleBias) bias = value(ops[next++]);
  if (info.mask & ir::kSampleLod) lod = value(ops[next++]);
  if (info.mask & ir::kSampleGrad) {
    dx = value(ops[next++]);
    dy = value(ops[next++]);
  }
  if (info.mask & ir::kSampleOffset) {
    constant_offset = ops[next].is_constant();
    offset = value(ops[next++]);
  }
  if (info.mask & ir::kSampleOffsets) offsets = value(ops[next++]);
  if (info.mask & ir::kSampleMinLod) min_lod = value(ops[next++]);
  if (info.mask & ir::kSampleIndex) sample_index = value(ops[next++]);
  const auto put = [&](Word bit, std::initializer_list<SpvId> ids) {
    out.mask |= bit;
    out.words.insert(out.words.end(), ids.begin(), ids.end());
  };
  if (bias) put(kBias, {bias});
  if (lod) put(kLod, {lod});
  if (dx) put(kGrad, {dx, dy});
  if (offset) {
    put(constant_offset ? kConstOffset : kOffset, {offset});
    if (!constant_offset) capability(Capability::ImageGatherExtended);
  }
  if (offsets) {
    put(kConstOffsets, {offsets});
    capability(Capability::ImageGatherExtended);
  }
  if (sample_index) put(kSample, {sample_index});
  if (min_lod) {
    put(kMinLod, {min_lod});
    capability(Capability::MinLod);
  }
  return out;
}

void Writer::image(const Inst& inst) {
  const std::span<const ValueId> ops = m_.operands(inst);
  switch (inst.op) {
    case Op::sample: return sample(inst);
    case Op::gather: return gather(inst);
    case Op::fetch: return fetch(inst);
    case Op::image_read: {
      const Type& t = m_.types()[type_of(ops[0])];
      if (t.format == ImageFormat::any && t.dim != Dim::subpass) capability(Capability::StorageImageReadWithoutFormat);
      std::vector<Word> words = values_of(ops);
      if (ops.size() > 2) words.insert(words.begin() + 2, kSample);
      return finish(inst, emit(spv::Op::OpImageRead, result_type(inst), words));
    }
    case Op::image_write: {
      const Type& t = m_.types()[type_of(ops[0])];
      if (t.format == ImageFormat::any) capability(Capability::StorageImageWriteWithoutFormat);
      std::vector<Word> words = values_of(ops);
      if (ops.size() > 3) {  // image, coordinate, sample, texel -> image, coordinate, texel, mask, sample
        words = {words[0], words[1], words[3], kSample, words[2]};
      }
      return body_.inst(spv::Op::OpImageWrite, words);
    }
    case Op::image_size: {
      capability(Capability::ImageQuery);
      const Type& t = texture_of(ops[0]);
      const bool with_lod =
          t.kind == TypeKind::texture && t.dim != Dim::buffer && t.dim != Dim::rect && !(t.flags & kImageMultisampled);
      const SpvId image_id = plain_image(ops[0]);
      if (!with_lod) return finish(inst, emit(spv::Op::OpImageQuerySize, result_type(inst), {image_id}));
      const SpvId lod = ops.size() > 1 ? value(ops[1]) : const_u32(0);
      return finish(inst, emit(spv::Op::OpImageQuerySizeLod, result_type(inst), {image_id, lod}));
    }
    case Op::image_levels:
    case Op::image_samples: {
      capability(Capability::ImageQuery);
      const SpvId image_id = plain_image(ops[0]);
      return finish(inst, emit(inst.op == Op::image_levels ? spv::Op::OpImageQueryLevels : spv::Op::OpImageQuerySamples,
                               result_type(inst), {image_id}));
    }
    default: {  // query_lod
      capability(Capability::ImageQuery);
      derivatives_ = true;
      SpvId sampled = value(ops[0]);
      size_t next = 1;
      if (m_.types().kind(type_of(ops[0])) != TypeKind::combined) {
        const SpvId sampler = value(ops[next++]);
        sampled = emit(spv::Op::OpSampledImage, type(m_.types().combined(type_of(ops[0]))), {sampled, sampler});
      }
      const SpvId coordinate = value(ops[next]);
      return finish(inst, emit(spv::Op::OpImageQueryLod, result_type(inst), {sampled, coordinate}));
    }
  }
}

void Writer::sample(const Inst& inst) {
  const std::span<const ValueId> ops = m_.operands(inst);
  const SampleInfo info = SampleInfo::unpack(inst.payload);
  const bool non_uniform = ops[0].is_local() && non_uniform_[ops[0].index()];
  SpvId sampled = value(ops[0]);
  uint32_t next = 1;
  if (info.mask & ir::kSampleHasSampler) {
    const SpvId sampler = value(ops[next++]);
    sampled = emit(spv::Op::OpSampledImage, type(m_.types().combined(type_of(ops[0]))), {sampled, sampler});
    if (non_uniform) decorate(sampled, spv::Decoration::NonUniform);
  }
  const SpvId coordinate = value(ops[next++]);
  SpvId compare = 0;
  ImageOperands extra = image_operands(inst, next, compare);
  const bool project = (info.mask & ir::kSampleProject) != 0;
  const bool explicit_lod = (extra.mask & (kLod | kGrad)) != 0 || !implicit_lod_;
  if (explicit_lod && (extra.mask & (kLod | kGrad)) == 0) {
    // Outside fragment shaders there are no derivatives: the base level (GLSL 8.9.1).
    // A bias counts from there.
    if ((extra.mask & kBias) != 0)
      extra.mask &= ~kBias;
    else
      extra.words.insert(extra.words.begin(), constant(m_.types().constant_f32(0.0f)));
    extra.mask |= kLod;
  }
  derivatives_ = derivatives_ || !explicit_lod;
  spv::Op op = spv::Op::OpNop;
  if (compare) {
    op = explicit_lod ? (project ? spv::Op::OpImageSampleProjDrefExplicitLod : spv::Op::OpImageSampleDrefExplicitLod)
                      : (project ? spv::Op::OpImageSampleProjDrefImplicitLod : spv::Op::OpImageSampleDrefImplicitLod);
  } else {
    op = explicit_lod ? (project ? spv::Op::OpImageSampleProjExplicitLod : spv::Op::OpImageSampleExplicitLod)
                      : (project ? spv::Op::OpImageSampleProjImplicitLod : spv::Op::OpImageSampleImplicitLod);
  }
  std::vector<Word> words{sampled, coordinate};
  if (compare) words.push_back(compare);
  if (extra.mask) {
    words.push_back(extra.mask);
    words.insert(words.end(), extra.words.begin(), extra.words.end());
  }
  finish(inst, emit(op, result_type(inst), words));
}

void Writer::gather(const Inst& inst) {
  const std::span<const ValueId> ops = m_.operands(inst);
  const SampleInfo info = SampleInfo::unpack(inst.payload);
  SpvId sampled = value(ops[0]);
  uint32_t next = 1;
  if (info.mask & ir::kSampleHasSampler) {
    const SpvId sampler = value(ops[next++]);
    sampled = emit(spv::Op::OpSampledImage, type(m_.types().combined(type_of(ops[0]))), {sampled, sampler});
    if (ops[0].is_local() && non_uniform_[ops[0].index()]) decorate(sampled, spv::Decoration::NonUniform);
  }
  const SpvId coordinate = value(ops[next++]);
  SpvId compare = 0;
  const ImageOperands extra = image_operands(inst, next, compare);
  std::vector<Word> words{sampled, coordinate, compare ? compare : const_u32(info.component)};
  if (extra.mask) {
    words.push_back(extra.mask);
    words.insert(words.end(), extra.words.begin(), extra.words.end());
  }
  finish(inst, emit(compare ? spv::Op::OpImageDrefGather : spv::Op::OpImageGather, result_type(inst), words));
}

void Writer::fetch(const Inst& inst) {
  const std::span<const ValueId> ops = m_.operands(inst);
  const SpvId image_id = plain_image(ops[0]);
  const SpvId coordinate = value(ops[1]);
  SpvId compare = 0;
  const ImageOperands extra = image_operands(inst, 2, compare);
  std::vector<Word> words{image_id, coordinate};
  if (extra.mask) {
    words.push_back(extra.mask);
    words.insert(words.end(), extra.words.begin(), extra.words.end());
  }
  finish(inst, emit(spv::Op::OpImageFetch, result_type(inst), words));
}

}  // namespace carry::write::spirv

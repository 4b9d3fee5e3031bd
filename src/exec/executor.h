// The executor: runs one entry point of a verified ir::Module on the CPU, canonical or after passes.
//
// In: the module, an entry, options, and the resources by set and binding. Out: the resources as the program left them,
// or a fault with the source place. It never throws, aborts or prints, and its memory is bounded by
// `ExecOptions::max_memory` (resources excepted).
//
// A workgroup (several small ones together) is a batch of lanes that walk the regions in lock-step under a mask, so a barrier,
// a subgroup operation or a quad finds all its lanes at one place. `order` is the order in which lanes perform their
// stores and atomics, in which groups follow each other and in which the two sides of an `if` go.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "ir/module.h"

namespace carry::exec {

enum class LaneOrder : uint8_t { forward, reverse, shuffle };

/// Value of an override, by its id.
struct SpecValue {
  uint32_t id = 0;
  uint64_t bits = 0;
};

enum CheckFlags : uint32_t {
  kCheckBounds = 1,         // access outside of its object
  kCheckUninitialised = 2,  // reads of function, private and workgroup memory never written
  kCheckRaces = 4,          // data races between barriers of a group
  kCheckBarriers = 8,       // barriers that a part of the group does not reach
  kCheckDivision = 16,      // integer division by zero
  kCheckShift = 32,         // shift counts at or past the width
  kCheckNan = 64,           // float operations whose result is NaN and whose operands are not
  kCheckDefault = 63,       // all but kCheckNan
};

struct ExecOptions {
  std::array<uint32_t, 3> groups{1, 1, 1};
  uint32_t subgroup_size = 32;  // power of two, 1 to 128
  LaneOrder order = LaneOrder::forward;
  uint64_t seed = 0;                        // of LaneOrder::shuffle
  uint64_t max_steps = 200'000'000;         // instructions of one batch, weighted by components
  uint64_t max_memory = uint64_t{1} << 30;  // bytes for registers, private and group memory
  std::vector<SpecValue> spec;
  uint32_t check = 0;                  // CheckFlags
  int64_t trace_lane = -1;             // linear global invocation (group-major) whose values are recorded
  uint32_t max_trace = 10'000;         // lines
  bool spurious_cas_failures = false;  // atomic_cas_weak fails now and then without reason
};

struct Buffer {
  uint32_t set = 0, binding = 0, index = 0;  // index: element of a binding array
  std::vector<uint8_t> bytes;
};

/// Texture or storage image. Texels are 4 words (f32 bits, u32 or i32) each, 64-bit integer formats one 64-bit value (2
/// words); mips one after the other, in each: layers (cube faces too), slices, rows, texels, samples.
struct Image {
  uint32_t set = 0, binding = 0, index = 0;
  Dim dim = Dim::d2;
  uint32_t width = 1, height = 1, depth = 1, layers = 1, mips = 1, samples = 1;
  ScalarKind scalar = ScalarKind::f32;
  ImageFormat format = ImageFormat::any;  // the texels' own format; writes through an image of unknown format use it
  std::vector<uint32_t> words;

  [[nodiscard]] uint32_t words_per_texel() const { return scalar == ScalarKind::u64 || scalar == ScalarKind::i64 ? 2 : 4; }
  [[nodiscard]] uint32_t mip_width(uint32_t mip) const { return width >> mip > 1 ? width >> mip : 1; }
  [[nodiscard]] uint32_t mip_height(uint32_t mip) const { return height >> mip > 1 ? height >> mip : 1; }
  [[nodiscard]] uint32_t mip_depth(uint32_t mip) const { return depth >> mip > 1 ? depth >> mip : 1; }
  /// Words of all mips; what `words` must hold.
  [[nodiscard]] uint64_t word_count() const;
  /// Index into `words` of a texel that exists.
  [[nodiscard]] uint64_t word_index(uint32_t mip, uint32_t layer, uint32_t z, uint32_t y, uint32_t x,
                                    uint32_t sample = 0) const;
};

enum class Filter : uint8_t { nearest, linear };
enum class AddressMode : uint8_t { clamp, repeat, mirror, border };
enum class CompareOp : uint8_t { never, less, equal, less_equal, greater, not_equal, greater_equal, always };
struct Sampler {
  uint32_t set = 0, binding = 0, index = 0;
  Filter min = Filter::linear, mag = Filter::linear, mip = Filter::nearest;
  AddressMode u = AddressMode::clamp, v = AddressMode::clamp, w = AddressMode::clamp;
  CompareOp compare = CompareOp::less_equal;
  float lod_bias = 0, min_lod = 0, max_lod = 1000;
  std::array<float, 4> border{};
  bool unnormalised = false;
};

/// A combined image and sampler is an Image and a Sampler with the same set and binding. Set and binding are those of the source:
/// `Module::binding_moves` leads from a moved global back to them.
struct Resources {
  std::vector<Buffer> buffers;
  std::vector<Image> images;
  std::vector<Sampler> samplers;
  std::vector<uint8_t> push;
};

struct Fault {
  std::string message;
  ir::LocId loc;
  std::string function;
};

struct CheckReport {
  CheckFlags kind{};
  std::string message;
  ir::LocId loc;
  std::string function;
  uint64_t count = 1;  // times that this instruction did it
};

/// A value that the traced lane computed.
struct TraceLine {
  ir::LocId loc;
  std::string name;  // of the value in the source, may be empty
  std::string value;
};

struct ExecResult {
  bool ok = false;
  Fault fault;                       // if !ok
  std::vector<CheckReport> reports;  // one per instruction and kind
  std::vector<TraceLine> trace;
  uint64_t steps = 0;
};

[[nodiscard]] ExecResult run(const ir::Module& module, ir::FunctionId entry, const ExecOptions& options, Resources& resources);

/// What an entry (and its callees) needs; for messages and for resources of a size known by type.
struct ResourceNeed {
  ir::GlobalId global;
  uint32_t set = 0, binding = 0;  // source numbers, binding moves undone; push: none
  Space space = Space::none;
  TypeId type;                  // value type, binding arrays stripped
  uint32_t count = 1;           // binding array size, 0 = unbounded
  uint64_t fixed_size = 0;      // bytes of a buffer; with a runtime array: what stands before it
  uint32_t runtime_stride = 0;  // of the runtime array at the end, 0 if none
};
[[nodiscard]] std::vector<ResourceNeed> resource_needs(const ir::Module& module, ir::FunctionId entry);

/// Workgroup size with overrides applied. False (and a message) when it cannot be found.
[[nodiscard]] bool workgroup_size(const ir::Module& module, ir::FunctionId entry, const std::vector<SpecValue>& spec,
                                  std::array<uint32_t, 3>& size, std::string& message);

}  // namespace carry::exec

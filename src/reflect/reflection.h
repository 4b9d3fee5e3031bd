// What a host has to know of a compiled file, as plain data: entries, resources with their byte layouts, constants, and where
// each resource went on each target. Names, types and majorness are those of the source.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ir/module.h"

namespace carry::reflect {

inline constexpr uint32_t kNone = Id<TypeId>::kNone;

/// A type. Sizes and strides are bytes and 0 where the value is not in memory.
struct Shape {
  enum class Kind : uint8_t { scalar, vector, matrix, array, struct_ };
  Kind kind = Kind::scalar;
  std::string_view scalar;        // "f32"; also of vectors and matrices
  uint32_t rows = 1;              // of a matrix; components of a vector
  uint32_t columns = 1;           // of a matrix
  bool row_major = false;         // matrix in memory: a row is contiguous
  uint32_t matrix_stride = 0;     // between rows (row_major) or columns
  uint32_t count = 0;             // array; 0: run-time sized, or sized by a constant
  std::string count_constant;     // name of the specialization constant that sizes the array
  uint32_t struct_index = kNone;  // into Reflection::structs
  uint32_t size = 0;              // 0: run-time sized
  uint32_t align = 0;
  uint32_t stride = 0;         // array
  std::vector<Shape> element;  // array: one
};

struct Field {
  std::string name;
  uint32_t offset = 0;
  Shape shape;
};

/// One of these per struct and layout.
struct Struct {
  std::string name;
  uint32_t size = 0;  // of what is before a run-time sized array
  uint32_t align = 0;
  std::vector<Field> fields;
};

enum class ResourceKind : uint8_t {
  uniform_buffer,
  storage_buffer,
  push_constants,
  texture,
  combined_sampler,
  sampler,
  storage_image,
  texel_buffer,          // read through fetch
  storage_texel_buffer,  // loads and stores
  input_attachment,
  acceleration_structure,
};

struct Resource {
  ir::GlobalId id;
  std::string name;
  std::string block;  // of a block with members: its name, if that differs
  ResourceKind kind = ResourceKind::uniform_buffer;
  uint32_t set = kNone, binding = kNone;  // of the source or assigned; SPIR-V has the same
  bool is_array = false;
  uint32_t count = 1;  // array of resources; 0: unbounded
  Access access = Access::none;
  bool byte_address = false;
  bool atomics = false;         // atomic operations reach it (Metal: usage shaderAtomic of textures)
  uint32_t counter_of = kNone;  // append and consume buffers: index of the buffer
  uint32_t input_attachment = kNone;
  uint32_t shape = kNone;  // buffers: index into Reflection::shapes
  std::string_view dim;    // images: "2d" ...
  bool arrayed = false, multisampled = false, depth = false;
  bool comparison = false;   // sampler for depth comparison
  std::string_view sampled;  // scalar of a texel
  std::string_view format;   // storage images
};

struct Variable {  // of the stage interface
  std::string name;
  std::string semantic;  // HLSL: "COLOR0"
  std::string_view builtin;
  uint32_t location = kNone, component = kNone, index = kNone;
  std::string_view interpolation;  // "flat", "noperspective" or ""
  bool centroid = false, sample = false, invariant = false, patch = false;
  Shape shape;
};

struct Constant {  // specialization constant
  ir::GlobalId global;
  uint32_t id = kNone;
  std::string name;
  std::string_view type;
  uint64_t bits = 0;  // default
};

struct Entry {
  ir::FunctionId function;
  std::string name;
  Stage stage = Stage::none;
  bool has_workgroup = false;
  uint32_t workgroup[3] = {1, 1, 1};                       // defaults where a constant sets it
  uint32_t workgroup_constant[3] = {kNone, kNone, kNone};  // index into constants
  bool early_tests = false, writes_depth = false;
  std::vector<uint32_t> resources;  // indices of those that its code names, in order
  std::vector<uint32_t> constants;
  std::vector<Variable> inputs, outputs;
};

/// Where a resource is for one entry of one target. SPIR-V and WGSL fill group and binding (descriptor set in SPIR-V);
/// `sampler_*` are the sampler's of a combined one that was split. MSL fills the indices. Others are kNone.
struct Place {
  uint32_t resource = 0;
  uint32_t group = kNone, binding = kNone;
  uint32_t sampler_group = kNone, sampler_binding = kNone;
  uint32_t buffer = kNone, texture = kNone, sampler = kNone;
  bool push = false;  // as push constants
};

struct TargetEntry {
  uint32_t entry = 0;
  std::string name;  // in the output
  std::vector<Place> places;
  uint32_t buffer_sizes = kNone;  // MSL: index of the buffer with the byte sizes of the others, by their index, u32 each
};

struct TargetInfo {
  std::string name;  // as asked for
  bool ok = false;   // false: it gave no output, and there are no entries
  std::vector<TargetEntry> entries;
};

struct Reflection {
  std::string file;
  std::string_view language;  // "hlsl", "glsl"
  std::vector<Entry> entries;
  std::vector<Resource> resources;
  std::vector<Constant> constants;
  std::vector<Struct> structs;
  std::vector<Shape> shapes;
  std::vector<TargetInfo> targets;
};

struct Options {
  std::string_view language;
  bool matrices_by_rows = false;  // HLSL: a matrix of the IR has the source's rows as columns
};

/// Of the canonical module: before the passes of a target.
[[nodiscard]] Reflection reflect(const ir::Module& module, const Options& options);
/// Adds one target: `module` as its writer saw it, `names` the entries' names in the output in the order of
/// `module.function_order`. A null module: the target failed.
void add_target(Reflection& reflection, std::string name, const ir::Module* module, const std::vector<std::string>& names);
[[nodiscard]] std::string to_json(const Reflection& reflection);

// ---- shared by the files of this folder ----

/// Globals that each function reaches, by FunctionId and GlobalId, callees included.
[[nodiscard]] std::vector<std::vector<bool>> reached_globals(const ir::Module& module);
[[nodiscard]] std::string_view kind_name(ResourceKind kind);

}  // namespace carry::reflect

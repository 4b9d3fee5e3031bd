#include <cstring>
#include <tuple>

#include "base/text_sink.h"
#include "exec/decode.h"

namespace carry::exec {

namespace {

/// Source numbers of a global: passes that move or split a resource record old and new.
std::pair<uint32_t, uint32_t> source_binding(const ir::Module& module, const ir::Global& g) {
  for (const ir::BindingMove& move : module.binding_moves) {
    if (move.new_set == g.set && move.new_binding == g.binding) return {move.old_set, move.old_binding};
  }
  return {g.set, g.binding};
}

constexpr uint32_t kMostDescriptors = 1u << 16;

}  // namespace

std::string Decoder::resource_text(const ir::Global& g) {
  const auto [set, binding] = source_binding(module_, g);
  TextSink text;
  if (!g.name.is_none()) text << "`" << module_.names().text(g.name) << "` ";
  if (g.space == Space::push) {
    text << "(push constants)";
  } else if (set == Id<TypeId>::kNone || binding == Id<TypeId>::kNone) {
    text << "(without a binding)";
  } else {
    text << "(set " << set << ", binding " << binding << ")";
  }
  return text.take();
}

uint32_t Decoder::find_object(const ir::Global& g, uint32_t index) {
  Object object;
  bool found = false;
  if (g.space == Space::push) {
    object = {resources_.push.data(), resources_.push.size()};
    found = !resources_.push.empty();
  } else {
    const auto [set, binding] = source_binding(module_, g);
    for (Buffer& b : resources_.buffers) {
      if (b.set != set || b.binding != binding || b.index != index) continue;
      object = {b.bytes.data(), b.bytes.size()};
      found = true;
      break;
    }
  }
  if (!found) return 0;
  // Two globals of one binding are one object, so that races are seen.
  for (size_t i = 1; i < bound_.objects.size(); ++i) {
    if (object.size != 0 && bound_.objects[i].data == object.data) return static_cast<uint32_t>(i);
  }
  bound_.objects.push_back(object);
  return static_cast<uint32_t>(bound_.objects.size() - 1);
}

uint32_t Decoder::find_image(const ir::Global& g, uint32_t index) {
  const auto [set, binding] = source_binding(module_, g);
  for (size_t i = 0; i < resources_.images.size(); ++i) {
    const Image& image = resources_.images[i];
    if (image.set == set && image.binding == binding && image.index == index) return static_cast<uint32_t>(i + 1);
  }
  return 0;
}

uint32_t Decoder::find_sampler(const ir::Global& g, uint32_t index) {
  const auto [set, binding] = source_binding(module_, g);
  for (size_t i = 0; i < resources_.samplers.size(); ++i) {
    const Sampler& sampler = resources_.samplers[i];
    if (sampler.set == set && sampler.binding == binding && sampler.index == index) return static_cast<uint32_t>(i + 1);
  }
  return 0;
}

/// Descriptors of a binding array; an unbounded one has as many as were given.
uint32_t Decoder::binding_count(const ir::Global& g, const Type& type) {
  if (type.count != 0) return type.count < kMostDescriptors ? type.count : kMostDescriptors;
  const std::pair<uint32_t, uint32_t> place = source_binding(module_, g);  // clang 14: a lambda captures no structured binding
  uint32_t count = 0;
  const auto see = [&](const auto& list) {
    for (const auto& r : list) {
      if (r.set == place.first && r.binding == place.second && r.index >= count && r.index < kMostDescriptors)
        count = r.index + 1;
    }
  };
  see(resources_.buffers);
  see(resources_.images);
  see(resources_.samplers);
  return count;
}

bool Decoder::bind_buffer(ir::GlobalId, const ir::Global& g, Pointer& out) {
  out.address.mode = MemMode::bytes;
  out.layout = g.layout;
  const Type t = types_[g.value_type];
  if (t.kind == TypeKind::bindings) {
    const uint32_t count = binding_count(g, t);
    out.address.object = static_cast<uint32_t>(bound_.slots.size());
    out.address.offset = count;
    for (uint32_t i = 0; i < count; ++i) bound_.slots.push_back(find_object(g, i));
    return true;
  }
  if (out.layout.is_none()) out.layout = layouts_.build(types_, g.value_type, {LayoutRule::std430, false});
  out.address.object = find_object(g, 0);
  if (out.address.object == 0) return fail("the buffer " + resource_text(g) + " is used but not set");
  return true;
}

/// The buffer with the byte sizes of the others by their slot, which passes add where the length of an array is asked for.
bool Decoder::bind_sizes(ir::ValueId v, const ir::IoAttr& io) {
  const Type t = types_[type_of(v)];
  if (io.slot_kind != ir::SlotKind::buffer || t.layout.is_none() || types_.kind(t.element) != TypeKind::array)
    return fail("an entry parameter says neither built-in variable nor resource");
  const uint32_t stride = layouts_[t.layout].stride;
  bound_.made.emplace_back(size_t{array_count(types_[t.element])} * stride);
  std::vector<uint8_t>& bytes = bound_.made.back();
  for (const std::vector<ir::IoAttr>& other : function_->param_io) {
    if (other.size() != 1 || other[0].resource.is_none() || other[0].slot_kind != ir::SlotKind::buffer) continue;
    Pointer buffer;
    if (!pointer_of(ir::ValueId::global(other[0].resource), buffer, {})) return false;
    const bool array = types_.kind(module_.globals[other[0].resource].value_type) == TypeKind::bindings;
    for (uint32_t i = 0; i < (array ? buffer.address.offset : 1u); ++i) {
      const uint32_t object = array ? bound_.slots[buffer.address.object + i] : buffer.address.object;
      const uint32_t size = static_cast<uint32_t>(bound_.objects[object].size);
      const size_t at = (size_t{other[0].slot} + i) * stride;
      if (at + sizeof size <= bytes.size()) std::memcpy(bytes.data() + at, &size, sizeof size);
    }
  }
  Pointer p;
  p.address.mode = MemMode::bytes;
  p.address.readonly = true;
  p.address.object = static_cast<uint32_t>(bound_.objects.size());
  p.type = t.element;
  p.layout = t.layout;
  bound_.objects.push_back({bytes.data(), bytes.size()});
  set_pointer(v, p);
  return true;
}

bool Decoder::bind_handle(ir::GlobalId, const ir::Global& g, Pointer& out) {
  out.address.mode = MemMode::handle;
  const Type t = types_[g.value_type];
  const bool array = t.kind == TypeKind::bindings;
  const TypeKind kind = array ? types_.kind(t.element) : t.kind;
  const uint32_t count = array ? binding_count(g, t) : 1;
  const bool image = kind != TypeKind::sampler;
  const bool sampler = kind == TypeKind::sampler || kind == TypeKind::combined;
  if (kind == TypeKind::accel || kind == TypeKind::ray_query) return fail("the executor does not support ray tracing yet");
  if (!array) {
    const uint32_t image_id = image ? find_image(g, 0) : 0;
    const uint32_t sampler_id = sampler ? find_sampler(g, 0) : 0;
    if (image && image_id == 0) return fail("the image " + resource_text(g) + " is used but not set");
    if (sampler && sampler_id == 0) return fail("the sampler " + resource_text(g) + " is used but not set");
    const uint64_t bits = kind == TypeKind::combined ? image_id | uint64_t{sampler_id} << 32 : image ? image_id : sampler_id;
    out.address.object_row = bits_row(g.value_type, {bits});
    return true;
  }
  out.address.object = static_cast<uint32_t>(bound_.slots.size());
  out.address.offset = count;
  for (uint32_t i = 0; i < count; ++i) bound_.slots.push_back(image ? find_image(g, i) : find_sampler(g, i));
  for (uint32_t i = 0; i < count && kind == TypeKind::combined; ++i) bound_.slots.push_back(find_sampler(g, i));
  return true;
}

bool Decoder::global_pointer(ir::GlobalId id, Pointer& out) {
  const ir::Global g = module_.globals[id];
  out = Pointer{};
  out.type = g.value_type;
  const uint64_t n = units(g.value_type);
  switch (g.space) {
    case Space::private_:
    case Space::in:
    case Space::out: {
      if ((program_.lane_words + n) * stride_ * sizeof(uint32_t) > options_.max_memory) {
        return fail("the program's variables need more memory than the executor's limit allows");
      }
      const uint32_t word = static_cast<uint32_t>(program_.lane_words);
      program_.lane_words += g.space == Space::in && n < 4 ? 4 : n;  // built-in variables are filled as up to four words
      out.address.mode = MemMode::lane;
      out.address.offset = word;
      if (g.space == Space::in) {
        if (g.builtin == BuiltinVar::none) return fail("stage inputs are not supported by the executor yet");
        program_.builtins.push_back({g.builtin, word});
      } else if (!g.init.is_none()) {
        program_.lane_inits.push_back({word, row_of(g.init), static_cast<uint32_t>(n)});
      }
      return !failed_;
    }
    case Space::workgroup:
      if ((g.flags & ir::kGlobalAliased) != 0) return fail("the executor does not support overlapping workgroup memory yet");
      return group_memory(n, out);
    case Space::uniform:
    case Space::storage:
    case Space::push: return bind_buffer(id, g, out);
    case Space::handle: return bind_handle(id, g, out);
    default: return fail("the executor does not support memory of the space `" + std::string(space_name(g.space)) + "` yet");
  }
}

/// Room of `words` words in the memory of a workgroup.
bool Decoder::group_memory(uint64_t words, Pointer& out) {
  constexpr const char* kTooLarge = "workgroup memory is larger than the executor's limit allows";
  if (words * sizeof(uint32_t) > options_.max_memory / 4) return fail(kTooLarge);
  out.address.mode = MemMode::group;
  out.address.offset = static_cast<uint32_t>(program_.group_words);
  program_.group_words += words;
  return program_.group_words * sizeof(uint32_t) <= options_.max_memory / 4 || fail(kTooLarge);
}

std::vector<ResourceNeed> resource_needs(const ir::Module& module, ir::FunctionId entry) {
  std::vector<ResourceNeed> needs;
  std::vector<bool> seen_function(module.functions.size(), false);
  std::vector<bool> seen_global(module.globals.size(), false);
  std::vector<ir::FunctionId> work{entry};
  std::vector<ir::RegionId> regions;
  seen_function[entry.value] = true;
  while (!work.empty()) {
    regions.assign(1, module.functions[work.back()].body);
    work.pop_back();
    while (!regions.empty()) {
      const ir::RegionId region = regions.back();
      regions.pop_back();
      if (!module.regions.contains(region)) continue;
      for (ir::InstId id : module.regions[region].insts) {
        const ir::Inst& inst = module.insts[id];
        for (ir::RegionId inner : module.inst_regions(inst)) regions.push_back(inner);
        for (ir::ValueId v : module.operands(inst)) {
          if (v.is_global()) seen_global[v.index()] = true;
        }
        if (inst.op == Op::call && inst.payload < seen_function.size() && !seen_function[inst.payload]) {
          seen_function[inst.payload] = true;
          work.push_back(ir::FunctionId(inst.payload));
        }
      }
    }
  }
  TypeTable& types = module.types();
  const LayoutTable& layouts = module.layouts();
  for (ir::GlobalId id : module.globals.ids()) {
    if (!seen_global[id.value]) continue;
    const ir::Global& g = module.globals[id];
    const bool buffer = g.space == Space::uniform || g.space == Space::storage || g.space == Space::push;
    if (g.kind != ir::GlobalKind::variable || (!buffer && g.space != Space::handle)) continue;
    ResourceNeed need;
    need.global = id;
    need.space = g.space;
    std::tie(need.set, need.binding) = source_binding(module, g);
    need.type = g.value_type;
    if (types.kind(g.value_type) == TypeKind::bindings) {
      need.count = types[g.value_type].count;
      need.type = types[g.value_type].element;
    }
    LayoutId layout = g.layout;
    if (buffer && layout.is_none()) layout = module.layouts().build(types, need.type, {LayoutRule::std430, false});
    if (buffer) {
      need.fixed_size = layouts[layout].size;
      TypeId last = need.type;
      uint64_t offset = 0;
      while (types.kind(last) == TypeKind::struct_ && !types.struct_decl(last).members.empty()) {
        const uint32_t member = static_cast<uint32_t>(types.struct_decl(last).members.size() - 1);
        offset += layouts.member_offset(layout, member);
        layout = layouts.member_layout(layout, member);
        last = types.struct_decl(last).members[member].type;
      }
      if (types.kind(last) == TypeKind::array && types[last].count == 0 && types[last].count_override == Id<TypeId>::kNone) {
        need.runtime_stride = layouts[layout].stride;
        need.fixed_size = offset;
      }
    }
    needs.push_back(need);
  }
  return needs;
}

}  // namespace carry::exec

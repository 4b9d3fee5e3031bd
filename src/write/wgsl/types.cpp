// Types and struct declarations.
#include "write/wgsl/state.h"

namespace carry::write::wgsl {

namespace {

/// Texel formats beside those of WGSL's first edition (WebGPU's texture-formats-tier1) that all implementations have.
constexpr std::pair<ImageFormat, std::string_view> kTierFormats[] = {{ImageFormat::rg16f, "rg16float"},
                                                                     {ImageFormat::r11f_g11f_b10f, "rg11b10ufloat"},
                                                                     {ImageFormat::r16f, "r16float"},
                                                                     {ImageFormat::rgb10_a2, "rgb10a2unorm"},
                                                                     {ImageFormat::rg8, "rg8unorm"},
                                                                     {ImageFormat::r8, "r8unorm"},
                                                                     {ImageFormat::rg8_snorm, "rg8snorm"},
                                                                     {ImageFormat::r8_snorm, "r8snorm"},
                                                                     {ImageFormat::rg16i, "rg16sint"},
                                                                     {ImageFormat::rg8i, "rg8sint"},
                                                                     {ImageFormat::r16i, "r16sint"},
                                                                     {ImageFormat::r8i, "r8sint"},
                                                                     {ImageFormat::rgb10_a2ui, "rgb10a2uint"},
                                                                     {ImageFormat::rg16ui, "rg16uint"},
                                                                     {ImageFormat::rg8ui, "rg8uint"},
                                                                     {ImageFormat::r16ui, "r16uint"},
                                                                     {ImageFormat::r8ui, "r8uint"}};

std::string_view texel_format(ImageFormat format) {
  for (const auto& [known, name] : kTierFormats) {
    if (known == format) return name;
  }
  const char* name = image_format_row(format).wgsl;
  CARRY_CHECK(name != nullptr);  // the target row rejects images without a format
  return name;
}

}  // namespace

std::string Writer::scalar(ScalarKind s) {
  if (s == ScalarKind::f16) uses_f16_ = true;
  return std::string(scalar_name(s));
}

std::string Writer::type(TypeId id) {
  const Type t = m_.types()[id];
  TextSink out;
  switch (t.kind) {
    case TypeKind::scalar: return scalar(t.scalar);
    case TypeKind::vector: out << "vec" << unsigned{t.rows} << '<' << scalar(t.scalar) << '>'; break;
    case TypeKind::matrix:
      out << "mat" << unsigned{t.columns} << 'x' << unsigned{t.rows} << '<' << scalar(t.scalar) << '>';
      break;
    case TypeKind::atomic: out << "atomic<" << scalar(t.scalar) << '>'; break;
    case TypeKind::array:
      out << "array<" << type(t.element);
      if (t.count_override != Id<TypeId>::kNone) {
        out << ", " << module_names_.global(ir::ValueId(t.count_override).index());
      } else if (t.count != 0) {
        out << ", " << t.count;
      }
      out << '>';
      break;
    case TypeKind::bindings:
      out << "binding_array<" << type(t.element);
      if (t.count != 0) out << ", " << t.count;
      out << '>';
      break;
    case TypeKind::struct_: return struct_name(id);
    case TypeKind::pointer: {
      const char* space = t.space == Space::private_ ? "private" : t.space == Space::workgroup ? "workgroup" : "function";
      out << "ptr<" << space << ", " << type(t.element) << '>';
      break;
    }
    case TypeKind::sampler: return id == TypeId::sampler_cmp ? "sampler_comparison" : "sampler";
    case TypeKind::texture:
    case TypeKind::image: return texture_type(t);
    default: break;
  }
  return out.take();
}

std::string Writer::texture_type(const Type& t) {
  static constexpr std::string_view kDims[] = {"1d", "2d", "3d", "cube", "1d", "2d", "2d"};
  TextSink out;
  out << "texture_";
  if (t.kind == TypeKind::image) {
    out << "storage_" << kDims[static_cast<size_t>(t.dim)] << ((t.flags & kImageArrayed) ? "_array" : "") << '<';
    out << texel_format(t.format) << ", ";
    out << (t.access == Access::read ? "read" : t.access == Access::write ? "write" : "read_write") << '>';
    return out.take();
  }
  const bool depth = (t.flags & kImageDepth) != 0;
  if (depth) out << "depth_";
  if (t.flags & kImageMultisampled) out << "multisampled_";
  out << kDims[static_cast<size_t>(t.dim)];
  if (t.flags & kImageArrayed) out << "_array";
  if (!depth) out << '<' << scalar(t.scalar) << '>';
  return out.take();
}

const std::string& Writer::struct_name(TypeId id) {
  if (module_names_.add_struct(id)) declare_struct(id);
  return module_names_.struct_name(id);
}

const std::string& Writer::member_name(TypeId struct_type, uint32_t member) {
  struct_name(struct_type);
  return module_names_.members(struct_type)[member];
}

void Writer::declare_struct(TypeId id) {
  const StructDecl& decl = m_.types().struct_decl(id);
  const std::vector<std::string>& names = module_names_.members(id);
  const auto io = io_structs_.find(id.value);
  TextSink out;
  out << "struct " << module_names_.struct_name(id) << " {\n";
  for (size_t i = 0; i < names.size(); ++i) {
    out << "  ";
    if (io != io_structs_.end() && i < io->second->size()) {
      out << io_attribute((*io->second)[i], io_stages_[id.value], true);
    }
    out << names[i] << ": " << type(decl.members[i].type) << ",\n";  // declares nested structs first
  }
  if (names.empty()) out << "  empty: u32,\n";  // WGSL has no struct without members
  out << "}\n\n";
  structs_ << out.text();
}

}  // namespace carry::write::wgsl

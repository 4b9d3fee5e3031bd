// Types and struct declarations. Arrays are structs with one member, so that they copy, pass and return like other values.
#include "write/msl/state.h"

namespace carry::write::msl {

namespace {

std::string_view scalar_word(ScalarKind s) {
  switch (s) {
    case ScalarKind::bool_: return "bool";
    case ScalarKind::i8: return "char";
    case ScalarKind::i16: return "short";
    case ScalarKind::i32: return "int";
    case ScalarKind::i64: return "long";
    case ScalarKind::u8: return "uchar";
    case ScalarKind::u16: return "ushort";
    case ScalarKind::u32: return "uint";
    case ScalarKind::u64: return "ulong";
    case ScalarKind::f16: return "half";
    default: return "float";
  }
}

}  // namespace

std::string Writer::type(TypeId id) {
  const Type t = m_.types()[id];
  TextSink out;
  switch (t.kind) {
    case TypeKind::void_: return "void";
    case TypeKind::scalar: return std::string(scalar_word(t.scalar));
    case TypeKind::atomic: return type(t.element);
    case TypeKind::vector:
      out << ((t.flags & kVectorPacked) ? "packed_" : "") << scalar_word(t.scalar) << unsigned{t.rows};
      return out.take();
    case TypeKind::matrix: out << scalar_word(t.scalar) << unsigned{t.columns} << 'x' << unsigned{t.rows}; return out.take();
    case TypeKind::array: return array_name(id);
    case TypeKind::bindings: out << "array<" << type(t.element) << ", " << t.count << '>'; return out.take();
    case TypeKind::struct_: return struct_name(id);
    case TypeKind::sampler: return "sampler";
    case TypeKind::texture:
    case TypeKind::image: return texture_type(t, false);
    default: return "void";
  }
}

std::string Writer::parameter_type(TypeId id, bool coherent) {
  const Type t = m_.types()[id];
  if (!coherent || t.kind == TypeKind::texture) return type(id);
  if (t.kind == TypeKind::image) return texture_type(t, true);
  if (t.kind != TypeKind::bindings) return type(id);
  return "array<" + parameter_type(t.element, true) + ", " + std::to_string(t.count) + ">";
}

std::string Writer::texture_type(const Type& t, bool coherent) {
  static constexpr std::string_view kDims[] = {"1d", "2d", "3d", "cube", "_buffer", "2d", "2d"};
  TextSink out;
  out << ((t.flags & kImageDepth) ? "depth" : "texture") << kDims[static_cast<size_t>(t.dim)];
  if (t.flags & kImageMultisampled) out << "_ms";
  if (t.flags & kImageArrayed) out << "_array";
  out << '<' << scalar_word(t.scalar);
  if (t.kind == TypeKind::image) {
    out << ", access::" << (t.access == Access::read ? "read" : t.access == Access::write ? "write" : "read_write");
    if (coherent) out << ", memory_coherence::memory_coherence_device";
  } else if (t.dim == Dim::buffer || (t.flags & kImageMultisampled)) {
    out << ", access::read";
  }
  out << '>';
  return out.take();
}

bool Writer::is_runtime_array(TypeId id) const {
  const Type& t = m_.types()[id];
  return t.kind == TypeKind::array && t.count == 0 && t.count_override == Id<TypeId>::kNone;
}

std::string_view Writer::address_space(const Type& pointer) const {
  switch (pointer.space) {
    case Space::uniform:
    case Space::push: return "constant";
    case Space::storage: return pointer.access == Access::read ? "const device" : "device";
    case Space::workgroup: return "threadgroup";
    default: return "thread";
  }
}

bool Writer::is_buffer_array(TypeId pointer) const {
  return m_.types().is_pointer(pointer) && m_.types().kind(m_.types()[pointer].element) == TypeKind::bindings;
}

std::string Writer::buffer_pointer(TypeId pointer) {
  const Type p = m_.types()[pointer];
  const TypeId buffer = m_.types()[p.element].element;
  return std::string(address_space(p)) + " " + type(is_runtime_array(buffer) ? m_.types()[buffer].element : buffer) + "*";
}

std::string Writer::pointer_declaration(TypeId pointer, std::string_view name) {
  const Type p = m_.types()[pointer];
  if (is_buffer_array(pointer)) return buffer_pointer(pointer) + " const thread* " + std::string(name);
  return memory_declaration(p, p.element, name);
}

std::string Writer::memory_declaration(const Type& pointer, TypeId content, std::string_view name) {
  TextSink out;
  out << address_space(pointer) << ' ';
  if (is_runtime_array(content)) {
    out << type(m_.types()[content].element) << "* " << name;
  } else {
    out << type(content) << "& " << name;
  }
  return out.take();
}

const std::string& Writer::array_name(TypeId id) {
  if (const auto found = array_names_.find(id.value); found != array_names_.end()) return found->second;
  const Type t = m_.types()[id];
  const std::string element = type(t.element);
  TextSink wanted;
  wanted << "array_" << element << '_';
  uint64_t count = t.count;
  if (t.count_override != Id<TypeId>::kNone) {
    // Sized by an override: its default, since Metal's function constants cannot size arrays.
    const ir::ValueId v(t.count_override);
    const ir::Global& g = m_.globals[v.global_id()];
    count = g.init && g.init.is_constant() ? m_.types().constant(g.init.const_id()).bits : 1;
  }
  wanted << count;
  const std::string name = module_names_.scope().take(wanted.text());
  structs_ << "struct " << name << " {\n  " << element << " data[" << count << "];\n};\n\n";
  return array_names_.emplace(id.value, name).first->second;
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
    if (is_runtime_array(decl.members[i].type)) {
      // The last member, of a length that only the buffer knows.
      out << type(m_.types()[decl.members[i].type].element) << ' ' << names[i] << "[1]";
    } else {
      out << type(decl.members[i].type) << ' ' << names[i];
    }
    if (io != io_structs_.end() && i < io->second.io->size()) {
      out << io_attribute((*io->second.io)[i], io->second.stage, io->second.output);
    }
    out << ";\n";
  }
  if (names.empty()) out << "  char unused;\n";
  out << "};\n\n";
  structs_ << out.text();
}

}  // namespace carry::write::msl

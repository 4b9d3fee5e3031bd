/// Byte-address buffers become arrays of words: a typed pointer into one turns into the buffer and a byte offset, loads and
/// stores into words, shifts and masks. Stores of parts of a word change only their bits, by two atomics, since the other half
/// may be another invocation's.
///   before  %p = at_byte<vec2<f32> $std430> %b, %o   %v = load %p
///   after   %i = lshr %o, 2u  %p0 = at %b, %i  %w0 = load %p0  ...  %v = make vec2<f32>(%f0, %f1)
#include <algorithm>
#include <unordered_map>

#include "ir/rewriter.h"
#include "pass/buffer_words.h"
#include "pass/build.h"
#include "pass/pass.h"

namespace carry::pass {

namespace {

using ir::Inst;
using ir::ValueId;

constexpr uint32_t kRaw = static_cast<uint32_t>(ArithmeticVariant::raw);

class ExpandBytePointers : public ir::Rewriter {
 public:
  explicit ExpandBytePointers(PassContext& context) : Rewriter(context.module), context_(context) {}

  /// A whole buffer whose accesses become accesses to words: it has its new type already.
  void add_buffer(ir::GlobalId id, TypeId type, LayoutId layout, bool rows) {
    buffers_[id.value] = {ValueId::global(id), ValueId::none(), type, layout, rows};
  }

 protected:
  bool wants(ir::FunctionId) override {
    places_.clear();
    return true;
  }

  bool visit(const Inst& inst) override {
    if (inst.op == Op::at_byte) return byte_pointer(inst);
    if (inst.op == Op::call) return call(inst);
    if (inst.operands.count == 0) return false;
    Place place;
    if (!find_place(m().operand(inst, 0), place)) return false;
    flags_ = inst.flags & (ir::kVolatile | ir::kCoherent | ir::kNonUniform);
    if (inst.op == Op::at) return step(inst, place);
    if (inst.op == Op::load) {
      replace(inst, 0, load(place));
      return true;
    }
    if (inst.op == Op::store) {
      store(place, operand(inst, 1));
      return true;
    }
    if (has_trait(inst.op, kAtomic)) return atomic(inst, place);
    if (inst.op == Op::array_length) {
      replace(inst, 0, length(place));
      return true;
    }
    return refuse(inst, "this use of a pointer into a byte-address buffer");
  }

 private:
  /// A typed place in a buffer.
  struct Place {
    ValueId buffer;  // pointer to array<u32>
    ValueId offset;  // u32, bytes
    TypeId type;
    LayoutId layout;
    bool rows = false;  // the words are in an array of vec4<u32>
  };

  bool find_place(ValueId v, Place& place) {
    const auto& places = v.is_global() ? buffers_ : places_;
    if (!v.is_global() && !v.is_local()) return false;
    const auto found = places.find(v.is_global() ? v.global_id().value : v.value);
    if (found == places.end()) return false;
    place = found->second;
    if (v.is_global()) place.offset = b().const_u32(0);
    return true;
  }

  bool call(const Inst& inst) {
    Place place;
    for (ValueId v : m().operands(inst)) {
      if (find_place(v, place)) return refuse(inst, "a part of this buffer as an argument");
    }
    return false;
  }

  /// Elements of a runtime-sized array: what the words hold after its start.
  ValueId length(const Place& p) {
    const ValueId words = b().emit(Op::array_length, TypeId::u32, {p.buffer});
    const ValueId bytes = b().binary(Op::sub, b().binary(Op::shl, words, b().const_u32(2), kRaw), p.offset);
    const uint32_t stride = m().layouts()[p.layout].stride;
    return stride == 1 ? bytes : b().binary(Op::udiv, bytes, b().const_u32(stride), kRaw);
  }

  bool refuse(const Inst& inst, const char* what) {
    if (!context_.failed) context_.error(inst.loc, diag::not_supported_yet, what);
    for (uint32_t i = 0; i < inst.result_count; ++i) replace(inst, i, b().zero(result_type(inst, i)));
    return true;
  }

  bool byte_pointer(const Inst& inst) {
    const Type& p = types()[result_type(inst)];
    places_[inst.first_result.value] = {operand(inst, 0), operand(inst, 1), p.element, p.layout};
    return true;
  }

  uint64_t bits_of(ValueId v) { return types().constant(v.const_id()).bits; }

  ValueId add(ValueId a, uint32_t bytes) {
    if (bytes == 0) return a;
    if (a.is_constant()) return b().const_u32(static_cast<uint32_t>(bits_of(a)) + bytes);
    return b().binary(Op::add, a, b().const_u32(bytes));
  }

  ValueId add_scaled(ValueId a, ValueId index, uint32_t stride) {
    if (index.is_constant()) return add(a, static_cast<uint32_t>(bits_of(index)) * stride);
    if (type_of(index) == TypeId::i32) index = b().convert(Op::bitcast, TypeId::u32, index);
    const ValueId scaled = stride == 1 ? index : b().binary(Op::mul, index, b().const_u32(stride));
    if (a.is_constant() && bits_of(a) == 0) return scaled;
    return b().binary(Op::add, a, scaled);
  }

  uint32_t scalar_bytes(TypeId t) const {
    const ScalarKind s = types_const().scalar_of(t);
    return s == ScalarKind::bool_ ? 4 : scalar_bits(s) / 8;
  }
  const TypeTable& types_const() const { return context_.module.types(); }

  /// The part `index` of a place. Only struct steps must be constants.
  Place part(const Place& p, ValueId index) {
    const uint32_t known = index.is_constant() ? static_cast<uint32_t>(bits_of(index)) : 0;
    LayoutTable& layouts = m().layouts();
    Place r = p;
    r.type = types().part(p.type, known);
    const Layout l = p.layout ? layouts[p.layout] : Layout{};
    switch (types().kind(p.type)) {
      case TypeKind::struct_:
        r.offset = add(p.offset, layouts.member_offset(p.layout, known));
        r.layout = layouts.member_layout(p.layout, known);
        break;
      case TypeKind::array:
        r.offset = add_scaled(p.offset, index, l.stride);
        r.layout = l.element;
        break;
      case TypeKind::matrix:
        // A column of a row-major matrix has its components one row apart.
        r.offset = add_scaled(p.offset, index, l.row_major ? scalar_bytes(p.type) : l.stride);
        r.layout = l.row_major ? layouts.strided_vector(r.type, l.stride) : layouts.scalar_or_vector(types(), r.type);
        break;
      default:
        r.offset = add_scaled(p.offset, index, l.stride != 0 ? l.stride : scalar_bytes(p.type));
        r.layout = layouts.scalar_or_vector(types(), r.type);
        break;
    }
    return r;
  }

  bool step(const Inst& inst, Place place) {
    for (uint32_t i = 1; i < inst.operands.count; ++i) place = part(place, operand(inst, i));
    places_[inst.first_result.value] = place;
    return true;
  }

  ValueId word_pointer(const Place& p, uint32_t more) {
    const ValueId bytes = add(p.offset, more);
    const ValueId index = bytes.is_constant() ? b().const_u32(static_cast<uint32_t>(bits_of(bytes)) >> 2)
                                              : b().binary(Op::lshr, bytes, b().const_u32(2), kRaw);
    if (!p.rows) return b().at(p.buffer, {index}, flags_);
    if (index.is_constant()) {
      const uint32_t word = static_cast<uint32_t>(bits_of(index));
      return b().at(p.buffer, {b().const_u32(word >> 2), b().const_u32(word & 3)}, flags_);
    }
    return b().at(p.buffer,
                  {b().binary(Op::lshr, index, b().const_u32(2), kRaw), b().binary(Op::and_, index, b().const_u32(3))}, flags_);
  }

  ValueId load_word(const Place& p, uint32_t more) { return b().load(word_pointer(p, more), flags_); }

  /// Bit position of a part of a word.
  ValueId bit_shift(const Place& p) {
    if (p.offset.is_constant()) return b().const_u32((static_cast<uint32_t>(bits_of(p.offset)) & 3) * 8);
    const ValueId byte = b().binary(Op::and_, p.offset, b().const_u32(3));
    return b().binary(Op::shl, byte, b().const_u32(3), kRaw);
  }

  ValueId load_scalar(const Place& p) {
    const ScalarKind s = types().scalar_of(p.type);
    if (s == ScalarKind::bool_) return b().binary(Op::ne, load_word(p, 0), b().const_u32(0));
    const uint32_t width = scalar_bits(s);
    const ValueId low = load_word(p, 0);
    if (width == 32) return p.type == TypeId::u32 ? low : b().convert(Op::bitcast, p.type, low);
    if (width == 64) {
      const ValueId words[2] = {low, load_word(p, 4)};
      return b().convert(Op::bitcast, p.type, b().make(types().vector(ScalarKind::u32, 2), words));
    }
    const ValueId shift = bit_shift(p);
    const bool lowest = shift.is_constant() && bits_of(shift) == 0;
    const ValueId bits = lowest ? low : b().binary(Op::lshr, low, shift, kRaw);
    if (s == ScalarKind::f16) return b().elem(b().convert(Op::bitcast, types().vector(ScalarKind::f16, 2), bits), 0);
    return b().convert(Op::trunc, p.type, bits);
  }

  ValueId load(const Place& p) {
    if (types().is_scalar(p.type)) return load_scalar(p);
    const uint32_t count = types().part_count(p.type);
    std::vector<ValueId> parts;
    for (uint32_t i = 0; i < count; ++i) parts.push_back(load(part(p, b().const_u32(i))));
    return b().make(p.type, parts);
  }

  void store_part_of_word(const Place& p, ValueId bits, uint32_t width) {
    const ValueId shift = bit_shift(p);
    const ValueId mask = b().binary(Op::shl, b().const_u32((1u << width) - 1), shift, kRaw);
    const ValueId keep = b().unary(Op::not_, mask);
    const ValueId moved = b().binary(Op::shl, bits, shift, kRaw);
    const ValueId pointer = word_pointer(p, 0);
    b().emit(Op::atomic_and, TypeId::u32, {pointer, keep}, ir::AtomicInfo{}.pack(), flags_);
    b().emit(Op::atomic_or, TypeId::u32, {pointer, moved}, ir::AtomicInfo{}.pack(), flags_);
  }

  void store_word(const Place& p, uint32_t offset, ValueId word) { b().store(word_pointer(p, offset), word, flags_); }

  void store_scalar(const Place& p, ValueId value) {
    const ScalarKind s = types().scalar_of(p.type);
    const uint32_t width = scalar_bits(s);
    if (s == ScalarKind::bool_) return store_word(p, 0, b().select(value, b().const_u32(1), b().const_u32(0)));
    if (width == 32) return store_word(p, 0, p.type == TypeId::u32 ? value : b().convert(Op::bitcast, TypeId::u32, value));
    if (width == 64) {
      const ValueId words = b().convert(Op::bitcast, types().vector(ScalarKind::u32, 2), value);
      store_word(p, 0, b().elem(words, 0));
      store_word(p, 4, b().elem(words, 1));
      return;
    }
    if (s == ScalarKind::f16) {
      const TypeId pair = types().vector(ScalarKind::f16, 2);
      const ValueId parts[2] = {value, b().zero(TypeId::f16)};
      return store_part_of_word(p, b().convert(Op::bitcast, TypeId::u32, b().make(pair, parts)), width);
    }
    const TypeId plain = types().scalar(to_unsigned(s));
    const ValueId bits = plain == p.type ? value : b().convert(Op::bitcast, plain, value);
    store_part_of_word(p, b().convert(Op::zext, TypeId::u32, bits), width);
  }

  void store(const Place& p, ValueId value) {
    if (types().is_scalar(p.type)) return store_scalar(p, value);
    const uint32_t count = types().part_count(p.type);
    for (uint32_t i = 0; i < count; ++i) {
      const Place place = part(p, b().const_u32(i));
      store(place, b().elem(value, i));
    }
  }

  bool atomic(const Inst& inst, const Place& p) {
    const ScalarKind s = types().scalar_of(p.type);
    if (!types().is_scalar(p.type) || scalar_bits(s) != 32) return refuse(inst, "64-bit atomics on byte-address buffers");
    if (has_trait(inst.op, kFloat)) return refuse(inst, "float atomics on byte-address buffers");
    std::vector<ValueId> operands = mapped_operands(inst);
    operands[0] = word_pointer(p, 0);
    // Minimum and maximum of signed numbers keep their sign by the operation's name; values are the same bits.
    for (size_t i = 1; i < operands.size(); ++i) {
      if (p.type != TypeId::u32) operands[i] = b().convert(Op::bitcast, TypeId::u32, operands[i]);
    }
    std::vector<TypeId> results;
    for (uint32_t i = 0; i < inst.result_count; ++i) results.push_back(i == 0 ? TypeId::u32 : result_type(inst, i));
    const ir::InstId id = b().emit_full(inst.op, results, operands, {}, inst.payload, inst.flags);
    for (uint32_t i = 0; i < inst.result_count; ++i) {
      const ValueId r = m().result(m().insts[id], i);
      replace(inst, i, i == 0 && p.type != TypeId::u32 ? b().convert(Op::bitcast, p.type, r) : r);
    }
    return true;
  }

  PassContext& context_;
  std::unordered_map<uint32_t, Place> places_;   // by old local
  std::unordered_map<uint32_t, Place> buffers_;  // by global
  uint8_t flags_ = 0;
};

}  // namespace

void buffers_to_words(PassContext& context, std::span<const ir::GlobalId> buffers) {
  ir::Module& m = context.module;
  ExpandBytePointers pass(context);
  for (ir::GlobalId id : buffers) {
    ir::Global& g = m.globals[id];
    const bool rows = g.space != Space::storage;
    pass.add_buffer(id, g.value_type, g.layout, rows);
    if (rows) {
      const uint32_t count = std::max(1u, (m.layouts()[g.layout].size + 15) / 16);
      g.value_type = m.types().array(m.types().vector(ScalarKind::u32, 4), count);
    } else {
      g.value_type = m.types().array(TypeId::u32, 0);
    }
    g.layout = m.layouts().build(m.types(), g.value_type, {LayoutRule::std430, false});
    g.type = m.types().pointer(g.space, g.access, g.value_type, g.layout);
  }
  pass.run();
}

void expand_byte_pointers(PassContext& context) {
  ir::Module& m = context.module;
  for (ir::GlobalId id : m.global_order) {
    ir::Global& g = m.globals[id];
    if ((g.flags & ir::kGlobalByteAddress) == 0) continue;
    g.flags &= ~static_cast<uint32_t>(ir::kGlobalByteAddress);
    if (!g.layout) g.layout = m.layouts().build(m.types(), g.value_type, {LayoutRule::std430, false});
    g.type = m.types().pointer(g.space, g.access, g.value_type, g.layout);
  }
  ExpandBytePointers(context).run();
}

}  // namespace carry::pass

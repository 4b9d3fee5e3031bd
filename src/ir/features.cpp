#include "ir/features.h"

#include <cmath>
#include <cstring>
#include <unordered_map>
#include <unordered_set>

#include "types/layout_crossed.h"

namespace carry::ir {

namespace {

constexpr std::string_view kNames[] = {
#define FEATURE(name, meaning) #name,
#include "ir/features.def"
#undef FEATURE
};
constexpr std::string_view kMeanings[] = {
#define FEATURE(name, meaning) meaning,
#include "ir/features.def"
#undef FEATURE
};

constexpr uint32_t kLargeArray = 65536;

bool is_division(Op op) { return op == Op::udiv || op == Op::urem || op == Op::sdiv || op == Op::srem || op == Op::smod; }

bool is_norm16(ImageFormat f) {
  return f == ImageFormat::rgba16 || f == ImageFormat::rg16 || f == ImageFormat::r16 || f == ImageFormat::rgba16_snorm ||
         f == ImageFormat::rg16_snorm || f == ImageFormat::r16_snorm;
}

class Scanner {
 public:
  explicit Scanner(const Module& module)
      : m_(module), seen_(module.types().size(), 0), crossed_(find_crossed(module.layouts())) {}
  Scan run() {
    for (GlobalId id : m_.global_order) global(m_.globals[id]);
    for (InstId id : m_.module_insts) {
      const Inst& in = m_.insts[id];
      add(Feature::override_expr);
      if (has_trait(in.op, kVariant) && in.payload != static_cast<uint32_t>(ArithmeticVariant::raw))
        add(Feature::override_guard);
      use(in);
    }
    for (FunctionId id : m_.function_order) {
      if (!m_.functions[id].dead) function(m_.functions[id]);
    }
    if (derivatives_ && derivative_groups_) add(Feature::compute_derivatives);
    return std::move(scan_);
  }

 private:
  struct Flow {
    bool in_loop = false;
    bool switch_in_loop = false;  // a switch stands between here and the innermost loop
  };

  void add(Feature f) {
    if (!scan_.features.has(f)) scan_.where[static_cast<size_t>(f)] = loc_;
    scan_.features.add(f);
  }

  void use(const Inst& in) {
    constexpr uint16_t kLevel = kSampleLod | kSampleGrad;
    const bool implicit = in.op == Op::sample && (SampleInfo::unpack(in.payload).mask & kLevel) == 0;
    derivatives_ = derivatives_ || implicit || has_trait(in.op, kDerivative) || in.op == Op::query_lod;
    ScalarKind s = ScalarKind::none;
    if (in.operands.count != 0) {
      const ValueId v = m_.operand(in, 0);
      const TypeId t = v.is_local()      ? m_.type_of(*f_, v)
                       : v.is_constant() ? m_.types().constant(v.const_id()).type
                                         : m_.globals[v.global_id()].type;
      s = m_.types().scalar_of(t);
    }
    scan_.ops[static_cast<size_t>(in.op)] |= static_cast<uint16_t>(1u << static_cast<unsigned>(s));
  }

  void scalar(ScalarKind s) {
    switch (s) {
      case ScalarKind::i64:
      case ScalarKind::u64: add(Feature::int64); break;
      case ScalarKind::i16:
      case ScalarKind::u16: add(Feature::int16); break;
      case ScalarKind::i8:
      case ScalarKind::u8: add(Feature::int8); break;
      case ScalarKind::f16: add(Feature::f16); break;
      case ScalarKind::f64: add(Feature::f64); break;
      default: break;
    }
  }

  /// bit 1: visited; bit 2: bool inside; bit 4: handle inside.
  uint8_t type(TypeId id) {
    if (!id || id.value >= m_.types().size()) return 0;
    if (id.value >= seen_.size()) seen_.resize(m_.types().size(), 0);
    if (seen_[id.value] != 0) return seen_[id.value];
    seen_[id.value] = 1;
    const Type& t = m_.types()[id];
    uint8_t result = 1;
    scalar(t.scalar);
    if (t.scalar == ScalarKind::bool_) result |= 2;
    switch (t.kind) {
      case TypeKind::array:
        if (t.count_override != Id<TypeId>::kNone) add(Feature::override_array);
        result = static_cast<uint8_t>(result | type(t.element));
        break;
      case TypeKind::bindings: result = static_cast<uint8_t>(result | type(t.element)); break;
      case TypeKind::struct_:
        for (const Member& member : m_.types().struct_decl(id).members)
          result = static_cast<uint8_t>(result | type(member.type));
        break;
      case TypeKind::pointer:
        if ((type(t.element) & 2) != 0 && t.layout) add(Feature::bool_in_memory);
        if (t.layout && !m_.layouts_in_types) add(Feature::laid_out_pointer);
        if (t.layout && crossed_[t.layout.value]) add(Feature::crossed_array);
        if (t.space == Space::physical) add(Feature::physical_pointer);
        result = static_cast<uint8_t>(t.space == Space::function ? result | (type(t.element) & 4) : 5);
        if (t.space == Space::function && (type(t.element) & 4) != 0) add(Feature::resource_in_memory);
        break;
      case TypeKind::combined:
        add(Feature::combined_sampler);
        texture(m_.types()[t.element]);
        result |= 4;
        break;
      case TypeKind::accel:
      case TypeKind::ray_query:
        add(Feature::ray_stage);
        result |= 4;
        break;
      case TypeKind::texture:
      case TypeKind::image:
        texture(t);
        result |= 4;
        break;
      case TypeKind::sampler: result |= 4; break;
      default: break;
    }
    seen_[id.value] = result;
    return result;
  }

  void texture(const Type& t) {
    const bool layers = (t.flags & kImageArrayed) != 0, samples = (t.flags & kImageMultisampled) != 0;
    if (layers && (t.dim == Dim::d1 || samples)) add(Feature::array_dimension);
    if ((t.flags & kImageDepth) != 0 && t.dim == Dim::d1) add(Feature::compare_1d);
    if (t.kind != TypeKind::image) return;
    if (t.dim == Dim::cube || samples) add(Feature::image_dimension);
    if (t.format == ImageFormat::any) add(Feature::image_format);
    if (is_norm16(t.format)) add(Feature::image_norm16);
    const bool word = t.format == ImageFormat::r32ui || t.format == ImageFormat::r32i || t.format == ImageFormat::r32f;
    if (!word && t.access != Access::read && t.access != Access::write) add(Feature::image_read_write);
  }

  void global(const Global& g) {
    loc_ = g.loc;
    if (g.kind != GlobalKind::variable) {
      type(g.type);
      const bool numbered = g.kind == GlobalKind::override_ && g.override_id != Id<TypeId>::kNone;
      if (numbered && !override_ids_.insert(g.override_id).second) add(Feature::shared_override_id);
      if (g.kind == GlobalKind::override_ && is_infinite_or_nan(m_.types(), g.init)) add(Feature::odd_override);
      return;
    }
    // A pointer type's own shape counts only where functions use it; the pointee's types always do.
    const Type& top = m_.types()[g.value_type];
    const bool shared = g.space == Space::workgroup && top.kind == TypeKind::array && top.count_override != Id<TypeId>::kNone;
    if (shared) add(Feature::override_shared_array);
    const uint8_t inner = type(shared ? top.element : g.value_type);
    if (g.layout && !m_.layouts_in_types) add(Feature::laid_out_pointer);
    if (g.layout && crossed_[g.layout.value]) add(Feature::crossed_array);
    if (g.layout && (inner & 2) != 0) add(Feature::bool_in_memory);
    if (g.layout && has_empty_struct(g.value_type)) add(Feature::empty_struct);
    if (g.space == Space::private_ && (inner & 4) != 0) add(Feature::resource_in_memory);
    // Constant tables (read only) may stay at module scope.
    if (g.space == Space::private_ && g.access != Access::read) add(Feature::private_global);
    if (g.space == Space::workgroup) add(Feature::workgroup_global);
    if (g.init.is_constant() && has_odd_float(m_.types(), g.init.const_id())) add(Feature::odd_global_init);
    if (m_.types().kind(g.value_type) == TypeKind::bindings) add(Feature::binding_array);
    if (g.space == Space::push) add(Feature::push_constant);
    if (g.space == Space::in || g.space == Space::out) add(Feature::io_globals);
    const bool counted = g.space == Space::private_ || g.space == Space::workgroup || g.space == Space::uniform;
    if (counted && has_large(g.value_type)) add(Feature::large_array);
    const bool outside = g.space == Space::private_ || g.space == Space::out || g.space == Space::in;
    if (outside && has_unsized(g.value_type)) add(Feature::unsized_array);
    if (g.space == Space::out && (g.flags & kGlobalInvariant) != 0 && g.builtin != BuiltinVar::position)
      add(Feature::invariant_output);
  }

  [[nodiscard]] static bool is_infinite_or_nan(const TypeTable& types, ValueId v) {
    if (!v.is_constant() || !has_odd_float(types, v.const_id())) return false;
    const Constant& c = types.constant(v.const_id());
    return (c.bits & (types.scalar_of(c.type) == ScalarKind::f16 ? 0x7fffu : 0x7fffffffu)) != 0;  // -0 is odd, too
  }

  [[nodiscard]] bool has_empty_struct(TypeId id) const {
    const Type& t = m_.types()[id];
    if (t.kind == TypeKind::array || t.kind == TypeKind::bindings) return has_empty_struct(t.element);
    if (t.kind != TypeKind::struct_) return false;
    const std::vector<Member>& members = m_.types().struct_decl(id).members;
    return members.empty() ||
           std::any_of(members.begin(), members.end(), [this](const Member& m) { return has_empty_struct(m.type); });
  }

  [[nodiscard]] bool has_unsized(TypeId id) const {
    const Type& t = m_.types()[id];
    if (t.kind == TypeKind::array) return (t.count == 0 && t.count_override == Id<TypeId>::kNone) || has_unsized(t.element);
    if (t.kind != TypeKind::struct_) return false;
    for (const Member& member : m_.types().struct_decl(id).members) {
      if (has_unsized(member.type)) return true;
    }
    return false;
  }

  [[nodiscard]] bool has_large(TypeId id) const {
    const Type& t = m_.types()[id];
    if (t.kind == TypeKind::array) return t.count >= kLargeArray || has_large(t.element);
    if (t.kind != TypeKind::struct_) return false;
    for (const Member& member : m_.types().struct_decl(id).members) {
      if (has_large(member.type)) return true;
    }
    return false;
  }

  void stage(const Function& f) {
    derivative_groups_ = derivative_groups_ || (f.entry.flags & kEntryQuadDerivatives) != 0;
    if ((f.entry.flags & (kEntrySubgroupUniform | kEntryMaximalReconvergence)) != 0) add(Feature::reconvergence);
    switch (f.entry.stage) {
      case Stage::vertex:
        // The text targets want a position from every vertex stage, also from one without inputs and outputs.
        if (f.result == TypeId::void_) add(Feature::io_globals);
        break;
      case Stage::geometry: add(Feature::geometry_stage); break;
      case Stage::tess_control:
      case Stage::tess_eval: add(Feature::tessellation_stage); break;
      case Stage::mesh:
      case Stage::task: add(Feature::mesh_stage); break;
      case Stage::raygen:
      case Stage::intersection:
      case Stage::any_hit:
      case Stage::closest_hit:
      case Stage::miss:
      case Stage::callable: add(Feature::ray_stage); break;
      default: break;
    }
  }

  void function(const Function& f) {
    f_ = &f;
    parts_.clear();
    whole_.clear();
    loc_ = f.loc;
    if (f.is_entry) stage(f);
    if (m_.types().is_pointer(f.result) && (type(f.result) & 4) != 0) add(Feature::resource_in_memory);
    pointer_params_ = false;
    for (const Param& p : f.params) {
      const TypeId t = f.value_types[p.value.index()];
      if (!f.is_entry && m_.types().kind(t) == TypeKind::image) add(Feature::image_param);
      pointer_params_ = pointer_params_ || (!f.is_entry && m_.types().is_pointer(t) && m_.types()[t].space != Space::function);
    }
    if (pointer_params_) add(Feature::pointer_param);
    if (m_.types().is_pointer(f.result) || m_.types().is_handle(f.result)) add(Feature::resource_in_memory);
    for (TypeId t : f.value_types) {
      const bool aggregate = m_.types().kind(t) == TypeKind::struct_ || m_.types().kind(t) == TypeKind::array;
      if ((type(t) & 4) != 0 && aggregate) add(Feature::resource_in_memory);
    }
    region(f.body, {});
  }

  void region(RegionId id, const Flow& flow) {
    const Region& r = m_.regions[id];
    if (r.param_count != 0) add(Feature::region_values);
    for (InstId i : r.insts) {
      loc_ = m_.insts[i].loc;
      inst(m_.insts[i], flow);
    }
  }

  void control(const Inst& in, const Flow& flow) {
    if (in.result_count != 0 || in.operands.count > (in.op == Op::loop ? 0u : 1u)) add(Feature::region_values);
    Flow inner = flow;
    if (in.op == Op::loop) inner = {true, false};
    if (in.op == Op::switch_ && flow.in_loop) inner.switch_in_loop = true;
    for (uint32_t i = 0; i < in.regions.count; ++i) {
      const bool continuing = in.op == Op::loop && i == 1;
      region(m_.inst_region(in, i), continuing ? Flow{} : inner);
    }
  }

  void variant(const Inst& in) {
    const bool raw = in.payload == static_cast<uint32_t>(ArithmeticVariant::raw);
    const bool ones = in.payload == static_cast<uint32_t>(ArithmeticVariant::ones);
    if (in.op == Op::smod) add(Feature::smod);
    if (in.op == Op::srem && raw) add(Feature::srem_raw);
    if (raw) return;
    if (is_division(in.op)) {
      const bool is_unsigned = in.op == Op::udiv || in.op == Op::urem;
      add(is_unsigned ? (ones ? Feature::udiv_ones : Feature::udiv_x0) : (ones ? Feature::sdiv_ones : Feature::sdiv_x0));
    } else if (in.op == Op::shl || in.op == Op::lshr || in.op == Op::ashr) {
      add(Feature::shift_total);
    } else if (in.op == Op::f_to_s || in.op == Op::f_to_u) {
      add(Feature::float_to_int_total);
    } else {
      add(Feature::bits_total);
    }
  }

  void atomic(const Inst& in) {
    const TypeId pointer = m_.type_of(*f_, m_.operand(in, 0));
    if (!m_.types().is_pointer(pointer)) return;
    const Type& p = m_.types()[pointer];
    const Type& pointee = m_.types()[p.element];
    if (p.space == Space::handle) texel_atomic(pointee.scalar);
    if (pointee.kind != TypeKind::atomic && p.space != Space::handle) add(Feature::plain_atomic);
    if (scalar_bits(pointee.scalar) == 64) int64_atomic(in);
    if (in.op == Op::atomic_fadd) add(Feature::float_atomic_add);
    if (in.op == Op::atomic_fmin || in.op == Op::atomic_fmax) add(Feature::float_atomic_minmax);
    if (in.op == Op::atomic_cas) add(Feature::strong_cas);
    if (pointee.kind == TypeKind::scalar && is_float(pointee.scalar) && p.space != Space::handle) float_bits(in.op);
  }

  void texel_atomic(ScalarKind s) {
    add(Feature::image_atomic);
    const bool word = s == ScalarKind::i32 || s == ScalarKind::u32;
    if (!word) add(Feature::odd_image_atomic);
  }

  /// Operations on float memory that only move its bits.
  void float_bits(Op op) {
    if (op == Op::atomic_cas || op == Op::atomic_cas_weak) add(Feature::float_cas);
    if (op == Op::atomic_exchange || op == Op::atomic_load || op == Op::atomic_store) add(Feature::float_exchange);
  }

  void operands(const Inst& in) {
    for (ValueId v : m_.operands(in)) {
      if (!v.is_global()) continue;
      const Global& g = m_.globals[v.global_id()];
      if (is_subgroup_builtin(g.builtin)) add(Feature::subgroups);
      if (g.kind != GlobalKind::variable) {
        if (g.kind == GlobalKind::override_) add(Feature::override_expr);
        // A variable may start with one: what is read from it is known at run time.
        if (in.op != Op::var || !m_.types().is_scalar(g.type)) add(Feature::override_read);
      } else if (g.space == Space::uniform || g.space == Space::storage || g.space == Space::push || g.space == Space::handle) {
        add(Feature::module_resource);
        binding(v.global_id());
      }
    }
  }

  /// Only resources that functions use count.
  void binding(GlobalId id) {
    const Global& g = m_.globals[id];
    if (g.set == Id<TypeId>::kNone || g.binding == Id<TypeId>::kNone) return;
    const auto [found, is_new] = bindings_.try_emplace(uint64_t{g.set} << 32 | g.binding, id);
    if (!is_new && !(found->second == id)) add(Feature::shared_binding);
  }

  /// A reference argument that is not a whole variable (or a parameter handed on).
  void reference(const Param& p, ValueId v) {
    if (p.mode != ParamMode::value && v.is_local() && parts_.count(v.value) != 0) add(Feature::ref_to_part);
  }

  /// Targets without them refuse each kind for a reason of its own (semantics: two words cannot do it).
  void int64_atomic(const Inst& in) {
    switch (in.op) {
      case Op::atomic_smin:
      case Op::atomic_smax:
      case Op::atomic_umin:
      case Op::atomic_umax: return add(Feature::int64_atomic_minmax);
      case Op::atomic_exchange:
      case Op::atomic_cas:
      case Op::atomic_cas_weak: return add(Feature::int64_atomic_exchange);
      case Op::atomic_add:
      case Op::atomic_sub:
      case Op::atomic_and:
      case Op::atomic_or:
      case Op::atomic_xor:
        if (is_used(f_->body, in.first_result)) return add(Feature::int64_atomic_old);
        break;
      default: break;
    }
    add(Feature::int64_atomic);
  }

  [[nodiscard]] bool is_used(RegionId region, ValueId value) const {
    for (InstId id : m_.regions[region].insts) {
      for (ValueId v : m_.operands(m_.insts[id])) {
        if (v == value) return true;
      }
      for (RegionId r : m_.inst_regions(m_.insts[id])) {
        if (is_used(r, value)) return true;
      }
    }
    return false;
  }

  [[nodiscard]] bool compares_colour(const Inst& in) const {
    if ((SampleInfo::unpack(in.payload).mask & kSampleCompare) == 0) return false;
    const TypeTable& types = m_.types();
    Type t = types[m_.type_of(*f_, m_.operand(in, 0))];
    if (t.kind == TypeKind::combined) t = types[t.element];
    return (t.flags & kImageDepth) == 0;
  }

  /// The operand of an optional part of a sample or gather, or none.
  [[nodiscard]] ValueId option(const Inst& in, uint16_t bit) const {
    const uint16_t mask = SampleInfo::unpack(in.payload).mask;
    if ((mask & bit) == 0) return ValueId::none();
    uint32_t at = 2;  // the texture and the coordinate
    for (uint16_t before = 1; before < bit; before = static_cast<uint16_t>(before << 1)) {
      if ((mask & before) != 0) at += before == kSampleGrad ? 2 : 1;
    }
    return at < in.operands.count ? m_.operand(in, at) : ValueId::none();
  }

  [[nodiscard]] bool is_zero(ValueId v) const {
    if (!v.is_constant()) return false;
    const Constant& c = m_.types().constant(v.const_id());
    return c.kind == Constant::Kind::zero || (c.kind == Constant::Kind::scalar && (c.bits & 0x7fffffffu) == 0);
  }

  /// What reads that compute no level of their own leave to some textures of some targets.
  void odd_reads(const Inst& in, const Type& texture) {
    const uint16_t mask = SampleInfo::unpack(in.payload).mask;
    const bool derived = (mask & (kSampleGrad | kSampleBias)) != 0;
    const ValueId offset = option(in, kSampleOffset), lod = option(in, kSampleLod);
    if (texture.dim == Dim::d1 && (derived || (offset && !is_zero(offset)))) add(Feature::line_sample);
    const bool plain_depth = (texture.flags & kImageDepth) != 0 && (mask & kSampleCompare) == 0;
    if (plain_depth && (derived || (lod && !is_whole_level(lod)))) add(Feature::depth_level);
  }

  /// Levels below 0 are level 0.
  [[nodiscard]] bool is_whole_level(ValueId v) const {
    if (!v.is_constant()) return v.is_local() && whole_.count(v.value) != 0;
    const Constant& c = m_.types().constant(v.const_id());
    if (c.kind == Constant::Kind::zero) return true;
    if (c.kind != Constant::Kind::scalar || m_.types().scalar_of(c.type) != ScalarKind::f32) return false;
    float level = 0;
    const uint32_t bits = static_cast<uint32_t>(c.bits);
    std::memcpy(&level, &bits, sizeof level);
    return level <= 0 || level == std::floor(level);
  }

  void sample(const Inst& in) {
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
    const bool moved = offset || (mask & kSampleMinLod) != 0;
    if (t.dim == Dim::d1 && (level || moved)) add(Feature::line_level);
    if (in.op == Op::sample && (t.scalar == ScalarKind::i32 || t.scalar == ScalarKind::u32)) add(Feature::integer_sample);
  }

  void line_level(const Inst& in, ValueId level) {
    Type t = m_.types()[m_.type_of(*f_, m_.operand(in, 0))];
    if (t.kind == TypeKind::combined) t = m_.types()[t.element];
    if (t.dim == Dim::d1 && !is_zero(level)) add(Feature::line_level);
  }

  void lanes(const Inst& in) {
    add(Feature::subgroups);
    switch (in.op) {
      case Op::subgroup: {
        const SubgroupInfo info = SubgroupInfo::unpack(in.payload);
        const bool is_bool = m_.types().scalar_of(m_.type_of(*f_, in.first_result)) == ScalarKind::bool_;
        if (is_bool || info.cluster != 0 || !is_native_scan(info)) add(Feature::lane_op);
        break;
      }
      case Op::subgroup_match: add(Feature::subgroup_match); break;
      case Op::subgroup_all_equal:
      case Op::subgroup_inverse_ballot:
      case Op::subgroup_ballot_bit_extract:
      case Op::subgroup_ballot_bit_count:
      case Op::subgroup_ballot_inclusive:
      case Op::subgroup_ballot_exclusive:
      case Op::subgroup_ballot_find_lsb:
      case Op::subgroup_ballot_find_msb:
      case Op::subgroup_rotate: add(Feature::lane_op); break;
      default: break;
    }
  }

  void inst(const Inst& in, const Flow& flow) {
    use(in);
    const uint32_t traits = op_row(in.op).traits;
    operands(in);
    if ((traits & kControl) != 0) return control(in, flow);
    if ((traits & kVariant) != 0) return variant(in);
    if ((traits & kAtomic) != 0) return atomic(in);
    if ((traits & kLanes) != 0) lanes(in);
    switch (in.op) {
      case Op::s_to_f:
      case Op::u_to_f:
      case Op::trunc_f:
      case Op::floor:
      case Op::ceil:
      case Op::round:
      case Op::round_even: whole_.insert(in.first_result.value); break;
      case Op::fallthrough: add(Feature::switch_fallthrough); break;
      case Op::continue_:
        if (flow.switch_in_loop) add(Feature::continue_in_switch);
        break;
      case Op::break_:
        if (flow.switch_in_loop) add(Feature::break_in_switch);
        break;
      case Op::at: parts_.insert(in.first_result.value); break;
      case Op::next_if: add(Feature::next_if); break;
      case Op::var:
        if (has_large(m_.types()[m_.type_of(*f_, in.first_result)].element)) add(Feature::large_array);
        break;
      case Op::at_byte: add(Feature::byte_pointer); break;
      case Op::array_length:
        if (pointer_params_) add(Feature::param_length);
        break;
      case Op::sample:
      case Op::gather:
        if (compares_colour(in)) add(Feature::depth_by_use);
        sample(in);
        break;
      case Op::image_size:
        if (in.operands.count > 1) line_level(in, m_.operand(in, 1));
        break;
      case Op::fetch:
        if ((SampleInfo::unpack(in.payload).mask & kSampleLod) != 0) line_level(in, m_.operand(in, 2));
        if ((SampleInfo::unpack(in.payload).mask & kSampleOffset) != 0) add(Feature::fetch_offset);
        break;
      case Op::image_write:
        if ((m_.types()[m_.type_of(*f_, m_.operand(in, 0))].flags & kImageMultisampled) != 0) add(Feature::multisampled_write);
        break;
      case Op::texel: {
        Type t = m_.types()[m_.type_of(*f_, m_.operand(in, 0))];
        if (t.kind == TypeKind::pointer) t = m_.types()[t.element];
        if (t.dim == Dim::cube) add(Feature::odd_image_atomic);
        if ((t.flags & kImageMultisampled) != 0) add(Feature::multisampled_write);
        break;
      }
      case Op::elem:
      case Op::with: {
        const uint32_t end = in.op == Op::with ? in.operands.count - 1 : in.operands.count;
        TypeId t = m_.type_of(*f_, m_.operand(in, 0));
        for (uint32_t i = 1; i < end; ++i) {
          const ValueId step = m_.operand(in, i);
          if (!step.is_constant() && !m_.types().is_vector(t) && m_.types().kind(t) != TypeKind::bindings)
            add(Feature::dynamic_elem);
          t = m_.types().part(t, step.is_constant() ? static_cast<uint32_t>(m_.types().constant(step.const_id()).bits) : 0);
          if (!t) break;
        }
        break;
      }
      case Op::call:
        for (uint32_t i = 0; i < in.operands.count; ++i)
          reference(m_.functions[FunctionId(in.payload)].params[i], m_.operand(in, i));
        break;
      default: break;
    }
  }

  const Module& m_;
  Scan scan_;
  std::vector<uint8_t> seen_;
  std::vector<bool> crossed_;  // by LayoutId
  bool derivatives_ = false, derivative_groups_ = false;
  bool pointer_params_ = false;  // of the function
  const Function* f_ = nullptr;
  std::unordered_map<uint64_t, GlobalId> bindings_;
  std::unordered_set<uint32_t> override_ids_;
  std::unordered_set<uint32_t> parts_;  // locals made by `at`
  std::unordered_set<uint32_t> whole_;  // locals that are whole numbers
  LocId loc_;
};

}  // namespace

bool has_odd_float(const TypeTable& types, ConstId id) {
  const Constant c = types.constant(id);
  if (c.kind == Constant::Kind::composite) {
    for (ConstId part : types.parts(id)) {
      if (has_odd_float(types, part)) return true;
    }
    return false;
  }
  const ScalarKind s = c.kind == Constant::Kind::scalar ? types.scalar_of(c.type) : ScalarKind::none;
  if (s == ScalarKind::f16) return c.bits == 0x8000u || (c.bits & 0x7c00u) == 0x7c00u;
  return s == ScalarKind::f32 && (c.bits == 0x80000000u || (c.bits & 0x7f800000u) == 0x7f800000u);
}

Scan scan_features(const Module& module) { return Scanner(module).run(); }

std::string_view feature_name(Feature f) { return kNames[static_cast<size_t>(f)]; }
std::string_view feature_meaning(Feature f) { return kMeanings[static_cast<size_t>(f)]; }
Feature find_feature(std::string_view name) {
  for (size_t i = 0; i < kFeatureCount; ++i) {
    if (kNames[i] == name) return static_cast<Feature>(i);
  }
  return Feature::count_;
}

bool is_subgroup_builtin(BuiltinVar v) {
  switch (v) {
    case BuiltinVar::subgroup_size:
    case BuiltinVar::num_subgroups:
    case BuiltinVar::subgroup_id:
    case BuiltinVar::subgroup_invocation_id:
    case BuiltinVar::subgroup_eq_mask:
    case BuiltinVar::subgroup_ge_mask:
    case BuiltinVar::subgroup_gt_mask:
    case BuiltinVar::subgroup_le_mask:
    case BuiltinVar::subgroup_lt_mask: return true;
    default: return false;
  }
}

}  // namespace carry::ir

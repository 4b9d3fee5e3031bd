// Operations: control flow, arithmetic, memory, atomics, lanes.
#include "ir/features_scanner.h"

namespace carry::ir {

namespace {

bool is_division(Op op) { return op == Op::udiv || op == Op::urem || op == Op::sdiv || op == Op::srem || op == Op::smod; }

}  // namespace

void Scanner::use(const Inst& in) {
  derivatives_ = derivatives_ || takes_derivatives(in);
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

void Scanner::region(RegionId id, const Flow& flow) {
  const Region& r = m_.regions[id];
  if (r.param_count != 0) add(Feature::region_values);
  for (InstId i : r.insts) {
    loc_ = m_.insts[i].loc;
    inst(m_.insts[i], flow);
  }
}

void Scanner::control(const Inst& in, const Flow& flow) {
  if (in.result_count != 0 || in.operands.count > (in.op == Op::loop ? 0u : 1u)) add(Feature::region_values);
  Flow inner = flow;
  if (in.op == Op::loop) inner = {true, false};
  if (in.op == Op::switch_ && flow.in_loop) inner.switch_in_loop = true;
  for (uint32_t i = 0; i < in.regions.count; ++i) {
    const bool continuing = in.op == Op::loop && i == 1;
    region(m_.inst_region(in, i), continuing ? Flow{} : inner);
  }
}

void Scanner::variant(const Inst& in) {
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

void Scanner::atomic(const Inst& in) {
  const TypeId pointer = m_.type_of(*f_, m_.operand(in, 0));
  if (!m_.types().is_pointer(pointer)) return;
  const Type& p = m_.types()[pointer];
  const Type& pointee = m_.types()[p.element];
  if (p.space == Space::handle) texel_atomic(pointee.scalar);
  if (pointee.kind != TypeKind::atomic && p.space != Space::handle) add(Feature::plain_atomic);
  if (scalar_bits(pointee.scalar) == 64) int64_atomic(in);
  if (in.op == Op::atomic_fadd) add(Feature::float_atomic_add);
  if (in.op == Op::atomic_fadd && p.space == Space::workgroup) add(Feature::shared_float_add);
  if (in.op == Op::atomic_fmin || in.op == Op::atomic_fmax) add(Feature::float_atomic_minmax);
  if (in.op == Op::atomic_cas) add(Feature::strong_cas);
  if (pointee.kind == TypeKind::scalar && is_float(pointee.scalar) && p.space != Space::handle) float_bits(in.op);
}

void Scanner::texel_atomic(ScalarKind s) {
  add(Feature::image_atomic);
  const bool word = s == ScalarKind::i32 || s == ScalarKind::u32;
  if (!word) add(Feature::odd_image_atomic);
}

/// Operations on float memory that only move its bits.
void Scanner::float_bits(Op op) {
  if (op == Op::atomic_cas || op == Op::atomic_cas_weak) add(Feature::float_cas);
  if (op == Op::atomic_exchange || op == Op::atomic_load || op == Op::atomic_store) add(Feature::float_exchange);
}

/// A reference argument that is not a whole variable (or a parameter handed on).
void Scanner::reference(const Param& p, ValueId v) {
  if (p.mode != ParamMode::value && v.is_local() && parts_.count(v.value) != 0) add(Feature::ref_to_part);
}

/// Targets without them refuse each kind for a reason of its own (semantics: two words cannot do it).
void Scanner::int64_atomic(const Inst& in) {
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

bool Scanner::is_used(RegionId region, ValueId value) const {
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

void Scanner::lanes(const Inst& in) {
  add(Feature::subgroups);
  if (in.operands.count != 0 && scalar_bits(m_.types().scalar_of(m_.type_of(*f_, m_.operand(in, 0)))) == 64)
    add(Feature::int64_lanes);
  switch (in.op) {
    case Op::subgroup: {
      add(Feature::lane_reduction);
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

void Scanner::inst(const Inst& in, const Flow& flow) {
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
    case Op::is_helper: add(Feature::helper_query); break;
    case Op::query_lod: add(Feature::lod_query); break;
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

}  // namespace carry::ir

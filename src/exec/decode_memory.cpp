#include "exec/decode.h"
#include "exec/memory.h"

namespace carry::exec {

void Decoder::set_pointer(ir::ValueId v, const Pointer& p) {
  addresses_.push_back(p);
  locals_[v.index()].address = static_cast<uint32_t>(addresses_.size() - 1);
}

bool Decoder::pointer_of(ir::ValueId v, Pointer& out, ir::InstId inst) {
  if (v.is_global()) {
    const ir::GlobalId g = v.global_id();
    if (module_.globals[g].kind != ir::GlobalKind::variable) return fail("a value is used as a pointer", inst);
    const auto found = global_pointers_.find(g.value);
    if (found != global_pointers_.end()) {
      out = found->second;
      return true;
    }
    if (!global_pointer(g, out)) return false;
    global_pointers_[g.value] = out;
    return true;
  }
  if (!v.is_local()) return fail("a constant is used as a pointer", inst);
  if (locals_[v.index()].address == kNoRow) {
    if (locals_[v.index()].row == kNoRow) return fail("a pointer is used before it is defined", inst);
    split_pointer(v, inst);
  }
  out = addresses_[locals_[v.index()].address];
  return true;
}

namespace {

MemMode mode_of(Space space) {
  switch (space) {
    case Space::function:
    case Space::private_:
    case Space::in:
    case Space::out: return MemMode::lane;
    case Space::workgroup: return MemMode::group;
    case Space::uniform:
    case Space::storage:
    case Space::push:
    case Space::physical: return MemMode::bytes;
    case Space::handle: return MemMode::handle;
    default: return MemMode::none;
  }
}

}  // namespace

void Decoder::split_pointer(ir::ValueId v, ir::InstId inst) {
  const Type type = types_[type_of(v)];
  Pointer p;
  p.type = type.element;
  p.layout = type.layout;
  p.address.mode = mode_of(type.space);
  if (p.address.mode == MemMode::none || p.address.mode == MemMode::handle) {
    fail("the executor does not support a pointer of this memory space as a value", inst);
    return;
  }
  Code& code = emit(op_split_pointer, inst);
  code.a = locals_[v.index()].row;
  code.dst = alloc(1);
  code.b = alloc(1);
  p.address.offset_row = code.dst;
  if (p.address.mode == MemMode::bytes) p.address.object_row = code.b;
  set_pointer(v, p);
}

uint32_t Decoder::materialise(const Pointer& p, ir::InstId inst) {
  if (p.address.mode == MemMode::handle || p.address.mode == MemMode::texel || p.address.mode == MemMode::none) {
    fail("the executor does not support this pointer as a value", inst);
    return 0;
  }
  const uint32_t row = alloc(2);
  MemAccess access;
  access.address = p.address;
  access.leaves = leaf_list(TypeId::u32, {}, MemMode::lane);
  program_.accesses.push_back(access);
  Code& code = emit(op_make_pointer, inst);
  code.dst = row;
  code.aux = static_cast<uint32_t>(program_.accesses.size() - 1);
  return row;
}

uint32_t Decoder::access(const Pointer& p, ir::InstId inst) {
  MemAccess access;
  access.address = p.address;
  access.leaves = leaf_list(p.type, p.layout, p.address.mode);
  if (access.leaves == nullptr) {
    fail("a value is too large for the executor, or its memory has no layout", inst);
    return 0;
  }
  program_.accesses.push_back(access);
  return static_cast<uint32_t>(program_.accesses.size() - 1);
}

void Decoder::decode_memory(ir::InstId id, const ir::Inst& inst) {
  switch (inst.op) {
    case Op::var: decode_var(id, inst); return;
    case Op::load: decode_load(id, inst); return;
    case Op::store: decode_store(id, inst); return;
    case Op::at: decode_at(id, inst); return;
    case Op::at_byte: decode_at_byte(id, inst); return;
    case Op::texel: decode_texel(id, inst); return;
    case Op::array_length: decode_array_length(id, inst); return;
    default: break;
  }
  if (has_trait(inst.op, kAtomic)) {
    decode_atomic(id, inst);
  } else {
    fault_results(id, "the executor does not support `" + std::string(op_row(inst.op).name) + "` yet");
  }
}

void Decoder::decode_var(ir::InstId id, const ir::Inst& inst) {
  const ir::ValueId result = module_.result(inst);
  const Type type = types_[type_of(result)];
  Pointer p;
  p.type = type.element;
  const uint64_t n = units(p.type);
  if (type.space == Space::workgroup) {
    // One object of the group, whatever the lanes that come here; like a global it is uninitialised.
    if (inst.operands.count > 0) {
      fail("workgroup memory has no initial value", id);
      return;
    }
    if (group_memory(n, p)) set_pointer(result, p);
    return;
  }
  p.address.mode = MemMode::lane;
  if ((program_.lane_words + n) * stride_ * sizeof(uint32_t) > options_.max_memory) {
    fail("the program's variables need more memory than the executor's limit allows", id);
    return;
  }
  p.address.offset = static_cast<uint32_t>(program_.lane_words);
  program_.lane_words += n;
  set_pointer(result, p);
  const uint32_t init = inst.operands.count > 0 ? row_of(module_.operand(inst, 0)) : kNoRow;
  const uint32_t aux = access(p, id);
  Code& code = emit(op_var, id, n);
  code.a = init;
  code.b = p.address.offset;
  code.n = static_cast<uint32_t>(n);
  code.aux = aux;
}

void Decoder::decode_load(ir::InstId id, const ir::Inst& inst) {
  const ir::ValueId result = module_.result(inst);
  Pointer p;
  if (!pointer_of(module_.operand(inst, 0), p, id)) return;
  if (p.address.mode == MemMode::handle) {
    if (p.address.object_row == kNoRow) {
      fail("a handle is loaded from a binding array without an index", id);
      return;
    }
    alias(result, p.address.object_row);
    return;
  }
  if (p.address.mode == MemMode::none) {
    fault_results(id, "the executor does not support this memory space yet");
    return;
  }
  const uint32_t dst = define(result);
  const uint32_t aux = access(p, id);
  if (failed_) return;
  const std::vector<Leaf>& leaves = *program_.accesses[aux].leaves;
  const uint64_t n = units(p.type);
  Handler handler = op_load;
  uint64_t cost = n * 4;
  if (options_.check == 0) {
    if (p.address.mode == MemMode::lane && p.address.offset_row == kNoRow) {
      handler = op_load_lane_rows;
      cost = n;
    } else if (p.address.mode == MemMode::bytes && p.address.object_row == kNoRow && leaves.size() == 1 &&
               leaves[0].bytes == 4 && leaves[0].kind != ScalarKind::bool_ && leaves[0].mem == 0) {
      handler = op_load_word;
    }
  }
  Code& code = emit(handler, id, cost);
  code.dst = dst;
  code.a = p.address.offset;
  code.n = static_cast<uint32_t>(n);
  code.aux = aux;
  if (types_.is_pointer(type_of(result))) split_pointer(result, id);
}

void Decoder::decode_store(ir::InstId id, const ir::Inst& inst) {
  Pointer p;
  if (!pointer_of(module_.operand(inst, 0), p, id)) return;
  const ir::ValueId value = module_.operand(inst, 1);
  const uint32_t src = row_of(value);
  if (p.address.mode == MemMode::none || p.address.mode == MemMode::handle) {
    emit_fault(id, "the executor does not support a store to this memory space yet");
    return;
  }
  const uint32_t aux = access(p, id);
  if (failed_) return;
  const std::vector<Leaf>& leaves = *program_.accesses[aux].leaves;
  const uint64_t n = units(p.type);
  Handler handler = op_store;
  uint64_t cost = n * 4;
  uint32_t element_units = 1;
  if (options_.check == 0) {
    bool any_wide = false;
    bool any_narrow = false;
    for (const Leaf& leaf : leaves) (leaf.wide ? any_wide : any_narrow) = true;
    if (p.address.mode == MemMode::lane && p.address.offset_row == kNoRow && !(any_wide && any_narrow)) {
      handler = op_store_lane_rows;
      element_units = any_wide ? 2 : 1;
      cost = n;
    } else if (p.address.mode == MemMode::bytes && p.address.object_row == kNoRow && leaves.size() == 1 &&
               leaves[0].bytes == 4 && leaves[0].mem == 0) {
      handler = op_store_word;
    }
  }
  Code& code = emit(handler, id, cost);
  code.a = src;
  code.b = p.address.offset;
  code.c = element_units;
  code.n = static_cast<uint32_t>(n);
  code.aux = aux;
}

/// One step of `at`. A constant index moves the fixed offset; a dynamic one fills `step`. False after an error.
bool Decoder::step_into(Pointer& p, uint64_t index, bool dynamic, Step& step, ir::InstId inst) {
  const Type t = types_[p.type];
  const bool bytes = p.address.mode == MemMode::bytes;
  const bool has = bytes && !p.layout.is_none();
  uint64_t offset = 0;
  uint64_t stride = 0;
  uint64_t count = 0;
  bool runtime = false;
  LayoutId layout;
  TypeId part;
  switch (t.kind) {
    case TypeKind::struct_: {
      if (index >= types_.struct_decl(p.type).members.size()) return fail("`at` names a member that does not exist", inst);
      part = types_.struct_decl(p.type).members[index].type;
      if (has) {
        offset = layouts_.member_offset(p.layout, static_cast<uint32_t>(index));
        layout = layouts_.member_layout(p.layout, static_cast<uint32_t>(index));
      } else {
        for (uint64_t i = 0; i < index; ++i) offset += units(types_.struct_decl(p.type).members[i].type);
      }
      p.address.offset += static_cast<uint32_t>(offset);
      p.type = part;
      p.layout = layout;
      return true;
    }
    case TypeKind::array:
      part = t.element;
      count = array_count(t);
      runtime = t.count == 0 && t.count_override == Id<TypeId>::kNone;
      if (has) {
        stride = layouts_[p.layout].stride;
        layout = layouts_[p.layout].element;
      }
      break;
    case TypeKind::matrix:
      part = types_.vector(t.scalar, t.rows);
      count = t.columns;
      if (has) {
        const Layout l = layouts_[p.layout];
        stride = l.row_major ? scalar_bits(t.scalar) / 8 : l.stride;
        layout = l.row_major ? layouts_.strided_vector(part, l.stride) : layouts_.scalar_or_vector(types_, part);
      }
      break;
    case TypeKind::vector:
      part = types_.scalar(t.scalar);
      count = t.rows;
      if (has) {
        const uint32_t size = t.scalar == ScalarKind::bool_ ? 4 : scalar_bits(t.scalar) / 8;
        stride = layouts_[p.layout].stride != 0 ? layouts_[p.layout].stride : size;
        layout = layouts_.scalar_or_vector(types_, part);
      }
      break;
    default: return fail("`at` steps into a value without parts", inst);
  }
  if (bytes && !has) return fail("a pointer into a buffer has no layout", inst);
  if (!bytes) stride = units(part);
  if (runtime && !bytes) return fail("a runtime-sized array stands outside of a buffer", inst);
  p.type = part;
  p.layout = layout;
  step.count = static_cast<uint32_t>(count);
  step.stride = static_cast<uint32_t>(stride);
  step.runtime = runtime;
  // A constant index into a runtime-sized array is left to the bounds check of the access itself only when it is 0.
  if (!dynamic && !runtime) {
    const uint64_t moved = uint64_t{p.address.offset} + index * stride;
    if (index >= count || moved >= kBadOffset) {
      p.address.offset_row = constant_row(types_.constant_u32(kBadOffset));
      return true;
    }
    p.address.offset = static_cast<uint32_t>(moved);
  }
  return true;
}

void Decoder::decode_at(ir::InstId id, const ir::Inst& inst) {
  const ir::ValueId result = module_.result(inst);
  Pointer p;
  if (!pointer_of(module_.operand(inst, 0), p, id)) return;
  AtPlan plan;
  const Pointer base = p;
  uint32_t first = 1;
  if (types_.kind(p.type) == TypeKind::bindings) {
    if (p.address.mode == MemMode::handle) {
      decode_at_handle(id, inst, base);
      return;
    }
    Step step;
    step.descriptor = true;
    step.index_row = row_of(module_.operand(inst, 1));
    step.count = base.address.offset;  // see bind_buffer
    p.address.offset = 0;
    plan.steps.push_back(step);
    plan.object_out = alloc(1);
    p.type = types_[p.type].element;
    first = 2;
  }
  for (uint32_t i = first; i < inst.operands.count; ++i) {
    const ir::ValueId v = module_.operand(inst, i);
    uint64_t index = 0;
    const bool dynamic = !constant_index(v, index);
    if (dynamic && types_.kind(p.type) == TypeKind::struct_) {
      fail("`at` steps into a struct with an index that is not a constant", id);
      return;
    }
    Step step;
    if (!step_into(p, index, dynamic, step, id)) return;
    if (!dynamic && !step.runtime) continue;
    step.index_row = row_of(v);
    step.before = p.address.offset;
    plan.steps.push_back(step);
  }
  if (failed_) return;
  if (!plan.steps.empty()) {
    plan.base = base.address;
    plan.base.offset_row = p.address.offset_row;  // a bad constant step made it bad
    plan.offset_out = alloc(1);
    p.address.offset_row = plan.offset_out;
    if (plan.object_out != kNoRow) p.address.object_row = plan.object_out;
    const uint64_t cost = plan.steps.size() * 2;
    program_.at_plans.push_back(std::move(plan));
    emit(op_at, id, cost).aux = static_cast<uint32_t>(program_.at_plans.size() - 1);
  }
  set_pointer(result, p);
}

void Decoder::decode_at_handle(ir::InstId id, const ir::Inst& inst, const Pointer& base) {
  Pointer p = base;
  const Type t = types_[p.type];
  p.type = t.element;
  if (inst.operands.count != 2) {
    fail("`at` goes on past a handle", id);
    return;
  }
  const bool combined = types_.kind(t.element) == TypeKind::combined;
  const uint32_t index = row_of(module_.operand(inst, 1));
  p.address.object_row = alloc(combined ? 2 : 1);
  Code& code = emit(op_at_handle, id);
  code.dst = p.address.object_row;
  code.a = index;
  code.b = base.address.object;  // first slot
  code.n = base.address.offset;  // count
  code.aux = combined ? 1 : 0;
  if (inst.op == Op::elem) return alias(module_.result(inst), p.address.object_row);
  set_pointer(module_.result(inst), p);
}

/// Lowering rounds a byte address down to a multiple by an `and` of the access's own place (src/lower/buffer_hooks.cpp): what
/// stood there before is what --check looks at.
void Decoder::written_address(const ir::Inst& access, AtPlan& plan) {
  const ir::ValueId address = module_.operand(access, 1);
  if (address.is_constant() || address.is_global() || locals_[address.index()].mask.is_none()) return;
  const ir::Inst& mask = module_.insts[locals_[address.index()].mask];
  uint64_t bits = 0;
  if (mask.loc != access.loc || !constant_index(module_.operand(mask, 1), bits)) return;
  const uint32_t multiple = ~static_cast<uint32_t>(bits) + 1;
  if (multiple < 2 || multiple > 8 || (multiple & (multiple - 1)) != 0) return;
  Step step;
  step.index_row = row_of(module_.operand(mask, 0));
  step.count = multiple;
  plan.steps.push_back(step);
}

void Decoder::decode_at_byte(ir::InstId id, const ir::Inst& inst) {
  const ir::ValueId result = module_.result(inst);
  Pointer p;
  if (!pointer_of(module_.operand(inst, 0), p, id)) return;
  const Type type = types_[type_of(result)];
  p.type = type.element;
  p.layout = type.layout;
  if (p.layout.is_none()) p.layout = layouts_.build(types_, type.element, {LayoutRule::scalar, false});
  uint64_t offset = 0;
  if (constant_index(module_.operand(inst, 1), offset)) {
    const uint64_t moved = p.address.offset + offset;
    if (moved >= kBadOffset) {
      p.address.offset_row = constant_row(types_.constant_u32(kBadOffset));
    } else {
      p.address.offset = static_cast<uint32_t>(moved);
    }
    set_pointer(result, p);
    return;
  }
  AtPlan plan;
  plan.base = p.address;
  Step step;
  step.index_row = row_of(module_.operand(inst, 1));
  plan.steps.push_back(step);
  written_address(inst, plan);
  plan.offset_out = alloc(1);
  p.address.offset_row = plan.offset_out;
  program_.at_plans.push_back(std::move(plan));
  emit(op_at_byte, id).aux = static_cast<uint32_t>(program_.at_plans.size() - 1);
  set_pointer(result, p);
}

void Decoder::decode_texel(ir::InstId id, const ir::Inst& inst) {
  const ir::ValueId result = module_.result(inst);
  const ir::ValueId image = module_.operand(inst, 0);
  Pointer t;
  t.address.mode = MemMode::texel;
  if (types_.is_pointer(type_of(image))) {
    Pointer p;
    if (!pointer_of(image, p, id)) return;
    if (p.address.mode != MemMode::handle || p.address.object_row == kNoRow) {
      fail("`texel` wants a pointer to an image", id);
      return;
    }
    t.address.image_type = p.type;
    t.address.image_row = p.address.object_row;
  } else {  // targets hand images in as values
    t.address.image_type = type_of(image);
    t.address.image_row = row_of(image);
  }
  t.address.coord_row = row_of(module_.operand(inst, 1));
  t.address.coord_count = types_.component_count(type_of(module_.operand(inst, 1)));
  if (inst.operands.count > 2) t.address.sample_row = row_of(module_.operand(inst, 2));
  t.type = types_[type_of(result)].element;
  set_pointer(result, t);
}

void Decoder::decode_atomic(ir::InstId id, const ir::Inst& inst) {
  Pointer p;
  if (!pointer_of(module_.operand(inst, 0), p, id)) return;
  if (p.address.mode == MemMode::none || p.address.mode == MemMode::handle || units(p.type) == 0 || units(p.type) > 2 ||
      (types_.kind(p.type) != TypeKind::scalar && types_.kind(p.type) != TypeKind::atomic)) {
    fault_results(id, "the executor does not support an atomic on this memory");
    return;
  }
  const uint32_t a = inst.operands.count > 1 ? row_of(module_.operand(inst, 1)) : 0;
  const uint32_t b = inst.operands.count > 2 ? row_of(module_.operand(inst, 2)) : 0;
  const uint32_t aux = access(p, id);
  const uint32_t dst = inst.result_count > 0 ? define(module_.result(inst)) : kNoRow;
  const uint32_t exchanged = inst.result_count > 1 ? define(module_.result(inst, 1)) : kNoRow;
  Code& code = emit(op_atomic, id, 8);
  code.dst = dst;
  code.a = a;
  code.b = b;
  code.c = exchanged;
  code.n = static_cast<uint32_t>(inst.op);
  code.aux = aux;
}

void Decoder::decode_array_length(ir::InstId id, const ir::Inst& inst) {
  Pointer p;
  if (!pointer_of(module_.operand(inst, 0), p, id)) return;
  // A pointer to the array, or to a struct that ends in it.
  while (types_.kind(p.type) == TypeKind::struct_ && !types_.struct_decl(p.type).members.empty()) {
    Step step;
    if (!step_into(p, types_.struct_decl(p.type).members.size() - 1, false, step, id)) return;
  }
  const Type t = types_[p.type];
  const uint32_t dst = define(module_.result(inst));
  if (t.kind != TypeKind::array || p.address.mode != MemMode::bytes || p.layout.is_none()) {
    emit_fault(id, "the executor finds no runtime-sized array here");
    return;
  }
  MemAccess access;
  access.address = p.address;
  access.leaves = leaf_list(TypeId::u32, {}, MemMode::lane);
  program_.accesses.push_back(access);
  Code& code = emit(op_array_length, id);
  code.dst = dst;
  code.a = layouts_[p.layout].stride;
  code.aux = static_cast<uint32_t>(program_.accesses.size() - 1);
}

}  // namespace carry::exec

// Shapes: how a laid-out type is spelled in a target that puts layout into types. A shape is a tree beside the source type:
// it knows the memory type, and how a plain value lies in it. Built from type and layout so that the natural layout of the
// memory type puts every byte where the layout tree does.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "ir/module.h"
#include "pass/pass.h"

namespace carry::pass {

struct ShapeId : Id<ShapeId> {
  using Id::Id;
};

/// What atomics do to a part of a global (retype_atomics): children by member; arrays, vectors and matrices have one child, 0.
struct Touch {
  bool atomic = false;        // this scalar
  bool signed_order = false;  // by signed minimum or maximum
  bool unsigned_order = false;
  std::map<uint32_t, std::unique_ptr<Touch>> children;
  Touch& child(uint32_t step) {
    std::unique_ptr<Touch>& c = children[step];
    if (!c) c = std::make_unique<Touch>();
    return *c;
  }
  [[nodiscard]] const Touch* find(uint32_t step) const {
    const auto found = children.find(step);
    return found == children.end() ? nullptr : found->second.get();
  }
};

struct Shape {
  enum class Kind : uint8_t {
    leaf,        // scalar or vector; bool is u32, an atomic's value sits in its memory scalar
    words,       // 64-bit scalar as a packed pair of words, low one first: at a multiple of 4
    scalars,     // vector as array of scalars, or of such pairs
    widened,     // scalar or vector in a vec4: arrays with stride 16
    matrix,      // column-major, natural
    transposed,  // row-major, natural: the memory matrix has the rows as columns
    lines,       // matrix, or array of vectors that lies across, as array of its lines (rows if row_major)
    array,
    struct_,
    bindings,
  } kind = Kind::leaf;
  TypeId value;                          // the plain type
  TypeId memory;                         // what stands in memory
  ScalarKind scalar = ScalarKind::none;  // leaf, scalars, widened: in memory
  bool atomic = false;                   // leaf: atomic<scalar>; scalars: of such
  bool row_major = false;
  bool crossed = false;  // something inside lies across: the value's parts are not where the memory's are
  bool wrapped = false;  // array, lines: elements are structs whose member 0 is the element
  bool moved = false;    // memory has the type of the value and other places for its parts: transposed square matrices in it
  uint32_t size = 0;     // natural, in the target
  uint32_t align = 1;
  ShapeId element;                     // lines, array, bindings
  std::vector<ShapeId> members;        // struct, by source member
  std::vector<uint32_t> member_index;  // struct: member of the memory type
  [[nodiscard]] bool plain() const { return value == memory && !moved && !crossed; }
};

class ShapeTable {
 public:
  struct Options {
    LayoutRule rule = LayoutRule::wgsl_storage;
    bool packed_vectors = false;
    bool same_layout = false;   // layouts stay with pointers: only the scalars that atomics touch change
    bool cross = false;         // with same_layout: arrays of vectors that lie across become arrays of their lines
    bool narrow_ints = true;    // 8- and 16-bit integers can be declared
    bool wgsl_uniform = false;  // arrays with stride 16, structs and arrays at multiples of 16
  };
  ShapeTable(ir::Module& module, const Options& options) : m_(module), options_(options) {}

  /// Shape of a whole buffer or variable; none when the target's types cannot say the layout. `align`: of its first byte.
  ShapeId root(TypeId type, LayoutId layout, bool uniform, const Touch* touch, uint32_t align = 64);
  /// Scalar that is a component of a vector leaf.
  ShapeId component(ShapeId vector);
  /// Column of a natural matrix.
  ShapeId column(ShapeId matrix);
  [[nodiscard]] const Shape& operator[](ShapeId id) const { return shapes_[id]; }
  /// Layout of the memory type by the target's rule, or that of before.
  LayoutId layout_of(TypeId memory, LayoutId before);

 private:
  struct Place {
    uint32_t align;     // largest power of two known to divide the address
    uint32_t room;      // bytes up to whatever comes next
    uint32_t want = 0;  // struct: its size must be this; 0: any
    bool uniform = false;
    const Touch* touch = nullptr;
  };
  Type last_member(TypeId type);
  ShapeId build(TypeId type, LayoutId layout, const Place& place);
  ShapeId same(TypeId type, LayoutId layout, const Touch* touch);
  ShapeId same_struct(TypeId type, LayoutId layout, const Touch* touch);
  ShapeId same_array(TypeId type, LayoutId layout, const Touch* touch);
  ShapeId crossed(TypeId type, const Touch* touch);
  ShapeId columns(TypeId type);
  [[nodiscard]] bool is_tight(LayoutId layout);
  [[nodiscard]] bool lies_across(LayoutId layout) const;
  LayoutId relayout(LayoutId before, TypeId type);
  ShapeId leaf(TypeId type, LayoutId layout, const Place& place);
  ShapeId words(Shape s);
  ShapeId matrix(TypeId type, LayoutId layout, const Place& place);
  ShapeId array(TypeId type, LayoutId layout, const Place& place);
  ShapeId structure(TypeId type, LayoutId layout, const Place& place);
  ShapeId structure_at(TypeId type, LayoutId layout, const Place& place);
  /// Array of `element` with this stride: wraps or widens elements where needed.
  ShapeId elements(TypeId value, LayoutId layout, uint32_t stride, TypeId element, LayoutId element_layout, uint32_t count,
                   uint32_t count_override, const Place& place, const Touch* touch, Shape::Kind kind);
  ShapeId add(Shape shape) { return shapes_.add(std::move(shape)); }
  TypeId atomic_or(ScalarKind s, bool atomic) { return atomic ? types().atomic(s) : types().scalar(s); }
  TypeId make_struct(NameId name, std::vector<Member> members);
  [[nodiscard]] TypeTable& types() { return m_.types(); }

  struct Pads {
    std::vector<Member> members;
    uint32_t next = 0;
  };
  void pad(Pads& pads, uint32_t from, uint32_t to, bool uniform);

  ir::Module& m_;
  Options options_;
  Store<ShapeId, Shape> shapes_;
  struct Made {
    NameId name;
    std::vector<Member> members;
    TypeId type;
  };
  std::vector<Made> made_;
  std::vector<bool> tight_;  // by LayoutId, of the layouts before the pass
};

}  // namespace carry::pass

// The checker's state and its parts. Shared code is in check/, rules of one language in lang/glsl and lang/hlsl; both are members
// of this one class because they work on the same scopes and facts. Only check.cpp and these files include this header.
#pragma once

#include <bitset>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "check/check.h"
#include "check/conversions.h"
#include "check/fold.h"
#include "check/scopes.h"
#include "syntax/needs.h"
#include "types/loop_control.h"

namespace carry::check {

/// What the qualifiers stand on; the letters are those of lang/glsl/layouts.def and lang/hlsl/attributes.def.
enum class LayoutPlace : char {
  alone = 'q',
  names = 'n',
  variable = 'v',
  builtin = 'r',
  local = 'l',
  block = 'b',
  block_member = 'm',
  struct_member = 's',
  parameter = 'p',
  function = 'f',
};

/// Everything a declaration's qualifiers, layout ids and annotations say, before it is known what they stand at.
struct Qualifiers {
  std::bitset<static_cast<size_t>(QualifierKind::count_)> words;
  uint32_t flags = 0;  // VarFlags
  NodeId node;         // the qualifiers list
  NodeId first_layout;
  uint32_t set = Id<TypeId>::kNone, binding = Id<TypeId>::kNone, location = Id<TypeId>::kNone, component = Id<TypeId>::kNone;
  uint32_t index = Id<TypeId>::kNone, offset = Id<TypeId>::kNone, constant_id = Id<TypeId>::kNone;
  uint32_t input_attachment = Id<TypeId>::kNone, counter_binding = Id<TypeId>::kNone;
  uint32_t align = 0, reference_align = 0;
  bool push_constant = false, shader_record = false, std140 = false, std430 = false, scalar = false, buffer_reference = false;
  Majorness major = Majorness::by_default;
  ImageFormat format = ImageFormat::any;
  bool has_format = false;
  bool early_tests = false;
  uint32_t entry_flags = 0;  // EntryFactFlags
  bool local_size = false;   // any local_size_*
  SizeValue size[3];
  uint32_t size_ids[3] = {Id<TypeId>::kNone, Id<TypeId>::kNone, Id<TypeId>::kNone};
  bool size_set[3] = {};
  BuiltinVar vk_builtin = BuiltinVar::none;

  [[nodiscard]] bool has(QualifierKind k) const { return words.test(static_cast<size_t>(k)); }
};

/// Types nest at most so deep: walks over them may recurse.
inline constexpr uint32_t kMaxTypeNesting = 64;
struct StructInfo {
  uint32_t depth = 0;   // of arrays and structs below
  bool opaque = false;  // holds a handle or object somewhere
  bool leaves = false;  // holds anything at all
  bool bits = false;    // holds bit fields
};

/// A callable in overload resolution.
struct Candidate {
  FuncId function;
  const builtins::Form* form = nullptr;
  builtins::Bindings bindings;
  std::vector<TypeId> params;
  std::vector<ParamMode> modes;
  uint32_t min_params = 0;
  TypeId result;
  NodeId decl;
};

class Checker {
 public:
  explicit Checker(const Input& input);
  Facts run();

 private:
  // ---- small things (checker.cpp) ----
  [[nodiscard]] bool glsl() const { return mode_.is_glsl(); }
  [[nodiscard]] bool hlsl() const { return mode_.is_hlsl(); }
  [[nodiscard]] NodeFact& fact(NodeId n) { return facts_.nodes[n.value]; }
  [[nodiscard]] TypeId type_of(NodeId n) const { return facts_.nodes[n.value].type; }
  [[nodiscard]] ConstId value_of(NodeId n) const { return facts_.nodes[n.value].value; }
  [[nodiscard]] bool is_error(NodeId n) const { return type_of(n) == TypeId::error || !type_of(n); }
  TypeId set_type(NodeId n, TypeId type) { return fact(n).type = type; }
  TypeId fail(NodeId n) { return fact(n).type = TypeId::error; }
  void set_value(NodeId n, ConstId value) { fact(n).value = value; }
  void set_ref(NodeId n, Ref ref, uint32_t index, uint16_t extra = 0);
  [[nodiscard]] std::string type_text(TypeId t) const;
  [[nodiscard]] NodeId strip_parens(NodeId n) const;
  [[nodiscard]] Loc loc(NodeId n) const { return tree_.loc(n); }
  [[nodiscard]] LocRange range(NodeId n) const;
  [[nodiscard]] std::string_view token_text(NodeId n) const { return sources_.token_text(tree_.loc(n)); }
  [[nodiscard]] std::string_view text(NameId n) const { return names_.text(n); }
  /// As it stands in the file, from the first to the last token.
  [[nodiscard]] std::string source_text(NodeId n) const;
  void not_yet(NodeId n, std::string what);
  void report_not_yet();
  /// Flags of children that the parent inherits.
  void inherit(NodeId n, NodeId child);
  [[nodiscard]] bool has_ext(std::string_view name) const;
  /// Brings the extensions to what holds where the declaration or statement begins.
  void enter(NodeId n) {
    if (tree_.first_token(n) >= mode_.next_change()) apply_extensions(n);
  }
  void apply_extensions(NodeId n);
  /// `what` is not there without the need: an error with the edit that helps.
  void missing(LocRange at, std::string_view what, const Need& need);
  /// Whether the extension is on; else an error.
  bool needs_extension(NodeId n, std::string_view what, std::string_view extension);
  /// `what` is there only through this extension: a warning if it came with `warn`.
  void uses_extension(LocRange at, std::string_view what, std::string_view extension);
  /// A name that other versions or extensions of GLSL declare: reports what it needs.
  bool glsl_missing_name(NodeId n, NameId name);

  // ---- types as written (types.cpp, lang/*/type_names.cpp) ----
  TypeId check_type(NodeId n);  // error after a diagnostic
  TypeId builtin_type(NodeId n);
  TypeId glsl_type_word(std::string_view word);  // none when it is no type
  TypeId hlsl_type_word(std::string_view word);
  TypeId hlsl_template_type(NodeId n);
  TypeId hlsl_object_type(std::string_view word, TypeId element, uint32_t samples);
  TypeId hlsl_matrix(ScalarKind s, uint32_t rows, uint32_t columns);
  TypeId apply_dims(TypeId element, NodeId dims, bool allow_unsized);
  /// Size from a constant or spec-constant expression. false: error given.
  bool array_size(NodeId expr, uint32_t& count, uint32_t& override_index);
  TypeId named_type(NodeId n, bool quiet);  // name or scope that may be a type; none if it is not
  TypeId check_struct(NodeId n);
  TypeId written_struct(NodeId n);
  TypeId check_enum(NodeId n);
  bool glsl_needs(NodeId n, TypeId t);
  [[nodiscard]] bool contains_opaque(TypeId t) const;
  [[nodiscard]] const StructInfo& struct_info(TypeId struct_type) const;
  [[nodiscard]] uint32_t nesting(TypeId t) const;
  void note_member(TypeId struct_type, TypeId member);
  [[nodiscard]] bool is_complete(TypeId t) const;  // false for a struct declared only, or being defined
  [[nodiscard]] bool is_opaque(TypeId t) const;
  [[nodiscard]] bool has_unsized(TypeId t) const;
  [[nodiscard]] bool holds_nothing(TypeId t) const;  // no byte of memory

  // ---- declarations (decls.cpp, functions.cpp, lang/*/decls.cpp) ----
  void check_decl(NodeId n);
  void check_decls(NodeId parent);
  void check_var_decl(NodeId n);
  void define_member(NodeId declarator, TypeId base);
  void declare_variable(NodeId decl, NodeId declarator, TypeId base, const Qualifiers& q);
  void glsl_variable(Variable& v, NodeId declarator, const Qualifiers& q);  // decides the kind
  void hlsl_variable(Variable& v, NodeId declarator, const Qualifiers& q, NodeId annotations);
  void glsl_all_invariant();                                                       // #pragma STDGL invariant(all)
  void glsl_redeclare(const Variable& v, NodeId declarator, const Qualifiers& q);  // gl_* again
  void check_initialiser(Variable& v, NodeId init);
  void shared_initialiser(Variable& v, NodeId init);
  void settle_const(Variable& v, bool has_init, NodeId at);
  void mark_precise(const Variable& v);
  void mark_precise_subtree(NodeId n);
  void check_typedef(NodeId n);
  void glsl_precision(NodeId n);
  [[nodiscard]] uint32_t default_precision(TypeId t, const Qualifiers& q, NodeId at);
  void need_precision(TypeId t, NodeId at);
  [[nodiscard]] TypeId plain_handle(TypeId t);
  void read_params(NodeId list, Function& f);
  [[nodiscard]] std::string_view operator_text(NodeId n) const;
  FuncId enter_function(NodeId n, Function f, bool has_body);
  [[nodiscard]] bool ends(NodeId n) const;
  void static_members(NodeId decl, const NodeList& parts, const Qualifiers& q);
  void add_member(TypeId struct_type, NodeId declarator, TypeId base, const Qualifiers& q, bool block, const Qualifiers* outer);
  void glsl_check_interface(Variable& v, NodeId declarator);
  void glsl_check_component(TypeId core, uint32_t component, NodeId at);
  TypeId glsl_image_type(TypeId t, const Qualifiers& q, NodeId at);
  /// The object type of a buffer reference whose block has this name; a new one, with its name declared, if there is none.
  TypeId glsl_reference(NodeId n, NameId name);
  TypeId reference_block(NodeId n, const Qualifiers& q, const Variable& v);
  [[nodiscard]] bool is_reference(TypeId t) const { return types_[t].object == ObjectKind::buffer_reference; }
  /// Conversions among buffer references, uint64_t and uvec2; false: not one of them.
  bool glsl_address(NodeId n, TypeId type, const std::vector<NodeId>& args);
  void glsl_check_block(NodeId n, TypeId type, VarKind kind);
  // lang/glsl/implicit_sizes.cpp
  struct ImplicitArray {
    VarId variable;  // none: a member of a block
    TypeId block;
    uint32_t member = 0;
    uint32_t size = 0;  // largest index plus one
    uint32_t most = 0;  // 0: no bound of its own
    NodeId decl;
  };
  [[nodiscard]] bool may_size_later(const Variable& v) const;
  [[nodiscard]] bool is_unsized_array(TypeId t) const;
  void add_unsized_member(TypeId block, uint32_t member, NodeId decl);
  void add_unsized_variable(VarId id, NodeId decl);
  ImplicitArray* implicit_array(NodeId object);
  bool index_unsized(NodeId object, NodeId index);
  bool glsl_size_again(const Variable& v, NodeId declarator);
  void give_size(Variable& v, const ImplicitArray& a, TypeId type, NodeId at);
  TypeId sized(TypeId unsized, uint32_t count);
  void glsl_finish_arrays();
  void glsl_per_vertex(NodeId members);
  /// What is left without the dimensions of arrays.
  [[nodiscard]] TypeId core_type(TypeId t) const {
    while (types_.kind(t) == TypeKind::array) t = types_[t].element;
    return t;
  }
  [[nodiscard]] LayoutPlace variable_place(NodeId declarator) const;
  void check_places(const Qualifiers& q, LayoutPlace place, const Qualifiers* block = nullptr);
  // lang/glsl/layouts.cpp. `block`: the qualifiers of the block that a member is in
  void glsl_check_layouts(const Qualifiers& q, LayoutPlace place, const Qualifiers* block = nullptr);
  void glsl_check_uniform_layout(const Qualifiers& q, TypeId core, NodeId at);
  void glsl_layout_choice(NodeId id, std::string_view name);
  void glsl_layout_other(NodeId id, std::string_view name);
  void glsl_execution_mode(Qualifiers& q, NodeId attribute);
  /// Flags of a function's attributes: FuncFlags.
  uint16_t glsl_function_attributes(NodeId list);
  VarId add_variable(Variable v, NodeId at);  // declares the name in the current scope
  bool declare(NameId name, Symbol symbol, NodeId at);
  void missing_defaults(const Function& f);
  FuncId declare_function(NodeId n, TypeId owner);  // none after an error
  void check_function(NodeId n);
  void check_body(FuncId f);
  FuncId find_same(const std::vector<FuncId>& set, const Function& f) const;
  void glsl_block(NodeId n);
  bool glsl_block_kind(NodeId n, const Qualifiers& q, Variable& v, Majorness& major);
  void glsl_nameless_block(NodeId n, Variable v);
  /// Buffers that are `writeonly` and read all the same, as much code does: a warning, and they become readable.
  void glsl_writeonly_reads();
  void one_push_block();
  /// Keeps the promise of facts.h: where a type is `error`, a diagnostic was given.
  void refuse_unexplained();
  void glsl_qualifier_decl(NodeId n);
  void hlsl_buffer_block(NodeId n);
  void hlsl_register(Variable& v, NodeId annotation);
  void check_register_class(RegisterClass written, RegisterClass wanted, NodeId annotations, TypeId type);
  void hlsl_image_format(Qualifiers& q, NodeId arg);
  void hlsl_resource(Variable& v, TypeId core, const Qualifiers& q);
  TypeId with_format(TypeId t, ImageFormat f);
  void hlsl_globals_member(Variable& v, NodeId declarator, const Qualifiers& q);
  void hlsl_namespace(NodeId n);
  // bit_fields.cpp
  bool hlsl_bit_field(TypeId struct_type, NodeId declarator, TypeId type, NodeId annotations);  // false: not one
  void inherit_member_infos(TypeId struct_type, TypeId base);
  void inherit_bit_fields(TypeId struct_type, TypeId base);
  [[nodiscard]] const BitField* find_bit_field(TypeId struct_type, NameId name) const;
  bool use_bit_field(NodeId n, TypeId struct_type, NameId name, uint8_t flags);
  [[nodiscard]] bool holds_bit_fields(TypeId t) const;
  bool hlsl_special_call(NodeId n, std::string_view name);
  bool glsl_known_function(NodeId n, std::string_view name);
  [[nodiscard]] bool hlsl_known_method(std::string_view name) const;
  void check_element_major(NodeId n, NodeId arg, TypeId element);
  void check_sizeof(NodeId n);
  bool hlsl_size(TypeId t, uint64_t& size, uint64_t& align) const;
  void hlsl_auto(NodeId n, const NodeList& parts, const Qualifiers& q);
  // heaps.cpp
  bool hlsl_heap_name(NodeId n, NameId name);
  bool hlsl_heap_index(NodeId n, NodeId object, NodeId index);
  [[nodiscard]] bool is_heap_element(TypeId t) const { return t == heap_element_ || t == sampler_heap_element_; }
  [[nodiscard]] bool heap_gives(TypeId element, TypeId to) const;
  void bind_heap_element(NodeId n, TypeId to);
  VarId heap_variable(bool samplers, TypeId type);
  Qualifiers read_qualifiers(NodeId list, bool of_function = false);
  void glsl_layout(Qualifiers& q, NodeId layout);
  void glsl_layout_id(Qualifiers& q, NodeId id);
  [[nodiscard]] std::string layout_word(std::string_view written) const;
  void hlsl_attribute_qualifier(Qualifiers& q, NodeId attribute, bool of_function);
  void hlsl_function_attribute(NodeId attribute);
  void hlsl_check_attributes(const Qualifiers& q, LayoutPlace place);
  void hlsl_entry_attributes(FuncId f, EntryFact& e);
  void hlsl_entry_words(FuncId f);
  void hlsl_wave_size(NodeId attribute, EntryFact& e);
  void hlsl_annotations(Variable& v, NodeId annotations);
  void read_semantic(NodeId n, NameId& name, uint32_t& index);
  bool constant_u32(NodeId expr, uint32_t& out);
  void fill_struct_members(NodeId list, TypeId struct_type, std::vector<NodeId>* methods, bool block, const Qualifiers* outer);
  MemberInfo member_info(const Qualifiers& q, NodeId decl) const;
  void find_entries();
  void add_entry(FuncId f, Stage stage);
  void hlsl_entry(FuncId f, EntryFact& entry);
  /// Where a leaf of an entry's interface goes.
  struct IoPlace {
    Stage stage = Stage::none;
    bool in = false, out = false;
  };
  void hlsl_check_io(TypeId t, NameId semantic, IoPlace io, NodeId at, std::string_view what);
  void hlsl_check_system_value(NameId semantic, IoPlace io, NodeId at);
  /// The attribute of that name before a function; none if it has none.
  [[nodiscard]] NodeId attribute(FuncId f, std::string_view name) const;
  VarId spec_size(uint32_t id, uint32_t value);
  bool unsupported_stage(Stage s, NodeId at);
  void declare_builtin(Variable v);
  void glsl_workgroup_size(NameId name);
  void order_functions();
  /// Statements and built-ins that the stage of an entry that reaches them has not.
  void check_stages();
  void check_stages_of(FuncId f, Stage stage);
  void note_call(DiagHandle& d, FuncId f) const;
  BuiltinVar system_value(std::string_view semantic) const;

  // ---- statements (stmts.cpp) ----
  void check_stmt(NodeId n);
  void check_expr_stmt(NodeId n);
  void check_if(NodeId n);
  void check_while(NodeId n);
  void check_do(NodeId n);
  void check_jump(NodeId n);
  void check_block(NodeId n, bool own_scope);
  void check_condition(NodeId n);
  void check_loop_body(NodeId body);
  void check_switch(NodeId n);
  TypeId switch_labels(const NodeList& items, NodeId selector, TypeId type);
  void check_labels_unique(const NodeList& items);
  void check_return(NodeId n);
  void check_for(NodeId n);
  void check_attributed(NodeId n);
  void check_hint(NodeId a, LoopControl& control);

  // ---- expressions (exprs.cpp ...) ----
  TypeId check_expr(NodeId n);
  /// One node whose child 0 (if it is an expression) was checked already.
  void check_expr_node(NodeId n);
  void check_literal(NodeId n);
  void glsl_int_literal(NodeId n);
  void hlsl_int_literal(NodeId n);
  void hlsl_char_literal(NodeId n);
  void float_literal(NodeId n);
  void check_name(NodeId n);
  void use_symbol(NodeId n, const Symbol& symbol, NameId name);
  void use_variable(NodeId n, VarId var);
  Symbol* lookup(NameId name);
  Symbol* lookup_scope(NodeId n);
  bool glsl_builtin_variable(NameId name);  // declares it on first use
  void check_unary(NodeId n);
  void check_step(NodeId n, UnaryOp op, NodeId child);  // ++ --
  void check_binary(NodeId n);
  void check_assign(NodeId n);
  void check_conditional(NodeId n);
  void finish_conditional(NodeId n);
  TypeId conditional_type(NodeId n, NodeId a, NodeId b, TypeId condition);
  /// kFactSpec if all parts are constants or specialization constants, and one is the latter.
  void spec_result(NodeId n, std::initializer_list<NodeId> parts);
  void owner_used(VarId owner) { facts_.variables[owner].flags |= kVarUsed; }
  void check_index(NodeId n);
  void check_member(NodeId n);
  void check_swizzle(NodeId n, TypeId object);
  bool hlsl_matrix_swizzle(NodeId n, TypeId object);
  void check_cast(NodeId n);
  void hlsl_cast_to(NodeId n, NodeId operand, TypeId to);
  bool hlsl_object_index(NodeId n, NodeId object, NodeId index);  // false: not an object
  /// Result type of `a op b`, converting both children; error after a diagnostic. For compound assignment `a` is not converted.
  TypeId arithmetic(NodeId n, BinaryOp op, NodeId a, NodeId b, bool compound, TypeId& operation);
  TypeId glsl_arithmetic(NodeId n, BinaryOp op, NodeId a, NodeId b, bool compound, TypeId& operation);
  TypeId hlsl_arithmetic(NodeId n, BinaryOp op, NodeId a, NodeId b, bool compound, TypeId& operation);
  TypeId glsl_equality(NodeId n, BinaryOp op, NodeId a, NodeId b, TypeId& operation);
  TypeId hlsl_shift(NodeId n, BinaryOp op, NodeId a, NodeId b, bool compound, TypeId& operation);
  [[nodiscard]] TypeId hlsl_common_shape(TypeId a, TypeId b) const;
  void warn_hex_literal(BinaryOp op, NodeId a, NodeId b);
  TypeId operand_mismatch(NodeId n, std::string_view op, NodeId a, NodeId b);
  /// `op` of a struct's own; false: it has none.
  bool hlsl_operator_call(NodeId n, std::string_view op, NodeId object, const std::vector<NodeId>& args);
  bool hlsl_call_object(NodeId n, NodeId callee, const std::vector<NodeId>& args);
  void fold_binary(NodeId n, BinaryOp op, NodeId a, NodeId b);
  void check_init_list(NodeId n, TypeId target);
  void hlsl_flatten_list(NodeId n, TypeId target);
  void hlsl_gather(NodeId n, std::vector<NodeId>& items);
  [[nodiscard]] TypeId scalar_type(ScalarKind s) const;
  void target_leaves(TypeId t, std::vector<TypeId>& leaves) const;
  TypeId element_type(TypeId t);  // of an indexable type; none

  // ---- conversions of nodes (convert.cpp) ----
  /// Records the conversion without asking; folds the constant.
  void convert(NodeId n, TypeId to);
  /// Implicit conversion by the language's rules; gives `no_implicit_conversion` and false.
  bool coerce(NodeId n, TypeId to, std::string_view what);
  [[nodiscard]] bool converts_implicitly(TypeId from, TypeId to) const;
  /// HLSL: structs whose scalars are the same, in order.
  [[nodiscard]] bool same_leaves(TypeId a, TypeId b) const;
  /// Literals that met no type become int or float (HLSL). Returns the result type.
  TypeId settle(NodeId n);
  TypeId settled(TypeId t, ConstId value) const;
  void warn_hlsl_conversion(NodeId n, TypeId from, TypeId to);
  /// A value is wanted (not void, not a type, not a function).
  bool is_value(NodeId n);

  // ---- l-values (lvalues.cpp) ----
  [[nodiscard]] std::string value_text(NodeId n) const;
  bool require_lvalue(NodeId n, std::string_view what);
  [[nodiscard]] VarId root_variable(NodeId n) const;
  bool require_atomic_memory(NodeId n);
  [[nodiscard]] bool through_reference(NodeId n) const;
  [[nodiscard]] bool fact_type_is_reference(NodeId n) const {
    const TypeId t = facts_.result_type(n);
    return t && is_reference(t);
  }

  // ---- calls (calls.cpp, overloads.cpp, constructors.cpp) ----
  void check_call(NodeId n);
  void check_construct(NodeId n, TypeId type);
  void bad_construct(NodeId n, TypeId type, std::string why);
  void finish_construct(NodeId n, ConstructKind kind, const std::vector<NodeId>& args);
  void glsl_construct(NodeId n, TypeId type, const std::vector<NodeId>& args);
  void glsl_combine(NodeId n, TypeId type, const std::vector<NodeId>& args);  // sampler2D(texture, sampler)
  void hlsl_construct(NodeId n, TypeId type, const std::vector<NodeId>& args);
  void construct_aggregate(NodeId n, TypeId type, const std::vector<NodeId>& args);
  void pass_conversion(NodeId n, NodeId arg, TypeId type);
  void check_method(NodeId n, NodeId callee, NodeId template_args, const std::vector<NodeId>& args);
  void note_counter(NodeId object, std::string_view name);
  void glsl_length(NodeId n, NodeId object);
  void call_named(NodeId n, NameId name, const Symbol* symbol, NodeId callee, const std::vector<NodeId>& args);
  /// Built-ins that are no forms: nonuniformEXT, ...; false: not one of them.
  bool special_call(NodeId n, std::string_view name, const std::vector<NodeId>& args);
  void failed_builtin(NodeId n, std::string_view name, std::span<const builtins::Form> forms, const std::vector<NodeId>& args,
                      const builtins::Form* unavailable, NodeId callee);
  [[nodiscard]] std::string form_text(const builtins::Form& form);
  void warn_lossy(NodeId n, const Candidate& c, std::string_view name, const std::vector<NodeId>& args);
  void warn_overlap(NodeId n, const Call& call, std::string_view name);
  [[nodiscard]] uint8_t builtin_effects(const builtins::Form& form, const builtins::Bindings& b, TypeId result) const;
  void user_candidates(const Symbol& set, std::vector<Candidate>& out);
  void builtin_candidates(std::span<const builtins::Form> forms, const std::vector<NodeId>& args, TypeId object, TypeId element,
                          std::vector<Candidate>& out, const builtins::Form** unavailable);
  Candidate form_candidate(const builtins::Form& form, const builtins::Bindings& b, const std::vector<NodeId>& args);
  bool bind_fixed(const builtins::Form& form, const std::vector<NodeId>& args, TypeId object, TypeId element,
                  builtins::Bindings& b);
  ScalarKind hlsl_scalar_of(const builtins::Form& form, const std::vector<NodeId>& args, uint8_t which);
  [[nodiscard]] bool argument_fits(TypeId arg, TypeId param, ParamMode mode) const;
  [[nodiscard]] bool exact(const Candidate& c, const std::vector<NodeId>& args) const;
  void add_form_candidates(const builtins::Form& form, const std::vector<NodeId>& args, TypeId object, TypeId element,
                           std::vector<Candidate>& out);
  void add_hlsl_candidate(const builtins::Form& form, const std::vector<NodeId>& args, builtins::Bindings b,
                          std::vector<Candidate>& out);
  bool form_available(const builtins::Form& form);
  /// Index of the winner, or -1 after a diagnostic.
  int resolve(NodeId n, std::string_view name, const std::vector<Candidate>& candidates, const std::vector<NodeId>& args);
  bool viable(const Candidate& c, const std::vector<NodeId>& args) const;
  int compare_candidates(const Candidate& a, const Candidate& b, const std::vector<NodeId>& args) const;
  uint64_t score(const Candidate& c, const std::vector<NodeId>& args) const;
  void bind_call(NodeId n, const Candidate& c, const std::vector<NodeId>& args, NodeId object);
  bool glsl_image_access(std::string_view name, NodeId image);
  void fold_call(NodeId n, const Call& call);
  std::string arg_types(const std::vector<NodeId>& args) const;
  std::string candidate_text(const Candidate& c) const;
  void no_overload(NodeId n, std::string_view name, const std::vector<Candidate>& candidates, const std::vector<NodeId>& args);
  void needs_version(NodeId n, std::string_view name, const builtins::Form& form);
  void hlsl_needs_model(NodeId n, std::string_view name, uint32_t model);

  const Tree& tree_;
  const SourceMap& sources_;
  Names& names_;
  TypeTable& types_;
  LanguageMode mode_;
  const Options& options_;
  Emitter& diags_;
  Facts facts_;
  ConversionRules rules_;
  Folder fold_;
  Scopes scopes_;
  std::vector<std::vector<FuncId>> sets_;  // overload sets
  std::vector<NodeId> reported_;           // undeclared names, each once
  std::vector<ImplicitArray> implicit_arrays_;
  std::unordered_set<uint32_t> sized_uses_;            // names and members indexed with a constant
  std::vector<StructInfo> struct_infos_;               // by StructId
  std::unordered_set<uint32_t> incomplete_;            // by StructId
  std::unordered_map<uint32_t, SpaceId> type_spaces_;  // by StructId
  std::unordered_map<uint32_t, SpaceId> enums_;        // by NodeId of the enum
  std::unordered_map<uint32_t, uint32_t> size_index_;  // spec constant VarId -> array_sizes index

  SpaceId space_ = kGlobalSpace;
  struct NotYet {
    FuncId function;
    NodeId at;
    std::string what;
  };
  std::vector<NotYet> not_yet_;  // in bodies of functions, until it is known which of them an entry reaches
  FuncId function_;
  std::vector<FuncId> init_callees_;  // called by initialisers of module variables
  TypeId this_type_;
  uint32_t loop_depth_ = 0;
  uint32_t switch_depth_ = 0;
  uint32_t depth_ = 0;
  bool precise_ = false;
  NodeId literal_negated_;  // int literal that is the operand of a unary minus
  uint32_t enabled_scalars_ = 0xffff;
  // GLSL module state
  SizeValue workgroup_[3];
  uint32_t workgroup_ids_[3] = {Id<TypeId>::kNone, Id<TypeId>::kNone, Id<TypeId>::kNone};
  bool workgroup_declared_ = false;
  uint32_t entry_flags_ = 0;
  uint32_t default_uniform_flags_ = 0, default_buffer_flags_ = 0;
  LayoutRule default_uniform_rule_ = LayoutRule::std140, default_buffer_rule_ = LayoutRule::std430;
  Majorness default_uniform_major_ = Majorness::by_default, default_buffer_major_ = Majorness::by_default;
  uint8_t default_int_precision_ = 0, default_float_precision_ = 0;
  std::vector<TypeId> precise_handles_;  // ESSL: opaque types that a precision statement named
  NodeId checked_init_;                  // initialiser of an `auto` variable, checked already
  TypeId heap_, sampler_heap_, heap_element_, sampler_heap_element_;
  std::vector<VarId> heap_variables_;
  VarId globals_block_;  // HLSL $Globals
  TypeId globals_struct_;
};

}  // namespace carry::check

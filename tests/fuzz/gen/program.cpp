#include "gen/generator.h"

namespace carry::gen {

void Generator::declare_resources() {
  // The struct of the buffer must not be longer than kItemBytes in any layout: 24 words, each at most 16 bytes.
  item_ = structs_[c_.below(static_cast<uint32_t>(structs_.size()))];
  shared_ = c_.chance(60) ? vector_type() : value_type();
  const Text item = name(item_);
  if (glsl()) {
    line("layout(std430, set = 0, binding = 0) readonly buffer Source { uint source[]; };");
    line("layout(std430, set = 0, binding = 1) buffer Result { uint result[]; };");
    const Text layout = c_.chance(70) ? "std430" : "std140";
    line("layout(" + layout + ", set = 0, binding = 2) buffer Items { " + item + " items[]; };");
  } else {
    line("StructuredBuffer<uint> source : register(t0);");
    line("RWStructuredBuffer<uint> result : register(u1);");
    line("RWStructuredBuffer<" + item + "> items : register(u2);");
  }
  const Text keyword = glsl() ? "shared " : "groupshared ";
  line(keyword + declare(array(shared_, kGroupLanes), "cells") + ";");
  line(keyword + "uint own[" + std::to_string(2 * kGroupLanes) + "];");
}

/// Functions that stand for constructors: HLSL has none for structures.
void Generator::globals() {
  for (uint32_t s : structs_) {
    Text parameters;
    const Type t = types_[s];
    for (uint32_t m = 0; m < t.members.size(); ++m) {
      uint32_t base = t.members[m];
      while (types_[base].form == Form::array) base = types_[base].part;
      parameters += (m != 0 ? ", " : "") + declare(base, "p" + std::to_string(m));
    }
    open(t.name + " make_" + t.name + "(" + parameters + ") {");
    line(t.name + " made;");
    for (uint32_t m = 0; m < t.members.size(); ++m) {
      Path path{"made.m" + std::to_string(m), t.members[m]};
      std::vector<Path> parts{path};
      while (!parts.empty()) {
        const Path p = parts.back();
        parts.pop_back();
        if (types_[p.type].form != Form::array) {
          line(p.text + " = p" + std::to_string(m) + ";");
          continue;
        }
        for (uint32_t i = 0; i < types_[p.type].count; ++i) {
          parts.push_back({p.text + "[" + std::to_string(i) + "]", types_[p.type].part});
        }
      }
    }
    line("return made;");
    close();
  }
  const Text keyword = glsl() ? "" : "static ";
  line(keyword + "uint lane = 0u;");
  line(keyword + "uint gid = 0u;");
  scope_.push_back({"lane", vector(Kind::uint_, 1), false});
  scope_.push_back({"gid", vector(Kind::uint_, 1), false});
  for (uint32_t n = c_.below(4); n > 0; --n) {
    const uint32_t type = vector_type();
    const Text g = "g" + std::to_string(names_++);
    Text value = literal(types_[type].kind);
    if (types_[type].rows > 1) value = splat(type, value);
    line(keyword + declare(type, g) + " = " + value + ";");
    scope_.push_back({g, type, true});
  }
  if (c_.chance(60)) {
    const uint32_t type = array(vector_type(), 4);
    const Text table = "table" + std::to_string(names_++);
    const uint32_t part = types_[type].part;
    Text list;
    for (uint32_t i = 0; i < 4; ++i) {
      Text value = literal(types_[part].kind);
      if (types_[part].rows > 1) value = splat(part, value);
      list += (i != 0 ? ", " : "") + value;
    }
    line((glsl() ? "const " : "static const ") + declare(type, table) + " = " +
         (glsl() ? name(part) + "[4](" + list + ")" : "{" + list + "}") + ";");
    scope_.push_back({table, type, false});
  }
}

void Generator::function() {
  Function f;
  f.name = "f" + std::to_string(functions_.size());
  f.has_result = c_.chance(75);
  f.result = value_type();
  const size_t size = scope_.size();
  Text parameters;
  std::vector<Path> outs;
  for (uint32_t n = c_.below(4); n > 0; --n) {
    Parameter p;
    p.type = any_type();
    const uint32_t way = c_.below(10);
    p.way = way < 6 ? Parameter::Way::in : way < 8 ? Parameter::Way::inout : Parameter::Way::out;
    const Text name = "a" + std::to_string(f.parameters.size());
    const Text keyword = p.way == Parameter::Way::in    ? (c_.chance(50) ? "in " : "")
                         : p.way == Parameter::Way::out ? "out "
                                                        : "inout ";
    parameters += (f.parameters.empty() ? "" : ", ") + keyword + declare(p.type, name);
    f.parameters.push_back(p);
    if (p.way == Parameter::Way::out) outs.push_back({name, p.type});
  }
  open((f.has_result ? name(f.result) : "void") + " " + f.name + "(" + parameters + ") {");
  for (const Path& out : outs) initialise(out);
  for (uint32_t i = 0; i < f.parameters.size(); ++i) scope_.push_back({"a" + std::to_string(i), f.parameters[i].type, true});
  has_result_ = f.has_result;
  result_ = f.result;
  may_return_ = true;
  cost_ = 1;
  budget_ = 200;
  statements(1 + c_.below(5), 2);
  if (f.has_result) line("return " + expression(f.result, 3) + ";");
  close();
  f.cost = cost_;
  scope_.resize(size);
  functions_.push_back(f);
}

/// Gives every part a value, before it can be read.
void Generator::initialise(const Path& path) {
  const Type t = types_[path.type];
  if (t.form == Form::array) {
    for (uint32_t i = 0; i < t.count; ++i) initialise({path.text + "[" + std::to_string(i) + "]", t.part});
    return;
  }
  line(path.text + " = " + construct(path.type, 0) + ";");
}

/// Each lane writes its cell, all wait, each reads another's.
void Generator::exchange() {
  const Text wait = glsl() ? "barrier();" : "GroupMemoryBarrierWithGroupSync();";
  const Text value = expression(shared_, 3);
  line("cells[lane] = " + value + ";");
  line(wait);
  const Text read = "x" + std::to_string(names_++);
  line(declare(shared_, read) + " = cells[(lane + " + std::to_string(1 + c_.below(3)) + "u) & 3u];");
  line(wait);
  scope_.push_back({read, shared_, true});
}

std::string Generator::as_word(const Path& path) {
  switch (types_[path.type].kind) {
    case Kind::float_: return (glsl() ? "floatBitsToUint(" : "asuint(") + path.text + ")";
    case Kind::bool_: return "(" + path.text + " ? 1u : 0u)";
    case Kind::uint_: return path.text;
    case Kind::int_: break;
  }
  return "uint(" + path.text + ")";
}

void Generator::results(const Path& path, uint32_t& slot) {
  if (slot >= kResultWords) return;
  const Type t = types_[path.type];
  switch (t.form) {
    case Form::vector:
      if (t.rows == 1) {
        line("result[gid * " + std::to_string(kResultWords) + "u + " + std::to_string(slot++) + "u] = " + as_word(path) + ";");
        return;
      }
      for (uint32_t i = 0; i < t.rows; ++i) results({path.text + "." + "xyzw"[i], vector(t.kind, 1)}, slot);
      return;
    case Form::matrix:
      for (uint32_t i = 0; i < t.columns; ++i)
        results({path.text + "[" + std::to_string(i) + "]", vector(t.kind, t.rows)}, slot);
      return;
    case Form::array:
      for (uint32_t i = 0; i < t.count; ++i) results({path.text + "[" + std::to_string(i) + "]", t.part}, slot);
      return;
    case Form::structure:
      for (uint32_t m = 0; m < t.members.size(); ++m) results({path.text + ".m" + std::to_string(m), t.members[m]}, slot);
      return;
  }
}

void Generator::main_function() {
  in_main_ = true;
  has_result_ = may_return_ = false;
  if (glsl()) {
    open("void main() {");
    line("lane = gl_LocalInvocationIndex;");
    line("gid = gl_GlobalInvocationID.x;");
  } else {
    line("[numthreads(" + std::to_string(kGroupLanes) + ", 1, 1)]");
    open("void main(uint3 id : SV_DispatchThreadID, uint in_group : SV_GroupIndex) {");
    line("lane = in_group;");
    line("gid = id.x;");
  }
  line("own[gid] = gid;");
  for (uint32_t n = 2 + c_.below(3); n > 0; --n) {
    const Text v = "s" + std::to_string(names_++);
    const Kind kind = number_kind();
    const Text word = "source[(gid * 8u + " + std::to_string(n) + "u) & " + std::to_string(kSourceWords - 1) + "u]";
    const Text value =
        kind == Kind::float_ ? "float(int(" + word + " >> 20u)) * 0.25" : name(vector(kind, 1)) + "(" + word + ")";
    line(declare(vector(kind, 1), v) + " = " + value + ";");
    scope_.push_back({v, vector(kind, 1), true});
  }
  initialise({"items[gid]", item_});
  scope_.push_back({"items[gid]", item_, true});
  budget_ = 500;
  cost_ = 1;
  for (uint32_t n = 1 + c_.below(3); n > 0; --n) {
    statements(2 + c_.below(4), 3);
    if (c_.chance(60)) exchange();
  }
  uint32_t slot = 0;
  line("result[gid * " + std::to_string(kResultWords) + "u] = own[gid];");
  slot = 1;
  for (size_t i = scope_.size(); i > 0 && slot < kResultWords; --i) {
    const Variable v = scope_[i - 1];
    if (v.name != "items[gid]" && v.writable) results({v.name, v.type}, slot);
  }
  if (c_.chance(50)) {
    may_return_ = true;
    statements(3, 3);
  }
  close();
}

std::string Generator::program() {
  vector(Kind::int_, 1);
  if (glsl()) {
    line("#version 450");
    line("layout(local_size_x = " + std::to_string(kGroupLanes) + ") in;");
  }
  make_structs();
  declare_resources();
  globals();
  for (uint32_t n = c_.below(5); n > 0; --n) function();
  main_function();
  return text_;
}

std::string generate_shader(Choices& choices, const ShaderOptions& options) { return Generator(choices, options).program(); }

}  // namespace carry::gen

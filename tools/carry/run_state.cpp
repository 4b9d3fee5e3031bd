#include "run_state.h"

#include <algorithm>
#include <charconv>

#include "files.h"
#include "image_values.h"

namespace carry::cli {

namespace {

bool number(std::string_view text, uint32_t& value) {
  const auto r = std::from_chars(text.data(), text.data() + text.size(), value);
  return !text.empty() && r.ec == std::errc() && r.ptr == text.data() + text.size();
}

RegisterClass register_class(char c) {
  switch (c) {
    case 'b': return RegisterClass::b;
    case 't': return RegisterClass::t;
    case 's': return RegisterClass::s;
    case 'u': return RegisterClass::u;
    default: return RegisterClass::none;
  }
}

/// Where a number was not written the languages' first set and space count.
uint32_t or_first(uint32_t written) { return written == Id<TypeId>::kNone ? 0 : written; }

/// u0, t1.2: the name of the variable that has this register.
std::string variable_at_register(const RunState& state, std::string_view where) {
  if (where.size() < 2 || register_class(where[0]) == RegisterClass::none) return {};
  const size_t dot = where.find('.');
  uint32_t index = 0, space = 0;
  if (!number(where.substr(1, dot == std::string_view::npos ? dot : dot - 1), index)) return {};
  if (dot != std::string_view::npos && !number(where.substr(dot + 1), space)) return {};
  const driver::Compilation& c = *state.job.output.compilation;
  for (VarId v : c.facts.variables.ids()) {
    const Variable& variable = c.facts.variables[v];
    if (variable.register_class != register_class(where[0]) || variable.register_index != index) continue;
    if (or_first(variable.register_space) != space) continue;
    return std::string(c.context.names.text(
        variable.name.is_none() || c.context.names.text(variable.name).empty() ? variable.block_name : variable.name));
  }
  return {};
}

bool has_name(const driver::Compilation& c, const Variable& v, std::string_view name) {
  return (!v.name.is_none() && c.context.names.text(v.name) == name) ||
         (!v.block_name.is_none() && c.context.names.text(v.block_name) == name);
}

/// The block without an instance name whose only member has this name.
std::string block_of_only_member(const RunState& state, std::string_view name) {
  const driver::Compilation& c = *state.job.output.compilation;
  for (VarId v : c.facts.variables.ids()) {
    const Variable& member = c.facts.variables[v];
    if (member.kind != VarKind::block_member || !has_name(c, member, name)) continue;
    const Variable& block = c.facts.variables[member.owner];
    const bool is_struct = c.context.types.kind(block.type) == TypeKind::struct_;  // else an array of blocks
    if (is_struct && c.context.types.struct_decl(block.type).members.size() == 1)
      return std::string(c.context.names.text(block.block_name));
  }
  return {};
}

template <class T>
T* find_by_binding(std::vector<T>& list, const exec::ResourceNeed& need) {
  for (T& item : list) {
    if (item.set == need.set && item.binding == need.binding && item.index == 0) return &item;
  }
  return nullptr;
}

}  // namespace

std::string RunState::name_of(size_t need) const {
  const exec::ResourceNeed& n = needs[need];
  if (n.space == Space::push) return "push";
  const ir::Global& g = canonical->globals[n.global];
  std::string name(canonical->names().text(g.name));
  if (name.empty()) name = std::to_string(n.set) + ":" + std::to_string(n.binding);
  return name;
}

std::optional<size_t> RunState::find(std::string_view where, std::string& error) const {
  for (size_t i = 0; i < needs.size(); ++i) {
    if (name_of(i) == where) return i;
  }
  const std::string by_register = variable_at_register(*this, where);
  for (size_t i = 0; i < needs.size() && !by_register.empty(); ++i) {
    if (name_of(i) == by_register) return i;
  }
  // A block without an instance name is known by its block name, or by its only member.
  const std::string by_member = block_of_only_member(*this, where);
  for (size_t i = 0; i < needs.size(); ++i) {
    const std::string_view block = canonical->names().text(canonical->globals[needs[i].global].block);
    if (needs[i].space != Space::push && !block.empty() && (block == where || block == by_member)) return i;
  }
  const size_t colon = where.find(':');
  uint32_t set = 0, binding = 0;
  if (colon != std::string_view::npos && number(where.substr(0, colon), set) && number(where.substr(colon + 1), binding)) {
    for (size_t i = 0; i < needs.size(); ++i) {
      if (needs[i].space != Space::push && needs[i].set == set && needs[i].binding == binding) return i;
    }
  }
  if (is_unused(where)) {
    error = "the program does not use `" + std::string(where) + "`";
    return std::nullopt;
  }
  error = "there is no resource `" + std::string(where) + "`";
  for (size_t i = 0; i < needs.size(); ++i) error += (i == 0 ? "; there are " : ", ") + name_of(i);
  if (needs.empty()) error += "; the shader uses none";
  return std::nullopt;
}

bool RunState::is_unused(std::string_view where) const {
  if (!variable_at_register(*this, where).empty()) return true;
  const size_t colon = where.find(':');
  uint32_t set = 0, binding = 0;
  const bool numbers =
      colon != std::string_view::npos && number(where.substr(0, colon), set) && number(where.substr(colon + 1), binding);
  const driver::Compilation& c = *job.output.compilation;
  for (VarId v : c.facts.variables.ids()) {
    const Variable& variable = c.facts.variables[v];
    const bool resource = variable.binding != Id<TypeId>::kNone || variable.register_class != RegisterClass::none ||
                          !variable.block_name.is_none();
    if (!resource || variable.kind == VarKind::block_member) continue;
    if (numbers ? variable.binding == binding && or_first(variable.set) == set : has_name(c, variable, where)) return true;
  }
  return false;
}

exec::ValueShape RunState::shape_of(size_t need) const {
  ir::Context& context = *canonical->context;
  const exec::ResourceNeed& n = needs[need];
  return {context.names, context.types, context.layouts, n.type, canonical->globals[n.global].layout};
}

bool RunState::is_image(size_t need) const {
  const TypeKind kind = canonical->types().kind(needs[need].type);
  return kind == TypeKind::texture || kind == TypeKind::image || kind == TypeKind::combined;
}

bool RunState::is_sampler(size_t need) const { return canonical->types().kind(needs[need].type) == TypeKind::sampler; }

std::vector<uint8_t>* RunState::bytes_of(size_t need) {
  if (needs[need].space == Space::push) return &resources.push;
  exec::Buffer* b = find_by_binding(resources.buffers, needs[need]);
  return b == nullptr ? nullptr : &b->bytes;
}

exec::Image* RunState::image_of(size_t need) { return find_by_binding(resources.images, needs[need]); }

bool set_resource(RunState& state, size_t need, const std::string& value, std::string& error) {
  state.given[need] = true;
  if (state.is_sampler(need)) return set_sampler(state, need, value, error);
  if (state.is_image(need)) return set_image(state, need, value, error);
  std::vector<uint8_t> bytes;
  if (value.size() > 1 && value[0] == '@') {
    std::string content;
    if (!read_file(value.substr(1), content, error)) return false;
    bytes.assign(content.begin(), content.end());
  } else if (!exec::parse_value(state.shape_of(need), value, bytes, error)) {
    error = "--set " + state.name_of(need) + ": " + error;
    return false;
  }
  const exec::ResourceNeed& n = state.needs[need];
  if (n.runtime_stride == 0 && bytes.size() < n.fixed_size) bytes.resize(n.fixed_size, 0);
  if (std::vector<uint8_t>* old = state.bytes_of(need); old != nullptr && (n.space == Space::push || !old->empty()))
    *old = std::move(bytes);
  else
    state.resources.buffers.push_back({n.set, n.binding, 0, std::move(bytes)});
  return true;
}

bool set_sampler(RunState& state, size_t need, std::string_view mode, std::string& error) {
  exec::Sampler s;
  s.set = state.needs[need].set;
  s.binding = state.needs[need].binding;
  while (!mode.empty()) {
    const size_t comma = mode.find(',');
    const std::string_view word = mode.substr(0, comma);
    if (word == "linear")
      s.min = s.mag = exec::Filter::linear;
    else if (word == "nearest")
      s.min = s.mag = exec::Filter::nearest;
    else if (word == "clamp")
      s.u = s.v = s.w = exec::AddressMode::clamp;
    else if (word == "repeat")
      s.u = s.v = s.w = exec::AddressMode::repeat;
    else if (word == "mirror")
      s.u = s.v = s.w = exec::AddressMode::mirror;
    else {
      error = "a sampler is linear or nearest, with clamp, repeat or mirror; not `" + std::string(word) + "`";
      return false;
    }
    mode = comma == std::string_view::npos ? std::string_view() : mode.substr(comma + 1);
  }
  for (exec::Sampler& old : state.resources.samplers) {
    if (old.set == s.set && old.binding == s.binding) {
      old = s;
      return true;
    }
  }
  state.resources.samplers.push_back(s);
  return true;
}

bool complete_resources(RunState& state, std::string& error) {
  for (size_t i = 0; i < state.needs.size(); ++i) {
    const exec::ResourceNeed& n = state.needs[i];
    const TypeKind kind = state.canonical->types().kind(n.type);
    if (kind == TypeKind::sampler || kind == TypeKind::combined) {
      bool there = false;
      for (const exec::Sampler& s : state.resources.samplers) there = there || (s.set == n.set && s.binding == n.binding);
      if (!there && !set_sampler(state, i, "linear", error)) return false;
      if (kind == TypeKind::sampler) continue;
    }
    if (state.given[i]) continue;
    if (state.is_image(i)) {
      error = "the image `" + state.name_of(i) + "` is not set: add --set " + state.name_of(i) + "=" + image_hint(state, i);
      return false;
    }
    if (n.runtime_stride != 0) {
      error = "the buffer `" + state.name_of(i) + "` is not set and its type has no size: add --set " + state.name_of(i) +
              "=zeros:N (N words)";
      return false;
    }
    if (n.space == Space::push)
      state.resources.push.assign(n.fixed_size, 0);
    else
      state.resources.buffers.push_back({n.set, n.binding, 0, std::vector<uint8_t>(n.fixed_size, 0)});
  }
  return true;
}

bool parse_print(std::string_view text, PrintRequest& request, std::string& error) {
  std::vector<std::string> parts;
  for (std::string_view rest = text;;) {
    const size_t colon = rest.find(':');
    parts.emplace_back(rest.substr(0, colon));
    if (colon == std::string_view::npos) break;
    rest = rest.substr(colon + 1);
  }
  size_t next = 1;
  uint32_t n = 0;
  request.where = parts[0];
  if (parts.size() > 1 && number(parts[0], n) && number(parts[1], n)) {
    request.where += ":" + parts[1];
    next = 2;
  }
  if (next < parts.size() && !parts[next].empty()) {
    request.format.as = exec::scalar_of_word(parts[next], request.format.hex);
    if (request.format.as == ScalarKind::none) {
      error = "--print: unknown type `" + parts[next] + "`";
      return false;
    }
  }
  if (next + 1 < parts.size()) {
    if (!number(parts[next + 1], n)) {
      error = "--print: `" + parts[next + 1] + "` is not a count";
      return false;
    }
    request.format.count = n;
  }
  return true;
}

}  // namespace carry::cli

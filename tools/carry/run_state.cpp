#include "run_state.h"

#include <algorithm>

#include "files.h"
#include "image_values.h"
#include "numbers.h"

namespace carry::cli {

namespace {

template <class T>
T* find_by_binding(std::vector<T>& list, const RunNeed& need) {
  for (T& item : list) {
    if (item.set == need.set && item.binding == need.binding && item.index == need.element) return &item;
  }
  return nullptr;
}

}  // namespace

exec::ValueShape RunState::shape_of(size_t need) const {
  ir::Context& context = *canonical->context;
  const RunNeed& n = needs[need];
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
  const RunNeed& n = state.needs[need];
  if (n.runtime_stride == 0 && bytes.size() < n.fixed_size) bytes.resize(n.fixed_size, 0);
  if (std::vector<uint8_t>* old = state.bytes_of(need); old != nullptr && (n.space == Space::push || !old->empty()))
    *old = std::move(bytes);
  else
    state.resources.buffers.push_back({n.set, n.binding, n.element, std::move(bytes)});
  return true;
}

bool set_sampler(RunState& state, size_t need, std::string_view mode, std::string& error) {
  const TypeKind kind = state.canonical->types().kind(state.needs[need].type);
  if (kind != TypeKind::sampler && kind != TypeKind::combined)
    return error = "`" + state.name_of(need) + "` is no sampler", false;
  exec::Sampler s;
  s.set = state.needs[need].set;
  s.binding = state.needs[need].binding;
  s.index = state.needs[need].element;
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
  if (exec::Sampler* old = find_by_binding(state.resources.samplers, state.needs[need]))
    *old = s;
  else
    state.resources.samplers.push_back(s);
  return true;
}

bool complete_resources(RunState& state, std::string& error) {
  for (size_t i = 0; i < state.needs.size(); ++i) {
    const RunNeed& n = state.needs[i];
    const TypeKind kind = state.canonical->types().kind(n.type);
    if (kind == TypeKind::sampler || kind == TypeKind::combined) {
      const bool there = find_by_binding(state.resources.samplers, n) != nullptr;
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
      state.resources.buffers.push_back({n.set, n.binding, n.element, std::vector<uint8_t>(n.fixed_size, 0)});
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
  if (parts.size() > 1 && whole_number(parts[0], n) && whole_number(parts[1].substr(0, parts[1].find('[')), n)) {
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
    if (!whole_number(parts[next + 1], n)) {
      error = "--print: `" + parts[next + 1] + "` is not a count";
      return false;
    }
    request.format.count = n;
  }
  return true;
}

}  // namespace carry::cli

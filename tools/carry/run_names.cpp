// What WHERE of --set, --print, --save and --expect names.
#include <algorithm>

#include "numbers.h"
#include "run_state.h"

namespace carry::cli {

namespace {

constexpr uint32_t kMostElements = 1u << 16;  // of an array of resources

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

/// The variables of an array of resources take as many registers as it has elements; 1 for a single resource.
uint32_t registers_of(const driver::Compilation& c, const Variable& variable) {
  const Type& t = c.context.types[variable.type];
  return t.kind == TypeKind::array ? t.count : 1;  // 0: all that follow
}

/// u0, t1.2: the name of the variable that has this register, NAME[K] for an element of an array.
std::string variable_at_register(const RunState& state, std::string_view where) {
  if (where.size() < 2 || register_class(where[0]) == RegisterClass::none) return {};
  const size_t dot = where.find('.');
  uint32_t index = 0, space = 0;
  if (!whole_number(where.substr(1, dot == std::string_view::npos ? dot : dot - 1), index)) return {};
  if (dot != std::string_view::npos && !whole_number(where.substr(dot + 1), space)) return {};
  const driver::Compilation& c = *state.job.output.compilation;
  for (VarId v : c.facts.variables.ids()) {
    const Variable& variable = c.facts.variables[v];
    if (variable.register_class != register_class(where[0]) || or_first(variable.register_space) != space) continue;
    const uint32_t count = registers_of(c, variable);
    if (index < variable.register_index || (count != 0 && index - variable.register_index >= count)) continue;
    const std::string name(c.context.names.text(
        variable.name.is_none() || c.context.names.text(variable.name).empty() ? variable.block_name : variable.name));
    // The first register of an array names the array.
    const uint32_t element = index - variable.register_index;
    return element == 0 ? name : name + "[" + std::to_string(element) + "]";
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

/// NAME[K]: the name, and K. Without brackets the whole text, and false.
bool split_element(std::string_view where, std::string_view& base, uint32_t& element) {
  base = where;
  const size_t open = where.rfind('[');
  if (open == std::string_view::npos || where.back() != ']') return false;
  if (!whole_number(where.substr(open + 1, where.size() - open - 2), element)) return false;
  base = where.substr(0, open);
  return true;
}

bool is_array(const RunState& state, const exec::ResourceNeed& need) {
  return need.space != Space::push &&
         state.canonical->types().kind(state.canonical->globals[need.global].value_type) == TypeKind::bindings;
}

}  // namespace

std::string RunState::base_name_of(size_t need) const {
  const RunNeed& n = needs[need];
  if (n.space == Space::push) return "push";
  const ir::Global& g = canonical->globals[n.global];
  std::string name(canonical->names().text(g.name));
  if (name.empty()) name = std::to_string(n.set) + ":" + std::to_string(n.binding);
  return name;
}

std::string RunState::name_of(size_t need) const {
  return base_name_of(need) + (is_array(*this, needs[need]) ? "[" + std::to_string(needs[need].element) + "]" : "");
}

std::optional<size_t> RunState::find_first(std::string_view where) const {
  const auto first = [this](const auto& matches) -> std::optional<size_t> {
    for (size_t i = 0; i < needs.size(); i += needs[i].elements) {
      if (matches(i)) return i;
    }
    return std::nullopt;
  };
  if (const auto i = first([&](size_t n) { return base_name_of(n) == where; })) return i;
  // A block without an instance name is known by its block name, or by its only member.
  const std::string by_member = block_of_only_member(*this, where);
  const auto has_block = [&](size_t n) {
    const std::string_view block = canonical->names().text(canonical->globals[needs[n].global].block);
    return needs[n].space != Space::push && !block.empty() && (block == where || block == by_member);
  };
  if (const auto i = first(has_block)) return i;
  const size_t colon = where.find(':');
  uint32_t set = 0, binding = 0;
  if (colon == std::string_view::npos || !whole_number(where.substr(0, colon), set) ||
      !whole_number(where.substr(colon + 1), binding))
    return std::nullopt;
  return first([&](size_t n) { return needs[n].space != Space::push && needs[n].set == set && needs[n].binding == binding; });
}

std::optional<RunState::Place> RunState::place_of(std::string_view where) const {
  Place place;
  std::string_view base;
  place.one = split_element(where, base, place.element);
  std::optional<size_t> first = find_first(base);
  if (!first) {
    const std::string by_register = variable_at_register(*this, base);
    uint32_t of_register = 0;
    place.one = split_element(by_register, base, of_register) || place.one;
    place.element += of_register;
    if (!by_register.empty()) first = find_first(base);
  }
  if (!first) return std::nullopt;
  place.first = *first;
  return place;
}

bool RunState::find_all(std::string_view where, std::vector<size_t>& found, std::string& error) const {
  found.clear();
  const std::optional<Place> place = place_of(where);
  if (!place) return error = unknown(where), false;
  const RunNeed& need = needs[place->first];
  if (!place->one) {
    for (size_t i = 0; i < need.elements; ++i) found.push_back(place->first + i);
    return true;
  }
  if (is_array(*this, need) && place->element < need.elements) return found.push_back(place->first + place->element), true;
  error = "there is no resource `" + std::string(where) + "`: `" + base_name_of(place->first) + "` " +
          (is_array(*this, need) ? "has " + std::to_string(need.elements) + " elements" : "is no array");
  return false;
}

std::optional<size_t> RunState::find(std::string_view where, std::string& error) const {
  std::vector<size_t> found;
  if (!find_all(where, found, error)) return std::nullopt;
  if (found.size() == 1) return found[0];
  error = "`" + std::string(where) + "` is an array of " + std::to_string(found.size()) + " resources: name one of them, `" +
          name_of(found[0]) + "`";
  return std::nullopt;
}

std::string RunState::unknown(std::string_view where) const {
  if (is_unused(where)) return "the program does not use `" + std::string(where) + "`";
  std::string text = "there is no resource `" + std::string(where) + "`";
  for (size_t i = 0; i < needs.size(); i += needs[i].elements) text += (i == 0 ? "; there are " : ", ") + base_name_of(i);
  return needs.empty() ? text + "; the shader uses none" : text;
}

bool RunState::is_unused(std::string_view whole) const {
  if (place_of(whole)) return false;
  std::string_view where;
  uint32_t element = 0;
  split_element(whole, where, element);
  if (!variable_at_register(*this, where).empty()) return true;
  const size_t colon = where.find(':');
  uint32_t set = 0, binding = 0;
  const bool numbers = colon != std::string_view::npos && whole_number(where.substr(0, colon), set) &&
                       whole_number(where.substr(colon + 1), binding);
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

void RunState::use_needs(const std::vector<exec::ResourceNeed>& wanted, const std::vector<std::string>& named) {
  for (const exec::ResourceNeed& need : wanted) {
    const size_t first = needs.size();
    needs.push_back({need, 0, 1});
    uint32_t count = is_array(*this, need) ? std::min(need.count, kMostElements) : 1;
    if (count == 0) count = elements_named(first, named);
    needs[first].elements = count;
    for (uint32_t i = 1; i < count; ++i) needs.push_back({need, i, count - i});
  }
  given.assign(needs.size(), false);
}

uint32_t RunState::elements_named(size_t need, const std::vector<std::string>& named) const {
  uint32_t count = 1;
  for (const std::string& where : named) {
    const std::optional<Place> place = place_of(where);
    if (place && place->first == need && place->element < kMostElements) count = std::max(count, place->element + 1);
  }
  return count;
}

}  // namespace carry::cli

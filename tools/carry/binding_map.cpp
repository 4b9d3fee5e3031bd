#include "binding_map.h"

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include "files.h"

namespace carry::cli {

namespace {

bool number(const toml::table& table, const char* key, const char* other, uint32_t& value) {
  const toml::node* node = table.get(key);
  if (node == nullptr) node = table.get(other);
  if (node == nullptr) return true;
  const auto v = node->value<int64_t>();
  if (!v || *v < 0 || *v > 0xffffffffll) return false;
  value = static_cast<uint32_t>(*v);
  return true;
}

}  // namespace

bool read_binding_map(const std::string& path, lower::BindingOptions& options, std::string& error) {
  std::string text;
  if (!read_file(path, text, error)) return false;
  const toml::parse_result parsed = toml::parse(text, path);
  if (!parsed) {
    error = path + ":" + std::to_string(parsed.error().source().begin.line) + ": " + std::string(parsed.error().description());
    return false;
  }
  const toml::table& top = parsed.table();
  for (const auto& [key, node] : top) {
    lower::NamedBinding binding;
    binding.name = std::string(key.str());
    const toml::table* table = node.as_table();
    const bool shape =
        table != nullptr && number(*table, "set", "group", binding.set) && number(*table, "binding", "number", binding.binding);
    if (!shape) {
      error = path + ": `" + binding.name + "` needs the form { set = 0, binding = 0 }";
      return false;
    }
    options.named.push_back(std::move(binding));
  }
  return true;
}

}  // namespace carry::cli

// What `carry run` works on: the compiled module, its entry, the resources by the names a user has for them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "exec/executor.h"
#include "exec/values.h"
#include "job.h"

namespace carry::cli {

/// One resource: an element of an array of resources, or a single one.
struct RunNeed : exec::ResourceNeed {
  RunNeed(const exec::ResourceNeed& need, uint32_t at, uint32_t from_here)
      : ResourceNeed(need), element(at), elements(from_here) {}
  uint32_t element;   // its index in the array
  uint32_t elements;  // of the array from this one on; the needs that follow are the others
};

struct RunState {
  Job job;
  const ir::Module* canonical = nullptr;  // names, types and bindings as in the source
  const ir::Module* module = nullptr;     // what runs: canonical, or after a target's passes
  ir::FunctionId canonical_entry, entry;
  std::vector<RunNeed> needs;
  exec::Resources resources;
  std::vector<bool> given;  // by need

  /// Takes what the entry wants, arrays element by element; one without a size has as many as `named` (every WHERE) asks for.
  void use_needs(const std::vector<exec::ResourceNeed>& wanted, const std::vector<std::string>& named);
  /// Index into needs: by source name, NAME[K] for an element of an array, SET:BINDING, HLSL register (u0, t1.2) or "push".
  /// On failure the error lists the right ones.
  [[nodiscard]] std::optional<size_t> find(std::string_view where, std::string& error) const;
  /// The same; a whole array gives all of its elements.
  [[nodiscard]] bool find_all(std::string_view where, std::vector<size_t>& found, std::string& error) const;
  /// True for a resource that the source declares and the program does not use, which is therefore none of the needs.
  [[nodiscard]] bool is_unused(std::string_view where) const;
  [[nodiscard]] std::string name_of(size_t need) const;
  [[nodiscard]] std::string base_name_of(size_t need) const;  // of the whole array
  [[nodiscard]] exec::ValueShape shape_of(size_t need) const;
  [[nodiscard]] bool is_image(size_t need) const;
  [[nodiscard]] bool is_sampler(size_t need) const;
  [[nodiscard]] std::vector<uint8_t>* bytes_of(size_t need);
  [[nodiscard]] exec::Image* image_of(size_t need);

 private:
  struct Place {
    size_t first = 0;      // of the array, or the single one
    uint32_t element = 0;  // if one was named
    bool one = false;
  };
  [[nodiscard]] std::optional<Place> place_of(std::string_view where) const;
  [[nodiscard]] std::optional<size_t> find_first(std::string_view where) const;
  [[nodiscard]] std::string unknown(std::string_view where) const;
  [[nodiscard]] uint32_t elements_named(size_t need, const std::vector<std::string>& named) const;
};

/// --set WHERE=VALUE.
[[nodiscard]] bool set_resource(RunState& state, size_t need, const std::string& value, std::string& error);
/// --sampler NAME=MODE.
[[nodiscard]] bool set_sampler(RunState& state, size_t need, std::string_view mode, std::string& error);
/// Zeros for what was not set and has a size by its type; an error that prints the --set to add for the others.
[[nodiscard]] bool complete_resources(RunState& state, std::string& error);

/// "WHERE:TYPE:COUNT"; WHERE may itself be SET:BINDING.
struct PrintRequest {
  std::string where;
  exec::FormatOptions format;
};
[[nodiscard]] bool parse_print(std::string_view text, PrintRequest& request, std::string& error);

}  // namespace carry::cli

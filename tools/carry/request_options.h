// From the command line to driver::Request: what every file of a call shares, and what depends on the file.
#pragma once

#include <string>
#include <vector>

#include "command_line.h"
#include "driver/request.h"

namespace carry::cli {

/// What the options say for all files. `error` not empty: exit status 2.
struct SharedOptions {
  driver::Request request;  // without source, language and stage of a file
  std::vector<std::string> include_folders;
  bool language_given = false;
  bool profile_given = false;  // -T: HLSL where the file's name says nothing else
  bool targets_given = false;
  std::string error;
};
[[nodiscard]] SharedOptions shared_options(const CommandLine& line);

/// "x.vert", "x.comp.glsl", "x.frag.hlsl": language and stage by the name; none where it does not say.
struct NameFacts {
  bool has_language = false;
  SourceLanguage language = SourceLanguage::glsl;
  Stage stage = Stage::none;
  bool short_stage = false;  // written with two letters
};
[[nodiscard]] NameFacts facts_of_name(const std::string& name);

}  // namespace carry::cli

// Runs the text tests of the passes (README.md) and checks the tables.
#include "pass/pass.h"

#include <dirent.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "ir/text.h"
#include "ir/verify.h"
#include "target/prepare.h"

namespace carry::pass {
namespace {

#ifndef CARRY_SOURCE_DIR
#define CARRY_SOURCE_DIR "."
#endif

struct Case {
  std::string name;
  std::string passes;  // separated by spaces
  std::string target;  // whose config; empty: everything is lacking
  std::string in;
  std::string out;  // or, when it begins with "error: ", the message's text
};

std::string folder() { return std::string(CARRY_SOURCE_DIR) + "/src/pass"; }

std::string read_file(const std::string& path) {
  std::string text;
  if (FILE* file = std::fopen(path.c_str(), "rb")) {
    char buffer[65536];
    size_t n = 0;
    while ((n = std::fread(buffer, 1, sizeof buffer, file)) > 0) text.append(buffer, n);
    std::fclose(file);
  }
  return text;
}

std::vector<Case> parse_cases(const std::string& text) {
  std::vector<Case> cases;
  std::string* section = nullptr;
  size_t at = 0;
  while (at < text.size()) {
    size_t end = text.find('\n', at);
    if (end == std::string::npos) end = text.size();
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    if (line.rfind("=== ", 0) == 0) {
      cases.push_back({line.substr(4), "", "", "", ""});
      section = nullptr;
    } else if (cases.empty()) {
      continue;
    } else if (line.rfind("passes: ", 0) == 0 && section == nullptr) {
      cases.back().passes = line.substr(8);
    } else if (line.rfind("target: ", 0) == 0 && section == nullptr) {
      cases.back().target = line.substr(8);
    } else if (line == "--- in") {
      section = &cases.back().in;
    } else if (line == "--- out") {
      section = &cases.back().out;
    } else if (section != nullptr) {
      *section += line + "\n";
    }
  }
  return cases;
}

PassConfig config_of(const Case& c) {
  if (!c.target.empty()) {
    target::Target target;
    std::string error;
    EXPECT_TRUE(target::find_target(c.target, target, error)) << error;
    return target::pass_config(target);
  }
  PassConfig config;
  for (size_t i = 0; i < ir::kFeatureCount; ++i) config.lacks.add(static_cast<ir::Feature>(i));
  config.target = "test";
  return config;
}

Plan plan_of(const std::string& names) {
  Plan plan;
  size_t at = 0;
  while (at < names.size()) {
    size_t end = names.find(' ', at);
    if (end == std::string::npos) end = names.size();
    const PassId id = find_pass(std::string_view(names).substr(at, end - at));
    EXPECT_NE(id, PassId::count_) << names;
    if (id != PassId::count_) plan.passes.push_back(id);
    at = end + 1;
  }
  return plan;
}

std::string run_case(const Case& c) {
  ir::Context context;
  ir::Module module(context);
  ir::ParseError error;
  if (!ir::parse("carry_ir 1\n" + c.in, module, error))
    return "parse " + std::to_string(error.line) + ": " + error.message + "\n";
  const std::vector<ir::VerifyError> errors = ir::verify(module, 1);
  if (!errors.empty()) return "verify: " + ir::describe(module, errors[0]) + "\n";
  Emitter diags;
  const PassConfig config = config_of(c);
  const Result<bool> result = run(plan_of(c.passes), module, config, &diags, {});
  if (!result.ok()) return "bug: " + result.bug().pass + ": " + result.bug().message + "\n";
  if (!result.value()) return "error: " + message_text(diags.diagnostics().at(0)) + "\n";
  const std::string text = ir::print(module);
  ir::Context again_context;
  ir::Module again(again_context);
  EXPECT_TRUE(ir::parse(text, again, error)) << error.message << "\n" << text;
  return text.substr(text.find('\n') + 1);
}

std::vector<std::string> test_files() {
  std::vector<std::string> files;
  if (DIR* dir = opendir(folder().c_str())) {
    while (const dirent* entry = readdir(dir)) {
      const std::string name = entry->d_name;
      if (name.size() > 5 && name.substr(name.size() - 5) == ".test") files.push_back(name);
    }
    closedir(dir);
  }
  std::sort(files.begin(), files.end());
  return files;
}

TEST(PassText, Cases) {
  const bool update = std::getenv("CARRY_UPDATE_TESTS") != nullptr;
  const std::vector<std::string> files = test_files();
  EXPECT_FALSE(files.empty()) << "no tests in " << folder();
  for (const std::string& name : files) {
    const std::string path = folder() + "/" + name;
    const std::string text = read_file(path);
    std::string fresh = text.substr(0, text.find("=== "));
    for (const Case& c : parse_cases(text)) {
      const std::string got = run_case(c);
      if (!update) {
        EXPECT_EQ(got, c.out) << name << ": " << c.name;
      }
      fresh += "=== " + c.name + "\npasses: " + c.passes + "\n";
      if (!c.target.empty()) fresh += "target: " + c.target + "\n";
      fresh += "--- in\n" + c.in + "--- out\n" + got;
    }
    if (!update) continue;
    FILE* file = std::fopen(path.c_str(), "wb");
    ASSERT_NE(file, nullptr);
    std::fwrite(fresh.data(), 1, fresh.size(), file);
    std::fclose(file);
  }
}

TEST(PassText, EveryPassHasCases) {
  const std::vector<std::string> files = test_files();
  for (size_t i = 0; i < static_cast<size_t>(PassId::count_); ++i) {
    const std::string name = std::string(pass_row(static_cast<PassId>(i)).name) + ".test";
    EXPECT_TRUE(std::find(files.begin(), files.end(), name) != files.end()) << "no " << name;
  }
}

TEST(PassTables, EveryLackedFeatureIsRemovedOrRejected) {
  // What no pass removes yet is reported as not_supported_yet by target::prepare.
  using enum ir::Feature;
  const ir::FeatureSet later = {
      int16,           int8,       next_if,          bool_in_memory, laid_out_pointer, private_global,   workgroup_global,
      module_resource, io_globals, combined_sampler, plain_atomic,   strong_cas,       float_atomic_add, float_atomic_minmax};
  ir::FeatureSet removed;
  for (size_t i = 0; i < static_cast<size_t>(PassId::count_); ++i) removed = removed | pass_row(static_cast<PassId>(i)).removes;
  for (std::string_view name : target::target_names()) {
    target::Target target;
    std::string error;
    ASSERT_TRUE(target::find_target(name, target, error)) << error;
    ir::FeatureSet rejected;
    for (const target::Reject& reject : target.rejects) rejected.add(reject.feature);
    const ir::FeatureSet open = target.lacks - removed - rejected - later;
    for (size_t i = 0; i < ir::kFeatureCount; ++i) {
      if (open.has(static_cast<ir::Feature>(i)))
        ADD_FAILURE() << name << " lacks " << ir::feature_name(static_cast<ir::Feature>(i));
    }
  }
}

TEST(PassTables, NoCycle) {
  const size_t count = static_cast<size_t>(PassId::count_);
  std::vector<bool> done(count, false);
  const auto after = [](const PassRow& row, std::string_view name) {
    return (" " + std::string(row.after) + " ").find(" " + std::string(name) + " ") != std::string::npos;
  };
  for (size_t round = 0; round < count; ++round) {
    size_t pick = count;
    for (size_t i = 0; i < count && pick == count; ++i) {
      if (done[i]) continue;
      bool free = true;
      for (size_t k = 0; k < count; ++k) {
        const PassRow& a = pass_row(static_cast<PassId>(k));
        const PassRow& b = pass_row(static_cast<PassId>(i));
        if (k != i && !done[k] && (after(b, a.name) || !(a.leaves & b.removes).empty())) free = false;
      }
      if (free) pick = i;
    }
    if (pick == count) {
      for (size_t i = 0; i < count; ++i) {
        if (!done[i]) ADD_FAILURE() << "in a cycle: " << pass_row(static_cast<PassId>(i)).name;
      }
      return;
    }
    done[pick] = true;
  }
}

TEST(PassTables, AfterNamesPasses) {
  for (size_t i = 0; i < static_cast<size_t>(PassId::count_); ++i) {
    std::string_view names = pass_row(static_cast<PassId>(i)).after;
    while (!names.empty()) {
      const size_t space = names.find(' ');
      EXPECT_NE(find_pass(names.substr(0, space)), PassId::count_) << names;
      names = space == std::string_view::npos ? std::string_view() : names.substr(space + 1);
    }
  }
}

}  // namespace
}  // namespace carry::pass

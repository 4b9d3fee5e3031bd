#include "api/carry.h"

#include <charconv>
#include <new>

#include "diag/render.h"
#include "driver/compilation.h"
#include "driver/options.h"

namespace {

using carry::Stage;

constexpr size_t kFormats = 4;

/// What a host's function answers, as the preprocessor wants it.
class HostIncludes : public carry::IncludeResolver {
 public:
  HostIncludes(CarryIncludeFunction function, void* user) : function_(function), user_(user) {}
  carry::IncludeResult resolve(const carry::IncludeRequest& request) override {
    carry::IncludeResult result;
    CarryIncluded answer{};
    const std::string name(request.name), includer(request.includer);
    if (function_(user_, name.c_str(), request.angled ? 1 : 0, includer.c_str(), &answer) == 0) return result;
    if (answer.text == nullptr && answer.size != 0) return result;
    result.status = carry::IncludeResult::Status::found;
    result.path = answer.path != nullptr ? answer.path : name;
    result.identity = carry::normal_path(result.path);
    result.text = std::make_shared<const std::string>(answer.text != nullptr ? answer.text : "", answer.size);
    return result;
  }

 private:
  CarryIncludeFunction function_;
  void* user_;
};

bool parse_number(std::string_view text, uint32_t& value) {
  const auto r = std::from_chars(text.data(), text.data() + text.size(), value);
  return !text.empty() && r.ec == std::errc() && r.ptr == text.data() + text.size();
}

struct EndingRow {
  std::string_view ending;
  carry::SourceLanguage language;
};
constexpr EndingRow kEndings[] = {{".hlsl", carry::SourceLanguage::hlsl},
                                  {".fx", carry::SourceLanguage::hlsl},
                                  {".hlsli", carry::SourceLanguage::hlsl},
                                  {".glsl", carry::SourceLanguage::glsl}};

std::string_view last_ending(std::string_view name) {
  const size_t dot = name.find_last_of("./");
  return dot == std::string_view::npos || name[dot] == '/' ? std::string_view() : name.substr(dot);
}

}  // namespace

struct CarryRequest {
  carry::driver::Request request;
  bool language_given = false;
  CarryIncludeFunction include = nullptr;
  void* include_user = nullptr;
  std::string error;

  CarryStatus wrong(std::string text) {
    error = std::move(text);
    return CARRY_WRONG_USE;
  }
  void facts_of_name();
  CarryStatus set_flag(std::string_view option, bool on);
};

struct CarryResult {
  CarryStatus status = CARRY_OK;
  std::vector<std::string> outputs;
  std::string messages[kFormats];
  std::string reflection;
  std::vector<std::string> dependencies;
};

/// Language and stage as the command line reads them off a file's name.
void CarryRequest::facts_of_name() {
  std::string_view name = request.name;
  const std::string_view ending = last_ending(name);
  bool by_language = false;
  for (const EndingRow& row : kEndings) {
    if (row.ending != ending) continue;
    by_language = true;
    if (!language_given) request.language = row.language;
  }
  if (by_language) name.remove_suffix(ending.size());
  const std::string_view stage = last_ending(name);
  if (request.stage == Stage::none && stage.size() > 3) request.stage = carry::driver::find_stage(stage.substr(1));
}

CarryStatus CarryRequest::set_flag(std::string_view option, bool on) {
  carry::driver::Request& r = request;
  if (option == "debug")
    r.debug_info = on;
  else if (option == "warnings-as-errors")
    r.diagnostics.warnings_are_errors = on;
  else if (option == "no-warnings")
    r.diagnostics.no_warnings = on;
  else if (option == "row-major")
    r.lowering.row_major_default = on;
  else if (option == "16bit-types")
    r.native_16bit = on;
  else if (option == "native-arithmetic")
    r.lowering.native_arithmetic = on;
  else if (option == "strict")
    r.strict_literals = r.strict_types = r.strict_float_conversion = on;
  else
    return wrong("there is no option `" + std::string(option) + "`");
  return CARRY_OK;
}

extern "C" {

uint32_t carry_api_version(void) { return CARRY_API_VERSION; }

CarryRequest* carry_request_create(void) { return new (std::nothrow) CarryRequest(); }
void carry_request_destroy(CarryRequest* request) { delete request; }

CarryStatus carry_request_set_source(CarryRequest* request, const char* name, const char* text, size_t size) {
  if (request == nullptr) return CARRY_WRONG_USE;
  if (name == nullptr || (text == nullptr && size != 0)) return request->wrong("a source needs a name and its text");
  if (size > carry::kMaxSourceSize) return request->wrong("the source is larger than 256 MiB");
  request->request.name = name;
  request->request.text = std::make_shared<const std::string>(text != nullptr ? text : "", size);
  return CARRY_OK;
}

CarryStatus carry_request_set_language(CarryRequest* request, const char* language) {
  if (request == nullptr) return CARRY_WRONG_USE;
  const std::string_view word = language != nullptr ? language : "";
  if (word != "glsl" && word != "hlsl") return request->wrong("`" + std::string(word) + "` is not glsl or hlsl");
  request->request.language = word == "hlsl" ? carry::SourceLanguage::hlsl : carry::SourceLanguage::glsl;
  request->language_given = true;
  return CARRY_OK;
}

CarryStatus carry_request_set_stage(CarryRequest* request, const char* stage) {
  if (request == nullptr) return CARRY_WRONG_USE;
  const Stage found = carry::driver::find_stage(stage != nullptr ? stage : "");
  if (found == Stage::none) return request->wrong("`" + std::string(stage != nullptr ? stage : "") + "` is no stage");
  request->request.stage = found;
  return CARRY_OK;
}

CarryStatus carry_request_add_entry(CarryRequest* request, const char* name, const char* stage) {
  if (request == nullptr) return CARRY_WRONG_USE;
  if (name == nullptr || *name == '\0') return request->wrong("an entry needs a name");
  const Stage found = stage != nullptr ? carry::driver::find_stage(stage) : Stage::none;
  if (stage != nullptr && found == Stage::none) return request->wrong("`" + std::string(stage) + "` is no stage");
  request->request.entries.push_back({name, found});
  return CARRY_OK;
}

CarryStatus carry_request_add_target(CarryRequest* request, const char* target) {
  if (request == nullptr) return CARRY_WRONG_USE;
  carry::target::Target found;
  std::string error;
  if (!carry::target::find_target(target != nullptr ? target : "", found, error)) return request->wrong(std::move(error));
  request->request.targets.push_back(std::move(found));
  return CARRY_OK;
}

CarryStatus carry_request_add_macro(CarryRequest* request, const char* name, const char* value) {
  if (request == nullptr) return CARRY_WRONG_USE;
  if (name == nullptr || *name == '\0') return request->wrong("a macro needs a name");
  std::string text = std::string(name) + (value != nullptr ? "=" + std::string(value) : std::string());
  if (!carry::driver::is_macro(text, false))
    return request->wrong("`" + text + "` is not NAME or NAME=TEXT with a macro's name");
  request->request.macros.push_back({std::move(text), false});
  return CARRY_OK;
}

CarryStatus carry_request_set_option(CarryRequest* request, const char* option, const char* value) {
  if (request == nullptr) return CARRY_WRONG_USE;
  const std::string_view name = option != nullptr ? option : "";
  const std::string_view text = value != nullptr ? value : "";
  const auto bad_value = [&] {
    return request->wrong("option `" + std::string(name) + "`: `" + std::string(text) + "` is no value of it");
  };
  carry::driver::Request& r = request->request;
  using carry::driver::Optimisation;
  if (name == "optimisation") {
    constexpr std::string_view kLevels = "012s";
    constexpr Optimisation kIds[] = {Optimisation::o0, Optimisation::o1, Optimisation::o2, Optimisation::size};
    const size_t at = text.size() == 1 ? kLevels.find(text[0]) : std::string_view::npos;
    if (at == std::string_view::npos) return bad_value();
    r.optimisation = kIds[at];
    return CARRY_OK;
  }
  if (name == "shader-model") {
    uint32_t minor = 0;
    if (text.substr(0, 2) != "6." || !parse_number(text.substr(2), minor) || minor > 10) return bad_value();
    r.shader_model = 60 + minor;
    return CARRY_OK;
  }
  if (name == "bindings") return carry::driver::set_bindings(r, text) ? CARRY_OK : bad_value();
  if (name == "layout") return carry::driver::set_layout(r, text) ? CARRY_OK : bad_value();
  if (name == "error-limit") return parse_number(text, r.diagnostics.error_limit) ? CARRY_OK : bad_value();
  if (text != "0" && text != "1") return bad_value();
  return request->set_flag(name, text == "1");
}

const char* carry_request_error(const CarryRequest* request) { return request != nullptr ? request->error.c_str() : ""; }

CarryStatus carry_request_set_include(CarryRequest* request, CarryIncludeFunction function, void* user) {
  if (request == nullptr) return CARRY_WRONG_USE;
  request->include = function;
  request->include_user = user;
  return CARRY_OK;
}

CarryResult* carry_compile(const CarryRequest* request) {
  auto* result = new (std::nothrow) CarryResult();
  if (result == nullptr) return nullptr;
  if (request == nullptr || request->request.text == nullptr || request->request.targets.empty()) {
    result->status = CARRY_WRONG_USE;
    for (std::string& text : result->messages) text = "carry: error: a request needs a source and a target\n";
    return result;
  }
  CarryRequest own = *request;
  own.facts_of_name();
  HostIncludes includes(own.include, own.include_user);
  own.request.includes = own.include != nullptr ? &includes : nullptr;
  own.request.reflection = true;
  carry::driver::Output output = carry::driver::compile(carry::driver::Session(), own.request);
  carry::Emitter& diags = output.compilation->diags;
  if (output.bug) {
    const std::string where = "stage " + output.bug->stage + (output.bug->pass.empty() ? "" : ", pass " + output.bug->pass);
    diags.emit(carry::LocRange{}, carry::diag::internal_fault, where, output.bug->message);
  }
  constexpr carry::DiagFormat kIds[kFormats] = {carry::DiagFormat::text, carry::DiagFormat::msvc, carry::DiagFormat::json,
                                                carry::DiagFormat::sarif};
  for (size_t i = 0; i < kFormats; ++i) {
    carry::TextSink text;
    carry::render_all(diags, output.compilation->sources, {kIds[i], false}, text);
    result->messages[i] = kIds[i] == carry::DiagFormat::sarif ? carry::sarif_log(text.text(), "") : text.take();
  }
  const CarryStatus refused = carry::driver::is_wrong_use(diags) ? CARRY_WRONG_USE : CARRY_REFUSED;
  result->status = output.bug ? CARRY_FAULT : output.ok ? CARRY_OK : refused;
  result->outputs.resize(own.request.targets.size());
  for (size_t i = 0; i < output.targets.size(); ++i) result->outputs[i] = std::move(output.targets[i].bytes);
  if (output.reflection) result->reflection = carry::reflect::to_json(*output.reflection);
  result->dependencies = std::move(output.dependencies);
  return result;
}

void carry_result_destroy(CarryResult* result) { delete result; }
CarryStatus carry_result_status(const CarryResult* result) { return result != nullptr ? result->status : CARRY_WRONG_USE; }
size_t carry_result_output_count(const CarryResult* result) { return result != nullptr ? result->outputs.size() : 0; }

const void* carry_result_output(const CarryResult* result, size_t index, size_t* size) {
  const bool there = index < carry_result_output_count(result);
  if (size != nullptr) *size = there ? result->outputs[index].size() : 0;
  return there ? result->outputs[index].c_str() : "";
}

const char* carry_result_messages(const CarryResult* result, CarryFormat format) {
  const auto index = static_cast<size_t>(format);
  return result != nullptr && index < kFormats ? result->messages[index].c_str() : "";
}

const char* carry_result_reflection(const CarryResult* result) { return result != nullptr ? result->reflection.c_str() : ""; }
size_t carry_result_dependency_count(const CarryResult* result) { return result != nullptr ? result->dependencies.size() : 0; }

const char* carry_result_dependency(const CarryResult* result, size_t index) {
  return index < carry_result_dependency_count(result) ? result->dependencies[index].c_str() : "";
}

}  // extern "C"

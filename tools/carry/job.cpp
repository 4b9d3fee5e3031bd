#include "job.h"

#include <cstdlib>

#include "driver/options.h"
#include "files.h"
#include "version.h"

namespace carry::cli {

bool message_options(const CommandLine& line, MessageOptions& options, std::string& error) {
  const std::string_view form = line.last(Opt::diagnostics, "text");
  if (form == "text" || form == "clang")
    options.format = DiagFormat::text;
  else if (form == "msvc")
    options.format = DiagFormat::msvc;
  else if (form == "json")
    options.format = DiagFormat::json;
  else if (form == "sarif")
    options.format = DiagFormat::sarif;
  else {
    error = "option `--diagnostics`: `" + std::string(form) + "` is not text, msvc, json or sarif";
    return false;
  }
  const char* no_color = std::getenv("NO_COLOR");
  options.colour =
      options.format == DiagFormat::text && error_stream_is_terminal() && (no_color == nullptr || *no_color == '\0');
  return true;
}

void print_messages(const MessageOptions& options, const std::string& messages) {
  if (options.format == DiagFormat::sarif)
    print_error(sarif_log(messages, kVersion));
  else if (!messages.empty())
    print_error(messages);
}

namespace {

/// The text of `file`; false with a message when it cannot be read.
bool read_source(Job& job, driver::Request& request) {
  const IncludeResult source = job.file == "-" ? read_source_stream() : read_source_file(job.file);
  if (source.status == IncludeResult::Status::found) {
    request.text = source.text;
    return true;
  }
  job.error(diag::cannot_read_file, job.file == "-" ? "standard input" : job.file,
            source.reason.empty() ? "no such file" : source.reason);
  return false;
}

}  // namespace

Job run_job(const CommandLine& line, const SharedOptions& shared, const MessageOptions& messages, const std::string& file,
            driver::StopAfter stop) {
  Job job;
  job.file = file;
  job.form = messages;
  driver::Request request = shared.request;
  request.stop_after = stop;
  request.name = file == "-" ? std::string(line.last(Opt::name, "<stdin>")) : file;
  const NameFacts facts = facts_of_name(request.name);
  // Two letters, as in `a.ps`, are stages of HLSL under a profile of HLSL.
  const bool glsl_name = facts.has_language && facts.language == SourceLanguage::glsl && !facts.short_stage;
  const bool by_profile = shared.profile_given && !glsl_name;
  if (!shared.language_given && !by_profile) {
    if (shared.profile_given && facts.stage != Stage::none) request.stage = facts.stage;
    if (!facts.has_language) {
      job.error(diag::language_not_known, file == "-" ? std::string("standard input") : "`" + file + "`");
      job.status = 2;
      return job;
    }
    request.language = facts.language;
  }
  if (request.stage == Stage::none) request.stage = facts.stage;
  if (!read_source(job, request)) return job;
  FileResolver includes(shared.include_folders);
  request.includes = &includes;
  static const driver::Session kSession;
  job.output = driver::compile(kSession, request);
  if (job.output.compilation != nullptr) {
    TextSink out;
    render_all(job.output.compilation->diags, job.output.compilation->sources, {messages.format, messages.colour}, out);
    job.messages += out.text();
  }
  job.status = job.output.ok ? 0 : driver::is_wrong_use(job.output.compilation->diags) ? 2 : 1;
  if (job.output.bug) {
    const Bug& bug = *job.output.bug;
    job.error(diag::internal_fault, "stage " + bug.stage + (bug.pass.empty() ? "" : ", pass " + bug.pass), bug.message);
    job.status = 3;
  }
  return job;
}

}  // namespace carry::cli

#include "job.h"

#include <cstdlib>

#include "files.h"

namespace carry::cli {

bool message_options(const CommandLine& line, MessageOptions& options, std::string& error) {
  const std::string_view form = line.last(Opt::diagnostics, "text");
  if (form == "text" || form == "clang")
    options.format = DiagFormat::text;
  else if (form == "msvc")
    options.format = DiagFormat::msvc;
  else if (form == "json")
    options.format = DiagFormat::json;
  else {
    error = form == "sarif" ? "not supported yet: --diagnostics sarif"
                            : "option `--diagnostics`: `" + std::string(form) + "` is not text, msvc or json";
    return false;
  }
  const char* no_color = std::getenv("NO_COLOR");
  options.colour =
      options.format == DiagFormat::text && error_stream_is_terminal() && (no_color == nullptr || *no_color == '\0');
  return true;
}

namespace {

void plain_failure(Job& job, const MessageOptions& messages, const std::string& text) {
  TextSink out;
  if (messages.format == DiagFormat::json) {
    out << "{\"file\": ";
    json_string(job.file, out);
    out << ", \"line\": 0, \"col\": 0, \"severity\": \"error\", \"code\": \"CY6001\", \"name\": \"cannot-read-file\", "
           "\"text\": ";
    json_string(text, out);
    out << "}\n";
  } else {
    out << "carry: error: " << text << '\n';
  }
  job.messages += out.text();
  job.status = 1;
}

}  // namespace

Job run_job(const CommandLine& line, const SharedOptions& shared, const MessageOptions& messages, const std::string& file,
            driver::StopAfter stop) {
  Job job;
  job.file = file;
  driver::Request request = shared.request;
  request.stop_after = stop;
  request.name = file == "-" ? std::string(line.last(Opt::name, "<stdin>")) : file;
  if (file == "-") {
    auto text = std::make_shared<std::string>();
    std::string error;
    if (!read_file(file, *text, error)) {
      plain_failure(job, messages, error);
      return job;
    }
    request.text = text;
  } else {
    const IncludeResult source = read_source_file(file);
    if (source.status != IncludeResult::Status::found) {
      plain_failure(job, messages,
                    "cannot read `" + file + "`" + (source.reason.empty() ? ": no such file" : ": " + source.reason));
      return job;
    }
    request.text = source.text;
  }
  const NameFacts facts = facts_of_name(request.name);
  if (!shared.language_given) {
    if (!facts.has_language && file != "-") {
      plain_failure(job, messages, "the ending of `" + file + "` does not tell its language: add --lang glsl or --lang hlsl");
      return job;
    }
    if (!facts.has_language) {
      plain_failure(job, messages, "standard input needs --lang glsl or --lang hlsl");
      return job;
    }
    request.language = facts.language;
  }
  if (request.stage == Stage::none) request.stage = facts.stage;
  FileResolver includes(shared.include_folders);
  request.includes = &includes;
  static const driver::Session kSession;
  job.output = driver::compile(kSession, request);
  if (job.output.compilation != nullptr) {
    TextSink out;
    render_all(job.output.compilation->diags, job.output.compilation->sources, {messages.format, messages.colour}, out);
    job.messages += out.text();
  }
  job.status = job.output.ok ? 0 : 1;
  if (job.output.bug) {
    const Bug& bug = *job.output.bug;
    job.messages += "carry: fault of Carry itself in stage " + bug.stage + (bug.pass.empty() ? "" : ", pass " + bug.pass) +
                    ": " + bug.message + "; please report\n";
    job.status = 3;
  }
  return job;
}

}  // namespace carry::cli

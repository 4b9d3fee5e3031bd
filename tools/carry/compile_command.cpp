#include "compile_command.h"

#include <atomic>
#include <thread>

#include "disassemble.h"
#include "files.h"
#include "ir/text.h"
#include "job.h"
#include "output_names.h"

namespace carry::cli {

namespace {

int usage_error(const std::string& message) {
  print_error("carry: error: " + message + "\n");
  return 2;
}

struct Call {
  const CommandLine& line;
  const SharedOptions& shared;
  MessageOptions messages;
  const OutputPlan& plan;
  driver::StopAfter stop;
};

std::string escape_make(const std::string& path) {
  std::string out;
  for (char c : path) {
    if (c == ' ' || c == '#') out.push_back('\\');
    if (c == '$') out.push_back('$');
    out.push_back(c);
  }
  return out;
}

bool write_depfile(const Call& call, size_t index, const Job& job, std::string& error) {
  std::string path(call.line.last(Opt::depfile));
  if (path.empty() && !call.line.has(Opt::depfile_default)) return true;
  const std::string& first = call.plan.paths[index][0];
  if (path.empty()) path = first + ".d";
  const std::string target(call.line.last(Opt::dep_target, first));
  std::string text = escape_make(target) + ": " + escape_make(job.file);
  for (const std::string& d : job.output.dependencies) text += " \\\n  " + escape_make(d);
  return write_file(path, text + "\n", error);
}

void write_results(const Call& call, size_t index, Job& job) {
  const auto write = [&](const std::string& path, const std::string& content) {
    std::string error;
    if (write_file(path, content, error)) return;
    job.messages += "carry: error: " + error + "\n";
    job.status = job.status == 0 ? 1 : job.status;
  };
  if (call.stop == driver::StopAfter::preprocess) {
    if (job.output.ok)
      write(call.line.has(Opt::output) ? std::string(call.line.last(Opt::output)) : "-", job.output.preprocessed_text);
    return;
  }
  if (call.stop == driver::StopAfter::lower) {
    if (job.output.ok)
      write(call.line.has(Opt::output) ? std::string(call.line.last(Opt::output)) : "-",
            ir::print(*job.output.compilation->module));
    return;
  }
  for (size_t t = 0; t < job.output.targets.size(); ++t) {
    driver::TargetOutput& result = job.output.targets[t];
    if (!result.ok) continue;
    const std::string& path = call.plan.paths[index][t];
    const bool as_text = result.target.family == target::Family::spirv &&
                         (call.line.has(Opt::asm_) || (path.size() > 7 && path.compare(path.size() - 7, 7, ".spvasm") == 0));
    if (as_text) {
      std::string text, error;
      if (disassemble(result.bytes, text, error)) {
        write(path, text);
      } else {
        job.messages += "carry: error: " + error + "\n";
        job.status = 3;
      }
    } else {
      write(path, result.bytes);
    }
  }
  std::string error;
  if (job.output.ok && !write_depfile(call, index, job, error)) {
    job.messages += "carry: error: " + error + "\n";
    job.status = 1;
  }
}

Job compile_one(const Call& call, size_t index) {
  Job job = run_job(call.line, call.shared, call.messages, call.line.files[index], call.stop);
  if (job.output.compilation != nullptr) write_results(call, index, job);
  if (call.line.files.size() > 1) job.output = driver::Output();
  return job;
}

int compile_all(const Call& call) {
  const size_t count = call.line.files.size();
  std::vector<Job> jobs(count);
  unsigned threads = count > 1 ? std::thread::hardware_concurrency() : 1;
  if (call.line.has(Opt::jobs)) threads = static_cast<unsigned>(std::atoi(std::string(call.line.last(Opt::jobs)).c_str()));
  if (threads > count) threads = static_cast<unsigned>(count);
  if (threads < 2) {
    for (size_t i = 0; i < count; ++i) jobs[i] = compile_one(call, i);
  } else {
    std::atomic<size_t> next{0};
    std::vector<std::thread> pool;
    for (unsigned t = 0; t < threads; ++t) {
      pool.emplace_back([&] {
        for (size_t i = next++; i < count; i = next++) jobs[i] = compile_one(call, i);
      });
    }
    for (std::thread& t : pool) t.join();
  }
  int status = 0;
  for (const Job& job : jobs) {
    if (!job.messages.empty()) print_error(job.messages);
    if (job.status > status) status = job.status;
  }
  leave_fast(status);
  return status;
}

}  // namespace

int compile_command(const CommandLine& line) {
  if (line.files.empty()) return usage_error("no input file; see carry --help");
  SharedOptions shared = shared_options(line);
  if (!shared.error.empty()) return usage_error(shared.error);
  for (const GivenOption& o : line.options) {
    const bool later = o.id == Opt::split_entries || o.id == Opt::print_plan || o.id == Opt::time || o.id == Opt::reflect ||
                       (o.id == Opt::print_ir && !o.value.empty());
    if (later) return usage_error("not supported yet: " + o.spelling + (o.value.empty() ? "" : "=" + o.value));
  }
  MessageOptions messages;
  std::string error;
  if (!message_options(line, messages, error)) return usage_error(error);
  const OutputPlan plan = plan_outputs(line, shared);
  if (!plan.error.empty()) return usage_error(plan.error);
  driver::StopAfter stop = driver::StopAfter::nothing;
  if (line.has(Opt::preprocess))
    stop = driver::StopAfter::preprocess;
  else if (line.has(Opt::print_ir))
    stop = driver::StopAfter::lower;
  return compile_all({line, shared, messages, plan, stop});
}

int reflect_command(const CommandLine& line) {
  static_cast<void>(line);
  return usage_error("not supported yet: carry reflect");
}

}  // namespace carry::cli

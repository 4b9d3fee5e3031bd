#include "compile_command.h"

#include <atomic>
#include <thread>

#include "disassemble.h"
#include "files.h"
#include "ir/text.h"
#include "job.h"
#include "output_names.h"
#include "pass/pass.h"

namespace carry::cli {

namespace {

using driver::StopAfter;

int usage_error(const std::string& message) {
  print_error("carry: error: " + message + "\n");
  return 2;
}

struct Call {
  const CommandLine& line;
  const SharedOptions& shared;
  MessageOptions messages;
  const OutputPlan& plan;
  StopAfter stop;
  bool with_places = false;  // --print-ir=PASS,loc
  bool lowered = false;      // --print-ir, not after a pass of a target
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

/// One source's results: what goes to files is written, what goes to standard output is kept for its turn.
class Results {
 public:
  Results(const Call& call, size_t index, Job& job) : call_(call), index_(index), job_(job) {}

  std::string run() {
    if (call_.stop != StopAfter::nothing || !call_.shared.request.print_after.empty()) {
      if (job_.output.ok) print_stage();
    } else {
      for (size_t t = 0; t < job_.output.targets.size() && !call_.plan.paths.empty(); ++t) target(t);
    }
    const std::string& reflection = call_.plan.reflections[index_];
    if (!reflection.empty() && job_.output.reflection) write(reflection, reflect::to_json(*job_.output.reflection));
    if (job_.output.ok) depfile();
    if (call_.line.has(Opt::time)) out_ += time_table();
    return std::move(out_);
  }

 private:
  void write(const std::string& path, const std::string& content) {
    written_.push_back(path);
    if (path == "-") {
      out_ += content;
      return;
    }
    std::string why;
    if (!write_whole(path, content, why)) job_.error(diag::cannot_write_file, path, why);
  }

  static std::string place(const void* sources, LocRange range) {
    const Place p = static_cast<const SourceMap*>(sources)->place(range.begin);
    return std::to_string(p.line) + ":" + std::to_string(p.column);
  }

  void print_stage() {
    std::string text = std::move(job_.output.ir_text);
    if (call_.stop == StopAfter::preprocess) text = std::move(job_.output.preprocessed_text);
    if (call_.stop == StopAfter::plan) text = std::move(job_.output.plan_text);
    if (call_.lowered) {
      ir::PrintOptions options;
      if (call_.with_places) options = {&place, &job_.output.compilation->sources};
      text = ir::print(*job_.output.compilation->module, options);
    } else if (text.empty() && !call_.shared.request.print_after.empty()) {
      job_.error(diag::pass_not_in_plan, call_.shared.request.print_after);
      return;
    }
    if (!call_.plan.text.empty()) write(call_.plan.text, text);
  }

  void target(size_t number) {
    driver::TargetOutput& result = job_.output.targets[number];
    if (!result.ok) return;
    // With --split-entries each target has several outputs, in the order of the entries.
    const std::vector<std::string>& paths = call_.plan.paths[index_];
    std::string path = paths[number * paths.size() / job_.output.targets.size()];
    if (call_.shared.request.split_entries) path = path_of_entry(path, result.entry, output_ending(call_.line, result.target));
    const bool spvasm = path.size() > 7 && path.compare(path.size() - 7, 7, ".spvasm") == 0;
    if (result.target.family != target::Family::spirv || !(call_.line.has(Opt::asm_) || spvasm))
      return write(path, result.bytes);
    std::string text, error;
    if (disassemble(result.bytes, text, error)) return write(path, text);
    job_.error(diag::cannot_disassemble, error);
    job_.status = 3;
  }

  void depfile() {
    const std::string& path = call_.plan.depfiles[index_];
    if (path.empty()) return;
    std::string text;
    if (call_.line.has(Opt::dep_target)) {
      text = escape_make(std::string(call_.line.last(Opt::dep_target)));
    } else {
      for (const std::string& target : written_) {
        if (target != "-") text += (text.empty() ? "" : " ") + escape_make(target);
      }
      if (text.empty()) text = escape_make(path.size() > 2 ? path.substr(0, path.size() - 2) : path);
    }
    text += ":";
    if (job_.file != "-") text += " " + escape_make(job_.file);
    for (const std::string& d : job_.output.dependencies) text += " \\\n  " + escape_make(d);
    write(path, text + "\n");
  }

  std::string time_table() {
    std::string text = job_.file + "\n";
    double total = 0;
    for (const driver::StageTime& t : job_.output.times) {
      char line[160];
      std::snprintf(line, sizeof line, "  %-28s %9.3f ms %11llu bytes\n", t.stage.c_str(), t.milliseconds,
                    static_cast<unsigned long long>(t.bytes));
      text += line;
      total += t.milliseconds;
    }
    char line[80];
    std::snprintf(line, sizeof line, "  %-28s %9.3f ms\n", "all", total);
    return text + line;
  }

  const Call& call_;
  size_t index_;
  Job& job_;
  std::string out_;
  std::vector<std::string> written_;
};

struct Done {
  std::string messages, out;
  int status = 0;
  driver::Output kept;  // of a single file: it goes with the process
};

Done compile_one(const Call& call, size_t index) {
  Job job = run_job(call.line, call.shared, call.messages, call.line.files[index], call.stop);
  Done done;
  if (job.output.compilation != nullptr) done.out = Results(call, index, job).run();
  done.messages = std::move(job.messages);
  done.status = job.status;
  if (call.line.files.size() == 1) done.kept = std::move(job.output);
  return done;
}

/// False with messages when a file's language is not known: then none is read.
bool languages_known(const Call& call) {
  if (call.shared.language_given || call.shared.profile_given) return true;
  Job job;
  job.form = call.messages;
  for (const std::string& file : call.line.files) {
    const std::string name = file == "-" ? std::string(call.line.last(Opt::name, "<stdin>")) : file;
    if (!facts_of_name(name).has_language)
      job.error(diag::language_not_known, file == "-" ? std::string("standard input") : "`" + file + "`");
  }
  if (job.messages.empty()) return true;
  print_messages(call.messages, job.messages);
  return false;
}

/// Messages and standard output keep the order of the files.
int compile_all(const Call& call, unsigned threads) {
  const size_t count = call.line.files.size();
  std::vector<Done> done(count);
  if (threads > count) threads = static_cast<unsigned>(count);
  if (threads < 2) {
    for (size_t i = 0; i < count; ++i) done[i] = compile_one(call, i);
  } else {
    std::atomic<size_t> next{0};
    std::vector<std::thread> pool;
    for (unsigned t = 0; t < threads; ++t) {
      pool.emplace_back([&] {
        for (size_t i = next++; i < count; i = next++) done[i] = compile_one(call, i);
      });
    }
    for (std::thread& t : pool) t.join();
  }
  int status = 0;
  std::string messages;
  for (Done& d : done) {
    std::string why;
    if (!d.out.empty() && !write_whole("-", d.out, why)) {
      Job job;
      job.form = call.messages;
      job.error(diag::cannot_write_file, "standard output", why);
      d.messages += job.messages;
      d.status = d.status == 0 ? 1 : d.status;
    }
    messages += d.messages;
    if (d.status > status) status = d.status;
  }
  print_messages(call.messages, messages);
  leave_fast(status);
  return status;
}

bool thread_count(const CommandLine& line, unsigned& threads, std::string& error) {
  threads = line.files.size() < 2 ? 1 : std::thread::hardware_concurrency();
  if (!line.has(Opt::jobs)) return true;
  const std::string text(line.last(Opt::jobs));
  threads = static_cast<unsigned>(std::atoi(text.c_str()));
  const bool number = !text.empty() && text.size() < 6 && text.find_first_not_of("0123456789") == std::string::npos;
  if (!number || threads == 0) error = "option `-j`: `" + text + "` is not a number from 1 on";
  return error.empty();
}

/// What is printed in place of the targets' files; false with an error.
bool stop_stage(const CommandLine& line, SharedOptions& shared, Call& call, std::string& error) {
  std::string_view given;
  for (const GivenOption& o : line.options) {
    if (o.id != Opt::preprocess && o.id != Opt::print_ir && o.id != Opt::print_plan) continue;
    if (!given.empty() && given != o.spelling) {
      error = "`" + std::string(given) + "` and `" + o.spelling + "` each print something of their own: give one of them";
      return false;
    }
    given = o.spelling;
  }
  if (line.has(Opt::preprocess)) call.stop = StopAfter::preprocess;
  if (line.has(Opt::print_plan)) call.stop = StopAfter::plan;
  if (!line.has(Opt::print_ir)) return true;
  std::string pass(line.last(Opt::print_ir));
  const size_t comma = pass.rfind(",loc");
  call.with_places = pass == "loc" || (comma != std::string::npos && comma + 4 == pass.size());
  if (call.with_places) pass.resize(pass == "loc" ? 0 : comma);
  if (pass.empty()) {
    call.lowered = true;
    call.stop = StopAfter::lower;
    return true;
  }
  if (pass::find_pass(pass) == pass::PassId::count_) {
    std::vector<std::string_view> names;
    for (size_t i = 0; i < static_cast<size_t>(pass::PassId::count_); ++i)
      names.push_back(pass::pass_row(static_cast<pass::PassId>(i)).name);
    const std::string_view near = nearest(pass, names);
    error = "there is no pass `" + pass + "`" + (near.empty() ? "" : "; did you mean `" + std::string(near) + "`?");
    return false;
  }
  shared.request.print_after = pass;
  shared.request.print_places = call.with_places;
  return true;
}

int compile_files(const CommandLine& line, bool only_reflect) {
  if (line.files.empty()) return usage_error("no input file; see carry --help");
  SharedOptions shared = shared_options(line);
  if (!shared.error.empty()) return usage_error(shared.error);
  MessageOptions messages;
  std::string error;
  if (!message_options(line, messages, error)) return usage_error(error);
  OutputPlan plan;
  Call call{line, shared, messages, plan, StopAfter::nothing};
  if (!stop_stage(line, shared, call, error)) return usage_error(error);
  unsigned threads = 1;
  if (!thread_count(line, threads, error)) return usage_error(error);
  const bool prints = call.stop != StopAfter::nothing || !shared.request.print_after.empty();
  plan = plan_outputs(line, shared, {.targets = !prints && !only_reflect, .prints = prints || line.has(Opt::time)});
  if (!plan.error.empty()) return usage_error(plan.error);
  if (only_reflect) {
    if (line.files.size() > 1) return usage_error("carry reflect takes one file");
    plan.reflections[0] = std::string(line.last(Opt::output, "-"));
    plan.paths.clear();
  }
  shared.request.split_entries = line.has(Opt::split_entries);
  shared.request.reflection = only_reflect || line.has(Opt::reflect);
  shared.request.times = line.has(Opt::time);
  if (prints && line.has(Opt::reflect)) return usage_error("`--reflect` needs the targets, which are not made here");
  if (!languages_known(call)) return 2;
  return compile_all(call, threads);
}

}  // namespace

int compile_command(const CommandLine& line) { return compile_files(line, false); }
int reflect_command(const CommandLine& line) { return compile_files(line, true); }

}  // namespace carry::cli

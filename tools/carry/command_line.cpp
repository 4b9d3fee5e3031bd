#include "command_line.h"

#include <algorithm>

#include "files.h"

namespace carry::cli {

namespace {

constexpr OptionRow kOptions[] = {
#define OPTION(id, spelling, form, value_name, help) {Opt::id, spelling, Form::form, value_name, help},
#include "options.def"
#undef OPTION
};

struct ForeignRow {
  std::string_view option, tool, ours;
};
constexpr ForeignRow kForeign[] = {
#define FOREIGN(option, tool, ours) {option, tool, ours},
#include "foreign_options.def"
#undef FOREIGN
};

bool starts_with(std::string_view text, std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; }

/// The row for an argument: an exact spelling first, then the longest that the argument begins with.
const OptionRow* find_row(std::string_view arg) {
  const std::string_view head = arg.substr(0, arg.find('='));
  const OptionRow* best = nullptr;
  for (const OptionRow& row : kOptions) {
    if (row.spelling == arg) return &row;
    const bool takes_equals = row.form == Form::value || row.form == Form::optional || row.form == Form::either;
    if (takes_equals && row.spelling == head && row.spelling.size() > 2) return &row;
    const bool joins = row.form == Form::joined || row.form == Form::either;
    if (joins && arg.size() > row.spelling.size() && starts_with(arg, row.spelling) &&
        (best == nullptr || row.spelling.size() > best->spelling.size())) {
      best = &row;
    }
  }
  return best;
}

/// Words of a response file: one a line, or quoted as in a shell.
std::vector<std::string> response_words(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  bool open = false;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == quote) {
        quote = 0;
      } else if (c == '\\' && quote == '"' && i + 1 < text.size()) {
        word.push_back(text[++i]);
      } else {
        word.push_back(c);
      }
    } else if (c == '"' || c == '\'') {
      quote = c;
      open = true;
    } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      if (open) words.push_back(std::move(word));
      word.clear();
      open = false;
    } else {
      word.push_back(c);
      open = true;
    }
  }
  if (open) words.push_back(std::move(word));
  return words;
}

bool expand_responses(std::vector<std::string>& args, std::string& error) {
  for (int round = 0; round < 10; ++round) {
    bool changed = false;
    std::vector<std::string> out;
    for (std::string& arg : args) {
      if (arg.size() < 2 || arg[0] != '@') {
        out.push_back(std::move(arg));
        continue;
      }
      std::string text;
      if (!read_file(arg.substr(1), text, error)) return false;
      for (std::string& word : response_words(text)) out.push_back(std::move(word));
      changed = true;
    }
    args = std::move(out);
    if (!changed) return true;
  }
  error = "response files include each other too deeply";
  return false;
}

/// Values that stand apart; a flag, `joined` and `optional` take none.
size_t value_count(Form form) {
  switch (form) {
    case Form::value:
    case Form::either: return 1;
    case Form::two: return 2;
    case Form::four: return 4;
    default: return 0;
  }
}

std::string unknown_option(const std::string& arg) {
  const std::string head = arg.substr(0, arg.find('='));
  for (const ForeignRow& row : kForeign) {
    if (row.option == head)
      return "unknown option `" + head + "`; " + std::string(row.tool) + "'s is here: " + std::string(row.ours);
  }
  std::vector<std::string_view> names;
  for (const OptionRow& row : kOptions) names.push_back(row.spelling);
  const std::string_view near = nearest(head, names);
  return "unknown option `" + head + "`" +
         (near.empty() ? "; see carry --help" : "; did you mean `" + std::string(near) + "`?");
}

}  // namespace

bool CommandLine::has(Opt id) const {
  return std::any_of(options.begin(), options.end(), [id](const GivenOption& o) { return o.id == id; });
}

std::string_view CommandLine::last(Opt id, std::string_view otherwise) const {
  for (size_t i = options.size(); i-- > 0;) {
    if (options[i].id == id) return options[i].value;
  }
  return otherwise;
}

std::string_view nearest(std::string_view word, const std::vector<std::string_view>& candidates) {
  std::string_view best;
  size_t best_distance = word.size() < 4 ? 2 : 1 + word.size() / 3;
  for (std::string_view candidate : candidates) {
    std::vector<size_t> row(candidate.size() + 1);
    for (size_t j = 0; j <= candidate.size(); ++j) row[j] = j;
    for (size_t i = 1; i <= word.size(); ++i) {
      size_t diagonal = row[0];
      row[0] = i;
      for (size_t j = 1; j <= candidate.size(); ++j) {
        const size_t up = row[j];
        row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (word[i - 1] == candidate[j - 1] ? 0u : 1u)});
        diagonal = up;
      }
    }
    if (row[candidate.size()] < best_distance) {
      best_distance = row[candidate.size()];
      best = candidate;
    }
  }
  return best;
}

CommandLine parse_command_line(std::vector<std::string> args) {
  CommandLine line;
  if (!expand_responses(args, line.error)) return line;
  bool only_files = false;
  for (size_t i = 0; i < args.size(); ++i) {
    const std::string& arg = args[i];
    if (only_files || arg.size() < 2 || arg[0] != '-') {
      line.files.push_back(arg);
      continue;
    }
    if (arg == "--") {
      only_files = true;
      continue;
    }
    const OptionRow* row = find_row(arg);
    if (row == nullptr) {
      line.error = unknown_option(arg);
      return line;
    }
    GivenOption given{row->id, std::string(row->spelling), {}, {}, {}, {}};
    const bool exact = arg.size() == row->spelling.size();
    if (!exact) {
      given.value = arg.substr(row->spelling.size());
      const bool equals = row->form != Form::joined && row->spelling.size() > 2 && given.value[0] == '=';
      if (equals) given.value.erase(0, 1);
    } else if (const size_t wanted = value_count(row->form); wanted != 0) {
      if (i + wanted >= args.size()) {
        constexpr std::string_view kCounts[] = {"", "a value", "two values", "", "four values"};
        line.error = "option `" + arg + "` needs " + std::string(kCounts[wanted]) + ": " + std::string(row->value_name);
        return line;
      }
      size_t taken = 0;
      for (std::string* part : {&given.value, &given.second, &given.third, &given.fourth}) {
        if (taken++ == wanted) break;
        *part = args[++i];
      }
    }
    if (row->id == Opt::not_yet) {
      line.error = "not supported yet: " + std::string(row->spelling);
      return line;
    }
    if (row->id == Opt::refused) {
      line.error = "option `" + std::string(row->spelling) + "` is not followed here: " + std::string(row->help);
      return line;
    }
    line.options.push_back(std::move(given));
  }
  return line;
}

std::span<const OptionRow> option_rows() { return kOptions; }

std::string help_text(std::string_view command) {
  struct Usage {
    std::string_view command, line;
  };
  constexpr Usage kUsage[] = {
      {"compile", "carry FILE... [options]              compile"},
      {"run", "carry run FILE [options]             execute a compute shader on the CPU"},
      {"reflect", "carry reflect FILE [options]         entries, bindings and layouts as JSON"},
      {"explain", "carry explain CODE|NAME...           what a message means, with an example"},
      {"completion", "carry completion bash|zsh|fish       a script that completes options in a shell"},
      {"help", "carry help [COMMAND]                 this text"},
      {"", "carry --version | --list-targets"},
  };
  std::string text;
  for (const Usage& u : kUsage) {
    if (command.empty() || command == u.command) text += std::string(u.line) + "\n";
  }
  if (text.empty() || command == "explain" || command == "help" || command == "completion") return text;
  text += "\n";
  for (const OptionRow& row : kOptions) {
    const bool of_run = starts_with(row.help, "run");
    const bool wanted = command.empty() || (command == "run") == of_run || starts_with(row.help, "run,");
    if (row.help.empty() || row.id == Opt::refused || !wanted) continue;
    std::string head = "  " + std::string(row.spelling);
    if (row.form == Form::optional)
      head += "[=" + std::string(row.value_name) + "]";
    else if (!row.value_name.empty())
      head += (row.form == Form::joined ? "" : " ") + std::string(row.value_name);
    if (head.size() < 38)
      head.resize(38, ' ');
    else
      head += "\n" + std::string(38, ' ');
    text += head + std::string(row.help) + "\n";
  }
  if (command == "run") text += "\nand the options of `carry help compile` that say how to compile\n";
  return text;
}

}  // namespace carry::cli

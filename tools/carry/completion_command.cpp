#include "completion_command.h"

#include "files.h"

namespace carry::cli {

namespace {

constexpr std::string_view kCommands = "run reflect explain help completion";

/// Options that a person would type: those with a help text that do something.
bool offered(const OptionRow& row) {
  return !row.help.empty() && row.id != Opt::not_yet && row.id != Opt::no_effect && row.id != Opt::refused;
}

bool takes_value(const OptionRow& row) { return row.form != Form::flag && row.form != Form::optional; }

std::string bash() {
  std::string words(kCommands);
  for (const OptionRow& row : option_rows()) {
    if (offered(row)) words += " " + std::string(row.spelling);
  }
  return "_carry() {\n  local word=${COMP_WORDS[COMP_CWORD]}\n  COMPREPLY=()\n  if [[ $word == -* || $COMP_CWORD == 1 ]]; "
         "then\n"
         "    COMPREPLY=($(compgen -W '" +
         words + "' -- \"$word\"))\n  fi\n}\ncomplete -o default -F _carry carry\n";
}

/// For the insides of '...[help]' in zsh and '...' in fish.
std::string quoted(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      if (c == '[' || c == ']' || c == ':') out += '\\';
      out += c;
    }
  }
  return out;
}

std::string zsh() {
  std::string text = "#compdef carry\n_arguments \\\n";
  for (const OptionRow& row : option_rows()) {
    if (!offered(row)) continue;
    text += "  '*" + std::string(row.spelling) +
            (row.form == Form::value    ? "="
             : row.form == Form::either ? "+"
                                        : "") +
            "[" + quoted(row.help) + "]" + (takes_value(row) ? ":" + quoted(row.value_name) + ":_files" : "") + "' \\\n";
  }
  return text + "  '1: :(" + std::string(kCommands) + ")' \\\n  '*:file:_files'\n";
}

std::string fish() {
  std::string text = "complete -c carry -n __fish_use_subcommand -a '" + std::string(kCommands) + "'\n";
  for (const OptionRow& row : option_rows()) {
    if (!offered(row)) continue;
    const bool is_long = row.spelling.substr(0, 2) == "--";
    const std::string_view name = row.spelling.substr(is_long ? 2 : 1);
    std::string help(row.help);
    for (size_t at = help.find('\''); at != std::string::npos; at = help.find('\'', at + 2)) help.insert(at, 1, '\\');
    text += "complete -c carry " +
            std::string(is_long            ? "-l "
                        : name.size() == 1 ? "-s "
                                           : "-o ") +
            std::string(name) + (takes_value(row) ? " -r" : "") + " -d '" + help + "'\n";
  }
  return text;
}

}  // namespace

int completion_command(const CommandLine& line) {
  const std::string shell = line.files.size() == 1 ? line.files[0] : "";
  if (shell != "bash" && shell != "zsh" && shell != "fish") {
    print_error("carry: error: completion needs a shell: bash, zsh or fish\n");
    return 2;
  }
  print_out(shell == "bash" ? bash() : shell == "zsh" ? zsh() : fish());
  return 0;
}

}  // namespace carry::cli

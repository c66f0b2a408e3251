#include "app/cli/manual.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <vector>

namespace conv {

namespace {

// Hyphens and backslashes have a meaning in roff, and so has a dot or a quote at the beginning of a line.
std::string roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n'))
      out += std::string("\\&") + c;
    else
      out += c;
  }
  return out;
}

bool is_shown(const CLI::Option* option) {
  return !option->get_group().empty();
}

std::string roff_options(const CLI::App& app) {
  std::string text;
  for (const CLI::Option* option : app.get_options(is_shown)) {
    const bool named = !option->get_positional();
    const bool takes = option->get_expected_max() > 0;
    text += fmt::format(".TP\n{}{}{}\n{}\n", named ? "\\fB" : "\\fI", roff(option->get_name(false, true)),
                        named && takes ? "\\fR \\fIvalue\\fR" : "\\fR", roff(option->get_description()));
    if (!option->get_default_str().empty()) text += fmt::format("Default: {}\n", roff(option->get_default_str()));
  }
  return text;
}

// The values that end a description: "Theme: dark, light, contrast".
std::string values_of(const CLI::Option& option) {
  static const std::regex list(R"(: ([a-z0-9_]+(?:, [a-z0-9_]+)+)$)");
  std::smatch found;
  const std::string& text = option.get_description();
  return std::regex_search(text, found, list) ? std::regex_replace(found.str(1), std::regex(","), "") : "";
}

std::vector<std::string> long_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options(is_shown))
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

}  // namespace

std::string manual_page(const CLI::App& app) {
  std::string text = fmt::format(R"(.TH CONVOSCOPE 1 "" "convoscope {}" "User commands"
.SH NAME
convoscope \- see, compare and teach image convolution on a GPU
.SH SYNOPSIS
.B convoscope
[\fIoption\fR ...] [\fIIMAGE\fR]
.br
.B convoscope
\fIcommand\fR [\fIoption\fR ...]
.SH DESCRIPTION
{}
.PP
Without a command the window is opened.
.SH OPTIONS
{})",
                                 CONV_VERSION, roff(app.get_description()), roff_options(app));
  text += ".SH COMMANDS\n";
  for (const CLI::App* command : app.get_subcommands({}))
    text += fmt::format(".SS {}\n{}.\n{}", roff(command->get_name()), roff(command->get_description()),
                        roff_options(*command));
  return text +
         ".SH EXIT STATUS\n0: done. 1: a check or a comparison failed, or some of many files. 2: nothing was done; the "
         "reason is printed.\n";
}

std::string bash_completion(const CLI::App& app) {
  std::string commands, words = fmt::format("    '') words='{}", fmt::join(long_names(app), " ")), values;
  const auto add_values = [&](const CLI::App& of) {
    for (const CLI::Option* option : of.get_options(is_shown))
      if (const std::string list = values_of(*option); !list.empty() && !option->get_lnames().empty()) {
        const std::string row = fmt::format("    --{}) values='{}' ;;\n", option->get_lnames()[0], list);
        if (values.find(row) == std::string::npos) values += row;
      }
  };
  add_values(app);
  std::string cases;
  for (const CLI::App* command : app.get_subcommands({})) {
    commands += (commands.empty() ? "" : "|") + command->get_name();
    words += " " + command->get_name();
    cases += fmt::format("    {}) words='{}' ;;\n", command->get_name(), fmt::join(long_names(*command), " "));
    add_values(*command);
  }
  return fmt::format(R"(# Completion of convoscope for bash.
_convoscope() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} command='' words values=''
  local each
  for each in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case $each in {}) command=$each; break ;; esac
  done
  case $before in
{}  esac
  if [[ -n $values ]]; then
    COMPREPLY=($(compgen -W "$values" -- "$word"))
    return
  fi
  case $command in
{}' ;;
{}  esac
  COMPREPLY=($(compgen -W "$words" -- "$word") $(compgen -f -- "$word"))
}}
complete -o filenames -F _convoscope convoscope
)",
                     commands, values, words, cases);
}

}  // namespace conv

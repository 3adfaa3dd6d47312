#include "host/cli/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <span>

#include "host/cli/commands/command_list.hpp"
#include "host/cli/options/option_kinds.hpp"
#include "host/cli/settings/defaults.hpp"
#include "host/cli/version.hpp"
#include "host/report/results/words.hpp"

namespace raddle {
namespace {

const char* usage_words(Subcommand::Takes takes) {
  switch (takes) {
    case Subcommand::Takes::kProgram:
      return "-- PROG ARGS";
    case Subcommand::Takes::kPerhapsProgram:
      return "[-- PROG]";
    case Subcommand::Takes::kReplayFileAndProgram:
      return "FILE... [-- PROG ARGS]";
    case Subcommand::Takes::kReplayFile:
    case Subcommand::Takes::kTraceFile:
      return "FILE";
    case Subcommand::Takes::kStore:
      return "";
  }
  return "";
}

std::string usage_of(const Subcommand& command) {
  const std::string_view words = usage_words(command.takes());
  return fmt::format("raddle {} [OPTIONS]{}{}", command.name(), words.empty() ? "" : " ", words);
}

constexpr const char* kExitStatus =
    "0 nothing found; 1 something failing found (hunt: or confirmed; check, analyze:\n"
    "a candidate); 2 usage or bad input; 3 inconclusive or diverged.";

// The commands, each with its part of the command line.
class Parser {
 public:
  // `only`: the name of the command that gets its options, if no other one is asked about; making
  // those of all takes as long as a short execution.
  explicit Parser(Formats offered, std::string_view only = {}) {
    app.require_subcommand(1);
    set_usage(app, "raddle COMMAND [OPTIONS]");
    app.set_version_flag("--version", version_text());
    app.get_option("--version")->description("Print the version and exit");
    app.footer(
        fmt::format("Exit status: {}\n\nStart with:  raddle hunt -- ./your-program its arguments",
                    kExitStatus));
    for (std::unique_ptr<Subcommand>& command : make_commands()) {
      CLI::App* part = app.add_subcommand(command->name(), command->summary());
      set_usage(*part, usage_of(*command));
      command->offer(offered);
      if (only.empty() || only == command->name()) command->add_options(*part);
      parts_.push_back({part, std::move(command)});
    }
  }

  // The part of the command that was named, or null.
  const CLI::App* chosen() const {
    for (const Part& part : parts_) {
      if (part.app->parsed()) return part.app;
    }
    return nullptr;
  }

  std::unique_ptr<Subcommand> take_chosen() {
    for (Part& part : parts_) {
      if (part.app->parsed()) return std::move(part.command);
    }
    return nullptr;
  }

  CommandTable table() {
    CommandTable table{app.get_description(), kExitStatus, option_entries(app), {}};
    for (const Part& part : parts_) {
      const Subcommand& command = *part.command;
      table.commands.push_back({command.name(), command.summary(), usage_of(command),
                                command.takes(), option_entries(*part.app)});
    }
    return table;
  }

  CLI::App app{
      "Raddle runs the threads of a C or C++ program one at a time, in an order that a seed\n"
      "decides, and replays any such execution exactly."};

 private:
  struct Part {
    CLI::App* app;
    std::unique_ptr<Subcommand> command;
  };
  std::vector<Part> parts_;
};

UsageError usage_error(const CLI::App* command, std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return {fmt::format("{}; see `raddle {}--help'", text,
                      command != nullptr ? command->get_name() + " " : "")};
}

// " (did you mean `--budget'?)", or nothing.
std::string perhaps(const std::string& word, const std::vector<std::string>& names) {
  const std::string near = nearest_name(word, names);
  return near.empty() ? "" : fmt::format(" (did you mean `{}'?)", near);
}

UsageError no_such_command(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return usage_error(nullptr,
                     fmt::format("there is no command `{}'{}", word, perhaps(word, names)));
}

UsageError no_such_argument(const CLI::App& command, const std::string& word) {
  if (!word.starts_with('-'))
    return usage_error(&command, fmt::format("`{}' is no argument of {} (a program goes after --)",
                                             word, command.get_name()));
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  const std::string name = word.substr(0, word.find('='));
  return usage_error(&command, fmt::format("`{}' is no option of {}{}", name, command.get_name(),
                                           perhaps(name, names)));
}

// raddle.toml, if there is one.
struct Project {
  std::string path;
  std::string problem;
  ProjectFile file;
  CommandTable table;

  std::vector<DefaultOption> defaults(const std::string& command) const {
    for (const CommandEntry& entry : table.commands)
      if (entry.name == command) return defaults_of(file, entry);
    return {};
  }
};

Project read_project(Formats offered) {
  Project project;
  std::error_code error;
  const std::filesystem::path folder = std::filesystem::current_path(error);
  if (error) return project;  // who needs the folder says so
  project.path = find_project_file(folder.string());
  if (project.path.empty()) return project;
  project.table = Parser(offered).table();
  Result<ProjectFile> file = read_project_file(project.path);
  if (!file) {
    project.problem = file.error();
    return project;
  }
  project.problem = wrong_setting(*file, project.table);
  if (project.problem.empty()) project.file = std::move(*file);
  return project;
}

// For --help: what raddle.toml changes.
std::string told_defaults(const Project& project, const CLI::App* command) {
  if (project.path.empty()) return {};
  if (!project.problem.empty()) return fmt::format("\nNot usable: {}\n", project.problem);
  const std::string words = command != nullptr ? words_of(project.defaults(command->get_name()))
                                               : all_defaults(project.file, project.table);
  return words.empty() ? "" : fmt::format("\nDefaults from {}: {}\n", project.path, words);
}

// `raddle help [COMMAND]`.
Arguments help(CLI::App& app, std::span<char* const> names, const Project& project) {
  if (names.empty()) return Told{app.help() + told_defaults(project, nullptr)};
  const auto is_named = [&](CLI::App* command) { return command->get_name() == names.front(); };
  const std::vector<CLI::App*> found = app.get_subcommands(is_named);
  if (found.empty()) return no_such_command(app, names.front());
  return Told{found.front()->help() + told_defaults(project, found.front())};
}

// Nothing if the words are a command to run.
std::optional<Arguments> parse(Parser& parser, const std::vector<std::string>& words,
                               const Project& project) {
  try {
    std::vector<std::string> reversed(words.rbegin(), words.rend());  // CLI11 takes the last first
    parser.app.parse(reversed);
    return std::nullopt;
  } catch (const CLI::CallForHelp&) {
    const CLI::App* named = parser.chosen();
    return Told{(named != nullptr ? named : &parser.app)->help() + told_defaults(project, named)};
  } catch (const CLI::CallForVersion& version) {
    return Told{std::string(version.what()) + "\n"};
  } catch (const CLI::ExtrasError& error) {
    const CLI::App* named = parser.chosen();
    if (named == nullptr) return usage_error(nullptr, error.what());
    return no_such_argument(*named, named->remaining().front());
  } catch (const CLI::ParseError& error) {
    return usage_error(parser.chosen(), error.what());
  }
}

// What is wrong with what follows `--`; empty if nothing is.
std::string wrong_program(const Subcommand& command, bool separator, bool empty) {
  switch (command.takes()) {
    case Subcommand::Takes::kProgram:
      return empty ? fmt::format("no program given: raddle {} -- PROG ARGS", command.name()) : "";
    case Subcommand::Takes::kPerhapsProgram:
    case Subcommand::Takes::kReplayFileAndProgram:
      return "";
    case Subcommand::Takes::kReplayFile:
      return separator
                 ? fmt::format("{} takes the program and its arguments from the file, not after --",
                               command.name())
                 : "";
    case Subcommand::Takes::kTraceFile:
      return separator ? fmt::format("{} reads a file, and takes nothing after --", command.name())
                       : "";
    case Subcommand::Takes::kStore:
      return separator
                 ? fmt::format("{} executes nothing, and takes nothing after --", command.name())
                 : "";
  }
  return "";
}

// The command of a parser that has parsed its words, ready to run.
Arguments ready(Parser& parser, const Project& project, Subcommand::Defaults defaults,
                bool separator, std::vector<std::string> program) {
  std::unique_ptr<Subcommand> command = parser.take_chosen();
  std::string wrong = wrong_program(*command, separator, program.empty());
  if (wrong.empty()) wrong = command->conflict();
  if (!wrong.empty()) return usage_error(parser.chosen(), wrong);
  if (std::string_view(command->name()) == "doctor") {
    defaults.all = all_defaults(project.file, project.table);
  } else if (!project.problem.empty()) {
    return UsageError{project.problem};
  }
  command->set_program(std::move(program));
  command->set_defaults(std::move(defaults));
  return command;
}

// The words once more, with what raddle.toml says where they say nothing.
Arguments with_defaults(Parser& parser, const std::vector<std::string>& words,
                        const Project& project, Formats offered, bool separator,
                        std::vector<std::string> program) {
  const CLI::App& chosen = *parser.chosen();
  std::vector<DefaultOption> defaults;
  for (DefaultOption& option : project.defaults(chosen.get_name())) {
    // Who resumes goes on in that folder.
    const bool elsewhere =
        option.name == "--out" && chosen.get_name() == "hunt" && chosen.count("--resume") > 0;
    if (!option.words.empty() && !elsewhere && chosen.count(option.name) == 0)
      defaults.push_back(std::move(option));
  }
  Subcommand::Defaults told{project.path, words_of(defaults), "", project.problem};
  if (defaults.empty())
    return ready(parser, project, std::move(told), separator, std::move(program));

  const auto with = [&](const std::vector<DefaultOption>& added) {
    std::vector<std::string> all = {words.front()};
    for (const DefaultOption& option : added)
      all.insert(all.end(), option.words.begin(), option.words.end());
    all.insert(all.end(), words.begin() + 1, words.end());
    return all;
  };
  Parser second(offered, words.front());
  const std::optional<Arguments> end = parse(second, with(defaults), project);
  if (!end) return ready(second, project, std::move(told), separator, std::move(program));
  for (const DefaultOption& option : defaults) {
    Parser alone(offered, words.front());
    const std::optional<Arguments> refused = parse(alone, with({option}), project);
    if (!refused || !std::holds_alternative<UsageError>(*refused)) continue;
    return UsageError{
        fmt::format("{}:{}: {}", project.path, option.line, std::get<UsageError>(*refused).text)};
  }
  const auto* error = std::get_if<UsageError>(&*end);
  return UsageError{fmt::format("with the defaults of {}: {}", project.path,
                                error != nullptr ? error->text : "no command")};
}

// As it can be typed once more.
std::string command_line(std::span<char* const> words) {
  std::string line = "raddle";
  for (const char* word : words) line += " " + shell_quoted(word);
  return line;
}

}  // namespace

CommandTable command_table() { return Parser(formats()).table(); }

Arguments parse_arguments(int argc, char** argv, Formats offered) {
  const auto ours = std::find(argv + std::min(argc, 1), argv + argc, std::string_view("--"));
  const bool separator = ours != argv + argc;
  std::vector<std::string> program;
  if (separator) program.assign(ours + 1, argv + argc);

  const bool has_command = argc > 1 && ours > argv + 1 && argv[1][0] != '-';
  const bool helps = has_command && std::string_view(argv[1]) == "help";
  Parser parser(offered, has_command && !helps ? argv[1] : "");
  const Project project = read_project(offered);
  if (helps)
    return help(parser.app, {argv + 2, static_cast<std::size_t>(ours - argv) - 2}, project);
  const auto is_named = [&](CLI::App* command) { return command->get_name() == argv[1]; };
  if (has_command && parser.app.get_subcommands(is_named).empty()) {
    return no_such_command(parser.app, argv[1]);
  }
  const std::vector<std::string> words(argv + std::min(argc, 1), ours);
  if (std::optional<Arguments> end = parse(parser, words, project)) return std::move(*end);
  Arguments arguments =
      with_defaults(parser, words, project, offered, separator, std::move(program));
  if (auto* command = std::get_if<std::unique_ptr<Subcommand>>(&arguments))
    (*command)->set_command_line(command_line({argv + 1, static_cast<std::size_t>(argc - 1)}));
  return arguments;
}

}  // namespace raddle

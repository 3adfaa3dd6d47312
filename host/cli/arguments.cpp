#include "host/cli/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "host/cli/commands/command_list.hpp"
#include "host/cli/options/option_kinds.hpp"
#include "host/cli/version.hpp"

namespace raddle {
namespace {

const char* usage_words(Subcommand::Takes takes) {
  switch (takes) {
    case Subcommand::Takes::kProgram:
      return "-- PROG ARGS";
    case Subcommand::Takes::kPerhapsProgram:
      return "[-- PROG]";
    case Subcommand::Takes::kReplayFile:
    case Subcommand::Takes::kTraceFile:
      return "FILE";
  }
  return "";
}

std::string usage_of(const Subcommand& command) {
  return fmt::format("raddle {} [OPTIONS] {}", command.name(), usage_words(command.takes()));
}

constexpr const char* kExitStatus =
    "0 nothing found; 1 something failing found (hunt: or confirmed; check, analyze:\n"
    "a candidate); 2 usage or bad input; 3 inconclusive or diverged.";

// The commands, each with its part of the command line.
class Parser {
 public:
  explicit Parser(Formats offered) {
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
      command->add_options(*part);
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

// `raddle help [COMMAND]`.
Arguments help(CLI::App& app, std::span<char* const> names) {
  if (names.empty()) return Told{app.help()};
  const auto is_named = [&](CLI::App* command) { return command->get_name() == names.front(); };
  const std::vector<CLI::App*> found = app.get_subcommands(is_named);
  if (found.empty())
    return usage_error(nullptr, fmt::format("there is no command `{}'", names.front()));
  return Told{found.front()->help()};
}

// What is wrong with what follows `--`; empty if nothing is.
std::string wrong_program(const Subcommand& command, bool separator, bool empty) {
  switch (command.takes()) {
    case Subcommand::Takes::kProgram:
      return empty ? fmt::format("no program given: raddle {} -- PROG ARGS", command.name()) : "";
    case Subcommand::Takes::kPerhapsProgram:
      return "";
    case Subcommand::Takes::kReplayFile:
      return separator
                 ? fmt::format("{} takes the program and its arguments from the file, not after --",
                               command.name())
                 : "";
    case Subcommand::Takes::kTraceFile:
      return separator ? fmt::format("{} reads a file, and takes nothing after --", command.name())
                       : "";
  }
  return "";
}

}  // namespace

CommandTable command_table() { return Parser(formats()).table(); }

Arguments parse_arguments(int argc, char** argv, Formats offered) {
  const auto ours = std::find(argv + std::min(argc, 1), argv + argc, std::string_view("--"));
  const bool separator = ours != argv + argc;
  std::vector<std::string> program;
  if (separator) program.assign(ours + 1, argv + argc);

  Parser parser(offered);
  const bool has_command = argc > 1 && ours > argv + 1 && argv[1][0] != '-';
  if (has_command && std::string_view(argv[1]) == "help")
    return help(parser.app, {argv + 2, static_cast<std::size_t>(ours - argv) - 2});
  const auto is_named = [&](CLI::App* command) { return command->get_name() == argv[1]; };
  if (has_command && parser.app.get_subcommands(is_named).empty()) {
    return usage_error(nullptr, fmt::format("there is no command `{}'", argv[1]));
  }
  try {
    parser.app.parse(static_cast<int>(ours - argv), argv);
  } catch (const CLI::CallForHelp&) {
    const CLI::App* named = parser.chosen();
    return Told{named != nullptr ? named->help() : parser.app.help()};
  } catch (const CLI::CallForVersion& version) {
    return Told{std::string(version.what()) + "\n"};
  } catch (const CLI::ExtrasError& error) {
    const CLI::App* named = parser.chosen();
    if (named == nullptr) return usage_error(nullptr, error.what());
    return usage_error(named, fmt::format("`{}' is no argument of {} (a program goes after --)",
                                          named->remaining().front(), named->get_name()));
  } catch (const CLI::ParseError& error) {
    return usage_error(parser.chosen(), error.what());
  }
  std::unique_ptr<Subcommand> command = parser.take_chosen();
  std::string wrong = wrong_program(*command, separator, program.empty());
  if (wrong.empty()) wrong = command->conflict();
  if (!wrong.empty()) return usage_error(parser.chosen(), wrong);
  command->set_program(std::move(program));
  return command;
}

}  // namespace raddle

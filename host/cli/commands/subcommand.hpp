// A command of the tool: its options, what it does, its exit status. Each is a class in a file of
// its own, which also defines the function that makes it; command_list.hpp lists them.
//
// main() parses the command line, which makes every command and calls, in this order: offer(),
// add_options(), and for the one that was named set_program(), conflict() and run(). All on one
// thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.hpp"
#include "host/report/formats/format.hpp"

namespace CLI {
class App;
}

namespace raddle {

class Subcommand {
 public:
  // What the rest of the command line is, and what may follow `--`.
  enum class Takes {
    kProgram,
    kPerhapsProgram,
    kReplayFile,
    kReplayFileAndProgram,
    kTraceFile,
    kStore
  };

  Subcommand(const char* name, const char* summary, Takes takes)
      : name_(name), summary_(summary), takes_(takes) {}
  virtual ~Subcommand() = default;
  Subcommand(const Subcommand&) = delete;
  Subcommand& operator=(const Subcommand&) = delete;

  const char* name() const { return name_; }
  const char* summary() const { return summary_; }  // a line for --help
  Takes takes() const { return takes_; }

  // The formats that --format can name; the first is the default.
  void offer(Formats formats);
  // Adds options that fill members.
  virtual void add_options(CLI::App& app) = 0;
  // All of the command line, for reports.
  void set_command_line(std::string words) { command_line_ = std::move(words); }
  // What followed `--`.
  void set_program(std::vector<std::string> words) { program_ = std::move(words); }
  // Options that do not go together: one line on which; empty if all is well.
  virtual std::string conflict() const { return {}; }

  // What raddle.toml said; see set_defaults().
  struct Defaults {
    std::string path;     // empty: there is no such file
    std::string applied;  // to this command: "--budget 30s --jobs 2"; empty: nothing
    std::string all;      // to all commands; for `doctor`
    std::string problem;  // what is wrong with it; only `doctor` runs then
  };
  // Called before run().
  void set_defaults(Defaults defaults) { defaults_ = std::move(defaults); }
  const Defaults& defaults() const { return defaults_; }

  // Prints its result, and returns the process's exit status.
  virtual int run() = 0;

 protected:
  // --format, and its short form --json, at this place of --help.
  void add_format(CLI::App& app,
                  const std::string& json_help = "Print one JSON object instead of text");
  // --format, --json, and for each format that goes to files --NAME FILE. For commands that find
  // something.
  void add_reports(CLI::App& app);
  // Whether the files of add_reports() can be written: an error that names the one that cannot.
  // Called before anything runs; show() writes them.
  Result<bool> check_reports() const;
  // The result is written in this format, to a file or to standard output.
  bool writes(std::string_view format) const;
  const Format& format() const { return *format_; }
  // Standard output is for the format alone.
  bool captures_output() const { return format_->owns_output; }

  // Prints the document in the chosen format, writes the files that the user asked for, and returns
  // the exit status of its verdict; of bad input, if a file could not be written after all.
  int show(Document document) const;

  const std::vector<std::string>& program() const { return program_; }
  const std::string& command_line() const { return command_line_; }

 private:
  const char* const name_;
  const char* const summary_;
  const Takes takes_;
  Formats formats_;
  const Format* format_ = nullptr;
  const Format* short_form_ = nullptr;  // what --json named, if it was given
  std::string command_line_;
  std::vector<std::string> program_;
  struct ReportFile {
    const Format* format;
    std::string path;
  };
  std::vector<ReportFile> reports_;
  Defaults defaults_;
  std::string source_root_;
  bool no_source_ = false;
};

}  // namespace raddle

// raddle trace: prints a trace, or figures of it, or turns it into another format.
#include <fmt/format.h>
#include <signal.h>

#include "host/base/printable.hpp"
#include "host/cli/commands/command_list.hpp"
#include "host/cli/options/option_kinds.hpp"
#include "host/cli/options/trace_input.hpp"
#include "host/cli/terminal/exit_status.hpp"
#include "host/cli/terminal/terminal.hpp"
#include "host/report/results/trace_report.hpp"
#include "host/trace/rapid_format.hpp"

namespace raddle {
namespace {

// An option that may be repeated, each value parsed by `parse`, which gives a Result.
template <class Parse>
CLI::Option* many(CLI::App& app, const std::string& name, const char* type, Parse parse,
                  const char* help) {
  const auto take = [parse, name](const CLI::results_t& values) {
    for (const std::string& value : values) {
      if (value.empty()) throw CLI::ValidationError(name, "needs a value");
      const Result<bool> parsed = parse(value);
      if (!parsed) throw CLI::ValidationError(name, parsed.error());
    }
    return true;
  };
  return app.add_option(name, CLI::callback_t(take), help)
      ->type_name(type)
      ->expected(1, CLI::detail::expected_max_vector_size)
      ->allow_extra_args(false);
}

CLI::Option* words(CLI::App& app, const std::string& name, const char* type,
                   std::vector<std::string>& into, const char* help) {
  const auto keep = [&into](const std::string& value) {
    into.push_back(value);
    return Result<bool>(true);
  };
  return many(app, name, type, keep, help);
}

// Passes on, and prints what the exporter made of it, so that little is held in memory.
class RapidPrinter : public EventSink {
 public:
  void begin(const TraceHeader& header) override { exporter_->begin(header); }
  void define_site(SiteId id, const Site& site) override { exporter_->define_site(id, site); }
  void define_thread(ThreadId id, const std::string& name) override {
    exporter_->define_thread(id, name);
  }
  void define_object(std::uint64_t address, std::uint64_t bytes, const std::string& name) override {
    exporter_->define_object(address, bytes, name);
  }
  void define_member(const std::string& cls, std::uint32_t offset,
                     const std::string& member) override {
    exporter_->define_member(cls, offset, member);
  }
  void events(std::span<const Event> events) override {
    exporter_->events(events);
    flush();
  }
  void end(const TraceEnd& end) override {
    exporter_->end(end);
    flush();
  }
  void flush() {
    if (!text_.empty()) print(text_);
    text_.clear();
  }

 private:
  std::string text_;
  std::unique_ptr<RapidExporter> exporter_ = RapidExporter::into(&text_);
};

class TraceCommand final : public Subcommand {
 public:
  TraceCommand() : Subcommand("trace", "Print a trace, one column per thread", Takes::kTraceFile) {}

  void add_options(CLI::App& app) override {
    app.add_option("file", input_.file, "The trace file")->required()->type_name("FILE");
    words(app, "--thread", "T", filter_.threads,
          "Only this thread: its number or name (repeat for more)");
    words(app, "--object", "NAME", filter_.objects,
          "Only this object: words of its name, or 0xADDRESS (repeat for more)");
    words(app, "--function", "NAME", filter_.functions,
          "Only what happens in this function (repeat for more; * and ? match)");
    many(
        app, "--kind", "KIND",
        [this](const std::string& value) { return parse_kinds(value, filter_); },
        "Only this kind of event: read, acquire, ...; access, atomic, lock, call")
        ->delimiter(',');
    many(
        app, "--steps", "A..B",
        [this](const std::string& value) { return parse_steps(value, filter_); },
        "Only these steps: 3..17, 3.., ..17, 3")
        ->expected(1);
    app.add_flag("--all", filter_.all,
                 "Also decisions whose operation is an event, and calls inside the library");
    app.add_flag("--stats", stats_, "Figures instead: events, threads, objects, size");
    add_format(app, "JSON: one object a line; with --stats one in all");
    app.add_flag("--std", std_text_, "As STD text, for RAPID and other tools");
    app.add_flag("--salvage", input_.salvage, "Read a damaged file up to the damage");
    choice(app, "--from", input_.from, {"auto", "raddle", "std"}, "Format of the file");
  }

  std::string conflict() const override {
    if (!std_text_) return {};
    if (stats_ || captures_output())
      return "--std is a format of its own: not with --stats, --json";
    // A part of a trace would have locks that nobody acquired.
    if (filter_.is_narrow()) return "--std writes the whole trace: not with filters";
    return {};
  }

  int run() override {
    // `raddle trace FILE | head` ends as `cat FILE | head` does.
    signal(SIGPIPE, SIG_DFL);
    if (std_text_) return print_std();
    return stats_ || format().trace == nullptr ? print_stats() : print_events();
  }

 private:
  int print_events() const {
    const std::unique_ptr<FilteredTrace> printer =
        format().trace(filter_, text_options(stdout), print);
    const Result<ReadSummary> summary = read_input(input_, *printer);
    printer->flush();  // what came before an error too
    if (!summary) return fail(summary.error());
    note_input(input_, *summary);
    note_nothing(*printer);
    return kNothingFound;
  }

  int print_stats() const {
    // Figures are of everything: what is left out of a listing for brevity still happened.
    TraceFilter filter = filter_;
    filter.all = true;
    TraceStats stats(filter);
    const Result<ReadSummary> summary = read_input(input_, stats);
    if (!summary) return fail(summary.error());
    note_input(input_, *summary);
    const TraceReport report{input_.file, summary->bytes, stats};
    const int status = show(document_of(report));
    note_nothing(stats);
    return status;
  }

  int print_std() const {
    RapidPrinter printer;
    const Result<ReadSummary> summary = read_input(input_, printer);
    printer.flush();
    if (!summary) return fail(summary.error());
    note_input(input_, *summary);
    return kNothingFound;
  }

  void note_nothing(const FilteredTrace& shown) const {
    const std::string nothing = shown.nothing_shown();
    if (!nothing.empty()) error_line(fmt::format("{}: {}", printable(input_.file), nothing));
  }

  TraceInput input_;
  TraceFilter filter_;
  bool stats_ = false;
  bool std_text_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> make_trace_command() { return std::make_unique<TraceCommand>(); }

}  // namespace raddle

// raddle trace: prints a trace, or figures of it, or turns it into another format.
#include <fmt/format.h>
#include <signal.h>

#include <nlohmann/json.hpp>

#include "host/base/printable.hpp"
#include "host/cli/commands/commands.hpp"
#include "host/cli/options/trace_input.hpp"
#include "host/cli/terminal/terminal.hpp"
#include "host/report/trace_json.hpp"
#include "host/report/trace_stats.hpp"
#include "host/report/trace_text.hpp"
#include "host/trace/rapid_format.hpp"

namespace raddle {
namespace {

int fail(const std::string& error) {
  error_line(error);
  return kBadInput;
}

template <class Printer>
int print_events(const TraceCommand& command, Printer& printer) {
  const Result<ReadSummary> summary = read_input(command.input, printer);
  printer.flush();  // what came before an error too
  if (!summary) return fail(summary.error());
  note_input(command.input, *summary);
  const std::string nothing = printer.nothing_shown();
  if (!nothing.empty()) error_line(fmt::format("{}: {}", printable(command.input.file), nothing));
  return kNothingFound;
}

int print_stats(const TraceCommand& command) {
  // Figures are of everything: what is left out of a listing for brevity still happened.
  TraceFilter filter = command.filter;
  filter.all = true;
  TraceStats stats(filter);
  const Result<ReadSummary> summary = read_input(command.input, stats);
  if (!summary) return fail(summary.error());
  note_input(command.input, *summary);
  if (command.json) {
    print(stats.json(summary->bytes).dump(2) + "\n");
  } else {
    print(stats.text(summary->bytes, text_options(stdout)));
  }
  const std::string nothing = stats.nothing_shown();
  if (!nothing.empty()) error_line(fmt::format("{}: {}", printable(command.input.file), nothing));
  return kNothingFound;
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

int print_std(const TraceCommand& command) {
  RapidPrinter printer;
  const Result<ReadSummary> summary = read_input(command.input, printer);
  printer.flush();
  if (!summary) return fail(summary.error());
  note_input(command.input, *summary);
  return kNothingFound;
}

}  // namespace

int trace_command(const TraceCommand& command) {
  // `raddle trace FILE | head` ends as `cat FILE | head` does.
  signal(SIGPIPE, SIG_DFL);
  if (command.std_text) return print_std(command);
  if (command.stats) return print_stats(command);
  if (command.json) {
    TraceJson printer(command.filter, print);
    return print_events(command, printer);
  }
  TraceText printer(command.filter, text_options(stdout), print);
  return print_events(command, printer);
}

}  // namespace raddle

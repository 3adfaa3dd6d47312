// raddle trace: prints a trace, or figures of it, or turns it into another format.
#include <fmt/format.h>
#include <signal.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/terminal.hpp"
#include "report/printable.hpp"
#include "report/trace_json.hpp"
#include "report/trace_stats.hpp"
#include "report/trace_text.hpp"
#include "trace/std_format.hpp"
#include "trace/trace_reader.hpp"

namespace raddle {
namespace {

// "T0|r(V1)|345"
bool looks_like_std(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  char start[256] = {};
  file.read(start, sizeof start - 1);
  std::string_view line(start, static_cast<std::size_t>(file.gcount()));
  line = line.substr(0, line.find('\n'));
  const std::size_t first = line.find('|');
  const std::size_t open = line.find('(');
  const std::size_t last = line.rfind('|');
  return first != std::string_view::npos && open != std::string_view::npos && first < open &&
         open < last;
}

Result<ReadSummary> read(const TraceCommand& command, EventSink& sink) {
  const ReadOptions options{.salvage = command.salvage};
  const bool as_std =
      command.from == "std" ||
      (command.from == "auto" && !has_trace_magic(command.file) && looks_like_std(command.file));
  return as_std ? read_std(command.file, sink, options) : read_trace(command.file, sink, options);
}

// Things about the file that are no error; standard output is for the trace.
void note(const TraceCommand& command, const ReadSummary& summary) {
  if (summary.damage) {
    error_line(fmt::format("{}: damaged at byte {}: {}; what came before it was read",
                           printable(command.file), summary.damage->offset,
                           printable(summary.damage->what)));
  }
  if (summary.live) {
    error_line(
        fmt::format("{} is still being recorded: read as far as it went", printable(command.file)));
  }
}

int fail(const std::string& error) {
  error_line(error);
  return kBadInput;
}

template <class Printer>
int print_events(const TraceCommand& command, Printer& printer) {
  const Result<ReadSummary> summary = read(command, printer);
  printer.flush();  // what came before an error too
  if (!summary) return fail(summary.error());
  note(command, *summary);
  const std::string nothing = printer.nothing_shown();
  if (!nothing.empty()) error_line(fmt::format("{}: {}", printable(command.file), nothing));
  return kNothingFound;
}

int print_stats(const TraceCommand& command) {
  TraceStats stats(command.filter);
  const Result<ReadSummary> summary = read(command, stats);
  if (!summary) return fail(summary.error());
  note(command, *summary);
  if (command.json) {
    print(stats.json(summary->bytes).dump(2) + "\n");
  } else {
    print(stats.text(summary->bytes, text_options(stdout)));
  }
  const std::string nothing = stats.nothing_shown();
  if (!nothing.empty()) error_line(fmt::format("{}: {}", printable(command.file), nothing));
  return kNothingFound;
}

// Passes on, and prints what the exporter made of it, so that little is held in memory.
class StdPrinter : public EventSink {
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
  std::unique_ptr<StdExporter> exporter_ = StdExporter::into(&text_);
};

int print_std(const TraceCommand& command) {
  StdPrinter printer;
  const Result<ReadSummary> summary = read(command, printer);
  printer.flush();
  if (!summary) return fail(summary.error());
  note(command, *summary);
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

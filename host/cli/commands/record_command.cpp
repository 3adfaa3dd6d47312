// raddle record: one execution, with the user's own standard streams, and a trace of it.
#include "host/analysis/sharing/shared_recording.hpp"
#include "host/cli/commands/command_list.hpp"
#include "host/cli/options/option_kinds.hpp"
#include "host/cli/options/program_options.hpp"
#include "host/cli/running/execute_once.hpp"
#include "host/cli/running/interrupt.hpp"
#include "host/cli/running/prepared_program.hpp"
#include "host/cli/terminal/terminal.hpp"
#include "host/report/results/record_report.hpp"
#include "host/report/words/headline.hpp"
#include "host/symbols/images/unseen_code.hpp"
#include "host/trace/trace_writer.hpp"

namespace raddle {
namespace {

TraceEnd end_of(const Outcome& outcome) {
  TraceEnd end;
  end.complete = !outcome.execution.ended_by_host;
  end.outcome = outcome_text(outcome.execution.kind);
  if (outcome.execution.kind != OutcomeKind::kNone) end.message = headline(outcome.failure);
  return end;
}

class RecordCommand final : public Subcommand {
 public:
  RecordCommand()
      : Subcommand("record", "One execution, and a trace of all that happened in it",
                   Takes::kProgram) {}

  void add_options(CLI::App& app) override {
    app.add_option("-o,--output", file_, "The trace file")->type_name("FILE")->default_str(file_);
    app.add_flag("--sync-only", sync_only_,
                 "No memory accesses and functions, also if the program is instrumented");
    app.add_flag("--shared-only", shared_only_,
                 "Of memory accesses, only those to what several threads touch");
    add_seed(app, options_, "Seed of the strategy");
    add_strategy(app, options_, false);
    add_limits(app, options_);
    add_format(app);
    add_decide(app, options_);
  }

  std::string conflict() const override {
    return sync_only_ && shared_only_ ? "--shared-only is about accesses: not with --sync-only"
                                      : "";
  }

  int run() override {
    Result<PreparedProgram> prepared = prepare_program(program());
    if (!prepared) return fail(prepared.error());
    return shared_only_ ? record_shared(*prepared) : record_all(*prepared);
  }

 private:
  int record_all(const PreparedProgram& prepared) {
    Result<std::unique_ptr<TraceWriter>> writer = TraceWriter::create(file_);
    if (!writer) return fail(writer.error());
    TraceWriter& trace = **writer;
    const Result<Outcome> outcome = execute(prepared, [&](const TraceHeader& header) {
      trace.begin(header);
      return &trace;
    });
    if (!outcome) return fail(outcome.error());
    trace.end(end_of(*outcome));
    RecordReport report = report_of(*outcome);
    report.events = outcome->execution.traced;
    report.bytes = trace.byte_count();
    return show_recorded(report, trace.error());
  }

  int record_shared(const PreparedProgram& prepared) {
    Result<std::unique_ptr<SharedRecording>> made = SharedRecording::create(file_);
    if (!made) return fail(made.error());
    SharedRecording& recording = **made;
    const Result<Outcome> outcome = execute(prepared, [&](const TraceHeader& header) {
      recording.begin(header);
      return &recording.stream();
    });
    if (!outcome) return fail(outcome.error());
    end_at_once_on_signals();
    const Result<ThinnedTrace> thinned = recording.end(end_of(*outcome));
    if (!thinned) return fail(thinned.error());
    RecordReport report = report_of(*outcome);
    report.shared = *thinned;
    report.events = thinned->events;
    report.bytes = recording.byte_count();
    return show_recorded(report, recording.error());
  }

  // `begin` says who gets the stream.
  template <class Begin>
  Result<Outcome> execute(const PreparedProgram& prepared, Begin begin) {
    OnceOptions once{.captured = captures_output()};
    once.trace = sync_only_ ? TraceLevel::kSync : TraceLevel::kMemory;
    once.recorder = [&](Worker& worker) -> StreamSink* {
      instrumented_ = worker.instrumented();
      return begin(header(prepared, worker));
    };
    return execute_once(options_, prepared, once);
  }

  RecordReport report_of(const Outcome& outcome) const {
    return {.program = program().front(),
            .file = file_,
            .execution = outcome.execution,
            .failure = outcome.failure,
            .instrumented = instrumented_};
  }

  int show_recorded(RecordReport& report, const std::optional<Error>& error) const {
    report.broken = error.has_value();
    const int status = show(document_of(report));
    return error ? fail(error->message) : status;
  }

  TraceHeader header(const PreparedProgram& prepared, Worker& worker) const {
    TraceHeader header;
    header.raddle_version = RADDLE_VERSION;
    header.program = prepared.command.program;
    header.arguments = prepared.command.arguments;
    header.build_id = prepared.target.build_id;
    header.strategy = options_.strategy;
    header.seed = options_.seed;
    header.instrumented = worker.instrumented() && !sync_only_;
    header.unseen = synchronise_unseen(unseen_code(worker.maps()));
    header.origin = "raddle";
    return header;
  }

  ProgramOptions options_;
  std::string file_ = "raddle.trace";
  bool sync_only_ = false;
  bool shared_only_ = false;
  bool instrumented_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> make_record_command() { return std::make_unique<RecordCommand>(); }

}  // namespace raddle

// raddle record: one execution, with the user's own standard streams, and a trace of it.
#include "host/cli/commands/command_list.hpp"
#include "host/cli/options/option_kinds.hpp"
#include "host/cli/options/program_options.hpp"
#include "host/cli/running/execute_once.hpp"
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
    add_seed(app, options_, "Seed of the strategy");
    add_strategy(app, options_, false);
    add_limits(app, options_);
    add_format(app);
    add_decide(app, options_);
  }

  int run() override {
    Result<PreparedProgram> prepared = prepare_program(program());
    if (!prepared) return fail(prepared.error());
    Result<std::unique_ptr<TraceWriter>> writer = TraceWriter::create(file_);
    if (!writer) return fail(writer.error());
    TraceWriter& trace = **writer;
    bool instrumented = false;
    OnceOptions once{.captured = captures_output()};
    once.trace = sync_only_ ? TraceLevel::kSync : TraceLevel::kMemory;
    once.recorder = [&](Worker& worker) {
      instrumented = worker.instrumented();
      trace.begin(header(*prepared, worker));
      return &trace;
    };
    const Result<Outcome> outcome = execute_once(options_, *prepared, once);
    if (!outcome) return fail(outcome.error());
    trace.end(end_of(*outcome));
    const RecordReport report{.program = program().front(),
                              .file = file_,
                              .execution = outcome->execution,
                              .failure = outcome->failure,
                              .instrumented = instrumented,
                              .events = outcome->execution.traced,
                              .bytes = trace.byte_count(),
                              .broken = trace.error().has_value()};
    const int status = show(document_of(report));
    const std::optional<Error> error = trace.error();
    return error ? fail(error->message) : status;
  }

 private:
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
};

}  // namespace

std::unique_ptr<Subcommand> make_record_command() { return std::make_unique<RecordCommand>(); }

}  // namespace raddle

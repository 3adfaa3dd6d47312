#include "host/cli/commands/trace_options.hpp"

#include "host/cli/options/option_kinds.hpp"

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

}  // namespace

std::string trace_conflict(const TraceCommand& command) {
  if (!command.std_text) return {};
  if (command.stats || command.json)
    return "--std is a format of its own: not with --stats, --json";
  // A part of a trace would have locks that nobody acquired.
  if (command.filter.is_narrow()) return "--std writes the whole trace: not with filters";
  return {};
}

CLI::App* add_trace_command(CLI::App& app, TraceCommand& command) {
  CLI::App* trace = app.add_subcommand("trace", "Print a trace, one column per thread");
  set_usage(*trace, "raddle trace [OPTIONS] FILE");
  trace->add_option("file", command.input.file, "The trace file")->required()->type_name("FILE");
  words(*trace, "--thread", "T", command.filter.threads,
        "Only this thread: its number or name (repeat for more)");
  words(*trace, "--object", "NAME", command.filter.objects,
        "Only this object: words of its name, or 0xADDRESS (repeat for more)");
  words(*trace, "--function", "NAME", command.filter.functions,
        "Only what happens in this function (repeat for more; * and ? match)");
  many(
      *trace, "--kind", "KIND",
      [&command](const std::string& value) { return parse_kinds(value, command.filter); },
      "Only this kind of event: read, acquire, ...; access, atomic, lock, call")
      ->delimiter(',');
  many(
      *trace, "--steps", "A..B",
      [&command](const std::string& value) { return parse_steps(value, command.filter); },
      "Only these steps: 3..17, 3.., ..17, 3")
      ->expected(1);
  trace->add_flag("--all", command.filter.all,
                  "Also decisions whose operation is an event, and calls inside the library");
  trace->add_flag("--stats", command.stats, "Figures instead: events, threads, objects, size");
  trace->add_flag("--json", command.json, "JSON: one object a line; with --stats one in all");
  trace->add_flag("--std", command.std_text, "As STD text, for RAPID and other tools");
  trace->add_flag("--salvage", command.input.salvage, "Read a damaged file up to the damage");
  choice(*trace, "--from", command.input.from, {"auto", "raddle", "std"}, "Format of the file");
  return trace;
}

}  // namespace raddle

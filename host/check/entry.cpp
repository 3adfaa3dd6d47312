// The C interface behind raddle/check.hpp.
#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "host/check/identity.hpp"
#include "host/check/trials.hpp"
#include "host/explore/process_executor.hpp"
#include "protocol/inprocess_abi.h"
#include "protocol/strategies.hpp"
#include "raddle/check.hpp"

#define RADDLE_PUBLIC extern "C" __attribute__((visibility("default")))

namespace raddle {
namespace {

using detail::Framework;
using detail::Request;

const Framework* g_framework;  // null: failures are thrown
std::mutex g_one_at_a_time;

// For what is said when the process dies: written before executions run, read in a signal handler.
struct {
  const char* file;
  unsigned line;
  TestIdentity identity;
  bool by_choices;
} g_dying;

void say(std::string_view text) { [[maybe_unused]] auto n = write(2, text.data(), text.size()); }

void dying(SharedRegion* region) {
  static char name[8192];
  const std::uint64_t steps = region->live.steps.load(std::memory_order_relaxed);
  write_replay_string(name, sizeof name, region->plan, g_dying.by_choices, g_dying.identity,
                      {region->log(), steps});
  say("raddle: ");
  say(outcome_text(region->report.kind));
  say(" in an execution of raddle::check, from which the test cannot go on: the process ends.\n");
  say("raddle: the check is in ");
  say(g_dying.file);
  say("\nraddle: again: RADDLE_REPLAY=");
  say(name);
  say("\n");
}

struct Call {
  const Framework* framework;
  const Request* request;
};

void call_function(void* data) {
  const auto& call = *static_cast<const Call*>(data);
  if (call.framework != nullptr) {
    call.framework->invoke(call.request->function, call.request->data);
  } else {
    call.request->function(call.request->data);
  }
}

// Is it ours that the program calls? Null, or what is wrong.
const char* misplaced_runtime() {
  Dl_info ours{};
  Dl_info theirs{};
  dladdr(reinterpret_cast<void*>(&raddle_session_run), &ours);
  dladdr(dlsym(RTLD_DEFAULT, "pthread_mutex_lock"), &theirs);
  if (ours.dli_fbase == theirs.dli_fbase) return nullptr;
  return "libraddle.so comes after the C library in this program, so its threads cannot be "
         "controlled: link raddle::check directly to the executable, before other libraries";
}

// RADDLE_EXECUTIONS: "5000", or "10x". False if it makes no sense.
bool scale(Options& options, const char* text) {
  if (text == nullptr || *text == 0) return true;
  const char* const text_end = text + std::strlen(text);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text, text_end, number);
  if (error != std::errc{} || number == 0) return false;
  const std::string_view rest(end, static_cast<std::size_t>(text_end - end));
  if (rest.empty()) {
    options.executions = number;
    return true;
  }
  if (rest != "x") return false;
  const bool all = is_explorer(options.strategy);  // 0 is all there are, and stays so
  if (options.executions == 0 && options.seconds == 0 && !all) options.executions = 1000;
  if (__builtin_mul_overflow(options.executions, number, &options.executions))
    options.executions = ~std::uint64_t{0};
  options.seconds *= static_cast<double>(number);
  return true;
}

constexpr double kLongest = 24 * 60 * 60;  // seconds of one execution

// What a test may name; the runtime has strategies of its own besides.
bool is_strategy(std::string_view name) {
  const StrategyEntry* entry = find_strategy(name);
  return is_explorer(name) || (entry != nullptr && entry->in_tests != 0);
}

std::string known_strategies() {
  std::string text;
  for (std::size_t i = 0; i < count_in(&StrategyEntry::in_tests); ++i)
    text += fmt::format("{}, ", strategy_at(&StrategyEntry::in_tests, i).name);
  return text + explorer_names();
}

struct Wanted {
  Options options;
  std::optional<NamedExecution> replay;
  bool skip = false;  // RADDLE_REPLAY is of another test
};

// What is asked for, by the test and by the environment.
Result<Wanted> wanted_of(const Request& request, TestIdentity identity) {
  Wanted wanted{request.options, {}};
  if (!scale(wanted.options, std::getenv("RADDLE_EXECUTIONS"))) {
    return Error{fmt::format("RADDLE_EXECUTIONS={}: a number, or a factor such as 10x",
                             std::getenv("RADDLE_EXECUTIONS"))};
  }
  if (!is_strategy(wanted.options.strategy)) {
    return Error{fmt::format("Options::strategy: there is no \"{}\"; there are {}",
                             wanted.options.strategy, known_strategies())};
  }
  if (wanted.options.max_steps == 0 || wanted.options.max_steps > 100'000'000) {
    return Error{"Options::max_steps: between 1 and 100,000,000"};
  }
  if (!(wanted.options.timeout >= 0 && wanted.options.timeout <= kLongest)) {
    return Error{"Options::timeout: seconds, at most those of a day; 0 is no limit"};
  }
  if (!(wanted.options.seconds >= 0)) return Error{"Options::seconds: 0, or for how long"};
  // As long as clocks count; a factor may have made it more.
  wanted.options.seconds = std::min(wanted.options.seconds, 365 * kLongest);
  const char* variable = std::getenv("RADDLE_REPLAY");
  const bool by_variable = request.replay == nullptr && variable != nullptr && *variable != 0;
  const char* name = by_variable ? variable : request.replay;
  if (name == nullptr) return wanted;
  Result<NamedExecution> named = parse_replay_string(name, plan_of(wanted.options));
  if (!named) return Error{named.error()};
  if (named->identity.build != identity.build) {
    return Error{fmt::format(
        "\"{}\" is an execution of another build of this program: run the search again", name)};
  }
  if (named->identity.test != identity.test) {
    if (!by_variable)
      return Error{fmt::format("\"{}\" is an execution of another check than this", name)};
    wanted.skip = true;
  }
  wanted.replay = std::move(*named);
  return wanted;
}

TrialResult try_executions(const Request& request) {
  const auto failed = [](const std::string& text) {
    return TrialResult{{}, "raddle::check: " + text + "\n"};
  };
  if (const char* reason = misplaced_runtime()) return failed(reason);
  const Framework* framework = g_framework;
  const TestIdentity identity =
      identity_of(framework != nullptr ? framework->test() : "", request.file, request.line);
  Result<Wanted> wanted = wanted_of(request, identity);
  if (!wanted) return failed(wanted.error());
  if (wanted->skip) {
    say(fmt::format(
        "raddle: {}:{}: RADDLE_REPLAY names an execution of another check; this one is not run\n",
        request.file, request.line));
    return {{.passed = true}, ""};
  }
  const bool explores = !wanted->replay && is_explorer(wanted->options.strategy);
  const StrategyEntry* strategy = find_strategy(wanted->options.strategy);
  const bool learns =
      !wanted->replay && strategy != nullptr && strategy->learns != Learns::kNothing;
  g_dying = {request.file, request.line, identity,
             explores || learns || (wanted->replay && !wanted->replay->choices.empty())};
  Call call{framework, &request};
  const RunnerOptions session_options{
      {call_function, &call},
      {wanted->options.max_steps, std::chrono::duration<double>(wanted->options.timeout)},
      explores ? kEnabledCapacity : 0,
      dying};
  Result<std::unique_ptr<InProcessRunner>> runner = InProcessRunner::open(session_options);
  if (!runner) return failed(runner.error());
  const TrialOptions options{wanted->options, identity,
                             framework != nullptr ? framework->arguments() : ""};
  if (framework != nullptr) framework->begin();
  const std::terminate_handler handler = std::get_terminate();
  if (handler == __gnu_cxx::__verbose_terminate_handler) std::set_terminate(std::abort);
  TrialResult result = wanted->replay ? try_named(**runner, *wanted->replay, options)
                       : explores     ? try_all(**runner, options)
                                      : try_at_random(**runner, options);
  std::set_terminate(handler);
  if (framework != nullptr) framework->end();
  return result;
}

}  // namespace

namespace detail {

RADDLE_PUBLIC void raddle_check_run(const Request* request, Answer* answer) {
  static std::string failure;
  static std::string unseen;
  answer->failure = nullptr;
  if (request->size != sizeof(Request) || answer->size != sizeof(Answer)) {
    answer->failure = "raddle/check.hpp and libraddle_check.so are of different versions";
    return;
  }
  // The whole process is an execution of `raddle fuzz` or the like: that decides about threads, and
  // repeats.
  if (raddle_session_place() == RADDLE_UNDER_HOST) {
    request->function(request->data);
    answer->coverage = {.passed = true, .executions = 1};
    return;
  }
  const std::unique_lock lock(g_one_at_a_time, std::try_to_lock);
  TrialResult result;
  if (!lock || raddle_session_place() == RADDLE_IN_EXECUTION) {
    result.failure = "raddle::check: another check is under way in this process\n";
  } else {
    result = try_executions(*request);
  }
  answer->coverage = result.coverage;
  unseen = std::move(result.unseen);
  if (!unseen.empty()) answer->coverage.unseen = unseen.c_str();
  const Framework* framework = g_framework;
  if (result.failure.empty()) {
    if (framework != nullptr) framework->pass();
    return;
  }
  if (framework != nullptr) {
    framework->fail(result.failure.c_str(), request->file, request->line);
  } else {
    failure = std::move(result.failure);
    answer->failure = failure.c_str();
  }
}

RADDLE_PUBLIC void raddle_check_framework(const Framework* framework) { g_framework = framework; }

RADDLE_PUBLIC bool raddle_check_note_failure(const char* text, const char* file, unsigned line) {
  // One line: runs of blanks and line ends become a blank. On the stack, since the heap may be what
  // the test is about.
  char line_of_text[512];
  std::size_t size = 0;
  bool blank = true;
  for (; *text != 0 && size + 1 < sizeof line_of_text; ++text) {
    const bool space = *text == ' ' || *text == '\n' || *text == '\t';
    if (!space || !blank) line_of_text[size++] = space ? ' ' : *text;
    blank = space;
  }
  while (size > 0 && line_of_text[size - 1] == ' ') --size;
  line_of_text[size] = 0;
  return raddle_session_note_failure(line_of_text, file, line) != 0;
}

}  // namespace detail
}  // namespace raddle

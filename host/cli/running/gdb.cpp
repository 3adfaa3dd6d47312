#include "host/cli/running/gdb.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>

#include "host/cli/running/debugger_socket.hpp"
#include "host/cli/running/gdb_names.hpp"
#include "host/cli/running/gdb_spec.hpp"
#include "host/cli/running/workers.hpp"
#include "host/cli/terminal/exit_status.hpp"
#include "host/cli/terminal/terminal.hpp"
#include "host/process/aim_places.hpp"
#include "host/process/host_region.hpp"
#include "host/process/output_channel.hpp"
#include "host/process/program/doctor.hpp"
#include "host/process/strict_replay.hpp"
#include "host/process/watch.hpp"
#include "host/process/worker.hpp"

namespace raddle {
namespace {

constexpr std::uint64_t kSpareSteps = 1024;

std::string proc_path(const UniqueFd& fd) {
  return fmt::format("/proc/{}/fd/{}", getpid(), fd.get());
}

void pass_on(const OutputChannel& from, int to) {
  char buffer[16 * 1024];
  ssize_t n;
  while (from.read && (n = read(from.read.get(), buffer, sizeof buffer)) > 0) {
    if (write(to, buffer, static_cast<std::size_t>(n)) < 0) break;
  }
}

// What went into a file shows when the program has ended.
void pass_on_file(const OutputChannel& from, int to) {
  const std::string text = take_contents(from.file);
  [[maybe_unused]] const ssize_t n = write(to, text.data(), text.size());
}

// `raddle steps` and the like, installed with the tool; it also tells gdb to pass on our signal.
std::string commands_file() {
  std::string tool(PATH_MAX, '\0');
  const ssize_t length = readlink("/proc/self/exe", tool.data(), tool.size());
  tool.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
  return tool.substr(0, tool.rfind('/') + 1) + "../share/raddle/gdb.py";
}

std::vector<std::string> gdb_arguments(const std::string& spec, const PreparedProgram& prepared) {
  std::vector<std::string> arguments = {"gdb", "-q"};
  const auto add = [&](std::string line) {
    arguments.push_back("-iex");
    arguments.push_back(std::move(line));
  };
  add("set pagination off");
  add("set confirm off");
  add("set startup-with-shell on");  // wrappers need it
  add(fmt::format("set exec-wrapper /proc/{}/exe {} {}", getpid(), kGdbStart, spec));
  add("source " + commands_file());
  arguments.insert(arguments.end(), {"-ex", "run", "--args", prepared.command.program});
  const auto& argv = prepared.command.arguments;
  arguments.insert(arguments.end(), argv.begin() + 1, argv.end());
  return arguments;
}

// It talks through its standard input and output, which are the debugger's connection.
std::vector<std::string> server_arguments(const std::string& spec,
                                          const PreparedProgram& prepared) {
  std::vector<std::string> arguments = {"gdbserver",
                                        "--once",
                                        "--wrapper",
                                        fmt::format("/proc/{}/exe", getpid()),
                                        kGdbStart,
                                        spec,
                                        "--",
                                        "-",
                                        prepared.command.program};
  const auto& argv = prepared.command.arguments;
  arguments.insert(arguments.end(), argv.begin() + 1, argv.end());
  return arguments;
}

[[noreturn]] void exec_gdb(const std::vector<std::string>& arguments, const std::string& folder) {
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  setenv("SHELL", "/bin/sh", 1);  // gdb starts the wrapper with it; the program gets its own again
  signal(SIGPIPE, SIG_DFL);
  signal(SIGINT, SIG_DFL);
  if (chdir(folder.c_str()) == 0) execvp(argv.front(), argv.data());
  _exit(127);
}

// Watches the program inside gdb, as often as the user starts it, until gdb ends.
int watch_gdb(pid_t gdb, HostRegion& region, const OutputChannel& out, const OutputChannel& err) {
  Live& live = region.live();
  pid_t watched = 0;
  std::unique_ptr<Watch> watch;
  int status = 0;
  for (;;) {
    pollfd fds[] = {{out.read.get(), POLLIN, 0}, {err.read.get(), POLLIN, 0}};
    poll(fds, 2, static_cast<int>(kTick.count()));
    pass_on(out, STDOUT_FILENO);
    pass_on(err, STDERR_FILENO);
    const pid_t pid = live.pid.load();
    if (pid != watched) {
      watch = pid != 0 ? std::make_unique<Watch>(live, Clock::duration::zero(), false) : nullptr;
      if (watch) watch->started(pid);
      watched = pid;
    }
    if (watch) watch->tick(Clock::now());
    if (live.state.load() == RunState::kReporting && live.acknowledged.load() == 0) {
      region.acknowledge();
    }
    if (waitpid(gdb, &status, WNOHANG) != gdb) continue;
    pass_on_file(out, STDOUT_FILENO);
    pass_on_file(err, STDERR_FILENO);
    return status;
  }
}

// Where the program's modules will lie: as in any process of it. A fork server shows them.
Result<std::vector<AimSite>> placed(const ReplayFile& file, const PreparedProgram& prepared) {
  if (file.aims.empty()) return std::vector<AimSite>{};
  Result<std::unique_ptr<Worker>> worker = Worker::start(worker_options(prepared, kSpareSteps));
  if (!worker) return Error{worker.error()};
  return place_aims(std::make_shared<const std::vector<PlanAim>>(file.aims),
                    parse_maps((*worker)->maps()));
}

}  // namespace

int replay_in_gdb(const ReplayFile& file, const PreparedProgram& prepared,
                  const std::string& listen) {
  const char* debugger = listen.empty() ? "gdb" : "gdbserver";
  if (find_in_path(debugger).empty())
    return fail(fmt::format("{0} is not installed; install it (apt install {0})", debugger));
  if (const Check check = debugging(); check.level != Check::ok)
    return fail(fmt::format("ptrace(2) is {}: {}", check.detail, check.advice));
  Plan plan = strict_replay_of(file.plan, file.outcome, ReplayDetail::kFull);
  plan.carrier = CarrierKind::kKernel;
  Result<HostRegion> region = HostRegion::create(file.log.size() + kSpareSteps, file.log.size());
  if (!region) return fail(region.error());
  Result<std::vector<AimSite>> aims = placed(file, prepared);
  if (!aims) return fail(aims.error());
  Result<bool> ready = region->prepare(plan, file.log, *aims);
  if (!ready) return fail(ready.error());
  // gdb owns the terminal; the program gets what is left of a file, or nothing.
  Result<UniqueFd> input = UniqueFd(open("/dev/null", O_RDONLY | O_CLOEXEC));
  const Result<OutputChannel> out = make_output_channel(file.streams.output);
  const Result<OutputChannel> err = make_output_channel(file.streams.error);
  const UniqueFd spec_file(memfd_create("raddle-gdb", MFD_CLOEXEC));
  if (!out) return fail(out.error());
  if (!err) return fail(err.error());
  if (!input || !*input || !spec_file) {
    return fail(fmt::format("cannot prepare the debugger: {}", std::strerror(errno)));
  }

  GdbSpec spec;
  spec.program = prepared.command.program;
  spec.argv0 = prepared.command.arguments.front();
  spec.environment = target_environment(
      prepared.command, {.library = prepared.library.path(), .region_path = region->path()}, "");
  spec.region = region->path();
  spec.input = proc_path(*input);
  spec.output = proc_path(out->child);
  spec.error = proc_path(err->child);
  if (!write_spec(spec_file.get(), spec)) {
    return fail(fmt::format("cannot prepare the debugger: {}", std::strerror(errno)));
  }

  // gdb.py looks for them there. A debugger elsewhere does without.
  const UniqueFd names_file(memfd_create("raddle-names", MFD_CLOEXEC));
  const std::string names = listen.empty() ? names_for_gdb(file, prepared) : "";
  if (write(names_file.get(), names.data(), names.size()) == static_cast<ssize_t>(names.size()) &&
      !names.empty())
    setenv("RADDLE_GDB_NAMES", proc_path(names_file).c_str(), 1);

  UniqueFd connection;
  if (!listen.empty()) {
    Result<UniqueFd> accepted = accept_debugger(listen);
    if (!accepted) return fail(accepted.error());
    connection = std::move(*accepted);
  }
  signal(SIGINT, SIG_IGN);  // Ctrl-C is for gdb
  const std::vector<std::string> arguments = listen.empty()
                                                 ? gdb_arguments(proc_path(spec_file), prepared)
                                                 : server_arguments(proc_path(spec_file), prepared);
  const pid_t gdb = fork();
  if (gdb < 0) return fail(fmt::format("cannot start gdb: {}", std::strerror(errno)));
  if (gdb == 0) {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO})
      if (connection) dup2(connection.get(), stream);
    exec_gdb(arguments, prepared.command.directory);
  }
  connection = UniqueFd();
  const int status = watch_gdb(gdb, *region, *out, *err);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
    return fail(fmt::format("{} could not be started", debugger));
  return kNothingFound;
}

}  // namespace raddle

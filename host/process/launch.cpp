#include "host/process/launch.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "host/process/output_channel.hpp"
#include "protocol/shared_region.hpp"

namespace raddle {
namespace {

// Above what programs count on for their own descriptors.
constexpr int kFirstControlFd = 200;

struct Pipe {
  UniqueFd read;
  UniqueFd write;
};

Result<Pipe> make_pipe() {
  int fds[2];
  if (pipe2(fds, O_CLOEXEC) != 0) {
    return Error{fmt::format("cannot create a pipe: {}; fewer workers (-j) need fewer descriptors",
                             std::strerror(errno))};
  }
  return Pipe{UniqueFd(fds[0]), UniqueFd(fds[1])};
}

Result<UniqueFd> move_high(UniqueFd fd) {
  const int high = fcntl(fd.get(), F_DUPFD_CLOEXEC, kFirstControlFd);
  if (high < 0) {
    return Error{fmt::format("no descriptor above {} is free ({}); raise `ulimit -n'",
                             kFirstControlFd, std::strerror(errno))};
  }
  return UniqueFd(high);
}

void set_nonblocking(int fd) { fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK); }

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> result;
  result.reserve(strings.size() + 1);
  for (const std::string& s : strings) result.push_back(const_cast<char*>(s.c_str()));
  result.push_back(nullptr);
  return result;
}

// What the forked child needs; everything is allocated before the fork.
struct ChildSetup {
  pid_t host;
  const char* program;
  const char* directory;  // or null
  char* const* argv;
  char* const* envp;
  int control[2];
  int streams[3];  // -1: inherited
  bool own_group;
  int error_fd;
};

// Runs in the forked child of a process with threads: async-signal-safe calls only.
[[noreturn]] void exec_child(const ChildSetup& setup) {
  const auto fail = [&] {
    const int error = errno;
    [[maybe_unused]] const ssize_t n = write(setup.error_fd, &error, sizeof error);
    _exit(127);
  };
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != setup.host) _exit(127);
  if (setup.own_group) {
    setpgid(0, 0);
    // No core files from executions that are meant to crash. 1, since 0 does not stop a dump to a
    // program (core_pattern "|..."), and both are too small for a file.
    rlimit core{};
    getrlimit(RLIMIT_CORE, &core);
    core.rlim_cur = std::min<rlim_t>(core.rlim_max, 1);
    setrlimit(RLIMIT_CORE, &core);
  }
  for (const int sig : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGCHLD}) signal(sig, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  for (int i = 0; i < 3; ++i) {
    if (setup.streams[i] >= 0 && dup2(setup.streams[i], i) < 0) fail();
  }
  for (const int fd : setup.control) fcntl(fd, F_SETFD, 0);
  if (setup.directory != nullptr && chdir(setup.directory) != 0) fail();
  // Fails under some sandboxes; then replay still works for programs that do not depend on
  // addresses.
  const int persona = personality(0xffffffff);
  if (persona != -1) personality(static_cast<unsigned long>(persona) | ADDR_NO_RANDOMIZE);
  execve(setup.program, setup.argv, setup.envp);
  fail();
  _exit(127);
}

std::string variable(const std::vector<std::string>& environment, std::string_view name) {
  for (const std::string& entry : environment) {
    if (entry.size() > name.size() && entry[name.size()] == '=' && entry.starts_with(name)) {
      return entry.substr(name.size() + 1);
    }
  }
  return {};
}

}  // namespace

std::vector<std::string> target_environment(const Command& command, const LaunchOptions& options,
                                            const std::string& control) {
  const std::string own_preload = variable(command.environment, "LD_PRELOAD");
  std::vector<std::string> result;
  for (const std::string& entry : command.environment) {
    const std::string_view name(entry.data(), std::min(entry.find('='), entry.size()));
    if (name == "LD_PRELOAD" || name == kRegionVariable || name == kControlVariable ||
        name == kPreloadVariable || name == kBindNowVariable) {
      continue;
    }
    result.push_back(entry);
  }
  const char* separator = own_preload.empty() ? "" : ":";
  result.push_back(fmt::format("LD_PRELOAD={}{}{}", options.library, separator, own_preload));
  result.push_back(fmt::format("{}={}", kRegionVariable, options.region_path));
  if (!own_preload.empty()) result.push_back(fmt::format("{}={}", kPreloadVariable, own_preload));
  if (!control.empty()) result.push_back(fmt::format("{}={}", kControlVariable, control));
  if (options.bind_now && variable(command.environment, "LD_BIND_NOW").empty()) {
    result.emplace_back("LD_BIND_NOW=1");
    result.push_back(fmt::format("{}=1", kBindNowVariable));
  }
  return result;
}

Result<Server> launch(const Command& command, const LaunchOptions& options) {
  const bool captured = options.streams == Streams::kCaptured;
  Result<Pipe> commands = make_pipe();
  Result<Pipe> status = make_pipe();
  Result<Pipe> failure = make_pipe();
  OutputChannel out;
  OutputChannel err;
  UniqueFd input;
  for (const auto* pipe : {&commands, &status, &failure}) {
    if (!*pipe) return Error{pipe->error()};
  }
  if (captured) {
    Result<OutputChannel> made_out = make_output_channel(options.kinds.output);
    if (!made_out) return Error{made_out.error()};
    Result<OutputChannel> made_err = make_output_channel(options.kinds.error);
    if (!made_err) return Error{made_err.error()};
    out = std::move(*made_out);
    err = std::move(*made_err);
    input = UniqueFd(options.input >= 0 ? fcntl(options.input, F_DUPFD_CLOEXEC, 3)
                                        : open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (!input) return Error{fmt::format("cannot open standard input: {}", std::strerror(errno))};
  }
  Result<UniqueFd> control_in = move_high(std::move(commands->read));
  if (!control_in) return Error{control_in.error()};
  Result<UniqueFd> control_out = move_high(std::move(status->write));
  if (!control_out) return Error{control_out.error()};

  const std::vector<std::string> environment = target_environment(
      command, options, fmt::format("{:07},{:07}", control_in->get(), control_out->get()));
  const std::vector<char*> argv = pointers(command.arguments);
  const std::vector<char*> envp = pointers(environment);
  const ChildSetup setup{
      .host = getpid(),
      .program = command.program.c_str(),
      .directory = command.directory.empty() ? nullptr : command.directory.c_str(),
      .argv = argv.data(),
      .envp = envp.data(),
      .control = {control_in->get(), control_out->get()},
      .streams = {input.get(), out.child.get(), err.child.get()},
      .own_group = captured,
      .error_fd = failure->write.get()};

  const pid_t pid = fork();
  if (pid < 0) return Error{fmt::format("cannot start a process: {}", std::strerror(errno))};
  if (pid == 0) exec_child(setup);

  failure->write.reset();
  int error = 0;
  ssize_t n;
  do n = read(failure->read.get(), &error, sizeof error);
  while (n < 0 && errno == EINTR);
  if (n == sizeof error) {
    waitpid(pid, nullptr, 0);
    return Error{fmt::format("cannot start {}: {}", command.program, std::strerror(error))};
  }
  set_nonblocking(status->read.get());
  return Server{.pid = pid,
                .command = std::move(commands->write),
                .status = std::move(status->read),
                .out = std::move(out.read),
                .err = std::move(err.read),
                .out_file = std::move(out.file),
                .err_file = std::move(err.file)};
}

}  // namespace raddle

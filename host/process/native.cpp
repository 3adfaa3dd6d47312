#include "host/process/native.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "host/base/unique_fd.hpp"

namespace raddle {
namespace {

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> result;
  result.reserve(strings.size() + 1);
  for (const std::string& s : strings) result.push_back(const_cast<char*>(s.c_str()));
  result.push_back(nullptr);
  return result;
}

bool passes(int status, const std::vector<int>& ok_exit) {
  if (!WIFEXITED(status)) return false;
  const int code = WEXITSTATUS(status);
  return code == 0 || std::find(ok_exit.begin(), ok_exit.end(), code) != ok_exit.end();
}

}  // namespace

Result<NativeRun> run_natively(const Command& command, const NativeOptions& options) {
  const UniqueFd nowhere(options.output >= 0 ? fcntl(options.output, F_DUPFD_CLOEXEC, 3)
                                             : open("/dev/null", O_RDWR | O_CLOEXEC));
  const UniqueFd input(options.input >= 0 ? fcntl(options.input, F_DUPFD_CLOEXEC, 3)
                                          : open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!nowhere || !input) {
    return Error{fmt::format("cannot open /dev/null: {}", std::strerror(errno))};
  }
  const std::vector<char*> argv = pointers(command.arguments);
  const std::vector<char*> envp = pointers(command.environment);
  const char* directory = command.directory.empty() ? nullptr : command.directory.c_str();
  const pid_t host = getpid();
  const Clock::time_point begin = Clock::now();
  const pid_t pid = fork();
  if (pid < 0) return Error{fmt::format("cannot start a process: {}", std::strerror(errno))};
  if (pid == 0) {
    // A process with threads was forked: async-signal-safe calls only.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != host) _exit(127);
    setpgid(0, 0);
    const rlimit none{1, 1};  // no core file; see launch.cpp
    setrlimit(RLIMIT_CORE, &none);
    for (const int sig : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGCHLD}) signal(sig, SIG_DFL);
    lseek(input.get(), 0, SEEK_SET);
    dup2(input.get(), 0);
    dup2(nowhere.get(), 1);
    dup2(nowhere.get(), 2);
    if (directory != nullptr && chdir(directory) != 0) _exit(127);
    execve(command.program.c_str(), argv.data(), envp.data());
    _exit(127);
  }
  setpgid(pid, pid);
  NativeRun run;
  int status = 0;
  for (;;) {
    const pid_t ended = waitpid(pid, &status, WNOHANG);
    if (ended == pid) {
      run.end = passes(status, options.ok_exit) ? NativeRun::End::kPassed : NativeRun::End::kFailed;
      break;
    }
    const bool stopped = options.stop != nullptr && options.stop->load();
    if (stopped || Clock::now() - begin > options.limit) {
      run.end = stopped ? NativeRun::End::kInterrupted : NativeRun::End::kNoEnd;
      kill(-pid, SIGKILL);
      kill(pid, SIGKILL);
      while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
      }
      break;
    }
    poll(nullptr, 0, 2);
  }
  kill(-pid, SIGKILL);
  run.wait_status = status;
  run.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  return run;
}

}  // namespace raddle

// Runs a command and writes to a file what it took: CPU seconds of the process and its children,
// and the largest resident set of one of them in KiB. The scripts cannot do this by themselves: a
// process that they start begins with their own memory, which counts.
//
//   measure FILE COMMAND...       exit status: the command's, or 128 and the signal
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const pid_t child = fork();
  if (child == 0) {
    execvp(argv[2], argv + 2);
    _exit(127);
  }
  int status = 0;
  rusage usage{};
  if (child < 0 || wait4(child, &status, 0, &usage) != child) return 2;
  std::FILE* file = std::fopen(argv[1], "w");
  if (file == nullptr) return 2;
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  std::fprintf(file, "%.6f %ld\n", seconds(usage.ru_utime) + seconds(usage.ru_stime),
               usage.ru_maxrss);
  if (std::fclose(file) != 0) return 2;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

#include "target/connection/positions.hpp"

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "target/base/base.hpp"

namespace raddle {
namespace {

struct Position {
  int fd;
  long offset;
};
constexpr int kMost = 64;
// The files of programs that open something before main() have low numbers.
constexpr int kHighest = 256;
Position g_positions[kMost];
int g_count;

}  // namespace

void note_positions() {
  for (int fd = 3; fd < kHighest && g_count < kMost; ++fd) {
    struct stat info{};
    if (raw_syscall(SYS_fstat, fd, as_arg(&info)) != 0 || !S_ISREG(info.st_mode)) continue;
    const long offset = raw_syscall(SYS_lseek, fd, 0, SEEK_CUR);
    if (offset >= 0) g_positions[g_count++] = {fd, offset};
  }
}

void put_back_positions() {
  for (int i = 0; i < g_count; ++i)
    raw_syscall(SYS_lseek, g_positions[i].fd, g_positions[i].offset, SEEK_SET);
}

}  // namespace raddle

#include "host/process/program/restoring_check.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "host/base/unique_fd.hpp"

namespace raddle {
namespace {

// Newer than the headers of Debian 12.
constexpr std::uint64_t kAsynchronousProtection = 1 << 15;  // UFFD_FEATURE_WP_ASYNC
constexpr int kUserModeOnly = 1;                            // UFFD_USER_MODE_ONLY
using ScanArguments = std::array<std::uint64_t, 12>;        // struct pm_scan_arg
constexpr unsigned long kPagemapScan = _IOWR('f', 16, ScanArguments);

// Empty, or the call that does not work.
std::string refused_call() {
  const UniqueFd faults(
      static_cast<int>(syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | kUserModeOnly)));
  if (!faults) return fmt::format("userfaultfd: {}", std::strerror(errno));
  uffdio_api api{};
  api.api = UFFD_API;
  api.features = kAsynchronousProtection;
  if (ioctl(faults.get(), UFFDIO_API, &api) != 0)
    return fmt::format("userfaultfd without asynchronous protection: {}", std::strerror(errno));
  const UniqueFd pagemap(open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC));
  if (!pagemap) return fmt::format("/proc/self/pagemap: {}", std::strerror(errno));
  ScanArguments nothing{sizeof nothing};
  if (ioctl(pagemap.get(), kPagemapScan, &nothing) < 0)
    return fmt::format("PAGEMAP_SCAN: {}", std::strerror(errno));
  return "";
}

}  // namespace

Check written_memory() {
  const std::string refused = refused_call();
  if (refused.empty()) {
    return {"restoring", Check::ok,
            "userfaultfd and PAGEMAP_SCAN tell what an execution wrote: a process is put back "
            "after each instead of forked for each",
            ""};
  }
  return {"restoring", Check::warn,
          fmt::format("the kernel does not tell what an execution wrote ({}): programs of up to 4 "
                      "MiB are copied back whole after each execution, others forked for each",
                      refused),
          "everything works, slower; Linux 6.7 or later has the calls; in a container, allow "
          "userfaultfd(2): docker run --security-opt seccomp=unconfined"};
}

}  // namespace raddle

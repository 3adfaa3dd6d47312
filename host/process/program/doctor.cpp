#include "host/process/program/doctor.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <gnu/libc-version.h>
#include <sched.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "host/base/unique_fd.hpp"
#include "host/process/program/restoring_check.hpp"
#include "host/process/program/runtime_library.hpp"

namespace raddle {
namespace {

constexpr unsigned long kHwcap2Fsgsbase = 1UL << 1;  // HWCAP2_FSGSBASE of <asm/hwcap2.h>
constexpr int kGlibcMinor = 34;                      // 2.34 merged libpthread into libc
constexpr int kTestedMinor = 36;                     // Debian 12 runs all tests
constexpr int kDemoMinor = 41;                       // Debian 13 runs the demo

Check processor() {
  utsname name{};
  uname(&name);
  if (std::strcmp(name.machine, "x86_64") == 0) return {"processor", Check::ok, "x86-64", ""};
  return {"processor", Check::bad, name.machine, "use a machine with an x86-64 processor"};
}

Check cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  const int count = sched_getaffinity(0, sizeof set, &set) == 0
                        ? CPU_COUNT(&set)
                        : static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  return {"cores", Check::ok,
          fmt::format("{} usable: {} is a good -j for raddle fuzz", count, count), ""};
}

Check fast_switch() {
  if ((getauxval(AT_HWCAP2) & kHwcap2Fsgsbase) != 0) {
    return {"thread switch", Check::ok, "FSGSBASE: a switch needs no system call", ""};
  }
  return {"thread switch", Check::warn, "no FSGSBASE: each switch costs a system call",
          "everything works, slower; Linux 5.9 or later on a processor since 2012 has it"};
}

Check c_library() {
  const char* version = gnu_get_libc_version();
  int major = 0, minor = 0;
  const bool known = std::sscanf(version, "%d.%d", &major, &minor) == 2;
  if (!known || major != 2 || minor < kGlibcMinor) {
    return {"C library", Check::bad, fmt::format("glibc {}", version),
            fmt::format("use a system with glibc 2.{} or later", kGlibcMinor)};
  }
  const char* than = minor < kTestedMinor ? ", older than"
                     : minor > kDemoMinor ? ", newer than"
                                          : ";";
  return {"C library", Check::ok,
          fmt::format("glibc {}{} what was tested: 2.{} (all tests) and 2.{} (the demo)", version,
                      than, kTestedMinor, kDemoMinor),
          ""};
}

// Fibers are complete threads to glibc, made with its private functions: the same list as in
// target/carrier/glibc.cpp.
constexpr const char* kPrivateFunctions[] = {
    "_dl_allocate_tls",      "_dl_deallocate_tls",      "__ctype_init",
    "__call_tls_dtors",      "_dl_get_tls_static_info", "_thread_db_sizeof_pthread",
    "_thread_db_pthread_tid"};

Check loader_functions() {
  std::string missing;
  for (const char* name : kPrivateFunctions) {
    if (dlvsym(RTLD_DEFAULT, name, "GLIBC_PRIVATE") != nullptr) continue;
    missing += missing.empty() ? name : fmt::format(", {}", name);
  }
  if (missing.empty()) return {"fibers", Check::ok, "glibc has what they need", ""};
  return {"fibers", Check::warn, fmt::format("this glibc does not export {}", missing),
          "use --carrier kernel, which needs none of it"};
}

Check proc_file_system() {
  if (access("/proc/self/maps", R_OK) == 0 && access("/proc/self/fd", X_OK) == 0) {
    return {"/proc", Check::ok, "mounted", ""};
  }
  return {"/proc", Check::bad, "not mounted", "mount it: mount -t proc proc /proc"};
}

Check shared_memory() {
  const UniqueFd fd(memfd_create("raddle-doctor", MFD_CLOEXEC));
  constexpr std::size_t kSize = 1 << 20;
  int error = 0;
  if (!fd || ftruncate(fd.get(), kSize) != 0) {
    error = errno;
  } else {
    void* map = mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
    if (map == MAP_FAILED) {
      error = errno;
    } else {
      munmap(map, kSize);
    }
  }
  if (error == 0) return {"shared memory", Check::ok, "memfd_create works", ""};
  return {"shared memory", Check::bad, fmt::format("memfd_create: {}", std::strerror(error)),
          "allow memfd_create(2), or raise the limit on file sizes (ulimit -f)"};
}

Check debugger() {
  const std::string gdb = find_in_path("gdb");
  if (!gdb.empty()) return {"debugger", Check::ok, gdb, ""};
  return {"debugger", Check::warn, "no gdb in PATH",
          "install gdb if you want `raddle replay --gdb'"};
}

Check runtime() {
  const Result<std::string> library = find_runtime_library();
  if (library) return {"runtime", Check::ok, *library, ""};
  return {"runtime", Check::bad, "libraddle.so not found", library.error()};
}

Check debug_information(const Target& target) {
  if (target.has_debug_info) return {"debug information", Check::ok, "present", ""};
  if (target.has_debug_link) {
    return {"debug information", Check::warn, "in a separate file that is not installed",
            "install the program's -dbgsym package to see files and lines"};
  }
  return {"debug information", Check::warn, "none: reports name functions at best",
          "compile with -g to see files and lines"};
}

}  // namespace

// Containers forbid this by default in some places (seccomp), so try it, and put it back.
Check address_randomisation() {
  const int before = personality(0xffffffff);
  if (before >= 0 && personality(static_cast<unsigned>(before) | ADDR_NO_RANDOMIZE) >= 0) {
    const int after = personality(0xffffffff);
    personality(static_cast<unsigned>(before));
    if (after >= 0 && (after & ADDR_NO_RANDOMIZE) != 0) {
      return {"address randomisation", Check::ok, "can be switched off for the program", ""};
    }
  }
  return {
      "address randomisation", Check::warn,
      fmt::format("cannot be switched off ({})", std::strerror(errno)),
      "what a program orders by address may differ from execution to execution, and not replay; "
      "in a container, allow personality(2): docker run --security-opt seccomp=unconfined"};
}

Check debugging() {
  const pid_t child = fork();
  if (child == 0) _exit(ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0 ? 0 : 1);
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || status == 0)
    return {"ptrace", Check::ok, "allowed", ""};
  return {"ptrace", Check::warn, "refused here, and gdb cannot run a program without it",
          "everything but --gdb works; in a container, allow ptrace(2): docker run "
          "--cap-add=SYS_PTRACE --security-opt seccomp=unconfined"};
}

std::vector<Check> doctor_machine() {
  return {processor(),
          cores(),
          c_library(),
          loader_functions(),
          fast_switch(),
          proc_file_system(),
          address_randomisation(),
          shared_memory(),
          written_memory(),
          runtime(),
          debugger(),
          debugging()};
}

std::vector<Check> control_problems(const Target& target) {
  std::vector<Check> checks;
  if (target.links_libtsan || target.has_tsan_inside) {
    checks.push_back({"sanitizer", Check::bad,
                      "linked with ThreadSanitizer, which intercepts the same functions and has a "
                      "thread of its own",
                      "use a build without it, or link its objects with libraddle.so instead "
                      "(docs/commands.md)"});
  }
  if (target.is_go) {
    checks.push_back({"Go", Check::bad,
                      "the Go runtime makes and switches its threads itself, without libc",
                      "raddle controls C and C++ programs; for Go use its own race detector"});
  }
  return checks;
}

std::vector<Check> doctor_program(const Target& target) {
  std::vector<Check> checks;
  checks.push_back(
      {"program", Check::ok,
       fmt::format("{}, x86-64, dynamically linked with the GNU C library", target.path), ""});
  checks.push_back(target.build_id.empty()
                       ? Check{"build id", Check::ok, "none: recognised by its contents", ""}
                       : Check{"build id", Check::ok, target.build_id, ""});
  checks.push_back(debug_information(target));
  // Whether it ever makes a thread that way shows when it runs, and is said then.
  if (target.calls_clone) {
    checks.push_back(
        {"threads", Check::warn,
         "imports clone(): threads that it makes that way cannot be controlled",
         "make threads with pthread_create or std::thread; child processes (death tests "
         "of GoogleTest) do no harm"});
  }
  if (target.links_libgomp) {
    checks.push_back({"OpenMP", Check::warn,
                      "the OpenMP runtime waits in the kernel by itself, where it cannot be "
                      "controlled",
                      "expect `inconclusive' where its threads wait; set OMP_NUM_THREADS=1 if the "
                      "program has other threads to test"});
  }
  if (target.has_asan) {
    checks.push_back({"sanitizer", Check::ok,
                      "built with AddressSanitizer: controlled, without its search for leaks", ""});
  }
  for (Check& check : control_problems(target)) checks.push_back(std::move(check));
  return checks;
}

}  // namespace raddle

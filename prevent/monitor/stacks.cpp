#include "prevent/monitor/stacks.hpp"

#include <cxxabi.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <map>
#include <set>
#include <sstream>

namespace raddle::monitor {
namespace {

constexpr int kSignal = SIGURG;  // ignored by default: one that comes late does no harm
constexpr int kMostFrames = 64;
constexpr std::size_t kShown = 10;

// Atomic, so that ThreadSanitizer sees no copying of a block between two threads: it does not see
// what orders it.
std::atomic<void*> g_frames[kMostFrames];
std::atomic<int> g_count;
std::atomic<pid_t> g_wanted;
Interrupted g_call;  // of the one that is wanted

void write_down(int, siginfo_t*, void* context) {
  const int saved = errno;
  const pid_t self = pid_t(syscall(SYS_gettid));
  pid_t wanted = self;
  if (g_wanted.compare_exchange_strong(wanted, -self)) {
    const Interrupted call = g_call;
    void* frames[kMostFrames];
    const int count = backtrace(frames, kMostFrames);
    for (int i = 0; i < count; ++i) g_frames[i].store(frames[i], std::memory_order_relaxed);
    g_count = count;
    resume(call, context);
  }
  errno = saved;
}

ThreadStack capture(const Wanted& one) {
  const pid_t thread = one.thread;
  ThreadStack out{thread, {}};
  if (thread == 0) return out;
  g_count = -1;
  g_call = one.call;
  g_wanted = thread;
  if (syscall(SYS_tgkill, getpid(), thread, kSignal) != 0) return out;
  for (int i = 0; i < 200 && g_count < 0; ++i) {
    const timespec pause{0, 500'000};
    nanosleep(&pause, nullptr);
  }
  pid_t wanted = thread;
  if (g_wanted.compare_exchange_strong(wanted, 0)) return out;  // it has the signal blocked
  while (g_count < 0) {
    const timespec pause{0, 500'000};
    nanosleep(&pause, nullptr);
  }
  for (int i = 0; i < g_count; ++i)
    out.addresses.push_back(g_frames[i].load(std::memory_order_relaxed));
  return out;
}

std::string demangled(const char* name) {
  int status = 0;
  char* text = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  std::string out = status == 0 && text != nullptr ? text : name;
  std::free(text);
  return out;
}

const char* base_name(const char* path) {
  const char* slash = std::strrchr(path, '/');
  return slash != nullptr ? slash + 1 : path;
}

bool begins_with(const std::string& text, const char* start) { return text.rfind(start, 0) == 0; }

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

bool is_library(const char* path) {
  const std::string name = base_name(path);
  for (const char* start :
       {"libc.so", "libc-", "libpthread", "libstdc++", "libc++", "ld-linux", "libgcc_s", "libgtest",
        "libraddle", "libasan", "libtsan", "[vdso]", "linux-vdso"})
    if (begins_with(name, start)) return true;
  return false;
}

bool begins_with_one_of(const std::string& text, std::initializer_list<const char*> starts) {
  return std::any_of(starts.begin(), starts.end(),
                     [&](const char* start) { return begins_with(text, start); });
}

// Never of interest.
bool is_own(const std::string& function) {
  return begins_with_one_of(
      function, {"raddle::monitor::", "raddle::scheduled::", "raddle_schedule_", "raddle::event",
                 "raddle::enforce::", "raddle::logics::", "raddle_mop_", "_start", "__libc_start",
                 "execute_native_thread", "??"});
}

// Of interest only if there is nothing else: without debugging information the name of a library's
// template is all that is left of a function that was inlined into it.
bool is_plumbing(const std::string& function) {
  return is_own(function) ||
         begins_with_one_of(function, {"std::", "void std::", "int std::", "__gnu_cxx::",
                                       "testing::", "void testing::", "bool testing::",
                                       "int testing::", "Catch::", "doctest::", "__gthread"});
}

// "function at path:line (discriminator 2)" as "file:line in function"; empty if it is not of
// interest.
std::string frame_text(const std::string& said, bool (*skipped)(const std::string&)) {
  const std::size_t at = said.rfind(" at ");
  if (at == std::string::npos) return "";
  const std::string function = said.substr(0, at);
  std::string place = said.substr(at + 4);
  place = place.substr(0, place.find(" ("));
  if (skipped(function) || (skipped == is_plumbing && begins_with(place, "/usr/"))) return "";
  if (begins_with(place, "??") || place.back() == '?') return "in " + function;
  return std::string(base_name(place.c_str())) + " in " + function;
}

// Where an address is: a file, and the address as that file counts.
struct Spot {
  std::string module;
  std::uintptr_t offset = 0;
  std::string symbol;  // from the dynamic table: exported functions alone
};

std::string executable() {
  char path[1024];
  const ssize_t size = readlink("/proc/self/exe", path, sizeof(path));
  return size > 0 ? std::string(path, std::size_t(size)) : "";
}

// Empty for what is of no interest.
Spot spot_of(void* address, const std::string& program) {
  const void* inside = static_cast<char*>(address) - 1;  // the call, not what comes after it
  Dl_info info{};
  if (dladdr(inside, &info) == 0 || info.dli_fname == nullptr || is_library(info.dli_fname))
    return {};
  const bool main_program = std::strcmp(base_name(info.dli_fname), base_name(program.c_str())) == 0;
  // A program that is linked to a fixed place counts from 0.
  const auto base = reinterpret_cast<std::uintptr_t>(info.dli_fbase);
  const auto pc = reinterpret_cast<std::uintptr_t>(inside);
  return {main_program ? program : info.dli_fname, base == 0x400000 ? pc : pc - base,
          info.dli_sname != nullptr ? demangled(info.dli_sname) : ""};
}

using Lines = std::map<std::uintptr_t, std::vector<std::string>>;

// What addr2line says about addresses of one file: "function at file:line", an inlined one before
// its caller.
Lines ask_addr2line(const std::string& module, const std::set<std::uintptr_t>& offsets) {
  Lines out;
  if (module.find('\'') != std::string::npos) return out;
  std::ostringstream command;
  command << "addr2line -aCfipe '" << module << "'" << std::hex;
  for (const std::uintptr_t offset : offsets) command << " 0x" << offset;
  command << " 2>/dev/null";
  std::FILE* pipe = popen(command.str().c_str(), "re");
  if (pipe == nullptr) return out;
  char buffer[4000];
  std::uintptr_t offset = 0;
  while (std::fgets(buffer, sizeof(buffer), pipe) != nullptr) {
    std::string line = buffer;
    while (!line.empty() && line.back() == '\n') line.pop_back();
    const std::string inlined = " (inlined by) ";
    if (begins_with(line, inlined.c_str())) {
      line = line.substr(inlined.size());
    } else {
      offset = std::strtoull(line.c_str(), nullptr, 16);
      line = line.substr(std::min(line.find(": "), line.size() - 2) + 2);
    }
    out[offset].push_back(line);
  }
  pclose(pipe);
  return out;
}

void add_frames(const Spot& spot, const std::vector<std::string>& said,
                bool (*skipped)(const std::string&), std::vector<std::string>& out) {
  bool told = false;
  for (const std::string& line : said) {
    told = told || !begins_with(line, "??");
    const std::string text = frame_text(line, skipped);
    if (!text.empty()) out.push_back(text);
  }
  if (told || (!spot.symbol.empty() && skipped(spot.symbol))) return;
  std::ostringstream where;
  where << base_name(spot.module.c_str()) << "+0x" << std::hex << spot.offset;
  out.push_back("in " + (spot.symbol.empty() ? where.str() : spot.symbol));
}

}  // namespace

std::vector<ThreadStack> capture_stacks(const std::vector<Wanted>& threads) {
  void* warm[1];
  backtrace(warm, 1);  // loads what it needs now, not inside a handler
  struct sigaction action{};
  struct sigaction before{};
  action.sa_sigaction = write_down;
  action.sa_flags = SA_RESTART | SA_SIGINFO;
  sigemptyset(&action.sa_mask);
  sigaction(kSignal, &action, &before);
  std::vector<ThreadStack> out;
  out.reserve(threads.size());
  for (const Wanted& one : threads) out.push_back(capture(one));
  sigaction(kSignal, &before, nullptr);
  return out;
}

std::vector<std::vector<std::string>> frames_of(const std::vector<ThreadStack>& stacks) {
  const std::string program = executable();
  std::map<std::string, std::set<std::uintptr_t>> wanted;
  for (const ThreadStack& stack : stacks) {
    for (void* address : stack.addresses) {
      const Spot spot = spot_of(address, program);
      if (!spot.module.empty()) wanted[spot.module].insert(spot.offset);
    }
  }
  std::map<std::string, Lines> said;
  for (const auto& [module, offsets] : wanted) said[module] = ask_addr2line(module, offsets);
  const auto frames_without = [&](const ThreadStack& stack, bool (*skipped)(const std::string&)) {
    std::vector<std::string> frames;
    for (void* address : stack.addresses) {
      const Spot spot = spot_of(address, program);
      if (!spot.module.empty() && frames.size() < kShown)
        add_frames(spot, said[spot.module][spot.offset], skipped, frames);
    }
    return frames;
  };
  std::vector<std::vector<std::string>> out;
  for (const ThreadStack& stack : stacks) {
    std::vector<std::string> frames = frames_without(stack, is_plumbing);
    if (frames.empty()) frames = frames_without(stack, is_own);
    // The framework's, unless the test is in there.
    if (frames.size() > 1 && ends_with(frames.back(), "in main")) frames.pop_back();
    out.push_back(std::move(frames));
  }
  return out;
}

}  // namespace raddle::monitor

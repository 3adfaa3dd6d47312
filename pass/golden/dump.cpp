// A preloaded library that stands in for libraddle.so in the golden tests: it lets the program's
// hooks write into memory of its own, and at the end prints every record, one line each, with
// addresses replaced by ordinals so that two runs compare equal.
//
// Only for programs of one thread. Output goes to the file RADDLE_DUMP.
#include <cxxabi.h>
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "hooks/abi.h"
#include "trace/event.hpp"
#include "trace/site.hpp"
#include "trace/stream.hpp"

namespace {

using raddle::EventKind;
using raddle::RawKind;
using raddle::RawRecord;

constexpr std::size_t kRecords = 1 << 20;
RawRecord g_records[kRecords];
RaddleStream g_stream;
RaddleState* g_state;
std::map<std::uint64_t, std::string>* g_names;

// Its nodes come from an allocator that is not the program's.
template <class T>
struct Own {
  using value_type = T;
  Own() = default;
  template <class U>
  Own(const Own<U>&) {}
  T* allocate(std::size_t n);
  void deallocate(T*, std::size_t) {}
  bool operator==(const Own&) const { return true; }
};
char g_arena[1 << 20];
std::size_t g_used;
template <class T>
T* Own<T>::allocate(std::size_t n) {
  char* at = g_arena + g_used;
  g_used += (n * sizeof(T) + 15) & ~std::size_t{15};
  if (g_used > sizeof g_arena) std::abort();
  return reinterpret_cast<T*>(at);
}
std::set<void*, std::less<void*>, Own<void*>>* g_ours;

const char* const kKinds[] = {
#define RADDLE_EVENT_NAME(name, text) #name,
    RADDLE_EVENTS(RADDLE_EVENT_NAME)
#undef RADDLE_EVENT_NAME
};

const char* text_at(const std::int32_t& offset) {
  return offset ? reinterpret_cast<const char*>(&offset) + offset : "";
}

std::string demangled(const char* name) {
  int status = 0;
  char* text = abi::__cxa_demangle(name, nullptr, nullptr, &status);
  std::string result = status == 0 ? text : name;
  std::free(text);
  return result;
}

std::string frames(const RaddleSite& site) {
  std::string text;
  const std::int32_t* offset = &site.frame;
  while (*offset) {
    const auto* frame =
        reinterpret_cast<const RaddleFrame*>(reinterpret_cast<const char*>(offset) + *offset);
    const char* file = text_at(frame->file);
    if (const char* slash = std::strrchr(file, '/')) file = slash + 1;
    if (!text.empty()) text += " < ";
    text += demangled(text_at(frame->function));
    if (*file) text += std::string(" ") + file + ":" + std::to_string(frame->line);
    offset = &frame->outer;
  }
  return text;
}

// "object 3" for the third object that is met; the start of an access's instance is the object.
std::string named(std::uint64_t address) {
  if (address == 0) return "null";
  auto [at, fresh] = g_names->try_emplace(address);
  if (fresh) at->second = "&" + std::to_string(g_names->size());
  return at->second;
}

bool shows_value(EventKind kind) { return raddle::is_access(kind) || kind >= EventKind::allocate; }

std::string number(std::uint64_t value) {
  // Small numbers are the program's; others may be addresses.
  auto small = static_cast<std::int64_t>(value);
  if (small > -100000 && small < (1LL << 32)) return std::to_string(small);
  return "*";
}

void print_site(std::FILE* out, const RaddleSite& site) {
  static const char* const kFlags[] = {"unit",  "constructor", "destructor", "atomic-block",
                                       "const", "atomic",      "static",     "local"};
  auto kind = static_cast<EventKind>(site.kind);
  std::string cls = text_at(site.cls);
  std::string field = text_at(site.field);
  if (!cls.empty() || !field.empty()) {
    std::fprintf(out, " [%s%s%s", cls.c_str(), cls.empty() || field.empty() ? "" : " . ",
                 field.c_str());
    if (!cls.empty() && site.offset == raddle::kUnknownOffset) {
      std::fprintf(out, " +?");
    } else if (!cls.empty()) {
      std::fprintf(out, " +%u", site.offset);
    }
    std::fprintf(out, "]");
  }
  if (*text_at(site.set)) std::fprintf(out, " set %s", text_at(site.set));
  if (!raddle::is_atomic(kind)) {
    for (int bit = 0; bit < 8; ++bit) {
      if (site.flags >> bit & 1) std::fprintf(out, " %s", kFlags[bit]);
    }
  }
  std::fprintf(out, " @ %s", frames(site).c_str());
}

void dump() {
  if (!g_state) return;
  g_state->tracing = 0;
  const char* path = std::getenv("RADDLE_DUMP");
  std::FILE* out = path ? std::fopen(path, "w") : stderr;
  if (!out) return;
  g_names = new std::map<std::uint64_t, std::string>;
  const RawRecord* end = reinterpret_cast<RawRecord*>(g_stream.cursor);
  std::uint64_t bytes = 0;
  for (const RawRecord* record = g_records; record < end; ++record) {
    switch (static_cast<RawKind>(record->head >> 56)) {
      case RawKind::kSize:
        bytes = record->a;
        continue;
      case RawKind::kValue:
        std::fprintf(out, "  flags %d written %s: ", int(record->a), number(record->b).c_str());
        continue;
      case RawKind::kCall:
        std::fprintf(out, "  call: ");
        continue;
      case RawKind::kSetjmp:
        std::fprintf(out, "setjmp %s\n", number(record->b).c_str());
        continue;
      case RawKind::kIgnore:
        std::fprintf(out, "ignore %s\n", record->a ? "begin" : "end");
        continue;
      case RawKind::kName: {
        std::string name(reinterpret_cast<const char*>(record + 1), record->b);
        std::fprintf(out, "name %s: %s\n", record->a ? named(record->a).c_str() : "thread",
                     name.c_str());
        record += (record->b + sizeof *record - 1) / sizeof *record;
        continue;
      }
      case RawKind::kDecision:
      case RawKind::kAllocateFor:
        continue;
    }
    if (record->head >> 56 == std::uint64_t(EventKind::free)) {
      std::fprintf(out, "free %s\n", named(record->a).c_str());
      continue;
    }
    const auto& site = *reinterpret_cast<const RaddleSite*>(record->head);
    auto kind = static_cast<EventKind>(site.kind);
    std::fprintf(out, "%s", kKinds[site.kind]);
    if (site.size) std::fprintf(out, " %u", unsigned(bytes ? bytes : site.size));
    bytes = 0;
    std::fprintf(out, " %s", named(record->a).c_str());
    if (shows_value(kind) || raddle::is_atomic(kind)) {
      std::fprintf(out, " = %s", number(record->b).c_str());
    }
    print_site(out, site);
    std::fprintf(out, "\n");
  }
  if (out != stderr) std::fclose(out);
}

void full() { std::abort(); }
void no_decision(const RaddleSite*, const void*) {}

}  // namespace

// The heap, as libraddle.so reports it.
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);
}

static void put(std::uint64_t head, const void* address, std::uint64_t bytes) {
  *g_stream.cursor++ = {head, reinterpret_cast<std::uint64_t>(address), bytes};
}

static void* allocated(void* address, std::size_t bytes) {
  // Only what the program's own code asks for.
  if (g_state && g_state->tracing && g_state->allocating) {
    put(reinterpret_cast<std::uint64_t>(g_state->allocating), address, bytes);
    g_ours->insert(address);
  }
  return address;
}

extern "C" void* malloc(std::size_t bytes) { return allocated(__libc_malloc(bytes), bytes); }
extern "C" void* calloc(std::size_t count, std::size_t bytes) {
  return allocated(__libc_calloc(count, bytes), count * bytes);
}
extern "C" void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  return allocated(__libc_memalign(alignment, bytes), bytes);
}
extern "C" void free(void* address) {
  if (g_state && g_state->tracing && g_ours->erase(address)) {
    put(raddle::raw_head(EventKind::free, 0, 0), address, 0);
  }
  __libc_free(address);
}
extern "C" void* realloc(void* address, std::size_t bytes) {
  if (g_state && g_state->tracing && g_ours->erase(address)) {
    put(raddle::raw_head(EventKind::free, 0, 0), address, 0);
  }
  return allocated(__libc_realloc(address, bytes), bytes);
}

using Main = int (*)(int, char**, char**);
using Start = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);
static Main g_main;

static int traced_main(int argc, char** argv, char** environment) {
  g_state = static_cast<RaddleState*>(dlsym(RTLD_DEFAULT, "__raddle_state"));
  if (g_state) {
    g_ours = new std::set<void*, std::less<void*>, Own<void*>>;
    g_stream.cursor = reinterpret_cast<RaddleRecord*>(g_records);
    g_stream.limit = g_stream.cursor + kRecords;
    g_state->stream = &g_stream;
    g_state->flush = full;
    g_state->point = no_decision;
    g_state->control = 1;
    g_state->tracing = 1;
  }
  int status = g_main(argc, argv, environment);
  dump();
  return status;
}

extern "C" int __libc_start_main(Main main, int argc, char** argv, void (*init)(), void (*fini)(),
                                 void (*loader_fini)(), void* stack_end) {
  g_main = main;
  auto next = reinterpret_cast<Start>(dlsym(RTLD_NEXT, "__libc_start_main"));
  return next(traced_main, argc, argv, init, fini, loader_fini, stack_end);
}

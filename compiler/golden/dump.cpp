// Stands in for libraddle.so in the golden tests, as a preloaded library. The program's hooks write
// into memory of this library. At the end it prints every record on a line, with ordinals instead
// of addresses, so that two runs compare equal.
//
// Only for programs of one thread. The output goes to the file RADDLE_DUMP.
#include <cxxabi.h>
#include <dlfcn.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "protocol/event.hpp"
#include "protocol/hooks_abi.h"
#include "protocol/site.hpp"
#include "protocol/stream.hpp"

namespace {

using raddle::EventKind;
using raddle::StreamCode;

std::uint8_t g_bytes[16 << 20];
std::uint64_t g_sites[RADDLE_MOST_SITES];
RaddleStream g_stream;
RaddleState* g_state;
std::map<std::uint64_t, std::string>* g_names;

// An allocator for this library's own containers, apart from the program's heap.
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

// Names an address by its order of appearance: "&3" is the third.
std::string named(std::uint64_t address) {
  if (address == 0) return "null";
  auto [at, fresh] = g_names->try_emplace(address);
  if (fresh) at->second = "&" + std::to_string(g_names->size());
  return at->second;
}

bool shows_value(EventKind kind) { return raddle::is_access(kind) || kind >= EventKind::allocate; }

std::string number(std::uint64_t value) {
  // A small number is a value of the program. Others may be addresses.
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
      if ((site.flags >> bit & 1) == 0) continue;
      const bool scope = kind == EventKind::enter || kind == EventKind::exit;
      const char* name = kFlags[bit];
      if (scope && 1 << bit == raddle::kSiteWaits) name = "waits";
      if (scope && 1 << bit == raddle::kSiteDeclared) name = "declared";
      if (scope && 1 << bit == raddle::kSiteOfSets) name = "of-sets";
      if (raddle::is_access(kind) && 1 << bit == raddle::kSiteVolatile) name = "volatile";
      if (raddle::is_access(kind) && 1 << bit == raddle::kSiteNoNumber) name = "no-number";
      std::fprintf(out, " %s", name);
    }
  }
  std::fprintf(out, " @ %s", frames(site).c_str());
}

// Decodes one record after the other with a model of its own. It is slow and simple: the test
// compares it with the encoder of the hooks.
class Records {
 public:
  struct Prefix {
    int kind = -1;
    int flags = 0;
    unsigned size = 0;
    std::uint64_t value2 = 0;
  };

  Records(const std::uint8_t* at, const std::uint8_t* end, std::FILE* out)
      : at_(at), end_(end), out_(out) {}

  void print() {
    while (at_ < end_) {
      if (*at_ == RADDLE_ESCAPE) {
        escaped();
      } else {
        site_record();
      }
    }
  }

 private:
  std::uint64_t take(unsigned bytes) {
    std::uint64_t value = 0;
    std::memcpy(&value, at_, bytes);
    at_ += bytes;
    return value;
  }

  void escaped() {
    const std::uint64_t code = take(2) >> 8;
    const auto flags = static_cast<unsigned>(take(1));
    if (code < raddle::kEventKinds) {
      prefix_.kind = static_cast<int>(code);
      prefix_.flags = static_cast<int>(flags);
      return;
    }
    switch (static_cast<StreamCode>(code)) {
      case StreamCode::kSize:
        prefix_.size = flags;
        return;
      case StreamCode::kValue2:
        prefix_.value2 = take(flags);
        return;
      case StreamCode::kSetjmp:
        take(8);
        std::fprintf(out_, "setjmp %u\n", flags);
        return;
      case StreamCode::kIgnore:
        std::fprintf(out_, "ignore %s\n", flags != 0 ? "begin" : "end");
        return;
      case StreamCode::kName: {
        const std::uint64_t subject = take(8);
        const auto length = static_cast<unsigned>(take(1));
        const std::string name(reinterpret_cast<const char*>(at_), length);
        at_ += length;
        std::fprintf(out_, "name %s: %s\n", subject != 0 ? named(subject).c_str() : "thread",
                     name.c_str());
        return;
      }
      case StreamCode::kRunning:
      case StreamCode::kNewObject:
      case StreamCode::kLateWrite:
        break;
    }
    std::abort();  // no hook writes such a record
  }

  void site_record() {
    const auto first = static_cast<std::uint8_t>(take(1));
    std::uint32_t id = model_.site + static_cast<std::uint32_t>(std::int8_t(first));
    if (first == RADDLE_LONG_SITE) id = static_cast<std::uint32_t>(take(3));
    model_.site = id;
    const auto lengths = static_cast<unsigned>(take(1));
    const std::uint64_t zigzag = take(lengths % 16);
    const std::uint64_t difference = take(lengths / 16);
    static const RaddleSite kNone{};
    const RaddleSite& site =
        id == 0 ? kNone
                : *reinterpret_cast<const RaddleSite*>(g_sites[id - 1] & 0xffffffffffffffULL);
    const auto kind = static_cast<EventKind>(prefix_.kind >= 0 ? prefix_.kind : site.kind);
    const unsigned slot = (id + (prefix_.kind >= 0 ? 37 * unsigned(kind) : 0)) % RADDLE_SLOTS;
    RaddleSlot& expected = model_.slots[slot];
    expected.stride += zigzag % 2 != 0 ? ~(zigzag / 2) : zigzag / 2;
    expected.address += expected.stride;
    const bool plain = kind == EventKind::read || kind == EventKind::write;
    unsigned size = prefix_.size != 0 ? prefix_.size : site.size;
    if (plain && size > 8) size = 8;
    std::uint64_t value = 0;
    if (plain && (size == 1 || size == 2 || size == 4 || size == 8)) {
      std::uint8_t* seen = model_.memory + expected.address % RADDLE_MEMORY;
      std::memcpy(
          &value,
          kind == EventKind::write ? reinterpret_cast<std::uint8_t*>(&model_.last_read) : seen,
          size);
      value ^= difference;
      std::memcpy(seen, &value, size);
      if (kind == EventKind::read) model_.last_read = value;
    } else {
      value = model_.values[slot] ^= difference;
    }
    print_event(kind, site, size, expected.address, value);
    prefix_ = {};
  }

  void print_event(EventKind kind, const RaddleSite& site, unsigned size, std::uint64_t address,
                   std::uint64_t value) {
    if (kind == EventKind::free) {
      std::fprintf(out_, "free %s\n", named(address).c_str());
      return;
    }
    if (raddle::is_atomic(kind)) {
      std::fprintf(out_, "  flags %d written %s: ", prefix_.flags, number(prefix_.value2).c_str());
    }
    if (kind == EventKind::enter && value != 0) std::fprintf(out_, "  call: ");
    std::fprintf(out_, "%s", kKinds[std::size_t(kind)]);
    if (site.size) std::fprintf(out_, " %u", size);
    std::fprintf(out_, " %s", named(address).c_str());
    if (shows_value(kind) || raddle::is_atomic(kind)) {
      std::fprintf(out_, " = %s", number(value).c_str());
    }
    print_site(out_, site);
    std::fprintf(out_, "\n");
  }

  const std::uint8_t* at_;
  const std::uint8_t* end_;
  std::FILE* out_;
  RaddleModel model_{};
  Prefix prefix_;
};

void dump() {
  if (!g_state) return;
  g_state->tracing = 0;
  const char* path = std::getenv("RADDLE_DUMP");
  std::FILE* out = path ? std::fopen(path, "w") : stderr;
  if (!out) return;
  g_names = new std::map<std::uint64_t, std::string>;
  auto* records = new Records(g_bytes, g_stream.cursor, out);
  records->print();
  if (out != stderr) std::fclose(out);
}

void full() { std::abort(); }
void no_decision(const RaddleSite*, const void*) {}

}  // namespace

// The heap events that libraddle.so would report.
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);
}

static void put(EventKind kind, std::uint32_t site, const void* address, std::uint64_t bytes) {
  std::uint8_t* to = raddle_put_kind(g_stream.cursor, unsigned(kind), 0);
  g_stream.cursor =
      raddle_put_other(&g_stream.model, to, site, raddle_slot_of_kind(site, unsigned(kind)),
                       reinterpret_cast<std::uint64_t>(address), bytes);
}

static void* allocated(void* address, std::size_t bytes) {
  // Reports only what the program's own code asks for.
  if (g_state && g_state->tracing && g_state->allocating) {
    auto* site = const_cast<RaddleSite*>(g_state->allocating);
    if (site->id == 0) {
      site->id =
          raddle_meet_site(&g_stream, RADDLE_SITE_DESCRIBED, reinterpret_cast<std::uint64_t>(site));
    }
    put(EventKind::allocate, site->id, address, bytes);
    g_ours->insert(address);
  }
  return address;
}

extern "C" void* malloc(std::size_t bytes) { return allocated(__libc_malloc(bytes), bytes); }
extern "C" void* calloc(std::size_t count, std::size_t bytes) {
  return allocated(__libc_calloc(count, bytes), count * bytes);
}
extern "C" int posix_memalign(void** address, std::size_t alignment, std::size_t bytes) {
  *address = allocated(__libc_memalign(alignment, bytes), bytes);
  return *address != nullptr ? 0 : ENOMEM;
}
extern "C" void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  return allocated(__libc_memalign(alignment, bytes), bytes);
}
extern "C" void free(void* address) {
  if (g_state && g_state->tracing && g_ours->erase(address)) {
    put(EventKind::free, 0, address, 0);
  }
  __libc_free(address);
}
extern "C" void* realloc(void* address, std::size_t bytes) {
  if (g_state && g_state->tracing && g_ours->erase(address)) {
    put(EventKind::free, 0, address, 0);
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
    g_stream.cursor = g_bytes;
    g_stream.limit = g_bytes + sizeof g_bytes - RADDLE_CHUNK_SLACK;
    g_stream.site_list = g_sites;
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

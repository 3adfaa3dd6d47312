#include "target/base/base.hpp"

#include <dlfcn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <initializer_list>

#include "target/base/kernel_state.hpp"
#include "target/base/symbols.hpp"

namespace raddle {
namespace {

// At the start of each chunk, and of each allocation that is too large for one.
struct alignas(16) Mapping {
  Mapping* next;  // the one before it, in time
  std::size_t bytes;
};
Mapping* g_chunks;  // the last is the one in use
Mapping* g_spare_chunks;
Mapping* g_large;

struct {
  Mapping* chunks;
  Mapping* large;
  char* chunk;
} g_mark;

// A few kilobytes, mostly: in pieces for which memset() does not take the processor's instruction
// for large ones, which is slow to start.
void clear(char* memory, std::size_t bytes) {
  constexpr std::size_t kPiece = 1024;
  constexpr std::size_t kMost = 8 * kPiece;
  std::size_t piece = bytes <= kMost ? kPiece : bytes;
  asm("" : "+r"(piece));  // a size that the compiler knows makes it use the instruction itself
  for (; bytes > piece; bytes -= piece, memory += piece) memset(memory, 0, piece);
  memset(memory, 0, bytes);
}

void* map_pages(std::size_t bytes) {
  touch_outside();
  long result = raw_syscall(SYS_mmap, 0, long(bytes), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (result < 0 && result > -4096)
    fatal("out of memory in the runtime; give the program less to do");
  return reinterpret_cast<void*>(result);
}

}  // namespace

void (*g_tell_host)(const char* text);

void write_text(const char* text) { raw_syscall(SYS_write, 2, as_arg(text), long(strlen(text))); }

void fatal(const char* text) {
  if (g_tell_host != nullptr) g_tell_host(text);
  write_text("raddle: ");
  write_text(text);
  write_text("\n");
  raw_syscall(SYS_exit_group, 3);
  __builtin_unreachable();
}

void copy_text(char* to, std::size_t size, const char* from) {
  strncpy(to, from != nullptr ? from : "", size - 1);
  to[size - 1] = 0;
}

namespace {

void* allocate_large(std::size_t bytes) {
  bytes = (bytes + sizeof(Mapping) + 4095) & ~std::size_t{4095};
  auto* mapping = static_cast<Mapping*>(map_pages(bytes));
  *mapping = {g_large, bytes};
  g_large = mapping;
  return mapping + 1;
}

void next_chunk() {
  Mapping* chunk = g_spare_chunks;
  if (chunk != nullptr) {
    g_spare_chunks = chunk->next;
  } else {
    chunk = static_cast<Mapping*>(map_pages(kArenaChunk));
  }
  *chunk = {g_chunks, kArenaChunk};
  g_chunks = chunk;
  g_arena_next = reinterpret_cast<char*>(chunk + 1);
  g_arena_left = kArenaChunk - sizeof(Mapping);
}

}  // namespace

void* arena_allocate_beyond(std::size_t bytes) {
  if (bytes > kArenaChunk / 4) return allocate_large(bytes);
  next_chunk();
  return arena_allocate(bytes);
}

bool in_arena(std::uint64_t address) {
  for (const Mapping* list : {g_chunks, g_spare_chunks, g_large}) {
    for (; list != nullptr; list = list->next) {
      const auto begin = reinterpret_cast<std::uint64_t>(list);
      if (address >= begin && address < begin + list->bytes) return true;
    }
  }
  return false;
}

void mark_arena() {
  if (g_chunks == nullptr) next_chunk();
  g_mark = {g_chunks, g_large, g_arena_next};
}

void rewind_arena() {
  while (g_large != g_mark.large) {
    Mapping* gone = g_large;
    g_large = gone->next;
    raw_syscall(SYS_munmap, as_arg(gone), long(gone->bytes));
  }
  while (g_chunks != g_mark.chunks) {
    Mapping* chunk = g_chunks;
    g_chunks = chunk->next;
    char* begin = reinterpret_cast<char*>(chunk + 1);
    memset(begin, 0, std::size_t(g_arena_next - begin));
    chunk->next = g_spare_chunks;
    g_spare_chunks = chunk;
    // What was used of the one before is not known; it was nearly full.
    g_arena_next = reinterpret_cast<char*>(g_chunks) + kArenaChunk;
  }
  clear(g_mark.chunk, std::size_t(g_arena_next - g_mark.chunk));
  g_arena_next = g_mark.chunk;
  g_arena_left = std::size_t(reinterpret_cast<char*>(g_chunks) + kArenaChunk - g_arena_next);
}

namespace {

// Looking a name up touches the symbol tables of every library, which a freshly forked process has
// to page in again. So what most executions need is looked up once, before the fork.
constexpr const char* kOftenUsed[] = {"free",
                                      "malloc",
                                      "calloc",
                                      "malloc_usable_size",
                                      "realloc",
                                      "munmap",
                                      "exit",
                                      "read",
                                      "write",
                                      "close",
                                      "pthread_exit",
                                      "pthread_create",
                                      "syscall",
                                      "sigaction",
                                      "abort",
                                      "pthread_mutex_init",
                                      "pthread_cond_init"};
constexpr std::size_t kOftenUsedCount = sizeof(kOftenUsed) / sizeof(kOftenUsed[0]);
void* g_looked_up[kOftenUsedCount];

// A name that only has old versions is the loader's to find.
void* behind_us(const char* name) {
  const void* here = reinterpret_cast<const void*>(&next_symbol);
  void* address = symbol_behind(here, name, nullptr).address;
  return address != nullptr ? address : dlsym(RTLD_NEXT, name);
}

}  // namespace

void look_up_often_used() {
  for (std::size_t i = 0; i < kOftenUsedCount; ++i) g_looked_up[i] = behind_us(kOftenUsed[i]);
}

void* next_symbol(const char* name) {
  for (std::size_t i = 0; i < kOftenUsedCount && g_looked_up[i] != nullptr; ++i) {
    if (same_text(kOftenUsed[i], name)) return g_looked_up[i];
  }
  void* address = behind_us(name);
  if (address == nullptr) {
    write_text("raddle: this C library has no function ");
    write_text(name);
    write_text("\n");
    fatal("glibc 2.34 or later is needed; `raddle doctor` says what this machine has");
  }
  return address;
}

}  // namespace raddle

#include "runtime/base.hpp"

#include <dlfcn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

namespace raddle {
namespace {

constexpr std::size_t kChunk = 1 << 20;
char* g_chunk;
std::size_t g_chunk_left;

void write_text(const char* text) { raw_syscall(SYS_write, 2, as_arg(text), long(strlen(text))); }

void* map_pages(std::size_t bytes) {
  long result = raw_syscall(SYS_mmap, 0, long(bytes), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (result < 0 && result > -4096)
    fatal("out of memory in the runtime; give the program less to do");
  return reinterpret_cast<void*>(result);
}

}  // namespace

void fatal(const char* text) {
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

void* arena_allocate(std::size_t bytes) {
  bytes = (bytes + 15) & ~std::size_t{15};
  if (bytes > kChunk / 4) return map_pages((bytes + 4095) & ~std::size_t{4095});
  if (bytes > g_chunk_left) {
    g_chunk = static_cast<char*>(map_pages(kChunk));
    g_chunk_left = kChunk;
  }
  void* result = g_chunk;
  g_chunk += bytes;
  g_chunk_left -= bytes;
  return result;
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

}  // namespace

void look_up_often_used() {
  for (std::size_t i = 0; i < kOftenUsedCount; ++i)
    g_looked_up[i] = dlsym(RTLD_NEXT, kOftenUsed[i]);
}

void* next_symbol(const char* name) {
  for (std::size_t i = 0; i < kOftenUsedCount && g_looked_up[i] != nullptr; ++i) {
    if (strcmp(kOftenUsed[i], name) == 0) return g_looked_up[i];
  }
  void* address = dlsym(RTLD_NEXT, name);
  if (address == nullptr) {
    write_text("raddle: this C library has no function ");
    write_text(name);
    write_text("\n");
    fatal("glibc 2.34 or later is needed; `raddle doctor` says what this machine has");
  }
  return address;
}

}  // namespace raddle

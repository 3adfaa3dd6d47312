#include "target/carrier/fresh_tls.hpp"

#include <cpuid.h>
#include <immintrin.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "target/base/base.hpp"
#include "target/carrier/fiber_switch.hpp"
#include "target/carrier/glibc.hpp"
#include "target/heap/execution_heap.hpp"
#include "target/state/execution.hpp"

namespace raddle {
namespace {

// Static TLS lies right below the thread pointer. What the loader keeps for libraries to come, at
// its far end, is in the image but not copied: nobody writes there.
char* g_image;
std::size_t g_image_size;
std::size_t g_used_begin;
// libc's own part of it, which is left alone: its allocator keeps a cache of free blocks per thread
// there, which would be lost. (Used only where the program's heap is not ours, and by the runtime.)
std::size_t g_libc_begin;
std::size_t g_libc_end;

// What is loaded later comes last in the loader's list. What stands there up to the loader itself
// was there from the start, and stays: so that part is not looked at for every thread.
// The objects are known one by one, as they were when the image was made: then the links between
// them can be compared without waiting for one to find the next. A link is read only if those
// before it are as they were, so its object is still there.
constexpr std::size_t kKnown = 128;
const link_map* g_known[kKnown];  // the loader first
std::size_t g_known_links;        // between them
std::uintptr_t g_others;          // objects_after() the last of them

const link_map* find_loader() {
  for (const link_map* map = _r_debug.r_map; map != nullptr; map = map->l_next)
    if (map->l_addr == _r_debug.r_ldbase) return map;
  return _r_debug.r_map;
}

// A number that changes when objects come or go; 0: there are none.
std::uintptr_t objects_after(const link_map* object) {
  std::uintptr_t number = 0;
  for (const link_map* map = object->l_next; map != nullptr; map = map->l_next)
    number = number * 31 + reinterpret_cast<std::uintptr_t>(map);
  return number;
}

void learn_objects() {
  const link_map* map = find_loader();
  g_known_links = 0;
  for (g_known[0] = map; map->l_next != nullptr && g_known_links + 1 < kKnown; map = map->l_next)
    g_known[++g_known_links] = map->l_next;
  g_others = objects_after(map);
}

bool objects_changed() {
  for (std::size_t i = 0; i < g_known_links; ++i)
    if (g_known[i]->l_next != g_known[i + 1]) return true;
  return objects_after(g_known[g_known_links]) != g_others;
}

// The highest number of a module with TLS, and the generation of modules, when the image was made.
std::size_t g_modules;
void* g_generation;

int find_tls(dl_phdr_info* info, std::size_t, void*) {
  if (info->dlpi_tls_modid > g_modules) g_modules = info->dlpi_tls_modid;
  const char* slash = strrchr(info->dlpi_name, '/');
  const bool is_libc = slash != nullptr && strncmp(slash, "/libc.so.", 9) == 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    if (header.p_type != PT_TLS) continue;
    if (info->dlpi_tls_data == nullptr) {  // this thread has not used it: it may lie anywhere
      g_used_begin = 0;
      continue;
    }
    auto below = reinterpret_cast<std::size_t>(thread_pointer()) -
                 reinterpret_cast<std::size_t>(info->dlpi_tls_data);
    if (below > g_image_size) continue;
    const std::size_t begin = g_image_size - below;
    if (begin < g_used_begin) g_used_begin = begin;
    if (!is_libc) continue;
    g_libc_begin = begin;
    g_libc_end = begin + header.p_memsz;
  }
  return 0;
}

// A module's entry of the vector that leads to its TLS, as the ABI lays it out: entry -1 has the
// number of entries, entry 0 the generation.
struct VectorEntry {
  void* value;
  void* to_free;  // allocated when first used: a library loaded later
};

void give_back(void* block) {
  if (!g_heap.owns(block)) {
    RADDLE_REAL(free)(block);
  } else if (!(g_active ? g_heap.release(block) != 0 : g_heap.release_later(block))) {
    fatal("internal error: thread-specific data is not in the heap");
  }
}

// Hardly any thread has something to drop: whether one has is asked without a branch for each.
void drop_allocated(void* vector) {
  auto* entries = static_cast<VectorEntry*>(vector);
  auto count = reinterpret_cast<std::size_t>(entries[-1].value);
  // The loader brings the generation up to date when the thread uses a module that is newer.
  if (entries[0].value == g_generation && g_modules < count) count = g_modules;
  std::uintptr_t any = 0;
  for (std::size_t i = 1; i <= count; ++i)
    any |= reinterpret_cast<std::uintptr_t>(entries[i].to_free);
  if (any == 0) return;
  for (std::size_t i = 1; i <= count; ++i) {
    if (entries[i].to_free == nullptr) continue;
    give_back(entries[i].to_free);
    entries[i] = {reinterpret_cast<void*>(-1), nullptr};  // not allocated
  }
}

// Thread-specific data in struct pthread: the values of the first keys, the array of blocks for the
// others, and a flag that the thread has set any. Where they lie was found by trying.
struct SpecificData {
  std::size_t begin;
  std::size_t flag;  // 0: not found, so any thread may have some
};
SpecificData g_specific;

bool has_specific(const char* thread) {
  return g_specific.flag == 0 || thread[g_specific.flag] != 0;
}

// On a block that nobody uses, sets one value as if its thread did.
void find_specific(char* block) {
  const GlibcThreads& glibc = glibc_threads();
  struct Value {
    std::uintptr_t sequence;
    const void* value;
  };
  constexpr std::size_t kFirstKeys = 32;
  pthread_key_t key = 0;
  g_specific = {};
  if (RADDLE_REAL(pthread_key_create)(&key, nullptr) != 0) return;
  if (key < kFirstKeys) {
    initialise_thread_block(block);
    void* const here = thread_pointer();
    set_thread_pointer(block);
    pthread_setspecific(key, block);
    set_thread_pointer(here);
    const std::size_t begin = glibc.specific_offset - kFirstKeys * sizeof(Value);
    const std::size_t flag = glibc.specific_offset + glibc.specific_blocks * sizeof(void*);
    const auto* values = reinterpret_cast<const Value*>(block + begin);
    if (values[key].value == block && block[flag] == 1) g_specific = {begin, flag};
  }
  RADDLE_REAL(pthread_key_delete)(key);
}

// Most threads leave all of struct pthread zero but its first line, the header, and that with the
// kernel's thread id. To look takes half as long as to write, if the processor can look at 32 bytes
// at once; and what is not written need not be in its cache.
constexpr std::size_t kLine = 64;
constexpr std::size_t line_of(std::size_t offset) { return offset & ~(kLine - 1); }
bool g_can_look;

// Between two multiples of kLine.
[[gnu::target("avx2")]] inline __m256i bits_in(const char* thread, std::size_t begin,
                                               std::size_t end) {
  __m256i bits = _mm256_setzero_si256();
  for (; begin < end; begin += kLine) {
    const auto* line = reinterpret_cast<const __m256i*>(thread + begin);
    bits = _mm256_or_si256(bits, _mm256_or_si256(line[0], line[1]));
  }
  return bits;
}

// All but the two lines, what has_specific() answers for, and what nobody uses.
[[gnu::target("avx2")]] bool is_zero(const char* thread) {
  const GlibcThreads& glibc = glibc_threads();
  const std::size_t tid = line_of(glibc.tid_offset);
  const __m256i header = _mm256_or_si256(bits_in(thread, kLine, kUnusedHeaderBegin),
                                         bits_in(thread, kUnusedHeaderEnd, tid));
  const __m256i rest =
      _mm256_or_si256(bits_in(thread, tid + kLine, g_specific.begin),
                      bits_in(thread, line_of(g_specific.flag), glibc.thread_size));
  const __m256i bits = _mm256_or_si256(header, rest);
  return _mm256_testz_si256(bits, bits) != 0;
}

bool has_avx2() {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & bit_OSXSAVE) == 0) return false;
  unsigned saved = 0;  // registers that the kernel saves
  asm("xgetbv" : "=a"(saved), "=d"(d) : "c"(0));
  constexpr unsigned kVectors = 6;
  if ((saved & kVectors) != kVectors) return false;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & bit_AVX2) != 0;
}

// Lines are looked at as a whole; and this glibc does leave alone what it calls unused.
bool can_look() {
  const GlibcThreads& glibc = glibc_threads();
  const bool in_lines = glibc.tls_align % kLine == 0 && glibc.thread_size % kLine == 0;
  const auto* mine = static_cast<const char*>(thread_pointer());
  bool unused = kUnusedHeaderEnd <= line_of(glibc.tid_offset);
  for (std::size_t i = kUnusedHeaderBegin; i < kUnusedHeaderEnd; ++i) unused &= mine[i] == 0;
  return in_lines && unused && has_avx2();
}

// So that it is as new.
void clear_thread(char* thread) {
  const GlibcThreads& glibc = glibc_threads();
  if (has_specific(thread)) {
    memset(thread, 0, glibc.thread_size);
  } else if (g_can_look && is_zero(thread)) {
    memset(thread, 0, kLine);
    memset(thread + line_of(glibc.tid_offset), 0, kLine);
  } else {
    memset(thread, 0, g_specific.begin);
    memset(thread + g_specific.flag, 0, glibc.thread_size - g_specific.flag);
  }
}

// Keys beyond the first 32 have their values in blocks that glibc allocates when it needs them.
void drop_specific(char* thread) {
  const GlibcThreads& glibc = glibc_threads();
  auto** blocks = reinterpret_cast<void**>(thread + glibc.specific_offset);
  for (std::size_t i = 1; i < glibc.specific_blocks; ++i) {
    if (blocks[i] != nullptr) give_back(blocks[i]);
    blocks[i] = nullptr;
  }
}

}  // namespace

void learn_tls_image() {
  const GlibcThreads& glibc = glibc_threads();
  std::size_t below = glibc.tls_size - glibc.thread_size;
  if (g_image == nullptr) {
    g_image_size = below;
    g_image = static_cast<char*>(arena_allocate(below));
  }
  learn_objects();
  std::size_t bytes = glibc.tls_size + 2 * glibc.tls_align;
  auto* memory = static_cast<char*>(RADDLE_REAL(calloc)(1, bytes));
  if (memory == nullptr) fatal("out of memory");
  auto top = reinterpret_cast<std::uintptr_t>(memory) + bytes - glibc.thread_size;
  auto* block = reinterpret_cast<char*>(top & ~(glibc.tls_align - 1));
  if (glibc.allocate_tls(block) == nullptr) fatal("out of memory");
  memcpy(g_image, block - below, below);
  find_specific(block);
  g_can_look = can_look();
  g_generation = reinterpret_cast<VectorEntry*>(reinterpret_cast<void**>(block)[1])[0].value;
  glibc.deallocate_tls(block, false);
  RADDLE_REAL(free)(memory);
  g_used_begin = g_libc_begin = g_libc_end = g_image_size;
  g_modules = 0;
  dl_iterate_phdr(find_tls, nullptr);
}

void empty_thread_block(void* block) {
  if (has_specific(static_cast<char*>(block))) drop_specific(static_cast<char*>(block));
  drop_allocated(static_cast<void**>(block)[1]);
}

void renew_thread_block(void* block) {
  if (__builtin_expect(objects_changed(), 0)) learn_tls_image();
  auto* thread = static_cast<char*>(block);
  char* low = thread - g_image_size;
  memcpy(low + g_used_begin, g_image + g_used_begin, g_libc_begin - g_used_begin);
  memcpy(low + g_libc_end, g_image + g_libc_end, g_image_size - g_libc_end);
  void* vector = static_cast<void**>(block)[1];
  clear_thread(thread);
  static_cast<void**>(block)[1] = vector;
}

}  // namespace raddle

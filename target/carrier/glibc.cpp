#include "target/carrier/glibc.hpp"

#include <dlfcn.h>
#include <string.h>

#include "target/base/base.hpp"

namespace raddle {
namespace {

GlibcThreads g_glibc;

template <class T>
bool look_up(T& pointer, const char* name) {
  pointer = reinterpret_cast<T>(dlvsym(RTLD_DEFAULT, name, "GLIBC_PRIVATE"));
  return pointer != nullptr;
}

// The start of every TLS block on x86-64, fixed by the ABI (tcbhead_t).
struct BlockHeader {
  void* block;
  void* dtv;
  void* self;
  int multiple_threads;
  int gscope_flag;
  std::uintptr_t sysinfo;
  std::uintptr_t stack_guard;
  std::uintptr_t pointer_guard;
};

}  // namespace

const char* missing_in_glibc() {
  void (*static_info)(std::size_t*, std::size_t*) = nullptr;
  const std::uint32_t* size = nullptr;
  const std::uint32_t* tid = nullptr;  // {bits, count, offset}
  const std::uint32_t* specific = nullptr;
  if (!look_up(g_glibc.allocate_tls, "_dl_allocate_tls")) return "_dl_allocate_tls";
  if (!look_up(g_glibc.deallocate_tls, "_dl_deallocate_tls")) return "_dl_deallocate_tls";
  if (!look_up(g_glibc.init_ctype, "__ctype_init")) return "__ctype_init";
  if (!look_up(g_glibc.call_tls_destructors, "__call_tls_dtors")) return "__call_tls_dtors";
  if (!look_up(static_info, "_dl_get_tls_static_info")) return "_dl_get_tls_static_info";
  if (!look_up(size, "_thread_db_sizeof_pthread")) return "_thread_db_sizeof_pthread";
  if (!look_up(tid, "_thread_db_pthread_tid")) return "_thread_db_pthread_tid";
  if (!look_up(specific, "_thread_db_pthread_specific")) return "_thread_db_pthread_specific";
  static_info(&g_glibc.tls_size, &g_glibc.tls_align);
  if (g_glibc.tls_align < 64) g_glibc.tls_align = 64;
  g_glibc.thread_size = *size;
  g_glibc.tid_offset = tid[2];
  g_glibc.specific_offset = specific[2];
  g_glibc.specific_blocks = specific[0] / 64 * specific[1];
  return nullptr;
}

const GlibcThreads& glibc_threads() { return g_glibc; }

void initialise_thread_block(void* block) {
  auto& header = *static_cast<BlockHeader*>(block);
  const auto& mine = *static_cast<const BlockHeader*>(thread_pointer());
  header.block = header.self = block;
  header.multiple_threads = 1;
  header.sysinfo = mine.sysinfo;
  header.stack_guard = mine.stack_guard;
  header.pointer_guard = mine.pointer_guard;
  // All fibers are the same kernel thread, and libc's own recursive locks ask for this id.
  memcpy(static_cast<char*>(block) + g_glibc.tid_offset,
         static_cast<const char*>(thread_pointer()) + g_glibc.tid_offset, sizeof(int));
}

}  // namespace raddle

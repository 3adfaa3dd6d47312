// What the fibers need to know of glibc's threads. All of it is asked of the running glibc:
// functions of its GLIBC_PRIVATE interface (the loader gives them to libpthread's heirs) and the
// field descriptions it keeps for debuggers (_thread_db_*), so no offset is written down here that
// can be looked up.
#pragma once

#include <cstddef>

namespace raddle {

struct GlibcThreads {
  void* (*allocate_tls)(void* block);             // _dl_allocate_tls
  void (*deallocate_tls)(void* block, bool all);  // _dl_deallocate_tls
  void (*init_ctype)();            // __ctype_init: per-thread tables of isalpha and kin
  void (*call_tls_destructors)();  // __call_tls_dtors: destructors of thread_local objects
  std::size_t tls_size;            // static TLS with struct pthread
  std::size_t tls_align;
  std::size_t thread_size;      // sizeof(struct pthread)
  std::size_t tid_offset;       // of the kernel's thread id in it
  std::size_t specific_offset;  // of its array of blocks of thread-specific data
  std::size_t specific_blocks;
};

// Of the header of a TLS block (tcbhead_t, fixed by the ABI), this part was once for the loader to
// save registers in. The versions of glibc that are supported call it unused.
inline constexpr std::size_t kUnusedHeaderBegin = 128;
inline constexpr std::size_t kUnusedHeaderEnd = 640;

// Looks everything up, so it comes first; the name of what is missing, or null.
const char* missing_in_glibc();

const GlibcThreads& glibc_threads();

// Fills in the header of a fresh TLS block from that of the calling thread.
void initialise_thread_block(void* block);

}  // namespace raddle

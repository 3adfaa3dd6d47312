// Files that the program writes, ports that it binds, named semaphores: what one execution leaves
// in the world, or holds there, under a name that another execution at the same time would use,
// too. The calls do what they always do; the host is told of the first (protocol/uncontrolled.hpp).
// A file that mkstemp() or tmpfile() names is nobody else's.
#include <arpa/inet.h>
#include <fcntl.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "target/base/base.hpp"
#include "target/state/execution.hpp"
#include "target/state/uncontrolled.hpp"

extern "C" {
int __open_2(const char* path, int flags);
int __open64_2(const char* path, int flags);
int __openat_2(int folder, const char* path, int flags);
int __openat64_2(int folder, const char* path, int flags);
}

using namespace raddle;

namespace {

bool begins_with(const char* text, const char* with) {
  return strncmp(text, with, strlen(with)) == 0;
}

// Devices are there before and after; what a process writes there is its own.
void writes(const char* path) {
  if (!g_active || path == nullptr || begins_with(path, "/proc/")) return;
  if (begins_with(path, "/dev/") && !begins_with(path, "/dev/shm/")) return;
  note_outside("it writes ", path);
}

void shares(const char* name) {
  if (g_active && name != nullptr) note_outside("it opens ", name);
}

// System V: the key is the name.
void shares(key_t key) {
  if (g_active && key != IPC_PRIVATE) note_outside("it uses ", "System V objects by their keys");
}

void opens(const char* path, int flags) {
  if ((flags & O_TMPFILE) == O_TMPFILE) return;
  if ((flags & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)) != 0) writes(path);
}

void opens_stream(const char* path, const char* mode) {
  if (mode != nullptr && (mode[0] != 'r' || strchr(mode, '+') != nullptr)) writes(path);
}

void binds(const sockaddr* address, socklen_t length) {
  if (!g_active || address == nullptr || length < sizeof(sa_family_t)) return;
  if (address->sa_family == AF_UNIX) {
    const char* path = reinterpret_cast<const sockaddr_un*>(address)->sun_path;
    if (length <= offsetof(sockaddr_un, sun_path)) return;  // the kernel names it
    // A name that begins with a zero is in no folder.
    return note_outside("it binds ", path[0] != 0 ? path : "a local address");
  }
  const bool internet = (address->sa_family == AF_INET && length >= sizeof(sockaddr_in)) ||
                        (address->sa_family == AF_INET6 && length >= sizeof(sockaddr_in6));
  if (!internet) return;
  // The same place in both; 0 is whichever is free.
  unsigned port = ntohs(reinterpret_cast<const sockaddr_in*>(address)->sin_port);
  if (port == 0) return;
  char digits[8] = {};
  for (char* digit = digits + 6; port != 0; port /= 10) {
    *digit = char('0' + port % 10);
    if (port < 10) return note_outside("it binds port ", digit);
    --digit;
  }
}

}  // namespace

// What comes after the flags, if they ask for it.
#define RADDLE_MODE(after)                    \
  unsigned mode = 0;                          \
  if ((flags & (O_CREAT | O_TMPFILE)) != 0) { \
    va_list arguments;                        \
    va_start(arguments, after);               \
    mode = va_arg(arguments, unsigned);       \
    va_end(arguments);                        \
  }                                           \
  opens(path, flags)

RADDLE_EXPORT int open(const char* path, int flags, ...) {
  RADDLE_MODE(flags);
  return RADDLE_REAL(open)(path, flags, mode);
}

RADDLE_EXPORT int open64(const char* path, int flags, ...) {
  RADDLE_MODE(flags);
  return RADDLE_REAL(open64)(path, flags, mode);
}

RADDLE_EXPORT int openat(int folder, const char* path, int flags, ...) {
  RADDLE_MODE(flags);
  return RADDLE_REAL(openat)(folder, path, flags, mode);
}

RADDLE_EXPORT int openat64(int folder, const char* path, int flags, ...) {
  RADDLE_MODE(flags);
  return RADDLE_REAL(openat64)(folder, path, flags, mode);
}

RADDLE_EXPORT int __open_2(const char* path, int flags) {
  opens(path, flags);
  return RADDLE_REAL(__open_2)(path, flags);
}

RADDLE_EXPORT int __open64_2(const char* path, int flags) {
  opens(path, flags);
  return RADDLE_REAL(__open64_2)(path, flags);
}

RADDLE_EXPORT int __openat_2(int folder, const char* path, int flags) {
  opens(path, flags);
  return RADDLE_REAL(__openat_2)(folder, path, flags);
}

RADDLE_EXPORT int __openat64_2(int folder, const char* path, int flags) {
  opens(path, flags);
  return RADDLE_REAL(__openat64_2)(folder, path, flags);
}

RADDLE_EXPORT int creat(const char* path, mode_t mode) {
  writes(path);
  return RADDLE_REAL(creat)(path, mode);
}

RADDLE_EXPORT int creat64(const char* path, mode_t mode) {
  writes(path);
  return RADDLE_REAL(creat64)(path, mode);
}

RADDLE_EXPORT FILE* fopen(const char* path, const char* mode) {
  opens_stream(path, mode);
  return RADDLE_REAL(fopen)(path, mode);
}

RADDLE_EXPORT FILE* fopen64(const char* path, const char* mode) {
  opens_stream(path, mode);
  return RADDLE_REAL(fopen64)(path, mode);
}

RADDLE_EXPORT FILE* freopen(const char* path, const char* mode, FILE* stream) {
  opens_stream(path, mode);
  return RADDLE_REAL(freopen)(path, mode, stream);
}

RADDLE_EXPORT FILE* freopen64(const char* path, const char* mode, FILE* stream) {
  opens_stream(path, mode);
  return RADDLE_REAL(freopen64)(path, mode, stream);
}

RADDLE_EXPORT int mkdir(const char* path, mode_t mode) noexcept {
  writes(path);
  return RADDLE_REAL(mkdir)(path, mode);
}

RADDLE_EXPORT int shm_open(const char* name, int flags, mode_t mode) {
  opens(name, flags);
  return RADDLE_REAL(shm_open)(name, flags, mode);
}

RADDLE_EXPORT int mkfifo(const char* path, mode_t mode) noexcept {
  writes(path);
  return RADDLE_REAL(mkfifo)(path, mode);
}

RADDLE_EXPORT sem_t* sem_open(const char* name, int flags, ...) noexcept {
  shares(name);
  va_list arguments;
  va_start(arguments, flags);
  const bool makes = (flags & O_CREAT) != 0;
  const unsigned mode = makes ? va_arg(arguments, unsigned) : 0;
  const unsigned value = makes ? va_arg(arguments, unsigned) : 0;
  va_end(arguments);
  return RADDLE_REAL(sem_open)(name, flags, mode, value);
}

RADDLE_EXPORT int shmget(key_t key, std::size_t size, int flags) noexcept {
  shares(key);
  return RADDLE_REAL(shmget)(key, size, flags);
}

RADDLE_EXPORT int semget(key_t key, int count, int flags) noexcept {
  shares(key);
  return RADDLE_REAL(semget)(key, count, flags);
}

RADDLE_EXPORT int msgget(key_t key, int flags) noexcept {
  shares(key);
  return RADDLE_REAL(msgget)(key, flags);
}

RADDLE_EXPORT int bind(int fd, const sockaddr* address, socklen_t length) noexcept {
  binds(address, length);
  return RADDLE_REAL(bind)(fd, address, length);
}

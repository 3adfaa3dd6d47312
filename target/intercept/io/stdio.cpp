// Input through stdio that may have to wait: from a pipe, a socket, a terminal. libc reads the
// descriptor inside the call, where we cannot step in; so the wait comes before, whenever the
// stream's buffer is empty, and calls that may read more than once are taken apart.
#include "target/intercept/io/stdio.hpp"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "target/intercept/io/io_wait.hpp"

extern "C" {
int __uflow(FILE*);
int __underflow(FILE*);
char* __fgets_chk(char* line, std::size_t size, int count, FILE* stream);
std::size_t __fread_chk(void* buffer, std::size_t size, std::size_t item, std::size_t count,
                        FILE* stream);
ssize_t __getdelim(char** line, std::size_t* capacity, int delimiter, FILE* stream);
int _IO_getc(FILE* stream);
[[noreturn]] void __chk_fail();
}

namespace raddle {
namespace {

std::size_t buffered(const FILE* stream) {
  return stream->_IO_read_ptr < stream->_IO_read_end
             ? std::size_t(stream->_IO_read_end - stream->_IO_read_ptr)
             : 0;
}

// The stream reads a descriptor that can make it wait.
bool may_wait(const FILE* stream) {
  if (!controlled() || stream == nullptr || stream->_fileno < 0 || stream->_mode > 0) return false;
  Descriptor d = describe(stream->_fileno);
  return d.reader_may_wait() && !d.random;
}

// The next character, waited for if need be, without the rest of the call.
int next_character(FILE* stream, std::uint64_t site) {
  await_input(stream, site);
  return RADDLE_REAL(fgetc)(stream);
}

// Up to `size` characters, ending after `delimiter` if that is one; at least one unless the input
// ended.
std::size_t next_piece(FILE* stream, char* to, std::size_t size, int delimiter,
                       std::uint64_t site) {
  if (buffered(stream) == 0) {
    int c = next_character(stream, site);
    if (c == EOF) return 0;
    *to = char(c);
    return 1;
  }
  std::size_t n = buffered(stream) < size ? buffered(stream) : size;
  if (delimiter >= 0) {
    if (void* found = memchr(stream->_IO_read_ptr, delimiter, n)) {
      n = std::size_t(static_cast<char*>(found) - stream->_IO_read_ptr) + 1;
    }
  }
  return RADDLE_REAL(fread)(to, 1, n, stream);
}

char* read_line(char* line, int size, FILE* stream, std::uint64_t site) {
  if (size <= 1 || !may_wait(stream)) return RADDLE_REAL(fgets)(line, size, stream);
  std::size_t done = 0;
  auto room = std::size_t(size) - 1;
  while (done < room) {
    std::size_t n = next_piece(stream, line + done, room - done, '\n', site);
    if (n == 0) break;
    done += n;
    if (line[done - 1] == '\n') break;
  }
  if (done == 0) return nullptr;
  line[done] = 0;
  return line;
}

std::size_t read_items(void* buffer, std::size_t size, std::size_t count, FILE* stream,
                       std::uint64_t site) {
  std::size_t total = size * count;
  if (total == 0 || !may_wait(stream)) return RADDLE_REAL(fread)(buffer, size, count, stream);
  std::size_t done = 0;
  while (done < total) {
    std::size_t n = next_piece(stream, static_cast<char*>(buffer) + done, total - done, -1, site);
    if (n == 0) break;
    done += n;
  }
  return done / size;
}

ssize_t read_until(char** line, std::size_t* capacity, int delimiter, FILE* stream,
                   std::uint64_t site) {
  if (line == nullptr || capacity == nullptr || !may_wait(stream)) {
    return RADDLE_REAL(getdelim)(line, capacity, delimiter, stream);
  }
  std::size_t done = 0;
  for (;;) {
    if (*line == nullptr || *capacity < done + 2) {
      std::size_t bigger = done * 2 < 120 ? 120 : done * 2;
      char* moved = static_cast<char*>(realloc(*line, bigger));
      if (moved == nullptr) return -1;
      *line = moved;
      *capacity = bigger;
    }
    std::size_t n = next_piece(stream, *line + done, *capacity - done - 1, delimiter & 0xff, site);
    if (n == 0) break;
    done += n;
    if ((*line)[done - 1] == char(delimiter)) break;
  }
  if (done == 0) return -1;
  (*line)[done] = 0;
  return ssize_t(done);
}

}  // namespace

void await_input(FILE* stream, std::uint64_t site) {
  if (!controlled() || stream == nullptr || buffered(stream) > 0 || !may_wait(stream)) return;
  RuntimeScope scope;
  Descriptor d = describe(stream->_fileno);
  IoWait io{.op = OpKind::read,
            .fd = stream->_fileno,
            .events = POLLIN,
            .external = !d.internal,
            .site = site};
  if (d.pipe || d.socket) outside_changed();  // what is read makes room
  while (wait_for_io(io) == EINTR) {
  }
}

}  // namespace raddle

using namespace raddle;

RADDLE_EXPORT int fgetc(FILE* stream) {
  await_input(stream, RADDLE_SITE);
  return RADDLE_REAL(fgetc)(stream);
}
RADDLE_EXPORT int(getc)(FILE* stream) {
  await_input(stream, RADDLE_SITE);
  return RADDLE_REAL(fgetc)(stream);
}
RADDLE_EXPORT int _IO_getc(FILE* stream) {
  await_input(stream, RADDLE_SITE);
  return RADDLE_REAL(fgetc)(stream);
}
RADDLE_EXPORT int getchar() {
  await_input(stdin, RADDLE_SITE);
  return RADDLE_REAL(fgetc)(stdin);
}
RADDLE_EXPORT int(getc_unlocked)(FILE* stream) {
  await_input(stream, RADDLE_SITE);
  return RADDLE_REAL(fgetc_unlocked)(stream);
}
RADDLE_EXPORT int fgetc_unlocked(FILE* stream) {
  await_input(stream, RADDLE_SITE);
  return RADDLE_REAL(fgetc_unlocked)(stream);
}
RADDLE_EXPORT int getchar_unlocked() {
  await_input(stdin, RADDLE_SITE);
  return RADDLE_REAL(fgetc_unlocked)(stdin);
}

// What the macros of the unlocked functions call when the buffer is empty.
RADDLE_EXPORT int __uflow(FILE* stream) {
  await_input(stream, RADDLE_SITE);
  return RADDLE_REAL(__uflow)(stream);
}
RADDLE_EXPORT int __underflow(FILE* stream) {
  await_input(stream, RADDLE_SITE);
  return RADDLE_REAL(__underflow)(stream);
}

RADDLE_EXPORT char* fgets(char* line, int size, FILE* stream) {
  return read_line(line, size, stream, RADDLE_SITE);
}
RADDLE_EXPORT char* fgets_unlocked(char* line, int size, FILE* stream) {
  return read_line(line, size, stream, RADDLE_SITE);
}
RADDLE_EXPORT char* __fgets_chk(char* line, size_t size, int count, FILE* stream) {
  if (count > 0 && size_t(count) > size) __chk_fail();
  return read_line(line, count, stream, RADDLE_SITE);
}

RADDLE_EXPORT size_t fread(void* buffer, size_t size, size_t count, FILE* stream) {
  return read_items(buffer, size, count, stream, RADDLE_SITE);
}
RADDLE_EXPORT size_t fread_unlocked(void* buffer, size_t size, size_t count, FILE* stream) {
  return read_items(buffer, size, count, stream, RADDLE_SITE);
}
RADDLE_EXPORT size_t __fread_chk(void* buffer, size_t capacity, size_t size, size_t count,
                                 FILE* stream) {
  size_t total = 0;
  if (__builtin_mul_overflow(size, count, &total) || total > capacity) __chk_fail();
  return read_items(buffer, size, count, stream, RADDLE_SITE);
}

RADDLE_EXPORT ssize_t getdelim(char** line, size_t* capacity, int delimiter, FILE* stream) {
  return read_until(line, capacity, delimiter, stream, RADDLE_SITE);
}
RADDLE_EXPORT ssize_t __getdelim(char** line, size_t* capacity, int delimiter, FILE* stream) {
  return read_until(line, capacity, delimiter, stream, RADDLE_SITE);
}
RADDLE_EXPORT ssize_t getline(char** line, size_t* capacity, FILE* stream) {
  return read_until(line, capacity, '\n', stream, RADDLE_SITE);
}

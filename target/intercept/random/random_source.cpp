// getrandom and its relatives. Their bytes come from the plan's seed, so that the same plan is the
// same execution; constructors that run before main() get a fixed stream, because they run once for
// all the executions of a fork server.
#include "target/intercept/random/random_source.hpp"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "protocol/generator.hpp"
#include "target/base/forgetting.hpp"
#include "target/sched/scheduler.hpp"

namespace raddle {
namespace {

constexpr std::uint64_t kSalt = 0x7261646f6d2d3031ULL;  // the strategy draws from the bare seed
constexpr std::size_t kMostAtOnce = 33'554'431;         // of one getrandom()

RADDLE_FORGOTTEN Generator* g_generator;
RADDLE_FORGOTTEN bool g_seeded;  // by the plan

Generator& generator() {
  if (g_generator == nullptr)
    g_generator = new (arena_allocate(sizeof(Generator))) Generator(kSalt);
  if (g_active && !g_seeded) {
    *g_generator = Generator(plan().seed ^ kSalt);
    g_seeded = true;
  }
  return *g_generator;
}

}  // namespace

bool random_is_ours() { return controlled() || (g_region != nullptr && g_current == nullptr); }

void random_bytes(void* buffer, std::size_t size) {
  auto* out = static_cast<char*>(buffer);
  while (size > 0) {
    std::uint64_t word = generator().next();
    std::size_t part = size < sizeof(word) ? size : sizeof(word);
    memcpy(out, &word, part);
    out += part;
    size -= part;
  }
}

long get_random(void* buffer, std::size_t size, unsigned flags) {
  if ((flags & ~unsigned{GRND_NONBLOCK | GRND_RANDOM | GRND_INSECURE}) != 0) return -EINVAL;
  if (size > kMostAtOnce) size = kMostAtOnce;
  random_bytes(buffer, size);
  return long(size);
}

}  // namespace raddle

using namespace raddle;

RADDLE_EXPORT ssize_t getrandom(void* buffer, size_t size, unsigned flags) {
  if (!random_is_ours()) return RADDLE_REAL(getrandom)(buffer, size, flags);
  long result = get_random(buffer, size, flags);
  if (result >= 0) return result;
  errno = int(-result);
  return -1;
}

RADDLE_EXPORT int getentropy(void* buffer, size_t size) {
  if (!random_is_ours()) return RADDLE_REAL(getentropy)(buffer, size);
  if (size > 256) {
    errno = EIO;
    return -1;
  }
  random_bytes(buffer, size);
  return 0;
}

RADDLE_EXPORT std::uint32_t arc4random() noexcept {
  if (!random_is_ours()) return RADDLE_REAL(arc4random)();
  return std::uint32_t(generator().next());
}

RADDLE_EXPORT void arc4random_buf(void* buffer, size_t size) noexcept {
  if (!random_is_ours()) return RADDLE_REAL(arc4random_buf)(buffer, size);
  random_bytes(buffer, size);
}

RADDLE_EXPORT std::uint32_t arc4random_uniform(std::uint32_t bound) noexcept {
  if (!random_is_ours()) return RADDLE_REAL(arc4random_uniform)(bound);
  return bound == 0 ? 0 : std::uint32_t(generator().below(bound));
}

// expect: passed
// thread_local: one object per thread, constructed on first use, destroyed at the end of that
// thread (newest first), before the join returns; trivially initialised ones are separate too.
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "check.h"

namespace {

std::mutex lock;
int constructed, destroyed;
std::string order;

struct Tracked {
  char name;
  int uses = 0;
  explicit Tracked(char n) : name(n) {
    std::lock_guard<std::mutex> hold(lock);
    ++constructed;
  }
  ~Tracked() {
    std::lock_guard<std::mutex> hold(lock);
    ++destroyed;
    order += name;
  }
};

thread_local Tracked first('f');
thread_local Tracked second('s');
thread_local int plain = 17;
thread_local std::string text = "initial";

void use() {
  CHECK_EQ(plain, 17);
  plain = 18;
  CHECK(text == "initial");
  text = "changed to something longer than the small buffer";
  CHECK_EQ(first.uses++, 0);
  std::this_thread::yield();
  CHECK_EQ(second.uses++, 0);
  CHECK_EQ(plain, 18);
  CHECK(text.size() > 20);
}

}  // namespace

int main() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back(use);
  for (auto& thread : threads) thread.join();
  CHECK_EQ(constructed, 6);
  CHECK_EQ(destroyed, 6);
  order.clear();
  std::thread(use).join();
  CHECK(order == "sf");
  CHECK_EQ(plain, 17);
#ifndef _LIBCPP_VERSION  // glibc's pthread_exit unwinds with libgcc, which does not mix with LLVM's
                         // unwinder
  std::thread([] {
    use();
    pthread_exit(nullptr);
  }).join();
  CHECK_EQ(destroyed, 10);
#endif
}

// One thread writes and then says so under a lock; the other one asks under the lock before it
// reads. With BROKEN it says under the lock that it comes, and reads: in many executions the lock
// happens to order both.
#include <mutex>
#include <thread>

int data;
bool ready;
bool asked;
int seen;
static std::mutex lock;

int main() {
  std::thread writer([] {
    data = 1;
    lock.lock();
    ready = true;
    lock.unlock();
  });
  std::thread reader([] {
#ifdef BROKEN
    lock.lock();
    asked = true;
    lock.unlock();
    seen = data;
#else
    lock.lock();
    bool is_ready = ready;
    lock.unlock();
    if (is_ready) seen = data;
#endif
  });
  writer.join();
  reader.join();
}

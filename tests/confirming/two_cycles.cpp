// Two cycles of two locks each, in four threads. Both threads of one cycle take its locks under a
// gate, so this cycle never closes. The other one does.
#include <mutex>
#include <thread>

namespace {

std::mutex gate, a, b, c, d;

void gated_ab() {
  std::lock_guard<std::mutex> whole(gate);
  std::lock_guard<std::mutex> first(a);
  std::lock_guard<std::mutex> second(b);
}

void gated_ba() {
  std::lock_guard<std::mutex> whole(gate);
  std::lock_guard<std::mutex> first(b);
  std::lock_guard<std::mutex> second(a);
}

void cd() {
  std::lock_guard<std::mutex> first(c);
  std::lock_guard<std::mutex> second(d);
}

void dc() {
  std::lock_guard<std::mutex> first(d);
  std::lock_guard<std::mutex> second(c);
}

}  // namespace

int main() {
  std::thread threads[] = {std::thread(gated_ab), std::thread(gated_ba), std::thread(cd),
                           std::thread(dc)};
  for (std::thread& thread : threads) thread.join();
}

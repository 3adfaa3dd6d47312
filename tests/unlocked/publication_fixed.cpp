// The message is complete before an atomic flag announces it.
#include <atomic>
#include <cassert>
#include <thread>

struct Message {
  int size = 0;
  int checksum = 0;
};

Message message;
std::atomic<bool> ready = false;

int main() {
  std::thread writer([] {
    message.size = 12;
    message.checksum = 12;
    ready.store(true, std::memory_order_release);
  });
  std::thread reader([] {
    if (ready.load(std::memory_order_acquire)) assert(message.checksum == message.size);
  });
  writer.join();
  reader.join();
}

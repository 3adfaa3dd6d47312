// A message is announced with a plain flag before it is complete: who sees the flag may see the
// half of it.
#include <cassert>
#include <thread>

struct Message {
  int size = 0;
  int checksum = 0;
};

Message message;
bool ready = false;

int main() {
  std::thread writer([] {
    message.size = 12;
    ready = true;
    message.checksum = 12;
  });
  std::thread reader([] {
    if (ready) assert(message.checksum == message.size);
  });
  writer.join();
  reader.join();
}

// A plain flag announces a message before the message is complete: a thread that sees the flag may
// see half of the message.
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

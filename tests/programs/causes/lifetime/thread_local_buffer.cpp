// Workers gather samples in a thread-local buffer and enroll its address; the buffer ends with its
// worker, and the exporter still reads it.
// cause: use-after-free
// object: element of a list or std::_List_node
// says: after its function had returned
// causes: 2
#include <cassert>
#include <list>
#include <mutex>
#include <thread>
#include <vector>

struct Buffer {
  std::list<int> samples;  // [first]
  ~Buffer();
};

class Exporter {
 public:
  void enroll(Buffer* buffer) {
    const std::lock_guard lock(mutex_);
    buffers_.push_back(buffer);
  }
  void withdraw(Buffer* buffer) {
    const std::lock_guard lock(mutex_);
    std::erase(buffers_, buffer);
  }
  int sum() {
    const std::lock_guard lock(mutex_);
    int sum = 0;
    for (const Buffer* buffer : buffers_)
      for (const int sample : buffer->samples) sum += sample;  // [last]
    return sum;
  }

 private:
  std::mutex mutex_;
  std::vector<Buffer*> buffers_;
} exporter;

Buffer::~Buffer() {
#ifdef FIXED
  exporter.withdraw(this);
#endif
}  // [first]

thread_local Buffer buffer;

int main() {
  std::thread worker([] {
    for (int i = 1; i < 4; ++i) buffer.samples.push_back(i);
    exporter.enroll(&buffer);
  });
  int sum = 0;
  std::thread reader([&] { sum = exporter.sum(); });
  worker.join();
  reader.join();
  assert(sum == 0 || sum == 6);
}

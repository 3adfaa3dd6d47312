// bug: HastyWriter::write|buffer\.(end|written|text)
// paper: 004 Table 1, BufWriter
// seen by: race, lockset, atomicity, atomic-set
// seen with functions: atomicity, serializability
//
// Writers append to a common buffer and move its end. Careful writers and the checker hold the
// buffer's lock. The hasty writer does not, so it overwrites characters of others, and the count of
// characters is wrong.
#include <cstdlib>
#include <mutex>
#include <thread>

struct Buffer {
  std::mutex mutex;
  char text[256] = {};
  int end = 0;
  long written = 0;
  int mistakes = 0;
};

class CarefulWriter {
 public:
  explicit CarefulWriter(Buffer& buffer) : buffer_(buffer) {}
  void write() {
    std::lock_guard<std::mutex> lock(buffer_.mutex);
    if (buffer_.end == 256) return;
    buffer_.text[buffer_.end] = 'c';
    ++buffer_.end;
    ++buffer_.written;
  }

 private:
  Buffer& buffer_;
};

class HastyWriter {
 public:
  explicit HastyWriter(Buffer& buffer) : buffer_(buffer) {}
  void write() {
    const int end = buffer_.end;
    if (end == 256) return;
    buffer_.text[end] = 'h';
    std::this_thread::yield();
    buffer_.end = end + 1;
    ++buffer_.written;
  }

 private:
  Buffer& buffer_;
};

class Checker {
 public:
  explicit Checker(Buffer& buffer) : buffer_(buffer) {}
  void empty() {
    std::lock_guard<std::mutex> lock(buffer_.mutex);
    if (buffer_.end != buffer_.written) ++buffer_.mistakes;
    buffer_.end = 0;
    buffer_.written = 0;
  }

 private:
  Buffer& buffer_;
};

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 3;
  Buffer buffer;
  std::thread careful([&] {
    CarefulWriter writer(buffer);
    for (int i = 0; i < rounds; ++i) writer.write();
  });
  std::thread hasty([&] {
    HastyWriter writer(buffer);
    for (int i = 0; i < rounds; ++i) writer.write();
  });
  std::thread checker([&] {
    Checker check(buffer);
    for (int i = 0; i < rounds; ++i) check.empty();
  });
  careful.join();
  hasty.join();
  checker.join();
  Checker(buffer).empty();
  return buffer.mistakes == 0 ? 0 : 1;
}

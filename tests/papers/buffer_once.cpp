// The StringBuffer of Flanagan and Freund (Atomizer, 2004): append() takes the length of another
// buffer and then its characters, each under that buffer's lock. Each thread makes one call.
// Argument: 0, the thread that appends is created first; 1, the other one.
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>

class Buffer {
 public:
  void append(Buffer& other) {
    std::lock_guard<std::mutex> lock(mutex_);
    const std::size_t length = other.length();
    other.characters(length, text_);
  }
  std::size_t length() {
    std::lock_guard<std::mutex> lock(mutex_);
    return text_.size();
  }
  void characters(std::size_t length, std::string& to) {
    std::lock_guard<std::mutex> lock(mutex_);
    to += text_.substr(0, length);
  }
  void erase() {
    std::lock_guard<std::mutex> lock(mutex_);
    text_.clear();
  }

 private:
  std::mutex mutex_;
  std::string text_ = "abc";
};

int main(int argc, char** argv) {
  Buffer one, two;
  const bool other_first = argc > 1 && std::atoi(argv[1]) == 1;
  std::thread first([&] { other_first ? two.erase() : one.append(two); });
  std::thread second([&] { other_first ? one.append(two) : two.erase(); });
  first.join();
  second.join();
}

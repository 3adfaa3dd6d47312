// bug: StringBuffer::append
// paper: 001 and 000, java.lang.StringBuffer
// seen by: atomicity, serializability
// seen with functions: atomicity, serializability
//
// Every member function holds the buffer's own lock, so there is no race. But append() asks the
// other buffer for its length and then for its characters. Between the two calls another thread may
// shorten that buffer: the length is stale, and get_chars() throws.
#include <cstdlib>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

class StringBuffer {
 public:
  explicit StringBuffer(std::string text) : text_(std::move(text)) {}

  void append(StringBuffer& other) {
    std::lock_guard<std::recursive_mutex> lock(mutex_);
    const std::size_t length = other.length();
    text_ += other.get_chars(length);
  }

  std::size_t length() {
    std::lock_guard<std::recursive_mutex> lock(mutex_);
    return text_.size();
  }

  std::string get_chars(std::size_t end) {
    std::lock_guard<std::recursive_mutex> lock(mutex_);
    if (end > text_.size()) throw std::out_of_range("get_chars");
    return text_.substr(0, end);
  }

  void set_text(const std::string& text) {
    std::lock_guard<std::recursive_mutex> lock(mutex_);
    text_ = text;
  }

 private:
  std::recursive_mutex mutex_;
  std::string text_;
};

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 3;
  int strikes = 0;
  StringBuffer source("abcdefgh");
  std::thread reader([&] {
    for (int i = 0; i < rounds; ++i) {
      StringBuffer target("");
      try {
        target.append(source);
      } catch (const std::out_of_range&) {
        ++strikes;
      }
    }
  });
  std::thread writer([&] {
    for (int i = 0; i < rounds; ++i) {
      source.set_text("");
      source.set_text("abcdefgh");
    }
  });
  reader.join();
  writer.join();
  return strikes == 0 ? 0 : 1;
}

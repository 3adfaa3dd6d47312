// A document has text and a version that counts its edits. Since the change (version.patch) readers
// ask for the two one after the other, each call with the lock, and can get a version that is not
// the text's.
#include <cassert>
#include <mutex>
#include <thread>

class Screen {
 public:
  void draw() {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++drawn_;
  }

 private:
  std::mutex mutex_;
  int drawn_ = 0;
};

class Document {
 public:
  void edit() {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++text_;
    ++version_;
  }

  int text() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return text_;
  }

  int version() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return version_;
  }

  bool consistent() { return text() == version(); }

 private:
  std::mutex mutex_;
  int text_ = 0;
  int version_ = 0;
};

Document document;
Screen screen;

void editor() {
  screen.draw();
  document.edit();
  screen.draw();
  document.edit();
  screen.draw();
}

void reader() {
  screen.draw();
  assert(document.consistent());
  screen.draw();
}

int main() {
  std::thread one(editor);
  std::thread two(reader);
  one.join();
  two.join();
}

// The list is declared after the thread that goes through it, and so it is destroyed before the
// thread is joined.
// cause: use-after-free
// object: element of a list or block
// says: wait for T1 before members of the object are destroyed
// seen: T1 used it in Press::print, of the same object
// never: std::shared_ptr
#include <atomic>
#include <list>
#include <thread>
#include <utility>

class Press {
 public:
  explicit Press(std::list<int> pages) : pages_(std::move(pages)) {}
  ~Press() { stop_ = true; }
  void start() {
    printer_ = std::jthread([this] { print(); });
  }

 private:
  void print() {
    for (const int page : pages_) {  // [last]
      if (stop_) return;
      ink_ += page;
    }
  }

  std::atomic<bool> stop_{false};
  int ink_ = 0;
#ifdef FIXED
  std::list<int> pages_;
  std::jthread printer_;
#else
  std::jthread printer_;
  std::list<int> pages_;
#endif
};

int main() {
  Press press({1, 2, 3});
  press.start();
}  // [first]

// A scanner has two pages of memory, and puts each that is full on a desk. It goes on to the other
// one, and comes back to the first while that is still printed.
// cause: reused-too-early
// object: office.pages_[0].lines
// says: which T1 took at
// never: number
// never: mutex
#include <cassert>
#include <condition_variable>
#include <list>
#include <mutex>
#include <thread>

struct Page {
  int number = 0;
  int lines[3] = {};
};

class Office {
 public:
  Page& empty_page() {
    Page& page = pages_[next_];
    next_ = 1 - next_;
    return page;
  }
  void put(Page* page) {
    const std::lock_guard lock(mutex_);
#ifdef FIXED
    ++unprinted_;
#endif
    desk_.push_back(page);
    changed_.notify_all();
  }
  Page* take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !desk_.empty(); });
    Page* page = desk_.front();
    desk_.pop_front();
    return page;
  }
#ifdef FIXED
  void printed() {
    const std::lock_guard lock(mutex_);
    --unprinted_;
    changed_.notify_all();
  }
  void wait_for_room() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return unprinted_ < 2; });
  }
  int unprinted_ = 0;
#endif

 private:
  Page pages_[2];
  int next_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Page*> desk_;
} office;

int main() {
  int ink = 0;
  std::thread printer([&] {
    for (int i = 0; i < 3; ++i) {
      const Page* page = office.take();
      for (const int line : page->lines) ink += line;  // [last]
#ifdef FIXED
      office.printed();
#endif
    }
  });
  for (int number = 1; number <= 3; ++number) {
#ifdef FIXED
    office.wait_for_room();
#endif
    Page& page = office.empty_page();
    page.number = number;
    for (int& line : page.lines) line = 100 * number;  // [first]
    office.put(&page);
  }
  printer.join();
  assert(ink == 1800);
}

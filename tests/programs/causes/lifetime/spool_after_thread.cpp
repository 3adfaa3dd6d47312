// The thread is declared before what it works with, and joined only when that is destroyed. Any
// member may be found gone, and the destructor itself may fall over what the thread does meanwhile:
// that is one cause. Nobody wrote the destructor, which a std::unique_ptr calls.
// cause: use-after-free
// object: Spooler:: or std::basic_string or Printer or block or memory of
// causes: 1
// says: wait for T1 before members of the object are destroyed: first thing in Spooler::~Spooler
// seen: of the same object
// never: std::shared_ptr
// never: mutex, held
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

class Printer {
 public:
  void print(const std::string& page) { ink_ += page.size(); }  // [last]

 private:
  std::size_t ink_ = 0;
};

class Spooler {
 public:
  Spooler() : printer_(std::make_unique<Printer>()) {
    thread_ = std::jthread([this](std::stop_token stop) { run(std::move(stop)); });
  }

  void add(std::string page) {
    const std::lock_guard lock(mutex_);
    pages_.push_back(std::move(page));
  }

 private:
  void run(std::stop_token stop) {
    while (!stop.stop_requested()) print_all();
    print_all();
  }

  void print_all() {
    std::vector<std::string> pages;
    {
      const std::lock_guard lock(mutex_);
      pages.swap(pages_);  // [last]
    }
    for (const std::string& page : pages) printer_->print(page);  // [last]
  }

#ifdef FIXED
  std::mutex mutex_;
  std::vector<std::string> pages_;
  std::unique_ptr<Printer> printer_;
  std::jthread thread_;
#else
  std::jthread thread_;
  std::mutex mutex_;
  std::vector<std::string> pages_;
  std::unique_ptr<Printer> printer_;
#endif
};

int main() {
  auto spooler = std::make_unique<Spooler>();
  spooler->add("one");
  spooler.reset();  // [first]
}

// Two requests look for a page, find none, and render it both: between the look and the insertion
// the lock is free. What changes the map is an assignment that nobody wrote.
// cause: lock-reacquired
// object: pages.mutex_
// says: changed an element of a map or set at rendered_twice.cpp:44
#include <cassert>
#include <map>
#include <mutex>
#include <string>
#include <thread>

struct Page {
  std::string text;
  int size = 0;
};

class Renderer {
 public:
  Page render(const std::string& name) {
    const std::lock_guard lock(mutex_);
    ++count_;
    return {"the text of the page called " + name, static_cast<int>(name.size())};
  }
  int count() const { return count_; }

 private:
  std::mutex mutex_;
  int count_ = 0;
};

class Pages {
 public:
  void request(const std::string& name, Renderer& renderer) {
    {
      const std::lock_guard look(mutex_);  // [first]
      if (pages_.find(name) != pages_.end()) return;
#ifdef FIXED
      pages_[name] = renderer.render(name);
      return;
#endif
    }
    const Page page = renderer.render(name);
    const std::lock_guard insert(mutex_);  // [last]
    pages_[name] = page;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, Page> pages_;
};

int main() {
  Renderer renderer;
  Pages pages;
  std::thread one([&] { pages.request("index", renderer); });
  std::thread other([&] { pages.request("index", renderer); });
  one.join();
  other.join();
  assert(renderer.count() == 1);
}

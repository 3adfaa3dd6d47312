// One thread iterates over a list, another one adds to it. What a cursor reads is a std::vector,
// which moves when it grows. Nothing here synchronises; iteration.mop does.
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

class List {
 public:
  void add(int value) {
    const unsigned version = ++version_;
    items_.push_back(value);
    std::this_thread::yield();
    if (version_ != version) fail("two threads add at once");
  }

 private:
  friend class Cursor;
  static void fail(const char* what) {
    std::puts(what);
    std::abort();
  }

  std::vector<int> items_{1, 2};
  unsigned version_ = 0;
};

class Cursor {
 public:
  explicit Cursor(List& list) : list_(&list) {}
  bool more() {
    if (!begun_) version_ = list_->version_;
    begun_ = true;
    return at_ < list_->items_.size();
  }
  int next() {
    std::this_thread::yield();
    if (list_->version_ != version_) List::fail("the list has changed under the cursor");
    return list_->items_[at_++];
  }

 private:
  List* list_;
  std::size_t at_ = 0;
  unsigned version_ = 0;
  bool begun_ = false;
};

int main() {
  List list;
  std::thread adder([&] {
    list.add(3);
    list.add(4);
  });
  int sum = 0;
  for (int round = 0; round < 2; ++round) {
    Cursor cursor(list);
    while (cursor.more()) sum += cursor.next();
  }
  adder.join();
  return sum >= 6 ? 0 : 1;
}

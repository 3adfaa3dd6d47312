// The Vector of JDK 1.1 (Park and Sen 2008, Table 1): every call is synchronised, and none of them
// calls another vector. So there is nothing to warn of.
#include <mutex>
#include <thread>
#include <vector>

class Vector {
 public:
  void add(int value) {
    const std::lock_guard<std::recursive_mutex> lock(mutex_);
    values_.push_back(value);
  }
  bool remove(int value) {
    const std::lock_guard<std::recursive_mutex> lock(mutex_);
    return std::erase(values_, value) != 0;
  }
  int last() {
    const std::lock_guard<std::recursive_mutex> lock(mutex_);
    return values_.empty() ? 0 : values_.at(size() - 1);
  }
  std::size_t size() {
    const std::lock_guard<std::recursive_mutex> lock(mutex_);
    return values_.size();
  }

 private:
  std::recursive_mutex mutex_;
  std::vector<int> values_;
};

int main() {
  Vector vector;
  std::thread adder([&] {
    for (int i = 0; i < 3; ++i) vector.add(i);
  });
  std::thread remover([&] {
    for (int i = 0; i < 3; ++i) vector.remove(vector.last());
  });
  adder.join();
  remover.join();
  return vector.size() <= 3 ? 0 : 1;
}

// vector.cpp with its bug fixed: a function that reads another vector holds that vector's lock.
#include <cstdlib>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

class Vector {
 public:
  Vector() = default;

  Vector(Vector& other) {
    std::lock_guard<std::recursive_mutex> lock(other.mutex_);
    const std::size_t size = other.size();
    for (std::size_t i = 0; i < size; ++i) elements_.push_back(other.at(i));
  }

  bool contains_all(Vector& other) {
    std::scoped_lock lock(mutex_, other.mutex_);
    const std::size_t size = other.size();
    for (std::size_t i = 0; i < size; ++i) {
      if (!contains(other.at(i))) return false;
    }
    return true;
  }

  bool contains(int value) {
    std::lock_guard<std::recursive_mutex> lock(mutex_);
    for (int element : elements_) {
      if (element == value) return true;
    }
    return false;
  }

  std::size_t size() {
    std::lock_guard<std::recursive_mutex> lock(mutex_);
    return elements_.size();
  }

  int at(std::size_t index) {
    std::lock_guard<std::recursive_mutex> lock(mutex_);
    return elements_.at(index);
  }

  void add(int value) {
    std::lock_guard<std::recursive_mutex> lock(mutex_);
    elements_.push_back(value);
  }

  void remove_last() {
    std::lock_guard<std::recursive_mutex> lock(mutex_);
    if (!elements_.empty()) elements_.pop_back();
  }

 private:
  std::recursive_mutex mutex_;
  std::vector<int> elements_;
};

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 3;
  int strikes = 0;
  Vector all;
  Vector changing;
  for (int i = 0; i < 6; ++i) all.add(i);
  for (int i = 0; i < 4; ++i) changing.add(i);
  std::thread reader([&] {
    for (int i = 0; i < rounds; ++i) {
      try {
        if (!all.contains_all(changing)) ++strikes;
        Vector copy(changing);
        if (copy.size() < 3) ++strikes;
      } catch (const std::out_of_range&) {
        ++strikes;
      }
    }
  });
  std::thread writer([&] {
    for (int i = 0; i < rounds; ++i) {
      changing.remove_last();
      changing.add(i % 4);
    }
  });
  reader.join();
  writer.join();
  return strikes == 0 ? 0 : 1;
}

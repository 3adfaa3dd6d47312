// Synchronised wrappers around collections that know nothing of threads, after section 5.3 of Park
// and Sen (2008): ArrayList, LinkedList, HashSet, TreeSet and LinkedHashSet of the JDK. Compile
// with -DCOLLECTION=ArrayList and so on.
//
// The bulk operations hold their own lock and take that of their argument once for each element.
// contains_all() walks over the argument with an iterator that notices when somebody else changes
// it: an exception. remove_all() asks for one element after the other; the argument always has
// exactly one of two elements, so exactly one must go. As in the papers' test drivers, the threads
// call other methods, too: before they come to that, they work on a collection that has nothing to
// do with it.
#include <algorithm>
#include <list>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <vector>

class ArrayList {
 public:
  void insert(int value) { values_.push_back(value); }
  void erase(int value) { std::erase(values_, value); }
  bool contains(int value) const { return std::ranges::count(values_, value) != 0; }
  int nth(std::size_t index) const { return values_.at(index); }
  std::size_t size() const { return values_.size(); }

 private:
  std::vector<int> values_;
};

class LinkedList {
 public:
  void insert(int value) { values_.push_back(value); }
  void erase(int value) { values_.remove(value); }
  bool contains(int value) const { return std::ranges::count(values_, value) != 0; }
  int nth(std::size_t index) const { return *std::next(values_.begin(), static_cast<long>(index)); }
  std::size_t size() const { return values_.size(); }

 private:
  std::list<int> values_;
};

template <class Set>
class SetOf {
 public:
  void insert(int value) { values_.insert(value); }
  void erase(int value) { values_.erase(value); }
  bool contains(int value) const { return values_.count(value) != 0; }
  int nth(std::size_t index) const { return *std::next(values_.begin(), static_cast<long>(index)); }
  std::size_t size() const { return values_.size(); }

 private:
  Set values_;
};
using HashSet = SetOf<std::unordered_set<int>>;
using TreeSet = SetOf<std::set<int>>;

class LinkedHashSet {
 public:
  void insert(int value) {
    if (contains(value)) return;
    places_[value] = order_.insert(order_.end(), value);
  }
  void erase(int value) {
    const auto place = places_.find(value);
    if (place == places_.end()) return;
    order_.erase(place->second);
    places_.erase(place);
  }
  bool contains(int value) const { return places_.count(value) != 0; }
  int nth(std::size_t index) const { return *std::next(order_.begin(), static_cast<long>(index)); }
  std::size_t size() const { return order_.size(); }

 private:
  std::list<int> order_;
  std::unordered_map<int, std::list<int>::iterator> places_;
};

template <class Collection>
class Synchronized {
 public:
  void add(int value) {
    const std::lock_guard<std::recursive_mutex> lock(mutex_);
    collection_.insert(value);
    ++changes_;
  }
  void replace(int value, int by) {
    const std::lock_guard<std::recursive_mutex> lock(mutex_);
    collection_.erase(value);
    collection_.insert(by);
    ++changes_;
  }
  bool contains(int value) {
    const std::lock_guard<std::recursive_mutex> lock(mutex_);
    return collection_.contains(value);
  }
  std::size_t size() {
    const std::lock_guard<std::recursive_mutex> lock(mutex_);
    return collection_.size();
  }

  bool contains_all(Synchronized& other) {
    const std::lock_guard<std::recursive_mutex> lock(mutex_);
    bool all = true;
    long expected = 0;
    std::size_t size = 1;
    for (std::size_t i = 0; i < size; ++i) {
      const std::lock_guard<std::recursive_mutex> its(other.mutex_);
      if (i == 0) expected = other.changes_;
      if (other.changes_ != expected) throw std::logic_error("changed under way");
      size = other.collection_.size();
      all = all && collection_.contains(other.collection_.nth(i));
    }
    return all;
  }

  void remove_all(Synchronized& other) {
    const std::lock_guard<std::recursive_mutex> lock(mutex_);
    for (const int value : {1, 2}) {
      if (other.contains(value)) collection_.erase(value);
    }
  }

 private:
  std::recursive_mutex mutex_;
  Collection collection_;
  long changes_ = 0;
};

int main() {
  Synchronized<COLLECTION> first;
  Synchronized<COLLECTION> second;
  Synchronized<COLLECTION> changing;
  for (const int value : {1, 2, 3}) first.add(value);
  for (const int value : {1, 2}) second.add(value);
  for (const int value : {1, 3}) changing.add(value);
  Synchronized<COLLECTION> unrelated;
  std::thread checker([&] { first.contains_all(changing); });
  std::thread remover([&] {
    for (int i = 0; i < 3; ++i) unrelated.add(i);
    second.remove_all(changing);
    if (second.size() != 1) throw std::logic_error("not exactly one removed");
  });
  std::thread changer([&] {
    for (int i = 0; i < 6; ++i) unrelated.add(i);
    changing.replace(1, 2);
    changing.replace(2, 1);
  });
  checker.join();
  remover.join();
  changer.join();
}

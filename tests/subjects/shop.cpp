// bug: Customer::buy
// paper: 004 Table 1, Shop (not found there)
// seen by: none
// seen with functions: atomicity, serializability
// seen annotated: atomicity, serializability, atomic-set
//
// A customer looks whether the shop has an item and then takes it: two synchronised calls without a
// lock around both. If the item is gone by then, take() throws. Only an annotation says that the
// two calls belong together.
#include <cstdlib>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "raddle/annotations.hpp"

class Shop {
 public:
  bool empty() {
    std::lock_guard<std::recursive_mutex> lock(mutex_);
    return goods_.empty();
  }
  int take() {
    std::lock_guard<std::recursive_mutex> lock(mutex_);
    if (goods_.empty()) throw std::logic_error("nothing left");
    const int item = goods_.back();
    goods_.pop_back();
    return item;
  }
  void put(int item) {
    std::lock_guard<std::recursive_mutex> lock(mutex_);
    goods_.push_back(item);
  }
  std::recursive_mutex& mutex() { return mutex_; }

 private:
  std::recursive_mutex mutex_;
  std::vector<int> goods_;
};

class Customer {
 public:
  explicit Customer(Shop& shop) : shop_(shop) {}

  void buy() {
#ifdef SUBJECT_ANNOTATED
    raddle::atomic_block block("buy");
#endif
    if (!shop_.empty()) bought_ += shop_.take();
  }

  long bought() const { return bought_; }

 private:
  Shop& shop_;
  long bought_ = 0;
};

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 4;
  Shop shop;
  int strikes[2] = {};
  auto shopping = [&](int& count) {
    Customer customer(shop);
    for (int i = 0; i < rounds; ++i) {
      try {
        customer.buy();
      } catch (const std::logic_error&) {
        ++count;
      }
    }
  };
  std::thread supplier([&] {
    for (int i = 0; i < rounds; ++i) shop.put(i);
  });
  std::thread one([&] { shopping(strikes[0]); });
  std::thread two([&] { shopping(strikes[1]); });
  supplier.join();
  one.join();
  two.join();
  return strikes[0] + strikes[1] == 0 ? 0 : 1;
}

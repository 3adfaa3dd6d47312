// The new menu is made known first, and gets its prices after that. It has zeros until then, in
// memory of its own.
// cause: unsafe-publication
// object: Dish::price
// says: had yet to write
// seen: write board.menu_
// never: mutex
#include <atomic>
#include <cassert>
#include <cstddef>
#include <thread>
#include <vector>

struct Dish {
  int price = 0;
};

class Menu {
 public:
  explicit Menu(std::size_t dishes) : dishes_(dishes) {}
  void set(std::size_t dish, int price) { dishes_[dish].price = price; }
  int price(std::size_t dish) const { return dishes_[dish].price; }  // [last]

 private:
  std::vector<Dish> dishes_;
};

class Board {
 public:
  ~Board() { delete menu_.load(); }
  void renew() {
    auto* menu = new Menu(2);
#ifndef FIXED
    menu_.store(menu, std::memory_order_release);  // [first]
#endif
    menu->set(0, 12);
    menu->set(1, 15);
#ifdef FIXED
    menu_.store(menu, std::memory_order_release);
#endif
  }
  const Menu* menu() const { return menu_.load(std::memory_order_acquire); }

 private:
  std::atomic<Menu*> menu_{nullptr};
};

int main() {
  Board board;
  std::thread chef([&] { board.renew(); });
  std::thread guest([&] {
    if (const Menu* menu = board.menu()) assert(menu->price(0) == 12);
  });
  chef.join();
  guest.join();
}

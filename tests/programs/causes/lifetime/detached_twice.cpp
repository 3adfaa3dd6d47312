// Each order is printed by a detached thread that has a reference to it; the order is a local
// variable of a function that returns at once, and is called again: the second order lies where the
// first one was.
// cause: use-after-return
// object: order
// says: order is a local variable of submit
// never: unordered
#include <semaphore.h>

#include <thread>

struct Order {
  int number = 0;
  int pages[4] = {};
};

sem_t printed;
int wrong = 0;

void print(const Order& order, int expected) {
  int pages = 0;
  for (const int page : order.pages) pages += page;  // [last]
  if (pages != expected) ++wrong;
  sem_post(&printed);
}

__attribute__((noinline)) void submit(int number) {  // [first]
  Order order;
  order.number = number;
  for (int& page : order.pages) page = number;
#ifdef FIXED
  std::thread([order, number] { print(order, 4 * number); }).detach();
#else
  std::thread([&order, number] { print(order, 4 * number); }).detach();
#endif
}

int main() {
  sem_init(&printed, 0, 0);
  submit(3);
  submit(70);
  sem_wait(&printed);
  sem_wait(&printed);
  return wrong == 0 ? 0 : 1;
}

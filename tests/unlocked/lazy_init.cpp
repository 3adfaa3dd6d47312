// The first thread that needs the table makes it. Two threads that are first both make it.
#include <cassert>
#include <thread>

struct Table {
  int used = 0;
};

Table* table = nullptr;
int made = 0;

Table& get() {
  if (table == nullptr) {
    ++made;
    table = new Table;
  }
  return *table;
}

int main() {
  std::thread first([] { get().used = 1; });
  std::thread second([] { get().used = 1; });
  first.join();
  second.join();
  assert(made == 1);
}

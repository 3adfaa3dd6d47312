// A local static: the language makes the table once.
#include <cassert>
#include <thread>

struct Table {
  int size = 1;
};

int made = 0;

Table* make() {
  ++made;
  return new Table;
}

const Table& get() {
  static const Table* table = make();
  return *table;
}

int main() {
  int sizes[2] = {0, 0};
  std::thread first([&] { sizes[0] = get().size; });
  std::thread second([&] { sizes[1] = get().size; });
  first.join();
  second.join();
  assert(made == 1 && sizes[0] == 1 && sizes[1] == 1);
}

// Allocations with their classes, and local variables that other functions can see.
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

struct Item {
  int weight;
  Item* next;
  explicit Item(int w) : weight(w), next(nullptr) {}
};
struct Plain {
  long a, b;
};
struct alignas(64) Aligned {
  char bytes[64];
};

static void publish(int* where) { *where += 1; }
static void (*volatile g_publish)(int*) = publish;
static Plain* volatile g_plain;

static void locals(int n) {
  int one = n;
  int many[n];
  many[n - 1] = 4;
  for (int i = 0; i < 2; ++i) {
    int inner = i;
    g_publish(&inner);
  }
  g_publish(&one);
  g_publish(&many[n - 1]);
  Plain plain = {1, 2};
  g_plain = &plain;
  g_plain->b = one;
  int hidden[4] = {1, 2, 3, n};
  one = hidden[one & 3];
}

int main() {
  Item* volatile item = new Item(3);
  item->next = new (std::nothrow) Item(4);
  Plain* volatile plain = new Plain;
  plain->a = 5;
  auto* volatile array = new Plain[2];
  array[1].b = 6;
  Aligned* volatile aligned = new Aligned;
  aligned->bytes[3] = 'x';
  auto* volatile raw = static_cast<Plain*>(std::malloc(sizeof(Plain)));
  raw->a = 1;
  std::vector<Item>* volatile items = new std::vector<Item>;
  items->emplace_back(5);
  auto shared = std::make_shared<Item>(6);
  Item* volatile inside = shared.get();
  inside->weight = 7;
  locals(3);
  shared.reset();
  delete items;
  std::free(raw);
  delete aligned;
  delete[] array;
  delete plain;
  delete item->next;
  delete item;
  return 0;
}

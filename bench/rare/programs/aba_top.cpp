// A stack of two cells: a pop reads the top and its next, and swaps the top. Between that another
// thread pops both and pushes the first again.
#include "rare.hpp"

struct Cell {
  int next;
};

static Cell g_cells[3] = {{-1}, {0}, {1}};  // 2 -> 1 -> 0
static std::atomic<int> g_top{2};
static std::atomic<bool> g_taken[3];

static int pop() {
  for (;;) {
    int top = g_top;
    if (top < 0) return -1;
    const int next = g_cells[top].next;
    if (g_top.compare_exchange_strong(top, next)) {
      require(!g_taken[top].exchange(true), "a cell is taken once");
      return top;
    }
  }
}

static void push(int cell) {
  g_taken[cell] = false;
  g_cells[cell].next = g_top;
  g_top = cell;
}

int main() {
  std::thread one([] { pop(); });
  std::thread two([] {
    const int first = pop();
    pop();
    if (!kFixed && first >= 0) push(first);
  });
  one.join();
  two.join();
  pop();
}

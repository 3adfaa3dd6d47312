// expect: passed
// output: 8 items, sum 36
// One function locks and pushes twice. The two items need not be neighbours: what counts is that
// none is lost.
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

namespace {

std::mutex mutex;
std::vector<int> items;

void push_two(int first) {
  {
    std::lock_guard<std::mutex> hold(mutex);
    items.push_back(first);
  }
  {
    std::lock_guard<std::mutex> hold(mutex);
    items.push_back(first + 1);
  }
}

void worker(int first) {
  push_two(first);
  push_two(first + 2);
}

}  // namespace

int main() {
  std::thread one(worker, 1), two(worker, 5);
  one.join();
  two.join();
  int sum = 0;
  for (const int item : items) sum += item;
  std::printf("%zu items, sum %d\n", items.size(), sum);
}

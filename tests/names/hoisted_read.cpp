// The optimiser makes one read of both rounds of the loop, and gives it no line: it has the line of
// the update, and not that of the library's header which called the function.
#include <thread>

int counter;

int main() {
  const auto count = [] {
    for (int i = 0; i < 2; ++i) ++counter;  // [update]
  };
  std::thread first(count), second(count);
  first.join();
  second.join();
}

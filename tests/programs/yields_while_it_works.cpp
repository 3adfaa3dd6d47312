// expect: passed
// seeds: 20
// native: no
// Threads give way all the time and still make progress, by plain writes alone: no livelock,
// however long it takes. (Natively each yield costs a time slice on a busy machine.)
#include <cstdlib>
#include <thread>
#include <vector>

int main() {
  std::vector<int> values[2];
  auto fill = [](std::vector<int>* mine) {
    mine->resize(40'000);
    for (int& value : *mine) {
      value = 1;
      std::this_thread::yield();
    }
  };
  std::thread first(fill, &values[0]), second(fill, &values[1]);
  first.join();
  second.join();
  int sum = 0;
  for (const auto& part : values)
    for (int value : part) sum += value;
  return sum == 80'000 ? 0 : 1;
}

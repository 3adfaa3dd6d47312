#include <raddle/schedule.hpp>

#include <string>
#include <thread>

int main() {
  raddle::Schedule schedule("a -> b, [b] -> c");
  std::string order;
  std::thread other([&] {
    raddle::name_thread("other");
    order += 'a';
    RADDLE_EVENT(a);
    RADDLE_EVENT(c);
    order += 'c';
  });
  RADDLE_EVENT(b);
  order += 'b';
  other.join();  // here the main thread is blocked
  return order == "abc" ? 0 : 1;
}

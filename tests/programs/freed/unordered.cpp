// Nothing makes the owner wait for the thread that looks at the widget once more. What it finds
// there is mostly what was there before, so nothing fails.
#include <atomic>
#include <thread>

struct Widget {
  long created = 7;
  int shown = 0;
};

int main() {
  std::atomic<bool> started{false};
  Widget* widget = new Widget;
  std::thread viewer([&] {
    started = true;
    widget->shown = 1;
  });
  while (!started) std::this_thread::yield();
#ifdef FIXED
  viewer.join();
  delete widget;
#else
  delete widget;
  viewer.join();
#endif
}

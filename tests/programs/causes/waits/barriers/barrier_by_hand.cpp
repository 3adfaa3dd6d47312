// A barrier by hand: who comes last opens it, and shuts it again when it comes round for the next
// lap, before the other one has looked.
// cause: changed-back
// object: start_line
// says: look at something that nobody changes back
// never: lost
#include <condition_variable>
#include <mutex>
#include <thread>

struct StartLine {
  std::mutex mutex;
  std::condition_variable changed;
  int waiting = 0;
  bool open = false;
#ifdef FIXED
  int lap = 0;
#endif

  void meet() {
    std::unique_lock lock(mutex);
#ifdef FIXED
    const int this_lap = lap;
    if (++waiting == 2) {
      waiting = 0;
      ++lap;
      changed.notify_all();
      return;
    }
    changed.wait(lock, [&] { return lap != this_lap; });
#else
    if (waiting == 0) open = false;
    if (++waiting == 2) {
      waiting = 0;
      open = true;  // [first]
      changed.notify_all();
      return;
    }
    while (!open) changed.wait(lock);  // [last]
#endif
  }
} start_line;

void run() {
  for (int lap = 0; lap < 3; ++lap) start_line.meet();
}

int main() {
  std::thread one(run);
  std::thread two(run);
  one.join();
  two.join();
}

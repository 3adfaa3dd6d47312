// Dancers meet after each figure. When the music stops, who sees it goes home; who has already
// finished the figure waits for them.
// cause: missing-arrival
// object: dance.figure_done
// says: arrive_and_drop() first, after dance_stopped.cpp:19
// fails: std::barrier `dance.figure_done'
#include <barrier>
#include <stop_token>
#include <thread>
#include <vector>

struct Dance {
  std::barrier<> figure_done{3};
  std::vector<int> steps = std::vector<int>(3);
} dance;

void perform(const std::stop_token& music, int dancer) {
  for (int figure = 0; figure < 3; ++figure) {
    if (music.stop_requested()) {  // [first]
#ifdef FIXED
      dance.figure_done.arrive_and_drop();
#endif
      return;
    }
    ++dance.steps[static_cast<std::size_t>(dancer)];
    dance.figure_done.arrive_and_wait();  // [last]
  }
}

int main() {
  std::stop_source music;
  std::vector<std::thread> dancers;
  for (int i = 0; i < 3; ++i) dancers.emplace_back([&music, i] { perform(music.get_token(), i); });
  std::thread band([&] { music.request_stop(); });
  band.join();
  for (std::thread& dancer : dancers) dancer.join();
}

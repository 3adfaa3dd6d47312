// A chart is closed while another thread draws into it: any of its parts may be found gone.
// cause: use-after-free
// object: Chart #1@closed_chart.cpp:43
// causes: 1
// also: -O2
#include <mutex>
#include <thread>

class Chart {
 public:
  void add(int value) {
    points_ = points_ + 1;  // [last]
    sum_ += value;          // [last]
    if (value > most_) {    // [last]
      most_ = value;        // [last]
    }
  }

 private:
  int points_ = 0;
  int sum_ = 0;
  int most_ = 0;
};

std::mutex mutex;
Chart* chart = nullptr;

void draw() {
#ifdef FIXED
  const std::lock_guard lock(mutex);
  if (chart != nullptr) chart->add(3);
#else
  Chart* found = nullptr;
  {
    const std::lock_guard lock(mutex);
    found = chart;
  }
  if (found != nullptr) found->add(3);
#endif
}

int main() {
  Chart* const made = new Chart;
  chart = made;
  std::thread painter(draw);
  {
    const std::lock_guard lock(mutex);
    chart = nullptr;
    delete made;  // [first]
  }
  painter.join();
}

// airline_tickets.cpp with its bug fixed: selling is one step under a lock.
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

class Flight {
 public:
  explicit Flight(int seats) : seats_(seats) {}

  bool sell() {
    std::lock_guard<std::mutex> lock(mutex_);
    if (closed_) return false;
    std::this_thread::yield();  // the customer pays
    ++sold_;
    if (sold_ == seats_) closed_ = true;
    return true;
  }

  bool oversold() const { return sold_ > seats_; }

 private:
  std::mutex mutex_;
  const int seats_;
  int sold_ = 0;
  bool closed_ = false;
};

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 3;
  Flight flight(2 * rounds);
  std::vector<std::thread> agents;
  for (int a = 0; a < 3; ++a) {
    agents.emplace_back([&] {
      for (int i = 0; i < rounds; ++i) {
        if (!flight.sell()) break;
      }
    });
  }
  for (std::thread& agent : agents) agent.join();
  return flight.oversold() ? 1 : 0;
}

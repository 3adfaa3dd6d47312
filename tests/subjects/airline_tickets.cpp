// bug: Flight::sell
// paper: 004 Table 1, airlinesTckts
// seen by: race, lockset, atomic-set
// seen with functions: atomicity, serializability
//
// Agents sell the seats of a flight: they look whether a seat is left, sell it, and close the sales
// with the last one, all without a lock. So they sell out the flight several times over.
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

class Flight {
 public:
  explicit Flight(int seats) : seats_(seats) {}

  bool sell() {
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

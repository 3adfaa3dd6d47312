// A number of seats is sold. Since the change (seats.patch) the seat's number comes out of a load
// and a store instead of one operation, and two customers can get the same seat.
#include <array>
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>

class Till {
 public:
  void pay(int amount) {
    const std::lock_guard<std::mutex> lock(mutex_);
    sum_ += amount;
  }

 private:
  std::mutex mutex_;
  int sum_ = 0;
};

class Seats {
 public:
  int sell() {
    const int seat = next_;
    next_ = seat + 1;
    return seat;
  }

 private:
  std::atomic<int> next_ = 0;
};

Seats seats;
Till till;
std::array<std::atomic<int>, 3> taken;

void customer() {
  till.pay(5);
  const int seat = seats.sell();
  till.pay(10);
  till.pay(1);
  ++taken[seat];
}

int main() {
  std::thread one(customer);
  std::thread two(customer);
  std::thread three(customer);
  one.join();
  two.join();
  three.join();
  for (const std::atomic<int>& seat : taken) assert(seat == 1);
}

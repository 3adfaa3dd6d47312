// A ticket is the number of a seat. The seat is given up and sold again, and the old ticket still
// opens it.
// cause: read-too-late
// object: hall.seats_[0].guest
// says: T2 had written it before T3 did
#include <array>
#include <cassert>
#include <mutex>
#include <thread>

class Hall {
 public:
  int sell(int guest) {
    const std::lock_guard lock(mutex_);
    for (int seat = 0; seat < 2; ++seat) {
      if (seats_[seat].guest == 0) {
        seats_[seat].guest = guest;  // [first]
        return seat + 2 * seats_[seat].sold;
      }
    }
    return -1;
  }
  void give_up(int ticket) {
    const std::lock_guard lock(mutex_);
    seats_[ticket % 2].guest = 0;
#ifdef FIXED
    ++seats_[ticket % 2].sold;
#endif
  }
  int guest(int ticket) {
    const std::lock_guard lock(mutex_);
    if (ticket / 2 != seats_[ticket % 2].sold) return 0;
    return seats_[ticket % 2].guest;  // [last]
  }

 private:
  struct Seat {
    int guest = 0;
    int sold = 0;
  };
  std::mutex mutex_;
  std::array<Seat, 2> seats_;
} hall;

int main() {
  const int ticket = hall.sell(11);
  std::thread usher([=] {
    const int guest = hall.guest(ticket);
    assert(guest == 11 || guest == 0);
  });
  std::thread office([=] { hall.give_up(ticket); });
  std::thread counter([] { hall.sell(12); });
  usher.join();
  office.join();
  counter.join();
}

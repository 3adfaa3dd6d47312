// Who comes holds one mutex, who goes another: that keeps neither from the other.
// cause: lost-update
// object: hall.visitors_
// also: -O2
// says: or use one mutex for both
#include <mutex>
#include <thread>

class Hall {
 public:
  void come() {
    const std::lock_guard lock(entrance_);
    visitors_ = visitors_ + 1;  // [first] [last]
  }
  void go() {
#ifdef FIXED
    const std::lock_guard lock(entrance_);
#else
    const std::lock_guard lock(exit_);
#endif
    --visitors_;
    ++left_;
  }
  // Only the first of the two updates goes wrong here: the program's own comment names one line.
  bool is_sound() const { return visitors_ <= 1; }
  int left() const { return left_; }

 private:
  std::mutex entrance_;
  std::mutex exit_;
  int visitors_ = 1;
  int left_ = 0;
};

Hall hall;

int main() {
  std::thread guest(&Hall::come, &hall);
  std::thread other(&Hall::go, &hall);
  guest.join();
  other.join();
  return hall.is_sound() && hall.left() == 1 ? 0 : 1;
}

// The thread is a member before the list that it goes through: it runs while that is made, and sees
// half of it.
// cause: used-before-init
// object: station.probes_
// says: Station::Station, which makes the object, had started T1 before that
// seen: start it last in the constructor
// never: mutex
#include <string>
#include <thread>
#include <utility>
#include <vector>

class Station {
 public:
#ifdef FIXED
  explicit Station(std::vector<std::string> probes)
      : probes_(std::move(probes)), sampler_([this] { sample(); }) {}
#else
  explicit Station(std::vector<std::string> probes)
      : sampler_([this] { sample(); }), probes_(std::move(probes)) {}  // [last]
#endif
  ~Station() { sampler_.join(); }

 private:
  void sample() {
    for (const std::string& probe : probes_) {  // [first]
      length_ += probe.size();
    }
  }

  std::size_t length_ = 0;
#ifdef FIXED
  std::vector<std::string> probes_;
  std::thread sampler_;
#else
  std::thread sampler_;
  std::vector<std::string> probes_;
#endif
};

int main() { Station station({"north", "south"}); }

// A reference into a vector is kept after the lock: what another thread adds moves all that is in
// it. Whichever way it fails, that is the cause; what main() reads after that, to destroy its own
// variables, is none.
// cause: use-after-free
// object: std::basic_string or names.all_
// causes: 1
// also: -O0
#include <mutex>
#include <string>
#include <thread>
#include <vector>

class Names {
 public:
  Names() { all_.emplace_back("somebody with quite a long name"); }
  void add(const char* name) {
    const std::lock_guard lock(mutex_);
    all_.emplace_back(name);  // [first]
  }
#ifdef FIXED
  std::string first() const {
#else
  const std::string& first() const {
#endif
    const std::lock_guard lock(mutex_);
    return all_.front();
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> all_;
};

static int letters(const std::string& name) {
  int count = 0;
  for (const char one : name) count += one != ' ' ? 1 : 0;  // [last]
  return count;
}

int main() {
  Names names;
  int count = 0;
  std::thread clerk([&] { names.add("somebody else, whose name is long as well"); });
  std::thread reader([&] {
    const auto& name = names.first();
    count = letters(name);
  });
  clerk.join();
  reader.join();
  return count == 26 ? 0 : 1;
}

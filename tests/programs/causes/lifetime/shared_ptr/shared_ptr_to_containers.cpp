// The settings that a std::shared_ptr holds are replaced while another thread copies the variable.
// What that variable owns is freed by its own destructor, which the assignment calls; whatever then
// goes wrong, in the object or in its count, it is one cause.
// cause: raced-shared-ptr
// object: settings.current_
// causes: 1
// says: std::atomic<std::shared_ptr>
// never: plain pointer
#include <cassert>
#include <map>
#include <memory>
#include <string>
#include <thread>

struct Rules {
  std::map<std::string, int> limits;
};

class Settings {
 public:
  Settings() : current_(made(1)) {}

  std::shared_ptr<const Rules> current() const {
#ifdef FIXED
    return std::atomic_load(&current_);
#else
    return current_;  // [first] [last]
#endif
  }
  void replace(int factor) {
    std::shared_ptr<const Rules> next = made(factor);
#ifdef FIXED
    std::atomic_store(&current_, std::move(next));
#else
    current_ = std::move(next);  // [first] [last]
#endif
  }

 private:
  static std::shared_ptr<const Rules> made(int factor) {
    auto rules = std::make_shared<Rules>();
    rules->limits["queued"] = 10 * factor;
    rules->limits["running"] = factor;
    return rules;
  }
  std::shared_ptr<const Rules> current_;
};

int main() {
  Settings settings;
  std::thread reader([&] {
    for (int i = 0; i < 2; ++i) {
      const std::shared_ptr<const Rules> rules = settings.current();
      assert(rules->limits.at("queued") == 10 * rules->limits.at("running"));
    }
  });
  std::thread writer([&] { settings.replace(2); });
  reader.join();
  writer.join();
}

// A detached thread books into a register that is a static variable of a function: main() returns,
// and the register ends. The report names it.
// cause: use-after-free
// object: element of a map or block or the memory of
// causes: 1
// says: after main had returned
// seen: Register::the::only is static, and was destroyed then
// never: std::shared_ptr
#include <map>
#include <mutex>
#include <string>
#include <thread>

class Register {  // [first]
 public:
  static Register& the() {
    static Register only;
    return only;
  }

  void book(const std::string& account) {
    const std::lock_guard lock(mutex_);
    sums_[account] += 1;  // [last]
  }

 private:
  Register() { sums_["opening"] = 1; }

  std::mutex mutex_;
  std::map<std::string, int> sums_;
};

int main() {
  Register::the().book("main");
  std::thread teller([] {
    for (int i = 0; i < 3; ++i) Register::the().book("teller");
  });
#ifdef FIXED
  teller.join();
#else
  teller.detach();
#endif
}

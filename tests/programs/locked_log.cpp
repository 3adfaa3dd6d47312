// expect: passed
// output: 8 lines
// A log whose write() takes its lock; each thread writes twice in one function. The lines of two
// threads may mix, which nobody minds.
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

class Log {
 public:
  void write(std::string line) {
    std::lock_guard<std::mutex> hold(mutex_);
    lines_.push_back(std::move(line));
  }
  std::size_t size() {
    std::lock_guard<std::mutex> hold(mutex_);
    return lines_.size();
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> lines_;
};

Log log_of_all;

void work(const std::string& name) {
  log_of_all.write(name + " begins");
  log_of_all.write(name + " ends");
}

void worker(int number) {
  work(std::to_string(number) + " first");
  work(std::to_string(number) + " second");
}

}  // namespace

int main() {
  std::thread one(worker, 1), two(worker, 2);
  one.join();
  two.join();
  std::printf("%zu lines\n", log_of_all.size());
}

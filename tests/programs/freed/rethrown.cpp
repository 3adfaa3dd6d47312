// Right: the exception lives as long as anybody has it, and the C++ library counts who does.
#include <cstdlib>
#include <exception>
#include <mutex>
#include <thread>

struct Error {
  int code = 3;
};

std::mutex mutex;
std::exception_ptr slot;

void fail() {
  try {
    throw Error{};
  } catch (const Error&) {
    const std::lock_guard<std::mutex> lock(mutex);
    slot = std::current_exception();
  }
}

void look() {
  std::exception_ptr found;
  {
    const std::lock_guard<std::mutex> lock(mutex);
    found.swap(slot);
  }
  if (!found) return;
  try {
    std::rethrow_exception(std::move(found));
  } catch (const Error& error) {
    if (error.code != 3) std::abort();
  }
}

int main() {
  std::thread one(fail);
  std::thread two(look);
  one.join();
  two.join();
  slot = nullptr;
}

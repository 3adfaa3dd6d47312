// One more lock, around both steps, makes them atomic.
#include "account.h"

namespace {

std::mutex outer;

__attribute__((noinline)) RADDLE_ATOMIC bool spend_alone(Account& account) {
  std::lock_guard<std::mutex> guard(outer);
  return spend(account);
}

}  // namespace

int main() {
  Account account;
  run_both([&] { return spend_alone(account); }, [&] { return spend_alone(account); });
}

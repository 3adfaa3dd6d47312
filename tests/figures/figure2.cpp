// The second thread first does six other things, each under a lock of its own, so that it meets the
// first one only in few executions.
#include "account.h"

int main() {
  Account account;
  std::mutex unrelated[6];
  run_both([&] { return spend(account); },
           [&] {
             for (std::mutex& mutex : unrelated) std::lock_guard<std::mutex> f(mutex);
             return spend(account);
           });
}

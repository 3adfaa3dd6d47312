// The second thread first does six other things, each under a lock of its own. So it meets the
// first thread only in few executions.
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

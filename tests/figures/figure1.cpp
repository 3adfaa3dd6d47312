// Two threads spend at the same time.
#include "account.h"

int main() {
  Account account;
  run_both([&] { return spend(account); }, [&] { return spend(account); });
}

// The second thread spends only if the user says so. With another answer there is no violation.
#include "account.h"

int main(int argc, char** argv) {
  const char answer = argc > 1 ? argv[1][0] : 'y';
  Account account;
  run_both([&] { return spend(account); }, [&] { return answer == 'y' ? spend(account) : false; });
}

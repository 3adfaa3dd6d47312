#include "account.hpp"

#include <gtest/gtest.h>

#include <raddle/check.hpp>
#include <thread>

TEST(Account, PaysWhatItHas) {
  Account account(100);
  EXPECT_TRUE(account.withdraw(60));
  EXPECT_FALSE(account.withdraw(60));
  EXPECT_EQ(account.balance(), 40);
}

TEST(Account, IsNeverOverdrawn) {
  raddle::check([] {
    Account account(100);
    std::thread first([&] { account.withdraw(60); });
    std::thread second([&] { account.withdraw(60); });
    first.join();
    second.join();
    EXPECT_GE(account.balance(), 0);
  });
}

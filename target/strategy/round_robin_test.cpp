#include <gtest/gtest.h>

#include "target/strategy/testing/simulation.hpp"

namespace raddle {
namespace {

std::string order_with(std::uint64_t turn, const std::vector<Body>& threads) {
  return text_of(run(make_strategy(plan_for("round-robin", turn)), threads));
}

TEST(RoundRobin, EachInTurn) {
  std::vector<Body> threads = {repeated(0, 3, 1), repeated(1, 3, 1), repeated(2, 3, 1)};
  EXPECT_EQ(order_with(0, threads), "012012012");
  EXPECT_EQ(order_with(1, threads), "012012012");
}

TEST(RoundRobin, TheSeedIsTheLengthOfATurn) {
  std::vector<Body> threads = {repeated(0, 4, 1), repeated(1, 4, 1)};
  EXPECT_EQ(order_with(2, threads), "00110011");
  EXPECT_EQ(order_with(3, threads), "00011101");
  EXPECT_EQ(order_with(99, threads), "00001111");
}

TEST(RoundRobin, ThreadsThatCannotMoveAreSkipped) {
  std::vector<Body> threads = {repeated(0, 3, 1), repeated(1, 1, 1), repeated(2, 2, 1)};
  EXPECT_EQ(order_with(1, threads), "012020");
}

TEST(RoundRobin, AYieldEndsTheTurn) {
  Body yields = repeated(0, 2, 0, OpKind::yield);
  Body body = {operation(0, OpKind::mutex_lock, 1), yields[0], operation(0, OpKind::mutex_lock, 1)};
  EXPECT_EQ(order_with(10, {body, repeated(1, 2, 1)}), "01100");
}

TEST(RoundRobin, ThreadsDoNotStayInStepForEver) {
  // Turns are strict up to the 64th, which is longer. It shifts the steps of one thread against the
  // other's, even if both only yield.
  for (OpKind op : {OpKind::mutex_trylock, OpKind::yield}) {
    std::string order = order_with(1, {repeated(0, 200, 1, op), repeated(1, 200, 1, op)});
    std::size_t repeats = order.find("00");
    if (order.find("11") < repeats) repeats = order.find("11");
    EXPECT_GE(repeats, 60U);
    EXPECT_LE(repeats, 66U);
  }
}

TEST(RoundRobin, ThePositionInTheViewDoesNotMatter) {
  Strategy& strategy = make_strategy(plan_for("round-robin", 1));
  Body pending = {operation(0, OpKind::mutex_lock, 1), operation(1, OpKind::mutex_lock, 1),
                  operation(2, OpKind::mutex_lock, 1)};
  std::vector<const Pending*> backwards = {&pending[2], &pending[1], &pending[0]};
  std::string order;
  for (int i = 0; i < 6; ++i) {
    std::size_t chosen = strategy.choose({backwards, kMainThread, 0});
    order += static_cast<char>('0' + raw(backwards.at(chosen)->thread));
  }
  EXPECT_EQ(order, "012012");
}

TEST(RoundRobin, ChoosesTheOldestWaiter) {
  EXPECT_EQ(make_strategy(plan_for("round-robin", 5)).choose_value(kMainThread, 7), 0U);
}

}  // namespace
}  // namespace raddle

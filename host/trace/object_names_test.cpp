#include "host/trace/object_names.hpp"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <random>

#include "host/trace/testing/event_samples.hpp"

namespace raddle {
namespace {

using samples::Story;

constexpr std::uint64_t kHeap = 0x5000;
constexpr std::uint64_t kStack = 0x7fff0000;
constexpr std::uint64_t kGlobal = 0x1000;

class ObjectNamesTest : public ::testing::Test {
 protected:
  std::string longer(std::uint64_t address) const { return names.name(address, NameForm::kLong); }
  std::string longer(const Event& event) const { return names.name(event, NameForm::kLong); }

  ObjectNames names;
  Story story{names};
};

TEST_F(ObjectNamesTest, GlobalsHaveTheirName) {
  names.define_object(kGlobal, 4, "counter");
  names.define_object(kGlobal + 8, 8, "Bank::total");
  EXPECT_EQ(names.name(kGlobal), "counter");
  EXPECT_EQ(names.name(kGlobal + 3), "counter+0x3");
  EXPECT_EQ(names.name(kGlobal + 8), "Bank::total");
  EXPECT_EQ(names.name(kGlobal + 4), "0x1004");
  EXPECT_EQ(names.name(0x99), "0x99");
}

TEST_F(ObjectNamesTest, AGlobalsFieldIsNamedByTheSite) {
  names.define_object(kGlobal, 16, "account");
  const SiteId savings = story.access(EventKind::read, "Account", "savings", 8, 30);
  EXPECT_EQ(names.name(story.event(EventKind::read, kGlobal + 8, savings)), "account.savings");
  // From now on its class is known.
  EXPECT_EQ(names.name(kGlobal + 8), "account.savings");
  names.define_member("Account", 4, "m_");
  EXPECT_EQ(names.name(kGlobal + 4), "account.m_");
}

TEST_F(ObjectNamesTest, AnArrayOfGlobalsHasElements) {
  names.define_object(kGlobal, 64, "accounts");
  story.function("Account::Account", "Account", 16);
  const SiteId savings = story.access(EventKind::write, "Account", "savings", 8, 30);
  EXPECT_EQ(names.name(story.event(EventKind::write, kGlobal + 40, savings)),
            "accounts[2].savings");
}

TEST_F(ObjectNamesTest, AnElementOfAMembersArrayIsNamedByTheWholeObject) {
  names.define_object(kGlobal, 48, "ring");
  story.event(EventKind::read, kGlobal + 40, story.access(EventKind::read, "Ring", "turn", 40, 29));
  names.define_member("Ring", 0, "frames[0].number");
  names.define_member("Ring", 4, "frames[0].samples[0]");
  names.define_member("Ring", 8, "frames[0].samples[1]");
  names.define_member("Ring", 12, "frames[1].number");
  names.define_member("Ring", 40, "turn");
  const auto named = [&](const char* cls, const char* field, std::uint64_t offset) {
    const SiteId site = story.access(EventKind::read, cls, field, kUnknownOffset, 30);
    return names.name(story.event(EventKind::read, kGlobal + offset, site), NameForm::kVariable);
  };
  EXPECT_EQ(named("Frame", "samples[]", 8), "ring.frames[0].samples[1]");
  EXPECT_EQ(named("Ring", "frames", 4), "ring.frames[0].samples[0]");
  // Two sources that contradict each other.
  EXPECT_EQ(named("Frame", "samples[]", 12), "ring.samples[]");
}

TEST_F(ObjectNamesTest, AnElementsMemberWithANameOfItsOwnIsNamedOnce) {
  names.define_object(kGlobal + 8, 4, "pool.buffers[1].next");
  const auto named = [&](const char* field) {
    const SiteId site = story.access(EventKind::atomic_load, "Pool", field, kUnknownOffset, 30);
    return names.name(story.event(EventKind::atomic_load, kGlobal + 8, site));
  };
  EXPECT_EQ(named("buffers[].next"), "pool.buffers[1].next");
  EXPECT_EQ(named("next"), "pool.buffers[1].next");
  EXPECT_EQ(named("owner"), "pool.buffers[1].next.owner");
}

TEST_F(ObjectNamesTest, StaticSitesNameWhatHasNoDefinition) {
  const SiteId total = story.access(EventKind::read, "Bank", "total", 0, 30, kSiteStatic);
  EXPECT_EQ(names.name(story.event(EventKind::read, 0x123, total)), "Bank::total");
  const SiteId global = story.access(EventKind::read, "", "limits.daily", 0, 31, kSiteStatic);
  EXPECT_EQ(names.name(story.event(EventKind::read, 0x127, global)), "limits.daily");
  names.define_object(0x120, 16, "limits");
  EXPECT_EQ(names.name(story.event(EventKind::read, 0x127, global)), "limits.daily");
}

TEST_F(ObjectNamesTest, HeapObjectsByClassPlaceAndOrdinal) {
  const SiteId place = story.allocation("Account", 16, 40);
  story.event(EventKind::allocate, kHeap, place, 16);
  const Event second = story.event(EventKind::allocate, kHeap + 16, place, 16);
  EXPECT_EQ(longer(second), "#2 of Account from bank.cpp:40");
  EXPECT_EQ(names.name(second), "Account #2@bank.cpp:40");
  EXPECT_EQ(names.name(second, NameForm::kField), "Account");
  const SiteId savings = story.access(EventKind::read, "Account", "savings", 8, 30);
  const Event read = story.event(EventKind::read, kHeap + 24, savings);
  EXPECT_EQ(longer(read), "Account::savings of #2 of Account from bank.cpp:40");
  EXPECT_EQ(names.name(read), "Account::savings #2@bank.cpp:40");
  EXPECT_EQ(names.name(read, NameForm::kField), "Account::savings");
  EXPECT_EQ(longer(kHeap + 28), "0xc into #2 of Account from bank.cpp:40");
  EXPECT_EQ(names.instance(kHeap + 24), kHeap + 16);
}

TEST_F(ObjectNamesTest, TheSameNamesWhateverTheAddresses) {
  const auto run = [](std::uint64_t base, std::uint64_t stride) {
    ObjectNames other;
    Story told(other);
    const SiteId place = told.allocation("Account", 16, 40);
    const SiteId plain = told.allocation("", 0, 41);
    std::string all;
    for (std::uint64_t i = 0; i < 5; ++i) {
      told.event(EventKind::allocate, base + i * stride, place, 16);
      told.event(EventKind::allocate, base + i * stride + 64, plain, 32);
      if (i % 2 == 1) told.event(EventKind::free, base + i * stride);
      all += other.name(base + (i & ~1ull) * stride + 8, NameForm::kLong) + "\n" +
             other.name(base + i * stride + 64, NameForm::kLong) + "\n";
    }
    return all;
  };
  EXPECT_EQ(run(0x10000, 128), run(0x7000000, 4096));
}

TEST_F(ObjectNamesTest, ClassIsLearnedFromTheFirstAccessAtTheBeginning) {
  const SiteId place = story.allocation("", 0, 40);
  story.event(EventKind::allocate, kHeap, place, 16);
  EXPECT_EQ(longer(kHeap), "block #1 from bank.cpp:40");
  EXPECT_EQ(longer(kHeap + 8), "0x8 into block #1 from bank.cpp:40");
  EXPECT_EQ(names.name(kHeap + 8), "block+0x8 #1@bank.cpp:40");
  // An inner object says nothing of the whole.
  story.event(EventKind::read, kHeap + 12, story.access(EventKind::read, "Inner", "x", 4, 31));
  EXPECT_EQ(longer(kHeap), "block #1 from bank.cpp:40");
  story.event(EventKind::read, kHeap + 8,
              story.access(EventKind::read, "Account", "savings", 8, 30));
  EXPECT_EQ(longer(kHeap), "#1 of Account from bank.cpp:40");
  story.event(EventKind::read, kHeap, story.access(EventKind::read, "Other", "first", 0, 32));
  EXPECT_EQ(longer(kHeap), "#1 of Account from bank.cpp:40");
}

TEST_F(ObjectNamesTest, AConstructorTellsTheClassToo) {
  story.event(EventKind::allocate, kHeap, story.allocation("", 0, 40), 16);
  const SiteId derived = story.function("Savings::Savings", "Savings", 16);
  const SiteId base = story.function("Account::Account", "Account", 8);
  story.event(EventKind::enter, kHeap, derived);
  story.event(EventKind::enter, kHeap, base);
  EXPECT_EQ(longer(kHeap), "#1 of Savings from bank.cpp:40");
  const SiteId field = story.access(EventKind::read, "Account", "balance_", 4, 30);
  EXPECT_EQ(longer(story.event(EventKind::read, kHeap + 4, field)),
            "Account::balance_ of #1 of Savings from bank.cpp:40");
}

TEST_F(ObjectNamesTest, LocksAreTheFieldThatTheyAre) {
  story.event(EventKind::allocate, kHeap, story.allocation("Account", 48, 40), 48);
  names.define_member("Account", 8, "m_");
  const Event lock = story.event(EventKind::acquire, kHeap + 8, story.at("f", "/src/a.cpp", 3), 1);
  EXPECT_EQ(longer(lock), "Account::m_ of #1 of Account from bank.cpp:40");
  EXPECT_EQ(names.name(lock), "Account::m_ #1@bank.cpp:40");
}

TEST_F(ObjectNamesTest, AnObjectIsNotItsFirstField) {
  const SiteId place = story.allocation("Account", 48, 40);
  const SiteId balance = story.access(EventKind::read, "Account", "balance_", 0, 30);
  EXPECT_EQ(names.name(story.event(EventKind::allocate, kHeap, place, 48)),
            "Account #1@bank.cpp:40");
  EXPECT_EQ(names.name(story.event(EventKind::read, kHeap, balance)),
            "Account::balance_ #1@bank.cpp:40");
  EXPECT_EQ(names.name(kHeap), "Account::balance_ #1@bank.cpp:40");
  EXPECT_EQ(names.whole_name(kHeap), "Account #1@bank.cpp:40");
  EXPECT_EQ(names.name(story.event(EventKind::enter, kHeap, story.function("f", "Account", 48))),
            "Account #1@bank.cpp:40");
  EXPECT_EQ(names.name(story.event(EventKind::free, kHeap)), "Account #1@bank.cpp:40");
}

TEST_F(ObjectNamesTest, AFirstFieldWithANameOfItsOwnIsNotTheObject) {
  names.define_object(kGlobal, 48, "table");
  names.define_object(kGlobal, 1, "table.m_");
  EXPECT_EQ(names.name(story.event(EventKind::acquire, kGlobal)), "table.m_");
  const SiteId add = story.function("Table::add", "Table", 48);
  const SiteId lock = story.function("Mutex::lock", "Mutex", 1);
  EXPECT_EQ(names.name(story.event(EventKind::enter, kGlobal, add)), "table");
  EXPECT_EQ(names.name(story.event(EventKind::enter, kGlobal, lock)), "table.m_");
  EXPECT_EQ(names.whole_name(kGlobal), "table");
}

TEST_F(ObjectNamesTest, ElementsOfArrays) {
  const SiteId place = story.allocation("Account", 24, 40);
  story.event(EventKind::allocate, kHeap, place, 24 * 20);
  EXPECT_EQ(longer(kHeap + 24 * 17), "#1[17] of Account from bank.cpp:40");
  const SiteId savings = story.access(EventKind::read, "Account", "savings", 8, 30);
  const Event read = story.event(EventKind::read, kHeap + 24 * 17 + 8, savings);
  EXPECT_EQ(longer(read), "Account::savings of #1[17] of Account from bank.cpp:40");
  EXPECT_EQ(names.name(read), "Account::savings #1[17]@bank.cpp:40");
  // With the number of elements in front.
  story.event(EventKind::allocate, 2 * kHeap, place, 24 * 20 + 8);
  EXPECT_EQ(longer(2 * kHeap + 8 + 24 * 3), "#2[3] of Account from bank.cpp:40");
  const SiteId numbers = story.allocation("int", 4, 41);
  story.event(EventKind::allocate, 3 * kHeap, numbers, 400);
  EXPECT_EQ(names.name(3 * kHeap + 68), "int #1[17]@bank.cpp:41");
  // A vector's storage: the class is only known from what is in it.
  story.event(EventKind::allocate, 4 * kHeap, story.allocation("", 0, 42), 24 * 8);
  EXPECT_EQ(longer(story.event(EventKind::read, 4 * kHeap + 24 * 5 + 8, savings)),
            "Account::savings of #1[5] of Account from bank.cpp:42");
}

TEST_F(ObjectNamesTest, ElementsOfArraysInsideObjects) {
  const SiteId place = story.allocation("Account", 64, 40);
  story.event(EventKind::allocate, kHeap, place, 64 * 3);
  const SiteId last = story.access(EventKind::read, "Account", "last_[]", kUnknownOffset, 30);
  EXPECT_EQ(longer(story.event(EventKind::read, kHeap + 64 + 20, last)),
            "Account::last_[] of #1[1] of Account from bank.cpp:40");
  story.event(EventKind::allocate, 2 * kHeap, story.allocation("", 0, 41), 32);
  EXPECT_EQ(longer(story.event(EventKind::read, 2 * kHeap + 20, last)),
            "Account::last_[] of block #1 from bank.cpp:41");
  EXPECT_EQ(longer(story.event(EventKind::read, 0x99, last)), "Account::last_[] at 0x99");
  names.define_object(kGlobal, 64, "account");
  EXPECT_EQ(longer(story.event(EventKind::read, kGlobal + 20, last)), "account.last_[]");
}

TEST_F(ObjectNamesTest, FreedMemoryHasNoNameAndReuseANewOne) {
  const SiteId place = story.allocation("Account", 16, 40);
  const SiteId other = story.allocation("Log", 16, 41);
  story.event(EventKind::allocate, kHeap, place, 16);
  const Event freed = story.event(EventKind::free, kHeap);
  EXPECT_EQ(longer(freed), "#1 of Account from bank.cpp:40");
  EXPECT_EQ(longer(kHeap), "0x5000");
  story.event(EventKind::free, kHeap);  // twice
  EXPECT_EQ(longer(kHeap), "0x5000");
  story.event(EventKind::allocate, kHeap, other, 8);
  EXPECT_EQ(longer(kHeap), "#1 of Log from bank.cpp:41");
  EXPECT_EQ(longer(kHeap + 8), "0x5008");
  // A free that was missed: the new block is right.
  story.event(EventKind::allocate, kHeap - 8, place, 64);
  EXPECT_EQ(longer(kHeap), "0x8 into #2[0] of Account from bank.cpp:40");
  story.event(EventKind::free, kHeap);  // not where a block begins
  EXPECT_EQ(longer(kHeap - 8), "#2[0] of Account from bank.cpp:40");
}

TEST_F(ObjectNamesTest, ReallocInPlaceAndElsewhere) {
  const SiteId place = story.allocation("", 0, 40);
  const SiteId again = story.allocation("", 0, 41);
  story.event(EventKind::allocate, kHeap, place, 64);
  story.event(EventKind::allocate, kHeap, again, 16);  // without a free
  EXPECT_EQ(longer(kHeap), "block #1 from bank.cpp:41");
  EXPECT_EQ(longer(kHeap + 32), "0x5020");
  story.event(EventKind::free, kHeap);
  story.event(EventKind::allocate, kHeap + 0x100, again, 128);
  EXPECT_EQ(longer(kHeap), "0x5000");
  EXPECT_EQ(longer(kHeap + 0x100), "block #2 from bank.cpp:41");
}

TEST_F(ObjectNamesTest, BlocksNest) {
  const SiteId arena = story.allocation("", 0, 40);
  const SiteId inner = story.allocation("Node", 16, 41);
  story.event(EventKind::allocate, kHeap, arena, 0x1000);
  story.event(EventKind::allocate, kHeap + 0x100, inner, 16);
  story.event(EventKind::allocate, kHeap + 0x200, inner, 16);
  EXPECT_EQ(longer(kHeap + 0x208), "0x8 into #2 of Node from bank.cpp:41");
  EXPECT_EQ(longer(kHeap + 0x210), "0x210 into block #1 from bank.cpp:40");
  story.event(EventKind::free, kHeap + 0x200);
  EXPECT_EQ(longer(kHeap + 0x208), "0x208 into block #1 from bank.cpp:40");
  EXPECT_EQ(longer(kHeap + 0x100), "#1 of Node from bank.cpp:41");
  story.event(EventKind::free, kHeap);
  EXPECT_EQ(longer(kHeap + 0x100), "0x5100");
}

TEST_F(ObjectNamesTest, WhatTheProgramNamedInsideABlockGoesWithIt) {
  story.event(EventKind::allocate, kHeap, story.allocation("Account", 48, 40), 48);
  names.define_object(kHeap + 8, 40, "ledger lock");
  EXPECT_EQ(longer(kHeap + 8), "ledger lock");
  EXPECT_EQ(longer(kHeap), "#1 of Account from bank.cpp:40");
  names.define_object(kHeap, 48, "the ledger");
  EXPECT_EQ(longer(kHeap), "the ledger");
  story.event(EventKind::free, kHeap);
  EXPECT_EQ(longer(kHeap), "0x5000");
  EXPECT_EQ(longer(kHeap + 8), "0x5008");
}

TEST_F(ObjectNamesTest, TheNewerOfOverlappingDefinitionsCounts) {
  names.define_object(kGlobal, 16, "first");
  names.define_object(kGlobal, 16, "alias");
  EXPECT_EQ(names.name(kGlobal), "alias");
  names.define_object(kGlobal + 8, 16, "across");
  EXPECT_EQ(names.name(kGlobal), "0x1000");
  EXPECT_EQ(names.name(kGlobal + 8), "across");
  names.define_object(kGlobal + 10, 2, "part");
  EXPECT_EQ(names.name(kGlobal + 11), "part+0x1");
  EXPECT_EQ(names.name(kGlobal + 12), "across+0x4");
  names.define_object(kGlobal - 8, 64, "all");
  EXPECT_EQ(names.name(kGlobal + 10), "all+0x12");
}

TEST_F(ObjectNamesTest, LocalsDieWithTheirFunction) {
  const SiteId main_site = story.function("main");
  const SiteId helper = story.function("helper");
  const SiteId done = story.variable("done", "main");
  const SiteId count = story.variable("count", "helper");
  story.event(EventKind::enter, 0, main_site);
  const Event born = story.event(EventKind::local, kStack, done, 1);
  EXPECT_EQ(names.name(born), "done in main");
  EXPECT_EQ(longer(born), "done in main of T0");
  story.event(EventKind::enter, 0, helper);
  story.event(EventKind::local, kStack - 64, count, 4);
  EXPECT_EQ(names.name(kStack - 64), "count in helper");
  story.event(EventKind::exit, 0, helper);
  EXPECT_EQ(names.name(kStack - 64), "0x7ffeffc0");
  EXPECT_EQ(names.name(kStack), "done in main");
  story.event(EventKind::exit, 0, main_site);
  EXPECT_EQ(names.name(kStack), "0x7fff0000");
  story.event(EventKind::exit, 0, main_site);  // entered before the recording began
}

TEST_F(ObjectNamesTest, LocalsOfRecursiveFunctionsAreToldApart) {
  const SiteId fib = story.function("fib");
  const SiteId part = story.variable("part", "fib");
  for (std::uint64_t i = 0; i < 5; ++i) {
    story.event(EventKind::enter, 0, fib);
    story.event(EventKind::local, kStack - i * 64, part, 8);
  }
  EXPECT_EQ(longer(kStack), "part in fib of T0");
  EXPECT_EQ(longer(kStack - 3 * 64), "part in fib of T0, call 4");
  // As after a longjmp out of three of them, of which the exits are made up.
  for (int i = 0; i < 3; ++i) story.event(EventKind::exit, 0, fib);
  EXPECT_EQ(longer(kStack - 64), "part in fib of T0, call 2");
  EXPECT_EQ(longer(kStack - 2 * 64), "0x7ffeff80");
  EXPECT_EQ(longer(kStack - 4 * 64), "0x7ffeff00");
}

TEST_F(ObjectNamesTest, AFieldOfALocalObject) {
  story.event(EventKind::enter, 0, story.function("main"));
  story.event(EventKind::local, kStack, story.variable("account", "main", "Account"), 16);
  const SiteId savings = story.access(EventKind::read, "Account", "savings", 8, 30);
  EXPECT_EQ(names.name(story.event(EventKind::read, kStack + 8, savings)),
            "account.savings in main");
  names.define_member("Account", 4, "m_");
  EXPECT_EQ(names.name(story.event(EventKind::acquire, kStack + 4)), "account.m_ in main");
}

TEST_F(ObjectNamesTest, TheInsideOfAContainerIsTheMember) {
  story.event(EventKind::enter, 0, story.function("main"));
  story.event(EventKind::local, kStack, story.variable("registry", "main", "Registry"), 64);
  names.define_member("Registry", 0, "id_");
  names.define_member("Registry", 4, "");
  names.define_member("Registry", 8, "objects_");
  names.define_member("Registry", 56, "");
  const SiteId count = story.access(EventKind::read, "std::_Hashtable", "_M_element_count", 24, 30);
  EXPECT_EQ(names.name(story.event(EventKind::read, kStack + 32, count)),
            "registry.objects_ in main");
  EXPECT_EQ(names.name(kStack + 32), "registry.objects_ in main");
  EXPECT_EQ(names.name(kStack + 4), "registry+0x4 in main");
  EXPECT_EQ(names.name(kStack + 60), "registry+0x3c in main");
}

TEST_F(ObjectNamesTest, AFirstMemberWithANameOfItsOwnIsNotTheWhole) {
  names.define_object(kGlobal, 64, "config");
  names.define_object(kGlobal, 1, "config.mutex_");
  story.event(EventKind::enter, kGlobal, story.function("Config::get", "Config", 64));
  names.define_member("Config", 0, "mutex_");
  names.define_member("Config", 40, "");
  EXPECT_EQ(names.name(story.event(EventKind::acquire, kGlobal)), "config.mutex_");
}

TEST_F(ObjectNamesTest, AnElementOfALocalArray) {
  story.event(EventKind::enter, 0, story.function("main"));
  story.function("Node::Node", "Node", 16);
  story.event(EventKind::local, kStack, story.variable("pool", "main", "std::array<Node, 4ul>"),
              64);
  const SiteId below = story.access(EventKind::read, "Node", "below", 8, 30);
  EXPECT_EQ(names.name(story.event(EventKind::read, kStack + 40, below)), "pool[2].below in main");
}

TEST_F(ObjectNamesTest, ANodeOfAContainerIsAnElement) {
  story.event(EventKind::allocate, kHeap, story.allocation("std::_Rb_tree_node<int>", 40, 40), 40);
  const SiteId color = story.access(EventKind::read, "std::_Rb_tree_node_base", "_M_color", 0, 30);
  const Event read = story.event(EventKind::read, kHeap, color);
  EXPECT_EQ(names.name(read), "element of a map or set #1@bank.cpp:40");
  EXPECT_EQ(longer(read), "element of a map or set #1 from bank.cpp:40");
}

TEST_F(ObjectNamesTest, AnObjectBesideTheCountsOfASharedPtr) {
  const SiteId made =
      story.allocation("std::_Sp_counted_ptr_inplace<Account, std::allocator<void>, 2>", 32, 40);
  story.event(EventKind::allocate, kHeap, made, 32);
  const SiteId savings = story.access(EventKind::read, "Account", "savings", 8, 30);
  const Event read = story.event(EventKind::read, kHeap + 24, savings);
  EXPECT_EQ(names.name(read), "Account::savings #1@bank.cpp:40");
  EXPECT_EQ(names.name(kHeap + 20), "object of a shared_ptr #1@bank.cpp:40");
  // What nobody accesses by name, a mutex, is known by the class.
  names.define_member("std::_Sp_counted_ptr_inplace<Account, std::allocator<void>, 2>", 16, "m_");
  names.define_member("std::_Sp_counted_ptr_inplace<Account, std::allocator<void>, 2>", 24, "");
  EXPECT_EQ(names.name(kHeap + 16), "Account::m_ #1@bank.cpp:40");
  EXPECT_EQ(names.name(kHeap + 8), "object of a shared_ptr #1@bank.cpp:40");
  EXPECT_EQ(names.name(read), "Account::savings #1@bank.cpp:40");
}

TEST_F(ObjectNamesTest, AVariableInALoopTakesNoMoreMemoryEachTime) {
  story.event(EventKind::enter, 0, story.function("main"));
  const SiteId a = story.variable("a", "main");
  const SiteId b = story.variable("b", "main");
  for (int i = 0; i < 3'000'000; ++i) story.event(EventKind::local, kStack, i % 2 == 0 ? a : b, 8);
  EXPECT_EQ(names.name(kStack), "b in main");
  // What no longer fits would have no name.
  story.event(EventKind::local, kStack + 64, a, 8);
  EXPECT_EQ(names.name(kStack + 64), "a in main");
}

TEST_F(ObjectNamesTest, ThreadStacksInsideBlocks) {
  story.event(EventKind::allocate, kHeap, story.allocation("", 0, 40), 0x1000);
  story.thread = ThreadId{3};
  story.event(EventKind::enter, 0, story.function("worker"));
  story.event(EventKind::local, kHeap + 0x800, story.variable("mine", "worker"), 8);
  EXPECT_EQ(longer(kHeap + 0x800), "mine in worker of T3");
  story.event(EventKind::thread_end, 0);
  EXPECT_EQ(longer(kHeap + 0x800), "0x800 into block #1 from bank.cpp:40");
  // Another thread on the same stack: the first one's end must not take its locals.
  story.event(EventKind::enter, 0, SiteId{2});
  story.event(EventKind::local, kHeap + 0x800, SiteId{3}, 8);
  story.thread = ThreadId{4};
  story.event(EventKind::enter, 0, SiteId{2});
  story.event(EventKind::local, kHeap + 0x800, SiteId{3}, 8);
  story.thread = ThreadId{3};
  story.event(EventKind::exit, 0, SiteId{2});
  EXPECT_EQ(longer(kHeap + 0x800), "mine in worker of T4");
}

TEST_F(ObjectNamesTest, TheLibraryAllocatesForTheProgram) {
  const std::string header = "/usr/include/c++/12/bits/new_allocator.h";
  const SiteId place = story.allocation("Account", 16, 137, header);
  story.event(EventKind::enter, 0, story.function("open_accounts"));
  story.event(EventKind::enter, 0, story.function("std::vector::push_back", "", 0, header));
  EXPECT_EQ(longer(story.event(EventKind::allocate, kHeap, place, 16)),
            "#1 of Account from open_accounts");
  ObjectNames alone;
  Story told(alone);
  told.event(EventKind::allocate, kHeap, told.allocation("", 0, 137, header), 16);
  EXPECT_EQ(alone.name(kHeap), "block #1@new_allocator.h:137");
}

TEST_F(ObjectNamesTest, TwoSitesOnOneLineShareTheCount) {
  story.event(EventKind::allocate, kHeap, story.allocation("Account", 16, 40), 16);
  story.event(EventKind::allocate, kHeap + 16, story.allocation("Account", 16, 40), 16);
  EXPECT_EQ(longer(kHeap + 16), "#2 of Account from bank.cpp:40");
}

TEST_F(ObjectNamesTest, Threads) {
  EXPECT_EQ(names.thread_name(kMainThread), "T0 main");
  EXPECT_EQ(names.thread_name(ThreadId{1}), "T1");
  EXPECT_EQ(names.thread_name(kNoThread), "T?");
  story.thread = ThreadId{1};
  story.event(
      EventKind::enter, 0,
      story.function("std::thread::_State_impl::_M_run", "", 0, "/usr/include/c++/12/thread"));
  EXPECT_EQ(names.thread_name(ThreadId{1}), "T1");
  story.event(EventKind::enter, 0, story.function("worker"));
  story.event(EventKind::enter, 0, story.function("helper"));
  EXPECT_EQ(names.thread_name(ThreadId{1}), "T1 worker");
  names.define_thread(ThreadId{1}, "teller-1");
  EXPECT_EQ(names.thread_name(ThreadId{1}), "T1 \"teller-1\"");
  story.thread = ThreadId{4};
  story.event(EventKind::thread_begin, 0x401000);
  EXPECT_EQ(names.thread_name(ThreadId{4}), "T4");
  names.define_object(0x401000, 1, "consume");
  EXPECT_EQ(names.thread_name(ThreadId{4}), "T4 consume");
  names.define_thread(ThreadId{2}, "T2");
  EXPECT_EQ(names.thread_name(ThreadId{2}), "T2");
}

TEST_F(ObjectNamesTest, Sites) {
  EXPECT_EQ(names.site_name(story.at("f", "/src/bank.cpp", 12)), "bank.cpp:12");
  Site inlined;
  inlined.frames = {{"std::vector::size", "/usr/include/c++/12/bits/stl_vector.h", 900, 1},
                    {"Bank::count", "/src/bank.cpp", 13, 1}};
  const SiteId count = story.site(inlined);
  EXPECT_EQ(names.site_name(count), "bank.cpp:13");
  EXPECT_EQ(names.sites().text(count), "Bank::count (bank.cpp:13)");
  EXPECT_EQ(names.site_name(story.at("f", "", 0)), "f");
  Site bare;
  bare.code = 0x401234;
  EXPECT_EQ(names.site_name(story.site(bare)), "0x401234");
  bare.module = "/usr/bin/bank";
  bare.module_offset = 0x1234;
  EXPECT_EQ(names.site_name(story.site(bare)), "bank+0x1234");
  bare.module = "libstdc++.so.6.0.30";
  EXPECT_EQ(names.site_name(story.site(bare)), "libstdc++.so+0x1234");
  bare.frames = {{"calloc", "/anywhere/rtld-malloc.h", 44, 1}};
  const SiteId library = story.site(bare);
  EXPECT_EQ(names.site_name(library), "rtld-malloc.h:44");
  EXPECT_FALSE(names.sites()[library].in_program);
  EXPECT_EQ(names.site_name(kNoSite), "");
  EXPECT_EQ(names.site_name(SiteId{99}), "");
  names.define_site(SiteId{4'000'000'000}, bare);  // leaves a gap
  EXPECT_EQ(names.site_name(SiteId{4'000'000'000}), "");
}

TEST_F(ObjectNamesTest, ClassesWithoutLongArguments) {
  const std::string state =
      "std::thread::_State_impl<std::thread::_Invoker<std::tuple<void (*)()> > >";
  story.event(EventKind::allocate, kHeap, story.allocation(state, 24, 40), 24);
  EXPECT_EQ(names.name(kHeap), "std::thread::_State_impl #1@bank.cpp:40");
  const SiteId field =
      story.access(EventKind::read, "Table<Key<long>, Value<long>, 17>", "size_", 8, 3);
  EXPECT_EQ(names.name(story.event(EventKind::read, 0x99, field), NameForm::kField),
            "Table<...>::size_");
  const SiteId small = story.access(EventKind::read, "Queue<int>", "size_", 8, 3);
  EXPECT_EQ(names.name(story.event(EventKind::read, 0x99, small), NameForm::kField),
            "Queue<int>::size_");
}

TEST_F(ObjectNamesTest, AnUnknownObjectStillHasItsField) {
  const SiteId savings = story.access(EventKind::read, "Account", "savings", 8, 30);
  const Event read = story.event(EventKind::read, 0x7008, savings);
  EXPECT_EQ(longer(read), "Account::savings at 0x7000");
  EXPECT_EQ(names.name(read, NameForm::kField), "Account::savings");
  EXPECT_EQ(names.name(story.event(EventKind::decision, 4)), "#4");
  EXPECT_EQ(names.name(story.event(EventKind::fence, 0)), "");
}

TEST(ObjectNamesBoundTest, MoreBlocksThanAllowedHaveNoName) {
  ObjectNames names(10);
  Story story(names);
  const SiteId place = story.allocation("Account", 16, 40);
  for (std::uint64_t i = 0; i < 20; ++i)
    story.event(EventKind::allocate, kHeap + i * 32, place, 16);
  EXPECT_EQ(names.name(kHeap + 9 * 32), "Account #10@bank.cpp:40");
  EXPECT_EQ(names.name(kHeap + 10 * 32), "0x5140");
  story.event(EventKind::free, kHeap);
  story.event(EventKind::allocate, kHeap + 64 * 32, place, 16);
  EXPECT_EQ(names.name(kHeap + 64 * 32), "Account #21@bank.cpp:40");
}

// Against a list of all blocks, the newest last: the answer is the newest that covers the address
// and was not covered itself.
TEST(ObjectNamesModelTest, AgreesWithASimpleModel) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 50; ++round) {
    ObjectNames names;
    Story story(names);
    const SiteId place = story.allocation("", 0, 40);
    struct Known {
      std::uint64_t begin, end, ordinal;
    };
    std::vector<Known> known;
    for (std::uint64_t i = 1; i <= 200; ++i) {
      const std::uint64_t begin = 0x1000 + random() % 256;
      const std::uint64_t end = begin + 1 + random() % 32;
      if (random() % 3 == 0) {
        story.event(EventKind::free, begin);
        const auto at = std::find_if(known.begin(), known.end(),
                                     [&](const Known& k) { return k.begin == begin; });
        if (at != known.end()) {
          const Known freed = *at;
          std::erase_if(
              known, [&](const Known& k) { return k.begin >= freed.begin && k.end <= freed.end; });
        }
      }
      story.event(EventKind::allocate, begin, place, end - begin);
      // What overlaps goes, unless it is wholly around the new one; so does what lay in it.
      std::vector<Known> gone;
      for (const Known& k : known) {
        const bool overlaps = k.begin < end && begin < k.end;
        const bool around = k.begin < begin && k.end >= end;
        if (overlaps && !around) gone.push_back(k);
      }
      std::erase_if(known, [&](const Known& k) {
        return std::any_of(gone.begin(), gone.end(),
                           [&](const Known& g) { return k.begin >= g.begin && k.end <= g.end; });
      });
      known.push_back({begin, end, i});
      for (std::uint64_t address = 0x0ff0; address < 0x1140; address += 7) {
        const Known* best = nullptr;
        for (const Known& k : known) {
          if (address < k.begin || address >= k.end) continue;
          if (best == nullptr || k.end - k.begin <= best->end - best->begin) best = &k;
        }
        const std::string name = names.name(address, NameForm::kLong);
        if (best == nullptr) {
          ASSERT_EQ(name.rfind("0x", 0), 0u) << name;
          ASSERT_EQ(name.find("into"), std::string::npos) << name;
        } else {
          const std::string wanted = fmt::format("block #{} from bank.cpp:40", best->ordinal);
          ASSERT_NE(name.find(wanted), std::string::npos) << name << " is not " << wanted;
        }
      }
    }
  }
}

// Nothing that a file can claim may be more than wrong.
TEST(ObjectNamesModelTest, SurvivesAnything) {
  std::mt19937_64 random(11);
  ObjectNames names(1000);
  Story story(names);
  story.allocation("Account", 16, 40);
  story.variable("v", "f");
  story.access(EventKind::read, "Account", "x", 8, 1);
  story.function("f", "Account", 16);
  const std::uint64_t edges[] = {0, 1, ~0ull, ~0ull - 1, 1ull << 63, 0x1000};
  for (int i = 0; i < 200'000; ++i) {
    const auto number = [&] {
      return random() % 4 == 0 ? edges[random() % std::size(edges)] : 0x1000 + random() % 512;
    };
    Event event{};
    event.kind = static_cast<EventKind>(random() % (kEventKinds + 2));
    event.thread = ThreadId{static_cast<std::uint16_t>(random() % 4)};
    event.site = SiteId{static_cast<std::uint32_t>(random() % 7)};
    event.object = number();
    event.value = random() % 2 == 0 ? number() : random() % 64;
    names.event(event);
    if (random() % 16 == 0) names.define_object(number(), number(), "n");
    (void)names.name(event, NameForm::kLong);
    (void)names.name(number());
    (void)names.instance(number());
  }
}

}  // namespace
}  // namespace raddle

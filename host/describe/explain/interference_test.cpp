#include "host/describe/explain/interference.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "host/report/explanation_text.hpp"
#include "host/trace/testing/trace_story.hpp"

namespace raddle {
namespace {

// "1r 2w 1w": thread and access, all to one place ('q' reads at another line); 'R' and 'W' to
// another one, '=' writes what is there; 'l', 's' and 'u' load, store and update an atomic
// variable; 'x' and 'y' take and give back another lock; '[' and ']' take and give back a
// lock, 'a' takes it at another line,
// '<' and '>' at these lines for reading; 'c' waits on a condition with it, 'v' waits and gives the
// lock back, 'k' has it again; 'e' ends the thread;
// '(' and ')' enter and leave a function, '{' enters one that waits sometimes, 'f2' and 'j2' create
// and join thread 2.
KeptTrace trace_of(const std::string& text, std::uint64_t object = 0x5000) {
  KeptTrace trace;
  samples::Story story(trace);
  const SiteId read = story.access(EventKind::read, "Account", "balance_", 0, 13);
  const SiteId again = story.access(EventKind::read, "Account", "balance_", 0, 15);
  const SiteId write = story.access(EventKind::write, "Account", "balance_", 0, 18);
  const SiteId function = story.function("spend");
  Site waits;
  waits.kind = EventKind::enter;
  waits.flags = kSiteWaits;
  waits.frames = {{"work", "/src/bank.cpp", 30, 1}};
  const SiteId waiter = story.site(std::move(waits));
  const SiteId load = story.access(EventKind::atomic_load, "Account", "ready_", 0, 20);
  const SiteId store = story.access(EventKind::atomic_store, "Account", "ready_", 0, 21);
  const SiteId lock = story.at("spend", "/src/bank.cpp", 22);
  const SiteId second_lock = story.at("spend", "/src/bank.cpp", 24);
  const SiteId waits_at = story.at("spend", "/src/bank.cpp", 23);
  std::uint64_t value = 0;
  for (std::size_t i = 0; i + 1 < text.size();
       i += text[i + 1] == 'f' || text[i + 1] == 'j' ? 4 : 3) {
    story.thread = ThreadId(static_cast<std::uint16_t>(text[i] - '0'));
    ++story.step;
    switch (text[i + 1]) {
      case 'r':
        story.event(EventKind::read, object, read, value);
        break;
      case 'q':
        story.event(EventKind::read, object, again, value);
        break;
      case 'w':
        story.event(EventKind::write, object, write, ++value);
        break;
      case 'R':
        story.event(EventKind::read, object + 64, read, value);
        break;
      case 'W':
        story.event(EventKind::write, object + 64, write, ++value);
        break;
      case '=':
        story.event(EventKind::write, object, write, value);
        break;
      case 'x':
      case 'y':
        story.event(text[i + 1] == 'x' ? EventKind::acquire : EventKind::release, object + 320,
                    lock, text[i + 1] == 'x' ? 1 : 0);
        break;
      case 'u':
        story.event(EventKind::atomic_update, object + 128, store, value, 0);
        ++value;
        break;
      case 'l':
        story.event(EventKind::atomic_load, object + 128, load, value);
        break;
      case 's':
        story.event(EventKind::atomic_store, object + 128, store, ++value);
        break;
      case '[':
        story.event(EventKind::acquire, object + 192, lock, 1);
        break;
      case 'a':
        story.event(EventKind::acquire, object + 192, second_lock, 1);
        break;
      case '<':
      case '>':
        story.event(EventKind::acquire, object + 192, text[i + 1] == '<' ? lock : second_lock, 1,
                    kShared);
        break;
      case ']':
        story.event(EventKind::release, object + 192, lock, 0);
        break;
      case 'c':
        story.event(EventKind::wait, object + 256, lock, object + 192);
        break;
      case 'v':
        story.event(EventKind::wait, object + 256, waits_at, object + 192);
        story.event(EventKind::release, object + 192, waits_at, 0, kByWait);
        break;
      case 'k':
        story.event(EventKind::acquire, object + 192, waits_at, 1, kByWait);
        break;
      case 'e':
        story.event(EventKind::thread_end, 0);
        break;
      case '{':
        story.event(EventKind::enter, 0, waiter);
        break;
      case '(':
        story.event(EventKind::enter, 0, function);
        break;
      case ')':
        story.event(EventKind::exit, 0, function);
        break;
      case 'f':
      case 'j':
        story.event(text[i + 1] == 'f' ? EventKind::fork : EventKind::join, 0, kNoSite,
                    static_cast<std::uint64_t>(text[i + 2] - '0'));
        break;
      default:
        ADD_FAILURE() << text;
    }
  }
  return trace;
}

std::string found_in(const std::string& text, int failing = 0) {
  const auto found =
      find_interference(trace_of(text), ThreadId(static_cast<std::uint16_t>(failing)));
  if (!found) return "nothing";
  const char* kinds[] = {"read again", "overwritten", "check then act", "intermediate",
                         "unordered",  "lock",        "waited"};
  return std::string(kinds[static_cast<int>(found->kind)]) + " " +
         std::to_string(found->first.event) + " " + std::to_string(found->middle.event) + " " +
         std::to_string(found->last.event);
}

TEST(Interference, TheFourKinds) {
  EXPECT_EQ(found_in("1r 2w 1r "), "read again 0 1 2");
  EXPECT_EQ(found_in("1w 2w 1r "), "overwritten 0 1 2");
  EXPECT_EQ(found_in("1r 2w 1w "), "check then act 0 1 2");
  EXPECT_EQ(found_in("1( 1w 2r 1w 1) ", 2), "intermediate 1 2 3");
}

TEST(Interference, WhoSawItHalfWayIsWhoFailed) {
  EXPECT_NE(found_in("1( 1w 2r 1w 1) ", 1).substr(0, 12), "intermediate");
  EXPECT_NE(found_in("1w 2r 1w ", 2).substr(0, 12), "intermediate") << "not of one call";
  EXPECT_NE(found_in("1( 1( 1w 1) 2r 1( 1w 1) 1) ", 2).substr(0, 12), "intermediate")
      << "each call finished what it did";
}

// Who finds what was there before is not disturbed, whoever wrote it anew.
TEST(Interference, TheSameValueAgainDisturbsNobody) {
  for (const char* text : {"1r 2= 1r ", "1r 2= 1w "}) {
    EXPECT_EQ(found_in(text).substr(0, 9), "unordered") << text;
  }
}

// The second one found what was there, and acted on that.
TEST(Interference, TwoAtomicUpdatesAreNoCheckAndAct) {
  EXPECT_EQ(found_in("1u 2s 1u ", 1), "nothing");
  EXPECT_EQ(found_in("1l 2s 1u ", 1), "check then act 0 1 2") << "but a look before is";
}

// What came later is the thread's own doing.
TEST(Interference, TheLastAccessIsTheFirstAfterTheOthers) {
  EXPECT_EQ(found_in("1r 2w 1w 1q ", 1), "check then act 0 1 2");
  EXPECT_EQ(found_in("1r 2w 1r 1w 1q ", 1), "check then act 0 1 3");
}

TEST(Interference, WhatASerialOrderExplainsIsNone) {
  for (const char* text : {"1r 2r 1w ", "1w 2r 1r ", "1w 2w 1w ", "1r 1w 2r 2w "}) {
    EXPECT_EQ(found_in(text).substr(0, 9), "unordered") << text;
  }
  EXPECT_EQ(found_in("1r 2r 1r "), "nothing");
}

TEST(Interference, UnorderedAccessesAreTheFirstPairThatNothingOrders) {
  EXPECT_EQ(found_in("0w 0f1 0f2 1w 2w 0j1 0j2 0r "), "unordered 3 4 4");
  EXPECT_EQ(found_in("0w 0f1 1w 0j1 0f2 2w 0j2 0r "), "nothing");
  EXPECT_EQ(found_in("0w 0f1 1w 0r ", 0), "unordered 2 3 3") << "the first write sets it up";
}

TEST(Interference, WhatCreationAndJoiningOrderIsNone) {
  EXPECT_EQ(found_in("0w 0f1 1r 1w 0j1 0r "), "nothing");
  EXPECT_EQ(found_in("0w 0f1 1r 1w 0r 0j1 "), "unordered 3 4 4") << "it was not joined yet";
  EXPECT_EQ(found_in("0f1 0w 1r 1w 0j1 0r "), "overwritten 1 3 5") << "it ran already";
}

TEST(Interference, TheFailingThreadsComesFirst) {
  const std::string text = "1r 2w 1q 3r 2w 3q ";
  EXPECT_EQ(found_in(text, 1), "read again 0 1 2");
  EXPECT_EQ(found_in(text, 3), "read again 3 4 5");
  EXPECT_EQ(found_in(text, 9), "read again 0 1 2") << "of others the first";
}

TEST(Interference, TheInnermostFunctionComesFirst) {
  EXPECT_EQ(found_in("1r 2w 1( 1r 2w 1q 1) "), "read again 3 4 5");
}

TEST(Interference, TheReadOfTheActDoesNotHideTheCheck) {
  const auto found = find_interference(trace_of("1r 2w 1r 1w "), ThreadId{1});
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->first.event, 0U);
}

TEST(Interference, WhatNoLockGuardsComesFirst) {
  // The place that is always used with the lock is disturbed in the innermost function.
  EXPECT_EQ(found_in("1R 1( 1[ 1r 1] 2[ 2w 2] 2W 1[ 1r 1] 1) 1W "), "check then act 0 8 13");
}

TEST(Interference, ReadingUntilItChangesIsWhatAtomicVariablesAreFor) {
  EXPECT_EQ(found_in("1l 2s 1l 1r 2w "), "unordered 3 4 4");
  EXPECT_EQ(found_in("1l 2s 1l "), "nothing");
}

// The lost update of 'R' and 'W' is later, and in no inner function.
TEST(Interference, AFlagThatSomebodyWaitsForIsTheLastToBlame) {
  EXPECT_EQ(found_in("1r 1r 2w 1r 1R 2W 1W "), "check then act 4 5 6");
  EXPECT_EQ(found_in("1r 1( 1) 2w 1r 1R 2W "), "unordered 5 6 6");
  EXPECT_EQ(found_in("1r 1r 2w 1r "), "read again 1 2 3");
  EXPECT_EQ(found_in("1r 1W 2w 1r 1R 2W "), "read again 0 2 3") << "it did something meanwhile";
}

TEST(Interference, OfLocksThoseOfWhoFailed) {
  const std::string text = "1[ 1] 2[ 2] 1a 1] 3[ ";
  EXPECT_EQ(found_in(text, 1), "lock 0 2 4");
  EXPECT_EQ(found_in(text, 3), "nothing");
  EXPECT_EQ(found_in(text, raw(kNoThread)), "lock 0 2 4");
  EXPECT_EQ(found_in("0f1 0f2 1[ 1] 2[ 2] 1a 1] 1e 2e ", 0), "lock 2 4 6");
  EXPECT_EQ(found_in("0f1 0f2 1[ 1] 2[ 2] 1a 1] 1e ", 0), "nothing") << "T2 still runs";
}

TEST(Interference, TwoRoundsOfALoopAreNotOneBlock) {
  EXPECT_EQ(found_in("1[ 1] 2[ 2] 1[ 1] ", 1), "nothing");
  EXPECT_EQ(found_in("1[ 1] 1a 1] 2[ 2] 1[ 1] ", 1), "nothing");
  EXPECT_EQ(found_in("1[ 1] 1a 1] 1[ 1] 2[ 2] 1a 1] ", 1), "lock 4 6 8");
}

TEST(Interference, AWaitGivesTheLockToOthers) {
  EXPECT_EQ(found_in("1[ 1v 2[ 2] 1k ", 1), "waited 1 3 5");
  EXPECT_EQ(found_in("1[ 1v 1k ", 1), "nothing");
  EXPECT_EQ(found_in("1[ 1v 2[ 2] 1k ", 2), "nothing") << "another failed";
  EXPECT_EQ(found_in("1[ 1v 2[ 2] 1k 1] ", 1), "nothing") << "not under the lock any more";
}

TEST(Interference, WhoLooksAgainAfterAWaitDoesNotGoByWhatWas) {
  EXPECT_EQ(found_in("1[ 1r 1v 2[ 2w 2] 1k 1r 1] ", 1), "nothing");
  EXPECT_EQ(found_in("1[ 1r 1v 2[ 2w 2] 1k 1r 1w 1] ", 1), "nothing");
  EXPECT_EQ(found_in("1[ 1r 1v 2[ 2w 2] 1k 1w 1] ", 1), "check then act 1 5 8");
}

TEST(Interference, AfterAWaitAThreadBeginsAgain) {
  EXPECT_EQ(found_in("1[ 1v 2[ 2] 1k 1] 1a 1] ", 1), "nothing");
  EXPECT_EQ(found_in("1[ 1v 2[ 2] 1k 1] 2[ 2] 1a 1] ", 1), "lock 5 7 9");
}

// All eight: shared acquisitions read, others write.
TEST(Interference, ReadersDoNotDisturbEachOther) {
  for (int mask = 0; mask < 8; ++mask) {
    const bool first = (mask & 1) != 0;
    const bool middle = (mask & 2) != 0;
    const bool last = (mask & 4) != 0;
    std::string text = first ? "1< 1] " : "1[ 1] ";
    text += middle ? "2< 2] " : "2[ 2] ";
    text += last ? "1> 1] " : "1a 1] ";
    const bool counts = !middle || (!first && !last);
    EXPECT_EQ(found_in(text, 1), counts ? "lock 0 2 4" : "nothing") << text;
  }
}

TEST(Interference, TheRoundsOfALoopThatWaitsAreOnTheirOwn) {
  EXPECT_EQ(found_in("1( 1[ 1r 1] 2[ 2w 2] 1[ 1r 1] 1) "), "read again 2 5 8");
  EXPECT_EQ(found_in("1{ 1[ 1r 1] 2[ 2w 2] 1[ 1r 1] 1) "), "nothing");
}

TEST(Interference, WhatLocksOrderIsNotUnordered) {
  EXPECT_EQ(found_in("1r 1[ 1] 2[ 2] 2w ", 1), "nothing");
  EXPECT_EQ(found_in("1[ 1] 1r 2[ 2] 2w ", 1), "unordered 2 5 5");
}

// The oracle looks at all triples of which first and last are consecutive accesses of their thread.
// Nothing is seen half-way here: nobody is in a function.
TEST(Interference, AgainstAllTriples) {
  std::mt19937 random(1);
  const auto serial = [](char a, char b, char c) {
    const std::string three = {a, b, c};
    return three != "rwr" && three != "wwr" && three != "rww";
  };
  int with = 0;
  for (int i = 0; i < 5000; ++i) {
    std::string text;
    for (int n = 2 + static_cast<int>(random() % 6); n > 0; --n) {
      text += std::string(1, static_cast<char>('1' + random() % 3)) + (random() % 2 ? "r " : "w ");
    }
    bool any = false;
    for (std::size_t c = 0; c < text.size(); c += 3) {
      std::size_t a = c;
      do a -= 3;
      while (a < text.size() && text[a] != text[c]);
      if (a >= text.size()) continue;
      for (std::size_t b = a + 3; b < c; b += 3) {
        any = any || !serial(text[a + 1], text[b + 1], text[c + 1]);
      }
    }
    const auto found = find_interference(trace_of(text), ThreadId{1});
    const bool triple = found && found->kind != InterferenceKind::kUnordered;
    EXPECT_TRUE(triple || !any) << text;
    with += any ? 1 : 0;
    if (!triple) continue;
    const auto at = [&](const Access& access) { return text[access.event * 3 + 1]; };
    EXPECT_EQ(text[found->first.event * 3], text[found->last.event * 3]) << text;
    EXPECT_NE(text[found->first.event * 3], text[found->middle.event * 3]) << text;
    EXPECT_LT(found->first.event, found->middle.event);
    EXPECT_LT(found->middle.event, found->last.event);
    EXPECT_FALSE(serial(at(found->first), at(found->middle), at(found->last))) << text;
  }
  EXPECT_GT(with, 1000);
}

// ---- In words ----

std::string explained(const KeptTrace& trace, Failure failure = {}) {
  Symbolizer symbols;
  if (failure.kind == OutcomeKind::kNone) failure.kind = OutcomeKind::kAssertion;
  if (failure.threads.empty()) failure.thread = ThreadId{1};
  return explanation_text(explain(trace, failure, symbols), failure, {});
}

TEST(Explanation, OfTheBank) {
  KeptTrace trace;
  samples::tell_bank(trace);
  const std::string text = explained(trace);
  for (const char* part :
       {"check-then-act on Account::balance_", "reads balance_ = 100", "balance_ 100 -> 30",
        "<-- here", "read 100 at bank.cpp:13; T2 changed it to 30 before",
        "Suggestion: guard Account::balance_ with a mutex", "held by the caller"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

TEST(Explanation, TheRowThatIsMarkedHasTheValueOfThatAccess) {
  Failure failure;
  failure.thread = ThreadId{1};
  const std::string text = explained(trace_of("1r 2w 1w 1r 1w "), failure);
  EXPECT_NE(text.find("writes balance_ = 2\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("balance_ = 3"), std::string::npos) << text;
}

TEST(Explanation, FitsAScreenAndAHalf) {
  std::string text = "1r ";
  for (int i = 0; i < 500; ++i) text += "2r 2w 3r ";
  const std::string shown = explained(trace_of(text + "1w "));
  EXPECT_LE(std::count(shown.begin(), shown.end(), '\n'), 36) << shown;
  EXPECT_NE(shown.find("<-- here"), std::string::npos);
}

TEST(Explanation, NobodyHoldsALockForReadingOnUntilItIsForWriting) {
  for (const char* accesses : {"1( 1< 1r 1] 2[ 2w 2] 1a 1w 1] 1) ", "1( 1< 1] 2[ 2] 1a 1] 1) "}) {
    Failure failure;
    failure.thread = ThreadId{1};
    const std::string text = explained(trace_of(accesses), failure);
    EXPECT_NE(text.find("look again at bank.cpp:"), std::string::npos) << text;
    EXPECT_EQ(text.find("Suggestion: hold"), std::string::npos) << text;
  }
  const std::string locks = explained(trace_of("1( 1< 1] 2[ 2] 1a 1] 1) "));
  EXPECT_NE(locks.find("(shared)"), std::string::npos) << locks;
}

// Each thread holds a lock, and not the same: that is said, and which of the two is meant is the
// one that guards more places.
TEST(Explanation, AnotherLockThanTheOthers) {
  const std::string text = explained(trace_of("1( 1[ 1r 2x 2w 2y 1w 1] 1) 3[ 3q 3] "));
  EXPECT_NE(text.find("at bank.cpp:18, too."), std::string::npos) << text;
  const std::string unknown = explained(trace_of("1( 1[ 1r 2x 2w 2y 1w 1] 1) 2x 2q 2y "));
  EXPECT_EQ(unknown.find("Suggestion"), std::string::npos) << unknown;
}

// Nobody can hold a lock while it waits for threads that need it: nearly all of main is no advice.
TEST(Explanation, NoLockIsHeldOverThreadsThatNeedIt) {
  const std::string within = explained(trace_of("1( 1[ 1r 1] 2[ 2w 2] 1[ 1w 1] 1) "));
  EXPECT_NE(within.find("Suggestion"), std::string::npos) << within;
  const std::string around = explained(trace_of("1( 1[ 1r 1] 1f3 2[ 2w 2] 1j3 1[ 1w 1] 1) "));
  EXPECT_EQ(around.find("Suggestion"), std::string::npos) << around;
}

TEST(Explanation, AWaitLetsGoOfTheLock) {
  const std::string text = explained(trace_of("1( 1[ 1r 1c 1] 2[ 2w 2] 1[ 1w 1] 1) "));
  EXPECT_NE(text.find("look again after the wait"), std::string::npos) << text;
  const std::string loop = explained(trace_of("1( 1[ 1r 1c 1] 2[ 2w 2] 1[ 1q 1w 1] 1) "));
  EXPECT_EQ(loop.find("look again"), std::string::npos) << "it does\n" << loop;
}

// Whether the wait is in a loop is not known where memory is not.
TEST(Explanation, AWaitOfWhichNoMemoryIsKnown) {
  const std::string text = explained(trace_of("1[ 1v 2[ 2] 1k "));
  for (const char* part : {"given back while waiting", "T2 had it while T1 waited at bank.cpp:23",
                           "T1 waited at bank.cpp:23 and took"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
  EXPECT_EQ(text.find("Suggestion"), std::string::npos) << text;
}

TEST(Explanation, NothingToExplain) {
  EXPECT_EQ(explained(trace_of("1r 1w 1r 2) ")), "");
  EXPECT_EQ(explained(KeptTrace{}), "");
}

TEST(Explanation, ACycleOfLocksHasItsAdvice) {
  Failure failure;
  failure.kind = OutcomeKind::kDeadlock;
  failure.verdict = Verdict{};
  failure.verdict->kind = failure.kind;
  for (std::uint16_t id : {1, 2}) {
    ThreadLine line;
    line.id = ThreadId{id};
    line.blocked = true;
    line.doing.kind = Doing::Kind::kBlocked;
    line.doing.op = OpKind::mutex_lock;
    failure.threads.push_back(line);
    failure.verdict->cycle.push_back({line.id, line.doing, {}, {}});
  }
  EXPECT_NE(explained(KeptTrace{}, failure).find("in the same order"), std::string::npos);
}

TEST(KeptTrace, TellsWhatItWasTold) {
  KeptTrace trace;
  samples::tell_bank(trace);
  KeptTrace again;
  std::size_t told = 0;
  trace.tell(again, [&](std::size_t index) { EXPECT_EQ(index, told++); });
  EXPECT_EQ(told, trace.all().size());
  EXPECT_EQ(again.all().size(), trace.all().size());
  EXPECT_FALSE(trace.too_long());
}

TEST(KeptTrace, ATraceThatIsTooLongIsNotKept) {
  KeptTrace trace;
  const std::vector<Event> batch(4096);
  for (std::size_t n = 0; n <= KeptTrace::kMostEvents; n += batch.size()) trace.events(batch);
  EXPECT_TRUE(trace.too_long());
  EXPECT_TRUE(trace.all().empty());
}

}  // namespace
}  // namespace raddle

#include "host/analysis/atomizer/atomizer.hpp"

#include "host/analysis/testing/findings_of.hpp"

namespace raddle {
namespace {

AnalysisOptions annotated() {
  AnalysisOptions options;
  options.atomic = {true, false, false};
  return options;
}
AnalysisOptions by_locks(bool refine = true) {
  AnalysisOptions options;
  options.atomic = {false, true, false};
  options.refine_locks = refine;
  return options;
}
AnalysisOptions by_functions() {
  AnalysisOptions options;
  options.atomic = {false, false, true};
  return options;
}

std::size_t warnings(std::string_view text, const AnalysisOptions& options = annotated()) {
  return count("atomizer", text, options);
}

// Makes locks and data shared and protected before the part that a test is about.
const std::string kShareLocks =
    "T8 acq(m); T8 w(x); T8 rel(m); T8 acq(n); T8 w(y); T8 rel(n);"
    "T9 acq(m); T9 w(x); T9 rel(m); T9 acq(n); T9 w(y); T9 rel(n);";
// Shared, written, without a lock.
const std::string kShareRacy = "T8 w(u); T9 w(u);";

// The report of 001: append holds its own buffer's lock, and calls sb.length() and sb.getChars(),
// which take and give back the lock of sb.
const char* kStringBuffer =
    "T1 enter(main); T1 acq(lock_of_sb)@1; T1 w(sb.count)@1; T1 rel(lock_of_sb)@1; T1 exit;"  // filled
                                                                                              // by
                                                                                              // others
    "T2 enter(main); T2 acq(lock_of_sb)@2; T2 w(sb.count)@2; T2 rel(lock_of_sb)@2; T2 exit;"
    "T1 enter(main); T1 enter(append); T1 acq(self)@445;"
    "T1 enter(length); T1 acq(lock_of_sb)@143; T1 r(sb.count)@144; T1 rel(lock_of_sb)@144; T1 exit;"
    "T1 enter(getChars); T1 acq(lock_of_sb)@326; T1 r(sb.count)@327; T1 rel(lock_of_sb)@328; T1 "
    "exit;"
    "T1 rel(self)@456; T1 exit; T1 exit";

TEST(Atomizer, StringBuffer) {
  const Checked checked = check("atomizer", kStringBuffer, by_locks());
  ASSERT_EQ(checked.findings().size(), 1U);
  const Finding& finding = checked.findings()[0];
  EXPECT_EQ(finding.kind, FindingKind::atomicity);
  EXPECT_EQ(checked.steps(finding),
            (std::vector<std::string>{"T1 enters the atomic block self line 445",
                                      "T1 commits at release lock_of_sb line 144",
                                      "T1 violates at acquire lock_of_sb line 326"}));
  // Each part has its stack, innermost first.
  std::vector<std::vector<std::string>> stacks;
  for (const FindingStep& step : finding.steps) {
    stacks.emplace_back();
    for (SiteId site : step.stack)
      stacks.back().push_back(checked.pipeline->state().function(site));
  }
  EXPECT_EQ(stacks,
            (std::vector<std::vector<std::string>>{
                {"append", "main"}, {"length", "append", "main"}, {"getChars", "append", "main"}}));
  EXPECT_NE(finding.what.find("append"), std::string::npos) << finding.what;
  EXPECT_NE(finding.what.find("is not atomic"), std::string::npos) << finding.what;
}

TEST(Atomizer, StringBufferInOneRegionIsAtomic) {
  EXPECT_EQ(
      warnings(
          "T1 acq(lock_of_sb); T1 w(sb.count); T1 rel(lock_of_sb); T2 acq(lock_of_sb); T2 "
          "w(sb.count);"
          "T2 rel(lock_of_sb); T1 acq(self); T1 acq(lock_of_sb); T1 r(sb.count); T1 r(sb.count);"
          "T1 rel(lock_of_sb); T1 rel(self)",
          by_locks()),
      0U);
}

// Figure 3 of 000: both threads do everything under `lock`. Read as 000 does, the sequence is
// R R L R L L and there is a warning, which is false; the refinement for protected locks knows.
TEST(Atomizer, Figure3OfAtomFuzzerIsAFalseWarning) {
  std::string text;
  for (const char* thread : {"T1", "T2"}) {
    for (const char* operation :
         {"block(b)", "acq(lock)", "acq(lock_of_acct)@3", "r(acct.balance)", "rel(lock_of_acct)@3",
          "acq(lock_of_acct)@7", "r(acct.balance)", "w(acct.balance)", "rel(lock_of_acct)@9",
          "rel(lock)", "endblock"})
      text += std::string(thread) + " " + operation + ";";
  }
  AnalysisOptions options = annotated();
  options.refine_locks = false;
  const Checked checked = check("atomizer", text, options);
  ASSERT_EQ(checked.findings().size(), 1U);
  EXPECT_EQ(checked.findings()[0].count, 2U);  // in both threads
  EXPECT_EQ(checked.steps(checked.findings()[0])[2], "T1 violates at acquire lock_of_acct line 7");
  EXPECT_EQ(warnings(text, annotated()), 0U);
}

TEST(Atomizer, RightMoversOneNonMoverLeftMovers) {
  const std::string before = kShareLocks + kShareRacy;
  EXPECT_EQ(warnings(before + "T1 block(b); T1 acq(m); T1 acq(n); T1 r(x); T1 w(u); T1 r(y);"
                              "T1 rel(n); T1 rel(m); T1 endblock"),
            0U);
  EXPECT_EQ(warnings(before + "T1 block(b); T1 acq(m); T1 rel(m); T1 acq(n); T1 rel(n);"
                              "T1 endblock"),
            1U);
  EXPECT_EQ(warnings(before + "T1 block(b); T1 r(u); T1 w(u); T1 endblock"), 1U);
  EXPECT_EQ(warnings(before + "T1 block(b); T1 w(u); T1 acq(m); T1 rel(m); T1 endblock"), 1U);
  EXPECT_EQ(warnings(before + "T1 block(b); T1 acq(m); T1 rel(m); T1 w(u); T1 endblock"), 1U);
  EXPECT_EQ(warnings(before + "T1 block(b); T1 acq(m); T1 w(u); T1 rel(m); T1 endblock"), 0U);
  // Outside of blocks everything is allowed.
  EXPECT_EQ(warnings(before + "T1 w(u); T1 w(u); T1 acq(m); T1 rel(m); T1 acq(m); T1 rel(m)"), 0U);
}

TEST(Atomizer, RecursionMovesBothWays) {
  EXPECT_EQ(warnings(kShareLocks + "T1 block(b); T1 acq(m); T1 acq(m); T1 r(x); T1 rel(m);"
                                   "T1 acq(m); T1 r(x); T1 rel(m); T1 rel(m); T1 endblock"),
            0U);
}

TEST(Atomizer, ALockOfOneThreadUntilAnotherUsesIt) {
  const std::string block = "T1 block(b); T1 acq(m); T1 rel(m); T1 acq(m); T1 rel(m); T1 endblock;";
  EXPECT_EQ(warnings(block + block), 0U);
  EXPECT_EQ(warnings(block + "T2 acq(m); T2 rel(m);" + block), 1U);
}

// 000, 5.4: the main thread initialises before it creates threads.
TEST(Atomizer, InitialisationBeforeTheFirstThread) {
  EXPECT_EQ(warnings("T0 block(init); T0 acq(m); T0 rel(m); T0 acq(m); T0 rel(m); T0 endblock;"
                     "T0 fork(T1); T1 acq(m); T1 rel(m)"),
            0U);
}

TEST(Atomizer, ALockAlwaysTakenUnderAnotherUntilItIsNot) {
  const std::string block =
      "T1 block(b); T1 acq(m); T1 acq(n); T1 rel(n); T1 acq(n); T1 rel(n); T1 rel(m); T1 endblock;";
  const std::string other = "T2 acq(m); T2 acq(n); T2 rel(n); T2 rel(m);";
  EXPECT_EQ(warnings(other + block + other + block), 0U);
  EXPECT_EQ(warnings(other + block + "T2 acq(n); T2 rel(n);" + block), 1U);
  // Under m for reading, two threads can contend for n.
  EXPECT_EQ(warnings("T2 racq(m); T2 acq(n); T2 rel(n); T2 rrel(m);"
                     "T1 racq(m); T1 block(b); T1 acq(n); T1 rel(n); T1 acq(n); T1 rel(n);"
                     "T1 endblock; T1 rrel(m)"),
            1U);
}

TEST(Atomizer, WrittenUnderALockAndReadWithout) {
  // The read without m leaves m for the writes only.
  const std::string before =
      "T8 acq(m); T8 w(x); T8 rel(m); T9 acq(m); T9 w(x); T9 rel(m); T9 r(x);";
  // Reads under the lock move both ways: one write is the commit.
  EXPECT_EQ(warnings(before + "T1 block(b); T1 acq(m); T1 r(x); T1 r(x); T1 w(x); T1 rel(m);"
                              "T1 endblock"),
            0U);
  // Two writes, two unlocked reads: each is a non-mover.
  EXPECT_EQ(warnings(before + "T1 block(b); T1 acq(m); T1 w(x); T1 w(x); T1 rel(m); T1 endblock"),
            1U);
  EXPECT_EQ(warnings(before + "T1 block(b); T1 r(x); T1 r(x); T1 endblock"), 1U);
  EXPECT_EQ(warnings(before + "T1 block(b); T1 r(x); T1 endblock"), 0U);
}

TEST(Atomizer, TheFirstRacingAccessIsMadeGoodWhileTheBlockIsOpen) {
  // u is T1's own until T2's block; its read is a both-mover when it happens, and its write shows
  // that it was none.
  const Checked checked = check("atomizer",
                                "T1 block(b)@1; T1 r(u)@2; T1 w(u)@3; T1 endblock@4;"
                                "T2 block(b)@1; T2 r(u)@2; T2 w(u)@3; T2 endblock@4",
                                annotated());
  ASSERT_EQ(checked.findings().size(), 1U);
  EXPECT_EQ(checked.findings()[0].count, 1U);  // T1's has ended, and stays judged as it was
  EXPECT_EQ(checked.steps(checked.findings()[0]),
            (std::vector<std::string>{"T2 enters the atomic block  line 1",
                                      "T2 commits at unprotected read u line 2",
                                      "T2 violates at unprotected write u line 3"}));
  // By another thread, while T1's block is open.
  EXPECT_EQ(warnings(kShareLocks + "T1 block(b); T1 w(u); T1 acq(m); T1 rel(m); T2 w(u);"
                                   "T1 endblock"),
            1U);
  EXPECT_EQ(warnings(kShareLocks + "T1 block(b); T1 acq(m); T1 w(u); T1 rel(m); T2 w(u);"
                                   "T1 endblock"),
            0U);
}

TEST(Atomizer, AnAtomicOperationIsAnAccess) {
  const std::string before = "T8 rmw(u,sc); T9 rmw(u,sc);";
  EXPECT_EQ(warnings(before + "T1 block(b); T1 rmw(u,sc); T1 endblock"), 0U);
  EXPECT_EQ(warnings(before + "T1 block(b); T1 load(u,sc); T1 store(u,sc); T1 endblock"), 1U);
}

TEST(Atomizer, WhatOnlyCountsMovesBothWays) {
  // References that come and go, in whichever order.
  const std::string before = "T8 count(u,sc); T9 count(u,sc);";
  EXPECT_EQ(warnings(before + "T1 block(b); T1 count(u,sc); T1 count(u,sc); T1 endblock"), 0U);
  // Not if somebody looks at the number; then what has counted in an open block is made good.
  EXPECT_EQ(warnings(before + "T1 block(b); T1 load(u,sc); T1 count(u,sc); T1 endblock"), 1U);
  EXPECT_EQ(warnings(before + "T1 block(b); T1 count(u,sc); T1 count(u,sc); T2 load(u,sc);"
                              "T1 endblock"),
            1U);
  EXPECT_EQ(warnings(before + "T2 rmw(u,sc); T1 block(b); T1 count(u,sc); T1 count(u,sc);"
                              "T1 endblock"),
            1U);
}

TEST(Atomizer, AFailedTrylockIsNoAcquire) {
  EXPECT_EQ(warnings(kShareLocks + "T1 block(b); T1 acq(m); T1 rel(m); T1 tryfail(n); T1 endblock"),
            0U);
  // What std::scoped_lock does when it does not get both.
  const std::string backs_off = "T1 block(b); T1 acq(m); T1 tryfail(n); T1 rel(m);";
  EXPECT_EQ(warnings(kShareLocks + backs_off +
                     "T1 acq(n); T1 tryacq(m); T1 w(x); T1 rel(m);"
                     "T1 rel(n); T1 endblock"),
            0U);
  // It did something under the first lock; it got the second.
  EXPECT_EQ(warnings(kShareLocks + "T1 block(b); T1 acq(m); T1 w(x); T1 tryfail(n); T1 rel(m);"
                                   "T1 acq(n); T1 rel(n); T1 endblock"),
            1U);
  EXPECT_EQ(warnings(kShareLocks + "T1 block(b); T1 acq(m); T1 tryacq(n); T1 rel(n); T1 rel(m);"
                                   "T1 acq(n); T1 rel(n); T1 endblock"),
            1U);
}

TEST(Atomizer, ALockThatIsReleasedAndAcquiredAgainBeforeOthersUseIt) {
  // Each thread calls once. append()'s gap was harmless until T2 came.
  const std::string append =
      "T1 acq(one)@1; T1 acq(two)@2; T1 rel(two)@3; T1 acq(two)@4; T1 rel(two)@5; T1 rel(one)@6;";
  const Checked checked = check("atomizer", append + "T2 acq(two)@7; T2 rel(two)@8", by_locks());
  ASSERT_EQ(checked.findings().size(), 1U);
  EXPECT_EQ(checked.steps(checked.findings()[0]),
            (std::vector<std::string>{"T1 enters the atomic block one line 1",
                                      "T1 commits at release two line 3",
                                      "T1 violates at acquire two line 4"}));
  EXPECT_EQ(warnings(append, by_locks()), 0U);
  // The same as often as it was done.
  EXPECT_EQ(check("atomizer", append + append + "T2 acq(two); T2 rel(two)", by_locks())
                .findings()[0]
                .count,
            2U);
  // After it was joined nobody can have come in between.
  EXPECT_EQ(warnings("T0 fork(T1);" + append + "T1 end; T0 join(T1); T0 acq(two); T0 rel(two)",
                     by_locks()),
            0U);
  // Nor when both always come under another lock.
  EXPECT_EQ(warnings("T1 acq(g);" + append +
                         "T1 rel(g); T2 acq(g); T2 acq(two); T2 rel(two);"
                         "T2 rel(g)",
                     by_locks()),
            0U);
}

TEST(Atomizer, TheSecondUserOfALockMayComeLate) {
  // A release inside the block becomes its commit point when T2 turns out to use the lock; what
  // violates it is another lock's acquire.
  const std::string block =
      "T1 block(b)@1; T1 acq(m)@2; T1 rel(m)@3; T1 acq(n)@4; T1 rel(n)@5; T1 endblock;";
  const std::string others = "T2 acq(m); T2 rel(m); T2 acq(n); T2 rel(n);";
  const Checked checked = check("atomizer", block + others, annotated());
  ASSERT_EQ(checked.findings().size(), 1U);
  EXPECT_EQ(checked.steps(checked.findings()[0]),
            (std::vector<std::string>{"T1 enters the atomic block  line 1",
                                      "T1 commits at release m line 3",
                                      "T1 violates at acquire n line 4"}));
  EXPECT_EQ(warnings(others + block), 1U);
  EXPECT_EQ(warnings(block + "T2 acq(m); T2 rel(m)"), 0U);  // n is T1's alone
  // While the block is open.
  EXPECT_EQ(warnings("T1 block(b); T1 acq(m); T1 rel(m); T2 acq(m); T2 rel(m);" + kShareRacy +
                     "T1 w(u); T1 endblock"),
            1U);
  // The first user's locks count, too: T2 comes under another one.
  EXPECT_EQ(warnings("T1 block(b); T1 acq(m); T1 rel(m); T1 acq(m); T1 rel(m); T1 endblock;"
                     "T2 acq(n); T2 acq(m); T2 rel(m); T2 rel(n)"),
            1U);
}

// The report of 001 with one call in each thread, in either order of the calls.
TEST(Atomizer, StringBufferWithOneCallEach) {
  const std::string append =
      "T1 acq(one)@1; T1 acq(two)@2; T1 rel(two)@3; T1 acq(two)@4; T1 rel(two)@5; T1 rel(one)@6;";
  const std::string other =
      "T2 acq(two)@1; T2 acq(one)@2; T2 rel(one)@3; T2 acq(one)@4; T2 rel(one)@5; T2 rel(two)@6;";
  const std::string erase = "T2 acq(two)@7; T2 rel(two)@8;";
  EXPECT_EQ(warnings(append + erase, by_locks()), 1U);
  EXPECT_EQ(warnings(erase + append, by_locks()), 1U);
  EXPECT_EQ(warnings(append + other, by_locks()), 2U);  // of both
  EXPECT_EQ(warnings(other + append, by_locks()), 2U);
}

TEST(Atomizer, ForkMovesLeftAndJoinRight) {
  const std::string work = "T1 acq(m); T1 w(x); T1 rel(m); T1 end;";
  // The child comes in between.
  EXPECT_EQ(warnings("T0 block(b); T0 fork(T1);" + work + "T0 join(T1); T0 endblock"), 1U);
  EXPECT_EQ(warnings("T0 block(b); T0 fork(T1); T0 endblock;" + work), 0U);
  EXPECT_EQ(warnings("T0 fork(T1);" + work + "T0 block(b); T0 join(T1); T0 endblock"), 0U);
  // Locks, as far as they are contended: fork commits, join does not.
  const std::string share = kShareLocks;
  EXPECT_EQ(warnings(share + "T2 block(b); T2 acq(m); T2 rel(m); T2 fork(T3); T2 endblock"), 0U);
  EXPECT_EQ(warnings(share + "T2 block(b); T2 fork(T3); T2 acq(m); T2 rel(m); T2 endblock"), 1U);
  const Checked checked = check("atomizer",
                                "T0 block(b)@1; T0 fork(T1)@2; T1 end; T0 join(T1)@3;"
                                "T0 endblock",
                                annotated());
  ASSERT_EQ(checked.findings().size(), 1U);
  EXPECT_FALSE(checked.findings()[0].minor);
  EXPECT_EQ(checked.steps(checked.findings()[0])[1], "T0 commits at thread creation  line 2");
  EXPECT_EQ(checked.steps(checked.findings()[0])[2], "T0 violates at join  line 3");
}

TEST(Atomizer, WhatIsMerelyInferredAndForksThenJoinsIsMinor) {
  const std::string text =
      "T0 enter(main); T0 method(run_all,o)@1; T0 fork(T1); T1 end; T0 join(T1);";
  const Checked checked = check("atomizer", text + "T0 exit; T0 exit", by_functions());
  ASSERT_EQ(checked.findings().size(), 1U);
  EXPECT_TRUE(checked.findings()[0].minor);
  // What is wrong with it anyway is said instead.
  const Checked both =
      check("atomizer",
            kShareLocks + text + "T0 acq(m); T0 rel(m); T0 acq(m); T0 rel(m);" + "T0 exit; T0 exit",
            by_functions());
  ASSERT_EQ(both.findings().size(), 1U);
  EXPECT_FALSE(both.findings()[0].minor);
}

TEST(Atomizer, ASemaphoreUsedAsALockIsALock) {
  const std::string twice =
      "T1 block(b)@1; T1 down(s)@2; T1 w(x); T1 up(s)@3; T1 down(s)@4; T1 w(x); T1 up(s)@5;"
      "T1 endblock;";
  const std::string other = "T2 down(s); T2 w(x); T2 up(s);";
  const Checked checked = check("atomizer", twice + other, annotated());
  ASSERT_EQ(checked.findings().size(), 1U);
  EXPECT_EQ(checked.steps(checked.findings()[0])[1], "T1 commits at release s line 3");
  EXPECT_EQ(checked.steps(checked.findings()[0])[2], "T1 violates at acquire s line 4");
  EXPECT_EQ(warnings(other + twice), 1U);
  // It protects data: one region is atomic.
  EXPECT_EQ(warnings("T1 block(b); T1 down(s); T1 r(x); T1 w(x); T1 up(s); T1 endblock;" + other +
                     "T1 block(b); T1 down(s); T1 r(x); T1 w(x); T1 up(s); T1 endblock"),
            0U);
  EXPECT_EQ(count("lockset", other + "T1 down(s); T1 w(x); T1 up(s)"), 0U);
  // Its region is a block, as a lock's is.
  EXPECT_EQ(warnings(kShareLocks + "T2 down(s); T2 up(s); T1 down(s); T1 acq(m); T1 rel(m);"
                                   "T1 acq(m); T1 rel(m); T1 up(s)",
                     by_locks()),
            1U);
}

TEST(Atomizer, ASemaphoreThatHandsOverIsNone) {
  // T2 posts what T1 waited for: a post moves left, a wait right.
  EXPECT_EQ(warnings("T1 down(s); T2 up(s);"
                     "T1 block(b); T1 down(s); T1 endblock; T2 up(s);"
                     "T2 block(b); T2 up(s); T2 endblock"),
            0U);
  EXPECT_EQ(warnings("T1 down(s); T2 up(s); T1 block(b); T1 up(s); T1 down(s); T1 endblock"), 1U);
  // No region of it is a block; what it hands over needs no lock.
  EXPECT_EQ(warnings(kShareLocks + "T1 down(s); T1 acq(m); T1 rel(m); T2 up(s); T1 acq(m);"
                                   "T1 rel(m)",
                     by_locks()),
            0U);
  EXPECT_EQ(count("lockset", "T1 down(s); T2 w(x); T2 up(s); T1 down(s); T1 w(x); T1 w(x)"), 0U);
  EXPECT_EQ(count("race", "T1 down(s); T2 w(x); T2 up(s); T1 down(s); T1 w(x); T1 w(x)"), 0U);
}

TEST(Atomizer, AWaitInsideABlockIsAViolation) {
  const std::string text =
      "T1 block(b); T1 acq(m); T1 wait(c,m)@7; T2 acq(m); T2 notify(c); T2 rel(m);"
      "T1 wake(c,m)@7; T1 rel(m); T1 endblock";
  const Checked checked = check("atomizer", text, annotated());
  ASSERT_EQ(checked.findings().size(), 1U);
  EXPECT_NE(checked.findings()[0].what.find("acquires m by a wait"), std::string::npos)
      << checked.findings()[0].what;
}

TEST(Atomizer, ABlockThatWaitsWithItsOwnLockIsNone) {
  const std::string wait =
      "T1 acq(m)@1; T1 wait(c,m); T2 acq(m); T2 notify(c); T2 rel(m); T1 wake(c,m); T1 rel(m);";
  EXPECT_EQ(warnings(wait, by_locks()), 0U);
  // With another's it is a violation: the region of n is not given up.
  EXPECT_EQ(warnings("T2 acq(n); T2 rel(n); T1 acq(n); " + wait + "T1 rel(n)", by_locks()), 1U);
  // Nor is the block one on another occasion, on which it does not wait.
  EXPECT_EQ(warnings(kShareLocks + "T1 acq(k)@1; T1 acq(m); T1 rel(m); T1 acq(m); T1 rel(m);"
                                   "T1 rel(k); T1 acq(k)@1; T1 wait(c,k); T1 wake(c,k); T1 rel(k)",
                     by_locks()),
            0U);
}

TEST(Atomizer, FunctionsThatWaitAndThreadEntriesAreNoBlocks) {
  const std::string body = "T1 acq(m); T1 rel(m); T1 acq(m); T1 rel(m);";
  EXPECT_EQ(warnings(kShareLocks + "T1 method(run,o);" + body + "T1 exit", by_functions()), 0U);
  EXPECT_EQ(warnings(kShareLocks + "T1 enter(main); T1 method(work,o);" + body + "T1 exit; T1 exit",
                     by_functions()),
            1U);
  EXPECT_EQ(warnings(kShareLocks + "T1 enter(main); T1 method(take,o); T1 acq(m); T1 wait(c,m);"
                                   "T1 wake(c,m); T1 rel(m); T1 exit; T1 exit",
                     by_functions()),
            0U);
}

// 000, 5.4: an entry function that is synchronized does not make the whole thread atomic.
TEST(Atomizer, ARegionThatSpansTheEntryFunctionIsNoBlock) {
  const std::string twice = "T1 acq(m); T1 rel(m); T1 acq(m); T1 rel(m);";
  const std::string spans = "T1 enter(run); T1 acq(k);" + twice + "T1 rel(k); T1 exit;";
  EXPECT_EQ(warnings(kShareLocks + spans + "T1 end", by_locks()), 0U);
  EXPECT_EQ(warnings(kShareLocks + spans + "T1 enter(~Argument); T1 exit; T1 end", by_locks()), 0U);
  EXPECT_EQ(warnings(kShareLocks + "T1 acq(k); T1 enter(run);" + twice + "T1 exit; T1 rel(k)",
                     by_locks()),
            0U);
  // Called twice, it is called by an entry function that was inlined.
  EXPECT_EQ(warnings(kShareLocks + spans + spans + "T1 end", by_locks()), 1U);
  // Something comes after it, before it, or it is another function's.
  EXPECT_EQ(warnings(kShareLocks + "T1 enter(run); T1 acq(k);" + twice +
                         "T1 rel(k); T1 acq(n); T1 rel(n); T1 exit",
                     by_locks()),
            1U);
  EXPECT_EQ(warnings(kShareLocks + "T1 enter(run); T1 acq(n); T1 rel(n); T1 acq(k);" + twice +
                         "T1 rel(k); T1 exit",
                     by_locks()),
            1U);
  EXPECT_EQ(warnings(kShareLocks + "T1 enter(run); T1 enter(work); T1 acq(k);" + twice +
                         "T1 rel(k); T1 exit; T1 exit",
                     by_locks()),
            1U);
}

TEST(Atomizer, HowManyBlocksWereAtomic) {
  const Checked checked = check("atomizer",
                                kShareLocks +
                                    "T1 block(good)@1; T1 acq(m); T1 rel(m); T1 endblock;"
                                    "T1 block(good)@1; T1 acq(m); T1 rel(m); T1 endblock;"
                                    "T1 block(bad)@2; T1 acq(m); T1 rel(m); T1 acq(m);"
                                    "T1 rel(m); T1 endblock",
                                annotated());
  ASSERT_TRUE(checked.pipeline->block_counts().has_value());
  EXPECT_EQ(checked.pipeline->block_counts()->entered, 2U);
  EXPECT_EQ(checked.pipeline->block_counts()->atomic, 1U);
}

TEST(Atomizer, EveryEnclosingBlockOncePerDynamicBlock) {
  // Inner and outer both see the violation; the outer one only once though there are three.
  const Checked checked =
      check("atomizer",
            kShareRacy +
                "T1 block(outer)@1; T1 block(inner)@2; T1 w(u); T1 w(u); T1 w(u);"
                "T1 endblock; T1 block(inner)@2; T1 w(u); T1 w(u); T1 endblock;"
                "T1 endblock",
            annotated());
  ASSERT_EQ(checked.findings().size(), 2U);
  EXPECT_EQ(checked.findings()[0].count, 2U);  // inner, two dynamic ones
  EXPECT_EQ(checked.findings()[1].count, 1U);
}

TEST(Atomizer, HandOverHand) {
  // Regions that overlap without nesting: each is judged for itself. a ... b ... c
  const std::string share =
      "T8 acq(a); T8 rel(a); T8 acq(b); T8 rel(b); T8 acq(c); T8 rel(c);"
      "T9 acq(a); T9 rel(a); T9 acq(b); T9 rel(b); T9 acq(c); T9 rel(c);";
  EXPECT_EQ(warnings(share + "T1 acq(a); T1 acq(b); T1 rel(a); T1 rel(b)", by_locks()), 0U);
  // In b's region a is released, then c acquired.
  EXPECT_EQ(warnings(share + "T1 acq(a); T1 acq(b); T1 rel(a); T1 acq(c); T1 rel(b); T1 rel(c)",
                     by_locks()),
            1U);
}

TEST(Atomizer, NewMemoryIsNotShared) {
  EXPECT_EQ(warnings(kShareRacy + "T1 block(b); T1 alloc(u,8); T1 w(u); T1 w(u); T1 free(u);"
                                  "T1 endblock"),
            0U);
  EXPECT_EQ(warnings(kShareRacy + "T1 block(b); T1 local(u,8); T1 w(u); T1 w(u); T1 endblock"), 0U);
}

TEST(Atomizer, BoundedMemoryForHindsightIsSaid) {
  const Checked checked =
      check("atomizer", "T1 block(b); T1 wr(x,40000); T1 endblock", annotated());
  ASSERT_EQ(checked.pipeline->notes().size(), 1U);
  EXPECT_NE(checked.pipeline->notes()[0].find("4096"), std::string::npos);
}

}  // namespace
}  // namespace raddle

// Which data belongs to which set, and what becomes of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "host/analysis/atomset/testing/atomset_testing.hpp"

namespace raddle {
namespace {

using Patterns = std::set<int>;

Patterns patterns_of(const std::string& text, const AtomicSetRun& how = {}) {
  return run_atomset(kRunning + text, how).patterns;
}

// Changes the sites of all operations of a kind whose field has a name, or whose function has.
void edit_sites(TestTrace& trace, const std::string& name, const std::function<void(Site&)>& edit) {
  int edited = 0;
  for (Site& site : trace.sites) {
    const bool function = site.kind == EventKind::enter && site.frames.at(0).function == name;
    if (site.field != name && !function) continue;
    edit(site);
    ++edited;
  }
  ASSERT_GT(edited, 0) << name;
}

// ---- Sets ----

TEST(AtomicSet, GlobalVariablesWithOneNameAreOneSet) {
  const std::string torn =
      "T1 enter(f); T1 r(low); T2 enter(g); T2 w(low); T2 w(high); T2 exit; T1 r(high)";
  EXPECT_TRUE(patterns_of(torn).empty());  // each is a set by itself
  AtomicSetRun how;
  how.edit = [](TestTrace& trace) {
    for (Site& site : trace.sites)
      if (is_access(site.kind)) site.set = "::range";
  };
  const AtomicSetOutcome outcome = run_atomset(kRunning + torn, how);
  EXPECT_EQ(outcome.patterns, Patterns{11});
  EXPECT_EQ(outcome.matches.at(0).second, "range");
  EXPECT_TRUE(outcome.findings.at(0).declared);
}

// ---- Units ----

// 004, 4.1: a function that touches a member itself is a unit from its entry on.
TEST(AtomicSet, AGetterAndThenADirectWriteAreOneUnit) {
  const std::string get = "T1 method(get,o); T1 acq(m); T1 r(o.x); T1 rel(m); T1 exit;";
  const std::string other = "T2 method(set,o); T2 acq(m); T2 w(o.x); T2 rel(m); T2 exit;";
  EXPECT_EQ(patterns_of("T1 enter(f);" + get + other + "T1 w(o.x); T1 exit"), Patterns{1});
  // Without one that the function makes itself, each call is a unit.
  const std::string put = "T1 method(put,o); T1 acq(m); T1 w(o.x); T1 rel(m); T1 exit;";
  EXPECT_TRUE(patterns_of("T1 enter(f);" + get + other + put + "T1 exit").empty());
  // A touch of another object makes it none.
  EXPECT_TRUE(patterns_of("T1 enter(f);" + get + other + put + "T1 w(p.x); T1 exit").empty());
  // Also if the touch comes first, last, or further out.
  EXPECT_EQ(patterns_of("T1 enter(f); T1 r(o.y);" + get + other + put + "T1 exit"), Patterns{1});
  EXPECT_EQ(patterns_of("T1 enter(f);" + get + other + put + "T1 r(o.y); T1 exit"), Patterns{1});
  EXPECT_EQ(patterns_of("T1 enter(e); T1 enter(f);" + get + "T1 exit;" + other + "T1 w(o.x)"),
            Patterns{1});
  // What a thread was created for is none, unless it is asked for.
  AtomicSetRun how;
  const std::string in_entry = get + other + "T1 w(o.x)";
  EXPECT_TRUE(run_atomset("T1 enter(run1); T2 enter(run2);" + in_entry).patterns.empty());
  how.options.units.entry_units = true;
  EXPECT_EQ(run_atomset("T1 enter(run1); T2 enter(run2);" + in_entry, how).patterns, Patterns{1});
}

TEST(AtomicSet, EachObjectIsASet) {
  EXPECT_TRUE(patterns_of("T1 enter(f); T1 r(o.x); T2 enter(g); T2 w(o.x); T2 w(p.y); T2 exit; "
                          "T1 r(p.y)")
                  .empty());
  EXPECT_EQ(patterns_of("T1 enter(f); T1 r(o.x); T2 enter(g); T2 w(o.x); T2 w(o.y); T2 exit; "
                        "T1 r(o.y)"),
            Patterns{11});
}

TEST(AtomicSet, ElementsOfAnArrayAreLocations) {
  EXPECT_TRUE(
      patterns_of("T1 enter(f); T1 r(a[1]); T2 enter(g); T2 w(a[2]); T2 exit; T1 w(a[1])").empty());
  EXPECT_EQ(patterns_of("T1 alloc(a,64); T1 enter(f); T1 r(a[1]); T2 enter(g); T2 w(a[1]); "
                        "T2 w(a[2]); T2 exit; T1 r(a[2])"),
            Patterns{11});
}

TEST(AtomicSet, ConstAndAtomicMembersAreInNoSet) {
  const std::string torn = "T1 method(f,o); T1 r(o.x); T2 method(g,o); T2 w(o.x); T1 r(o.x)";
  for (const std::uint8_t flag : {kSiteConstField, kSiteAtomicField}) {
    AtomicSetRun how;
    how.edit = [&](TestTrace& trace) {
      edit_sites(trace, "x", [&](Site& site) { site.flags |= flag; });
    };
    EXPECT_TRUE(patterns_of(torn, how).empty());
    // Unless somebody says that they are.
    how.edit = [&](TestTrace& trace) {
      edit_sites(trace, "x", [&](Site& site) {
        site.flags |= flag;
        site.set = "s";
      });
    };
    EXPECT_EQ(patterns_of(torn, how), Patterns{2});
  }
  EXPECT_TRUE(
      patterns_of("T1 method(f,o); T1 load(o.x,sc); T2 store(o.x,sc); T1 load(o.x,sc)").empty());
}

TEST(AtomicSet, AnnotatedSetsDivideAnObject) {
  const std::string torn =
      "T1 method(f,o); T1 r(o.x); T2 method(g,o); T2 w(o.x); T2 w(o.y); "
      "T1 r(o.y)";
  EXPECT_EQ(patterns_of(torn), Patterns{11});
  AtomicSetRun how;
  how.edit = [](TestTrace& trace) {
    edit_sites(trace, "x", [](Site& site) { site.set = "left"; });
  };
  EXPECT_TRUE(patterns_of(torn, how).empty());
  how.edit = [](TestTrace& trace) {
    for (const char* field : {"x", "y"})
      edit_sites(trace, field, [](Site& site) { site.set = "left"; });
  };
  const AtomicSetOutcome outcome = run_atomset(kRunning + torn, how);
  EXPECT_EQ(outcome.patterns, Patterns{11});
  EXPECT_EQ(outcome.findings.at(0).object, "left");
}

TEST(AtomicSet, StaticMembersAreOneSetPerClass) {
  const std::string torn =
      "T1 enter(f); T1 r(count); T2 enter(g); T2 w(count); T2 w(total); "
      "T2 exit; T1 r(total)";
  EXPECT_TRUE(patterns_of(torn).empty());  // two variables
  AtomicSetRun how;
  how.edit = [](TestTrace& trace) {
    for (const char* field : {"count", "total"})
      edit_sites(trace, field, [](Site& site) {
        site.flags |= kSiteStatic;
        site.cls = "Bank";
      });
  };
  const AtomicSetOutcome outcome = run_atomset(kRunning + torn, how);
  EXPECT_EQ(outcome.patterns, Patterns{11});
  EXPECT_EQ(outcome.findings.at(0).object, "static members of Bank");
  // And the class's functions are units on it, whatever their object.
  const std::string calls =
      "b is Bank; T1 method(audit,b); T1 enter(f); T1 r(count); T1 exit; T2 enter(g); T2 w(count); "
      "T2 w(total); T2 exit; T1 enter(f); T1 r(total)";
  EXPECT_EQ(patterns_of(calls, how), Patterns{11});
}

// limits is a Limits inside an Account: its own functions work on the account's set.
TEST(AtomicSet, EmbeddedMembersBelongToTheObjectAroundThem) {
  const std::string text =
      "o is Account; l is Limits; T1 alloc(o,32); T1 method(audit,o); T1 r(o.savings); "
      "T2 method(set,l); T2 w(l.daily); T2 exit; T2 method(put,o); T2 w(o.savings); T2 exit; "
      "T1 method(get,l); T1 r(l.daily); T1 exit; T1 exit";
  AtomicSetRun apart;
  EXPECT_TRUE(patterns_of(text, apart).empty());
  AtomicSetRun embedded;  // l moves to o + 16
  embedded.edit = [](TestTrace& trace) {
    const std::uint64_t from = trace.address("l"), to = trace.address("o") + 16;
    for (Event& event : trace.events)
      if (event.object >= from && event.object < from + 16) event.object += to - from;
    for (Site& site : trace.sites)
      if (site.kind == EventKind::allocate) {
        site.cls = "Account";
        site.offset = 32;
      }
  };
  // In T2 these are two units, so only what T1's one unit sees apart counts.
  EXPECT_TRUE(patterns_of(text, embedded).empty());
  const std::string nested =
      "o is Account; l is Limits; T1 alloc(o,32); T1 method(audit,o); T1 r(o.savings); "
      "T2 method(put,o); T2 w(o.savings); T2 method(set,l); T2 w(l.daily); T2 exit; T2 exit; "
      "T1 method(get,l); T1 r(l.daily); T1 exit; T1 exit";
  EXPECT_TRUE(patterns_of(nested, apart).empty());
  EXPECT_EQ(patterns_of(nested, embedded), Patterns{11});
}

// The object's size is known from a call of its member function, its memory is not.
TEST(AtomicSet, ExtentsComeFromCallsToo) {
  const std::string nested =
      "o is Account; l is Limits; T1 method(audit,o); T1 r(o.savings); T2 method(put,o); "
      "T2 w(o.savings); T2 method(set,l); T2 w(l.daily); T2 exit; T2 exit; T1 method(get,l); "
      "T1 r(l.daily); T1 exit; T1 exit";
  AtomicSetRun embedded;
  embedded.edit = [](TestTrace& trace) {
    const std::uint64_t from = trace.address("l"), to = trace.address("o") + 16;
    for (Event& event : trace.events)
      if (event.object >= from && event.object < from + 16) event.object += to - from;
    for (Site& site : trace.sites)
      if (site.kind == EventKind::enter && !site.cls.empty())
        site.offset = site.cls == "Account" ? 32 : 8;
    trace.objects.clear();  // no globals
  };
  EXPECT_EQ(patterns_of(nested, embedded), Patterns{11});
}

TEST(AtomicSet, ConstructionOfAnObjectThatNobodyElseKnowsDoesNotCount) {
  // The function that makes the object and then works on it would be a unit around both.
  const std::string made = "T1 enter(make); T1 r(o.y); T1 ctor(C,o); T1 w(o.x); T1 exit;";
  const std::string used = "T2 method(set,o); T2 w(o.x); T2 exit;";
  EXPECT_TRUE(patterns_of(made + used + "T1 r(o.x); T1 exit").empty());
  // Not a constructor: counts.
  EXPECT_EQ(patterns_of("T1 enter(make); T1 r(o.y); T1 method(init,o); T1 w(o.x); T1 exit;" + used +
                        "T1 r(o.x); T1 exit"),
            Patterns{4});
  // Somebody has seen it during its construction: counts from then on.
  EXPECT_EQ(patterns_of("T1 ctor(C,o); T1 w(o.x); T2 method(get,o); T2 r(o.x); T2 exit; T1 w(o.x); "
                        "T2 method(set,o); T2 w(o.x); T2 exit; T1 r(o.x); T1 exit"),
            Patterns{4});
  // Nor does destruction.
  EXPECT_TRUE(patterns_of("T1 dtor(~C,o); T1 r(o.x); T1 w(o.x); T1 exit; T2 w(o.x)").empty());
}

// ---- Memory ----

const std::string kBuffer =
    "T1 method(put,o); T1 alloc(b,16); T1 w(b); T1 w(o.size); T1 exit;"
    "T1 method(sum,o); T1 r(b); T2 method(clear,o); T2 w(b); T2 w(o.size); T2 exit; T1 r(o.size); "
    "T1 exit;";

TEST(AtomicSet, WhatAnObjectAllocatedBelongsToIt) {
  EXPECT_EQ(patterns_of(kBuffer), Patterns{11});
  AtomicSetRun off;
  off.options.ownership = false;
  EXPECT_TRUE(patterns_of(kBuffer, off).empty());
}

TEST(AtomicSet, UntilSomethingElseUsesIt) {
  const std::string until_sum = kBuffer.substr(0, kBuffer.find("T1 method(sum"));
  const std::string rest = kBuffer.substr(until_sum.size());
  EXPECT_TRUE(patterns_of(until_sum + "T2 enter(peek); T2 r(b); T2 exit;" + rest).empty());
  EXPECT_EQ(patterns_of(until_sum + "T2 method(peek,o); T2 r(b); T2 exit;" + rest), Patterns{11});
}

// An owner that is itself owned: the node's text belongs to the list.
TEST(AtomicSet, OwnersMayBeOwned) {
  EXPECT_EQ(patterns_of("T1 method(add,list); T1 alloc(node,16); T1 method(set,node); "
                        "T1 alloc(text,16); T1 w(text); T1 exit; T1 w(list.size); T1 exit; "
                        "T1 method(print,list); T1 r(text); T2 method(clear,list); T2 w(text); "
                        "T2 w(list.size); T2 exit; T1 r(list.size)"),
            Patterns{11});
}

TEST(AtomicSet, MemoryThatIsUsedAgainIsAnotherLocation) {
  EXPECT_TRUE(patterns_of("T1 alloc(b,8); T1 enter(f); T1 r(b); T2 enter(g); T2 free(b); "
                          "T2 alloc(b,8); T2 w(b); T2 exit; T1 r(b)")
                  .empty());
  EXPECT_EQ(patterns_of("T1 alloc(b,8); T1 enter(f); T1 r(b); T2 enter(g); T2 w(b); T2 exit; "
                        "T1 r(b)"),
            Patterns{2});
}

TEST(AtomicSet, NeighboursInAWordAreLocationsOfTheirOwn) {
  EXPECT_TRUE(patterns_of("T1 enter(f); T1 r(o.x:4); T2 enter(g); T2 w(o.x+4:4); T2 exit; "
                          "T1 w(o.x:4)")
                  .empty());
  // A wide access counts for both.
  EXPECT_EQ(patterns_of("T1 enter(f); T1 r(o.x:4); T1 r(o.x+4:4); T2 enter(g); T2 w(o.x:8); "
                        "T2 exit; T1 w(o.x+4:4)"),
            Patterns{1});
  EXPECT_EQ(patterns_of("T1 enter(f); T1 r(o.x); T2 enter(g); T2 wr(o.x,32); T2 exit; T1 w(o.x)"),
            Patterns{1});
}

// ---- Traces without functions ----

// As imported from another tool: blocks, and groups of variables that somebody declared.
TEST(AtomicSet, BlocksAreUnitsOnDeclaredGroups) {
  const std::string text =
      "T1 block(a); T1 r(v); T2 block(b); T2 w(v); T2 w(w); T2 endblock; "
      "T1 r(w); T1 endblock";
  EXPECT_TRUE(run_atomset(text).patterns.empty());
  AtomicSetRun group;
  group.prepare = [](AtomicSetDetector& detector, const TestTrace& trace) {
    detector.declare_set(trace.address("v"), 8, "group");
    detector.declare_set(trace.address("w"), 8, "group");
  };
  const AtomicSetOutcome outcome = run_atomset(text, group);
  EXPECT_EQ(outcome.patterns, Patterns{11});
  EXPECT_EQ(outcome.findings.at(0).object, "group");
}

// ---- Bounds ----

std::string many(int locations) {
  std::string text = kRunning + "T1 alloc(a,4096); T1 enter(f); T2 enter(g);";
  for (int i = 0; i < locations; ++i) text += "T1 w(a[" + std::to_string(i) + "]);";
  for (int i = 0; i < locations; ++i) text += "T2 w(a[" + std::to_string(i) + "]);";
  return text;
}

TEST(AtomicSet, AutomataAreMadeOnDemandAndCollected) {
  // 20 writes against 20 writes: a summary each, and a tuple for each ordered pair; for both units
  // as u.
  const AtomicSetOutcome outcome = run_atomset(many(20) + "T1 exit; T2 exit");
  EXPECT_EQ(outcome.peak, 2 * (20U + 20 * 19));
  EXPECT_EQ(outcome.left, 0U);
  EXPECT_TRUE(outcome.notes.empty());
  // Those who never meet make none, however many locations they have.
  std::string halves = kRunning + "T1 alloc(a,4096); T1 enter(f); T2 enter(g);";
  for (int i = 0; i < 20; ++i)
    halves += "T1 w(a[" + std::to_string(i) + "]); T2 w(a[" + std::to_string(i + 20) + "]);";
  EXPECT_EQ(run_atomset(halves).peak, 0U);
  // Readers make none.
  std::string reads = many(20);
  std::replace(reads.begin(), reads.end(), 'w', 'r');
  EXPECT_EQ(run_atomset(reads).peak, 0U);
}

TEST(AtomicSet, TheBoundIsKeptAndSaid) {
  AtomicSetRun how;
  how.options.limits.max_automata = 100;
  const AtomicSetOutcome outcome = run_atomset(many(20), how);
  EXPECT_EQ(outcome.peak, 100U);
  ASSERT_EQ(outcome.notes.size(), 1U);
  EXPECT_NE(outcome.notes[0].find("100 race automata"), std::string::npos) << outcome.notes[0];
}

TEST(AtomicSet, ViolationsAtOnePlaceAreOneFinding) {
  std::string text = kRunning;
  for (int i = 0; i < 3; ++i)
    text +=
        "T1 method(f,o)@1; T1 r(o.x)@2; T2 method(g,o)@3; T2 w(o.x)@4; T2 exit@5; T1 w(o.x)@6; "
        "T1 exit@7;";
  // Also when the other unit began earlier.
  text +=
      "T2 method(g,o)@3; T1 method(f,o)@1; T1 r(o.x)@2; T2 w(o.x)@4; T2 exit@5; T1 w(o.x)@6; "
      "T1 exit@7;";
  const AtomicSetOutcome outcome = run_atomset(text);
  ASSERT_EQ(outcome.findings.size(), 1U);
  EXPECT_EQ(outcome.findings[0].count, 4U);
  EXPECT_EQ(outcome.findings[0].steps.size(), 5U);
}

TEST(AtomicSet, AStreamThatMakesNoSenseIsSurvived) {
  EXPECT_NO_THROW(run_atomset(
      "bare; T3 exit; T3 endunit; T3 endblock; T3 free(x); T3 rel(m); T3 unit(u,o); T3 exit; "
      "T3 wr(x,9000000000000000000); T3 alloc(x,9000000000000000000); T3 w(x); T3 end; T3 w(x); "
      "T0 fork(T0); T0 fork(T3); T3 local(y,18000000000000000000); T3 r(y)"));
}

}  // namespace
}  // namespace raddle

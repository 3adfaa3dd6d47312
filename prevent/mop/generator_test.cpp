#include "prevent/mop/generator.hpp"

#include <gtest/gtest.h>

#include "prevent/mop/matches.hpp"

namespace raddle::mop {
namespace {

constexpr char kFork[] = R"(enforce OneFork(Fork f) {
  event acquire before(Fork f) : call(* Fork::acquire(..)) && target(f) {}
  event release after(Fork f, int n, bool b) : call(* Fork::release(..)) && target(f) && args(n, *, .., b) {}
  fsm : free [ acquire -> busy ]
        busy [ release -> free ]
  @nonfail {}
}
)";

TEST(Generator, TheTableHasTheEvents) {
  const Specification file = parse("x.mop", kFork);
  const pointcut::Table table = table_of({compile(file, file.properties[0])});
  EXPECT_EQ(pointcut::write(table),
            "raddle-mop 1\n"
            "event OneFork.acquire raddle_mop_7OneFork_acquire before keep x.mop:2\n"
            "value object Fork\n"
            "case 0\n"
            "call * Fork::acquire(..)\n"
            "bind target 0 0\n"
            "event OneFork.release raddle_mop_7OneFork_release after keep x.mop:3\n"
            "value object Fork\n"
            "value integer int\n"
            "value integer bool\n"
            "case 0\n"
            "call * Fork::release(..)\n"
            "at-least 3\n"
            "bind target 0 0\n"
            "bind argument 0 1\n"
            "bind argument-from-end 0 2\n"
            "class raddle_mop_destroyed_OneFork_f Fork\n");
}

TEST(Generator, MistakesOfTheFormulaHaveTheirPlace) {
  const auto mistake = [](std::string text) {
    const Specification file = parse("x.mop", text);
    try {
      compile(file, file.properties[0]);
    } catch (const Mistake& found) {
      return message("x.mop", text, found);
    }
    return std::string();
  };
  std::string wrong = kFork;
  wrong.replace(wrong.find("busy [ release"), 14, "busy [ realese");
  EXPECT_EQ(mistake(wrong).substr(0, 14), "x.mop:5:16: er") << mistake(wrong);
  wrong = kFork;
  wrong.replace(wrong.find("@nonfail"), 8, "@nonfial");
  EXPECT_EQ(mistake(wrong).substr(0, 13), "x.mop:6:3: er") << mistake(wrong);
}

TEST(Generator, EventsThatMatchNothing) {
  const Specification file = parse("x.mop", kFork);
  const pointcut::Table table = table_of({compile(file, file.properties[0])});
  const std::vector<std::string> warnings =
      unmatched(table,
                "match OneFork.acquire\nnear OneFork.release 9 Fork::rel()\nnear OneFork.release 2 "
                "Fork::releas()\n",
                "app");
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings[0],
            "x.mop:3: warning: the event `OneFork.release` matches nothing in app: call(* "
            "Fork::release(..))\n"
            "  the nearest functions are Fork::releas(), Fork::rel()\n");
  EXPECT_EQ(notes_in("no program"), "");
}

}  // namespace
}  // namespace raddle::mop

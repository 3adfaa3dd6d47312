#include <gtest/gtest.h>

#include "prevent/mop/syntax.hpp"

namespace raddle::mop {
namespace {

constexpr char kIteration[] = R"(#include "list.hpp"
using namespace shop;

enforce SafeIteration(List c, Cursor i) {
  int steps = 0;  // a variable
  std::map<int, int> seen{{1, 2}};

  creation event create after(List c) returning(Cursor i) : call(Cursor List::begin()) && target(c) {}
  event modify before(List c) : (call(* List+.add*(..)) || call(* List+.clear())) && target(c) { if (steps) { ++steps; } }
  event next before(Cursor i) : call(* Cursor::next(..)) && target(i) && !threadName("main") {}
  event done after(Cursor i) returning(bool b) : call(* Cursor::more()) && target(i) && condition(!b) {}

  fsm :
    na [ create -> init ]  // made
    init [ next -> unsafe  done -> safe ]
    unsafe [ next -> unsafe  done -> safe ]
    safe [ modify -> safe  done -> safe  next -> safe ]

  @nonfail {}
  @fail { std::puts("}"); __RESET; }
  @deadlock { std::puts(report); }
}

perthread Second() {
  event a before() : execution(* f(int, const char*)) {}
  event b after : endThread() {}
  ere : a b
  @match { }
}
)";

TEST(Parser, EverythingOfAProperty) {
  const Specification file = parse("x.mop", kIteration);
  ASSERT_EQ(file.properties.size(), 2U);
  EXPECT_EQ(file.preamble.size(), 2U);
  const Property& first = file.properties[0];
  EXPECT_EQ(first.name, "SafeIteration");
  EXPECT_TRUE(first.enforced);
  ASSERT_EQ(first.parameters.size(), 2U);
  EXPECT_EQ(first.parameters[1].type, "Cursor");
  EXPECT_EQ(first.variable_names, (std::vector<std::string>{"steps", "seen"}));
  ASSERT_EQ(first.events.size(), 4U);
  EXPECT_TRUE(first.events[0].creation);
  EXPECT_EQ(first.events[0].when, Event::When::returning);
  EXPECT_EQ(first.events[1].cases.size(), 2U);
  EXPECT_EQ(first.events[1].cases[1].size(), 2U);
  EXPECT_TRUE(first.events[2].cases[0][2].negated);
  EXPECT_EQ(first.events[3].result->kind, Parameter::Kind::integer);
  EXPECT_EQ(first.logic, "fsm");
  EXPECT_EQ(first.formula.text.find("made"), std::string::npos);
  EXPECT_EQ(first.handlers.size(), 2U);
  EXPECT_TRUE(first.deadlock);
  EXPECT_TRUE(file.properties[1].perthread);
  EXPECT_FALSE(file.properties[1].events[1].is_woven());
}

// Puts the event, formula and handlers of a small property together, and says what is wrong.
std::string mistake_in(const std::string& text) {
  try {
    parse("x.mop", text);
  } catch (const Mistake& mistake) {
    return message("x.mop", text, mistake);
  }
  return "";
}

std::string mistake_of_event(const std::string& event) {
  return mistake_in("enforce P(Fork f) {\n" + event + " {}\nfsm : s [ e -> s ]\n@nonfail {} }");
}

TEST(Parser, MistakesHaveAPlaceAndACaret) {
  EXPECT_EQ(mistake_in("enforce P(Fork f) {\n  event e befor(Fork f) : call(f()) {}\n}"),
            "x.mop:2:11: error: expected `before` or `after`\n"
            "    event e befor(Fork f) : call(f()) {}\n"
            "            ^\n");
  EXPECT_EQ(mistake_in("P(Fork f"),
            "x.mop:1:9: error: expected `)` or `,` after a parameter\n"
            "  P(Fork f\n"
            "          ^\n");
  // What is missing belongs to the parenthesis, not to where somebody notices.
  EXPECT_EQ(mistake_in(
                "P() {\n  event e before() : call(* f(..) {}\n  fsm : s [ e -> s ]\n  @fail {}\n}"),
            "x.mop:2:26: error: expected `)` for this `(` before `}`\n"
            "    event e before() : call(* f(..) {}\n"
            "                           ^\n");
}

TEST(Parser, Mistakes) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "expected a property"},
      {"enforce perthread P() {}", "expected `enforce` alone"},
      {"unsynchronized enforce P() {}", "expected `enforce` alone"},
      {"P(Fork) {}", "expected a type and a name"},
      {"P(double d) {}", "floating-point"},
      {"P(A a, A b, A c, A d, A e, A f, A g, A h, A i) {}", "at most 8"},
      {"P(Fork f, Knife f) {}", "`f` is a parameter already"},
      {"P() { event e before() : call(f()) {} }", "expected a formula"},
      {"P() { fsm : s [ ] }", "expected an event in `P`"},
      {"P() { event e before() : call(f()) {} fsm : s [ e -> s ]", "expected `}`"},
      {"P() { event e before() : call(f()) { fsm : s [ e -> s ] }", "expected `}`"},
      {"enforce P() { event e before() : call(f()) {} fsm : s [ e -> s ] }", "@nonfail"},
      {"P() { event e before() : call(f()) {} fsm : s [ e -> s ] @deadlock {} }",
       "expected `enforce`"},
      {"P() { event e before() : call(f()) {} event e before() : call(g()) {} }",
       "`e` is an event already"},
      {"P() { event e before() : call(f()) {} fsm : s [] @a {} @a {} }", "one handler"},
      {"P() { event e before() : call(f()) {} @a {} }", "expected the formula"},
      {"P() { event e before() : call(f()) {} fsm : s [] @fail {} ere : e }", "one formula"},
      {"P() { int x }", "declaration with `;`"},
      {"P() { event e before() : call(f()) {} rgx : e* }", "`rgx` is none"},
      {"P() { event delete before() : call(f()) {} }", "meaning of its own"},
      {"P() { event e before() : call(f()) { char c = 'x }", "second `'`"},
      {"P() { /* }", "expected `*/`"},
      {"P() {} P() {}", "expected an event"},
  };
  for (const auto& [text, expected] : cases)
    EXPECT_NE(mistake_in(text).find(expected), std::string::npos) << text << "\n"
                                                                  << mistake_in(text);
}

TEST(Parser, MistakesInEvents) {
  const std::pair<const char*, const char*> cases[] = {
      {"event e before(Fork f) : call(* Fork::a()) && target(f)", ""},
      {"event e before(Fork f) : call(* Fork::a())", "expected target(f)"},
      {"event e before(Fork f) : (call(* Fork::a()) && target(f)) || call(b())",
       "in every alternative"},
      {"event e before() : call(* Fork::a()) && target(f)", "`f` is none"},
      {"event e before(Knife f) : call(* Fork::a()) && target(f)", "expected the type `Fork`"},
      {"event e before(Fork f) : call(* Fork::a()) && target(f) && args(f)", "bound already"},
      {"event e before(Fork f) : call(* Fork::a()) && !target(f)", "without `!`"},
      {"event e before(int n) : call(* Fork::a()) && target(n)", "is a number"},
      {"event e before(Fork f) returning(int n) : call(* Fork::a()) && target(f)",
       "only an event `after`"},
      {"event e before() : condition(true)", "where is the event"},
      {"event e before() : call(f()) && startThread()", "expected either"},
      {"event e before() : call(f()) || startThread()", "expected either"},
      {"event e before() : call(f(", "expected `)`"},
      {"event e before() : call(* Fork::)", "parameters of a function"},
      {"event e before() : calls(f())", "expected a pointcut"},
      {"event e before() : call(f()) && ", "expected a pointcut"},
      {"event e before() : (call(f())", "expected `)`, `&&` or `||`"},
      {"event e before() : call(f()) && (threadBlocked(t) || condition(x))", "outside `||`"},
      {"event e before() : call(f()) && !threadBlocked(t)", "without `!`"},
      {"event e before() : call(f()) && threadName(x)", "name of a thread"},
      {"event e before() : call(f()) && condition( )", "expected an expression"},
      {"event e before(int a) : call(f(..)) && args(.., a, ..)", "only once"},
      {"event e before() call(f())", "expected `:`"},
  };
  for (const auto& [event, expected] : cases) {
    const std::string found = mistake_of_event(event);
    if (*expected == 0) {
      EXPECT_EQ(found, "") << event;
    } else {
      EXPECT_NE(found.find(expected), std::string::npos) << event << "\n" << found;
    }
  }
}

TEST(Parser, SkipNeedsACallBefore) {
  const auto with = [](const std::string& event, const std::string& handler) {
    return mistake_in("P() { event e " + event + " fsm : s [ e -> s ] @fail { " + handler + " } }");
  };
  EXPECT_EQ(with("before() : call(f()) {}", "__SKIP;"), "");
  EXPECT_EQ(with("before() : call(f()) { __SKIP; }", ""), "");
  EXPECT_NE(with("after() : call(f()) {}", "__SKIP;"), "");
  EXPECT_NE(with("after() : call(f()) { __SKIP; }", ""), "");
  EXPECT_NE(with("before() : execution(f()) {}", "__SKIP;"), "");
  EXPECT_EQ(with("after() : call(f()) {}", "puts(\"__SKIP\");"), "");
}

TEST(Parser, CasesAreBounded) {
  std::string many = "call(a())";
  for (int i = 0; i < 40; ++i) many += " || call(a())";
  EXPECT_NE(mistake_of_event("event e before() : " + many).find("at most 32"), std::string::npos);
  const std::string deep = std::string(5000, '(') + "call(a())" + std::string(5000, ')');
  EXPECT_NE(mistake_of_event("event e before() : " + deep).find("fewer parentheses"),
            std::string::npos);
}

// Hostile input: whatever is changed, the parser says yes or names a place in the text.
TEST(Parser, ChangedSpecifications) {
  const std::string seed = kIteration;
  const std::string pieces[] = {
      "(", ")",     "{",     "}",    "&&", "||", "!", "..",      "*",     "+",
      "<", ">",     ":",     "::",   ";",  "\"", "'", "/*",      "//",    "#",
      "@", "event", "call(", "R\"(", "\n", "\\", ",", "enforce", "fsm :", std::string(1, '\0')};
  std::uint64_t state = 1;
  const auto random = [&](std::size_t below) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return std::size_t(state >> 33U) % below;
  };
  for (int round = 0; round < 20000; ++round) {
    std::string text = seed;
    for (std::size_t changes = random(4) + 1; changes > 0; --changes) {
      const std::size_t at = random(text.size());
      switch (random(4)) {
        case 0:
          text.erase(at, random(30) + 1);
          break;
        case 1:
          text.insert(at, pieces[random(std::size(pieces))]);
          break;
        case 2:
          text.insert(at, text.substr(random(text.size()), random(60)));
          break;
        case 3:
          text[at] = char(random(256));
          break;
      }
      if (text.empty()) text = " ";
    }
    try {
      parse("x.mop", text);
    } catch (const Mistake& mistake) {
      ASSERT_LE(mistake.at, text.size()) << text;
      ASSERT_FALSE(mistake.expected.empty());
      ASSERT_FALSE(message("x.mop", text, mistake).empty());
    }
  }
}

}  // namespace
}  // namespace raddle::mop

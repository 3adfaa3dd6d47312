#include "prevent/pointcut/signature.hpp"

#include <gtest/gtest.h>

namespace raddle::pointcut {
namespace {

std::vector<std::string> bases_of(const std::string& cls) {
  if (cls == "Circle") return {"Shape"};
  if (cls == "Dot") return {"Circle"};
  return {};
}

Function push(const char* cls, const char* parameter) {
  return make_function(cls, "push_back", parameter, "", false);
}

bool matches(const char* pattern, const Function& function) {
  const auto parsed = parse_signature(pattern);
  const auto* signature = std::get_if<Signature>(&parsed);
  EXPECT_NE(signature, nullptr) << pattern;
  return signature != nullptr && signature->matches(function, bases_of);
}

const Function kAcquire = make_function("Fork", "acquire", "(int, char const*)", "void", false);
const Function kVector = push("std::vector<int, std::allocator<int>>", "(int const&)");

TEST(Signature, NamesAndWildcards) {
  EXPECT_TRUE(matches("* Fork::acquire(..)", kAcquire));
  EXPECT_TRUE(matches("void Fork::acquire(int, const char*)", kAcquire));
  EXPECT_TRUE(matches("* Fork.acquire(int, char const *)", kAcquire));
  EXPECT_TRUE(matches("* F*k::ac*(..)", kAcquire));
  EXPECT_TRUE(matches("* *::acquire(..)", kAcquire));
  EXPECT_TRUE(matches("Fork::acquire(int, ..)", kAcquire));
  EXPECT_TRUE(matches("* Fork::*(*, *)", kAcquire));
  EXPECT_FALSE(matches("int Fork::acquire(..)", kAcquire));
  EXPECT_FALSE(matches("* Fork::acquire()", kAcquire));
  EXPECT_FALSE(matches("* Fork::acquire(int, char*)", kAcquire));
  EXPECT_FALSE(matches("* Fork::acquire(*)", kAcquire));
  EXPECT_FALSE(matches("* acquire(..)", kAcquire));
  EXPECT_FALSE(matches("* Knife::acquire(..)", kAcquire));
  EXPECT_FALSE(matches("* Fork::acquire(..) const", kAcquire));
  EXPECT_TRUE(
      matches("* *::Fork::acquire(..)", make_function("a::b::Fork", "acquire", "()", "", false)));
}

TEST(Signature, TemplateArguments) {
  EXPECT_TRUE(matches("* std::vector<int>::push_back(..)", kVector));
  EXPECT_TRUE(matches("* std::vector<*>::push_back(..)", kVector));
  EXPECT_TRUE(matches("* std::vector::push_back(const int&)", kVector));
  EXPECT_TRUE(matches("* std::vector<int, ..>::push_*(..)", kVector));
  EXPECT_FALSE(matches("* std::vector<long>::push_back(..)", kVector));
  EXPECT_FALSE(matches("* std::vector<int*>::push_back(..)", kVector));
  EXPECT_TRUE(matches("* std::vector<Fork*>::push_back(..)",
                      push("std::vector<Fork*, A<Fork*>>", "(Fork*&&)")));
  EXPECT_TRUE(matches(
      "* take(std::vector<std::string>)",
      make_function("", "take",
                    "(std::vector<std::__cxx11::basic_string<char, std::char_traits<char>, "
                    "std::allocator<char>>, std::allocator<std::__cxx11::basic_string<char>>>)",
                    "", false)));
}

TEST(Signature, NamesOfTheSameType) {
  const Function append = make_function(
      "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char>>", "append",
      "(unsigned long, char)", "", false);
  EXPECT_TRUE(matches("* std::string::append(std::size_t, char)", append));
  EXPECT_TRUE(matches("* std::string::append(size_t, char)", append));
  EXPECT_TRUE(matches("* std::string::append(unsigned long int, char)", append));
  EXPECT_FALSE(matches("* std::string::append(unsigned, char)", append));
  EXPECT_TRUE(matches("* f(const volatile int*)",
                      make_function("", "f", "(int const volatile*)", "", false)));
  EXPECT_TRUE(matches("* f()", make_function("(anonymous namespace)", "f", "()", "", false)));
}

TEST(Signature, Operators) {
  const Function call = make_function("Task", "operator()", "(int)", "", true);
  EXPECT_TRUE(matches("* Task::operator()(int)", call));
  EXPECT_TRUE(matches("* Task::operator ()(..) const", call));
  EXPECT_FALSE(matches("* Task::operator[](int)", call));
  EXPECT_TRUE(
      matches("* Task::operator<<(..)", make_function("Task", "operator<<", "(int)", "", false)));
  EXPECT_TRUE(
      matches("Task::operator bool()", make_function("Task", "operator bool", "()", "", false)));
}

TEST(Signature, ConstructorsAndDestructors) {
  const Function made = make_function("Fork", "Fork", "(int)", "", false);
  EXPECT_TRUE(matches("Fork::Fork(..)", made));
  EXPECT_TRUE(matches("Fork::new(int)", made));
  EXPECT_FALSE(matches("Fork::new()", made));
  EXPECT_TRUE(matches("Fork::~Fork()", make_function("Fork", "~Fork", "()", "", false)));
  EXPECT_TRUE(matches("Pool<int>::new(..)", make_function("Pool<int>", "Pool", "()", "", false)));
}

TEST(Signature, DerivedClasses) {
  const Function draw = make_function("Dot", "draw", "()", "", false);
  EXPECT_TRUE(matches("* Shape+::draw()", draw));
  EXPECT_TRUE(matches("* Dot+::draw()", draw));
  EXPECT_FALSE(matches("* Shape::draw()", draw));
  EXPECT_FALSE(matches("* Square+::draw()", draw));
}

TEST(Signature, PointersInReturnTypes) {
  const Function get = make_function("Pool", "get", "()", "Fork*", false);
  EXPECT_TRUE(matches("Fork* Pool::get()", get));
  EXPECT_TRUE(matches("Fork *Pool::get()", get));
  EXPECT_FALSE(matches("Fork Pool::get()", get));
  EXPECT_TRUE(matches("* Pool::get()", get));
}

TEST(Signature, NamespacesWithoutANameAreLeftOut) {
  const Function grab = make_function("shop::(anonymous namespace)", "grab<int>", "()", "", false);
  EXPECT_TRUE(matches("* shop::grab(..)", grab));
  EXPECT_EQ(grab.text(), "shop::grab<int>()");
}

TEST(Signature, Mistakes) {
  for (const char* wrong : {"", "Fork", "* Fork::acquire", "* ::", "* Fork::(..)", "f(int,)",
                            "f(, int)", "f)", "* A+::B::f()", "* f g::h i()x"}) {
    const auto parsed = parse_signature(wrong);
    const auto* error = std::get_if<SignatureError>(&parsed);
    ASSERT_NE(error, nullptr) << wrong;
    EXPECT_EQ(error->expected.compare(0, 8, "expected"), 0) << error->expected;
    EXPECT_LE(error->at, std::string(wrong).size());
  }
}

TEST(Signature, Distance) {
  const auto parsed = parse_signature("* Fork::aquire(..)");
  const Signature& signature = std::get<Signature>(parsed);
  EXPECT_LT(distance(signature, kAcquire), distance(signature, kVector));
}

}  // namespace
}  // namespace raddle::pointcut

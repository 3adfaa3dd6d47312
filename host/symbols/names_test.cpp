#include "host/symbols/names.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "host/base/printable.hpp"

namespace raddle {
namespace {

TEST(NamesTest, ShortensFunctions) {
  EXPECT_EQ(short_function("Account::withdraw(int)"), "Account::withdraw");
  EXPECT_EQ(short_function("void Account::withdraw(int)"), "Account::withdraw");
  EXPECT_EQ(short_function("int main()"), "main");
  EXPECT_EQ(short_function("T Shelf<int>::pop() [T = int]"), "Shelf<int>::pop");
  EXPECT_EQ(short_function("void *look_up(void *)"), "look_up");
  EXPECT_EQ(short_function("Account &Bank::find(int)"), "Bank::find");
  EXPECT_EQ(short_function("int main(int, char**)"), "main");
  EXPECT_EQ(short_function("Account::get() const"), "Account::get");
  EXPECT_EQ(short_function("worker(void*) [clone .part.0]"), "worker");
  EXPECT_EQ(short_function("(anonymous namespace)::f(int (*)(int), char)"),
            "(anonymous namespace)::f");
  EXPECT_EQ(short_function("void f(T) [with T = std::vector<int>]"), "f");
  EXPECT_EQ(short_function(""), "");
}

TEST(NamesTest, ShortensTemplates) {
  EXPECT_EQ(short_function("Queue<int>::push(int&&)"), "Queue<int>::push");
  EXPECT_EQ(short_function("void swap<unsigned int>(unsigned int&, unsigned int&)"),
            "swap<unsigned int>");
  EXPECT_EQ(short_function("Queue<std::__cxx11::basic_string<char, std::char_traits<char>, "
                           "std::allocator<char> > >::push()"),
            "Queue<std::string>::push");
  EXPECT_EQ(short_function("std::vector<int, std::allocator<int> >::push_back(int const&)"),
            "std::vector::push_back");
  EXPECT_EQ(short_function("void std::__invoke_impl<void, void (*)()>(std::__invoke_other)"),
            "std::__invoke_impl");
  EXPECT_EQ(short_function("Map<FirstLongType, SecondLongType, Third>::at()"), "Map<...>::at");
}

TEST(NamesTest, KeepsOperatorsAndLambdas) {
  EXPECT_EQ(short_function("Task::operator()(int) const"), "Task::operator()");
  EXPECT_EQ(short_function("bool operator<(A const&, A const&)"), "operator<");
  EXPECT_EQ(short_function("A::operator->() const"), "A::operator->");
  EXPECT_EQ(
      short_function("auto std::operator<=><char, std::char_traits<char> >(A const&, A const&)"),
      "std::operator<=>");
  EXPECT_EQ(
      short_function("bool std::operator< <char, std::char_traits<char> >(A const&, A const&)"),
      "std::operator<");
  EXPECT_EQ(short_function("S& std::operator>><char>(S&, char&)"), "std::operator>>");
  EXPECT_EQ(short_function("S& operator<< <Line>(S&, Line const&)"), "operator<<<Line>");
  EXPECT_EQ(short_function("A<int>::operator-><B>() const"), "A<int>::operator-><B>");
  EXPECT_EQ(short_function("A::operator bool() const"), "A::operator bool");
  EXPECT_EQ(short_function("operator new(unsigned long)"), "operator new");
  EXPECT_EQ(short_function("main::{lambda()#1}::operator()() const"), "main::{lambda#1}");
  EXPECT_EQ(short_function("auto f(int)::{lambda(auto:1)#2}::operator()<int>(int) const"),
            "f::{lambda#2}");
  EXPECT_EQ(short_function("main()::<lambda()>"), "main::{lambda}");
  EXPECT_EQ(short_function("main::$_1::operator()() const"), "main::{lambda#2}");
  EXPECT_EQ(short_function("auto main()::(anonymous class)::operator()() const"), "main::{lambda}");
  EXPECT_EQ(short_function("std::thread::_State_impl<std::thread::_Invoker<std::tuple<main::"
                           "{lambda()#1}> > >::_M_run()"),
            "std::thread::_State_impl::_M_run");
}

TEST(NamesTest, SurvivesUnbalancedText) {
  for (const char* text :
       {"<", ">", "((((", "a<b", "operator", "operator ", "{lambda(", "a)b>c", "<lambda(", "f(int",
        "(anonymous class)", "$_", "$_99999999999", "[abi:", "x<>"}) {
    short_function(text);
    short_type(text);
  }
  EXPECT_LE(short_function(std::string(5000, 'a')).size(), 200u);
}

TEST(NamesTest, Demangles) {
  EXPECT_EQ(function_name("_ZN7Account8withdrawEi"), "Account::withdraw");
  EXPECT_EQ(function_name("_ZZ4mainE1m"), "main::m");
  EXPECT_EQ(function_name("worker.part.0"), "worker");
  EXPECT_EQ(function_name("_Znonsense"), "_Znonsense");
  EXPECT_EQ(function_name("_ZL5ready.0"), "ready");
  EXPECT_EQ(type_name("St13runtime_error"), "std::runtime_error");
  EXPECT_EQ(type_name("i"), "int");
  EXPECT_EQ(type_name("NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"), "std::string");
  EXPECT_EQ(type_name(""), "");
}

TEST(NamesTest, Paths) {
  const std::string here = std::filesystem::current_path().string();
  EXPECT_EQ(display_path(here + "/src/../a.cpp"), "a.cpp");
  EXPECT_EQ(display_path("/x.cpp"), "/x.cpp");
  EXPECT_EQ(display_path("../b/./c.cpp"), "../b/c.cpp");
  EXPECT_EQ(display_path(""), "");
  EXPECT_EQ(base_name("/a/b.cpp"), "b.cpp");
  EXPECT_EQ(base_name("b.cpp"), "b.cpp");
  EXPECT_TRUE(is_system_header("/usr/include/c++/12/mutex"));
  EXPECT_TRUE(is_system_header("/usr/bin/../lib/gcc/x/12/../../../../include/c++/12/mutex"));
  EXPECT_FALSE(is_system_header("/usr/src/mutex.cpp"));
}

TEST(PrintableTest, KeepsTextAndEscapesTheRest) {
  EXPECT_EQ(printable("plain `text'\n"), "plain `text'");
  EXPECT_EQ(printable("a\nb\x1b[31m"), "a\\nb\\x1b[31m");
  EXPECT_EQ(printable("f\xc3\xa4r"), "f\xc3\xa4r");
  EXPECT_EQ(printable("\xc3"), "\\xc3");
  EXPECT_EQ(printable("\xc0\xaf\xed\xa0\x80"), "\\xc0\\xaf\\xed\\xa0\\x80");
  EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b");
  const char unterminated[3] = {'a', 'b', 'c'};
  EXPECT_EQ(printable_field(unterminated), "abc");
}

TEST(PrintableTest, CutsByColumns) {
  EXPECT_EQ(text_width("f\xc3\xa4r"), 3u);
  EXPECT_EQ(cut_to_width("f\xc3\xa4r immer", 6), "f\xc3\xa4r...");
  EXPECT_EQ(cut_to_width("short", 5), "short");
  EXPECT_EQ(cut_to_width("short", 2), "..");
  EXPECT_EQ(cut_to_width("short", 0), "");
}

TEST(NamesTest, WithoutTemplateArguments) {
  EXPECT_EQ(without_template_arguments("Queue<int>::each<...>"), "Queue::each");
  EXPECT_EQ(without_template_arguments("each<add::{lambda#1}, A<(B)1>>"), "each");
  EXPECT_EQ(without_template_arguments("A<int>::operator<<"), "A::operator<<");
  EXPECT_EQ(without_template_arguments("A::operator-><int>"), "A::operator->");
  EXPECT_EQ(without_template_arguments("my_operator<int>"), "my_operator");
  EXPECT_EQ(without_template_arguments("main::{lambda#1}"), "main::{lambda#1}");
  EXPECT_EQ(without_template_arguments("half<int"), "half");
}

TEST(Names, Constructors) {
  EXPECT_TRUE(is_constructor("Recorder::Recorder"));
  EXPECT_TRUE(is_constructor("std::vector<int>::vector"));
  EXPECT_FALSE(is_constructor("Recorder::~Recorder"));
  EXPECT_FALSE(is_constructor("Recorder::record"));
  EXPECT_FALSE(is_constructor("main"));
}

}  // namespace
}  // namespace raddle

// Virtual calls whose object comes from anywhere, pointers to members and to functions: one event
// each, at -O0 and -O2 (tests/weave_test.py).
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

struct Other {
  virtual ~Other() = default;
  virtual int other() { return 1; }
};
struct Shape {
  virtual ~Shape() = default;
  virtual int id() { return 0; }
  virtual int draw(int n) { return n; }
  virtual int undraw(int n) { return -n; }
  virtual std::string text(const char* what) const { return what; }
  int area(int n) { return n; }
};
struct Circle : Shape {
  int draw(int n) override { return 2 * n; }
};
struct Both : Other, Shape {
  int draw(int n) override {
    if (n == 9) throw n;
    return 3 * n;
  }
};
struct Deep : virtual Shape {
  int draw(int n) override { return 4 * n; }
};
namespace {
struct Hidden : Shape {
  int draw(int n) override { return 5 * n; }
};
}  // namespace

int twice(int n) { return 2 * n; }

template <class T>
int draw_it(T& t) {
  return t.draw(1);
}
template <class T>
struct Box {
  T* inner;
  T* operator->() { return inner; }
};
struct Scene {
  std::vector<std::shared_ptr<Shape>> shapes;
  std::map<int, Shape*> by_number;
  Shape* array[2];
  Shape& pick(int n) { return n == 0 ? *array[0] : *array[1]; }
};
Shape* choose(bool first, Shape* x, Shape* y) { return first ? x : y; }

void say(const char* what, int result) { std::printf("%s: %d\n", what, result); }

void virtual_calls(int argc) {
  Circle circle;
  Both both;
  Deep deep;
  Hidden hidden;
  Scene scene{{std::make_shared<Circle>()}, {{1, &circle}}, {&circle, &both}};
  for (auto& shape : scene.shapes) say("shared_ptr", shape->draw(1));
  say("map", scene.by_number[1]->draw(1));
  say("reference", scene.pick(argc).draw(1));
  say("conditional", (argc > 1 ? static_cast<Shape*>(&circle) : &both)->draw(1));
  say("function", choose(argc > 1, &circle, &both)->draw(1));
  say("lambda", [s = static_cast<Shape*>(&circle)] { return s->draw(1); }());
  say("template", draw_it<Shape>(both));
  say("second base", static_cast<Shape*>(&both)->draw(1));
  Deep* d = &deep;
  say("class with a virtual base", d->draw(1));
  say("virtual base", static_cast<Shape*>(d)->draw(1));
  say("box", Box<Shape> { &circle } -> draw(1));
  say("dynamic_cast", dynamic_cast<Shape*>(static_cast<Other*>(&both))->draw(1));
  say("cast", static_cast<Shape*>(static_cast<void*>(&circle))->draw(1));
  Hidden* h = &hidden;
  say("unnamed namespace", h->draw(1));
  std::variant<Circle, Both> variant;
  say("variant", std::visit([](auto& s) { return s.draw(1); }, variant));
  const std::function<int(Shape&)> function = [](Shape& s) { return s.draw(1); };
  say("std::function", function(circle));
}

void pointers_to_members(int argc) {
  Both both;
  Shape& shape = both;
  int (Shape::* members[])(int) = {&Shape::draw, &Shape::undraw, &Shape::area};
  say("pointer to virtual", (shape.*members[0])(2));
  say("another", (shape.*members[1])(2));
  say("not virtual", (shape.*members[argc + 1])(2));
  say("constant", (shape.*(&Shape::draw))(3));
  say("mem_fn", std::mem_fn(&Shape::draw)(shape, 4));
  say("invoke", std::invoke(&Shape::draw, &shape, 5));
  int (Both::*derived)(int) = static_cast<int (Both::*)(int)>(&Shape::undraw);
  say("of a derived class", (both.*derived)(6));
  std::string (Shape::*text)(const char*) const = &Shape::text;
  std::printf("class: %s\n", (shape.*text)("text").c_str());
  try {
    (shape.*members[0])(9);
  } catch (int n) {
    say("thrown", n);
  }
}

void pointers_to_functions(int argc) {
  int (*pointer)(int) = argc > 5 ? nullptr : twice;
  say("pointer", pointer(23));
  auto& reference = twice;
  say("reference", reference(24));
  const std::function<int(int)> function = twice;
  say("std::function", function(25));
  static int (*const table[])(int) = {nullptr, twice};
  say("table", table[argc](26));
  say("bind", std::bind(twice, 27)());
}

int main(int argc, char**) {
  virtual_calls(argc);
  pointers_to_members(argc);
  pointers_to_functions(argc);
}

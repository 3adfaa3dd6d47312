// Calls of every kind; tests/weave_test.py compares what recorder.cpp prints at -O0 and -O2.
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

struct Fork {
  void acquire(int n) { value = n; }
  void acquire(const char*) { value = 0; }
  bool release() {
    if (value == 7) throw std::runtime_error("seven");
    return value > 0;
  }
  std::string text() { return "fork " + std::to_string(value); }
  int value = 0;
};

struct Shape {
  virtual ~Shape() = default;
  virtual int draw(int n) { return n; }
  virtual int draw(const char*) { return 1; }
};
struct Circle : Shape {
  int draw(int n) override {
    if (n == 9) throw 9;
    fork.acquire(n);
    return 3 * n;
  }
  int area() { return 1; }
  int area() const { return 2; }
  Fork fork;
};
struct Dot final : Circle {
  int draw(const char*) override { return 0; }
};

struct Holder {
  std::unique_ptr<Shape> shape = std::make_unique<Circle>();
  Shape* get() { return shape.get(); }
};

double mix(double d, int n, unsigned char c) { return d + n + c; }
int write_to(int n) {
  std::printf("written %d\n", n);
  return n;
}
void counted() { std::puts("counted"); }
void first() {}
void second() {}

struct Plain {
  int use() { return value; }
  int value;
};

struct Engine {
  explicit Engine(int n) : value(n) {}
  ~Engine() { value = 0; }
  int value;
};
struct Car : Engine {
  Car() : Engine(1), second(2) {}
  Engine second;
};

void (*g_table[])() = {second, first};

// Nobody else catches what comes through here.
void passes_through(Fork& fork) { fork.release(); }

int main() {
  Fork fork, other;
  fork.acquire(1);
  fork.release();
  other.acquire("x");
  other.release();
  other.acquire(-7);
  std::vector<int> list;
  list.push_back(1);
  std::puts(fork.text().c_str());
  fork.acquire(7);
  try {
    fork.release();
  } catch (const std::exception& error) {
    std::puts(error.what());
  }
  try {
    passes_through(fork);
  } catch (...) {
    std::puts("passed through");
  }
  std::mutex mutex;
  {
    std::lock_guard<std::mutex> guard(mutex);
  }
  mix(1.5, 2, 250);
  std::printf("%d\n", std::atoi("5"));

  std::puts("-- virtual");
  Holder holder;
  holder.shape->draw(2);
  holder.get()->draw("");
  Circle circle;
  Shape& reference = circle;
  try {
    reference.draw(9);
  } catch (int) {
  }
  Dot dot;
  dot.draw("");
  Shape* deleted = new Dot;
  delete deleted;
  circle.area();
  const_cast<const Circle&>(circle).area();
  first();
  second();

  std::puts("-- pointers");
  void (Fork::*member)(int) = &Fork::acquire;
  (fork.*member)(5);
  void (*function)() = g_table[fork.value % 2];
  function();
  fork.acquire(7);
  try {
    std::invoke(&Fork::release, fork);
  } catch (const std::exception& error) {
    std::puts(error.what());
  }

  std::puts("-- objects without functions");
  for (int i = 0; i < 2; ++i) {
    Plain plain;
    plain.use();
  }
  delete new Plain{1};
  std::vector<Plain>(2).back().use();

  std::puts("-- constructors");
  {
    Car car;
  }
  std::make_unique<Engine>(3);

  std::puts("-- skipped");
  std::printf("%d %d\n", write_to(3), write_to(-3));
  counted();
}

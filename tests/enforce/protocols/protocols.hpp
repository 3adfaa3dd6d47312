// Small classes of the kinds that have protocols.
#pragma once

#include <map>
#include <mutex>
#include <vector>

struct Walker {
  bool more() { return left > 0; }
  int next() { return left--; }
  void advance(int n) { left -= n; }
  void go_to_end() { left = 0; }
  void rewind() { left = 3; }
  int left = 3;
};

struct BagCursor {
  int next() { return at++; }
  int at = 0;
};
struct Bag {
  void add(int n) { size += n; }
  void clear() { size = 0; }
  BagCursor* cursor() { return &cursors[used++ % 4]; }
  void done(BagCursor*) {}
  void each(void (*visit)(Bag&)) { visit(*this); }
  int size = 0;
  int used = 0;
  BagCursor cursors[4];
};

struct Key {
  void set(int n) { value = n; }
  int value = 0;
};
struct ViewCursor {
  int next() { return at++; }
  int at = 0;
};
struct View {
  ViewCursor* cursor() { return &own; }
  int size() { return 1; }
  ViewCursor own;
};
struct Map {
  void put(Key& key, int value) { sum += key.value + value; }
  void erase(Key&) {}
  void clear() { sum = 0; }
  void freeze() {}
  View* keys() { return &view; }
  int sum = 0;
  View view;
};

struct Stream {
  void write(int n) { last = n; }
  int read() { return last; }
  void unget() {}
  void flush() {}
  void close() {}
  int last = 0;
};
struct Document {
  void header() {}
  void body(const char*) {}
  void trailer() {}
  void open_element() {}
  void close_element() {}
};
inline int open_it(const char*) { return 0; }
inline int read_it(int fd) { return fd; }
inline void close_it(int) {}

struct Lock {
  void lock() { held = true; }
  void unlock() { held = false; }
  int level;
  bool held = false;
  explicit Lock(int of) : level(of) {}
};
struct Condition {
  void wait(Lock&) {}
};
struct SharedLock {
  void lock_shared() {}
  void unlock_shared() {}
  void lock() {}
};

struct Engine {
  void configure(int) {}
  void init() {}
  void run() {}
  void stop() {}
};
struct Observer {};
struct Subject {
  void add(Observer&) {}
  void remove(Observer&) {}
  void notify(Observer&) {}
};
struct Widget {
  virtual ~Widget() = default;
  virtual void setup() {}
  virtual void draw() {}
};
struct Button : Widget {
  void setup() override { Widget::setup(); }
  void draw() override {}
};
struct Log {
  void open() {}
  void close() {}
};

struct Handle {
  void use() {}
  int value = 0;
};
struct Pool {
  Handle* take() { return &handle; }
  void give(Handle*) {}
  void close() {}
  Handle handle;
};
inline void redeem(int) {}
struct Arena {
  void mark() {}
  void release() {}
  void make() {}
};
struct Session {
  void begin() {}
  int read() { return 0; }
  void write(int) {}
  void commit() {}
  void rollback() {}
};
struct Client {
  void connect() {}
  void login(const char*) {}
  void query(const char*) {}
  void quit() {}
};
struct Shared {
  void retain() {}
  void release() {}
};

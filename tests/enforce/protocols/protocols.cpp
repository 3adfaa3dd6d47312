// protocols NAME good|bad: uses the classes as the property NAME wants it, or not. The properties
// are in the files beside this one; their handlers end the program (violated.hpp).
#include "protocols.hpp"

#include <cstdio>
#include <cstring>
#include <fstream>

namespace {

struct Case {
  const char* name;
  void (*good)();
  void (*bad)();
};

const Case kCases[] = {
    {"HasNext",
     [] {
       Walker w;
       while (w.more()) w.next();
     },
     [] {
       Walker w;
       w.more();
       w.next();
       w.next();
     }},
    {"UnsafeIterator",
     [] {
       Bag b;
       b.add(1);
       BagCursor* c = b.cursor();
       c->next();
       c->next();
       b.add(2);
     },
     [] {
       Bag b;
       BagCursor* c = b.cursor();
       b.add(1);
       c->next();
     }},
    {"NoUpdateInEach",
     [] {
       Bag b;
       b.each([](Bag&) {});
       b.add(1);
     },
     [] {
       Bag b;
       b.each([](Bag& bag) { bag.add(1); });
     }},
    {"StopAtEnd",
     [] {
       Walker w;
       w.go_to_end();
       w.rewind();
       w.advance(1);
     },
     [] {
       Walker w;
       w.go_to_end();
       w.advance(1);
     }},
    {"ReserveFirst",
     [] {
       std::vector<long> v;
       v.reserve(2);
       v.push_back(1);
       v.push_back(2);
     },
     [] {
       std::vector<long> v;
       v.push_back(1);
     }},
    {"OneCursorAtATime",
     [] {
       Bag b;
       b.done(b.cursor());
       b.done(b.cursor());
     },
     [] {
       Bag b;
       b.cursor();
       b.cursor();
     }},
    {"SmallSteps",
     [] {
       Walker w;
       w.advance(10);
     },
     [] {
       Walker w;
       w.advance(1);
       w.advance(11);
     }},
    {"UnsafeMapIterator",
     [] {
       Map m;
       Key k;
       View* v = m.keys();
       m.put(k, 1);
       ViewCursor* c = v->cursor();
       c->next();
     },
     [] {
       Map m;
       Key k;
       ViewCursor* c = m.keys()->cursor();
       m.put(k, 1);
       c->next();
     }},
    {"ViewAfterClear",
     [] {
       Map m;
       View* v = m.keys();
       v->size();
       m.clear();
     },
     [] {
       Map m;
       View* v = m.keys();
       m.clear();
       v->size();
     }},
    {"KeyStaysTheSame",
     [] {
       Map m;
       Key k;
       m.put(k, 1);
       m.erase(k);
       k.set(2);
     },
     [] {
       Map m;
       Key k;
       m.put(k, 1);
       k.set(2);
     }},
    {"Frozen",
     [] {
       Map m;
       Key k;
       m.put(k, 1);
       m.freeze();
       m.keys();
     },
     [] {
       Map m;
       Key k;
       m.freeze();
       m.put(k, 1);
     }},
    {"NoEraseWhileFinding",
     [] {
       std::map<int, int> m;
       m.find(1);
       m.clear();
     },
     [] {
       std::map<int, int> m;
       m.find(1);
       m.erase(1);
     }},
    {"ClearLast",
     [] {
       std::map<int, int> m;
       m[1] = 2;
       m.clear();
     },
     [] {
       std::map<int, int> m;
       m.clear();
       m[1] = 2;
     }},
    {"UseAfterClose",
     [] {
       Stream s;
       s.write(1);
       s.flush();
       s.close();
     },
     [] {
       Stream s;
       s.close();
       s.read();
     }},
    {"FileOpen",
     [] {
       FILE* f = std::fopen("/dev/null", "w");
       std::fputs("x", f);
       std::fclose(f);
     },
     [] {
       FILE* f = std::fopen("/dev/null", "w");
       std::fclose(f);
       std::fputs("x", f);
     }},
    {"FlushBeforeClose",
     [] {
       Stream s;
       s.write(1);
       s.flush();
       s.close();
     },
     [] {
       Stream s;
       s.flush();
       s.write(1);
       s.close();
     }},
    {"HeaderFirst",
     [] {
       Document d;
       d.header();
       d.body("x");
       d.body("y");
       d.trailer();
     },
     [] {
       Document d;
       d.body("x");
     }},
    {"Descriptor",
     [] {
       int fd = open_it("a");
       read_it(fd);
       close_it(fd);
     },
     [] {
       int fd = open_it("a");
       close_it(fd);
       read_it(fd);
     }},
    {"UngetOnce",
     [] {
       Stream s;
       s.read();
       s.unget();
       s.read();
       s.unget();
     },
     [] {
       Stream s;
       s.read();
       s.unget();
       s.unget();
     }},
    {"Elements",
     [] {
       Document d;
       d.open_element();
       d.open_element();
       d.close_element();
       d.close_element();
     },
     [] {
       Document d;
       d.open_element();
       d.close_element();
       d.close_element();
     }},
    {"LockOrder",
     [] {
       Lock a{1}, b{2};
       a.lock();
       b.lock();
       b.unlock();
       a.unlock();
       a.lock();
       a.unlock();
     },
     [] {
       Lock a{1}, b{2};
       b.lock();
       a.lock();
     }},
    {"Balanced",
     [] {
       Lock a{1}, b{2};
       a.lock();
       b.lock();
       b.unlock();
       a.unlock();
     },
     [] {
       Lock a{1};
       a.lock();
       a.unlock();
       a.unlock();
     }},
    {"NoDoubleLock",
     [] {
       Lock a{1};
       a.lock();
       a.unlock();
       a.lock();
       a.unlock();
     },
     [] {
       Lock a{1};
       a.lock();
       a.lock();
     }},
    {"WaitLocked",
     [] {
       Lock a{1};
       Condition c;
       a.lock();
       c.wait(a);
       a.unlock();
     },
     [] {
       Lock a{1};
       Condition c;
       a.lock();
       a.unlock();
       c.wait(a);
     }},
    {"MutexUnlocked",
     [] {
       std::mutex m;
       m.lock();
       m.unlock();
     },
     [] {
       std::mutex m;
       m.lock();
       m.unlock();
       m.unlock();
     }},
    {"Upgrade",
     [] {
       SharedLock s;
       s.lock_shared();
       s.unlock_shared();
       s.lock();
     },
     [] {
       SharedLock s;
       s.lock_shared();
       s.lock();
     }},
    {"InitFirst",
     [] {
       Engine e;
       e.init();
       e.run();
     },
     [] {
       Engine e;
       e.run();
     }},
    {"InitOnce",
     [] {
       Engine e;
       e.init();
       Engine f;
       f.init();
     },
     [] {
       Engine e;
       e.init();
       e.init();
     }},
    {"ConfigureBeforeInit",
     [] {
       Engine e;
       e.configure(1);
       e.init();
       e.run();
     },
     [] {
       Engine e;
       e.init();
       e.configure(1);
     }},
    {"NoUseAfterStop",
     [] {
       Engine e;
       e.init();
       e.run();
       e.stop();
     },
     [] {
       Engine e;
       e.init();
       e.stop();
       e.run();
     }},
    {"Observed",
     [] {
       Subject s;
       Observer a, b;
       s.add(a);
       s.notify(a);
       s.add(b);
       s.remove(a);
       s.notify(b);
     },
     [] {
       Subject s;
       Observer a, b;
       s.add(a);
       s.add(b);
       s.remove(a);
       s.notify(a);
     }},
    {"Super",
     [] {
       Button b;
       Widget& w = b;
       w.setup();
       w.draw();
     },
     [] {
       Button b;
       Widget& w = b;
       w.draw();
     }},
    {"LogClosed",
     [] {
       Log log;
       log.open();
       log.close();
     },
     [] {
       Log log;
       log.open();
     }},
    {"GiveOnce",
     [] {
       Pool p;
       Handle* h = p.take();
       p.give(h);
       h = p.take();
       p.give(h);
     },
     [] {
       Pool p;
       Handle* h = p.take();
       p.give(h);
       p.give(h);
     }},
    {"NoUseAfterGive",
     [] {
       Pool p;
       Handle* h = p.take();
       h->use();
       p.give(h);
     },
     [] {
       Pool p;
       Handle* h = p.take();
       p.give(h);
       h->use();
     }},
    {"GiveBeforeClose",
     [] {
       Pool p;
       p.give(p.take());
       p.close();
     },
     [] {
       Pool p;
       p.take();
       p.close();
     }},
    {"RedeemOnce",
     [] {
       redeem(1);
       redeem(2);
       redeem(-1);
     },
     [] {
       redeem(-1);
       redeem(2);
       redeem(-1);
     }},
    {"Marks",
     [] {
       Arena a;
       a.make();
       a.mark();
       a.make();
       a.mark();
       a.release();
       a.release();
     },
     [] {
       Arena a;
       a.mark();
       a.release();
       a.make();
       a.release();
     }},
    {"Transactions",
     [] {
       Session s;
       s.begin();
       s.read();
       s.write(1);
       s.commit();
       s.begin();
       s.rollback();
     },
     [] {
       Session s;
       s.begin();
       s.commit();
       s.write(1);
     }},
    {"Connection",
     [] {
       Client c;
       c.connect();
       c.login("x");
       c.query("y");
       c.quit();
     },
     [] {
       Client c;
       c.connect();
       c.query("y");
     }},
    {"References",
     [] {
       Shared s;
       s.retain();
       s.release();
       s.release();
     },
     [] {
       Shared s;
       s.release();
       s.release();
     }},
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    for (const Case& one : kCases) std::puts(one.name);
    return 0;
  }
  for (const Case& one : kCases) {
    if (std::strcmp(one.name, argv[1]) != 0) continue;
    (std::strcmp(argv[2], "good") == 0 ? one.good : one.bad)();
    return 0;
  }
  return 2;
}

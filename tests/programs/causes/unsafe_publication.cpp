// The pointer is published before what it points to is filled in.
// cause: unsafe-publication
// object: Settings::port
// also: -O0
#include <atomic>
#include <cassert>
#include <thread>

struct Settings {
  int port = 0;
  int backlog = 0;
};

std::atomic<Settings*> settings{nullptr};

void load() {
  auto* fresh = new Settings;
#ifdef FIXED
  fresh->port = 8080;
  fresh->backlog = 16;
  settings.store(fresh);
#else
  settings.store(fresh);  // [first]
  fresh->port = 8080;
  fresh->backlog = 16;
#endif
}

int main() {
  std::thread loader(load);
  if (const Settings* now = settings.load()) {
    assert(now->port == 8080);  // [last]
  }
  loader.join();
  delete settings.load();
}

// The thread that would have set the pointer has not begun when the other one uses it: the failing
// execution alone does not show who is missing.
#include <thread>

struct Config {
  int port;
};
Config* config;

void set_up() { config = new Config{8080}; }
int serve() { return config->port; }

int main() {
  int port = 0;
  std::thread first([] { set_up(); });
  std::thread second([&] { port = serve(); });
  first.join();
  second.join();
  delete config;
  return port == 8080 ? 0 : 1;
}

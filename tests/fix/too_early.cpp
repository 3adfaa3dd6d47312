// A service is started before it is configured.
#include <assert.h>
#include <pthread.h>

class Service {
 public:
  void configure() { port_ = 80; }
  void serve() const { assert(port_ == 80); }

 private:
  int port_ = 0;
};

static Service service;

static void* run(void*) {
  service.serve();
  return nullptr;
}

int main() {
  pthread_t thread;
  pthread_create(&thread, nullptr, run, nullptr);
  service.configure();
  pthread_join(thread, nullptr);
}

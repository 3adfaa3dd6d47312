// expect: assertion | passed
// message: script
// A thread whose name, and a program whose output and whose condition, mean something to browsers
// and terminals.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <mutex>
#include <thread>

static std::mutex mutex;
static const char* last = "</script><b>";

static void write_to(const char* name) {
  pthread_setname_np(pthread_self(), name);
  std::lock_guard<std::mutex> guard(mutex);
  last = name;
}

int main() {
  std::thread first(write_to, "</script><b>\"'");
  std::thread second(write_to, "&lt;\u202eRTL");
  first.join();
  second.join();
  printf(
      "</script><script>document.title = 'taken over'</script> \"quoted\" \x1b[31m \u202e last\n");
  fflush(stdout);
  assert(strcmp(last, "</script><b>\"'") != 0);  // fails here
  return 0;
}

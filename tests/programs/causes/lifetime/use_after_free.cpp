// The server drops a session while its worker still counts on it.
// cause: use-after-free
// object: Session
#include <atomic>
#include <cassert>
#include <thread>

struct Session {
  int id = 7;
  int bytes = 0;
  ~Session() { id = -1; }
};

void receive(Session* session) {
  session->bytes += 128;  // [last]
  assert(session->id == 7);
}

int main() {
  auto* session = new Session;
  std::thread worker(receive, session);
#ifdef FIXED
  worker.join();
  delete session;
#else
  delete session;  // [first]
  worker.join();
#endif
}

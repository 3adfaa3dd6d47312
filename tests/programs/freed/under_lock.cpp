// Each access holds the lock, but the pointer is from an earlier time: the session is gone.
#include <mutex>
#include <thread>

struct Session {
  int requests = 0;
  char user[40] = "";
};

std::mutex mutex;
Session* session = new Session;

void serve() {
#ifdef FIXED
  const std::lock_guard<std::mutex> lock(mutex);
  if (session != nullptr) ++session->requests;
#else
  Session* found = nullptr;
  {
    const std::lock_guard<std::mutex> lock(mutex);
    found = session;
  }
  const std::lock_guard<std::mutex> lock(mutex);
  if (found != nullptr) ++found->requests;
#endif
}

void log_out() {
  const std::lock_guard<std::mutex> lock(mutex);
  delete session;
  session = nullptr;
}

int main() {
  std::thread server(serve);
  std::thread closer(log_out);
  server.join();
  closer.join();
}

// library: cpp-httplib
// package: libcpp-httplib-dev
// pkg-config: cpp-httplib
// Two threads share one client, which keeps its connection: its requests go one after another.
#include <httplib.h>

#include <cassert>
#include <mutex>
#include <set>
#include <string>
#include <thread>

int main() {
  httplib::Server server;
  std::mutex mutex;
  std::set<std::string> bodies;
  server.set_tcp_nodelay(true);  // or the answers wait for the kernel's delayed acknowledgements
  server.new_task_queue = [] { return new httplib::ThreadPool(2); };
  server.Post("/put", [&](const httplib::Request& request, httplib::Response& response) {
    std::lock_guard<std::mutex> hold(mutex);
    bodies.insert(request.body);
    response.set_content("ok", "text/plain");
  });
  const int port = server.bind_to_any_port("127.0.0.1");
  std::thread serving([&] { assert(server.listen_after_bind()); });
  {
    httplib::Client client("127.0.0.1", port);
    client.set_keep_alive(true);
    client.set_tcp_nodelay(true);
    const auto put = [&](const char* name) {
      for (int i = 0; i < 2; ++i) {
        const httplib::Result result = client.Post("/put", name + std::to_string(i), "text/plain");
        assert(result && result->body == "ok");
      }
    };
    std::thread one(put, "a"), two(put, "b");
    one.join();
    two.join();
  }
  server.stop();
  serving.join();
  assert((bodies == std::set<std::string>{"a0", "a1", "b0", "b1"}));
}

// library: cpp-httplib
// package: libcpp-httplib-dev
// pkg-config: cpp-httplib
// A server with its pool of workers, and two clients on loopback.
#include <httplib.h>

#include <atomic>
#include <cassert>
#include <string>
#include <thread>

int main() {
  httplib::Server server;
  std::atomic<int> served{0};
  server.new_task_queue = [] { return new httplib::ThreadPool(2); };
  server.Get("/twice", [&](const httplib::Request& request, httplib::Response& response) {
    ++served;
    response.set_content(std::to_string(2 * std::stoi(request.get_param_value("of"))),
                         "text/plain");
  });
  const int port = server.bind_to_any_port("127.0.0.1");
  assert(port > 0);
  std::thread serving([&] { assert(server.listen_after_bind()); });

  const auto ask = [port](int number) {
    httplib::Client client("127.0.0.1", port);
    const httplib::Result result = client.Get("/twice?of=" + std::to_string(number));
    assert(result && result->status == 200);
    assert(result->body == std::to_string(2 * number));
  };
  std::thread one(ask, 4), two(ask, 21);
  one.join();
  two.join();
  server.stop();
  serving.join();
  assert(served == 2);
}

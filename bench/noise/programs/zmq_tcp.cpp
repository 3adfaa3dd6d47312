// library: ZeroMQ
// package: libzmq3-dev
// link: -lzmq
// Two clients ask a server on loopback; the library's own threads move the messages.
#include <zmq.h>

#include <cassert>
#include <cstring>
#include <string>
#include <thread>

int main() {
  void* context = zmq_ctx_new();
  void* server = zmq_socket(context, ZMQ_REP);
  assert(zmq_bind(server, "tcp://127.0.0.1:*") == 0);
  char endpoint[64];
  std::size_t size = sizeof endpoint;
  assert(zmq_getsockopt(server, ZMQ_LAST_ENDPOINT, endpoint, &size) == 0);

  const auto ask = [&](const std::string& name) {
    void* client = zmq_socket(context, ZMQ_REQ);
    assert(zmq_connect(client, endpoint) == 0);
    assert(zmq_send(client, name.data(), name.size(), 0) == static_cast<int>(name.size()));
    char reply[16];
    const int length = zmq_recv(client, reply, sizeof reply, 0);
    assert(length > 0 && std::string(reply, length) == "hello " + name);
    zmq_close(client);
  };
  std::thread one(ask, "one"), two(ask, "two");
  for (int i = 0; i < 2; ++i) {
    char name[16];
    const int length = zmq_recv(server, name, sizeof name, 0);
    assert(length == 3);
    const std::string reply = "hello " + std::string(name, length);
    assert(zmq_send(server, reply.data(), reply.size(), 0) == static_cast<int>(reply.size()));
  }
  one.join();
  two.join();
  zmq_close(server);
  assert(zmq_ctx_term(context) == 0);
}

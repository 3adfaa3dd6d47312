// library: ZeroMQ
// package: libzmq3-dev
// link: -lzmq
// Two workers get numbers and return squares, until the context is shut down.
#include <zmq.h>

#include <cassert>
#include <thread>

int main() {
  void* context = zmq_ctx_new();
  void* tasks = zmq_socket(context, ZMQ_PUSH);
  void* results = zmq_socket(context, ZMQ_PULL);
  assert(zmq_bind(tasks, "inproc://tasks") == 0);
  assert(zmq_bind(results, "inproc://results") == 0);

  const auto work = [context] {
    void* in = zmq_socket(context, ZMQ_PULL);
    void* out = zmq_socket(context, ZMQ_PUSH);
    if (in != nullptr && out != nullptr && zmq_connect(in, "inproc://tasks") == 0 &&
        zmq_connect(out, "inproc://results") == 0) {
      int number = 0;
      while (zmq_recv(in, &number, sizeof number, 0) == sizeof number) {
        number *= number;
        assert(zmq_send(out, &number, sizeof number, 0) == sizeof number);
      }
    }
    assert(zmq_errno() == ETERM);  // the context was shut down, perhaps before this thread began
    if (in != nullptr) zmq_close(in);
    if (out != nullptr) zmq_close(out);
  };
  std::thread one(work), two(work);
  int sum = 0;
  for (int i = 1; i <= 4; ++i) assert(zmq_send(tasks, &i, sizeof i, 0) == sizeof i);
  for (int i = 1; i <= 4; ++i) {
    int square = 0;
    assert(zmq_recv(results, &square, sizeof square, 0) == sizeof square);
    sum += square;
  }
  assert(zmq_ctx_shutdown(context) == 0);
  one.join();
  two.join();
  assert(sum == 30);
  zmq_close(tasks);
  zmq_close(results);
  assert(zmq_ctx_term(context) == 0);
}

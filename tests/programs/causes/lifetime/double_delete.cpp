// Two threads close one connection: both read the pointer before one of them clears it.
// cause: double-free
// object: the memory of connection.buffer
// says: had read connection.buffer
#include <atomic>
#include <thread>

struct Buffer {
  char data[64];
};

struct Connection {
  std::atomic<Buffer*> buffer{new Buffer};

  void close() {
#ifdef FIXED
    delete buffer.exchange(nullptr);
#else
    if (Buffer* open = buffer.load()) {
      delete open;  // [first] [last]
      buffer.store(nullptr);
    }
#endif
  }
} connection;

int main() {
  std::thread peer([] { connection.close(); });
  connection.close();
  peer.join();
}

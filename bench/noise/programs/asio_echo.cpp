// library: Boost.Asio
// package: libboost-dev
// headers only
// A server that echoes asynchronously on a thread of its own, and two clients on loopback.
#include <array>
#include <boost/asio.hpp>
#include <cassert>
#include <memory>
#include <string>
#include <thread>

namespace asio = boost::asio;
using asio::ip::tcp;

struct Session : std::enable_shared_from_this<Session> {
  explicit Session(tcp::socket accepted) : socket(std::move(accepted)) {}
  void read() {
    socket.async_read_some(asio::buffer(bytes),
                           [self = shared_from_this()](auto error, std::size_t size) {
                             if (!error) self->write(size);
                           });
  }
  void write(std::size_t size) {
    asio::async_write(socket, asio::buffer(bytes.data(), size),
                      [self = shared_from_this()](auto error, std::size_t) {
                        if (!error) self->read();
                      });
  }
  tcp::socket socket;
  std::array<char, 64> bytes;
};

struct Server {
  explicit Server(asio::io_context& context)
      : acceptor(context, tcp::endpoint(asio::ip::address_v4::loopback(), 0)) {}
  void accept(int left) {
    if (left == 0) return;
    acceptor.async_accept([this, left](auto error, tcp::socket socket) {
      assert(!error);
      std::make_shared<Session>(std::move(socket))->read();
      accept(left - 1);
    });
  }
  tcp::acceptor acceptor;
};

void client(tcp::endpoint server, const std::string& text) {
  asio::io_context context;
  tcp::socket socket(context);
  socket.connect(server);
  asio::write(socket, asio::buffer(text));
  std::string reply(text.size(), ' ');
  asio::read(socket, asio::buffer(reply));
  assert(reply == text);
}

int main() {
  asio::io_context context;
  Server server(context);
  server.accept(2);
  const tcp::endpoint endpoint = server.acceptor.local_endpoint();
  std::thread serving([&] { context.run(); });  // returns after both clients have gone
  std::thread one(client, endpoint, "one");
  std::thread two(client, endpoint, "the other");
  one.join();
  two.join();
  serving.join();
}

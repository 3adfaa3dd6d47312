#include "host/cli/running/debugger_socket.hpp"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "host/cli/terminal/terminal.hpp"

namespace raddle {
namespace {

Result<UniqueFd> listen_on(const addrinfo& place) {
  UniqueFd socket(::socket(place.ai_family, place.ai_socktype | SOCK_CLOEXEC, place.ai_protocol));
  const int on = 1;
  if (!socket || setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
      bind(socket.get(), place.ai_addr, place.ai_addrlen) != 0 || listen(socket.get(), 1) != 0)
    return Error{std::strerror(errno)};
  return socket;
}

}  // namespace

Result<UniqueFd> accept_debugger(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  const std::string host = address.substr(0, colon);
  const std::string port = address.substr(colon + 1);
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int failed = getaddrinfo(host.c_str(), port.c_str(), &hints, &found);
  if (failed != 0)
    return Error{fmt::format("cannot listen on {}: {}", address, gai_strerror(failed))};
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> places(found, freeaddrinfo);
  Result<UniqueFd> socket = listen_on(*places);
  if (!socket) return Error{fmt::format("cannot listen on {}: {}", address, socket.error())};
  error_line(fmt::format("waiting for a debugger: target remote {}", address));
  UniqueFd connection(accept4(socket->get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!connection) return Error{fmt::format("nobody connected: {}", std::strerror(errno))};
  const int on = 1;
  setsockopt(connection.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);  // packets are small
  return connection;
}

}  // namespace raddle

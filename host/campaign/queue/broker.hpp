// A connection to a NATS server with JetStream, as the queue uses it. The only place that sees
// libnats. A Broker is used by one thread, but for alive(), which others may call.
//
// On the server are, for all suites:
//   stream RADDLE_ITEMS    raddle.items.TOKEN         work queue: a message is an item
//   stream RADDLE_RESULTS  raddle.results.TOKEN       work queue: a message is a result
//   stream RADDLE_BUNDLES  raddle.bundles.HASH.N      chunks of files, the last of each subject
//   bucket RADDLE          campaign                   what a worker has to know of the suite
// All are on disk. TOKEN tells suites apart. What workers say of themselves goes to
// raddle.alive.NAME and is kept nowhere.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "host/base/result.hpp"

namespace raddle {

struct BrokerOptions {
  std::string url;          // nats://[USER:PASSWORD@]HOST[:PORT], tls://...
  std::string credentials;  // file of a user with a key (.creds); empty: none
  std::string ca;           // file: who signs the server's certificate; empty: the system's
  std::string certificate;  // file of ours, with `key`; empty: none
  std::string key;
  std::string name;  // of this client
};

// A message that has to be acknowledged.
class Delivery {
 public:
  struct Message;
  explicit Delivery(std::unique_ptr<Message> message);
  ~Delivery();
  Delivery(Delivery&&) noexcept;
  Delivery& operator=(Delivery&&) noexcept;

  std::string subject() const;
  std::string bytes() const;
  std::uint64_t times() const;  // that it was delivered, this one included
  bool acknowledge();           // false: the server does not know of it
  void still_working();
  void give_back();

 private:
  std::unique_ptr<Message> message_;
};

class Broker {
 public:
  // Connects, and makes sure that there is JetStream. The errors are one line each: no broker, one
  // without JetStream, wrong credentials, a broker elsewhere that takes anybody.
  static Result<std::unique_ptr<Broker>> connect(const BrokerOptions& options);
  ~Broker();
  Broker(const Broker&) = delete;
  Broker& operator=(const Broker&) = delete;

  // Streams and bucket, as they are needed; called by the coordinator, again after each
  // reconnection. `redelivery`: how long a worker may be silent about an item.
  Result<std::monostate> make_streams(std::chrono::milliseconds redelivery);
  Result<std::monostate> purge_items();

  // Waits until the server has it on its disk, or for 5 s. `id`: the server drops a second one with
  // the same within two minutes.
  bool publish(const std::string& subject, const std::string& bytes, const std::string& id);
  enum class From { kItems, kResults };
  // Up to `most` messages; none if none came in time.
  std::vector<Delivery> fetch(From from, std::size_t most, std::chrono::milliseconds patience);
  // The messages that a stream holds; nothing if the server does not answer.
  std::optional<std::uint64_t> waiting(From from);

  std::optional<std::string> last_message(const std::string& subject);  // of the bundles
  bool put(const std::string& key, const std::string& value);
  std::optional<std::string> get(const std::string& key);

  void alive(const std::string& name, const std::string& text);
  void listen(std::function<void(const std::string& name, const std::string& text)> hear);

  std::uint64_t reconnections() const;
  bool is_closed() const;

 private:
  struct State;
  explicit Broker(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Whether a URL names this machine and nothing else.
bool is_loopback(const std::string& url);

}  // namespace raddle

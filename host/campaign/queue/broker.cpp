#include "host/campaign/queue/broker.hpp"

#include <fmt/format.h>
#include <nats/nats.h>

#include <atomic>
#include <mutex>

namespace raddle {
namespace {

constexpr const char* kStreams[] = {"RADDLE_ITEMS", "RADDLE_RESULTS", "RADDLE_BUNDLES"};
constexpr const char* kSubjects[] = {"raddle.items.*", "raddle.results.*", "raddle.bundles.>"};
constexpr const char* kConsumers[] = {"workers", "coordinator"};
constexpr const char* kBucket = "RADDLE";
constexpr std::int64_t kMostBytes = 4LL << 30;  // of a stream; then publishing waits
constexpr std::int64_t kWaitMilliseconds = 5000;
constexpr std::int64_t kNano = 1'000'000;  // in a millisecond

// The part of a URL between "//", "USER@" and ":PORT".
std::string host_of(const std::string& url) {
  std::size_t begin = url.find("//");
  begin = begin == std::string::npos ? 0 : begin + 2;
  std::string rest = url.substr(begin, url.find('/', begin) - begin);
  if (const std::size_t at = rest.rfind('@'); at != std::string::npos) rest = rest.substr(at + 1);
  if (!rest.empty() && rest.front() == '[') return rest.substr(1, rest.find(']') - 1);
  return rest.substr(0, rest.rfind(':'));
}

bool has_user(const std::string& url) {
  const std::size_t begin = url.find("//");
  return url.find('@', begin == std::string::npos ? 0 : begin) != std::string::npos;
}

// Passwords do not belong into messages.
std::string without_user(const std::string& url) {
  const std::size_t at = url.rfind('@');
  if (at == std::string::npos) return url;
  const std::size_t begin = url.find("//");
  return url.substr(0, begin == std::string::npos ? 0 : begin + 2) + url.substr(at + 1);
}

struct OptionsOwner {
  natsOptions* options = nullptr;
  OptionsOwner() { natsOptions_Create(&options); }
  ~OptionsOwner() { natsOptions_Destroy(options); }
  OptionsOwner(const OptionsOwner&) = delete;
  OptionsOwner& operator=(const OptionsOwner&) = delete;
};

bool is_secure(const BrokerOptions& options) {
  return options.url.starts_with("tls://") || !options.ca.empty() || !options.certificate.empty();
}

natsStatus set_options(natsOptions* use, const BrokerOptions& options, bool anybody) {
  const std::string url = anybody ? without_user(options.url) : options.url;
  natsStatus s = natsOptions_SetURL(use, url.c_str());
  if (s == NATS_OK) s = natsOptions_SetName(use, options.name.c_str());
  if (s == NATS_OK) s = natsOptions_SetTimeout(use, kWaitMilliseconds);
  if (s == NATS_OK && !anybody && !options.credentials.empty())
    s = natsOptions_SetUserCredentialsFromFiles(use, options.credentials.c_str(), nullptr);
  const bool secure = is_secure(options);
  if (s == NATS_OK && secure) s = natsOptions_SetSecure(use, true);
  // Not checked otherwise: anybody with a certificate of the same CA could be the broker.
  if (s == NATS_OK && secure)
    s = natsOptions_SetExpectedHostname(use, host_of(options.url).c_str());
  if (s == NATS_OK && !options.ca.empty())
    s = natsOptions_LoadCATrustedCertificates(use, options.ca.c_str());
  if (s == NATS_OK && !anybody && !options.certificate.empty())
    s = natsOptions_LoadCertificatesChain(use, options.certificate.c_str(), options.key.c_str());
  return s;
}

}  // namespace

bool is_loopback(const std::string& url) {
  const std::string host = host_of(url);
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

struct Delivery::Message {
  natsMsg* msg = nullptr;
  ~Message() { natsMsg_Destroy(msg); }
};

Delivery::Delivery(std::unique_ptr<Message> message) : message_(std::move(message)) {}
Delivery::~Delivery() = default;
Delivery::Delivery(Delivery&&) noexcept = default;
Delivery& Delivery::operator=(Delivery&&) noexcept = default;

std::string Delivery::subject() const { return natsMsg_GetSubject(message_->msg); }
std::string Delivery::bytes() const {
  return {natsMsg_GetData(message_->msg),
          static_cast<std::size_t>(natsMsg_GetDataLength(message_->msg))};
}
std::uint64_t Delivery::times() const {
  jsMsgMetaData* meta = nullptr;
  if (natsMsg_GetMetaData(&meta, message_->msg) != NATS_OK) return 1;
  const std::uint64_t times = meta->NumDelivered;
  jsMsgMetaData_Destroy(meta);
  return times;
}
bool Delivery::acknowledge() { return natsMsg_Ack(message_->msg, nullptr) == NATS_OK; }
void Delivery::still_working() { natsMsg_InProgress(message_->msg, nullptr); }
void Delivery::give_back() { natsMsg_Nak(message_->msg, nullptr); }

struct Broker::State {
  natsConnection* connection = nullptr;
  jsCtx* js = nullptr;
  natsSubscription* pulls[2] = {};
  natsSubscription* listening = nullptr;
  kvStore* bucket = nullptr;
  std::string url;
  std::atomic<std::uint64_t> reconnections{0};
  std::mutex mutex;  // of `hear`
  std::function<void(const std::string&, const std::string&)> hear;

  ~State() {
    for (natsSubscription* pull : pulls) natsSubscription_Destroy(pull);
    natsSubscription_Destroy(listening);
    kvStore_Destroy(bucket);
    jsCtx_Destroy(js);
    natsConnection_Destroy(connection);
  }

  std::string why(natsStatus status, jsErrCode code = static_cast<jsErrCode>(0)) const {
    const char* last = nats_GetLastError(nullptr);
    std::string_view text = last != nullptr && *last != 0 ? last : natsStatus_GetText(status);
    // "(comsock.c:536): " is of the library's sources.
    if (const std::size_t end = text.find("): "); text.starts_with('(') && end != text.npos)
      text.remove_prefix(end + 3);
    return fmt::format("{}{}", text, code != 0 ? fmt::format(" ({})", static_cast<int>(code)) : "");
  }

  static void on_reconnected(natsConnection*, void* closure) {
    ++static_cast<State*>(closure)->reconnections;
  }

  static void on_alive(natsConnection*, natsSubscription*, natsMsg* msg, void* closure) {
    auto* state = static_cast<State*>(closure);
    const std::string subject = natsMsg_GetSubject(msg);
    const std::string text(natsMsg_GetData(msg),
                           static_cast<std::size_t>(natsMsg_GetDataLength(msg)));
    natsMsg_Destroy(msg);
    const std::lock_guard lock(state->mutex);
    constexpr std::size_t kPrefix = std::string_view("raddle.alive.").size();
    if (state->hear && subject.size() > kPrefix) state->hear(subject.substr(kPrefix), text);
  }

  bool pull(From from) {
    natsSubscription*& use = pulls[static_cast<int>(from)];
    if (use != nullptr) return true;
    jsSubOptions bind;
    jsSubOptions_Init(&bind);
    bind.Stream = kStreams[static_cast<int>(from)];
    bind.Consumer = kConsumers[static_cast<int>(from)];
    bind.ManualAck = true;
    return js_PullSubscribe(&use, js, kSubjects[static_cast<int>(from)],
                            kConsumers[static_cast<int>(from)], nullptr, &bind, nullptr) == NATS_OK;
  }

  bool open_bucket() { return bucket != nullptr || js_KeyValue(&bucket, js, kBucket) == NATS_OK; }
};

Broker::Broker(std::unique_ptr<State> state) : state_(std::move(state)) {}
Broker::~Broker() = default;

Result<std::unique_ptr<Broker>> Broker::connect(const BrokerOptions& options) {
  const std::string shown = without_user(options.url);
  const bool local = is_loopback(options.url);
  if (!local && !has_user(options.url) && options.credentials.empty() &&
      options.certificate.empty()) {
    return Error{
        fmt::format("{}: a broker on another machine needs credentials, since whoever may "
                    "write to it has workers run programs; give --credentials, "
                    "--certificate, or USER:PASSWORD in the address",
                    shown)};
  }
  auto state = std::make_unique<State>();
  state->url = shown;
  OptionsOwner owner;
  natsStatus s = set_options(owner.options, options, false);
  natsOptions_SetMaxReconnect(owner.options, -1);
  natsOptions_SetReconnectWait(owner.options, 250);
  natsOptions_SetPingInterval(owner.options, 2000);
  natsOptions_SetMaxPingsOut(owner.options, 2);
  natsOptions_SetReconnectedCB(owner.options, State::on_reconnected, state.get());
  if (s == NATS_OK) s = natsConnection_Connect(&state->connection, owner.options);
  if (s == NATS_CONNECTION_AUTH_FAILED)
    return Error{fmt::format("{} does not accept these credentials", shown)};
  // A broker that does not like our certificate hangs up, which shows at whatever we do next.
  const bool answers = s != NATS_OK && s != NATS_NO_SERVER && s != NATS_TIMEOUT;
  if (answers && is_secure(options)) {
    return Error{
        fmt::format("{}: no TLS with this broker, whose certificate has to be signed by --ca for "
                    "this host, and which may want --certificate and --key of ours: {}",
                    shown, state->why(s))};
  }
  if (s != NATS_OK) {
    return Error{
        fmt::format("no broker at {}: {}; start one with `nats-server -js', or name "
                    "another",
                    shown, state->why(s))};
  }
  if (!local) {
    // Credentials that nobody asks for protect nothing.
    OptionsOwner anybody;
    natsConnection* open = nullptr;
    const natsStatus without = set_options(anybody.options, options, true);
    const bool takes_anybody =
        without == NATS_OK && natsConnection_Connect(&open, anybody.options) == NATS_OK;
    natsConnection_Destroy(open);
    if (takes_anybody)
      return Error{
          fmt::format("{} takes anybody without credentials, and is not on this machine; "
                      "give it an `authorization' section",
                      shown)};
  }
  jsOptions waiting;
  jsOptions_Init(&waiting);
  waiting.Wait = kWaitMilliseconds;
  s = natsConnection_JetStream(&state->js, state->connection, &waiting);
  jsAccountInfo* account = nullptr;
  jsErrCode code{};
  if (s == NATS_OK) s = js_GetAccountInfo(&account, state->js, nullptr, &code);
  jsAccountInfo_Destroy(account);
  if (s != NATS_OK)
    return Error{
        fmt::format("{} has no JetStream: start it with `nats-server -js -sd FOLDER'", shown)};
  return std::unique_ptr<Broker>(new Broker(std::move(state)));
}

Result<std::monostate> Broker::make_streams(std::chrono::milliseconds redelivery) {
  for (int i = 0; i < 3; ++i) {
    jsStreamConfig config;
    jsStreamConfig_Init(&config);
    config.Name = kStreams[i];
    config.Subjects = const_cast<const char**>(&kSubjects[i]);
    config.SubjectsLen = 1;
    config.Storage = js_FileStorage;
    config.Retention = i == 2 ? js_LimitsPolicy : js_WorkQueuePolicy;
    config.Discard = js_DiscardNew;
    config.MaxBytes = kMostBytes;
    if (i == 2) config.MaxMsgsPerSubject = 1, config.Discard = js_DiscardOld;
    jsErrCode code{};
    const natsStatus s = js_AddStream(nullptr, state_->js, &config, nullptr, &code);
    if (s != NATS_OK && code != JSStreamNameExistErr) {
      return Error{fmt::format("{}: cannot make the stream {}: {}", state_->url, kStreams[i],
                               state_->why(s, code))};
    }
  }
  for (int i = 0; i < 2; ++i) {
    jsConsumerConfig config;
    jsConsumerConfig_Init(&config);
    config.Durable = kConsumers[i];
    config.AckPolicy = js_AckExplicit;
    config.AckWait = redelivery.count() * kNano;
    config.MaxAckPending = 65536;
    config.MaxWaiting = 4096;
    config.FilterSubject = kSubjects[i];
    jsErrCode code{};
    jsConsumerInfo* info = nullptr;
    natsStatus s = js_AddConsumer(&info, state_->js, kStreams[i], &config, nullptr, &code);
    jsConsumerInfo_Destroy(info);
    if (s != NATS_OK)
      s = js_UpdateConsumer(nullptr, state_->js, kStreams[i], &config, nullptr, &code);
    if (s != NATS_OK)
      return Error{fmt::format("{}: cannot make the consumer {}: {}", state_->url, kConsumers[i],
                               state_->why(s, code))};
  }
  if (!state_->open_bucket()) {
    kvConfig config;
    kvConfig_Init(&config);
    config.Bucket = kBucket;
    config.StorageType = js_FileStorage;
    const natsStatus s = js_CreateKeyValue(&state_->bucket, state_->js, &config);
    if (s != NATS_OK)
      return Error{
          fmt::format("{}: cannot make the bucket {}: {}", state_->url, kBucket, state_->why(s))};
  }
  return std::monostate{};
}

Result<std::monostate> Broker::purge_items() {
  jsErrCode code{};
  const natsStatus s = js_PurgeStream(state_->js, kStreams[0], nullptr, &code);
  if (s != NATS_OK) return Error{fmt::format("{}: {}", state_->url, state_->why(s, code))};
  return std::monostate{};
}

bool Broker::publish(const std::string& subject, const std::string& bytes, const std::string& id) {
  jsPubOptions options;
  jsPubOptions_Init(&options);
  options.MaxWait = kWaitMilliseconds;
  if (!id.empty()) options.MsgId = id.c_str();
  return js_Publish(nullptr, state_->js, subject.c_str(), bytes.data(),
                    static_cast<int>(bytes.size()), &options, nullptr) == NATS_OK;
}

std::vector<Delivery> Broker::fetch(From from, std::size_t most,
                                    std::chrono::milliseconds patience) {
  std::vector<Delivery> result;
  if (!state_->pull(from)) {
    nats_Sleep(std::min<std::int64_t>(patience.count(), 200));
    return result;
  }
  natsMsgList list{};
  const natsStatus s = natsSubscription_Fetch(&list, state_->pulls[static_cast<int>(from)],
                                              static_cast<int>(most), patience.count(), nullptr);
  if (s == NATS_OK) {
    for (int i = 0; i < list.Count; ++i) {
      auto message = std::make_unique<Delivery::Message>();
      message->msg = list.Msgs[i];
      list.Msgs[i] = nullptr;
      result.emplace_back(std::move(message));
    }
  } else if (s != NATS_TIMEOUT) {
    // Not connected just now, or the consumer is gone: it is made again, or found again.
    natsSubscription_Destroy(state_->pulls[static_cast<int>(from)]);
    state_->pulls[static_cast<int>(from)] = nullptr;
    nats_Sleep(std::min<std::int64_t>(patience.count(), 100));
  }
  natsMsgList_Destroy(&list);
  return result;
}

std::optional<std::uint64_t> Broker::waiting(From from) {
  jsStreamInfo* info = nullptr;
  if (js_GetStreamInfo(&info, state_->js, kStreams[static_cast<int>(from)], nullptr, nullptr) !=
      NATS_OK)
    return std::nullopt;
  const std::uint64_t messages = info->State.Msgs;
  jsStreamInfo_Destroy(info);
  return messages;
}

std::optional<std::string> Broker::last_message(const std::string& subject) {
  natsMsg* msg = nullptr;
  if (js_GetLastMsg(&msg, state_->js, kStreams[2], subject.c_str(), nullptr, nullptr) != NATS_OK)
    return std::nullopt;
  std::string bytes(natsMsg_GetData(msg), static_cast<std::size_t>(natsMsg_GetDataLength(msg)));
  natsMsg_Destroy(msg);
  return bytes;
}

bool Broker::put(const std::string& key, const std::string& value) {
  return state_->open_bucket() &&
         kvStore_PutString(nullptr, state_->bucket, key.c_str(), value.c_str()) == NATS_OK;
}

std::optional<std::string> Broker::get(const std::string& key) {
  kvEntry* entry = nullptr;
  if (!state_->open_bucket() || kvStore_Get(&entry, state_->bucket, key.c_str()) != NATS_OK)
    return std::nullopt;
  std::string value(static_cast<const char*>(kvEntry_Value(entry)),
                    static_cast<std::size_t>(kvEntry_ValueLen(entry)));
  kvEntry_Destroy(entry);
  return value;
}

void Broker::alive(const std::string& name, const std::string& text) {
  natsConnection_PublishString(state_->connection, ("raddle.alive." + name).c_str(), text.c_str());
}

void Broker::listen(std::function<void(const std::string&, const std::string&)> hear) {
  {
    const std::lock_guard lock(state_->mutex);
    state_->hear = std::move(hear);
  }
  if (state_->listening == nullptr)
    natsConnection_Subscribe(&state_->listening, state_->connection, "raddle.alive.*",
                             State::on_alive, state_.get());
}

std::uint64_t Broker::reconnections() const { return state_->reconnections; }
bool Broker::is_closed() const { return natsConnection_IsClosed(state_->connection); }

}  // namespace raddle

#include "host/campaign/queue/nats_queue.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gnu/libc-version.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "host/base/sha256.hpp"
#include "host/campaign/queue/bundle.hpp"
#include "host/process/program/target.hpp"

namespace raddle {
namespace fs = std::filesystem;
namespace {

using nlohmann::json;
using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t kChunk = 512 << 10;
// Items on the server at a time: enough for a thousand workers, and a bound of its memory.
constexpr std::size_t kMostPublished = 4096;
constexpr std::size_t kBatch = 128;
constexpr std::chrono::seconds kQuiet{5};
constexpr std::chrono::seconds kBeat{2};
constexpr std::chrono::seconds kBeatSeen{6};    // a suite that runs beats once in this time
constexpr std::chrono::seconds kForgotten{15};  // a worker that said nothing for so long
constexpr double kStraggling = 30;              // seconds with one item

// What compilers are told to use with -march; others are the kernel's business.
const std::vector<std::string>& cpu_features() {
  static const std::vector<std::string> features = {
      "sse4_1", "sse4_2", "ssse3", "popcnt",  "avx",      "avx2",     "bmi1",     "bmi2",
      "fma",    "f16c",   "movbe", "avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"};
  return features;
}

std::vector<std::string> this_cpu() {
  std::ifstream file("/proc/cpuinfo");
  std::vector<std::string> found;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("flags")) continue;
    std::istringstream words(line);
    for (std::string word; words >> word;) {
      const auto& known = cpu_features();
      if (std::find(known.begin(), known.end(), word) != known.end()) found.push_back(word);
    }
    break;
  }
  return found;
}

// "2.36" as a number that can be compared.
int version_number(const std::string& text) {
  const std::size_t dot = text.find('.');
  if (dot == std::string::npos) return 0;
  return std::atoi(text.c_str()) * 1000 + std::atoi(text.c_str() + dot + 1);
}

}  // namespace

std::string notice_text(const CampaignNotice& notice) {
  return json{{"version", notice.version}, {"token", notice.token}, {"glibc", notice.glibc},
              {"cpu", notice.cpu},         {"beat", notice.beat},   {"ended", notice.ended}}
      .dump();
}

Result<CampaignNotice> parse_notice(const std::string& text) {
  try {
    const json all = json::parse(text);
    CampaignNotice notice;
    all.at("version").get_to(notice.version);
    all.at("token").get_to(notice.token);
    all.at("glibc").get_to(notice.glibc);
    all.at("cpu").get_to(notice.cpu);
    all.at("ended").get_to(notice.ended);
    notice.beat = all.value("beat", std::uint64_t{0});
    return notice;
  } catch (const json::exception&) {
    return Error{"what the broker says of the suite cannot be read"};
  }
}

CampaignNotice notice_of_this_machine() {
  return {.version = RADDLE_VERSION,
          .token = {},
          .glibc = gnu_get_libc_version(),
          .cpu = this_cpu(),
          .beat = 0,
          .ended = false};
}

std::string misfit(const CampaignNotice& notice, const CampaignNotice& here) {
  if (notice.version != here.version) {
    return fmt::format("the suite is of raddle {}, and this is raddle {}: install the same",
                       notice.version, here.version);
  }
  if (version_number(here.glibc) < version_number(notice.glibc)) {
    return fmt::format(
        "this machine has glibc {}, and the tests were built for {}: they may not "
        "start here",
        here.glibc, notice.glibc);
  }
  std::vector<std::string> missing;
  for (const std::string& one : notice.cpu)
    if (std::find(here.cpu.begin(), here.cpu.end(), one) == here.cpu.end()) missing.push_back(one);
  if (missing.empty()) return {};
  return fmt::format(
      "this machine's CPU lacks {}, which the tests' machine has: they may crash here",
      fmt::join(missing, ", "));
}

NatsQueue::NatsQueue(NatsQueueOptions options, std::unique_ptr<Broker> broker)
    : options_(std::move(options)),
      broker_(std::move(broker)),
      generation_(static_cast<std::uint64_t>(SteadyClock::now().time_since_epoch().count())),
      quiet_since_(SteadyClock::now()) {}

NatsQueue::~NatsQueue() { (void)announce(true); }

namespace {

// Whether another suite is at work there. Clocks of machines differ: so it is watched for a while.
bool is_taken(Broker& broker, const std::string& token) {
  const auto notice = [&]() -> std::optional<CampaignNotice> {
    const std::optional<std::string> text = broker.get("campaign");
    if (!text) return std::nullopt;
    const Result<CampaignNotice> parsed = parse_notice(*text);
    return parsed ? std::optional<CampaignNotice>(*parsed) : std::nullopt;
  };
  const std::optional<CampaignNotice> first = notice();
  if (!first || first->ended || first->token == token) return false;
  const SteadyClock::time_point until = SteadyClock::now() + kBeatSeen;
  while (SteadyClock::now() < until) {
    std::this_thread::sleep_for(std::chrono::milliseconds(250));
    const std::optional<CampaignNotice> later = notice();
    if (later && later->ended) return false;
    if (later && (later->beat != first->beat || later->token != first->token)) return true;
  }
  return false;
}

}  // namespace

Result<std::unique_ptr<NatsQueue>> NatsQueue::open(const NatsQueueOptions& options) {
  Result<std::unique_ptr<Broker>> broker = Broker::connect(options.broker);
  if (!broker) return Error{broker.error()};
  if (is_taken(**broker, options.token))
    return Error{"another suite runs on this broker; wait for its end, or use another broker"};
  if (const auto made = (*broker)->make_streams(options.redelivery); !made)
    return Error{made.error()};
  // What an earlier suite left, or this one before it was cut short: published again if need be.
  if (const auto purged = (*broker)->purge_items(); !purged) return Error{purged.error()};
  std::unique_ptr<NatsQueue> queue(new NatsQueue(options, std::move(*broker)));
  if (const auto told = queue->announce(false); !told) return Error{told.error()};
  queue->broker_->listen([use = queue.get()](const std::string& name, const std::string& text) {
    const std::lock_guard lock(use->mutex_);
    use->workers_[name] = {SteadyClock::now(), std::atof(text.c_str())};
  });
  return queue;
}

Result<std::monostate> NatsQueue::announce(bool ended) {
  CampaignNotice notice = notice_of_this_machine();
  notice.token = options_.token;
  notice.ended = ended;
  notice.beat = ++beats_;
  if (!broker_->put("campaign", notice_text(notice)))
    return Error{"the broker does not take what workers have to know of the suite"};
  return std::monostate{};
}

Result<std::string> NatsQueue::offer_program(const std::string& program) {
  const Result<Bundle> bundle = make_bundle(program, options_.files);
  if (!bundle) return Error{bundle.error()};
  const std::string bytes = bundle_bytes(*bundle);
  const std::string hash = sha256_hex(bytes);
  const std::string subject = "raddle.bundles." + hash;
  const std::size_t chunks = (bytes.size() + kChunk - 1) / kChunk;
  const std::string meta = json{{"chunks", chunks}, {"bytes", bytes.size()}}.dump();
  if (broker_->last_message(subject + ".meta") == meta) return hash;  // from a suite before
  for (std::size_t i = 0; i < chunks; ++i) {
    if (!broker_->publish(fmt::format("{}.{}", subject, i), bytes.substr(i * kChunk, kChunk), ""))
      return Error{fmt::format("the broker does not take the files of {}", program)};
  }
  // Last: who sees it may rely on the chunks.
  if (!broker_->publish(subject + ".meta", meta, ""))
    return Error{fmt::format("the broker does not take the files of {}", program)};
  return hash;
}

Result<std::monostate> NatsQueue::offer(std::vector<SuiteTest>& tests) {
  for (SuiteTest& test : tests) {
    std::string name = test.command.empty() ? "" : test.command.front();
    if (name.find('/') != std::string::npos && name.front() != '/')
      name = (fs::path(test.directory) / name).lexically_normal().string();
    const Result<Target> target = inspect_target(name);
    if (!target) continue;  // its probe says why
    std::string& hash = bundles_[target->path];
    if (hash.empty()) {
      const Result<std::string> offered = offer_program(target->path);
      if (!offered) return Error{offered.error()};
      hash = *offered;
    }
    test.bundle = hash;
  }
  return std::monostate{};
}

Result<std::monostate> NatsQueue::publish(const std::vector<Item>& items) {
  for (const Item& item : items) {
    open_[item.id] = item_bytes(item);
    unpublished_.push_back(item.id);
  }
  publish_waiting();
  return std::monostate{};
}

void NatsQueue::publish_waiting() {
  while (!unpublished_.empty() && published_ < kMostPublished) {
    const auto item = open_.find(unpublished_.front());
    if (item != open_.end()) {
      // The server is not there, or full: later.
      const std::string id = fmt::format("{}.{}.{}", options_.token, generation_, item->first);
      if (!broker_->publish("raddle.items." + options_.token, item->second, id)) return;
      ++published_;
    }
    unpublished_.pop_front();
  }
}

void NatsQueue::publish_all_again() {
  if (!broker_->make_streams(options_.redelivery) || !announce(false) || !broker_->purge_items())
    return;  // not yet back; look_for_losses() comes again
  ++generation_;
  unpublished_.clear();
  for (const auto& [id, bytes] : open_) unpublished_.push_back(id);
  published_ = 0;
  reconnections_ = broker_->reconnections();
}

void NatsQueue::beat() {
  if (SteadyClock::now() - beaten_ < kBeat) return;
  beaten_ = SteadyClock::now();
  (void)announce(false);
}

// Called when nothing has come for a while.
void NatsQueue::look_for_losses() {
  quiet_since_ = SteadyClock::now();
  const std::optional<std::uint64_t> items = broker_->waiting(Broker::From::kItems);
  const std::optional<std::uint64_t> results = broker_->waiting(Broker::From::kResults);
  if (items && results && *items == 0 && *results == 0 && !open_.empty()) publish_all_again();
}

Result<std::optional<ItemResult>> NatsQueue::next(std::chrono::milliseconds patience) {
  if (broker_->is_closed()) return Error{"the connection to the broker is closed for good"};
  if (broker_->reconnections() != reconnections_) publish_all_again();
  beat();
  publish_waiting();
  if (fetched_.empty()) {
    for (Delivery& one : broker_->fetch(Broker::From::kResults, kBatch, patience))
      fetched_.push_back(std::move(one));
  }
  if (fetched_.empty()) {
    if (SteadyClock::now() - quiet_since_ > kQuiet) look_for_losses();
    return std::optional<ItemResult>{};
  }
  quiet_since_ = SteadyClock::now();
  last_ = std::move(fetched_.front());
  fetched_.pop_front();
  const bool ours = last_->subject() == "raddle.results." + options_.token;
  Result<ItemResult> result = parse_result(last_->bytes());
  if (!ours || !result) {
    last_->acknowledge();  // of another suite, or nothing that anybody can use
    last_.reset();
    return std::optional<ItemResult>{};
  }
  last_id_ = result->id;
  return std::optional<ItemResult>(std::move(*result));
}

void NatsQueue::stored() {
  if (!last_) return;
  if (open_.erase(last_id_) > 0 && published_ > 0) --published_;
  last_->acknowledge();
  last_.reset();
}

void NatsQueue::cancel() {
  open_.clear();
  unpublished_.clear();
  published_ = 0;
  (void)broker_->purge_items();
}

QueueStatus NatsQueue::status() {
  const std::lock_guard lock(mutex_);
  QueueStatus status;
  const SteadyClock::time_point now = SteadyClock::now();
  for (const auto& [name, worker] : workers_) {
    if (now - worker.heard > kForgotten) continue;
    ++status.workers;
    if (worker.busy > kStraggling)
      status.stragglers.push_back(fmt::format("{}: {:.0f} s", name, worker.busy));
  }
  return status;
}

}  // namespace raddle

#include "host/campaign/queue/worker_loop.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "host/base/atomic_file.hpp"
#include "host/base/sha256.hpp"
#include "host/campaign/queue/nats_queue.hpp"

namespace raddle {
namespace fs = std::filesystem;
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPatience{1000};
constexpr std::chrono::milliseconds kAlivePeriod{2000};
constexpr std::size_t kMostChunks = 4096;  // 2 GB

double seconds_since(SteadyClock::time_point then) {
  return std::chrono::duration<double>(SteadyClock::now() - then).count();
}

class Loop {
 public:
  Loop(Broker& broker, const WorkerLoopOptions& options) : broker_(broker), options_(options) {}

  Result<WorkerLoopResult> run() {
    for (bool first = true; !stopped(); first = false) {
      if (const std::string problem = look_at_campaign(); !problem.empty()) return Error{problem};
      if (first && options_.say) options_.say(fmt::format("worker {} is ready", options_.name));
      std::vector<Delivery> taken = broker_.fetch(Broker::From::kItems, 1, kPatience);
      say_alive(0);
      if (taken.empty()) {
        if (broker_.is_closed()) return Error{"the connection to the broker is closed for good"};
        const bool idle = options_.until_idle.count() > 0 &&
                          SteadyClock::now() - last_work_ > options_.until_idle;
        if (idle) break;
        continue;
      }
      do_item(taken.front());
      last_work_ = SteadyClock::now();
    }
    return result_;
  }

 private:
  bool stopped() const { return options_.stop != nullptr && options_.stop->load(); }

  // The suite may be another one by now, of another version.
  std::string look_at_campaign() {
    if (!known_.empty() && seconds_since(looked_) < 5) return {};
    looked_ = SteadyClock::now();
    const std::optional<std::string> text = broker_.get("campaign");
    if (!text) return {};
    const Result<CampaignNotice> notice = parse_notice(*text);
    if (!notice) return notice.error();
    if (notice->token == known_) return {};
    if (std::string wrong = misfit(*notice, notice_of_this_machine()); !wrong.empty()) return wrong;
    known_ = notice->token;
    return {};
  }

  void say_alive(double busy) {
    if (SteadyClock::now() - said_ < kAlivePeriod) return;
    said_ = SteadyClock::now();
    broker_.alive(options_.name, fmt::format("{:.1f} {}", busy, result_.items));
  }

  void do_item(Delivery& delivery) {
    const std::string token = delivery.subject().substr(std::string_view("raddle.items.").size());
    const Result<Item> item = parse_item(delivery.bytes());
    if (!item) {
      delivery.acknowledge();  // nobody can execute it
      return;
    }
    const SteadyClock::time_point began = SteadyClock::now();
    SteadyClock::time_point told = began;
    const auto alive = [&] {
      if (SteadyClock::now() - told < kAlivePeriod) return;
      told = SteadyClock::now();
      delivery.still_working();
      say_alive(seconds_since(began));
    };
    std::optional<ItemResult> result;
    if (delivery.times() > kMostDeliveries) {
      result.emplace();
      result->id = item->id;
      result->worker = options_.name;
      result->problem =
          fmt::format("{} workers did not come to the end of an item of it", delivery.times() - 1);
      ++result_.given_up;
    } else {
      result = options_.execute(*item, alive);
    }
    if (!result) {
      delivery.give_back();
      return;
    }
    const std::string bytes = result_bytes(*result);
    // Once for all deliveries of the item: the server drops a second result of the same.
    const std::string id = fmt::format("{}.{}.result", token, item->id);
    while (!broker_.publish("raddle.results." + token, bytes, id)) {
      if (broker_.is_closed()) return;
      if (stopped() && seconds_since(began) > 60) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
    delivery.acknowledge();
    ++result_.items;
  }

  Broker& broker_;
  const WorkerLoopOptions& options_;
  WorkerLoopResult result_;
  std::string known_;  // token of the suite that was looked at
  SteadyClock::time_point looked_{};
  SteadyClock::time_point said_{};
  SteadyClock::time_point last_work_ = SteadyClock::now();
};

}  // namespace

Result<WorkerLoopResult> work_for(const WorkerLoopOptions& options) {
  Result<std::unique_ptr<Broker>> broker = Broker::connect(options.broker);
  if (!broker) return Error{broker.error()};
  return Loop(**broker, options).run();
}

Result<FetchedBundle> fetch_bundle(Broker& broker, const std::string& hash,
                                   const std::string& folder) {
  const bool is_hash =
      hash.size() == 64 && hash.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!is_hash) return Error{"a bundle is called by a hash"};
  const std::string path = folder + "/" + hash;
  const std::string note = path + ".program";
  std::error_code error;
  if (fs::is_directory(path, error)) {
    std::ifstream file(note);
    FetchedBundle known{.folder = path, .file = {}, .program = {}};
    if (std::getline(file, known.file) && std::getline(file, known.program)) return known;
  }
  const std::string subject = "raddle.bundles." + hash;
  const std::optional<std::string> meta = broker.last_message(subject + ".meta");
  if (!meta) return Error{"the broker does not have the test's files"};
  const nlohmann::json told = nlohmann::json::parse(*meta, nullptr, false);
  const bool readable = told.is_object() && told.contains("chunks") &&
                        told["chunks"].is_number_unsigned() && told["chunks"] <= kMostChunks;
  if (!readable) return Error{"what the broker says of the test's files cannot be read"};
  std::string bytes;
  for (std::size_t i = 0; i < told["chunks"].get<std::size_t>(); ++i) {
    const std::optional<std::string> chunk = broker.last_message(fmt::format("{}.{}", subject, i));
    if (!chunk) return Error{"the broker does not have all of the test's files"};
    bytes += *chunk;
  }
  if (sha256_hex(bytes) != hash)
    return Error{"the test's files on the broker are not those of the suite: their hash differs"};
  const Result<Bundle> bundle = parse_bundle(bytes);
  if (!bundle) return Error{bundle.error()};
  const Result<std::string> unpacked = unpack_bundle(*bundle, hash, folder);
  if (!unpacked) return Error{unpacked.error()};
  FetchedBundle result{*unpacked, bundle->files.front().name, bundle->program};
  const auto written = write_file_atomically(note, result.file + "\n" + result.program + "\n");
  if (!written) return Error{written.error()};
  return result;
}

}  // namespace raddle

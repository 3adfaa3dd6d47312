#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "host/trace/rapid_format.hpp"

namespace raddle {
namespace {

constexpr std::uint64_t kWord = 8;

// What is left of a name in a line. '#' is ours: it tells things of the same name apart.
std::string escaped(std::string_view name, bool with_hash) {
  std::string out;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte > ' ' && byte < 0x7f && std::strchr("|()%", c) == nullptr;
    if (plain && (with_hash || c != '#')) {
      out.push_back(c);
    } else {
      out += fmt::format("%{:02x}", byte);
    }
  }
  return out;
}

// Names of things of which no two may have the same. A thing is an address or id, and what it is
// used as: 'V' variable, 'L' lock, ...
class Labels {
 public:
  const std::string* find(char use, std::uint64_t thing) const {
    const auto found = labels_.find({use, thing});
    return found != labels_.end() ? &found->second : nullptr;
  }
  const std::string& give(char use, std::uint64_t thing, std::string name) {
    const std::uint64_t namesakes = ++counts_[name];
    if (namesakes > 1) name += fmt::format("#{}", namesakes);
    return labels_[{use, thing}] = std::move(name);
  }
  // What lies in [begin, end) from now on is something else.
  void forget(char use, std::uint64_t begin, std::uint64_t end) {
    labels_.erase(labels_.lower_bound({use, begin}), labels_.lower_bound({use, end}));
  }

 private:
  std::map<std::pair<char, std::uint64_t>, std::string> labels_;
  std::unordered_map<std::string, std::uint64_t> counts_;
};

}  // namespace

class RapidExporter::Impl {
 public:
  Impl(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}
  explicit Impl(std::string* text) : text_(text) {}
  ~Impl() {
    flush();
    if (fd_ >= 0) close(fd_);
  }

  void begin(const TraceHeader& header) { from_std_ = header.origin == "std"; }
  void define_site(SiteId id, const Site& site) {
    sites_.resize(std::max<std::size_t>(sites_.size(), raw(id) + std::size_t{1}));
    sites_[raw(id)] = {site.field, from_std_ ? site.code : raw(id),
                       site.kind == EventKind::enter && (site.flags & kSiteAtomic) != 0};
  }
  void define_thread(ThreadId id, const std::string& name) { thread_names_[raw(id)] = name; }
  void define_object(std::uint64_t address, std::uint64_t bytes, const std::string& name) {
    if (bytes != 0) object_names_[address] = {bytes, name};
  }

  void event(const Event& e) {
    switch (e.kind) {
      case EventKind::read:
        return access(e, "r", e.size);
      case EventKind::write:
        return access(e, "w", e.size);
      case EventKind::read_range:
        return access(e, "r", e.value);
      case EventKind::write_range:
        return access(e, "w", e.value);
      case EventKind::atomic_load:
      case EventKind::atomic_store:
      case EventKind::atomic_update:
      case EventKind::atomic_compare:
        return atomic(e);
      case EventKind::acquire:
      case EventKind::release:
        return lock(e);
      case EventKind::signal:
      case EventKind::await:
        return section(e, object(locks_, 'S', e.object));
      case EventKind::fork:
      case EventKind::join:
        return fork_or_join(e);
      case EventKind::thread_end:
        ended_.emplace(raw(e.thread), e);
        return;
      case EventKind::block_enter:
        return open_block(e);
      case EventKind::block_exit:
        return close_block(e);
      case EventKind::enter: {
        const bool atomic = site(e).atomic;
        calls_[raw(e.thread)].push_back(atomic);
        if (atomic) open_block(e);
        return;
      }
      case EventKind::exit: {
        std::vector<bool>& calls = calls_[raw(e.thread)];
        if (calls.empty()) return;
        const bool atomic = calls.back();
        calls.pop_back();
        if (atomic) close_block(e);
        return;
      }
      case EventKind::allocate:
      case EventKind::local:
        return renew(e.object, e.value);
      case EventKind::destroy:
        for (const char use : {'L', 'S'}) locks_.forget(use, e.object, e.object + 1);
        owners_.erase(e.object);
        return;
      case EventKind::none:
      case EventKind::decision:
      case EventKind::thread_begin:
      case EventKind::wait:
      case EventKind::wake:
      case EventKind::notify:
      case EventKind::fence:
      case EventKind::unit_enter:
      case EventKind::unit_exit:
      case EventKind::free:
      case EventKind::user:
        return;
    }
  }

  void flush() {
    if (text_ != nullptr) {
      *text_ += buffer_;
      buffer_.clear();
    }
    for (std::string_view rest = buffer_; !rest.empty() && !error_;) {
      const ssize_t written = write(fd_, rest.data(), rest.size());
      if (written >= 0) {
        rest.remove_prefix(static_cast<std::size_t>(written));
      } else if (errno != EINTR) {
        error_ = Error{fmt::format("{}: writing line {}: {}; what comes before can be used", path_,
                                   lines_, std::strerror(errno))};
      }
    }
    buffer_.clear();
  }
  const std::optional<Error>& error() const { return error_; }
  std::uint64_t lines() const { return lines_; }

 private:
  struct SiteNote {
    std::string name;
    std::uint64_t location = 0;
    bool atomic = false;
  };
  struct NamedObject {
    std::uint64_t bytes = 0;
    std::string name;
  };

  void line(const Event& e, std::string_view operation, std::string_view operand) {
    if (error_ || joined_.contains(raw(e.thread))) return;
    ++lines_;
    fmt::format_to(std::back_inserter(buffer_), "{}|{}({})|{}\n", thread(raw(e.thread)), operation,
                   operand, site(e).location);
    if (buffer_.size() >= 64 * 1024) flush();
  }

  const SiteNote& site(const Event& e) const {
    return sites_[raw(e.site) < sites_.size() ? raw(e.site) : 0];
  }
  const std::string& thread(std::uint64_t id) {
    if (const std::string* label = threads_.find('T', id)) return *label;
    const std::string& name = thread_names_[static_cast<std::uint16_t>(id)];
    return threads_.give('T', id, name.empty() ? fmt::format("T{}", id) : escaped(name, from_std_));
  }
  const std::string& object(Labels& labels, char use, std::uint64_t address) {
    if (const std::string* label = labels.find(use, address)) return *label;
    std::string name;
    auto after = object_names_.upper_bound(address);
    if (after != object_names_.begin()) {
      const auto& [start, named] = *--after;
      if (address - start < named.bytes && !named.name.empty()) {
        name = escaped(named.name, from_std_);
        if (address != start) name += fmt::format("+{}", address - start);
      }
    }
    return labels.give(use, address, name.empty() ? fmt::format("{}{:x}", use, address) : name);
  }

  void access(const Event& e, const char* operation, std::uint64_t bytes) {
    const std::uint64_t last = e.object + std::min(bytes, ~e.object) - (bytes != 0);
    std::uint64_t left = kMaxRapidWords;
    for (std::uint64_t word = e.object / kWord; word <= last / kWord && left > 0; ++word, --left) {
      line(e, operation, object(variables_, 'V', word * kWord));
    }
  }
  void atomic(const Event& e) {
    if (order_of(e) == MemoryOrder::kRelaxed) return;
    const std::string lock = object(locks_, 'A', e.object);
    const bool reads = e.kind != EventKind::atomic_store;
    const bool writes = e.kind == EventKind::atomic_store || e.kind == EventKind::atomic_update ||
                        (e.kind == EventKind::atomic_compare && (e.flags & kSuccess) != 0);
    line(e, "acq", lock);
    if (reads) access(e, "r", e.size);
    if (writes) access(e, "w", e.size);
    line(e, "rel", lock);
  }
  void section(const Event& e, const std::string& lock) {
    line(e, "acq", lock);
    line(e, "rel", lock);
  }
  void lock(const Event& e) {
    const std::string& label = object(locks_, 'L', e.object);
    const auto owner = owners_.find(e.object);
    if ((e.flags & kShared) != 0) {
      if (owner == owners_.end()) section(e, label);
    } else if (e.kind == EventKind::acquire) {
      // After a wait the depth is what it was before.
      if (e.value != 1 && (e.flags & kByWait) == 0) return;
      if (owner != owners_.end()) {
        // From one who took it to the grave it can be had; unless that is plain from its join, the
        // text must say so.
        const auto ended = ended_.find(raw(owner->second));
        if (ended == ended_.end()) return;
        line(ended->second, "rel", label);
        owners_.erase(owner);
      }
      owners_.emplace(e.object, e.thread);
      line(e, "acq", label);
    } else if (e.value == 0 && owner != owners_.end() && owner->second == e.thread) {
      owners_.erase(owner);
      line(e, "rel", label);
    }
  }
  void fork_or_join(const Event& e) {
    const bool fork = e.kind == EventKind::fork;
    thread(raw(e.thread));
    // A thread that has been named is there already.
    if (fork && threads_.find('T', e.value) != nullptr) return;
    if (!fork && e.value == raw(e.thread)) return;
    const std::string operand = thread(e.value);
    line(e, fork ? "fork" : "join", operand);
    if (!fork) joined_.insert(static_cast<std::uint16_t>(e.value));
  }
  void open_block(const Event& e) {
    const SiteNote& note = site(e);
    std::string label =
        note.name.empty() ? fmt::format("B{}", note.location) : escaped(note.name, from_std_);
    line(e, "begin", label);
    blocks_[raw(e.thread)].push_back(std::move(label));
  }
  void close_block(const Event& e) {
    std::vector<std::string>& open = blocks_[raw(e.thread)];
    if (open.empty()) return;
    line(e, "end", open.back());
    open.pop_back();
  }

  void renew(std::uint64_t address, std::uint64_t bytes) {
    const std::uint64_t end = address + std::min(bytes, ~address);
    variables_.forget('V', address / kWord * kWord, end);
    locks_.forget('A', address, end);
  }

  std::string path_;
  int fd_ = -1;
  std::string* text_ = nullptr;
  std::string buffer_;
  std::optional<Error> error_;
  std::uint64_t lines_ = 0;
  bool from_std_ = false;
  std::vector<SiteNote> sites_ = std::vector<SiteNote>(1);  // [0]: not known
  std::unordered_map<std::uint16_t, std::string> thread_names_;
  std::map<std::uint64_t, NamedObject> object_names_;
  Labels threads_;
  Labels variables_;
  Labels locks_;
  std::map<std::uint64_t, ThreadId> owners_;  // of locks
  std::map<std::uint16_t, Event> ended_;
  std::set<std::uint16_t> joined_;
  std::unordered_map<std::uint16_t, std::vector<bool>> calls_;
  std::unordered_map<std::uint16_t, std::vector<std::string>> blocks_;
};

Result<std::unique_ptr<RapidExporter>> RapidExporter::create(const std::string& path) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) {
    return Error{fmt::format("{}: cannot write to it: {}", path, std::strerror(errno))};
  }
  return std::unique_ptr<RapidExporter>(new RapidExporter(std::make_unique<Impl>(path, fd)));
}

std::unique_ptr<RapidExporter> RapidExporter::into(std::string* text) {
  return std::unique_ptr<RapidExporter>(new RapidExporter(std::make_unique<Impl>(text)));
}

RapidExporter::RapidExporter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RapidExporter::~RapidExporter() = default;
void RapidExporter::begin(const TraceHeader& header) { impl_->begin(header); }
void RapidExporter::define_site(SiteId id, const Site& site) { impl_->define_site(id, site); }
void RapidExporter::define_thread(ThreadId id, const std::string& name) {
  impl_->define_thread(id, name);
}
void RapidExporter::define_object(std::uint64_t address, std::uint64_t bytes,
                                  const std::string& name) {
  impl_->define_object(address, bytes, name);
}
void RapidExporter::events(std::span<const Event> events) {
  for (const Event& event : events) impl_->event(event);
}
void RapidExporter::end(const TraceEnd&) { impl_->flush(); }
std::optional<Error> RapidExporter::error() const { return impl_->error(); }
std::uint64_t RapidExporter::lines() const { return impl_->lines(); }

}  // namespace raddle

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <limits>
#include <unordered_map>
#include <vector>

#include "host/trace/rapid_format.hpp"

namespace raddle {
namespace {

constexpr std::size_t kMaxLine = 64 * 1024;
constexpr std::size_t kBatch = 4096;
// Where the objects of a text lie, which knows no addresses.
constexpr std::uint64_t kFirstVariable = 0x1'0000'0000;
constexpr std::uint64_t kFirstLock = 0x1000'0000'0000;
constexpr std::uint64_t kObjectBytes = 8;

enum class Operation { kRead, kWrite, kAcquire, kRelease, kFork, kJoin, kBegin, kEnd };

constexpr struct {
  std::string_view text;
  Operation operation;
} kOperations[] = {{"r", Operation::kRead},      {"w", Operation::kWrite},
                   {"acq", Operation::kAcquire}, {"rel", Operation::kRelease},
                   {"fork", Operation::kFork},   {"join", Operation::kJoin},
                   {"begin", Operation::kBegin}, {"end", Operation::kEnd}};

struct Line {
  std::string thread;
  Operation operation{};
  std::string operand;
  std::uint64_t location = 0;
};

// For messages: short, in one line, printable.
std::string shown(std::string_view text) {
  constexpr std::size_t kMost = 40;
  std::string out = "`";
  for (const char c : text.substr(0, kMost)) out.push_back(c >= ' ' && c < 0x7f ? c : '?');
  out += text.size() > kMost ? "...'" : "'";
  return out;
}

std::string expected(std::string_view what, std::string_view found) {
  return fmt::format("expected {}, found {}", what, found.empty() ? "nothing" : shown(found));
}

bool valid_name(std::string_view name) {
  return std::none_of(name.begin(), name.end(), [](char c) {
    return (c >= 0 && c < ' ') || c == 0x7f || c == '(' || c == ')' || c == '|';
  });
}

std::string unescaped(std::string_view name) {
  std::string out;
  for (std::size_t i = 0; i < name.size(); ++i) {
    unsigned byte = 0;
    if (name[i] == '%' && i + 2 < name.size() &&
        std::from_chars(name.data() + i + 1, name.data() + i + 3, byte, 16).ptr ==
            name.data() + i + 3) {
      out.push_back(static_cast<char>(byte));
      i += 2;
    } else {
      out.push_back(name[i]);
    }
  }
  return out;
}

// Empty, or what is wrong.
std::string parse_line(std::string_view text, Line* line) {
  const std::size_t first = text.find('|');
  const std::string_view thread = text.substr(0, first);
  if (thread.empty() || !valid_name(thread)) return expected("the name of a thread", thread);
  if (first == std::string_view::npos) return expected("`|' after the thread", "");
  text.remove_prefix(first + 1);

  const std::size_t second = text.find('|');
  std::string_view operation = text.substr(0, second);
  const std::size_t open = operation.find('(');
  const auto* known = std::find_if(std::begin(kOperations), std::end(kOperations),
                                   [&](auto& o) { return o.text == operation.substr(0, open); });
  if (known == std::end(kOperations)) {
    return expected("r, w, acq, rel, fork, join, begin or end", operation.substr(0, open));
  }
  std::string_view operand;
  if (open != std::string_view::npos) {
    if (operation.back() != ')') return expected("`)' behind the operand", operation.substr(open));
    operand = operation.substr(open + 1, operation.size() - open - 2);
  }
  const bool may_be_empty =
      known->operation == Operation::kBegin || known->operation == Operation::kEnd;
  if ((operand.empty() && !may_be_empty) || !valid_name(operand)) {
    return expected(fmt::format("a name in the parentheses of {}", known->text), operand);
  }
  if (second == std::string_view::npos) return expected("`|' after the operation", "");
  text.remove_prefix(second + 1);

  const char* end = text.data() + text.size();
  const auto [stopped, status] = std::from_chars(text.data(), end, line->location);
  if (status != std::errc{} || stopped != end) return expected("a whole number as location", text);
  line->thread = unescaped(thread);
  line->operation = known->operation;
  line->operand = unescaped(operand);
  return "";
}

class Importer {
 public:
  Importer(const std::string& name, EventSink& sink, const ReadOptions& options)
      : name_(name), sink_(sink), options_(options) {
    batch_.reserve(kBatch);
    summary_.header.raddle_version = RADDLE_VERSION;
    summary_.header.program = name;
    summary_.header.instrumented = true;
    summary_.header.origin = "std";
    sink_.begin(summary_.header);
  }

  // A line without its newline. False: stop here.
  bool take(std::string_view text) {
    ++line_;
    const std::size_t whole = text.size() + 1;
    if (text.ends_with('\r')) text.remove_suffix(1);
    if (!text.empty()) {
      Line line;
      std::string problem = text.size() > kMaxLine
                                ? fmt::format("expected a line of at most {} bytes", kMaxLine)
                                : parse_line(text, &line);
      if (problem.empty()) problem = execute(line);
      if (!problem.empty()) {
        summary_.damage = TraceDamage{summary_.bytes, fmt::format("line {}: {}", line_, problem)};
        problem_ = fmt::format("{}:{}: {}", name_, line_, problem);
        return false;
      }
    }
    summary_.bytes += whole;
    return true;
  }

  Result<ReadSummary> finish(std::uint64_t size) {
    if (summary_.damage && !options_.salvage) return Error{problem_};
    summary_.bytes = std::min(summary_.bytes, size);  // the last line may have no newline
    if (!summary_.damage) {
      for (std::uint32_t id = 0; id < threads_.size(); ++id) end_thread(id);
    }
    give();
    summary_.end.complete = !summary_.damage;
    summary_.end.events = summary_.events;
    sink_.end(summary_.end);
    return std::move(summary_);
  }

 private:
  struct Thread {
    bool forked = false;
    bool begun = false;
    bool ended = false;
    std::uint64_t joined = 0;         // line
    std::vector<std::string> blocks;  // that it is in
  };
  struct Lock {
    std::uint32_t owner = 0;
    std::uint64_t depth = 0;
  };

  // Empty, or what is wrong.
  std::string execute(const Line& line) {
    const std::uint32_t thread = thread_id(line.thread);
    if (thread >= raw(kNoThread)) return expected("at most 65,535 threads", line.thread);
    if (threads_[thread].ended) {
      return expected(
          fmt::format("no more of a thread that was joined in line {}", threads_[thread].joined),
          line.thread);
    }
    if (!threads_[thread].begun) begin_thread(thread);
    const std::uint32_t site = site_id(line);
    const auto emit = [&](EventKind kind, std::uint64_t object, std::uint64_t value) {
      add(kind, thread, site, object, value);
    };
    switch (line.operation) {
      case Operation::kRead:
        emit(EventKind::read, variable(line.operand), 0);
        return "";
      case Operation::kWrite:
        emit(EventKind::write, variable(line.operand), 0);
        return "";
      case Operation::kAcquire: {
        const std::uint64_t address = lock(line.operand);
        Lock& state = locks_[(address - kFirstLock) / kObjectBytes];
        if (state.depth > 0 && state.owner != thread) {
          if (!threads_[state.owner].ended) {
            return expected("a lock that no other thread holds", line.operand);
          }
          state.depth = 0;
        }
        state.owner = thread;
        emit(EventKind::acquire, address, ++state.depth);
        return "";
      }
      case Operation::kRelease: {
        const std::uint64_t address = lock(line.operand);
        Lock& state = locks_[(address - kFirstLock) / kObjectBytes];
        if (state.depth == 0 || state.owner != thread) {
          return expected("a lock that the thread holds", line.operand);
        }
        emit(EventKind::release, address, --state.depth);
        return "";
      }
      case Operation::kFork: {
        const std::uint32_t child = thread_id(line.operand);
        if (child >= raw(kNoThread)) return expected("at most 65,535 threads", line.operand);
        if (threads_[child].forked || threads_[child].begun || threads_[child].ended) {
          return expected("a thread that is not there yet", line.operand);
        }
        threads_[child].forked = true;
        emit(EventKind::fork, 0, child);
        return "";
      }
      case Operation::kJoin: {
        const std::uint32_t child = thread_id(line.operand);
        if (child >= raw(kNoThread)) return expected("at most 65,535 threads", line.operand);
        if (child == thread) return expected("another thread", line.operand);
        if (!threads_[child].begun) begin_thread(child);
        end_thread(child);
        threads_[child].joined = line_;
        emit(EventKind::join, 0, child);
        return "";
      }
      case Operation::kBegin:
        threads_[thread].blocks.push_back(line.operand);
        emit(EventKind::block_enter, 0, 0);
        return "";
      case Operation::kEnd:
        if (threads_[thread].blocks.empty()) {
          return expected("the end of a transaction that has begun", line.operand);
        }
        threads_[thread].blocks.pop_back();
        emit(EventKind::block_exit, 0, 0);
        return "";
    }
    return "";
  }

  void begin_thread(std::uint32_t id) {
    threads_[id].begun = true;
    add(EventKind::thread_begin, id, 0, 0, 0);
  }
  void end_thread(std::uint32_t id) {
    if (!threads_[id].begun || threads_[id].ended) return;
    threads_[id].ended = true;
    add(EventKind::thread_end, id, 0, 0, 0);
  }

  void add(EventKind kind, std::uint32_t thread, std::uint32_t site, std::uint64_t object,
           std::uint64_t value) {
    const bool access = is_access(kind);
    Event event{};
    event.kind = kind;
    event.flags = access ? kNoValue : 0;
    event.size = access ? kObjectBytes : 0;
    event.thread = static_cast<ThreadId>(thread);
    event.site = SiteId{site};
    event.object = object;
    event.value = value;
    batch_.push_back(event);
    if (batch_.size() == kBatch) give();
  }
  void give() {
    if (batch_.empty()) return;
    sink_.events(batch_);
    summary_.events += batch_.size();
    batch_.clear();
  }

  // Definitions reach the sink before events that came earlier in the text, which is no harm: each
  // name and address is used for one thing only.
  std::uint32_t thread_id(const std::string& name) {
    const auto [place, is_new] =
        thread_ids_.try_emplace(name, static_cast<std::uint32_t>(thread_ids_.size()));
    if (is_new && place->second < raw(kNoThread)) {
      threads_.emplace_back();
      sink_.define_thread(static_cast<ThreadId>(place->second), name);
    }
    return place->second;
  }
  std::uint64_t variable(const std::string& name) {
    return object(name, kFirstVariable, &variable_addresses_);
  }
  std::uint64_t lock(const std::string& name) {
    const std::uint64_t address = object(name, kFirstLock, &lock_addresses_);
    locks_.resize(lock_addresses_.size());
    return address;
  }
  std::uint64_t object(const std::string& name, std::uint64_t first,
                       std::unordered_map<std::string, std::uint64_t>* addresses) {
    const auto [place, is_new] =
        addresses->try_emplace(name, first + kObjectBytes * addresses->size());
    if (is_new) sink_.define_object(place->second, kObjectBytes, name);
    return place->second;
  }
  // Transactions of one location have a site for each name.
  std::uint32_t site_id(const Line& line) {
    const bool named = line.operation == Operation::kBegin || line.operation == Operation::kEnd;
    const std::string key =
        fmt::format("{}|{}", line.location, named ? "b" + line.operand : std::string());
    const auto [place, is_new] =
        site_ids_.try_emplace(key, static_cast<std::uint32_t>(site_ids_.size() + 1));
    if (is_new) {
      Site site;
      site.code = line.location;
      if (named) site.field = line.operand;
      site.frames.push_back({"", name_, 0, 0});
      site.frames[0].line = static_cast<std::uint32_t>(
          std::min<std::uint64_t>(line.location, std::numeric_limits<std::uint32_t>::max()));
      site.module = name_;
      site.module_offset = line.location;
      site.stable = stable_hash(site);
      sink_.define_site(SiteId{place->second}, site);
    }
    return place->second;
  }

  std::string name_;
  EventSink& sink_;
  ReadOptions options_;
  ReadSummary summary_;
  std::string problem_;
  std::uint64_t line_ = 0;
  std::vector<Event> batch_;
  std::vector<Thread> threads_;
  std::vector<Lock> locks_;
  std::unordered_map<std::string, std::uint32_t> thread_ids_;
  std::unordered_map<std::string, std::uint64_t> variable_addresses_;
  std::unordered_map<std::string, std::uint64_t> lock_addresses_;
  std::unordered_map<std::string, std::uint32_t> site_ids_;
};

}  // namespace

Result<ReadSummary> parse_std(std::string_view text, const std::string& name, EventSink& sink,
                              const ReadOptions& options) {
  Importer importer(name, sink, options);
  const std::uint64_t size = text.size();
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (!importer.take(text.substr(0, end))) break;
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return importer.finish(size);
}

Result<ReadSummary> read_std(const std::string& path, EventSink& sink, const ReadOptions& options) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const auto failed = [&](int reason) {
    if (fd >= 0) close(fd);
    return Error{fmt::format("{}: cannot read: {}", path, std::strerror(reason))};
  };
  if (fd < 0) return failed(errno);
  Importer importer(path, sink, options);
  std::string buffer;
  std::uint64_t size = 0;
  for (bool more = true; more;) {
    const std::size_t kept = buffer.size();
    buffer.resize(kept + 256 * 1024);
    const ssize_t got = read(fd, buffer.data() + kept, buffer.size() - kept);
    if (got < 0 && errno != EINTR) return failed(errno);
    buffer.resize(kept + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got > 0) size += static_cast<std::uint64_t>(got);
    std::string_view rest = buffer;
    for (std::size_t end; more && (end = rest.find('\n')) != std::string_view::npos;) {
      more = importer.take(rest.substr(0, end));
      rest.remove_prefix(end + 1);
    }
    // What is too long for a line is refused, not gathered.
    if (more && !rest.empty() && (got == 0 || rest.size() > kMaxLine + 1)) {
      more = importer.take(rest);
      rest = {};
    }
    if (got == 0) more = false;
    buffer.erase(0, buffer.size() - rest.size());
  }
  close(fd);
  return importer.finish(size);
}

}  // namespace raddle

#include "host/analysis/testing/trace_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <stdexcept>

#include "protocol/ops.hpp"
#include "protocol/semaphore_flags.hpp"

namespace raddle {
namespace {

constexpr std::uint64_t kFirstObject = 0x10000;

std::string trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())))
    text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())))
    text.remove_suffix(1);
  return std::string(text);
}

std::vector<std::string> split(std::string_view text, std::string_view separators) {
  std::vector<std::string> parts(1);
  for (char c : text) {
    if (separators.find(c) != std::string_view::npos)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  for (std::string& part : parts) part = trimmed(part);
  return parts;
}

struct Operation {
  std::string text;  // "r(x)"
  std::string name;  // "r"
  std::vector<std::string> arguments;
  std::uint16_t thread = 0;
  std::uint32_t line = 0;
};

// Where an access goes.
struct Place {
  std::uint64_t address = 0;
  std::uint16_t size = 8;
  std::uint64_t value = 0;
  bool has_value = false;
  std::string cls, field;
  std::uint32_t offset = 0;
};

class Builder {
 public:
  TestTrace build(std::string_view text) {
    std::vector<Operation> operations;
    std::string code;
    for (const std::string& line : split(text, "\n")) code += line.substr(0, line.find('#')) + ";";
    for (const std::string& part : split(code, ";")) {
      text_ = part;
      if (part.empty() || declared(part)) continue;
      operations.push_back(parse(part));
    }
    if (!bare_) create_threads(operations);
    for (const Operation& operation : operations) add(operation);
    trace_.header.program = "trace_builder";
    trace_.header.instrumented = true;
    trace_.header.origin = "test";
    return std::move(trace_);
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw std::invalid_argument(fmt::format("trace_of: '{}': {}", text_, why));
  }

  std::uint64_t number(const std::string& text) const {
    if (text.empty() || text.find_first_not_of("0123456789") != std::string::npos)
      fail(fmt::format("'{}' is no number", text));
    return std::stoull(text);
  }

  std::uint16_t thread_number(const std::string& text) const {
    if (text.size() < 2 || text[0] != 'T') fail(fmt::format("'{}' is no thread", text));
    return static_cast<std::uint16_t>(number(text.substr(1)));
  }

  bool declared(const std::string& part) {
    if (part == "bare") return bare_ = true;
    const std::size_t is = part.find(" is ");
    if (is == std::string::npos) return false;
    classes_[trimmed(part.substr(0, is))] = trimmed(part.substr(is + 4));
    return true;
  }

  Operation parse(const std::string& part) const {
    const std::size_t space = part.find(' ');
    if (space == std::string::npos) fail("expected 'Tn operation'");
    Operation operation;
    operation.thread = thread_number(part.substr(0, space));
    operation.text = trimmed(part.substr(space));
    if (const std::size_t at = operation.text.find('@'); at != std::string::npos) {
      operation.line = static_cast<std::uint32_t>(number(operation.text.substr(at + 1)));
      operation.text.resize(at);
    }
    const std::size_t open = operation.text.find('(');
    operation.name = operation.text.substr(0, open);
    if (open != std::string::npos) {
      if (operation.text.back() != ')') fail("')' is missing");
      operation.arguments =
          split(operation.text.substr(open + 1, operation.text.size() - open - 2), ",");
    }
    return operation;
  }

  void create_threads(const std::vector<Operation>& operations) {
    std::set<std::uint16_t> forked{0};
    for (const Operation& operation : operations)
      if (operation.name == "fork") forked.insert(thread_number(operation.arguments.at(0)));
    std::set<std::uint16_t> made;
    for (const Operation& operation : operations) {
      if (forked.count(operation.thread) != 0) continue;
      forked.insert(operation.thread);
      made.insert(operation.thread);
    }
    for (std::uint16_t thread : made) {
      emit(0, EventKind::fork, 0, thread);
      emit(thread, EventKind::thread_begin);
    }
  }

  std::uint64_t object(const std::string& name) {
    if (name.empty()) fail("an object is missing");
    const auto [at, is_new] = trace_.objects.try_emplace(
        name, kFirstObject + kTestObjectBytes * (trace_.objects.size() + 1));
    return at->second;
  }

  Place place(std::string text) {
    Place place;
    if (const std::size_t at = text.find('='); at != std::string::npos) {
      place.value = number(text.substr(at + 1));
      place.has_value = true;
      text.resize(at);
    }
    if (const std::size_t at = text.find(':'); at != std::string::npos) {
      place.size = static_cast<std::uint16_t>(number(text.substr(at + 1)));
      text.resize(at);
    }
    std::uint64_t shift = 0;
    if (const std::size_t at = text.find('+'); at != std::string::npos) {
      shift = number(text.substr(at + 1));
      text.resize(at);
    }
    if (const std::size_t at = text.find('['); at != std::string::npos) {
      shift += 8 * number(text.substr(at + 1, text.size() - at - 2));
      text.resize(at);
    }
    place.field = text;
    if (const std::size_t at = text.find('.'); at != std::string::npos) {
      place.field = text.substr(at + 1);
      text.resize(at);
      place.cls = class_of(text);
      std::vector<std::string>& fields = fields_[place.cls];
      const auto found = std::find(fields.begin(), fields.end(), place.field);
      place.offset = static_cast<std::uint32_t>(8 * (found - fields.begin()) + shift);
      if (found == fields.end()) fields.push_back(place.field);
      shift = place.offset;
    }
    place.address = object(text) + shift;
    return place;
  }

  std::string class_of(const std::string& name) const {
    const auto found = classes_.find(name);
    return found == classes_.end() ? "C" : found->second;
  }

  MemoryOrder order(const Operation& operation, std::size_t at) const {
    static const std::vector<std::string> orders{"rlx", "con", "acq", "rel", "ar", "sc", "bar"};
    const std::string text =
        at < operation.arguments.size() ? operation.arguments[at] : std::string("sc");
    const auto found = std::find(orders.begin(), orders.end(), text);
    if (found == orders.end()) fail(fmt::format("'{}' is no memory order", text));
    return static_cast<MemoryOrder>(found - orders.begin());
  }

  // The site of the operation under way, described further by the caller when it is new.
  SiteId site(EventKind kind, const Operation& operation, const Place* place, std::uint8_t flags) {
    const std::vector<std::string>& stack = stacks_[operation.thread];
    const bool enters = kind == EventKind::enter;
    std::string function = stack.empty() ? std::string("start") : stack.back();
    if (enters) function = operation.arguments.at(0);
    const std::string key =
        fmt::format("{} {} {}@{}", int(kind), function, operation.text, operation.line);
    const auto [at, is_new] = sites_.try_emplace(key, SiteId(trace_.sites.size() + 1));
    if (!is_new) return at->second;
    Site site;
    site.kind = kind;
    site.flags = flags;
    if (place != nullptr) {
      site.size = place->size;
      site.cls = place->cls;
      site.field = place->field;
      site.offset = place->offset;
    } else if (!operation.arguments.empty()) {
      site.field = enters ? std::string() : operation.arguments[0];
      if (operation.arguments.size() > 1 && enters) site.cls = class_of(operation.arguments[1]);
    }
    const auto line = static_cast<std::uint32_t>(trace_.sites.size() + 1);
    site.frames.push_back({function, "trace.txt", operation.line != 0 ? operation.line : line, 1});
    site.stable = stable_hash(site);
    trace_.sites.push_back(site);
    return at->second;
  }

  Event& emit(std::uint16_t thread, EventKind kind, std::uint64_t on = 0, std::uint64_t value = 0,
              SiteId site = kNoSite, std::uint8_t flags = 0, std::uint16_t size = 0) {
    Event event{};
    event.kind = kind;
    event.flags = flags;
    event.size = size;
    event.thread = ThreadId{thread};
    event.site = site;
    event.step = trace_.events.size();
    event.object = on;
    event.value = value;
    for (const std::string& function : stacks_[thread])
      event.context = event.context * 31 + std::hash<std::string>()(function);
    trace_.events.push_back(event);
    return trace_.events.back();
  }

  void lock(const Operation& operation, const std::string& name, bool acquires,
            std::uint8_t flags) {
    const EventKind kind = acquires ? EventKind::acquire : EventKind::release;
    const std::uint64_t address = object(name);
    std::uint64_t& depth = depths_[{operation.thread, address}];
    if (acquires)
      ++depth;
    else if (depth > 0)
      --depth;
    emit(operation.thread, kind, address, depth, site(kind, operation, nullptr, 0), flags);
  }

  void access(const Operation& operation, EventKind kind, std::uint8_t site_flags = 0) {
    const Place at = place(operation.arguments.at(0));
    const std::uint8_t flags = at.has_value ? 0 : kNoValue;
    emit(operation.thread, kind, at.address, at.value, site(kind, operation, &at, site_flags),
         flags, at.size);
  }

  void atomic(const Operation& operation, EventKind kind, bool success) {
    const Place at = place(operation.arguments.at(0));
    const auto flags =
        static_cast<std::uint8_t>(unsigned(order(operation, 1)) | (success ? kSuccess : 0U));
    emit(operation.thread, kind, at.address, at.value,
         site(kind, operation, &at, static_cast<std::uint8_t>(order(operation, 1))), flags,
         at.size);
  }

  // object, bytes
  void memory(const Operation& operation, EventKind kind) {
    const Place at = place(operation.arguments.at(0));
    const std::uint64_t bytes = operation.arguments.size() > 1 ? number(operation.arguments[1]) : 8;
    emit(operation.thread, kind, at.address, bytes, site(kind, operation, &at, 0));
  }

  void simple(const Operation& operation, EventKind kind, std::uint8_t flags = 0) {
    const std::uint64_t on = operation.arguments.empty() ? 0 : object(operation.arguments.front());
    emit(operation.thread, kind, on, 0, site(kind, operation, nullptr, 0), flags);
  }

  void enter(const Operation& operation, std::uint8_t flags) {
    const std::uint64_t self = operation.arguments.size() > 1 ? object(operation.arguments[1]) : 0;
    const SiteId at = site(EventKind::enter, operation, nullptr, flags);
    stacks_[operation.thread].push_back(operation.arguments.at(0));
    emit(operation.thread, EventKind::enter, self, 0, at);
    selves_[operation.thread].push_back(self);
  }

  void exit(const Operation& operation) {
    const SiteId at = site(EventKind::exit, operation, nullptr, 0);
    std::uint64_t self = 0;
    if (!stacks_[operation.thread].empty()) {
      self = selves_[operation.thread].back();
      selves_[operation.thread].pop_back();
    }
    emit(operation.thread, EventKind::exit, self, 0, at);
    if (!stacks_[operation.thread].empty()) stacks_[operation.thread].pop_back();
  }

  void scope(const Operation& operation, EventKind kind) {
    const std::uint64_t on = operation.arguments.size() > 1 ? object(operation.arguments[1]) : 0;
    emit(operation.thread, kind, on, 0, site(kind, operation, nullptr, 0));
    if (kind == EventKind::unit_enter) units_[operation.thread].push_back(on);
    if (kind == EventKind::unit_exit && !units_[operation.thread].empty()) {
      trace_.events.back().object = units_[operation.thread].back();
      units_[operation.thread].pop_back();
    }
  }

  void thread_operation(const Operation& operation, EventKind kind) {
    emit(operation.thread, kind, 0, thread_number(operation.arguments[0]),
         site(kind, operation, nullptr, 0));
  }

  void condition(const Operation& operation, EventKind kind) {
    if (operation.arguments.size() != 2) fail("expected condition and lock");
    const bool waits = kind == EventKind::wait;
    emit(operation.thread, kind, object(operation.arguments[0]),
         waits ? object(operation.arguments[1]) : 0, site(kind, operation, nullptr, 0));
    lock(operation, operation.arguments[1], !waits, kByWait);
  }

  Event& last() { return trace_.events.back(); }

  void semaphore(const Operation& operation, EventKind kind, std::int64_t by) {
    simple(operation, kind, kSemaphore);
    std::int64_t& count = counts_.try_emplace(last().object, 1).first->second;
    count += by;
    if (count < 0) fail("nobody has posted it");
    last().value = static_cast<std::uint64_t>(count);
  }

  void fence(const Operation& operation) {
    emit(operation.thread, EventKind::fence, 0, 0, site(EventKind::fence, operation, nullptr, 0),
         static_cast<std::uint8_t>(order(operation, 0)));
  }

  void add(const Operation& operation) {
    using K = EventKind;
    using B = Builder&;
    using O = const Operation&;
    constexpr auto kTrylock = std::uint64_t(OpKind::mutex_trylock);
    static const std::map<std::string, void (*)(B, O)> operations{
        {"fork", [](B b, O o) { b.thread_operation(o, K::fork); }},
        {"join", [](B b, O o) { b.thread_operation(o, K::join); }},
        {"begin", [](B b, O o) { b.simple(o, K::thread_begin); }},
        {"end", [](B b, O o) { b.simple(o, K::thread_end); }},
        {"acq", [](B b, O o) { b.lock(o, o.arguments[0], true, 0); }},
        {"rel", [](B b, O o) { b.lock(o, o.arguments[0], false, 0); }},
        {"tryfail", [](B b, O o) { b.simple(o, K::decision), b.last().value = kTrylock; }},
        {"tryacq", [](B b, O o) { b.lock(o, o.arguments[0], true, kTry); }},
        {"racq", [](B b, O o) { b.lock(o, o.arguments[0], true, kShared); }},
        {"rrel", [](B b, O o) { b.lock(o, o.arguments[0], false, kShared); }},
        {"wait", [](B b, O o) { b.condition(o, K::wait); }},
        {"wake", [](B b, O o) { b.condition(o, K::wake); }},
        {"notify", [](B b, O o) { b.simple(o, K::notify); }},
        {"notify_all", [](B b, O o) { b.simple(o, K::notify, kAll); }},
        {"signal", [](B b, O o) { b.simple(o, K::signal); }},
        {"await", [](B b, O o) { b.simple(o, K::await); }},
        {"down", [](B b, O o) { b.semaphore(o, K::await, -1); }},
        {"up", [](B b, O o) { b.semaphore(o, K::signal, 1); }},
        {"destroy", [](B b, O o) { b.simple(o, K::destroy); }},
        {"r", [](B b, O o) { b.access(o, K::read); }},
        {"w", [](B b, O o) { b.access(o, K::write); }},
        {"vr", [](B b, O o) { b.access(o, K::read, kSiteVolatile); }},
        {"vw", [](B b, O o) { b.access(o, K::write, kSiteVolatile); }},
        {"rr", [](B b, O o) { b.memory(o, K::read_range); }},
        {"wr", [](B b, O o) { b.memory(o, K::write_range); }},
        {"load", [](B b, O o) { b.atomic(o, K::atomic_load, true); }},
        {"store", [](B b, O o) { b.atomic(o, K::atomic_store, true); }},
        {"rmw", [](B b, O o) { b.atomic(o, K::atomic_update, true); }},
        {"count", [](B b, O o) { b.atomic(o, K::atomic_update, true), ++b.last().value2; }},
        {"cas", [](B b, O o) { b.atomic(o, K::atomic_compare, true); }},
        {"casfail", [](B b, O o) { b.atomic(o, K::atomic_compare, false); }},
        {"fence", [](B b, O o) { b.fence(o); }},
        {"enter", [](B b, O o) { b.enter(o, 0); }},
        {"atomic", [](B b, O o) { b.enter(o, kSiteAtomic); }},
        {"method", [](B b, O o) { b.enter(o, kSiteUnit); }},
        {"waiter", [](B b, O o) { b.enter(o, kSiteUnit | kSiteWaits); }},
        {"ctor", [](B b, O o) { b.enter(o, kSiteUnit | kSiteConstructor); }},
        {"dtor", [](B b, O o) { b.enter(o, kSiteUnit | kSiteDestructor); }},
        {"exit", [](B b, O o) { b.exit(o); }},
        {"block", [](B b, O o) { b.scope(o, K::block_enter); }},
        {"endblock", [](B b, O o) { b.scope(o, K::block_exit); }},
        {"unit", [](B b, O o) { b.scope(o, K::unit_enter); }},
        {"endunit", [](B b, O o) { b.scope(o, K::unit_exit); }},
        {"alloc", [](B b, O o) { b.memory(o, K::allocate); }},
        {"free", [](B b, O o) { b.memory(o, K::free); }},
        {"local", [](B b, O o) { b.memory(o, K::local); }},
        {"user", [](B b, O o) { b.simple(o, K::user); }},
    };
    static const std::set<std::string> alone{"begin",    "end",     "exit",
                                             "endblock", "endunit", "fence"};
    text_ = operation.text;
    const auto found = operations.find(operation.name);
    if (found == operations.end()) fail("no such operation");
    if (operation.arguments.empty() && alone.count(operation.name) == 0)
      fail("an argument is missing");
    found->second(*this, operation);
  }

  TestTrace trace_;
  std::map<std::uint64_t, std::int64_t> counts_;  // of semaphores
  std::string text_;
  bool bare_ = false;
  std::map<std::string, std::string> classes_;              // object -> class
  std::map<std::string, std::vector<std::string>> fields_;  // class -> fields in order
  std::map<std::string, SiteId> sites_;
  std::map<std::uint16_t, std::vector<std::string>> stacks_;
  std::map<std::uint16_t, std::vector<std::uint64_t>> selves_, units_;
  std::map<std::pair<std::uint16_t, std::uint64_t>, std::uint64_t> depths_;
};

}  // namespace

TestTrace trace_of(std::string_view text) { return Builder().build(text); }

}  // namespace raddle

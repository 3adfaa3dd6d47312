#include "host/check/replay_string.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstring>

#include "protocol/strategies.hpp"

namespace raddle {
namespace {

constexpr std::string_view kChoices = "choices";
constexpr std::string_view kDigits =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";

// Characters into a buffer of fixed size; what does not fit is dropped.
class Writer {
 public:
  Writer(char* to, std::size_t size) : to_(to), left_(size > 0 ? size - 1 : 0) {}
  ~Writer() { *to_ = 0; }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  void put(char c) {
    if (left_ == 0) return;
    *to_++ = c;
    --left_;
  }
  void put(std::string_view text) {
    for (const char c : text) put(c);
  }
  void put_number(std::uint64_t value, int base = 10) {
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, value, base).ptr;
    put(std::string_view(digits, static_cast<std::size_t>(end - digits)));
  }
  void put_hex(std::uint32_t value, int width) {
    for (int shift = (width - 1) * 4; shift >= 0; shift -= 4) {
      put("0123456789abcdef"[(value >> shift) & 15]);
    }
  }

 private:
  char* to_;
  std::size_t left_;
};

// Numbers in groups of five bits, the sixth says that more follow; one digit each for most.
void put_packed(Writer& out, std::uint64_t value) {
  for (; value >= 32; value >>= 5) out.put(kDigits[32 | (value & 31)]);
  out.put(kDigits[value]);
}

// Runs of one thread's steps: thread, length. A value choice ends a run; number 0 stands for
// one, with its value and how many there were.
constexpr std::uint64_t kValue = 0;  // threads are numbered from 1 here

void put_choices(Writer& out, std::span<const StepRecord> log) {
  for (std::size_t i = 0; i < log.size();) {
    if (log[i].op == OpKind::value_choice) {
      put_packed(out, kValue);
      put_packed(out, raw(log[i].thread));
      put_packed(out, log[i].outcome);
      put_packed(out, raw(log[i].object));
      ++i;
      continue;
    }
    std::size_t end = i + 1;
    while (end < log.size() && log[end].thread == log[i].thread &&
           log[end].op != OpKind::value_choice) {
      ++end;
    }
    put_packed(out, raw(log[i].thread) + std::uint64_t{1});
    put_packed(out, end - i);
    i = end;
  }
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}
  bool at_end() const { return text_.empty(); }

  bool packed(std::uint64_t& value) {
    value = 0;
    for (unsigned shift = 0; shift < 60 && !text_.empty(); shift += 5) {
      const std::size_t digit = kDigits.find(text_.front());
      if (digit == std::string_view::npos) return false;
      text_.remove_prefix(1);
      value |= std::uint64_t{digit & 31} << shift;
      if (digit < 32) return true;
    }
    return false;
  }

  bool number(std::uint64_t& value) {
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc{}) return false;
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    return true;
  }

  bool take(char c) {
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }

 private:
  std::string_view text_;
};

constexpr std::uint64_t kMostSteps = 1'000'000;

bool read_choices(std::string_view text, std::vector<StepRecord>& choices) {
  Reader reader(text);
  while (!reader.at_end()) {
    std::uint64_t thread = 0;
    std::uint64_t count = 0;
    if (!reader.packed(thread)) return false;
    if (thread == kValue) {
      std::uint64_t value = 0;
      if (!reader.packed(thread) || !reader.packed(value) || !reader.packed(count)) return false;
      if (thread > 0xfffe || value > 255 || count > 255) return false;
      choices.push_back({ThreadId{static_cast<std::uint16_t>(thread)}, OpKind::value_choice,
                         static_cast<std::uint8_t>(value),
                         ObjectId{static_cast<std::uint32_t>(count)}, 0});
      continue;
    }
    if (!reader.packed(count) || thread > 0xfffe || count > kMostSteps - choices.size()) {
      return false;
    }
    choices.insert(
        choices.end(), count,
        {ThreadId{static_cast<std::uint16_t>(thread - 1)}, OpKind::none, 0, kNoObject, 0});
  }
  return !choices.empty();
}

bool needs_length(const Plan& plan) {
  const StrategyEntry* entry = strategy_of(plan);
  return entry != nullptr && entry->needs_length;
}

// An explorer's time stands still while threads can move; that of others goes on.
bool time_passes(const Plan& plan) {
  const StrategyEntry* entry = strategy_of(plan);
  return entry != nullptr && !entry->time_stands_still;
}

// Which plain accesses are decision points: those that race, or every one. Going by values means
// every one.
void put_deciding(Writer& out, const Plan& plan) {
  if (plan.by_values) return;
  if (plan.decide == DecideKind::kRaces) out.put('r');
  if (plan.decide == DecideKind::kEvery) out.put('e');
}

DecideKind read_deciding(Reader& reader) {
  if (reader.take('r')) return DecideKind::kRaces;
  return reader.take('e') ? DecideKind::kEvery : DecideKind::kSync;
}

void put_parameters(Writer& out, const Plan& plan) {
  out.put_number(plan.seed);
  if (needs_length(plan)) {
    out.put('d');
    out.put_number(plan.pct_depth);
    out.put('k');
    out.put_number(plan.pct_steps);
  }
  if (plan.spurious_wakeups) out.put('s');
  if (plan.clock == ClockKind::kAdversarial) out.put('a');
  put_deciding(out, plan);
}

bool read_parameters(std::string_view text, Plan& plan) {
  Reader reader(text);
  std::uint64_t depth = 0;
  if (!reader.number(plan.seed)) return false;
  if (needs_length(plan)) {
    if (!reader.take('d') || !reader.number(depth) || depth == 0 || depth > 1000) return false;
    if (!reader.take('k') || !reader.number(plan.pct_steps) || plan.pct_steps == 0) return false;
    plan.pct_depth = static_cast<std::uint32_t>(depth);
  }
  plan.spurious_wakeups = reader.take('s');
  plan.clock = reader.take('a') ? ClockKind::kAdversarial : ClockKind::kSteady;
  plan.decide = read_deciding(reader);
  return reader.at_end();
}

bool read_hex(std::string_view text, std::size_t width, std::uint32_t& value) {
  if (text.size() != width) return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return error == std::errc{} && end == text.data() + text.size();
}

std::vector<std::string_view> fields_of(std::string_view text) {
  std::vector<std::string_view> fields;
  for (;;) {
    const std::size_t dot = text.find('.');
    fields.push_back(text.substr(0, dot));
    if (dot == std::string_view::npos) return fields;
    text.remove_prefix(dot + 1);
  }
}

}  // namespace

std::uint32_t short_log_hash(std::span<const StepRecord> log) {
  const std::uint64_t hash = log_hash(log);
  return static_cast<std::uint32_t>(hash ^ (hash >> 32));
}

void write_replay_string(char* to, std::size_t size, const Plan& plan, bool by_choices,
                         TestIdentity identity, std::span<const StepRecord> log) {
  Writer out(to, size);
  if (by_choices) {
    out.put(kChoices);
    out.put('.');
    put_choices(out, log);
    // Not part of the choices, but of what they mean.
    if (plan.clock == ClockKind::kAdversarial || plan.spurious_wakeups || plan.by_values ||
        plan.decide != DecideKind::kSync || time_passes(plan)) {
      out.put('.');
      if (time_passes(plan)) out.put('t');
      if (plan.spurious_wakeups) out.put('s');
      if (plan.clock == ClockKind::kAdversarial) out.put('a');
      if (plan.by_values) out.put('v');
      put_deciding(out, plan);
    }
  } else {
    out.put(plan.strategy);
    out.put('.');
    put_parameters(out, plan);
  }
  out.put('.');
  out.put_hex(identity.test, 6);
  out.put('.');
  out.put_hex(identity.build, 6);
  out.put('.');
  out.put_hex(short_log_hash(log), 8);
}

std::string replay_string(const Plan& plan, bool by_choices, TestIdentity identity,
                          std::span<const StepRecord> log) {
  std::string text(64 + (by_choices ? 4 * log.size() + 16 : 0), '\0');
  write_replay_string(text.data(), text.size(), plan, by_choices, identity, log);
  text.resize(std::strlen(text.c_str()));
  return text;
}

Result<NamedExecution> parse_replay_string(std::string_view text, const Plan& defaults) {
  const auto bad = [&](std::string_view what) {
    return Error{fmt::format("\"{}\" is no execution: {}", text.substr(0, 80), what)};
  };
  std::vector<std::string_view> fields = fields_of(text);
  if (fields.size() < 5 || fields.size() > 6) return bad("it has five parts, with dots between");
  NamedExecution named;
  named.plan = defaults;
  const std::size_t n = fields.size();
  if (!read_hex(fields[n - 3], 6, named.identity.test) ||
      !read_hex(fields[n - 2], 6, named.identity.build) || !read_hex(fields[n - 1], 8, named.log)) {
    return bad("its last three parts are 6, 6 and 8 hexadecimal digits");
  }
  const std::string strategy(fields[0]);
  if (strategy == kChoices) {
    if (!read_choices(fields[1], named.choices)) return bad("its choices cannot be read");
    set_strategy(named.plan, kExploringStrategy);
    Reader modes(n == 6 ? fields[2] : std::string_view{});
    if (modes.take('t')) set_strategy(named.plan, kPlainStrategy);
    named.plan.spurious_wakeups = modes.take('s');
    named.plan.clock = modes.take('a') ? ClockKind::kAdversarial : ClockKind::kSteady;
    named.plan.by_values = modes.take('v');
    named.plan.decide = named.plan.by_values ? DecideKind::kEvery : read_deciding(modes);
    if (!modes.at_end()) return bad("its third part is none of t, s, a, v, r and e in this order");
    return named;
  }
  if (n != 5) return bad("it has five parts, with dots between");
  if (find_strategy(strategy) == nullptr) {
    return bad(fmt::format("there is no strategy \"{}\"", strategy.substr(0, 32)));
  }
  set_strategy(named.plan, strategy);
  if (!read_parameters(fields[1], named.plan)) return bad("its second part is no seed");
  return named;
}

}  // namespace raddle

#include "host/describe/failure_key.hpp"

#include <array>
#include <charconv>
#include <csignal>
#include <cstring>
#include <set>

#include "protocol/fault_address.hpp"
#include "protocol/freed_word.hpp"

namespace raddle {
namespace {

// Where in its loop a thread was when a livelock was noticed says nothing.
std::string place_key(const Where& where, OutcomeKind kind) {
  if (kind == OutcomeKind::kLivelock) return where.file + " " + where.function;
  return where.file + ":" + std::to_string(where.line) + " " + where.function;
}

std::string hexadecimal(std::uint64_t value) {
  std::array<char, 16> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, 16).ptr;
  return "0x" + std::string(digits.data(), end);
}

std::string with_text(const std::string& start, const std::string& text) {
  return text.empty() ? start : start + ": " + text;
}

std::string crash_key(const Verdict& verdict) {
  std::string key = crash_signal_text(verdict.signal);
  if (verdict.fault_address) {
    const std::uint64_t address = *verdict.fault_address;
    if (address == kUnknownFaultAddress) return key + " at an address that no memory can have";
    key += " at address " + hexadecimal(address);
    if (address == 0) key += " (null pointer)";
    if (address != 0 && is_by_null(address)) key += " (null pointer plus an offset)";
    if (is_from_freed(address)) key += " (what freed memory holds)";
  }
  if (verdict.deep_recursion) key += ", deep in a recursion: probably a stack overflow";
  return key;
}

std::string divergence_key(const Verdict& verdict) {
  if (!verdict.divergence) return "the replay diverged";
  return "the replay diverged at step " + std::to_string(verdict.divergence->recorded.step);
}

// Of a failure that has no place.
std::string facts_key(const Verdict& verdict) {
  switch (verdict.kind) {
    case OutcomeKind::kNone:
      return "passed";
    case OutcomeKind::kAssertion:
      return verdict.is_condition ? "assertion `" + verdict.message + "' failed"
                                  : with_text("abort() called", verdict.message);
    case OutcomeKind::kCrash:
      return crash_key(verdict);
    case OutcomeKind::kException: {
      const std::string& type = verdict.exception_type;
      return with_text(type.empty() ? "uncaught exception" : "uncaught exception " + type,
                       verdict.message);
    }
    case OutcomeKind::kExit:
      return "exit status " + std::to_string(verdict.exit_status);
    case OutcomeKind::kDeadlock:
      return "no thread can move";  // whoever waits has a place, be it an empty one
    case OutcomeKind::kLivelock:
      return with_text("livelock: threads move, but only to yield or spin", verdict.message);
    case OutcomeKind::kLeaked:
      return verdict.leaked
                 ? "the function returned while T" + std::to_string(raw(*verdict.leaked)) +
                       " still ran; join it before"
                 : "a thread still ran when the function returned";
    case OutcomeKind::kLimit:
      return verdict.message.empty()
                 ? "limit reached after " + std::to_string(verdict.steps) + " steps"
                 : verdict.message;
    case OutcomeKind::kInconclusive:
      return with_text("inconclusive", verdict.message);
    case OutcomeKind::kPossibleHang:
      return "looks like a hang";  // whoever waits has a place, be it an empty one
    case OutcomeKind::kDiverged:
      return divergence_key(verdict);
    case OutcomeKind::kMemoryFault:
      return "memory fault";
  }
  return with_text("unknown outcome", verdict.message);
}

}  // namespace

std::string failure_key(const Verdict& verdict, std::span<const Where> places, bool every) {
  std::multiset<std::string> sorted;
  for (const Where& where : places) {
    std::string place = place_key(where, verdict.kind);
    if (every || !sorted.contains(place)) sorted.insert(std::move(place));
  }
  std::string key = outcome_text(verdict.kind);
  for (const std::string& place : sorted) key += " | " + place;
  return sorted.empty() ? key + " | " + facts_key(verdict) : key;
}

std::string crash_signal_text(int signal) {
  switch (signal) {
    case SIGSEGV:
      return "segmentation fault";
    case SIGBUS:
      return "bus error";
    case SIGFPE:
      return "arithmetic error (SIGFPE)";
    case SIGILL:
      return "illegal instruction";
    case SIGTRAP:
      return "trap (SIGTRAP)";
    case SIGABRT:
      return "abort() called";
    case SIGSYS:
      return "forbidden system call (SIGSYS)";
    case SIGKILL:
      return "killed (SIGKILL)";
    default: {
      const char* name = sigabbrev_np(signal);
      return "ended by signal " + std::to_string(signal) + " (" +
             (name != nullptr ? name : "unknown") + ")";
    }
  }
}

}  // namespace raddle

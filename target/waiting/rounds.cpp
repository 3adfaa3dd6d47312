#include "target/waiting/rounds.hpp"
#include "target/base/forgetting.hpp"
#include "target/state/execution.hpp"
#include "target/state/threads.hpp"
#include "target/waiting/local_state.hpp"
#include "target/waiting/waiting.hpp"

namespace raddle {

RADDLE_FORGOTTEN bool g_rounds_watched;

namespace {

// Coming back once may be chance: the loop of a thread that the samples interrupted is compared in
// part only.
constexpr std::uint64_t kRounds = 2;
// Looking costs some microseconds. A thread that has not come back after so many idle operations is
// taken for one that gets somewhere, until the next window.
constexpr std::uint64_t kMostVisits = 256;

RADDLE_FORGOTTEN std::uint64_t g_window;

bool is_power_of_two(std::uint64_t number) { return (number & (number - 1)) == 0; }

}  // namespace

void watch_rounds() {
  ++g_window;
  g_rounds_watched = true;
}

void stop_watching_rounds() { g_rounds_watched = false; }

// After Brent's way to find a cycle: one state is remembered, and after 1, 2, 4, ... visits another
// one, because a loop may begin with rounds that are not like the later ones.
void note_round(Thread& thread) {
  const bool known = thread.rounds >= kRounds || thread.round_visits >= kMostVisits;
  if (thread.watched_in == g_window && known) return;
  const LocalState state =
      thread.interrupted != 0 ? interrupted_state(thread, thread.interrupted) : local_state(thread);
  if (state.pc == 0) return;
  if (thread.watched_in != g_window) {
    thread.watched_in = g_window;
    thread.round_state = state.hash;
    thread.round_visits = thread.rounds = 0;
    return;
  }
  ++thread.round_visits;
  if (state.hash == thread.round_state) {
    ++thread.rounds;
  } else if (thread.rounds == 0 && is_power_of_two(thread.round_visits)) {
    thread.round_state = state.hash;
  }
}

bool all_go_round() {
  for (std::uint32_t i = 0; i < thread_count(); ++i) {
    const Thread& t = thread_by_id(ThreadId{std::uint16_t(i)});
    if (t.enabled_index < 0) continue;
    if (t.watched_in != g_window || t.rounds < kRounds) return false;
  }
  return true;
}

}  // namespace raddle

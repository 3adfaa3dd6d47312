#include "prevent/monitor/watch.hpp"

#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "prevent/monitor/control.hpp"
#include "prevent/monitor/snapshot.hpp"

namespace raddle::monitor {
namespace {

std::string in_seconds(std::int64_t milliseconds) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.1f s", double(milliseconds) / 1000);
  return text;
}

class Watch {
 public:
  void begin() {
    active_ = true;
    ++episode_;
    if (owner_ != getpid()) {  // none yet, or the process was forked
      self_ = 0;
      owner_ = getpid();
      sigset_t all;
      sigset_t before;
      sigfillset(&all);
      pthread_sigmask(SIG_SETMASK, &all, &before);
      std::thread([this] { run(); }).detach();
      pthread_sigmask(SIG_SETMASK, &before, nullptr);
    }
    wake_.notify_all();
  }
  void end() { active_ = false; }
  // Its thread is one of the process's; any thread may ask.
  bool runs() const { return self_ != 0 && owner_ == getpid(); }

 private:
  [[noreturn]] void run() {
    keep_out_of_executions();  // before it calls anything that Raddle's runtime may see
    self_ = pid_t(syscall(SYS_gettid));
    std::unique_lock<std::mutex> lock(gate_.mutex());
    for (;;) {
      wake_.wait(lock, [this] { return active_; });
      watch(lock);
    }
  }

  // One episode: from when a monitor becomes active until none is.
  void watch(std::unique_lock<std::mutex>& lock) {
    const std::uint64_t episode = episode_;
    Snapshot before;
    int looks = 0;
    noted_ = false;
    gave_up_ = 0;
    std::int64_t since = now_ns();
    while (active_ && episode == episode_) {
      // Not wait(): `end` need not wake the watch, and most tests are over before the first look.
      lock.unlock();
      std::this_thread::sleep_for(std::chrono::milliseconds(pace().look_ms));
      lock.lock();
      if (!active_ || episode != episode_) return;
      Snapshot now = take_snapshot(gate_, self_, before);
      looks = same(before, now) ? looks + 1 : 1;
      if (now.progress != before.progress) since = now_ns();
      before = std::move(now);
      judge(before, looks, (now_ns() - since) / 1'000'000);
    }
  }

  void judge(const Snapshot& snapshot, int looks, std::int64_t waited_ms) {
    switch (snapshot.verdict) {
      case Verdict::moves:
        break;
      case Verdict::stuck:
        if (looks >= pace().stable_looks && stuck_at_ != snapshot.progress + 1) {
          stuck_at_ = snapshot.progress + 1;
          give_up("stuck: no thread can go on\n" + describe(gate_, snapshot, true), true);
        }
        break;
      case Verdict::deadlock:
        // Twice as long: there is no way back.
        if (looks >= 2 * pace().stable_looks && !all_patient()) die(snapshot);
        break;
      case Verdict::waits:
        if (all_patient()) break;
        if (waited_ms >= pace().limit_ms) {
          give_up("given up after " + std::to_string(waited_ms / 1000) +
                      " s without an event (RADDLE_SCHEDULE_LIMIT)\n" +
                      describe(gate_, snapshot, true),
                  false);
        } else if (waited_ms >= pace().note_ms && !noted_) {
          noted_ = true;
          say("waiting for " + in_seconds(waited_ms) + ", but not stuck: " +
              who_moves(gate_, snapshot) + "\n" + describe(gate_, snapshot, false));
        }
        break;
    }
    if (gave_up_ != 0 && now_ns() - gave_up_ > pace().note_ms * 1'000'000) {
      // The test does not come to its end, where it would report this.
      say(last_words_);
      gave_up_ = 0;
    }
  }

  bool all_patient() const {
    for (const Monitor* monitor : gate_.monitors())
      if (!monitor->patient()) return false;
    return true;
  }

  void give_up(const std::string& why, bool stuck) {
    if (!all_patient()) {
      last_words_ = why;
      gave_up_ = now_ns();
    }
    // Who has no code for it ends the program, which would come before the code of another one.
    const std::vector<Monitor*>& monitors = gate_.monitors();
    const bool handled = std::any_of(monitors.begin(), monitors.end(), [](const Monitor* monitor) {
      return monitor->handles_giving_up();
    });
    for (Monitor* monitor : monitors) {
      if (monitor->patient() && (!stuck || (handled && !monitor->handles_giving_up()))) continue;
      monitor->give_up(why);
    }
    gate_.wake_all();
  }

  void say(const std::string& text) const {
    std::string titles;
    for (const Monitor* monitor : gate_.monitors()) titles += monitor->title() + "\n";
    std::fprintf(stderr, "raddle: %s%s\n", titles.c_str(), text.c_str());
    std::fflush(stderr);
  }

  [[noreturn]] void die(const Snapshot& snapshot) const {
    const std::string before =
        gave_up_ != 0 ? last_words_ + "\nand then, without the schedule: " : "";
    say(before +
        "deadlock of the program: every thread waits for another, and no schedule holds one\n" +
        describe(gate_, snapshot, true) +
        "\nNobody can end this test any more, so the process is aborted.");
    std::abort();
  }

  Gate& gate_ = Gate::get();
  std::condition_variable wake_;
  std::atomic<pid_t> owner_{0};
  std::atomic<pid_t> self_{0};
  bool active_ = false;
  std::uint64_t episode_ = 0;
  bool noted_ = false;
  std::int64_t gave_up_ = 0;
  std::uint64_t stuck_at_ = 0;  // the gate's progress at that time, and 1
  std::string last_words_;
};

Watch& the_watch() {
  static Watch& watch = *new Watch();
  return watch;
}

}  // namespace

Pace& pace() {
  static Pace& pace = *[] {
    auto* made = new Pace();
    const char* limit = std::getenv("RADDLE_SCHEDULE_LIMIT");
    const double seconds = limit != nullptr ? std::atof(limit) : 0;
    if (seconds > 0) made->limit_ms = std::int64_t(seconds * 1000);
    return made;
  }();
  return pace;
}

void begin_watching() { the_watch().begin(); }
void end_watching() { the_watch().end(); }

bool alone() {
  const long own = the_watch().runs() ? 1 : 0;  // asked first: it may begin any time
  struct stat task{};
  if (stat("/proc/self/task", &task) != 0 || task.st_nlink < 3) return false;
  return long(task.st_nlink) - 2 - own <= 1;
}

}  // namespace raddle::monitor

#include <algorithm>
#include <set>
#include <unordered_map>

#include "host/base/printable.hpp"
#include "host/describe/failure.hpp"
#include "host/describe/failure_key.hpp"
#include "host/describe/library_wait.hpp"
#include "host/describe/reported_objects.hpp"
#include "host/describe/verdict.hpp"
#include "host/symbols/names.hpp"

namespace raddle {

namespace {

constexpr std::size_t kLoggedSteps = 8;   // per thread, where the report has no detailed ones
constexpr std::size_t kMostThreads = 64;  // the report of a thread pool must stay readable

using Threads = std::vector<const ThreadReport*>;

class Describer {
 public:
  Describer(const Execution& execution, Symbolizer& symbols)
      : execution_(execution),
        symbols_(symbols),
        objects_(execution, symbols),
        report_(execution.report.get()) {
    index_log();
  }

  Failure run() {
    Failure failure;
    failure.kind = execution_.kind;
    if (report_ != nullptr) {
      threads_ = reported_threads(*report_);
      failure.thread = report_->thread == kNoThread ? kMainThread : report_->thread;
      find_deadlock();
      find_possible_hang();
    }
    if (!deadlocked().empty()) failure.thread = deadlocked()[0]->id;
    failure.where = failing_place(failure.thread);
    failure.verdict = verdict_of(execution_, facts(failure), objects_);
    for (const ThreadReport* member : cycle_) failure.verdict->cycle.push_back(waiting(*member));
    if (cycle_.empty()) {
      for (const ThreadReport* one : waiting_) failure.verdict->waiting.push_back(waiting(*one));
    }
    for (const ThreadReport* one : ticking_) failure.verdict->ticking.push_back(one->id);
    if (execution_.kind == OutcomeKind::kPossibleHang) failure.waits_since = last_step_of(waiting_);
    if (failure.verdict->fault && failure.verdict->fault->kind == MemoryFaultKind::kGoneLocal)
      failure.gone_local = report_->fault_address;
    failure.group = group(failure);
    // Where the library called main is no place of the program.
    if (failure.verdict->from_main) failure.where = {};
    add_threads(failure);
    add_misuses(failure);
    return failure;
  }

 private:
  const ThreadReport* thread(ThreadId id) const {
    for (const ThreadReport* candidate : threads_) {
      if (candidate->id == id) return candidate;
    }
    return nullptr;
  }

  // Those by which a deadlock is explained, and its first place chosen.
  const Threads& deadlocked() const { return cycle_.empty() ? waiting_ : cycle_; }

  void find_deadlock() {
    if (execution_.kind != OutcomeKind::kDeadlock) return;
    const std::size_t length =
        std::min<std::size_t>(report_->cycle_length, std::size(report_->cycle));
    for (std::size_t i = 0; i < length; ++i) {
      const ThreadReport* member = thread(report_->cycle[i]);
      const bool seen = std::find(cycle_.begin(), cycle_.end(), member) != cycle_.end();
      if (member != nullptr && !seen) cycle_.push_back(member);
    }
    for (const ThreadReport* candidate : threads_) {
      if (is_blocked(*candidate)) blocked_.push_back(candidate);
    }
    // Who only waits for another thread to end is not the cause.
    for (const ThreadReport* candidate : blocked_) {
      if (candidate->op != OpKind::thread_join) waiting_.push_back(candidate);
    }
    if (waiting_.empty()) waiting_ = blocked_;
  }

  void find_possible_hang() {
    if (execution_.kind != OutcomeKind::kPossibleHang) return;
    for (const ThreadReport* candidate : threads_) {
      const bool gone =
          candidate->state == ThreadState::kFinished || candidate->state == ThreadState::kUnused;
      if (gone) continue;
      const bool waits = is_blocked(*candidate) && !is_set(candidate->timed);
      (waits ? blocked_ : ticking_).push_back(candidate);
    }
    // Who waits for another thread to end is woken by that.
    for (const ThreadReport* candidate : blocked_) {
      if (candidate->op != OpKind::thread_join) waiting_.push_back(candidate);
    }
  }

  std::optional<std::uint64_t> last_step_of(const Threads& threads) const {
    std::optional<std::uint64_t> last;
    for (const ThreadReport* one : threads) {
      const auto entry = logged_.find(raw(one->id));
      if (entry != logged_.end() && !entry->second.empty())
        last = std::max<std::uint64_t>(last.value_or(0), entry->second.front());
    }
    return last;
  }

  // The thread that noticed the deadlock was running until then: it waits like the others.
  bool is_blocked(const ThreadReport& candidate) const {
    if (candidate.state == ThreadState::kBlocked) return true;
    if (execution_.kind != OutcomeKind::kDeadlock) return false;
    if (candidate.state != ThreadState::kRunning || candidate.op == OpKind::none) return false;
    return cycle_.empty() || std::find(cycle_.begin(), cycle_.end(), &candidate) != cycle_.end();
  }

  Doing doing(const ThreadReport& of) const {
    Doing doing = objects_.doing(of, is_blocked(of));
    if (doing.kind == Doing::Kind::kBlocked && doing.object.cls == ObjectClass::futex)
      name_library(doing.object, library_waited_for(stack_frames(of)));
    return doing;
  }

  VerdictFacts facts(const Failure& failure) const {
    const ThreadReport* culprit = thread(failure.thread);
    return {failure.where, culprit != nullptr && is_deep_recursion(culprit->stack)};
  }

  std::span<const std::uint64_t> pcs(const Stack& stack) const {
    return {stack.pc, std::min<std::size_t>(stack.frames, kMaxFrames)};
  }

  bool is_deep_recursion(const Stack& stack) const {
    constexpr int kRepeated = 12;
    if (stack.frames < kMaxFrames) return false;
    std::unordered_map<std::uint64_t, int> times;
    int most = 0;
    for (const std::uint64_t pc : pcs(stack)) most = std::max(most, ++times[pc]);
    return most >= kRepeated;
  }

  static bool first_is_exact(const Stack& stack) { return is_set(stack.first_is_exact); }

  // Of the stack alone: the same failure must be in the same group with and without detailed steps.
  Where thread_place(const ThreadReport& thread) const {
    const std::span<const std::uint64_t> addresses = pcs(thread.stack);
    Where place = objects_.program_place(addresses, first_is_exact(thread.stack));
    if (!place.empty()) return place;
    if (addresses.empty()) return {};
    return symbols_.frames(addresses[0], !first_is_exact(thread.stack)).front().where;
  }

  Where failing_place(ThreadId failing) const {
    if (report_ == nullptr) return {};
    if (execution_.kind == OutcomeKind::kDiverged) return {};
    const ThreadReport* culprit = thread(failing);
    Where place = culprit == nullptr ? Where{} : thread_place(*culprit);
    if (execution_.kind != OutcomeKind::kAssertion || report_->file[0] == '\0') return place;
    Where named;
    named.file = display_path(printable_field(report_->file));
    named.line = report_->line;
    named.function = short_function(printable_field(report_->function));
    // The compiler was told a path relative to its own directory; debug information knows better.
    const bool same_file = base_name(place.file) == base_name(named.file);
    if (same_file && place.line == named.line) named.file = place.file;
    if (named.function.empty()) named.function = place.function;
    return named;
  }

  // Of a cycle the places of its members, one for each: two threads and three are different cycles.
  // Of others that are blocked there may be any number: a place counts once.
  std::string group(const Failure& failure) const {
    std::vector<Where> places;
    for (const ThreadReport* member : cycle_.empty() ? blocked_ : cycle_) {
      places.push_back(thread_place(*member));
    }
    if (places.empty() && !failure.where.empty()) places.push_back(failure.where);
    return failure_key(*failure.verdict, places, !cycle_.empty());
  }

  std::vector<Frame> stack_frames(const ThreadReport& thread) const {
    std::vector<Frame> frames;
    const std::span<const std::uint64_t> addresses = pcs(thread.stack);
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      const bool exact = i == 0 && first_is_exact(thread.stack);
      const std::vector<Frame> at = symbols_.frames(addresses[i], !exact);
      frames.insert(frames.end(), at.begin(), at.end());
    }
    return frames;
  }

  std::vector<StepLine> last_steps(const ThreadReport& thread) const {
    std::vector<StepLine> steps;
    const std::size_t count = std::min<std::size_t>(thread.last_steps, kMaxLastSteps);
    for (std::size_t i = 0; i < count; ++i) {
      const DetailedStep& step = thread.last[i];
      const std::size_t frames = std::min<std::size_t>(step.frames, kMaxStepFrames);
      const Where where = objects_.program_place({step.pc, frames}, false);
      steps.push_back(objects_.step(step.record, step.step, where));
    }
    if (steps.empty()) return logged_steps(thread.id);
    std::stable_sort(steps.begin(), steps.end(),
                     [](const StepLine& a, const StepLine& b) { return a.step < b.step; });
    return steps;
  }

  // One pass backwards for all threads: a log may have millions of records.
  void index_log() {
    for (std::size_t i = execution_.log.size(); i-- > 0;) {
      const StepRecord& record = execution_.log[i];
      if (record.op == OpKind::value_choice) continue;
      std::vector<std::size_t>& indices = logged_[raw(record.thread)];
      if (indices.size() < kLoggedSteps) indices.push_back(i);
    }
  }

  std::vector<StepLine> logged_steps(ThreadId id) const {
    std::vector<StepLine> steps;
    const auto entry = logged_.find(raw(id));
    if (entry == logged_.end()) return steps;
    for (const std::size_t i : entry->second) {
      const StepRecord& record = execution_.log[i];
      const Where where = objects_.program_place({&record.site, 1}, false);
      steps.push_back(objects_.step(record, i, where));
    }
    std::reverse(steps.begin(), steps.end());
    return steps;
  }

  // The name the program gave it, else the outermost function of the program that it runs. What
  // pthread_create was given is the library's own helper for a std::thread.
  std::string thread_name(const ThreadReport& thread, const std::vector<Frame>& stack) const {
    std::string own = printable_field(thread.name);
    if (!own.empty()) return own;
    if (thread.id == kMainThread) return "main";
    if (thread.start_routine != 0) {
      const Frame start = symbols_.frames(thread.start_routine, false).back();
      if (has_function_name(start)) return start.where.function;
    }
    for (auto frame = stack.rbegin(); frame != stack.rend(); ++frame) {
      if (has_function_name(*frame)) return frame->where.function;
    }
    const std::size_t count = std::min<std::size_t>(thread.last_steps, kMaxLastSteps);
    for (std::size_t i = 0; i < count; ++i) {
      const DetailedStep& step = thread.last[i];
      for (std::size_t f = std::min<std::size_t>(step.frames, kMaxStepFrames); f-- > 0;) {
        std::string function = symbols_.program_function(step.pc[f]);
        if (!function.empty()) return function;
      }
    }
    return {};
  }

  void add_threads(Failure& failure) const {
    const auto rank = [&](const ThreadReport* candidate) {
      if (candidate->id == failure.thread) return 0;
      const Threads& cause = deadlocked();
      if (std::find(cause.begin(), cause.end(), candidate) != cause.end()) return 1;
      return candidate->state == ThreadState::kFinished ? 3 : 2;
    };
    Threads ordered = threads_;
    std::stable_sort(ordered.begin(), ordered.end(), [&](const auto* a, const auto* b) {
      return rank(a) != rank(b) ? rank(a) < rank(b) : raw(a->id) < raw(b->id);
    });
    for (const ThreadReport* from : ordered) {
      if (failure.threads.size() >= kMostThreads) break;
      ThreadLine line;
      line.id = from->id;
      line.ended = from->state == ThreadState::kFinished;
      line.blocked = is_blocked(*from);
      line.last_steps = last_steps(*from);
      if (line.ended && line.last_steps.empty() && line.id != failure.thread) continue;
      line.stack = stack_frames(*from);
      line.name = thread_name(*from, line.stack);
      line.doing = doing(*from);
      line.address = objects_.address(from->object);
      // The number may be that of another object, too: only the step that it waits in is of this
      // one.
      const bool waits_in_library = !line.doing.object.library.empty() && !line.last_steps.empty();
      if (waits_in_library && line.last_steps.back().object.id == line.doing.object.id)
        line.last_steps.back().object = line.doing.object;
      failure.threads.push_back(std::move(line));
    }
  }

  // What this thread holds and others of the cycle wait for.
  std::vector<ObjectRef> held_by(const ThreadReport& holder) const {
    std::vector<ObjectRef> held;
    for (const ObjectReport& object : reported_objects(*report_)) {
      const std::vector<ThreadId> by = objects_.holders(object.id);
      if (std::find(by.begin(), by.end(), holder.id) == by.end()) continue;
      const bool wanted = std::any_of(cycle_.begin(), cycle_.end(), [&](const ThreadReport* other) {
        return other->object == object.id;
      });
      if (!wanted) continue;
      held.push_back(objects_.object(object.id, object.cls));
      held.back().for_reading = object.cls == ObjectClass::rwlock && is_set(object.shared);
    }
    return held;
  }

  WaitingThread waiting(const ThreadReport& thread) const {
    return {thread.id, doing(thread), thread_place(thread), held_by(thread)};
  }

  void add_misuses(Failure& failure) const {
    if (report_ == nullptr) return;
    const std::span<const Misuse> listed = reported_misuses(*report_);
    for (const Misuse& misuse : listed) failure.misuses.push_back(objects_.misuse(misuse));
    if (report_->misuses > listed.size()) {
      MisuseLine rest;
      rest.more = report_->misuses - listed.size();
      failure.misuses.push_back(rest);
    }
  }

  const Execution& execution_;
  Symbolizer& symbols_;
  ReportedObjects objects_;
  const Report* report_;
  std::unordered_map<std::uint16_t, std::vector<std::size_t>> logged_;  // newest first
  Threads threads_;
  Threads cycle_;    // in its order
  Threads blocked_;  // kDeadlock and kPossibleHang only, like the next
  Threads waiting_;
  Threads ticking_;  // kPossibleHang only
};

}  // namespace

Failure describe(const Execution& execution, Symbolizer& symbols) {
  symbols.set_maps(execution.maps);
  return Describer(execution, symbols).run();
}

}  // namespace raddle

// Locals that another thread uses when they are gone, one for each number; `correct N` is the same
// without the fault. A line with `// fault N` is the place that a report must name.
#include <string.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <semaphore>
#include <stdexcept>
#include <string>
#include <thread>

static bool g_faulty;
static volatile long g_sink;

template <class T>
__attribute__((noinline)) T* hidden(T* pointer) {  // what the optimiser knows nothing of
  asm volatile("" : "+r"(pointer) : : "memory");
  return pointer;
}

struct Job {
  long number = 1;
  char name[24] = "job";
  std::atomic<int> state{0};
};

// Where a thread may use what it was lent, and has used it.
static std::binary_semaphore g_may_use(0);
static std::binary_semaphore g_has_used(0);
static long* g_number;
static Job* g_job;
static char* g_text;

// Of whoever lends something: it is there until it was used, or only until he returns.
static void lent() {
  if (g_faulty) return;
  g_may_use.release();
  g_has_used.acquire();
}
static void gone() {
  if (g_faulty) g_may_use.release();
}

template <class Use>
static std::thread user(Use use) {
  return std::thread([use] {
    g_may_use.acquire();
    use();
    g_has_used.release();
  });
}

static __attribute__((noinline)) void lend_number() {
  long number = 3;
  g_number = hidden(&number);
  lent();
}
static __attribute__((noinline)) void lend_job() {
  Job job;
  g_job = hidden(&job);
  lent();
}
static __attribute__((noinline)) void lend_text() {
  char text[64] = "some text";
  g_text = hidden(text);
  lent();
}

static void read_after_return() {
  std::thread thread = user([] {
    g_sink = *g_number;  // fault 1
  });
  lend_number();
  gone();
  thread.join();
}

static void write_after_return() {
  std::thread thread = user([] {
    *g_number = 4;  // fault 2
  });
  lend_number();
  gone();
  thread.join();
}

static void field_after_return() {
  std::thread thread = user([] {
    g_sink = g_job->name[2];  // fault 3
  });
  lend_job();
  gone();
  thread.join();
}

static void atomic_after_return() {
  std::thread thread = user([] {
    g_job->state.fetch_add(1);  // fault 4
  });
  lend_job();
  gone();
  thread.join();
}

static void copied_after_return() {
  std::thread thread = user([] {
    char copy[64];
    memcpy(hidden(copy), hidden(g_text), 64);  // fault 5
    g_sink = copy[3];
  });
  lend_text();
  gone();
  thread.join();
}

static void length_after_return() {
  std::thread thread = user([] {
    g_sink = static_cast<long>(strlen(hidden(g_text)));  // fault 6
  });
  lend_text();
  gone();
  thread.join();
}

static void read_after_scope() {
  std::thread thread = user([] {
    g_sink = *g_number;  // fault 7
  });
  {
    long number = 3;
    g_number = hidden(&number);
    lent();
  }
  gone();
  thread.join();
}

static void optional_after_scope() {
  std::thread thread = user([] {
    g_job->number = 2;  // fault 8
  });
  {
    std::optional<Job> job(std::in_place);
    g_job = hidden(&*job);
    lent();
  }
  gone();
  thread.join();
}

static void string_after_return() {
  std::thread thread = user([] {
    g_sink = g_text[2];  // fault 9
  });
  [] {
    std::string text = "short";
    g_text = hidden(text.data());
    lent();
  }();
  gone();
  thread.join();
}

// Another function's frame lies there by now, with a local of its own that somebody may know of.
static __attribute__((noinline)) void later_frame() {
  long many[200] = {};
  long one = 5;
  long* mine = hidden(&one);
  many[*mine] = 5;
  gone();
  g_sink = many[*mine];
  if (g_faulty) g_has_used.acquire();
}
static void read_under_another_frame() {
  std::thread thread = user([] {
    g_sink = *g_number;  // fault 10
  });
  [] {
    long first[90];
    hidden(first);
    lend_number();
  }();
  later_frame();
  thread.join();
}

static void of_another_threads_stack() {
  std::thread lender([] {
    lend_number();
    gone();
    if (g_faulty) g_has_used.acquire();
  });
  std::thread thread = user([] {
    g_sink = *g_number;  // fault 11
  });
  lender.join();
  thread.join();
}

static void of_an_ended_thread() {
  std::thread lender([] { lend_number(); });
  std::thread thread = user([] {
    g_sink = *g_number;  // fault 12
  });
  if (g_faulty) std::this_thread::sleep_for(std::chrono::seconds(10));
  gone();
  thread.join();
  lender.join();
}

static __attribute__((noinline)) void lend_in_a_loop() {
  for (int i = 0; i < 3; ++i) {
    long number = i;
    g_number = hidden(&number);
    if (i == 2) lent();
  }
  gone();
  if (g_faulty) g_has_used.acquire();
}
static void read_after_a_loop() {
  std::thread thread = user([] {
    g_sink = *g_number;  // fault 13
  });
  lend_in_a_loop();
  thread.join();
}

static __attribute__((noinline)) void lend_and_throw() {
  Job job;
  std::string text(40, 'x');
  g_job = hidden(&job);
  lent();
  throw std::runtime_error(text);
}
// Deeper than what comes afterwards.
static __attribute__((noinline)) void lend_deeply() {
  long deep[200];
  hidden(deep);
  lend_and_throw();
}
static void read_after_an_exception() {
  std::thread thread = user([] {
    g_sink = g_job->number;  // fault 14
  });
  try {
    lend_deeply();
  } catch (const std::runtime_error&) {
    gone();
  }
  thread.join();
}

// Completions: whoever waits is gone when he sees the flag, before he was notified.
struct Completion {
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
};
static Completion* g_completion;

static __attribute__((noinline)) void wait_for_completion() {
  Completion completion;
  {
    const std::lock_guard lock(completion.mutex);
    g_completion = hidden(&completion);
  }
  g_may_use.release();
  std::unique_lock lock(completion.mutex);
  if (g_faulty) {
    while (!completion.done) {  // looks now and then, and is not notified
      lock.unlock();
      std::this_thread::yield();
      lock.lock();
    }
    return;
  }
  completion.changed.wait(lock, [&] { return completion.done; });
  lock.unlock();
  g_has_used.acquire();
}

static void notified_after_return() {
  std::thread thread([] {
    g_may_use.acquire();
    {
      const std::lock_guard lock(g_completion->mutex);
      g_completion->done = true;
    }
    if (g_faulty) std::this_thread::sleep_for(std::chrono::seconds(10));
    g_completion->changed.notify_one();  // fault 15
    g_has_used.release();
  });
  wait_for_completion();
  thread.join();
}

int main(int count, char** arguments) {
  void (*const all[])() = {
      read_after_return,   write_after_return,       field_after_return,       atomic_after_return,
      copied_after_return, length_after_return,      read_after_scope,         optional_after_scope,
      string_after_return, read_under_another_frame, of_another_threads_stack, of_an_ended_thread,
      read_after_a_loop,   read_after_an_exception,  notified_after_return};
  if (count == 1) {
    printf("%zu\n", sizeof all / sizeof all[0]);
    return 0;
  }
  if (count != 3) return 2;
  g_faulty = strcmp(arguments[1], "faulty") == 0;
  all[atoi(arguments[2]) - 1]();
  return 0;
}

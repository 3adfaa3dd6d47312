// Objects that end too early in some schedules, one for each number; `correct N` is the same
// without the mistake. Only the interleaving decides whether the object is used when it is gone.
#include <pthread.h>
#include <string.h>

#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

static bool g_faulty;
std::atomic<long> g_sink;  // of other files, too: nobody knows that it is never read

template <class T>
__attribute__((noinline)) T* hidden(T* pointer) {  // what the optimiser knows nothing of
  asm volatile("" : "+r"(pointer) : : "memory");
  return pointer;
}

template <class First, class Second>
static void both(First first, Second second) {
  std::thread a(first);
  std::thread b(second);
  a.join();
  b.join();
}

struct Node {
  long value = 7;
  Node* next = nullptr;
};

static std::mutex g_lock;

// A pointer is read under the lock and used after it.
static Node* g_node;
static void used_after_the_lock() {
  g_node = new Node;
  both(
      [] {
        std::unique_lock lock(g_lock);
        const Node* node = g_node;
        if (node == nullptr) return;
        if (g_faulty) lock.unlock();
        g_sink = node->value;
      },
      [] {
        const std::lock_guard lock(g_lock);
        delete g_node;
        g_node = nullptr;
      });
  delete g_node;
}

// Whoever waits for a completion deletes it; notify comes after the unlock.
struct Completion {
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  void finish() {
    std::unique_lock lock(mutex);
    done = true;
    if (g_faulty) lock.unlock();
    changed.notify_one();
  }
  void wait() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return done; });
  }
};
static void notified_after_the_unlock() {
  auto* completion = new Completion;
  std::thread thread([completion] { completion->finish(); });
  completion->wait();
  delete completion;
  thread.join();
}

static __attribute__((noinline)) void wait_on_the_stack(std::thread& thread) {
  Completion completion;
  thread = std::thread([&completion] { completion.finish(); });
  completion.wait();
}
static void notified_after_the_unlock_on_a_stack() {
  std::thread thread;
  wait_on_the_stack(thread);
  thread.join();
}

// A thread has a reference to a local of a function that does not wait for it.
static __attribute__((noinline)) void start_with_a_local(std::thread& thread) {
  long numbers[4] = {1, 2, 3, 4};
  thread = std::thread([&numbers] { g_sink = hidden(numbers)[2]; });
  if (!g_faulty) thread.join();
}
static void reference_to_a_local() {
  std::thread thread;
  start_with_a_local(thread);
  if (thread.joinable()) thread.join();
}

// Two threads see that it is there, and both delete it.
static std::atomic<Node*> g_shared;
static void deleted_by_both() {
  g_shared = new Node;
  const auto close = [] {
    if (!g_faulty) {
      delete g_shared.exchange(nullptr);
    } else if (Node* node = g_shared.load()) {
      g_shared = nullptr;
      delete node;
    }
  };
  both(close, close);
}

// References are counted without care.
struct Counted {
  std::atomic<int> references{2};
  long value = 1;
};
static void counted_in_two_steps() {
  auto* object = new Counted;
  const auto release = [object] {
    g_sink = object->value;
    if (g_faulty) {
      --object->references;
      if (object->references == 0) delete object;
    } else if (--object->references == 0) {
      delete object;
    }
  };
  both(release, release);
}

// The vector grows while another thread has the address of an element.
static std::vector<long> g_numbers;
static void element_of_a_vector() {
  g_numbers.assign(4, 1);
  both(
      [] {
        std::unique_lock lock(g_lock);
        const long* first = hidden(g_numbers.data());
        if (g_faulty) lock.unlock();
        g_sink = *first;
      },
      [] {
        const std::lock_guard lock(g_lock);
        g_numbers.push_back(2);
      });
}

static std::map<int, Node> g_map;
static void value_of_a_map() {
  g_map[1] = Node();
  both(
      [] {
        std::unique_lock lock(g_lock);
        const auto found = g_map.find(1);
        if (found == g_map.end()) return;
        const Node* node = hidden(&found->second);
        if (g_faulty) lock.unlock();
        g_sink = node->value;
      },
      [] {
        const std::lock_guard lock(g_lock);
        g_map.erase(1);
      });
}

static std::string g_name;
static void text_of_a_string() {
  g_name = "longer than what fits into the object itself";
  both(
      [] {
        std::unique_lock lock(g_lock);
        const char* text = hidden(g_name.data());
        if (g_faulty) lock.unlock();
        g_sink = text[3];
      },
      [] {
        const std::lock_guard lock(g_lock);
        g_name = std::string(100, 'x');
      });
}

// The last owner goes while another thread has only the address.
static std::shared_ptr<Node> g_owned;
static void without_ownership() {
  g_owned = std::make_shared<Node>();
  both(
      [] {
        std::unique_lock lock(g_lock);
        const std::shared_ptr<Node> mine = g_faulty ? nullptr : g_owned;
        const Node* node = hidden(g_owned.get());
        lock.unlock();
        if (node != nullptr) g_sink = node->value;
      },
      [] {
        const std::lock_guard lock(g_lock);
        g_owned = nullptr;
      });
}

// A thread that nobody waits for.
static void detached() {
  auto job = std::make_unique<Node>();
  std::atomic<bool>* done = new std::atomic<bool>(false);
  std::thread([node = job.get(), done] {
    g_sink = node->value;
    *done = true;
  }).detach();
  if (!g_faulty)
    while (!*done) std::this_thread::yield();
}

// A callback is under way when its object goes.
struct Listener {
  long calls = 0;
  void call() { ++calls; }
};
static std::vector<Listener*> g_listeners;
static void called_when_gone() {
  auto* listener = new Listener;
  g_listeners = {listener};
  both(
      [] {
        std::unique_lock lock(g_lock);
        const std::vector<Listener*> all = g_listeners;
        if (g_faulty) lock.unlock();
        for (Listener* one : all) one->call();
      },
      [listener] {
        const std::lock_guard lock(g_lock);
        g_listeners.clear();
        delete listener;
      });
}

// A stack without locks: its top is freed while another thread is about to look at it.
static std::atomic<Node*> g_top;
static void popped_by_another() {
  for (int i = 0; i < 4; ++i) {
    auto* node = new Node;
    node->next = g_top;
    g_top = node;
  }
  const auto pop = [] {
    for (int i = 0; i < 2; ++i) {
      std::unique_lock lock(g_lock, std::defer_lock);
      if (!g_faulty) lock.lock();
      Node* top = g_top.load();
      while (top != nullptr && !g_top.compare_exchange_weak(top, hidden(top)->next)) {
      }
      delete top;
    }
  };
  both(pop, pop);
}

static char* g_buffer;
static void grown_by_another() {
  g_buffer = static_cast<char*>(calloc(16, 1));
  both(
      [] {
        std::unique_lock lock(g_lock);
        char* buffer = hidden(g_buffer);
        if (g_faulty) lock.unlock();
        buffer[3] = 1;
      },
      [] {
        const std::lock_guard lock(g_lock);
        g_buffer = static_cast<char*>(realloc(g_buffer, 64));
      });
  free(g_buffer);
}

static std::deque<std::unique_ptr<Node>> g_queue;
static void front_of_a_queue() {
  g_queue.push_back(std::make_unique<Node>());
  both(
      [] {
        std::unique_lock lock(g_lock);
        if (g_queue.empty()) return;
        const Node* front = hidden(g_queue.front().get());
        if (g_faulty) lock.unlock();
        g_sink = front->value;
      },
      [] {
        const std::lock_guard lock(g_lock);
        if (!g_queue.empty()) g_queue.pop_front();
      });
}

// A flag says that it is alive, and is looked at too early.
static std::atomic<bool> g_alive;
static void alive_a_moment_ago() {
  auto* node = new Node;
  g_alive = true;
  both(
      [node] {
        std::unique_lock lock(g_lock, std::defer_lock);
        if (!g_faulty) lock.lock();
        if (g_alive) g_sink = hidden(node)->value;
      },
      [node] {
        const std::lock_guard lock(g_lock);
        g_alive = false;
        delete node;
      });
}

// A lock lies in what it protects.
struct Locked {
  std::mutex mutex;
  long value = 1;
};
static std::atomic<Locked*> g_locked;
static void lock_of_what_is_gone() {
  g_locked = new Locked;
  both(
      [] {
        const std::unique_lock lock =
            g_faulty ? std::unique_lock<std::mutex>() : std::unique_lock(g_lock);
        Locked* object = g_locked;
        if (object == nullptr) return;
        const std::lock_guard inner(object->mutex);
        ++object->value;
      },
      [] {
        const std::lock_guard lock(g_lock);
        Locked* object = g_locked.exchange(nullptr);
        {
          const std::lock_guard inner(object->mutex);
        }
        delete object;
      });
}

// What a thread has on its stack, when the thread has ended.
static std::atomic<long*> g_published;
static void of_an_ended_thread() {
  std::atomic<bool> used = false;
  std::thread owner([&used] {
    long number = 5;
    g_published = hidden(&number);
    if (!g_faulty)
      while (!used) std::this_thread::yield();
  });
  std::thread reader([&used] {
    while (g_published == nullptr) std::this_thread::yield();
    g_sink = *g_published;
    used = true;
  });
  reader.join();
  owner.join();
}

// An argument is a temporary of the call that starts the thread.
static void pointer_to_a_temporary() {
  std::thread thread;
  {
    auto text = std::make_unique<std::string>("some text, and more of it than fits");
    thread = std::thread([at = text.get()] { g_sink = static_cast<long>(at->size()); });
    if (!g_faulty) thread.join();
  }
  if (thread.joinable()) thread.join();
}

// A cache drops what a reader has just found.
static std::map<std::string, std::shared_ptr<std::string>> g_cache;
static void dropped_from_the_cache() {
  g_cache["one"] = std::make_shared<std::string>("a text that is longer than a short one");
  both(
      [] {
        std::unique_lock lock(g_lock);
        const auto found = g_cache.find("one");
        if (found == g_cache.end()) return;
        const std::shared_ptr<std::string> mine = g_faulty ? nullptr : found->second;
        const std::string* text = hidden(found->second.get());
        lock.unlock();
        g_sink = static_cast<long>(text->size());
      },
      [] {
        const std::lock_guard lock(g_lock);
        g_cache.clear();
      });
}

// In one of a hundred rounds the pointer is used after the lock. Nothing but that lock orders the
// use and the free, and the free mostly comes elsewhere.
static Node* const g_early = new Node;  // before main
static Node* g_rarely = g_early;
static void rarely_after_the_lock() {
  both(
      [] {
        for (int i = 0; i < 100; ++i) {
          std::unique_lock lock(g_lock);
          const Node* node = g_rarely;
          if (node == nullptr) return;
          if (g_faulty && i == 50) lock.unlock();
          g_sink = node->value;
        }
      },
      [] {
        const std::lock_guard lock(g_lock);
        delete g_rarely;
        g_rarely = nullptr;
      });
}

// Use and free both hold the lock, each time. But in one of a hundred rounds the pointer is from an
// earlier time.
static void rarely_from_before() {
  g_node = new Node;
  both(
      [] {
        for (int i = 0; i < 100; ++i) {
          std::unique_lock lock(g_lock);
          const Node* node = g_node;
          if (i == 50) {
            lock.unlock();
            lock.lock();
            if (!g_faulty) node = g_node;
            if (node != nullptr) g_sink = node->value;
          }
        }
      },
      [] {
        const std::lock_guard lock(g_lock);
        delete g_node;
        g_node = nullptr;
      });
}

int main(int count, char** arguments) {
  void (*const all[])() = {used_after_the_lock,
                           notified_after_the_unlock,
                           notified_after_the_unlock_on_a_stack,
                           reference_to_a_local,
                           deleted_by_both,
                           counted_in_two_steps,
                           element_of_a_vector,
                           value_of_a_map,
                           text_of_a_string,
                           without_ownership,
                           detached,
                           called_when_gone,
                           popped_by_another,
                           grown_by_another,
                           front_of_a_queue,
                           alive_a_moment_ago,
                           lock_of_what_is_gone,
                           of_an_ended_thread,
                           pointer_to_a_temporary,
                           dropped_from_the_cache,
                           rarely_after_the_lock,
                           rarely_from_before};
  if (count == 1) {
    printf("%zu\n", sizeof all / sizeof all[0]);
    return 0;
  }
  if (count != 3) return 2;
  g_faulty = strcmp(arguments[1], "faulty") == 0;
  all[atoi(arguments[2]) - 1]();
  return 0;
}

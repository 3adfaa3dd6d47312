// `values NAME STRATEGY` explores a function by raddle::check in a bare main, and prints what was
// covered. Built with raddle-c++: its accesses are seen.
#include <cassert>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <raddle/check.hpp>
#include <thread>

namespace {

struct Node {
  int value;
  Node* next;
};

// Two threads put a node each into a list; without the lock one may be lost.
void list(bool locks) {
  Node* head = nullptr;
  std::mutex mutex;
  const auto put = [&](int value) {
    Node* node = new Node{value, nullptr};
    if (locks) mutex.lock();
    node->next = head;
    head = node;
    if (locks) mutex.unlock();
  };
  std::thread one(put, 1);
  std::thread two(put, 2);
  one.join();
  two.join();
  int sum = 0;
  while (head != nullptr) {
    Node* next = head->next;
    sum += head->value;
    delete head;
    head = next;
  }
  assert(sum == 3);
}

Node* g_kept;

// What an execution allocates, the next one finds.
void keeps() {
  std::mutex mutex;
  const auto put = [&](int value) {
    mutex.lock();
    g_kept = new Node{value, nullptr};
    mutex.unlock();
  };
  std::thread one(put, 1);
  std::thread two(put, 2);
  one.join();
  two.join();
  assert(g_kept->value > 0);
}

}  // namespace

int main(int, char** arguments) {
  raddle::Options options;
  options.strategy = arguments[2];
  options.races = false;  // the strategy is to find what comes of them
  const auto function = [&] {
    if (std::strcmp(arguments[1], "keeps") == 0) {
      keeps();
    } else {
      list(std::strcmp(arguments[1], "list") == 0);
    }
  };
  try {
    const raddle::Coverage coverage = raddle::check(options, function);
    std::printf("%s, %s, %lu executions, %lu queries, %lu unknown\n",
                coverage.exhausted ? "exhausted" : "not exhausted",
                coverage.complete ? "complete" : "incomplete",
                static_cast<unsigned long>(coverage.executions),
                static_cast<unsigned long>(coverage.queries),
                static_cast<unsigned long>(coverage.unknown));
    if (coverage.unseen != nullptr) std::printf("unseen: %s\n", coverage.unseen);
  } catch (const raddle::CheckFailed& failure) {
    std::printf("%s", failure.what());
    return 1;
  }
}

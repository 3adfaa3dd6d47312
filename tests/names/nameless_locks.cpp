// Two threads take two locks in different orders. The argument says where the locks are: nowhere do
// they have a variable's name.
#include <pthread.h>

#include <cstdlib>
#include <cstring>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

extern "C" {
struct pool;
pool* pool_new(void);
void pool_lock(pool* pool);
void pool_unlock(pool* pool);
}

struct Account {
  std::mutex mutex;
  int balance = 0;
};

template <class Lock, class Unlock>
void in_turn(Lock lock, Unlock unlock) {
  const auto both = [=](int first, int second) {
    lock(first);
    lock(second);
    unlock(second);
    unlock(first);
  };
#ifdef FIXED
  std::thread one(both, 0, 1), two(both, 0, 1);
#else
  std::thread one(both, 0, 1), two(both, 1, 0);
#endif
  one.join();
  two.join();
}

template <class Mutexes>
void with(Mutexes& mutexes) {
  in_turn([&](int i) { mutexes(i).lock(); }, [&](int i) { mutexes(i).unlock(); });
}

int main(int argc, char** argv) {
  const std::string where = argc > 1 ? argv[1] : "library";
  if (where == "library") {
    pool* pools[] = {pool_new(), pool_new()};
    in_turn([&](int i) { pool_lock(pools[i]); }, [&](int i) { pool_unlock(pools[i]); });
  } else if (where == "vector") {
    std::vector<std::mutex> all(2);
    auto at = [&](int i) -> std::mutex& { return all[static_cast<std::size_t>(i)]; };
    with(at);
  } else if (where == "unique_ptr") {
    std::vector<std::unique_ptr<Account>> all;
    for (int i = 0; i < 2; ++i) all.push_back(std::make_unique<Account>());
    auto at = [&](int i) -> std::mutex& { return all[static_cast<std::size_t>(i)]->mutex; };
    with(at);
  } else if (where == "map") {
    std::map<int, Account> all;
    auto at = [&](int i) -> std::mutex& { return all.find(i)->second.mutex; };
    for (int i = 0; i < 2; ++i) all.try_emplace(i);
    with(at);
  } else if (where == "deque") {
    std::deque<Account> all(2);
    auto at = [&](int i) -> std::mutex& { return all[static_cast<std::size_t>(i)].mutex; };
    with(at);
  } else if (where == "shared_ptr") {
    std::shared_ptr<Account> all[] = {std::make_shared<Account>(), std::make_shared<Account>()};
    auto at = [&](int i) -> std::mutex& { return all[i]->mutex; };
    with(at);
  } else if (where == "malloc") {
    auto* all = static_cast<pthread_mutex_t*>(std::malloc(2 * sizeof(pthread_mutex_t)));
    for (int i = 0; i < 2; ++i) pthread_mutex_init(&all[i], nullptr);
    in_turn([&](int i) { pthread_mutex_lock(&all[i]); },
            [&](int i) { pthread_mutex_unlock(&all[i]); });
  } else if (where == "local") {
    Account all[2];
    auto at = [&](int i) -> std::mutex& { return all[i].mutex; };
    with(at);
  }
}

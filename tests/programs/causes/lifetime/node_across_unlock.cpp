// A list is gone through under a lock that is given up for each element; another takes one out.
// cause: use-after-free
// object: element of a list or the memory of jobs
// says: In between T2 had mutex, and freed the
// seen: keep no pointer, reference or iterator to it while mutex is released
// never: shared_ptr
#include <list>
#include <mutex>
#include <thread>

std::mutex mutex;
std::list<int> jobs{1, 2, 3};

int work(int job) { return job * 2; }

void poll(int& sum) {
  std::unique_lock<std::mutex> hold(mutex);
#ifdef FIXED
  const std::list<int> all = jobs;
  hold.unlock();
  for (int job : all) sum += work(job);
#else
  for (auto job = jobs.begin(); job != jobs.end(); ++job) {  // [last]
    const int value = *job;
    hold.unlock();
    sum += work(value);
    hold.lock();
  }
#endif
}

void cancel(int job) {
  std::lock_guard<std::mutex> hold(mutex);
  jobs.remove(job);  // [first]
}

int main() {
  int sum = 0;
  std::thread poller([&] { poll(sum); });
  std::thread canceller([] { cancel(1); });
  poller.join();
  canceller.join();
}

// Who finishes the job unlocks what its owner may have locked again by then.
// level: misuse
// cause: held-by-another
// object: job.busy
// says: which locked job.busy, unlock it
#include <atomic>
#include <mutex>
#include <thread>

struct Job {
  std::mutex busy;
  std::atomic<bool> done{false};
} job;

void finish() {
#ifndef FIXED
  job.busy.unlock();  // [last]
#endif
  job.done = true;
}

int main() {
  job.busy.lock();  // [first]
  std::thread worker(finish);
  worker.join();
#ifdef FIXED
  job.busy.unlock();
#endif
}

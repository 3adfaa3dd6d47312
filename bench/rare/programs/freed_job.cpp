// A job is finished by whoever comes last of N, who frees it. One helper looks at it once more
// after it has counted itself out.
#include "rare.hpp"

struct Job {
  std::atomic<int> left{N};
  std::atomic<int> done{0};
};

int main() {
  Job* job = new Job;
  std::vector<std::thread> helpers = start(N, [job](int i) {
    ++job->done;
    const bool looks = i == 0;
    if (kFixed && looks) require(job->done > 0, "something is done");
    if (--job->left == 0) {
      delete job;
    } else if (!kFixed && looks) {
      require(job->done > 0, "something is done");
    }
  });
  join(helpers);
}

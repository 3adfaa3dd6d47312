// Each of two owners looks at the count after it has left: both may see nobody, and delete.
// cause: use-after-free
// object: owners.frame
// never: wait for
#include <atomic>
#include <thread>

struct Frame {
  int* data = new int(7);
  ~Frame() { delete data; }
};

struct Owners {
  Frame* frame = new Frame;
  std::atomic<int> count{2};
} owners;

void drop() {
#ifdef FIXED
  if (owners.count.fetch_sub(1) == 1) delete owners.frame;
#else
  owners.count.fetch_sub(1);
  if (owners.count.load() == 0) {
    delete owners.frame;  // [first] [last]
  }
#endif
}

int main() {
  std::thread encoder(drop);
  std::thread preview(drop);
  encoder.join();
  preview.join();
}

// A detached thread reads options that live on the stack of a function that has returned.
// cause: use-after-return
// object: options
#include <cassert>
#include <thread>

struct Options {
  int retries = 4;
  int pause = 10;
};

__attribute__((noinline)) void start_upload(std::thread& uploader) {  // [first]
  Options options;
  uploader = std::thread([&options] {
    assert(options.retries == 4);  // [last]
  });
#ifdef FIXED
  uploader.join();
#endif
}

__attribute__((noinline)) int checksum() {
  int blocks[256];
  for (int& block : blocks) block = 99;
  __asm__ volatile("" : : "r"(blocks) : "memory");
  return blocks[17];
}

int main() {
  std::thread uploader;
  start_upload(uploader);
  checksum();
  if (uploader.joinable()) uploader.join();
}

// expect: crash
// seeds: 20
// native: no
// message: segmentation fault at an address that no memory can have
// A thread follows a pointer whose upper bits are no address. The kernel says 0 of it, which is not
// where it points.
#include <cstdint>
#include <thread>

int read_value(const volatile int* value) { return *value; }

int main() {
  std::uintptr_t garbage = 0x4141414141414141;
  std::thread reader([&] { read_value(reinterpret_cast<const int*>(garbage)); });
  reader.join();
}

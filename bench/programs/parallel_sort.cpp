// Four threads sort integers: halves first, then they merge. Argument: the number of integers.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

namespace {

void sort_range(std::vector<std::uint32_t>& values, std::size_t begin, std::size_t end,
                int splits) {
  auto first = values.begin() + std::ptrdiff_t(begin);
  auto last = values.begin() + std::ptrdiff_t(end);
  if (splits == 0) {
    std::sort(first, last);
    return;
  }
  std::size_t middle = begin + (end - begin) / 2;
  std::thread left([&] { sort_range(values, begin, middle, splits - 1); });
  sort_range(values, middle, end, splits - 1);
  left.join();
  std::inplace_merge(first, values.begin() + std::ptrdiff_t(middle), last);
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t count = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 2'000'000;
  std::vector<std::uint32_t> values(count);
  std::uint32_t state = 1;
  for (auto& value : values) value = state = state * 1664525 + 1013904223;
  sort_range(values, 0, count, 2);
  std::puts(std::is_sorted(values.begin(), values.end()) ? "sorted" : "NOT sorted");
}

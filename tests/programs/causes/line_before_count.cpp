// A line is written, and then counted, under the lock each time. A character is no flag.
// cause: torn-pair
// object: report.text
// also: -O2
// says: do not release report.mutex between the two writes
// never: made known
// never: +0x
#include <cassert>
#include <mutex>
#include <string>
#include <thread>

struct Report {
  std::mutex mutex;
  std::string text;
  int lines = 0;
} report;

void write_line(char mark) {
#ifdef FIXED
  const std::lock_guard lock(report.mutex);
  report.text[0] = mark;
  ++report.lines;
#else
  {
    const std::lock_guard lock(report.mutex);
    report.text[0] = mark;
  }
  const std::lock_guard lock(report.mutex);
  ++report.lines;
#endif
}

void check() {
  const std::lock_guard lock(report.mutex);
  const char mark = report.text[0];  // [first]
  const int lines = report.lines;    // [last]
  assert((mark == '#') == (lines == 1));
}

int main() {
  report.text = ".";
  std::thread writer(write_line, '#');
  std::thread reader(check);
  writer.join();
  reader.join();
}

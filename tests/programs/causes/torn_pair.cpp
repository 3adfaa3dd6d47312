// Two fields that belong together; the reader comes between their writes.
// cause: torn-pair
// object: position.x
#include <cassert>
#include <mutex>
#include <thread>

struct Position {
  std::mutex mutex;
  int x = 0;
  int y = 0;
} position;

void move_diagonally() {
#ifdef FIXED
  const std::lock_guard lock(position.mutex);
#endif
  position.x += 1;
  position.y += 1;
}

void draw() {
#ifdef FIXED
  const std::lock_guard lock(position.mutex);
#endif
  const int x = position.x;  // [first]
  const int y = position.y;  // [last]
  assert(x == y);
}

int main() {
  std::thread player(move_diagonally);
  draw();
  player.join();
}

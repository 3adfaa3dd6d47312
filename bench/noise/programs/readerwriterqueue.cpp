// library: readerwriterqueue
// package: libreaderwriterqueue-dev
// headers only
// There and back between two threads: a queue that waits, and a ring of fixed size.
#include <readerwriterqueue/readerwritercircularbuffer.h>
#include <readerwriterqueue/readerwriterqueue.h>

#include <cassert>
#include <thread>

int main() {
  moodycamel::BlockingReaderWriterQueue<int> questions(2);
  moodycamel::BlockingReaderWriterCircularBuffer<int> answers(2);
  std::thread worker([&] {
    for (;;) {
      int number;
      questions.wait_dequeue(number);
      answers.wait_enqueue(2 * number);
      if (number == 0) return;
    }
  });
  for (int i = 1; i <= 4; ++i) assert(questions.enqueue(i));
  for (int i = 1; i <= 4; ++i) {
    int answer = 0;
    answers.wait_dequeue(answer);
    assert(answer == 2 * i);
  }
  assert(questions.enqueue(0));
  worker.join();
}

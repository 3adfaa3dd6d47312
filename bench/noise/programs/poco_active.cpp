// library: Poco
// package: libpoco-dev
// link: -lPocoFoundation
// Active methods run on pool threads and return futures; a cache that both threads use.
#include <Poco/ActiveMethod.h>
#include <Poco/ActiveResult.h>
#include <Poco/LRUCache.h>
#include <Poco/SharedPtr.h>

#include <cassert>
#include <string>

class Squares {
 public:
  Squares() : square(this, &Squares::compute), cache_(4) {}
  Poco::ActiveMethod<int, int, Squares> square;
  std::size_t size() { return cache_.size(); }

 private:
  int compute(const int& number) {
    if (const Poco::SharedPtr<int> known = cache_.get(number)) return *known;
    cache_.add(number, number * number);
    return number * number;
  }
  Poco::LRUCache<int, int> cache_;
};

int main() {
  Squares squares;
  Poco::ActiveResult<int> one = squares.square(3);
  Poco::ActiveResult<int> two = squares.square(4);
  Poco::ActiveResult<int> again = squares.square(3);
  one.wait();
  two.wait();
  again.wait();
  assert(one.data() == 9 && two.data() == 16 && again.data() == 9);
  assert(squares.size() == 2);
}

// A librarian goes through the shelf under the lock for reading. So does the one who takes a book
// out of it.
// cause: written-by-reader
// object: Book::title
// says: with shelf.mutex_ held for reading only
// seen: for writing
// never: released shelf.mutex_
// also: -O2
#include <cassert>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

struct Book {
  std::string title;
  int pages = 0;
};

class Shelf {
 public:
  void add(const std::string& title, int pages) {
    const std::unique_lock lock(mutex_);
    books_.push_back({title, pages});
  }
  int pages() const {
    const std::shared_lock lock(mutex_);
    int sum = 0;
    for (const Book& book : books_) {
      assert(!book.title.empty());  // [last]
      sum += book.pages;
    }
    return sum;
  }
  void take(const std::string& title) {
#ifdef FIXED
    const std::unique_lock lock(mutex_);
#else
    const std::shared_lock lock(mutex_);
#endif
    for (auto book = books_.begin(); book != books_.end(); ++book) {
      if (book->title != title) continue;
      books_.erase(book);  // [first]
      return;
    }
  }

 private:
  mutable std::shared_mutex mutex_;
  std::vector<Book> books_;
};

int main() {
  Shelf shelf;
  for (const char* title : {"atlas", "bible", "codex"}) shelf.add(title, 100);
  std::thread librarian([&] { (void)shelf.pages(); });
  std::thread borrower([&] { shelf.take("atlas"); });
  librarian.join();
  borrower.join();
}

// A view asks whether its document is still open, and then takes it for granted: the document is
// closed in between.
// cause: check-then-act
// object: view.document_
// says: as its last owner
// seen: call lock() once
#include <memory>
#include <mutex>
#include <thread>

struct Document {
  int pages = 3;
};

class View {
 public:
  explicit View(const std::shared_ptr<Document>& document) : document_(document) {}
  int pages() const {
#ifdef FIXED
    const std::shared_ptr<Document> document = document_.lock();
    return document ? document->pages : 0;
#else
    if (document_.expired()) return 0;  // [first]
    return document_.lock()->pages;     // [last]
#endif
  }

 private:
  std::weak_ptr<Document> document_;
};

class Editor {
 public:
  std::shared_ptr<Document> open() {
    const std::lock_guard lock(mutex_);
    document_ = std::make_shared<Document>();
    return document_;
  }
  void close() {
    const std::lock_guard lock(mutex_);
    document_.reset();
  }

 private:
  std::mutex mutex_;
  std::shared_ptr<Document> document_;
};

int main() {
  Editor editor;
  const View view(editor.open());
  std::thread reader([&] { (void)view.pages(); });
  editor.close();
  reader.join();
}

// The count of owners is decreased by one operation, and another one decides who frees.
// cause: split-release
// object: Texture::owners
// says: use what the operation at split_release.cpp:21 returns
// never: keep the object alive
#include <atomic>
#include <thread>

struct Texture {
  std::atomic<int> owners{2};
  int width = 640;
};

std::atomic<int> drawn{0};

void release(Texture* texture) {
#ifdef FIXED
  if (texture->owners.fetch_sub(1) == 1) delete texture;
#else

  texture->owners.fetch_sub(1);              // [first]
  if (texture->owners == 0) delete texture;  // [last]
#endif
}

void draw(Texture* texture) {
  drawn += texture->width;
  release(texture);
}

int main() {
  auto* texture = new Texture;
  std::thread preview(draw, texture);
  draw(texture);
  preview.join();
}

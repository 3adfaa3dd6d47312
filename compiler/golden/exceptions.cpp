// A function that an exception leaves exits all the same; and the cleanups on the way.
struct Error {
  int code;
};

int g_depth;

struct Guard {
  int* depth;
  explicit Guard(int* d) : depth(d) {
    ++*depth;
    depth = d;
  }
  ~Guard() { --*depth; }
};

__attribute__((noinline)) void fail(int code) {
  Guard guard(&g_depth);
  if (code > 0) throw Error{code};
}

struct Work {
  int done = 0;
  int steps = 0;
  void run(int code) {
    ++steps;
    fail(code);
    ++done;
  }
  int try_run(int code) noexcept {
    try {
      run(code);
    } catch (const Error& error) {
      return error.code;
    }
    return 0;
  }
  void rethrow(int code) {
    try {
      run(code);
    } catch (...) {
      steps = -steps;
      throw;
    }
  }
};

int main() {
  Work* volatile work = new Work;
  int result = work->try_run(0);
  result += work->try_run(4);
  try {
    work->rethrow(5);
  } catch (const Error& error) {
    result += error.code;
  }
  delete work;
  return result == 9 ? 0 : 1;
}

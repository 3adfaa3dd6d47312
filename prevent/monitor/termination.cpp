#include "prevent/monitor/termination.hpp"

#include <cxxabi.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <thread>
#include <typeinfo>

#include "prevent/monitor/gate.hpp"

namespace raddle::monitor {
namespace {

std::terminate_handler g_before = nullptr;

std::string exception_text() {
  const std::type_info* type = abi::__cxa_current_exception_type();
  if (type == nullptr) return "";
  int status = 0;
  char* name = abi::__cxa_demangle(type->name(), nullptr, nullptr, &status);
  std::string out = status == 0 ? name : type->name();
  std::free(name);
  try {
    throw;
  } catch (const std::exception& error) {
    return out + ": " + error.what();
  } catch (...) {
    return out;
  }
}

// The lock may be held by this very thread, if the exception comes from within.
bool lock_soon(std::mutex& mutex) {
  for (int i = 0; i < 100; ++i) {
    if (mutex.try_lock()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

void explain() {
  Gate& gate = Gate::get();
  const std::string what = exception_text();
  if (!what.empty() && lock_soon(gate.mutex())) {
    std::string text;
    for (const Monitor* monitor : gate.monitors()) text += monitor->title() + "\n";
    text += gate.self().title() + " ends with an exception that nobody catches: " + what;
    for (const std::shared_ptr<Thread>& thread : gate.threads()) {
      if (!thread->ended && gate.holds(*thread))
        text += "\n  " + thread->title() + " is held at `" + thread->held_at + "`" +
                gate.reasons(*thread);
    }
    gate.mutex().unlock();
    std::fprintf(stderr, "raddle: %s\n", text.c_str());
  }
  if (g_before != nullptr) g_before();
  std::abort();
}

}  // namespace

void begin_explaining_termination() {
  const std::terminate_handler before = std::set_terminate(explain);
  if (before != explain) g_before = before;
}

void end_explaining_termination() {
  if (std::get_terminate() == explain) std::set_terminate(g_before);
}

}  // namespace raddle::monitor

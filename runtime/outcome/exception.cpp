#include "runtime/outcome/exception.hpp"

#include <dlfcn.h>
#include <string.h>

#include "runtime/base.hpp"

namespace raddle {
namespace {

// The C++ ABI's view of std::type_info: a vtable pointer, then the name.
struct TypeInfo {
  void** vtable;
  const char* name;
};

// Entry of type_info's vtable that says whether a handler for this type catches an object of
// another, adjusting the pointer: __do_catch in libstdc++, can_catch in libc++abi, at the same
// place in both.
constexpr int kCatchSlot = 4;
constexpr int kWhatSlot = 2;  // of std::exception

using CanCatch = bool (*)(const TypeInfo* self, const TypeInfo* thrown, void** object,
                          unsigned outer);
using What = const char* (*)(const void* exception);

void copy_text(char* to, std::size_t size, const char* from) {
  strncpy(to, from, size - 1);
  to[size - 1] = 0;
}

}  // namespace

bool describe_exception(Report& report) {
  using CurrentType = TypeInfo* (*)();
  using CurrentObject = void* (*)();
  auto current_type =
      reinterpret_cast<CurrentType>(dlsym(RTLD_DEFAULT, "__cxa_current_exception_type"));
  if (current_type == nullptr) return false;
  TypeInfo* type = current_type();
  if (type == nullptr) return false;
  const char* name = type->name[0] == '*' ? type->name + 1 : type->name;
  copy_text(report.exception_type, sizeof(report.exception_type), name);
  report.message[0] = 0;

  // __cxa_get_globals()->caughtExceptions is the exception's header; the adjusted object pointer is
  // found through __cxa_current_primary_exception (libc++abi) or by the header's fixed end before
  // the object.
  auto globals = reinterpret_cast<CurrentObject>(dlsym(RTLD_DEFAULT, "__cxa_get_globals"));
  auto* base = static_cast<TypeInfo*>(dlsym(RTLD_DEFAULT, "_ZTISt9exception"));
  if (globals == nullptr || base == nullptr) return true;
  void* header = *static_cast<void**>(globals());
  if (header == nullptr) return true;
  // __cxa_exception: ..., adjustedPtr (8 bytes), _Unwind_Exception (32 bytes, 16-aligned), object.
  // The header starts 128 bytes before the object in libstdc++ and libc++abi on x86-64.
  constexpr std::size_t kHeaderSize = 128;
  void* object =
      static_cast<char*>(header) +
      (dlsym(RTLD_DEFAULT, "__cxa_current_primary_exception") != nullptr ? kHeaderSize
                                                                         : kHeaderSize - 16);
  auto can_catch = reinterpret_cast<CanCatch>(base->vtable[kCatchSlot]);
  if (!can_catch(base, type, &object, 1)) return true;
  auto what = reinterpret_cast<What>((*static_cast<void***>(object))[kWhatSlot]);
  if (const char* text = what(object)) copy_text(report.message, sizeof(report.message), text);
  return true;
}

}  // namespace raddle

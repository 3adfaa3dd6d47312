#include "target/outcome/exception.hpp"

#include <dlfcn.h>
#include <string.h>

#include "target/base/base.hpp"

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

// __cxa_exception ends with an _Unwind_Exception of 32 bytes, which starts with the class of the
// exception, and then comes the object. libc++abi has two more words in front than libstdc++. The
// last byte of the class is 1 for what std::rethrow_exception throws (the result of a future): a
// header that points to the object.
void* thrown_object(char* header) {
  bool libcxx = dlsym(RTLD_DEFAULT, "__cxa_current_primary_exception") != nullptr;
  std::size_t extra = libcxx ? 16 : 0;
  constexpr std::size_t kUnwindOffset = 80;
  constexpr std::size_t kUnwindSize = 32;
  std::uint64_t exception_class = 0;
  memcpy(&exception_class, header + extra + kUnwindOffset, sizeof(exception_class));
  if ((exception_class & 0xff) == 0) return header + extra + kUnwindOffset + kUnwindSize;
  void* primary = nullptr;
  memcpy(&primary, header + (libcxx ? 8 : 0), sizeof(primary));
  return primary;
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

  auto globals = reinterpret_cast<CurrentObject>(dlsym(RTLD_DEFAULT, "__cxa_get_globals"));
  auto* base = static_cast<TypeInfo*>(dlsym(RTLD_DEFAULT, "_ZTISt9exception"));
  if (globals == nullptr || base == nullptr) return true;
  void* header = *static_cast<void**>(globals());  // __cxa_eh_globals::caughtExceptions
  if (header == nullptr) return true;
  void* object = thrown_object(static_cast<char*>(header));
  if (object == nullptr) return true;
  auto can_catch = reinterpret_cast<CanCatch>(base->vtable[kCatchSlot]);
  if (!can_catch(base, type, &object, 1)) return true;
  auto what = reinterpret_cast<What>((*static_cast<void***>(object))[kWhatSlot]);
  if (const char* text = what(object)) copy_text(report.message, sizeof(report.message), text);
  return true;
}

}  // namespace raddle

# What raddle-cc and raddle-c++ are made of: clang 19 and the LLVM that it was built from. Without them the rest
# builds all the same.
find_program(RADDLE_CLANG clang-19)
mark_as_advanced(RADDLE_CLANG)
find_package(LLVM 19.1 CONFIG QUIET PATHS /usr/lib/llvm-19)
if(NOT LLVM_FOUND OR NOT RADDLE_CLANG)
  message(STATUS "clang-19 or llvm-19-dev not found: raddle-cc and raddle-c++ are not built (scripts/setup)")
  set(RADDLE_CLANG "")
endif()

# __attribute__((no_sanitize("raddle"))): clang forgets names that it does not know, so an annotation goes with each.
# GNU and C++11 attributes share the macro. In [[clang::no_sanitize(...)]] the second attribute cannot be spelled, so
# there it is an unknown one, without the warning.
set(RADDLE_NO_SANITIZE [[-Dno_sanitize(...)=no_sanitize(__VA_ARGS__), _Pragma("clang diagnostic push") \
_Pragma("clang diagnostic ignored \"-Wunknown-attributes\"") __annotate__("raddle:no_sanitize", __VA_ARGS__) \
_Pragma("clang diagnostic pop")]])
string(REPLACE "\\\n" "" RADDLE_NO_SANITIZE "${RADDLE_NO_SANITIZE}")

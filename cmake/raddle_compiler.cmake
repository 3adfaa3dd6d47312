# What raddle-cc and raddle-c++ are made of: clang 19 and the LLVM that it was built from. Without them the rest
# builds all the same.
find_program(RADDLE_CLANG clang-19)
mark_as_advanced(RADDLE_CLANG)
find_package(LLVM 19.1 CONFIG QUIET PATHS /usr/lib/llvm-19)
if(NOT LLVM_FOUND OR NOT RADDLE_CLANG)
  message(STATUS "clang-19 or llvm-19-dev not found: raddle-cc and raddle-c++ are not built (scripts/setup)")
  set(RADDLE_CLANG "")
endif()

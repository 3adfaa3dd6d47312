# Writes FILE, a header that defines RADDLE_COMMIT: the commit that SOURCE is at, "a9c2da7", with "-dirty" after it if
# files were changed since; empty if SOURCE is not the root of a repository. FILE is only touched if that has changed.
# cmake -D SOURCE=... -D FILE=... -P raddle_commit.cmake
set(commit "")
find_program(git git)
if(git)
  execute_process(COMMAND ${git} -C ${SOURCE} rev-parse --show-toplevel
    OUTPUT_VARIABLE root OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  file(REAL_PATH ${SOURCE} here)
  if(root STREQUAL here)
    set(ENV{GIT_OPTIONAL_LOCKS} 0)
    execute_process(COMMAND ${git} -C ${SOURCE} describe --always --dirty --abbrev=7 --exclude=*
      OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
endif()
set(text "#define RADDLE_COMMIT \"${commit}\"\n")
set(before "")
if(EXISTS ${FILE})
  file(READ ${FILE} before)
endif()
if(NOT text STREQUAL before)
  file(WRITE ${FILE} "${text}")
endif()

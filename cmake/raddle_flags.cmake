# Language, warnings and sanitizers. Two worlds: host code (raddle_host_flags), and everything that is
# built as its users would build it (examples, programs under test), which gets none of our flags.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_EXTENSIONS ON)  # C11 threads beside POSIX: the programs under test need both
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

# Assertions stay on in every build: ours check invariants, those of the examples are what we look for.
foreach(config RELEASE RELWITHDEBINFO MINSIZEREL)
  foreach(language C CXX)
    string(REPLACE "-DNDEBUG" "" CMAKE_${language}_FLAGS_${config} "${CMAKE_${language}_FLAGS_${config}}")
    string(REPLACE "-O3" "-O2" CMAKE_${language}_FLAGS_${config} "${CMAKE_${language}_FLAGS_${config}}")
  endforeach()
endforeach()

option(RADDLE_WERROR "Warnings in our own code are errors" ON)
option(RADDLE_SANITIZE "Address and undefined-behaviour sanitizers in host code and unit tests" OFF)

option(RADDLE_TOGETHER "Host code with precompiled headers, several files as one" OFF)

find_program(RADDLE_CCACHE ccache)
mark_as_advanced(RADDLE_CCACHE)
if(RADDLE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(launcher ${RADDLE_CCACHE})
  if(RADDLE_TOGETHER)  # what ccache asks for before it keeps files that use precompiled headers
    set(launcher ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${RADDLE_CCACHE})
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
  endif()
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()

set(warnings
  -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wvla
  # Plain-data structures are filled by name, the rest is zero by design.
  -Wno-missing-field-initializers
  # gcc 12 takes the inside of an empty std::optional for an uninitialised variable; the lint check and
  # the sanitizers see the real ones.
  -Wno-maybe-uninitialized)

function(raddle_warning_options name)
  add_library(${name} INTERFACE)
  target_compile_options(${name} INTERFACE $<$<COMPILE_LANGUAGE:CXX>:${ARGN}>
    $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${RADDLE_WERROR}>>:-Werror>)
endfunction()
raddle_warning_options(raddle_warnings ${warnings})

# For what is compiled together. A local name may be that of something in another file of the group; a class may use the
# unnamed namespace of its file; gcc 12 inlines more there, and sees overflows in std::string that are none. The separate
# build has these warnings.
if(RADDLE_TOGETHER)
  list(REMOVE_ITEM warnings -Wshadow)
  list(APPEND warnings -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread
    -Wno-subobject-linkage)
endif()
raddle_warning_options(raddle_host_warnings ${warnings})

# Includes are named from the root of the repository: "protocol/plan.hpp".
add_library(raddle_host_flags INTERFACE)
target_link_libraries(raddle_host_flags INTERFACE raddle_host_warnings)
target_include_directories(raddle_host_flags INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_definitions(raddle_host_flags INTERFACE RADDLE_VERSION="${PROJECT_VERSION}")
if(RADDLE_SANITIZE)
  target_compile_options(raddle_host_flags INTERFACE
    -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer -O1 -g1)
  target_link_options(raddle_host_flags INTERFACE -fsanitize=address,undefined)
endif()

# Unit tests' own sources are compiled more cheaply than what they test.
set(RADDLE_TEST_OPTIONS)
if(RADDLE_TOGETHER AND NOT RADDLE_SANITIZE)
  set(RADDLE_TEST_OPTIONS -O1)
endif()

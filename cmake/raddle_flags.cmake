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

find_program(RADDLE_CCACHE ccache)
mark_as_advanced(RADDLE_CCACHE)
if(RADDLE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${RADDLE_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${RADDLE_CCACHE})
endif()

add_library(raddle_warnings INTERFACE)
target_compile_options(raddle_warnings INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:
    -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wvla
    # Plain-data structures are filled by name, the rest is zero by design.
    -Wno-missing-field-initializers
    # gcc 12 takes the inside of an empty std::optional for an uninitialised variable; the lint check and
    # the sanitizers see the real ones.
    -Wno-maybe-uninitialized
  >
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${RADDLE_WERROR}>>:-Werror>)

# Includes are named from the root of the repository: "protocol/plan.hpp".
add_library(raddle_host_flags INTERFACE)
target_link_libraries(raddle_host_flags INTERFACE raddle_warnings)
target_include_directories(raddle_host_flags INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_definitions(raddle_host_flags INTERFACE RADDLE_VERSION="${PROJECT_VERSION}")
if(RADDLE_SANITIZE)
  target_compile_options(raddle_host_flags INTERFACE
    -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer -O1)
  target_link_options(raddle_host_flags INTERFACE -fsanitize=address,undefined)
endif()

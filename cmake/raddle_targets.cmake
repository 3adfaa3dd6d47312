# What the folders' CMakeLists.txt have in common. Sources are found, not listed: a new file needs no
# edit, and a folder without sources makes no target.

# Here rather than in the folders: an imported target is known below the folder that finds it.
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(zstd REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(libdw REQUIRED IMPORTED_TARGET libdw)
find_package(nlohmann_json REQUIRED)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
if(BUILD_TESTING)
  find_package(GTest REQUIRED)
  include(GoogleTest)
endif()

add_custom_target(unit_tests)  # all of them, and nothing that they do not need

# The sources of one folder without its tests: raddle_sources(OUT [RECURSE] PATTERN...)
function(raddle_sources out)
  cmake_parse_arguments(arg "RECURSE" "" "" ${ARGN})
  set(mode GLOB)
  if(arg_RECURSE)
    set(mode GLOB_RECURSE)
  endif()
  file(${mode} found CONFIGURE_DEPENDS ${arg_UNPARSED_ARGUMENTS})
  list(FILTER found EXCLUDE REGEX "_test\\.cpp$")
  set(${out} ${found} PARENT_SCOPE)
endfunction()

# A static library of host code: raddle_host_library(NAME [SHARED] SOURCES... LINK libraries...)
function(raddle_host_library name)
  cmake_parse_arguments(arg "SHARED" "" "SOURCES;LINK" ${ARGN})
  if(NOT arg_SOURCES)
    message(STATUS "${name}: no sources yet")
    return()
  endif()
  add_library(${name} STATIC ${arg_SOURCES})
  if(arg_SHARED)  # also for libraddle_check.so
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  endif()
  target_link_libraries(${name} PUBLIC raddle_host_flags Threads::Threads)
  raddle_link_existing(${name} PUBLIC ${arg_LINK})
endfunction()

# A room of the host: host/NAME with its subfolders is the library raddle_NAME, its tests are NAME_tests. What is in
# a folder testing/ helps tests, and is a library of its own, raddle_NAME_testing: raddle_room(NAME LINK libraries...)
function(raddle_room name)
  cmake_parse_arguments(arg "" "" "LINK" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${name}/*.cpp)
  set(tests ${sources})
  set(helpers ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "(_test\\.cpp|/testing/[^/]*)$")
  list(FILTER helpers INCLUDE REGEX "/testing/[^/]*$")
  list(FILTER helpers EXCLUDE REGEX "_test\\.cpp$")
  raddle_host_library(raddle_${name} SHARED SOURCES ${sources} LINK fmt::fmt ${arg_LINK})
  if(helpers AND BUILD_TESTING)
    raddle_host_library(raddle_${name}_testing SOURCES ${helpers} LINK raddle_${name})
  endif()
  raddle_unit_tests(${name}_tests SOURCES ${tests} LINK raddle_${name} raddle_${name}_testing)
endfunction()

# Links those of our libraries that exist.
function(raddle_link_existing name scope)
  foreach(library IN LISTS ARGN)
    if(TARGET ${library} OR NOT library MATCHES "^raddle_")
      target_link_libraries(${name} ${scope} ${library})
    endif()
  endforeach()
endfunction()

# The unit tests of a folder as one executable, each TEST a test of ctest with the label "unit":
# raddle_unit_tests(NAME SOURCES... LINK libraries...)
function(raddle_unit_tests name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
  if(NOT BUILD_TESTING OR NOT arg_SOURCES)
    return()
  endif()
  add_executable(${name} ${arg_SOURCES})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  target_link_libraries(${name} PRIVATE raddle_host_flags GTest::gtest_main Threads::Threads)
  raddle_link_existing(${name} PRIVATE ${arg_LINK})
  add_dependencies(unit_tests ${name})
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST TEST_PREFIX "${name}." DISCOVERY_TIMEOUT 60
    PROPERTIES LABELS unit TIMEOUT 900 ENVIRONMENT "RADDLE_BUILD=${CMAKE_BINARY_DIR}")
endfunction()

# One program per source file, built as a user would build it and linked with nothing of ours:
# raddle_programs(GROUP FOLDER_IN_BUILD SOURCES... [OPTIONS ...] [LINK_OPTIONS ...])
function(raddle_programs group folder)
  cmake_parse_arguments(arg "" "" "SOURCES;OPTIONS;LINK_OPTIONS" ${ARGN})
  foreach(source IN LISTS arg_SOURCES)
    cmake_path(GET source STEM stem)
    set(target ${group}.${stem})
    add_executable(${target} ${source})
    set_target_properties(${target} PROPERTIES
      OUTPUT_NAME ${stem} RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/${folder})
    # Last on the command line, so that every build type compiles them alike.
    target_compile_options(${target} PRIVATE -O1 -g -pthread -Wall ${arg_OPTIONS})
    target_link_options(${target} PRIVATE -pthread ${arg_LINK_OPTIONS})
    set_property(GLOBAL APPEND PROPERTY raddle_${group}_targets ${target})
  endforeach()
endfunction()

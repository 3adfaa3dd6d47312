# A test with raddle::check, built and known to ctest:
#
#   raddle_add_test(NAME bank_test SOURCES bank_test.cpp [LIBRARIES GTest::gtest_main ...] [ARGUMENTS ...]
#                   [EXECUTIONS 10000 | 10x] [INSTRUMENT])
#
# EXECUTIONS is RADDLE_EXECUTIONS in the test's environment: how many executions each check makes, or how many times as
# many as it says. INSTRUMENT compiles the sources as raddle-c++ does, so that atomic operations are decision points too;
# it takes clang 19 as the compiler.
function(raddle_add_test)
  cmake_parse_arguments(arg "INSTRUMENT" "NAME;EXECUTIONS" "SOURCES;LIBRARIES;ARGUMENTS" ${ARGN})
  if(NOT arg_NAME OR NOT arg_SOURCES OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "raddle_add_test(NAME name SOURCES file... [LIBRARIES target...] [ARGUMENTS argument...] "
      "[EXECUTIONS number] [INSTRUMENT]): cannot make sense of \"${ARGN}\"")
  endif()
  find_package(Threads REQUIRED)
  add_executable(${arg_NAME} ${arg_SOURCES})
  target_link_libraries(${arg_NAME} PRIVATE raddle::check ${arg_LIBRARIES} Threads::Threads)
  if(arg_INSTRUMENT)
    if(NOT RADDLE_CXX OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang" OR NOT CMAKE_CXX_COMPILER_VERSION MATCHES "^19\\.")
      message(FATAL_ERROR "raddle_add_test(NAME ${arg_NAME} ... INSTRUMENT): needs clang 19, or raddle-c++, as the "
        "compiler (-D CMAKE_CXX_COMPILER=...), and a Raddle that was built with it")
    endif()
    target_link_libraries(${arg_NAME} PRIVATE raddle::instrument)
  endif()
  add_test(NAME ${arg_NAME} COMMAND ${arg_NAME} ${arg_ARGUMENTS})
  if(arg_EXECUTIONS)
    set_tests_properties(${arg_NAME} PROPERTIES ENVIRONMENT "RADDLE_EXECUTIONS=${arg_EXECUTIONS}")
  endif()
endfunction()

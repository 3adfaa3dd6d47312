# A test of ctest that hunts in an existing test program:
#
#   raddle_add_hunt(TARGET bank_test [NAME hunt.bank_test] [BUDGET 30s] [ARGUMENTS ...] [OPTIONS ...])
#
# It fails if the hunt finds something that counts. OPTIONS go to raddle hunt, ARGUMENTS to the program. What it found is in
# raddle/NAME of the build folder: report.html, raddle.sarif and the replay files.
function(raddle_add_hunt)
  cmake_parse_arguments(arg "" "TARGET;NAME;BUDGET" "ARGUMENTS;OPTIONS" ${ARGN})
  if(NOT arg_TARGET OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "raddle_add_hunt(TARGET target [NAME name] [BUDGET 30s] [ARGUMENTS argument...] [OPTIONS option...]): "
      "cannot make sense of \"${ARGN}\"")
  endif()
  if(NOT TARGET ${arg_TARGET})
    message(FATAL_ERROR "raddle_add_hunt(TARGET ${arg_TARGET} ...): there is no such target; add_executable() comes first")
  endif()
  if(NOT arg_NAME)
    set(arg_NAME hunt.${arg_TARGET})
  endif()
  if(NOT arg_BUDGET)
    set(arg_BUDGET 30s)
  endif()
  set(folder ${CMAKE_BINARY_DIR}/raddle/${arg_NAME})
  file(MAKE_DIRECTORY ${folder})
  add_test(NAME ${arg_NAME} COMMAND ${RADDLE_EXECUTABLE} hunt --budget ${arg_BUDGET} --out ${folder}/replays
    --html ${folder}/report.html --sarif ${folder}/raddle.sarif ${arg_OPTIONS} -- $<TARGET_FILE:${arg_TARGET}> ${arg_ARGUMENTS})
  set_tests_properties(${arg_NAME} PROPERTIES LABELS raddle)
endfunction()

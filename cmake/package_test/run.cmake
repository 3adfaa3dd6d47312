# Installs the build tree BUILD into a temporary place and lets a small project find the package there: with the
# default compiler, with clang 19, and with the installed raddle-c++.
set(work ${BUILD}/package_test)
file(REMOVE_RECURSE ${work})
function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
endfunction()
function(build folder)
  run(${CMAKE_COMMAND} -G Ninja -S ${CMAKE_CURRENT_LIST_DIR} -B ${work}/${folder}
      -D CMAKE_PREFIX_PATH=${work}/prefix -D EXPECTED_VERSION=${VERSION} ${ARGN})
  run(${CMAKE_COMMAND} --build ${work}/${folder})
endfunction()
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${work}/prefix)
build(default)
if(EXISTS ${work}/prefix/bin/raddle-c++)
  build(clang -D CMAKE_CXX_COMPILER=clang++-19 -D EXPECT_SITES=ON)
  build(raddle -D CMAKE_CXX_COMPILER=${work}/prefix/bin/raddle-c++ -D EXPECT_SITES=ON)
endif()
file(REMOVE_RECURSE ${work})

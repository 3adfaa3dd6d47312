# Installs the build tree BUILD into a temporary place and lets a small project find the package there.
set(work ${BUILD}/package_test)
file(REMOVE_RECURSE ${work})
function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)
endfunction()
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${work}/prefix)
run(${CMAKE_COMMAND} -G Ninja -S ${CMAKE_CURRENT_LIST_DIR} -B ${work}/build
    -D CMAKE_PREFIX_PATH=${work}/prefix -D EXPECTED_VERSION=${VERSION})
run(${CMAKE_COMMAND} --build ${work}/build)
file(REMOVE_RECURSE ${work})

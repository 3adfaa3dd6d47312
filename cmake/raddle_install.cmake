# cmake --install: bin/raddle, lib/raddle/libraddle.so (where the tool looks: ../lib/raddle), the headers,
# raddle-cc and raddle-c++ with their plugin and hooks, manual pages, completions, documents, and a CMake package. find_package(raddle) gives raddle::raddle
# (headers), raddle::schedule (raddle/schedule.hpp), raddle::enforce (what raddle-mop generates), raddle::check (for tests that include raddle/check.hpp) and raddle_add_test(), raddle::instrument (compiles
# a target as raddle-c++ does), raddle::tool (the program), RADDLE_EXECUTABLE, RADDLE_RUNTIME, RADDLE_CC and RADDLE_CXX.
include(CMakePackageConfigHelpers)

add_library(raddle_headers INTERFACE)
add_library(raddle::raddle ALIAS raddle_headers)
set_target_properties(raddle_headers PROPERTIES EXPORT_NAME raddle)
target_compile_features(raddle_headers INTERFACE cxx_std_20)
target_include_directories(raddle_headers INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
install(TARGETS raddle_headers EXPORT raddle)
install(DIRECTORY DESTINATION include/raddle)  # there even while no header is
install(DIRECTORY include/ DESTINATION include OPTIONAL FILES_MATCHING PATTERN *.hpp PATTERN *.h)

if(TARGET raddle)
  install(FILES cmake/raddle_add_hunt.cmake DESTINATION lib/cmake/raddle)
  set_target_properties(raddle PROPERTIES EXPORT_NAME tool)
  install(TARGETS raddle EXPORT raddle RUNTIME DESTINATION bin)
  # Manual pages and completions, which the build made. Debian's zsh looks for those of packages in a folder of its own.
  set(share ${PROJECT_BINARY_DIR}/share)
  install(DIRECTORY ${share}/man DESTINATION share)
  install(FILES ${share}/raddle/gdb.py DESTINATION share/raddle)
  install(FILES ${share}/bash/raddle DESTINATION share/bash-completion/completions)
  install(FILES ${share}/fish/raddle.fish DESTINATION share/fish/vendor_completions.d)
  install(CODE "
    set(folder site-functions)
    if(CMAKE_INSTALL_PREFIX STREQUAL \"/usr\")
      set(folder vendor-completions)
    endif()
    file(INSTALL DESTINATION \${CMAKE_INSTALL_PREFIX}/share/zsh/\${folder} TYPE FILE FILES \"${share}/zsh/_raddle\")")
endif()
if(TARGET raddle_runtime)
  install(TARGETS raddle_runtime LIBRARY DESTINATION lib/raddle)
endif()
if(TARGET raddle_check)
  install(TARGETS raddle_check LIBRARY DESTINATION lib/raddle)
  install(FILES cmake/raddle_add_test.cmake DESTINATION lib/cmake/raddle)
endif()
install(TARGETS raddle_schedule raddle_enforce EXPORT raddle ARCHIVE DESTINATION lib/raddle)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION share/doc/raddle)
install(DIRECTORY examples/ci examples/editors DESTINATION share/doc/raddle/examples USE_SOURCE_PERMISSIONS)
install(DIRECTORY docs DESTINATION share/doc/raddle)

set(package lib/cmake/raddle)
install(EXPORT raddle NAMESPACE raddle:: DESTINATION ${package} FILE raddleTargets.cmake)
set(tool_dir bin)
set(runtime_dir lib/raddle)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/raddleConfig.cmake.in
  ${PROJECT_BINARY_DIR}/raddleConfig.cmake INSTALL_DESTINATION ${package}
  PATH_VARS tool_dir runtime_dir NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/raddleConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/raddleConfig.cmake ${PROJECT_BINARY_DIR}/raddleConfigVersion.cmake
  DESTINATION ${package})

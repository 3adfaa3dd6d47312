# `cpack` in the build folder makes raddle_VERSION_amd64.deb, for the Debian that it was built on.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME raddle)
set(CPACK_PACKAGE_CONTACT "Raddle maintainers <maintainers@users.noreply.a-seed-bacc1ed5.example>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "find, replay and explain concurrency bugs of C and C++ programs")
set(CPACK_PACKAGE_DESCRIPTION "Raddle takes control of the threads of a program, lets one run
at a time in an order that a seed decides, and replays any such
execution exactly. It finds data races, atomicity violations,
deadlocks and lost wake-ups, makes them happen, and explains them.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 0)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
    WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR}/bin ${CMAKE_BINARY_DIR}/lib/raddle)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "gdb")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "clang-19, g++, cmake")  # raddle-cc and raddle-c++ are clang 19 with one more pass

# What Debian asks of a package besides; in a prefix of your own it is not wanted. The time stamp of gzip is left out.
configure_file(cmake/debian/changelog.in ${PROJECT_BINARY_DIR}/debian/changelog @ONLY)
install(CODE "
  if(CMAKE_INSTALL_PREFIX STREQUAL \"/usr\")
    set(doc \${CMAKE_INSTALL_PREFIX}/share/doc/raddle)
    file(INSTALL DESTINATION \${doc} TYPE FILE FILES \"${PROJECT_SOURCE_DIR}/cmake/debian/copyright\"
         \"${PROJECT_BINARY_DIR}/debian/changelog\")
    file(REMOVE \"\$ENV{DESTDIR}\${doc}/LICENSE\")
    file(GLOB pages \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/share/man/man1/raddle*.1\")
    execute_process(COMMAND gzip -9nf \${pages} \"\$ENV{DESTDIR}\${doc}/changelog\" COMMAND_ERROR_IS_FATAL ANY)
  endif()")
include(CPack)

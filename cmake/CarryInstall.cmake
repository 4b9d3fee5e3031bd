# The library for hosts: libcarry.a, its headers, and what find_package(carry) and pkg-config read. Both find the folder they stand
# in, so that an installed tree may be moved.
string(FIND "${CMAKE_CXX_FLAGS}" "-stdlib=libc++" carry_libcxx)
set(CARRY_RUNTIME "stdc++")
if(carry_libcxx GREATER -1)
  set(CARRY_RUNTIME "c++")
endif()
file(RELATIVE_PATH CARRY_UP "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")  # cmake and pkgconfig files stand equally deep
string(REGEX REPLACE "/$" "" CARRY_UP "${CARRY_UP}")
configure_file(cmake/carry.pc.in carry.pc @ONLY)
configure_file(cmake/carryConfig.cmake.in carryConfig.cmake @ONLY)
include(CMakePackageConfigHelpers)
write_basic_package_version_file("${CMAKE_BINARY_DIR}/carryConfigVersion.cmake" VERSION "${PROJECT_VERSION}"
                                 COMPATIBILITY SameMinorVersion)

install(FILES "$<TARGET_FILE:carry_core>" DESTINATION "${CMAKE_INSTALL_LIBDIR}" RENAME libcarry.a COMPONENT library)
install(FILES src/api/carry.h src/api/carry.hpp DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/carry" COMPONENT library)
install(FILES "${CMAKE_BINARY_DIR}/carry.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT library)
install(FILES "${CMAKE_BINARY_DIR}/carryConfig.cmake" "${CMAKE_BINARY_DIR}/carryConfigVersion.cmake"
        DESTINATION "${CMAKE_INSTALL_LIBDIR}/carry" COMPONENT library)

# Install rules: the library, its headers, bin/tutti, find_package(tutti [COMPONENTS MPI]) and pkg-config.
include(CMakePackageConfigHelpers)
set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/tutti")

foreach(library tutti tutti_mpi)
  if(TARGET ${library})
    set_target_properties(${library} PROPERTIES
      VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
    install(TARGETS ${library} EXPORT ${library}-targets)
    install(EXPORT ${library}-targets NAMESPACE tutti:: DESTINATION "${package_dir}")
  endif()
endforeach()
if(TARGET tutti_kernels_library)
  install(TARGETS tutti_kernels_library LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
endif()
if(TARGET tutti_cli)
  set_target_properties(tutti_cli PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
  install(TARGETS tutti_cli)
endif()

set(leave_out)
if(NOT TARGET tutti_mpi)
  set(leave_out PATTERN mpi.hpp EXCLUDE)
endif()
install(DIRECTORY include/tutti DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN *.hpp ${leave_out})

configure_package_config_file(cmake/tutti-config.cmake.in tutti-config.cmake INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file(tutti-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/tutti-config.cmake" "${CMAKE_CURRENT_BINARY_DIR}/tutti-config-version.cmake"
              cmake/TuttiDependencies.cmake
        DESTINATION "${package_dir}")

# A static library passes its own needs on to whoever links it; a shared one keeps them to itself.
if(BUILD_SHARED_LIBS)
  set(TUTTI_PC_PRIVATE .private)
endif()
file(RELATIVE_PATH TUTTI_PC_TO_PREFIX "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
foreach(name tutti tutti-mpi)
  if(name STREQUAL tutti OR TARGET tutti_mpi)
    configure_file(cmake/${name}.pc.in ${name}.pc @ONLY)
    install(FILES "${CMAKE_CURRENT_BINARY_DIR}/${name}.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
  endif()
endforeach()

# SPDX-License-Identifier: MIT
# `cmake --install build/release --prefix DIR`: program, libraries, headers, a CMake package and a
# pkg-config file, scenes, experiments, examples and pages. Nothing names the tree it was built in, and
# all find each other from where they stand, so the installed tree may be moved.
include(CMakePackageConfigHelpers)

set(HEDDLE_CMAKE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/heddle")
set(HEDDLE_SHARE_DIR "${CMAKE_INSTALL_DATADIR}/heddle")

set_target_properties(heddle-shared PROPERTIES EXPORT_NAME heddle)
set_target_properties(heddle-static PROPERTIES EXPORT_NAME heddle-static)
foreach(target heddle-shared heddle-static)
  target_include_directories(${target} INTERFACE "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
endforeach()
# What else a program with the static library needs; heddleConfig.cmake looks for it.
target_link_libraries(heddle-static INTERFACE "$<INSTALL_INTERFACE:heddle::needs>")
install(TARGETS heddle-static heddle-shared EXPORT heddle-targets)
install(EXPORT heddle-targets NAMESPACE heddle:: FILE heddleTargets.cmake
  DESTINATION "${HEDDLE_CMAKE_DIR}")
configure_package_config_file(cmake/heddleConfig.cmake.in "${CMAKE_BINARY_DIR}/heddleConfig.cmake"
  INSTALL_DESTINATION "${HEDDLE_CMAKE_DIR}" NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${CMAKE_BINARY_DIR}/heddleConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_BINARY_DIR}/heddleConfig.cmake" "${CMAKE_BINARY_DIR}/heddleConfigVersion.cmake"
  DESTINATION "${HEDDLE_CMAKE_DIR}")

if(TARGET heddle-cli)
  install(TARGETS heddle-cli)
  # The program looks for its experiments' scenes from where it stands.
  file(RELATIVE_PATH from_program "${CMAKE_INSTALL_FULL_BINDIR}"
    "${CMAKE_INSTALL_FULL_DATADIR}/heddle/experiments")
  set_source_files_properties(app/experiment/lab.c PROPERTIES
    COMPILE_DEFINITIONS "HEDDLE_EXPERIMENTS_FROM_PROGRAM=\"${from_program}\"")
endif()

install(DIRECTORY include/heddle TYPE INCLUDE FILES_MATCHING PATTERN "*.h")
install(DIRECTORY scenes experiments DESTINATION "${HEDDLE_SHARE_DIR}")
install(DIRECTORY examples/c/ examples/blender DESTINATION "${HEDDLE_SHARE_DIR}/examples")
install(FILES LICENSE README.md TYPE DOC)
install(DIRECTORY docs TYPE DOC)

# The pkg-config file finds the rest from where it stands, too.
file(RELATIVE_PATH HEDDLE_PC_UP "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file(cmake/heddle.pc.in "${CMAKE_BINARY_DIR}/heddle.pc" @ONLY)
install(FILES "${CMAKE_BINARY_DIR}/heddle.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

# SPDX-License-Identifier: MIT
# `cmake --install build/release --prefix DIR`: program, libraries, headers and a pkg-config file.
install(TARGETS heddle-static heddle-shared)
if(TARGET heddle-cli)
  install(TARGETS heddle-cli)
endif()
install(DIRECTORY include/heddle TYPE INCLUDE FILES_MATCHING PATTERN "*.h")
install(FILES LICENSE TYPE DOC)
# The pkg-config file finds the rest from where it stands, so the tree may be moved.
file(RELATIVE_PATH HEDDLE_PC_UP "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file(cmake/heddle.pc.in "${CMAKE_BINARY_DIR}/heddle.pc" @ONLY)
install(FILES "${CMAKE_BINARY_DIR}/heddle.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

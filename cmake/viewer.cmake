# SPDX-License-Identifier: MIT
# The server of `heddle view`, and the page that the program carries inside.

# One of two files: the door to libwebsockets, or the one that says that there is none.
set(server_left_out "${CMAKE_SOURCE_DIR}/app/server/socket.c")
if(HEDDLE_SERVER)
  pkg_check_modules(WEBSOCKETS IMPORTED_TARGET libwebsockets>=4.1)
  if(WEBSOCKETS_FOUND)
    set(server_left_out "${CMAKE_SOURCE_DIR}/app/server/socket_none.c")
    target_link_libraries(heddle-cli PRIVATE PkgConfig::WEBSOCKETS)
  else()
    message(WARNING "libwebsockets is missing: this build has no 'heddle view'")
  endif()
endif()
set_source_files_properties("${server_left_out}" PROPERTIES HEADER_FILE_ONLY ON)

# The page may come, change or go between two builds without CMake being run again, so every build
# looks. What did not change is not touched, and nothing is compiled again.
if(NOT EXISTS "${HEDDLE_PAGE}")
  message(WARNING "${HEDDLE_PAGE} is missing: unless it is there when the program is built, "
    "'heddle view' serves no page and 'heddle export' has none to write")
endif()
set(page_folder "${CMAKE_BINARY_DIR}/page")
add_custom_target(heddle-page
  COMMAND "${CMAKE_COMMAND}" "-DFROM=${HEDDLE_PAGE}" "-DTO=${page_folder}/page.html"
    -P "${CMAKE_SOURCE_DIR}/cmake/copy-page.cmake"
  BYPRODUCTS "${page_folder}/page.html"
  COMMENT "" VERBATIM)
set_source_files_properties("${CMAKE_SOURCE_DIR}/app/server/page.c" PROPERTIES
  OBJECT_DEPENDS "${page_folder}/page.html"
  COMPILE_OPTIONS "-Wa,-I${page_folder}")
add_dependencies(heddle-cli heddle-page)

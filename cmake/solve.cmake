# SPDX-License-Identifier: MIT
# CHOLMOD for direct solves, behind src/solve/direct_cholmod.c. Its supernodal part is under the GPL
# (2 or later), so a binary with it is under the GPL as a whole; switched off, or not found, its
# calls say HED_UNSUPPORTED and all else works.
option(HEDDLE_CHOLMOD "Direct solves through CHOLMOD, where it is found (makes the binary GPL)" ON)

add_library(heddle-solve-libraries INTERFACE)
if(HEDDLE_CHOLMOD)
  find_path(CHOLMOD_INCLUDE cholmod.h PATH_SUFFIXES suitesparse)
  find_library(CHOLMOD_LIBRARY cholmod)
  mark_as_advanced(CHOLMOD_INCLUDE CHOLMOD_LIBRARY)
  if(CHOLMOD_INCLUDE AND CHOLMOD_LIBRARY)
    target_include_directories(heddle-solve-libraries SYSTEM INTERFACE "${CHOLMOD_INCLUDE}")
    target_link_libraries(heddle-solve-libraries INTERFACE "${CHOLMOD_LIBRARY}")
    target_compile_definitions(heddle-solve-libraries INTERFACE HED_HAVE_CHOLMOD)
    string(APPEND HEDDLE_PC_LIBS " -lcholmod")
  else()
    message(STATUS "CHOLMOD was not found: no direct solves")
  endif()
endif()

# ARPACK for eigenvectors of large matrices, behind src/solve/modes_arpack.c (BSD licence).
option(HEDDLE_ARPACK "Eigenvectors through ARPACK, where it is found" ON)
if(HEDDLE_ARPACK)
  find_path(ARPACK_INCLUDE arpack/arpack.h)
  find_library(ARPACK_LIBRARY arpack)
  mark_as_advanced(ARPACK_INCLUDE ARPACK_LIBRARY)
  if(ARPACK_INCLUDE AND ARPACK_LIBRARY)
    target_include_directories(heddle-solve-libraries SYSTEM INTERFACE "${ARPACK_INCLUDE}")
    target_link_libraries(heddle-solve-libraries INTERFACE "${ARPACK_LIBRARY}")
    target_compile_definitions(heddle-solve-libraries INTERFACE HED_HAVE_ARPACK)
    string(APPEND HEDDLE_PC_LIBS " -larpack")
  else()
    message(STATUS "ARPACK was not found: no spectral embedding of knits")
  endif()
endif()

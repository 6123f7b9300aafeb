# SPDX-License-Identifier: MIT
add_library(heddle-solve-libraries INTERFACE)

# NAME's header (in a folder SUFFIX, or none) and library, if both are found; otherwise says what is
# lost without them.
function(heddle_solve_library NAME header suffix lost)
  string(TOLOWER ${NAME} library)
  find_path(${NAME}_INCLUDE ${header} PATH_SUFFIXES ${suffix})
  find_library(${NAME}_LIBRARY ${library})
  mark_as_advanced(${NAME}_INCLUDE ${NAME}_LIBRARY)
  if(${NAME}_INCLUDE AND ${NAME}_LIBRARY)
    target_include_directories(heddle-solve-libraries SYSTEM INTERFACE "${${NAME}_INCLUDE}")
    target_link_libraries(heddle-solve-libraries INTERFACE "${${NAME}_LIBRARY}")
    target_compile_definitions(heddle-solve-libraries INTERFACE HED_HAVE_${NAME})
    set(HEDDLE_PC_LIBS "${HEDDLE_PC_LIBS} -l${library}" PARENT_SCOPE)
  else()
    message(STATUS "${NAME} was not found: ${lost}")
  endif()
endfunction()

# CHOLMOD for direct solves, behind src/solve/direct_cholmod.c. Its supernodal part is under the GPL
# (2 or later), so a binary with it is under the GPL as a whole; switched off, or not found, its
# calls say HED_UNSUPPORTED and all else works.
option(HEDDLE_CHOLMOD "Direct solves through CHOLMOD, where it is found (makes the binary GPL)" ON)
if(HEDDLE_CHOLMOD)
  heddle_solve_library(CHOLMOD cholmod.h suitesparse "no direct solves")
endif()

# ARPACK for eigenvectors of large matrices, behind src/solve/modes_arpack.c (BSD licence).
option(HEDDLE_ARPACK "Eigenvectors through ARPACK, where it is found" ON)
if(HEDDLE_ARPACK)
  heddle_solve_library(ARPACK arpack/arpack.h "" "no spectral embedding of knits")
endif()

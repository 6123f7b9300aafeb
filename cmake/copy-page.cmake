# SPDX-License-Identifier: MIT
# Copies the page FROM to TO unless it is the same; without a page TO becomes empty.
if(EXISTS "${FROM}")
  file(COPY_FILE "${FROM}" "${TO}" ONLY_IF_DIFFERENT)
else()
  set(size 1)
  if(EXISTS "${TO}")
    file(SIZE "${TO}" size)
  endif()
  if(NOT size EQUAL 0)
    file(WRITE "${TO}" "")
  endif()
endif()

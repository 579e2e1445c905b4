# SPDX-License-Identifier: Apache-2.0
# Runs at each build: asks git for the revision, and writes the header only where it
# changed, so that nothing is compiled again for no reason.
#   cmake -DSOURCE_DIR=... -DHEADER=... -P revision.cmake
set(revision "unknown")
find_program(GIT git)
# only our own repository: the sources may lie unpacked within another
if(GIT AND EXISTS "${SOURCE_DIR}/.git")
  execute_process(
    COMMAND ${GIT} describe --always --dirty
    WORKING_DIRECTORY "${SOURCE_DIR}"
    OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE
    ERROR_QUIET RESULT_VARIABLE failed)
  if(NOT failed AND described)
    set(revision "${described}")
  endif()
endif()
file(CONFIGURE OUTPUT "${HEADER}" CONTENT "#define GIT_REVISION \"${revision}\"\n")

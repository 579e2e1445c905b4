# SPDX-License-Identifier: Apache-2.0
# Sets PACKAGE_VERSION and PACKAGE_EPOCH, the seconds since 1970 that stand for "when it was made": the
# time of the commit, so that the same commit makes the same packages.
#
# A commit with the tag vX.Y.Z is the version X.Y.Z. Every other is X.Y.Z~gitDATE.COMMIT, which dpkg and
# rpm take for older than X.Y.Z and for newer than all commits before. SOURCE_DATE_EPOCH, where it is
# set, wins (reproducible-builds.org). Sources without git have the version of the project.

# ask_git(RESULT WORD...): what git answers; empty where it fails.
function(ask_git result)
  execute_process(COMMAND ${GIT_PROGRAM} ${ARGN} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    OUTPUT_VARIABLE answer OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    set(answer "")
  endif()
  set(${result} "${answer}" PARENT_SCOPE)
endfunction()

find_program(GIT_PROGRAM git)
set(PACKAGE_EPOCH 0)
set(version ${PROJECT_VERSION})
# Only our own repository: the sources may lie unpacked within another.
if(GIT_PROGRAM AND EXISTS ${PROJECT_SOURCE_DIR}/.git)
  ask_git(tag describe --exact-match --tags --match "v[0-9]*")
  ask_git(commit show --no-patch --format=%h HEAD)
  ask_git(epoch show --no-patch --format=%ct HEAD)
  if(epoch)
    set(PACKAGE_EPOCH ${epoch})
  endif()
endif()
if(DEFINED ENV{SOURCE_DATE_EPOCH})
  set(PACKAGE_EPOCH $ENV{SOURCE_DATE_EPOCH})
else()
  set(ENV{SOURCE_DATE_EPOCH} ${PACKAGE_EPOCH}) # string(TIMESTAMP) and CPack heed it
endif()
if(tag)
  string(SUBSTRING ${tag} 1 -1 version)
elseif(commit)
  string(TIMESTAMP date "%Y%m%d.%H%M%S" UTC)
  set(version ${PROJECT_VERSION}~git${date}.${commit})
endif()
# A plain variable would hide one of the cache, which another version is asked for by.
set(PACKAGE_VERSION "" CACHE STRING "The version of packages, where it is not to be that of the commit")
if(NOT PACKAGE_VERSION)
  set(PACKAGE_VERSION ${version})
endif()
string(TIMESTAMP PACKAGE_DATE "%a, %d %b %Y %H:%M:%S +0000" UTC)
# The version changes with each commit, and git writes a line of this file for each.
if(EXISTS ${PROJECT_SOURCE_DIR}/.git/logs/HEAD)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/.git/logs/HEAD)
endif()

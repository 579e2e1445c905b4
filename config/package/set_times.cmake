# SPDX-License-Identifier: Apache-2.0
# CPack runs this before it packs: all files are of the time of the commit, whenever they were built.
cmake_policy(SET CMP0009 NEW) # a link to a folder is a file
file(GLOB_RECURSE files LIST_DIRECTORIES YES ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*)
foreach(path IN LISTS files)
  execute_process(COMMAND touch --no-dereference --date=@$ENV{SOURCE_DATE_EPOCH} ${path}
                  COMMAND_ERROR_IS_FATAL ANY)
endforeach()

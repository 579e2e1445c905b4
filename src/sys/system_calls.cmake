# SPDX-License-Identifier: Apache-2.0
# The names of system calls, from the headers of the kernel for the architecture that is built for:
# SYSTEM_CALL_NAMES/system_call_names.inc has a line for each macro __NR_NAME, which the compiler
# makes a number of. Two macros of asm-generic count calls and are none.
set(SYSTEM_CALL_NAMES ${CMAKE_CURRENT_BINARY_DIR}/system_calls)
execute_process(
  COMMAND ${CMAKE_C_COMPILER} -E -dM -include asm/unistd.h -x c /dev/null
  OUTPUT_VARIABLE macros COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "#define __NR_[a-z0-9_]+ " macros "${macros}")
list(TRANSFORM macros REPLACE "#define __NR_(.*) " "\\1")
list(REMOVE_ITEM macros syscalls arch_specific_syscall)
list(SORT macros)
list(TRANSFORM macros REPLACE "(.+)" "[__NR_\\1] = \"\\1\",\n")
list(JOIN macros "" macros)
file(CONFIGURE OUTPUT ${SYSTEM_CALL_NAMES}/system_call_names.inc CONTENT "${macros}" @ONLY)

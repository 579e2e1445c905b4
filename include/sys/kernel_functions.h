/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The functions of the running kernel and of its modules, by /proc/kallsyms. Their names can be
 * read without any right where procfs shows the file; their addresses are of no interest here. The
 * unit's ProtectKernelTunables= hides it.
 */

#include <stdio.h>

#define KERNEL_FUNCTION_SIZE 640 /* room for the longest name with its module, and NUL */

/* Opens the list. The caller closes it by fclose(). NULL: it cannot be read. */
FILE *kernel_functions_open(void);

/*
 * Reads the next function, as "name" or, of a module, "module:name". Lines of another form are left
 * out. Returns 1, or 0 at the end.
 */
int kernel_functions_next(FILE *list, char ret_name[static KERNEL_FUNCTION_SIZE]);

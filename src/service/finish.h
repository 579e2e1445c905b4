/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdint.h>

/*
 * Returns the exit status of a program that would end with `status`: if standard output could not
 * be written, it prints an error and returns a failure.
 */
int finish_program(const char *program, int status);

/*
 * Ends the program with this status when so much time has passed, whatever is waited for then. It
 * is called when all that is left to do is to wait for other threads and to free.
 */
void finish_after(uint64_t ns, int status);

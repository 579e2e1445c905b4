/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Returns the exit status of a program that would end with `status`: if standard output could not
 * be written, it prints an error and returns a failure.
 */
int finish_program(const char *program, int status);

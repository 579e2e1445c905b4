/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The exit status of a program that would have ended with `status`: where what it printed could
 * not be written, that is a failure and told.
 */
int finish_program(const char *program, int status);

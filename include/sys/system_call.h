/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* System calls of the architecture that this is built for. */

#include <stdbool.h>

/*
 * The name of a system call, by its number: "openat".
 * NULL: the kernel's headers, with which this was built, have none of that number. Static.
 */
const char *system_call_name(unsigned number);

/* The number of the call of this name; -1: there is none. */
int system_call_number(const char *name);

/* Whether it ends where it has begun: not exit, and not the return from a signal handler. */
bool system_call_returns(unsigned number);

/*
 * Whether it is made to wait for something (time, a lock, a child, a file that is ready), so that
 * its time is no work. Others may wait too, as a read of a pipe does.
 */
bool system_call_waits(unsigned number);

/* The same as a word: "waiting" or "working". Static. */
const char *system_call_class(unsigned number);

/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the kernel refuses a thread of ours for ever. */

#include "sys/thread.h"

/*
 * Refuses the calling thread, and those that it will make, what nothing with such rights does
 * (sys/thread.h). It may write below the directory, unless that is NULL, and around it, where it
 * makes the directory anew. What the kernel does not have, or a filter of a service manager
 * forbids, is left out: thread_walls_seccomp_error() and the other one tell.
 */
void thread_walls_raise(enum thread_rights rights, const char *directory);

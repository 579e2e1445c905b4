/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The CPUs that the calling thread may run on. */

#include "sys/cpu_list.h"

/*
 * Moves the calling thread to one CPU, so that events of that CPU are opened
 * without an interrupt to another. Returns 0 or -errno: the thread is then where
 * it was, and opening still works, only slower.
 */
int thread_move_to_cpu(struct cpu_number cpu);

/* The thread's CPUs as they stand, and back again. Owned by the caller. */
struct thread_cpus;
struct thread_cpus *thread_cpus_save(void);                        /* NULL if there is no memory */
struct thread_cpus *thread_cpus_restore(struct thread_cpus *cpus); /* frees; returns NULL */

/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The CPUs that the calling thread may run on. */

#include "sys/cpu_list.h"

/*
 * Moves the calling thread to one CPU, so that events of that CPU are opened without an interrupt
 * from another CPU. 0; -errno: the thread stays where it was, and opening works all the same, but
 * slower.
 */
int thread_move_to_cpu(struct cpu_number cpu);

/* Saves the CPUs that the thread may run on, to restore them later. The caller owns the result. */
struct thread_cpus;
struct thread_cpus *thread_cpus_save(void);                        /* NULL: no memory */
struct thread_cpus *thread_cpus_restore(struct thread_cpus *cpus); /* also frees; returns NULL */

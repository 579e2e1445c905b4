/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* How the heap behaves in a service that runs for ever beside others. */

/*
 * One arena for both threads, and large blocks always by mmap, so that they go back
 * to the kernel when they are freed. Once, at the start.
 */
void memory_settle(void);

/* Gives free memory of the heap back to the kernel; takes up to some milliseconds. */
void memory_give_back(void);

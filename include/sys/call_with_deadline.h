/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdint.h>

/*
 * System calls that wait for as long as somebody else likes. What another process has mapped, and
 * files of its /proc that need that (map_files, cmdline, environ), are read with the lock of its
 * mappings, which that process can hold for ever. Only a signal that kills ends the wait
 * (mmap_read_lock_killable() in the kernel), and threads can be killed only all together. So such a
 * call is made by a process that shares memory and descriptors with this one, and can be killed.
 */

/*
 * Calls `call` in such a process, and waits for it. What it returns, 0 or above or -errno; -ETIME:
 * it was killed after so many milliseconds; -EAGAIN: no process could be made.
 *
 * -EINPROGRESS: it was killed, and has not ended a second later. If the other process ends while it
 * is read, the reader clears up its mappings in its place. That may wait for a file system, and no
 * signal ends it. Such a process of ours is left behind, 64 at most by each thread, and the context
 * belongs to it from then on: it has to come from malloc(), and is freed when the process has
 * ended. If this process is killed meanwhile, its descriptors stay open until then.
 *
 * The call may make system calls and change what `context` leads to, and nothing else: it has
 * errno in common with the caller, whose thread should block signals, and if it were killed in
 * malloc(), the lock would stay. A descriptor that it opens is one of this process. It costs some
 * 90 us.
 */
int call_with_deadline(int (*call)(void *context), void *context, unsigned most_ms);

/* CPU time that such calls of this thread have taken so far, which is not in that of the thread. */
uint64_t call_with_deadline_cpu_ns(void);

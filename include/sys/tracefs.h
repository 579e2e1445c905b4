/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Opens the root of tracefs, which is mounted below sysfs: at kernel/tracing since Linux 4.1,
 * before at kernel/debug/tracing. The descriptor (O_PATH) serves openat(2) only; the caller closes
 * it, soon: while it is open, nobody can unmount tracefs. -ENOENT: it is not mounted there;
 * -EACCES: we may not look into it.
 * What is below needs rights of its own, mostly root's.
 */
int tracefs_open(int sysfs_fd);

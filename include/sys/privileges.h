/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Giving up rights, in a process that reads what others wrote. */

/*
 * Gives up for ever all that the process may do beyond others: capabilities go, also from the
 * bounding set as far as that is allowed, and no program that is executed brings rights
 * (no_new_privs). Memory of the process can be read by no other process of its uid. The uid and
 * the groups stay, and with them the files that they may open: as nobody (65534) it could be
 * stopped and killed by whatever else runs as that. So who reads what strangers wrote has to be
 * kept from opening files, too (profile/reader_walls.h). Call it where there is one thread. 0;
 * -EPERM: a filter of system calls, as service managers set them, forbids to give up capabilities,
 * and all else is given up; -errno.
 */
int privileges_drop(void);

/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Giving up rights, in a process that reads what others wrote, and for a moment. */

#include <stdbool.h>

/*
 * Gives up for ever all that the process may do beyond others: capabilities go, also from the
 * bounding set as far as that is allowed, and no program that is executed brings rights
 * (no_new_privs). Memory of the process can be read by no other process of its uid. The uid and
 * the groups stay, and with them the files that they may open: as nobody (65534) it could be
 * stopped and killed by whatever else runs as that. So who reads what strangers wrote has to be
 * kept from opening files, too (reader/reader_walls.h). Call it where there is one thread. 0;
 * -EPERM: a filter of system calls, as service managers set them, forbids to give up capabilities,
 * and all else is given up; -errno.
 */
int privileges_drop(void);

/*
 * Gives up, for the calling thread and for ever, all capabilities but those by which files of
 * others are opened and written (CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, CAP_FOWNER), or
 * these too. 0; -EPERM: a filter of system calls forbids it; -errno.
 */
int privileges_keep_files(void);
int privileges_keep_none(void);

/*
 * Sets aside, for the calling thread, the capabilities by which it may read what its uid may not
 * (CAP_DAC_READ_SEARCH, CAP_DAC_OVERRIDE), so that it opens for somebody else only what that uid
 * could. Returns whether it had any, which are to be taken back then.
 */
bool privileges_set_reading_aside(void);

/* After a privileges_set_reading_aside() that returned true, in the same thread. */
void privileges_take_reading_back(void);

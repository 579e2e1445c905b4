/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * For whom the reader of files has worked of late, and for how long. Who has it read files that
 * take long comes after those who do not: there is one reader for the whole machine. It is told by
 * cgroups that are counted; all others are one.
 */

#include <stdint.h>

struct reader_share;

/* All zero: nobody has spent anything. */
struct reader_shares {
    struct reader_share *by_cgroup;
    uint64_t halved_ns;
};

/*
 * Charges a cgroup (struct file_use) for the time that a job took, also where that was waiting for
 * a disk. Without memory it goes free.
 */
void reader_shares_add(struct reader_shares *shares, uint32_t cgroup, uint64_t job_ns);

/* Whole seconds of the reader's time that a cgroup has spent of late: for those who have spent less
 * than one the order is that of asking. */
uint64_t reader_shares_seconds(const struct reader_shares *shares, uint32_t cgroup);

/* Once a minute, halves what everybody has spent. */
void reader_shares_settle(struct reader_shares *shares, uint64_t now_ns);

void reader_shares_done(struct reader_shares *shares);

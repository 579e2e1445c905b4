/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What the reader of files has spent for whom of late. Who has it read files that take long comes
 * after those who do not: there is one reader for the whole machine.
 */

#include <stdint.h>

struct reader_share;

/* All zero: nobody has spent anything. */
struct reader_shares {
    struct reader_share *by_cgroup;
    uint64_t halved_ns;
};

/* Charges a cgroup (struct profile_sample) for a job. Without memory it goes free. */
void reader_shares_add(struct reader_shares *shares, uint32_t cgroup, uint64_t cpu_ns);

/*
 * Whole seconds of CPU time that a cgroup has spent of late: with those who have spent less than
 * one the order is that of asking.
 */
uint64_t reader_shares_seconds(const struct reader_shares *shares, uint32_t cgroup);

/* Once a minute, halves what everybody has spent. */
void reader_shares_settle(struct reader_shares *shares, uint64_t now_ns);

void reader_shares_done(struct reader_shares *shares);

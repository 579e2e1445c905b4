/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The parts of a sampler, and the steps of its turn. */

#include "profile/changed_processes.h"
#include "profile/code_desk.h"
#include "profile/recorded.h"
#include "profile/sample_list.h"
#include "profile/sampler.h"
#include "profile/stack.h"
#include "profile/unwind_pool.h"

/* For whom the reader works. */
enum sampler_read {
    SAMPLER_READS_FILE,
    SAMPLER_READS_CODE,
    SAMPLER_READS_MAP,
    SAMPLER_READS_COUNT_,
};

/* A recording beside what always samples. */
struct sampler_recording {
    struct recorded *recorded; /* NULL: there is none */
    uint64_t since_ns;         /* CLOCK_MONOTONIC: what was sampled before is of another one */
    uint64_t until_ns;         /* CLOCK_MONOTONIC; 0: it goes on */
    uint64_t lost_before;      /* by others */
    uint64_t stacks[PROFILE_OUTCOME_COUNT_];
    bool hurries; /* all its samples are in, and their functions are being named */
};

/*
 * A process whose last look took long. No look is taken at it before a time (CLOCK_MONOTONIC), and
 * none while one at another of them was just taken.
 */
struct put_off {
    pid_t pid;
    uint64_t until_ns;
};

struct sampler {
    struct sampler_setup setup;
    struct profile_program *program;
    struct profile_arrays arrays;
    struct unwind_pool *pool;
    struct known_files *files;
    struct address_spaces *spaces;
    struct jit_maps *jit;
    struct kernel_names *kernel;
    struct stack_names names;
    struct changed_processes *changed;
    struct sample_list taken;                    /* of this turn */
    struct sample_list waiting;                  /* for files */
    struct profile_lost lost[PROFILE_LOST_MOST]; /* scratch of a turn */
    bool reads;                                  /* a job is under way */
    enum sampler_read reads_for;
    struct code_desk desk;
    struct sampler_recording recording;
    uint64_t read_ns;      /* when the ring was read last */
    bool has_news;         /* something was read since those that wait were tried */
    bool has_lost_records; /* of new mappings: an event that told of them has ended */
    bool looks_at_all;     /* this kernel cannot show one process */
    size_t n_mapped;       /* times that the kernel told of a mapping, in this turn */
    uint64_t sweep_ns;
    uint64_t look_ns, look_at_all_ns; /* before then no process is looked at, or not all are */
    struct put_off put_off[64];
    size_t next_put_off;
    uint64_t put_off_ns; /* before then none of them is looked at */
    uint64_t samples;
    uint64_t stacks[PROFILE_OUTCOME_COUNT_];
    uint64_t reader_cpu_ns;
    uint64_t other_jobs[OBJECT_OUTCOME_COUNT_]; /* than of known files, which count their own */
};

/* Looks at processes that have changed, or were sampled before anything was known of them. */
void sampler_look(struct sampler *sampler, uint64_t now_ns);

/*
 * Adds a sample to the recording that it belongs to, unless that is over. is_last: with what is
 * known now. False: it has to wait for something.
 */
bool sampler_record(struct sampler *sampler, const struct profile_sample *sample, bool is_last,
                    uint64_t now_ns);

/* Adds samples to the store: those that waited, if something was read for them, and those taken. */
void sampler_process(struct sampler *sampler, uint64_t now_ns);

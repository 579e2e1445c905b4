/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Reads the files of others: programs, libraries, perf maps, what programs of the host keep of
 * their containers and machines. They may be damaged, or made to do harm, so no thread of ours
 * reads them. A process is forked before there are threads, secrets or BPF programs, without
 * capabilities. For each file it forks a worker: one with an allowlist of system calls (seccomp),
 * limits on memory, CPU time and output, and nothing but the descriptors of that file and of the
 * one that it writes its result to. A worker that takes too long is killed. What it has written is
 * checked by who has asked for it. So one tenant's file can change nothing but what is known of
 * that file.
 *
 * The reader belongs to one thread at a time. There is one job at a time, and nobody waits for it:
 * its descriptor becomes readable when it is done.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"

struct object_reader;

enum object_job_kind {
    OBJECT_JOB_TABLE, /* object_table_parse() takes the result */
    OBJECT_JOB_NAMES, /* object_names_parse() */
    OBJECT_JOB_MAP,   /* perf_map_parse() */
    OBJECT_JOB_CODE,  /* code_listing_parse() */
    OBJECT_JOB_STATE, /* state_answer_parse() */
    OBJECT_JOB_PROBE, /* probe_answer_parse() */
    OBJECT_JOB_YAML,  /* yaml_answer_next() */
};

struct object_job {
    enum object_job_kind kind;
    int fd;                 /* the file, open for reading; borrowed during the call. STATE: memory
                               with a question and the text; PROBE: with a question */
    int debug_fd;           /* NAMES, CODE: a file with its symbols and lines, which is looked at
                               first, unless its build-id is another one; PROBE: the program;
                               -1: none */
    const uint32_t *starts; /* NAMES: where the functions begin, from the base of the table; CODE:
                               where the function begins, and where it ends */
    size_t n_starts;        /* at most OBJECT_JOB_STARTS_MOST */
};

#define OBJECT_JOB_STARTS_MOST 65536

/* How a job ended. */
enum object_outcome {
    OBJECT_READ,
    OBJECT_NO_PROGRAM, /* it is no ELF file of this machine, or a damaged one; no perf map */
    OBJECT_TOO_LARGE,  /* it would take more memory, or make more rows, than we allow */
    OBJECT_TOO_SLOW,   /* it was killed when its time was over */
    OBJECT_KILLED,     /* it did what it may not, or crashed */
    OBJECT_FAILED,     /* the machine had no process, memory or descriptor for it */
    OBJECT_OUTCOME_COUNT_,
};

/* The word that stands for it on /metrics: "read", "no_program", … */
const char *object_outcome_name(enum object_outcome outcome);

/*
 * Why a file has told nothing, for people, behind the name of the file. OBJECT_READ: what was
 * written is no answer. Static.
 */
const char *object_outcome_reason(enum object_outcome outcome);

struct object_reader *object_reader_free(struct object_reader *reader);
DEFINE_AUTO(object_reader, struct object_reader *, object_reader_free)

/*
 * Hands over a job. 0; -EBUSY: one is under way; -EINVAL: too many starts; -EPIPE: the process has
 * ended, or never came to life; -errno.
 */
int object_reader_begin(struct object_reader *reader, const struct object_job *job);

/* Whether the process has ended, and nothing more will be read. */
bool object_reader_has_ended(const struct object_reader *reader);

/* Becomes readable when the job is done. Borrowed. */
int object_reader_fd(const struct object_reader *reader);

struct object_result {
    enum object_outcome outcome;
    uint64_t cpu_ns;   /* of the worker */
    const void *bytes; /* OBJECT_READ: what it has written, until the next job; else NULL */
    size_t n;
};

/* Takes the result. 0; -EAGAIN: it is not done yet; -EPIPE: the process has ended; -errno. */
int object_reader_finish(struct object_reader *reader, struct object_result *ret_result);

/* Gives the result up, and its memory back. NULL: nothing. */
void object_reader_forget(struct object_reader *reader);

/*
 * Hands over a job and waits for its result, for those who have nothing else to do meanwhile. The
 * reader may be NULL: it never came to life. 0; -EPIPE: there is no process any more; -EAGAIN: it
 * does not answer, since somebody has stopped it; another -errno.
 */
int object_reader_ask(struct object_reader *reader, const struct object_job *job,
                      struct object_result *ret_result);

/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The program in the kernel that samples stacks (src/sys/bpf/profile/profile.bpf.c). Here it is
 * loaded, told what it needs to unwind, and read. It takes Linux 5.15 with BTF, and CAP_BPF and
 * CAP_PERFMON. It belongs to one thread; only profile_program_set_cgroup(), _watch() and their
 * opposites may be called by others at the same time.
 *
 * What it unwinds by stands in arrays that we share with it: write what is new first, then what
 * refers to it. A walk takes less than a millisecond, and places of what nothing refers to any more
 * may be used again after that.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "sys/bpf/profile/layout.h"
#include "sys/bpf/profile/record.h"
#include "sys/bpf/refusal.h"

struct profile_program;

/* How many there are of each. The kernel takes all of it when the program is loaded. */
struct profile_program_size {
    size_t n_cpus;     /* one more than the highest number of a CPU that can be there */
    size_t rows;       /* 4 bytes each */
    size_t rules;      /* 16 bytes; at most 65,536 */
    size_t pages;      /* 8 bytes */
    size_t files;      /* 16 bytes */
    size_t mappings;   /* 32 bytes; at most 65,536 of one process */
    size_t processes;  /* that are known; some 80 bytes */
    size_t cgroups;    /* that have a number; likewise */
    size_t watched;    /* processes that have the number of a group; likewise */
    size_t ring_bytes; /* a power of two */
    bool is_v1;        /* cgroups are those of the cgroup v1 hierarchy of perf_event */
};

/* 0, or -errno with the reason in *ret_refusal. It samples nothing yet. */
int profile_program_load(const struct profile_program_size *size,
                         struct profile_program **ret_program, enum bpf_refusal *ret_refusal);
struct profile_program *profile_program_free(struct profile_program *program);
DEFINE_AUTO(profile_program, struct profile_program *, profile_program_free)

/* The arrays, of as many elements as the size says. Borrowed. */
struct profile_arrays {
    struct unwind_row *rows; /* the first of a file's has an even place */
    struct profile_rule *rules;
    struct profile_page *pages;
    struct profile_file *files;
    struct profile_mapping *mappings;
};

struct profile_arrays profile_program_arrays(const struct profile_program *program);

/* Has a process unwound by these mappings. 0; -E2BIG: there is no room; -errno. */
int profile_program_set_process(struct profile_program *program, pid_t pid,
                                const struct profile_process *process);
void profile_program_clear_process(struct profile_program *program, pid_t pid);

/* By which mappings it is unwound now. False: it is not known. */
bool profile_program_find_process(const struct profile_program *program, pid_t pid,
                                  struct profile_process *ret_process);

/*
 * Shows each process that is known, also those that the program has entered itself; one that comes
 * or goes meanwhile may be missed. 0 or -errno.
 */
int profile_program_visit(struct profile_program *program,
                          void (*visit)(void *context, pid_t pid,
                                        const struct profile_process *process),
                          void *context);

/* Gives the cgroup with this id a number above 0, or takes it back. 0; -E2BIG: no room; -errno. */
int profile_program_set_cgroup(struct profile_program *program, uint64_t cgroup, uint32_t number);
void profile_program_clear_cgroup(struct profile_program *program, uint64_t cgroup);

/*
 * Gives a process the number of a group, above 0. children: what it starts from here on has the
 * same number. A process that ends is forgotten. 0; -E2BIG: there is no room; -errno.
 */
int profile_program_watch(struct profile_program *program, pid_t pid, uint32_t number,
                          bool children);

/* Takes it back from a process that still has it: by now the process may be another one. */
void profile_program_unwatch(struct profile_program *program, pid_t pid, uint32_t number);

/*
 * Begins to sample a CPU: so many times a second of what is not idle, by cpu-clock. 0; -ENODEV: it
 * is offline; -errno.
 */
int profile_program_begin_cpu(struct profile_program *program, size_t cpu, unsigned rate_hz);
void profile_program_end_cpu(struct profile_program *program, size_t cpu);
bool profile_program_samples_cpu(const struct profile_program *program, size_t cpu);

/* How a recording is sampled, beside what always is. */
struct profile_recording {
    unsigned rate_hz;   /* above 0 */
    bool is_of_threads; /* there is an event for each thread, else one for each CPU */
};

/* To be called before its events are opened, when those of the last recording are closed. */
void profile_program_begin_recording(struct profile_program *program,
                                     const struct profile_recording *recording);

/*
 * The program that events of a recording call (PERF_EVENT_IOC_SET_BPF), each time that one has
 * counted a period. Its samples come among the others, and have a period. is_of_software: it is for
 * events of software that are no clocks; that one keeps only as many samples as the recording
 * wants, however many there are. Borrowed.
 */
int profile_program_recorder_fd(const struct profile_program *program, bool is_of_software);

/* A process has mapped something executable in the place of what was there. */
struct profile_mapped {
    pid_t pid;
    uint64_t time_ns; /* CLOCK_MONOTONIC */
    uint64_t start, end;
};

/*
 * Gives the next one that the kernel has told of. False: there is none now. *ret_lost: some were
 * lost before it, so that any process may have mapped something.
 */
bool profile_program_next_mapped(struct profile_program *program, struct profile_mapped *ret_mapped,
                                 bool *ret_lost);

/*
 * Hands over the samples that have come since the last call, those of one CPU in the order of time.
 * What `take` returns is 0 or -errno, which ends the reading. 0 or -errno.
 */
int profile_program_read(struct profile_program *program,
                         int (*take)(void *context, const struct profile_sample *sample),
                         void *context);

#define PROFILE_LOST_MOST 1025 /* entries of a reading: one more than the kernel's table has */

/*
 * Tells whose samples have found no room since the last call, and how many. In the end they are as
 * many as the figures say; those of which it is not known whose they are have the numbers 0, and
 * are told a call later. Returns how many entries there are.
 */
size_t profile_program_read_lost(struct profile_program *program,
                                 struct profile_lost ret_lost[static PROFILE_LOST_MOST]);

struct profile_program_figures {
    uint64_t samples;       /* that were taken */
    uint64_t lost;          /* those of them that found no room in the ring */
    uint64_t recorded_lost; /* samples of recordings that found no room */
    uint64_t time_ns;       /* what all samples took the program, on all CPUs */
};

struct profile_program_figures profile_program_figures(const struct profile_program *program);

/*
 * Shows the executable mappings of a process, sorted by address. pid 0: of all processes, one after
 * the other. 0; -EOPNOTSUPP: this kernel (before Linux 6.1) can show only all; -EAGAIN: the
 * mappings are being changed, or are locked; -ETIME: it took more than a second, of all processes
 * some of them, since they were locked as a rule: not all were shown; -errno.
 */
int profile_program_list_mappings(struct profile_program *program, pid_t pid,
                                  int (*take)(void *context, const struct profile_vma *vma),
                                  void *context);

#define PROFILE_SYMBOL_SIZE 256

/*
 * The function of the kernel that has an address, as printk's %pS has it: "name+0x12/0x34", and
 * " [module]" behind that. 0 or -errno.
 */
int profile_program_symbol(struct profile_program *program, uint64_t address,
                           char ret_symbol[static PROFILE_SYMBOL_SIZE]);

/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Samples of who ran where, as counts over a trie of functions, which all targets share. A node of
 * the trie is a function with its callers up to the root. What a target had in a minute is a slice:
 * nodes and how many samples ended there. Minutes are kept for an hour, and hours for eight days.
 * Beside the slices the last samples are kept one by one, so that ranges of seconds are exact and
 * samples can be shown over time.
 *
 * Everything is bounded. Where the trie is full, what is rare and old is folded: the leaves with
 * the fewest samples of the oldest slices go to their parent, as "(folded)", which is counted.
 * Where a target would take more than its share, it loses before others do.
 *
 * The store belongs to one thread.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/text.h"

struct profile_store;

/* What a function belongs to; it decides how it is coloured. */
enum profile_kind {
    PROFILE_USER,   /* of a program or library */
    PROFILE_KERNEL, /* of the kernel, or of a module */
    PROFILE_JIT,    /* made at run time */
    PROFILE_NOTE,   /* no function: "[truncated]" and the like, which say why a stack ends */
};

/* A sum of a cgroup contains what is below it; a group of processes stands by itself. */
enum profile_scope { PROFILE_MACHINE, PROFILE_CGROUP, PROFILE_PROCESSES };

struct profile_limits {
    size_t nodes;       /* of the trie: 100,000 */
    size_t functions;   /* 50,000; their names have 128 bytes each on the average, at most */
    size_t slice_bytes; /* of all slices that are closed, with what each takes beside its bytes */
    size_t recent;      /* samples that are kept one by one */
    size_t targets;     /* that have samples, also such as have ended */
};

/* NULL: no memory. rate_hz: of the samples from here on. */
struct profile_store *profile_store_new(const struct profile_limits *limits, unsigned rate_hz);
struct profile_store *profile_store_free(struct profile_store *store);
DEFINE_AUTO(profile_store, struct profile_store *, profile_store_free)

/* Samples have another rate from here on. Those that were kept one by one are so no more. */
void profile_store_set_rate(struct profile_store *store, unsigned rate_hz);

/*
 * The number of a function, which is made where there is none of this kind, owner and name. owner:
 * the program or library ("libc.so.6"), "[kernel]", a module; name: clean UTF-8. Where there is no
 * room, or no memory, the number of "(folded)", until a tick has made room. Numbers stay as long as
 * profile_store_generation().
 */
uint32_t profile_store_function(struct profile_store *store, enum profile_kind kind,
                                const char *owner, const char *name);

/*
 * A function whose name is found out later: `name` stands for it until then ("0x51dbc0"). It is
 * another one at each call. Renaming it takes the name over; functions of one owner and name are
 * shown as one.
 */
uint32_t profile_store_unnamed(struct profile_store *store, enum profile_kind kind,
                               const char *owner, const char *name);
void profile_store_rename(struct profile_store *store, uint32_t function, const char *name);

/*
 * It changes when numbers of functions, and of targets, have been given to others: who remembers
 * some forgets them. That is in profile_store_tick() only.
 */
uint64_t profile_store_generation(const struct profile_store *store);

/*
 * The number of a target. label: the path of the cgroup, as its series have it; the name of the
 * group; "" for what is in no cgroup that is counted (PROFILE_MACHINE), which always has room.
 * UINT32_MAX: no room, until a tick has made some; its samples are to be added for the cgroup above
 * it, or the machine.
 */
uint32_t profile_store_target(struct profile_store *store, enum profile_scope scope,
                              const char *label);

/* A stack, by functions of the store. */
struct profile_stack {
    const uint32_t *functions; /* from the root to the leaf */
    size_t n;
    uint32_t place; /* where in the leaf's file the leaf was; PROFILE_NO_PLACE: not known */
};

#define PROFILE_NO_PLACE UINT32_MAX

/*
 * Adds a sample. time_ns: CLOCK_REALTIME; samples may come out of order by some seconds. One that
 * is later than that counts for the first minute that is still open, and one that lies minutes
 * ahead of the last tick for the time of that tick. A sample of a group of processes is added for
 * its cgroup and for the group, once each.
 */
void profile_store_add(struct profile_store *store, uint32_t target, uint64_t time_ns,
                       const struct profile_stack *stack);

/* Closes minutes and hours that are over, and drops what is too old. Call it each second or so. */
void profile_store_tick(struct profile_store *store, uint64_t now_ns);

struct profile_figures {
    size_t nodes, functions, targets, slices;
    size_t slice_bytes;      /* of slices that are closed */
    size_t bytes;            /* of everything */
    uint64_t folded_samples; /* samples whose leaf was folded, since the start */
    uint64_t dropped_slices; /* slices that were dropped before their time, for want of room */
};

void profile_store_figures(const struct profile_store *store, struct profile_figures *ret_figures);

/* What is asked for: the samples of a target from one time to another, CLOCK_REALTIME. */
struct profile_range {
    enum profile_scope scope;
    const char *label; /* of MACHINE: all of it, "" */
    bool own_only;     /* of a cgroup without what is below it; of MACHINE what is in no cgroup */
    uint64_t from_ns, to_ns;
};

/*
 * Adds up a range as a tree. Ranges within what is kept one by one are exact, to the millisecond;
 * others are widened to whole minutes, or whole hours where only those are kept, and cut where no
 * sample of the store is older or newer: *ret_tree says which range it has. What is kept of a
 * cgroup contains what is below it; that of the machine is all cgroups and what is in none; a group
 * of processes is a view of the same samples, and is in no sum. 0; -ENOENT: the target has no
 * samples at all; -ENOMEM.
 */
struct profile_tree;
int profile_store_collect(const struct profile_store *store, const struct profile_range *range,
                          struct profile_tree **ret_tree);

/*
 * Adds up two ranges that are to be compared. If they have no time in common, their trees have
 * none either: the minutes or hours in which the earlier one ends, and the later one begins, are
 * left out where something is left then. -EDOM: both would still have one of them. Else as above;
 * after a failure there is no tree, and *ret_none, where it is -ENOENT, is the range that has no
 * samples.
 */
int profile_store_collect_two(const struct profile_store *store, const struct profile_range *before,
                              const struct profile_range *after, struct profile_tree **ret_before,
                              struct profile_tree **ret_after,
                              const struct profile_range **ret_none);

/* A target that has samples. */
struct profile_target_info {
    enum profile_scope scope;
    const char *label;          /* borrowed */
    uint64_t first_ns, last_ns; /* from when to when there are samples; 0: there are none yet */
    uint64_t samples;           /* since it was entered, also such as are not kept any more */
};

/* The targets, in no order; false: there is none with this number, counted from 0. */
bool profile_store_list(const struct profile_store *store, size_t i,
                        struct profile_target_info *ret_info);

/* How far time has gone: in minutes since 1970. */
struct profile_times {
    uint32_t open_from;    /* the first minute that samples are still added to; 0: no tick yet */
    uint32_t minutes_from; /* before this minute, which begins an hour, there are hours only */
    uint32_t oldest;       /* before this minute, which begins an hour, nothing is kept */
};

struct profile_times profile_store_times(const struct profile_store *store);

/* Closes the minutes that are open, since the store ends. */
void profile_store_close(struct profile_store *store);

/*
 * Appends what is closed of the minutes from `minute` to `end`, not included, as bytes that
 * stand by themselves: a store that knows nothing can take them in. Nothing is appended if there
 * are no samples. 0 or -ENOMEM.
 */
int profile_store_pack(const struct profile_store *store, uint32_t minute, uint32_t end,
                       struct text *bytes);

/*
 * Takes in what profile_store_pack() has made, of this or of another store. It is bounded as all
 * else: what finds no room is folded or dropped, and counted. 0; -EBADMSG: it is damaged, and what
 * stood before the damage is in; -ENOMEM: likewise.
 */
int profile_store_unpack(struct profile_store *store, const void *bytes, size_t n);

/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* How programs that count by key (sys/bpf/keyed_program.h) are loaded. */

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sys/bpf/keyed_ends.h"

struct bpf_map;
struct bpf_object;
struct bpf_object_skeleton;

/* A program that is one object of libbpf's, from when it is to be loaded on. */
struct keyed_object {
    struct keyed_program program;
    const struct keyed_loader *loader;
    const struct switch_program *of; /* until it is loaded */
    size_t entries;
    enum bpf_refusal refusal;  /* that the loader's functions know of; _NONE: they know none */
    enum bpf_refusal left_out; /* why a part of it is; _NONE: it is whole. Whoever loads sets it */
    void *skeleton;            /* as bpftool generates it; NULL: not open yet */
    struct bpf_object_skeleton *parts;
    struct bpf_object *object;
    const __u64 *n_lost;        /* the program's own count, in memory that it shares */
    struct keyed_place *places; /* as the loader has mapped them; NULL: none */
};

/* What is a program's own. */
struct keyed_loader {
    /*
     * Opens the skeleton, says so by keyed_opened(), and sets its sizes and constants. 0, or -errno
     * and perhaps a refusal.
     */
    int (*open)(struct keyed_object *object);
    /* Between loading and attaching; NULL: nothing is to be done. 0, or -errno as above. */
    int (*connect)(struct keyed_object *object);
    /* Takes back what connect() has done; NULL: nothing. */
    void (*disconnect)(struct keyed_object *object);
    /* Whether the kernel has the tracepoints, with the arguments that are known; NULL: not asked.
     */
    bool (*has_hooks)(void);
};

/* Notes what was opened: members of a skeleton. */
void keyed_opened(struct keyed_object *object, void *skeleton, struct bpf_object_skeleton *parts,
                  struct bpf_object *opened, const __u64 *n_lost);

/* Loads and attaches a program by its loader, as keyed_program_load says. */
int keyed_object_load(const struct keyed_loader *loader, const struct switch_program *of,
                      size_t entries, struct keyed_program **ret_program,
                      enum bpf_refusal *ret_refusal);

/* Has a program that is not loaded yet count in this table. 0 or -errno. */
int bpf_share_table(struct bpf_object *object, const struct keyed_table *table);

/*
 * The same, where the program asks who is who: the maps of slots.bpf.h and slot_control.bpf.h, as
 * far as it has them, are those of the program at each switch. *ret_v1: whether cgroups are those
 * of cgroup v1. 0 or -errno.
 */
int bpf_prepare_keyed(struct bpf_object *object, const struct switch_program *of,
                      const struct keyed_table *table, bool *ret_v1);

/*
 * Has a map of a program that is not loaded yet 2^bits places. bits_told: the constant by which the
 * program knows that. 0 or -errno.
 */
int bpf_set_places(struct bpf_map *map, uint32_t bits, uint32_t *bits_told);

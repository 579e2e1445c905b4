/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Probes: events that a user puts on a place of a program or of the kernel. A configuration defines
 * each under a name of its own, and lists it in a group as "probe:NAME". A place is written as perf
 * probe and bpftrace write it:
 *
 *     kernel   vfs_read    vfs_read+0x10    vfs_read%return    nf_conntrack:nf_ct_delete
 *     user     /usr/bin/bash:readline    /usr/lib/libc.so.6:malloc%return    /usr/bin/x:work+16
 *     usdt     /usr/lib/libc.so.6:libc:setjmp    /usr/bin/x:provider:name#2
 */

#include <stdbool.h>
#include <stdint.h>

/* What the names of the events of probes begin with. */
#define PROBE_PREFIX "probe:"

#define PROBE_SYMBOL_SIZE                                                                          \
    512 /* of a provider or symbol, with its NUL: KSYM_NAME_LEN of the kernel */

enum probe_kind {
    PROBE_KERNEL, /* a function of the kernel (kprobe) */
    PROBE_USER,   /* a function of a program or library (uprobe) */
    PROBE_USDT,   /* a place that a program or library offers in a note of its ELF file */
    PROBE_KIND_COUNT_,
};

/* A probe as it is defined. The texts are borrowed. */
struct probe_spec {
    const char *name; /* without PROBE_PREFIX */
    enum probe_kind kind;
    const char *place;
};

/* The text of a place, taken apart. */
struct probe_place {
    char *file;      /* an absolute path; NULL: the kernel */
    char *provider;  /* of a USDT probe; else NULL */
    char *symbol;    /* the function; of a USDT probe its name */
    uint64_t offset; /* in bytes from the beginning of the function */
    unsigned number; /* which of several USDT probes of one name, from 1; 0: there is only one */
    bool is_return;  /* it counts returns of the function */
};

/* How a place of this kind is written, for people. Static. */
const char *probe_place_expected(enum probe_kind kind);

/*
 * Takes the text of a place apart. Whether anything is there is not looked at. 0; -EINVAL: the text
 * does not have the form; -ENOMEM. probe_place_done() gives up what *ret_place holds.
 */
int probe_place_parse(enum probe_kind kind, const char *text, struct probe_place *ret_place);
void probe_place_done(struct probe_place *place);

/*
 * Whether a probe may be called so: letters, digits and "_", no digit first; and not as a modifier
 * is, since "probe:u" would be an event "probe" in user mode.
 */
bool probe_name_valid(const char *name);

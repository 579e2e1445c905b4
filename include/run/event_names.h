/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The argument of -e, in the syntax of perf: names of events with commas between them, where a
 * comma inside of slashes belongs to the name ("cpu/event=0xc0,umask=1/"), and braces around events
 * that the kernel counts together ("{cycles,instructions}:u"). Modifiers behind a brace are those
 * of each event in it.
 */

#include <stdbool.h>
#include <stddef.h>

/* What is said of an event. The texts are owned. */
struct event_name {
    char *name;
    char *filter; /* over the fields of a tracepoint; NULL: none */
};

/* Names of events that stand together. */
struct event_names {
    struct event_name *names;
    size_t n;
    bool is_group; /* they stood in braces, and are counted together */
};

struct event_name_list {
    struct event_names *groups; /* an event that stands in no braces is alone in one of these */
    size_t n;
};

/* What is wrong with the argument; offset: where, in bytes from its beginning. */
struct event_names_error {
    size_t offset;
    const char *expected; /* what was expected there. Static */
};

/*
 * Adds what an argument names to the list. Returns 0; -EINVAL with *ret_error filled: the argument
 * has another form; -ENOMEM. The caller ends the list by event_names_done() in any case.
 */
int event_names_parse(const char *argument, struct event_name_list *list,
                      struct event_names_error *ret_error);

/* Adds one event, alone; with a copy of the name. 0 or -ENOMEM. */
int event_names_add(struct event_name_list *list, const char *name);

/* Begins a group, which is empty; event_names_append() adds names to it. 0 or -ENOMEM. */
int event_names_begin(struct event_name_list *list, bool is_group);
int event_names_append(struct event_name_list *list, const char *name);

/* Gives the last event a filter. 0; -ENOMEM; -ENOENT: there is no event yet. */
int event_names_set_filter(struct event_name_list *list, const char *filter);

void event_names_done(struct event_name_list *list);

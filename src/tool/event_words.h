/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The events that a command line names. */

#include "tool/command.h"
#include "tool/machine.h"

/* For a command whose words are events, at least one. */
struct event_words {
    const char **words; /* as many as there are on the command line */
    size_t n;
    const char *sysfs;  /* of --path.sysfs */
    const char *filter; /* of --filter, for each event; NULL: none */
    bool json;
};

/*
 * The children and the parser of the argp of a command that has no options but --filter, --json
 * and --path.sysfs. The command's input is a struct event_words, which event_words_init() has made.
 */
extern const struct argp_child event_words_children[];
error_t event_words_parse(int key, char *argument, struct argp_state *state);

/* Makes room for the words of a command line. 0 or -ENOMEM. */
int event_words_init(struct event_words *words, int argc);
void event_words_done(struct event_words *words);
#define AUTO_EVENT_WORDS __attribute__((cleanup(event_words_done)))

/*
 * Resolves each word, and each event of a word that stands for several ("kmem:*"), and shows it.
 * visit: 0 or -errno, which ends the walk. 0 or -errno.
 */
int event_words_each(const struct event_words *words, const struct machine *machine,
                     int (*visit)(void *object, const struct event *event), void *object);

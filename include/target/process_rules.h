/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Which processes are counted, and under which name: the rules of targets.processes.
 * Selectors and templates are those of process-exporter. The first rule that matches
 * wins; a rule matches where each selector that it has does.
 */

#include "base/text.h"
#include "sys/process.h"

struct process_rules;

/* Borrowed for the call only. An absent selector has n 0. */
struct process_rule_spec {
    const char *name;        /* template: {{.Comm}}, {{.ExeBase}}, {{.ExeFull}}, {{.Username}},
                                {{.PID}}, {{.StartTime}} (2026-11-21T09:30:00Z), {{.Matches.x}};
                                NULL: {{.ExeBase}}. What has no executable has comm in its place */
    const char *const *comm; /* one of these is its comm … */
    size_t n_comm;
    const char *const *exe; /* … one of these its executable: by whole path if it has a "/" */
    size_t n_exe;
    const char *const *cmdline; /* … all of these (PCRE2) match its arguments joined by spaces */
    size_t n_cmdline;
    const pid_t *pid; /* … and one of these is its number */
    size_t n_pid;
    bool children; /* what it starts is counted with it */
};

/* What is wrong with a rule, for one line to the user. */
struct process_rule_error {
    enum { PROCESS_RULE_NAME, PROCESS_RULE_CMDLINE } key; /* where it stands … */
    size_t index;                                         /* … in the list, of cmdline … */
    size_t offset;                                        /* … and at which byte of the text */
    char message[160];                                    /* what it is and what was expected */
};

int process_rules_new(struct process_rules **ret_rules);
struct process_rules *process_rules_free(struct process_rules *rules);
DEFINE_AUTO(process_rules, struct process_rules *, process_rules_free)

/* Adds a rule behind the others. 0; -EINVAL, with *ret_error filled; -ENOMEM. */
int process_rules_add(struct process_rules *rules, const struct process_rule_spec *spec,
                      struct process_rule_error *ret_error);

/*
 * What asking the rules about a process may cost, and what is kept of it for when they
 * are asked again: a pattern goes through the same arguments once.
 */
struct process_matching {
    struct rule_verdicts *verdicts; /* from the last time; NULL: none. To be freed by free() */
    size_t most_work;               /* steps of the matcher, in all: some 30 a microsecond */
    size_t work;                    /* that were taken; they are added */
    bool undecided;                 /* a pattern took too long over the arguments */
    bool by_number; /* set by the caller: {{.Username}} is to be the number, as it was before; set
                       by the call: it is, because the name was not known in time */
};

/*
 * The first rule that matches, and the name that its template makes, as a label: clean
 * UTF-8 verbatim unless it is empty or begins with `%/`, any other percent-encoded
 * behind `%/`, cut with a hash where it is too long; two names never become one. A
 * pattern that takes too long over a command line does not match it. Reads of the
 * process only what the rules ask for. Returns the rule's index, -1 where none
 * matches; -EAGAIN where the work is used up: asked again, with the same verdicts, they go on
 * from there; -ENOMEM, or -ESRCH where the process ends meanwhile. ret_name: appended to.
 */
int process_rules_match(const struct process_rules *rules, struct process *process,
                        struct process_matching *matching, struct text *ret_name);

/* Whether the rule says so. */
bool process_rules_with_children(const struct process_rules *rules, int rule);

/* Whether the rule's name tells one process from another ({{.PID}}, {{.StartTime}}). */
bool process_rules_is_single(const struct process_rules *rules, int rule);

/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The rules that say which processes are counted, and under which name: `targets.processes` of the
 * configuration. Selectors and templates are those of process-exporter. A rule matches a process if
 * each of its selectors does. The first rule that matches wins.
 */

#include "base/text.h"
#include "sys/process.h"

struct process_rules;

/* All pointers are borrowed for the call only. The number of an absent selector is 0. */
struct process_rule_spec {
    const char *name;        /* a template: {{.Comm}}, {{.ExeBase}}, {{.ExeFull}}, {{.Username}},
                                {{.PID}}, {{.StartTime}} (2026-11-21T09:30:00Z), {{.Matches.x}},
                                {{.Name}}, {{.Pod}} and others (pmu_exporter.yml(5));
                                NULL means {{.ExeBase}}. A process without executable has its comm
                                in that place */
    const char *const *comm; /* the comm of the process must be one of these */
    size_t n_comm;
    const char *const *exe; /* its executable must be one of these; a text with "/" is a whole path,
                               any other is compared with the last name of the path */
    size_t n_exe;
    const char *const *cmdline; /* all of these patterns (PCRE2) must match its arguments, which are
                                   joined by spaces */
    size_t n_cmdline;
    const pid_t *pid; /* its number must be one of these */
    size_t n_pid;
    bool children; /* what the process starts is counted with it */
};

/* What is wrong with a rule, and where, for a message of one line. */
struct process_rule_error {
    enum { PROCESS_RULE_NAME, PROCESS_RULE_CMDLINE } key;
    size_t index;      /* which pattern of cmdline it is; 0 for the name */
    size_t offset;     /* at which byte of the text */
    char message[224]; /* what was found and what was expected */
};

int process_rules_new(struct process_rules **ret_rules);
struct process_rules *process_rules_free(struct process_rules *rules);
DEFINE_AUTO(process_rules, struct process_rules *, process_rules_free)

struct target_names;

/*
 * Has templates take names from there, which are empty without it. `names` is borrowed for the life
 * of the rules.
 */
void process_rules_set_names(struct process_rules *rules, struct target_names *names);

/* Whether a template has names. */
bool process_rules_use_names(const struct process_rules *rules);

/* Whose answer came too late for the name of a group. */
enum process_name_late {
    PROCESS_NAME_IN_TIME = 0,
    PROCESS_USER_LATE,  /* the name service's */
    PROCESS_NAMES_LATE, /* that of who looks for names of cgroups */
    PROCESS_NAME_LATE_COUNT_
};

/* How many answers there were from these so far: when it grows, the late ones may be asked for. */
uint64_t process_rules_answers(const struct process_rules *rules, enum process_name_late who);

/* Whether two rules, of which the other one may be of other rules, make names in the same way. */
bool process_rules_name_alike(const struct process_rules *rules, int rule,
                              const struct process_rules *others, int other);

/* Adds a rule behind the others. 0; -EINVAL, with *ret_error set; -ENOMEM. */
int process_rules_add(struct process_rules *rules, const struct process_rule_spec *spec,
                      struct process_rule_error *ret_error);

/*
 * What one question to the rules may cost, and what is kept for the next question about the same
 * process: a pattern is matched only once with the same arguments.
 */
struct process_matching {
    struct rule_verdicts *verdicts; /* of the last question, NULL before the first; the caller frees
                                       them by free() */
    size_t most_work;            /* the limit for `work`; a matcher takes some 30 steps in 1 us */
    size_t work;                 /* the call adds the steps that matchers took */
    bool undecided;              /* the call sets it: a pattern took too long */
    enum process_name_late late; /* the call sets it: a name was not known in time, and so
                                    {{.Username}} is the user's number, and names are empty */
};

/*
 * Finds the first rule that matches, and appends the name that its template makes to ret_name. The
 * name is the value of a label: clean UTF-8 as it is, unless it is empty or begins with `%/`; any
 * other name percent-encoded behind `%/`, and cut with a hash if it is too long. Two names never
 * become the same label. A pattern that takes too long over a command line does not match it. Only
 * what the rules ask for is read of the process.
 *
 * Returns the index of the rule, or -1 if no rule matches. Returns -EAGAIN if the work is used up:
 * ask again with the same verdicts, and the rules go on from there. Else -ENOMEM, or -ESRCH if the
 * process has ended.
 */
int process_rules_match(const struct process_rules *rules, struct process *process,
                        struct process_matching *matching, struct text *ret_name);

/* Whether the rule counts what a process starts together with it. */
bool process_rules_with_children(const struct process_rules *rules, int rule);

/* Whether each process has a group of its own, because the name has {{.PID}} or {{.StartTime}}. */
bool process_rules_is_single(const struct process_rules *rules, int rule);

/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Each process is matched with all rules together, which shows which rule takes it, and with each
 * rule alone, which shows what rules that come first take from others. A name that no process has
 * is no slip by itself, since processes come and go. It is only warned of where a process that runs
 * has nearly this name, or where it looks like a pattern, which comm and exe do not take.
 */
#include "check/process_matches.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/fnv.h"
#include "base/suggest.h"
#include "base/text.h"
#include "check/match_list.h"
#include "check/notes.h"
#include "config/config_error.h"
#include "config/config_processes.h"
#include "sys/process.h"

#define MOST_NAMES 4096 /* processes to whose names one is compared that no process has */

/* Hashes of the names of groups, for how many there are. Two that have the same are one. */
struct taken_names {
    uint64_t *hashes;
    size_t n, capacity;
};

/* What is found out about the processes that run. */
struct survey {
    struct process_rules *rules;   /* all rules together */
    struct process_rules **single; /* each rule alone */
    struct match_list *lists;      /* what each rule takes */
    struct taken_names *taken;     /* the names that these have */
    size_t n_rules;
    const char **comms; /* the comm of each process that runs */
    const char **bases; /* the last part of the path of its executable */
    size_t n_names;
};

static void survey_done(struct survey *survey)
{
    for (size_t i = 0; survey->single && i < survey->n_rules; i++)
        (void)process_rules_free(survey->single[i]);
    for (size_t i = 0; survey->taken && i < survey->n_rules; i++)
        free(survey->taken[i].hashes);
    for (size_t i = 0; i < survey->n_names; i++) {
        free((char *)survey->comms[i]);
        free((char *)survey->bases[i]);
    }
    (void)process_rules_free(survey->rules);
    free(survey->single);
    free(survey->lists);
    free(survey->taken);
    free(survey->comms);
    free(survey->bases);
}

static int make_rules(struct survey *survey, const struct config *config)
{
    struct process_rule_error wrong;
    size_t index;
    int r = config_processes_make(config, &survey->rules, &index, &wrong);

    survey->n_rules = config->n_processes;
    survey->single = calloc(survey->n_rules, sizeof(*survey->single));
    survey->lists = calloc(survey->n_rules, sizeof(*survey->lists));
    survey->taken = calloc(survey->n_rules, sizeof(*survey->taken));
    survey->comms = calloc(MOST_NAMES, sizeof(*survey->comms));
    survey->bases = calloc(MOST_NAMES, sizeof(*survey->bases));
    if (!survey->single || !survey->lists || !survey->taken || !survey->comms || !survey->bases)
        return -ENOMEM;
    for (size_t i = 0; r >= 0 && i < survey->n_rules; i++) {
        struct config alone = *config; /* nothing of it is freed */

        alone.processes = &config->processes[i];
        alone.n_processes = 1;
        r = config_processes_make(&alone, &survey->single[i], &index, &wrong);
    }
    return r;
}

static int add_names(struct survey *survey, struct process *process)
{
    AUTO_FREE char *comm = strdup(process_stat(process)->comm);
    AUTO_FREE char *base = NULL;
    const char *exe = "", *slash;

    if (survey->n_names == MOST_NAMES)
        return 0;
    (void)process_exe(process, &exe);
    slash = strrchr(exe, '/');
    base = strdup(slash ? slash + 1 : exe);
    if (!comm || !base)
        return -ENOMEM;
    survey->comms[survey->n_names] = TAKE(comm);
    survey->bases[survey->n_names] = TAKE(base);
    survey->n_names++;
    return 0;
}

/*
 * Which rule takes the process, and its name there. Work is bounded for each pattern only: nobody
 * waits for this as for a cycle.
 */
static int find_rule(const struct process_rules *rules, struct process *process,
                     struct text *ret_name)
{
    struct process_matching matching = {.most_work = SIZE_MAX};
    const int rule = process_rules_match(rules, process, &matching, ret_name);

    free(matching.verdicts);
    return rule;
}

static int take_name(struct survey *survey, size_t rule, const char *name)
{
    struct taken_names *names = &survey->taken[rule];
    const uint64_t hash = fnv1a(name, strlen(name));
    uint64_t *hashes;

    match_list_add(&survey->lists[rule], name);
    for (size_t i = 0; i < names->n; i++)
        if (names->hashes[i] == hash)
            return 0;
    hashes = array_reserve(names->hashes, sizeof(*hashes), &names->capacity, names->n + 1);
    if (!hashes)
        return -ENOMEM;
    names->hashes = hashes;
    names->hashes[names->n++] = hash;
    survey->lists[rule].n_targets = names->n;
    return 0;
}

static int match_process(struct survey *survey, struct process *process)
{
    AUTO_TEXT struct text name = {0};
    const int taker = find_rule(survey->rules, process, &name);

    if (taker == -ENOMEM)
        return taker;
    text_append_char(&name, '\0');
    if (text_error(&name) < 0)
        return -ENOMEM;
    if (taker >= 0 && take_name(survey, (size_t)taker, name.data) < 0)
        return -ENOMEM;
    for (size_t i = 0; i < survey->n_rules; i++) {
        AUTO_TEXT struct text unused = {0};

        if ((int)i != taker && find_rule(survey->single[i], process, &unused) == 0)
            survey->lists[i].n_lost++;
    }
    return add_names(survey, process);
}

static int match_all(struct survey *survey, int procfs_fd)
{
    AUTO_FREE pid_t *pids = NULL;
    size_t n;
    int r = process_list(procfs_fd, &pids, &n);

    for (size_t i = 0; r >= 0 && i < n; i++) {
        AUTO(process) struct process *process = NULL;

        if (process_open(procfs_fd, pids[i], &process) == 0 &&
            !process_stat_is_ended(process_stat(process)))
            r = match_process(survey, process);
    }
    return r;
}

static bool is_known(const char *word, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (names[i] && strcmp(names[i], word) == 0)
            return true;
    return false;
}

static void warn_of_names(struct check_output *output, const char *key,
                          const struct config_words *words, const char *const *names, size_t n)
{
    for (size_t i = 0; i < words->n; i++) {
        const char *word = words->words[i].text, *nearest;

        if (strchr(word, '/') || is_known(word, names, n))
            continue;
        nearest = suggest_nearest(word, names, n);
        if (!nearest && !strpbrk(word, "*?[]()|^$\\+"))
            continue;
        if (nearest)
            check_note(output, words->words[i].place, "warning",
                       "no process has %s %s now; did you mean %s?", key, SHOWN(word),
                       SHOWN(nearest));
        else
            check_note(output, words->words[i].place, "warning",
                       "no process has %s %s now: it is no pattern here; expected a name, or the "
                       "pattern under cmdline",
                       key, SHOWN(word));
    }
}

static void print_rule(struct check_output *output, const struct config *config,
                       const struct survey *survey, size_t index)
{
    const struct config_process_rule *rule = &config->processes[index];
    const struct match_list *list = &survey->lists[index];

    check_match(output, "processes", index, list);
    if (list->n == 0 && list->n_lost > 0) {
        check_note(output, rule->groups.words[0].place, "warning",
                   "rule %zu of targets.processes takes nothing now: rules before it take all "
                   "%zu that it matches",
                   index + 1, list->n_lost);
    }
    warn_of_names(output, "comm", &rule->comm, survey->comms, survey->n_names);
    warn_of_names(output, "exe", &rule->exe, survey->bases, survey->n_names);
}

int check_print_process_matches(struct check_output *output, const struct config *config,
                                int procfs_fd)
{
    struct survey survey __attribute__((cleanup(survey_done))) = {0};
    int r = make_rules(&survey, config);

    if (r >= 0)
        r = match_all(&survey, procfs_fd);
    for (size_t i = 0; r >= 0 && i < config->n_processes; i++)
        print_rule(output, config, &survey, i);
    return r;
}

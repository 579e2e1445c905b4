/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Each process is asked of all rules, for who takes it, and of each rule alone, for what rules
 * that come first take from others. Names that no process has are only warned of where one that
 * runs is nearly called so, or where they look like a pattern, which comm and exe are not.
 */
#include "check/process_matches.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/suggest.h"
#include "base/text.h"
#include "check/match_list.h"
#include "check/notes.h"
#include "config/config_error.h"
#include "config/config_processes.h"
#include "sys/process.h"

#define MOST_NAMES 4096 /* of processes, to which a name is compared */

struct looked_at {
    struct process_rules *rules;   /* all of them */
    struct process_rules **single; /* each alone */
    struct match_list *lists;
    const char **comms; /* of those that run … */
    const char **bases; /* … and the last names of their executables */
    size_t n_rules, n_names;
};

static void looked_at_done(struct looked_at *look)
{
    for (size_t i = 0; look->single && i < look->n_rules; i++)
        (void)process_rules_free(look->single[i]);
    for (size_t i = 0; i < look->n_names; i++) {
        free((char *)look->comms[i]);
        free((char *)look->bases[i]);
    }
    (void)process_rules_free(look->rules);
    free(look->single);
    free(look->lists);
    free(look->comms);
    free(look->bases);
}

static int prepare(struct looked_at *look, const struct config *config)
{
    struct process_rule_error wrong;
    size_t index;
    int r = config_processes_make(config, &look->rules, &index, &wrong);

    look->n_rules = config->n_processes;
    look->single = calloc(look->n_rules, sizeof(*look->single));
    look->lists = calloc(look->n_rules, sizeof(*look->lists));
    look->comms = calloc(MOST_NAMES, sizeof(*look->comms));
    look->bases = calloc(MOST_NAMES, sizeof(*look->bases));
    if (!look->single || !look->lists || !look->comms || !look->bases)
        return -ENOMEM;
    for (size_t i = 0; r >= 0 && i < look->n_rules; i++) {
        struct config alone = *config; /* nothing of it is freed */

        alone.processes = &config->processes[i];
        alone.n_processes = 1;
        r = config_processes_make(&alone, &look->single[i], &index, &wrong);
    }
    return r;
}

static int keep_names(struct looked_at *look, struct process *process)
{
    AUTO_FREE char *comm = strdup(process_stat(process)->comm);
    AUTO_FREE char *base = NULL;
    const char *exe = "", *slash;

    if (look->n_names == MOST_NAMES)
        return 0;
    (void)process_exe(process, &exe);
    slash = strrchr(exe, '/');
    base = strdup(slash ? slash + 1 : exe);
    if (!comm || !base)
        return -ENOMEM;
    look->comms[look->n_names] = TAKE(comm);
    look->bases[look->n_names] = TAKE(base);
    look->n_names++;
    return 0;
}

/* As process_rules_match(), without a bound but that of each pattern. */
static int match(const struct process_rules *rules, struct process *process, struct text *ret_name)
{
    struct process_matching matching = {.most_work = SIZE_MAX};
    const int rule = process_rules_match(rules, process, &matching, ret_name);

    free(matching.verdicts);
    return rule;
}

static int look_at_process(struct looked_at *look, struct process *process)
{
    AUTO_TEXT struct text name = {0};
    const int taker = match(look->rules, process, &name);

    if (taker == -ENOMEM)
        return taker;
    text_append_char(&name, '\0');
    if (text_error(&name) < 0)
        return -ENOMEM;
    if (taker >= 0)
        match_list_add(&look->lists[taker], name.data);
    for (size_t i = 0; i < look->n_rules; i++) {
        AUTO_TEXT struct text unused = {0};

        if ((int)i != taker && match(look->single[i], process, &unused) == 0)
            look->lists[i].n_lost++;
    }
    return keep_names(look, process);
}

static int look_at_all(struct looked_at *look, int procfs_fd)
{
    AUTO_FREE pid_t *pids = NULL;
    size_t n;
    int r = process_list(procfs_fd, &pids, &n);

    for (size_t i = 0; r >= 0 && i < n; i++) {
        AUTO(process) struct process *process = NULL;

        if (process_open(procfs_fd, pids[i], &process) == 0 &&
            !process_stat_is_ended(process_stat(process)))
            r = look_at_process(look, process);
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

static void warn_of_names(const char *path, const char *key, const struct config_words *words,
                          const char *const *names, size_t n)
{
    for (size_t i = 0; i < words->n; i++) {
        const char *word = words->words[i].text, *nearest;

        if (strchr(word, '/') || is_known(word, names, n))
            continue;
        nearest = suggest_nearest(word, names, n);
        if (!nearest && !strpbrk(word, "*?[]()|^$\\+"))
            continue;
        check_begin_note(path, words->words[i].place, "warning");
        if (nearest)
            (void)printf("no process has %s %s now; did you mean %s?\n", key, SHOWN(word),
                         SHOWN(nearest));
        else
            (void)printf("no process has %s %s now: it is no pattern here; expected a name, or the "
                         "pattern under cmdline\n",
                         key, SHOWN(word));
    }
}

static void print_rule(const char *path, const struct config *config, const struct looked_at *look,
                       size_t index)
{
    const struct config_process_rule *rule = &config->processes[index];
    const struct match_list *list = &look->lists[index];

    match_list_print(list, "processes", index);
    if (list->n == 0 && list->n_lost > 0) {
        check_begin_note(path, rule->groups.words[0].place, "warning");
        (void)printf("rule %zu of targets.processes takes nothing now: rules before it take all "
                     "%zu that it matches\n",
                     index + 1, list->n_lost);
    }
    warn_of_names(path, "comm", &rule->comm, look->comms, look->n_names);
    warn_of_names(path, "exe", &rule->exe, look->bases, look->n_names);
}

int check_print_process_matches(const char *path, const struct config *config, int procfs_fd)
{
    struct looked_at look __attribute__((cleanup(looked_at_done))) = {0};
    int r = prepare(&look, config);

    if (r >= 0)
        r = look_at_all(&look, procfs_fd);
    for (size_t i = 0; r >= 0 && i < config->n_processes; i++)
        print_rule(path, config, &look, i);
    return r;
}

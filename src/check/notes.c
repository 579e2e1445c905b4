/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Of rules that take the same, only those are noted that are the same word for word. Where one
 * pattern takes all that another takes, both mostly stand there on purpose.
 */
#include "check/notes.h"

#include <errno.h>
#include <string.h>

#include "config/config_cgroups.h"
#include "config/config_error.h"
#include "config/config_processes.h"
#include "event/absence.h"
#include "resolve/absence_advice.h"
#include "sys/cgroup_root.h"
#include "sys/hidepid.h"
#include "target/target_names.h"

/* TASK_COMM_LEN less its NUL. The names of kernel threads are longer in proc(5). */
#define LONGEST_COMM 15

static bool has_word(const struct config_words *words, const char *text)
{
    for (size_t i = 0; i < words->n; i++)
        if (strcmp(words->words[i].text, text) == 0)
            return true;
    return false;
}

static bool is_used(const struct config *config, const char *group)
{
    bool used = config->system.enabled && has_word(&config->system.groups, group);

    for (size_t i = 0; !used && i < config->n_cgroups; i++)
        used = has_word(&config->cgroups[i].groups, group);
    for (size_t i = 0; !used && i < config->n_processes; i++)
        used = has_word(&config->processes[i].groups, group);
    return used;
}

/* A group of the built-in default that no target names is nobody's slip. */
static void print_unused_groups(struct check_output *output, const struct config *config)
{
    for (size_t i = 0; i < config->n_groups; i++) {
        const struct config_word *name = &config->groups[i].name;

        if (name->place.line == 0 || is_used(config, name->text))
            continue;
        check_note(output, name->place, "note",
                   "group %s is counted for nobody: no target names it", SHOWN(name->text));
    }
}

static bool same_words(const struct config_words *a, const struct config_words *b)
{
    if (a->n != b->n)
        return false;
    for (size_t i = 0; i < a->n; i++)
        if (strcmp(a->words[i].text, b->words[i].text) != 0)
            return false;
    return true;
}

static bool same_cgroups(const struct config *config, size_t i, size_t j)
{
    const struct config_cgroup_rule *a = &config->cgroups[i], *b = &config->cgroups[j];

    return same_words(&a->include, &b->include) && same_words(&a->exclude, &b->exclude);
}

static bool same_processes(const struct config *config, size_t i, size_t j)
{
    const struct config_process_rule *a = &config->processes[i], *b = &config->processes[j];

    return same_words(&a->comm, &b->comm) && same_words(&a->exe, &b->exe) &&
           same_words(&a->cmdline, &b->cmdline) && a->pid.n == b->pid.n &&
           (a->pid.n == 0 ||
            memcmp(a->pid.numbers, b->pid.numbers, a->pid.n * sizeof(*a->pid.numbers)) == 0);
}

static void print_shadowed(struct check_output *output, const struct config *config,
                           const char *list, size_t n,
                           bool same(const struct config *config, size_t i, size_t j),
                           struct config_place place(const struct config *config, size_t i))
{
    for (size_t i = 1; i < n; i++) {
        size_t first = 0;

        while (first < i && !same(config, first, i))
            first++;
        if (first == i)
            continue;
        check_note(output, place(config, i), "note",
                   "rule %zu of %s takes nothing: rule %zu, which comes first, selects the same",
                   i + 1, list, first + 1);
    }
}

static struct config_place place_of_cgroups(const struct config *config, size_t i)
{
    return config->cgroups[i].groups.words[0].place;
}

static struct config_place place_of_processes(const struct config *config, size_t i)
{
    return config->processes[i].groups.words[0].place;
}

void check_print_root(struct check_output *output, const struct config *config, int cgroup_root_fd)
{
    const struct config_word *pattern = config_cgroups_find_root(config);

    if (!pattern || cgroup_root_fd < 0 || !cgroup_is_machine(cgroup_root_fd))
        return;
    check_note(output, pattern->place, "warning",
               "the root of all cgroups, %s, is not counted as a cgroup (%s): %s",
               SHOWN(pattern->text), absence_name(ABSENCE_NOT_SUPPORTED), ROOT_IS_MACHINE);
}

/* Who asks is mostly root and sees all processes; the exporter may be another user. */
void check_print_hidden(struct check_output *output, const struct config *config, int procfs_fd)
{
    if (config->n_processes == 0 || procfs_fd < 0 || !hidepid_read(procfs_fd).hides)
        return;
    check_note(output, config->processes[0].groups.words[0].place, "warning",
               "rules take processes of other users only with CAP_SYS_PTRACE here: %s",
               HIDDEN_PROCESSES);
}

void check_print_writers(struct check_output *output, const char *writers)
{
    if (!*writers)
        return;
    check_note(output, (struct config_place){0, 0}, "warning",
               "others than root and you may change what is counted: %s", writers);
}

int check_print_names(struct check_output *output, const struct config *config)
{
    const struct config_word *file = &config->names.file;
    AUTO_TEXT struct text errors = {0};
    size_t n_errors = 0;
    int r = file->text ? names_file_check(file->text, &errors, &n_errors) : 0;

    if (r == -ENOMEM)
        return r;
    if (r < 0)
        check_note(output, file->place, "warning", "cannot read the names in %s: %s",
                   SHOWN(file->text), strerror(-r));
    else if (n_errors > 0)
        check_note(output, file->place, "warning", "lines of %s that are left out: %zu; line %.*s",
                   SHOWN(file->text), n_errors, (int)strcspn(errors.data, "\n"), errors.data);
    return 0;
}

void check_print_idle(struct check_output *output, const struct config *config)
{
    if (!config->system.enabled && config->n_cgroups == 0 && config->n_processes == 0) {
        check_note(output, (struct config_place){0, 0}, "note",
                   "nothing is counted: targets has neither system nor cgroups nor processes");
        return;
    }
    print_unused_groups(output, config);
    print_shadowed(output, config, "targets.cgroups", config->n_cgroups, same_cgroups,
                   place_of_cgroups);
    print_shadowed(output, config, "targets.processes", config->n_processes, same_processes,
                   place_of_processes);
}

static void warn_of_long_names(struct check_output *output, const struct config_words *names)
{
    for (size_t i = 0; i < names->n; i++) {
        const struct config_word *name = &names->words[i];

        if (strlen(name->text) <= LONGEST_COMM)
            continue;
        if (strpbrk(name->text, "/ "))
            check_note(output, name->place, "warning",
                       "a comm has at most %d bytes and is no path or command line, so %s matches "
                       "none; expected exe for a path, or cmdline for arguments",
                       LONGEST_COMM, SHOWN(name->text));
        else
            check_note(output, name->place, "warning",
                       "a comm has at most %d bytes, so %s matches none but a kernel thread; did "
                       "you mean \"%.*s\"?",
                       LONGEST_COMM, SHOWN(name->text), LONGEST_COMM, name->text);
    }
}

int check_print_process_rules(struct check_output *output, const struct config *config)
{
    AUTO(process_rules) struct process_rules *rules = NULL;
    struct process_rule_error wrong;
    size_t index;
    int r = config_processes_make(config, &rules, &index, &wrong);

    for (size_t i = 0; r == 0 && i < config->n_processes; i++) {
        const struct config_process_rule *rule = &config->processes[i];

        warn_of_long_names(output, &rule->comm);
        if (!process_rules_is_single(rules, (int)i))
            continue;
        check_note(output, rule->name.place, "warning",
                   "by name %s each process has series of its own, new ones whenever it is "
                   "started",
                   SHOWN(rule->name.text));
    }
    return r;
}

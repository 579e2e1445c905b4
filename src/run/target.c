/* SPDX-License-Identifier: Apache-2.0 */
#include "run/target.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "config/config_error.h"
#include "count/counter_set.h"
#include "sys/process.h"

/* How often the threads of a process are listed anew where they change while counters are opened.
 */
#define MOST_LISTINGS 5

static int refuse(struct text *message, int error, const char *what, const char *name)
{
    text_append_format(message, "%s %s: %s", what, SHOWN(name), strerror(-error));
    return error;
}

/* The path below the root: "a/b" for "a/b", "/a/b" and "/sys/fs/cgroup/a/b". Borrowed. */
static const char *path_below(const struct cgroup_root *root, const char *name)
{
    const size_t length = strlen(root->path);

    if (strncmp(name, root->path, length) == 0 && (!name[length] || name[length] == '/'))
        name += length;
    return name + strspn(name, "/");
}

static int find_cgroup(const struct run_machine *machine, const char *name,
                       struct run_target *target, struct text *message)
{
    struct cgroup_root root = {.fd = -1};
    const char *path;
    int r = cgroup_root_open(machine->cgroupfs, &root);

    if (r < 0) {
        text_append_string(message, "no hierarchy of cgroups is mounted that perf events know");
        return r;
    }
    path = path_below(&root, name);
    r = cgroup_open_below(root.fd, *path ? path : ".");
    if (r < 0)
        text_append_format(message, "no cgroup %s below %s: %s", SHOWN(name), root.path,
                           strerror(-r));
    else
        target->cgroup_fd = r;
    if (r >= 0 && cgroup_is_machine(r)) {
        text_append_string(message, "the root of all cgroups is the machine; expected -a, or a "
                                    "cgroup below it");
        r = -EINVAL;
    }
    cgroup_root_done(&root);
    return r < 0 ? r : 0;
}

/* The CPUs that are named, each of which has to be online, or all that are. */
static int find_cpus(const struct run_wish *wish, int sysfs_fd, struct run_target *target,
                     struct text *message)
{
    AUTO(cpu_list) struct cpu_list *online = NULL;
    AUTO(cpu_list) struct cpu_list *nothing = NULL;
    int r = cpu_list_read_online(sysfs_fd, &online);

    if (r < 0)
        return refuse(message, r, "list of CPUs", "/sys/devices/system/cpu/online");
    r = cpu_list_parse("", &nothing);
    if (r < 0)
        return r;
    if (!wish->cpus)
        return cpu_list_unite(online, nothing, &target->cpus);
    for (size_t i = 0; i < wish->cpus->n; i++)
        if (!cpu_list_contains(online, wish->cpus->cpus[i])) {
            text_append_format(message, "CPU %d is not online", wish->cpus->cpus[i].value);
            return -EINVAL;
        }
    return cpu_list_unite(wish->cpus, nothing, &target->cpus);
}

static int add_tasks(struct run_target *target, const pid_t *tasks, size_t n)
{
    pid_t *grown = reallocarray(target->tasks, target->n_tasks + n + 1, sizeof(*grown));

    if (!grown)
        return -ENOMEM;
    memcpy(grown + target->n_tasks, tasks, n * sizeof(*tasks));
    target->tasks = grown;
    target->n_tasks += n;
    return 0;
}

static int compare_tasks(const void *a, const void *b)
{
    const pid_t left = *(const pid_t *)a, right = *(const pid_t *)b;

    return (left > right) - (left < right);
}

/* Lists the threads of all the processes. 0; -ESRCH: one of them has gone; -errno. */
static int list_threads(const struct run_wish *wish, int procfs_fd, struct run_target *target)
{
    int r = 0;

    target->n_tasks = 0;
    for (size_t i = 0; i < wish->n_tasks && r == 0; i++) {
        AUTO_FREE pid_t *threads = NULL;
        size_t n;

        r = process_threads(procfs_fd, wish->tasks[i], &threads, &n);
        if (r == 0)
            r = add_tasks(target, threads, n);
        else if (r == -ESRCH && wish->skips_gone)
            r = 0;
    }
    if (r == 0 && target->n_tasks == 0)
        return -ESRCH;
    if (r == 0)
        qsort(target->tasks, target->n_tasks, sizeof(*target->tasks), compare_tasks);
    return r;
}

/* Whether there is such a thread: a process has a directory in procfs, and a thread as well. */
static int find_threads(const struct run_wish *wish, int procfs_fd, struct run_target *target,
                        struct text *message)
{
    for (size_t i = 0; i < wish->n_tasks && !wish->skips_gone; i++) {
        AUTO(process) struct process *process = NULL;
        int r = process_open(procfs_fd, wish->tasks[i], &process);

        if (r < 0) {
            text_append_format(message, "%s %d: %s",
                               wish->kind == TARGET_THREADS ? "thread" : "process", wish->tasks[i],
                               strerror(-r));
            return r == -ENOMEM ? r : -EINVAL;
        }
    }
    if (wish->kind == TARGET_THREADS)
        return add_tasks(target, wish->tasks, wish->n_tasks);
    return list_threads(wish, procfs_fd, target);
}

static int find_tasks_or_cpus(const struct run_wish *wish, const struct run_machine *machine,
                              struct run_target *target, struct text *message)
{
    int r = 0;

    switch (wish->kind) {
    case TARGET_COMMAND:
        return add_tasks(target, wish->tasks, wish->n_tasks);
    case TARGET_PROCESSES:
    case TARGET_THREADS:
        return find_threads(wish, machine->procfs_fd, target, message);
    case TARGET_CGROUP:
        r = find_cgroup(machine, wish->cgroup, target, message);
        break;
    case TARGET_MACHINE:
        break;
    }
    return r < 0 ? r : find_cpus(wish, machine->sysfs_fd, target, message);
}

static struct scope whole_scope(const struct run_wish *wish, const struct run_target *target)
{
    struct scope scope = {.kind = SCOPE_PROCESS,
                          .cgroup_fd = target->cgroup_fd,
                          .cpus = target->cpus,
                          .tasks = target->tasks,
                          .n_tasks = target->n_tasks};

    if (wish->kind == TARGET_MACHINE)
        scope.kind = SCOPE_SYSTEM;
    else if (wish->kind == TARGET_CGROUP)
        scope.kind = SCOPE_CGROUP;
    else
        scope.inherit = INHERIT_CHILDREN;
    scope.starts_at_exec = wish->kind == TARGET_COMMAND;
    return scope;
}

static int make_parts(const struct run_wish *wish, struct run_target *target)
{
    const size_t n = wish->is_per_cpu ? target->cpus->n : 1;

    target->parts = calloc(n, sizeof(*target->parts));
    if (!target->parts)
        return -ENOMEM;
    target->n_parts = n;
    target->n_rows = n;
    for (size_t i = 0; i < n; i++) {
        struct run_part *part = &target->parts[i];
        char number[16];
        int r;

        *part = (struct run_part){.row = i, .cpu = -1, .scope = target->scope};
        if (!wish->is_per_cpu)
            continue;
        part->cpu = target->cpus->cpus[i].value;
        (void)snprintf(number, sizeof(number), "%d", part->cpu);
        r = cpu_list_parse(number, &part->cpus);
        if (r < 0)
            return r;
        part->scope.cpus = part->cpus;
    }
    return 0;
}

int run_target_find(const struct run_wish *wish, const struct run_machine *machine,
                    struct run_target *ret_target, struct text *ret_message)
{
    int r;

    *ret_target = (struct run_target){.cgroup_fd = -1};
    r = find_tasks_or_cpus(wish, machine, ret_target, ret_message);
    if (r < 0)
        return r;
    ret_target->scope = whole_scope(wish, ret_target);
    ret_target->scope.hybrid = pmu_list_if_hybrid(machine->pmus);
    return make_parts(wish, ret_target);
}

/* Adds the part of a row that a PMU counts. It has no place where the PMU has no CPU in the row. */
static int add_uncore(struct run_target *target, size_t row, const struct run_uncore *uncore)
{
    struct run_part *parts =
        reallocarray(target->parts, target->n_parts + 1, sizeof(*target->parts));
    struct run_part *part;

    if (!parts)
        return -ENOMEM;
    target->parts = parts;
    part = &parts[target->n_parts++];
    *part = (struct run_part){.row = row,
                              .cpu = parts[row].cpu,
                              .scope = run_uncore_scope(uncore),
                              .groups = uncore->groups};
    part->cpus = calloc(1, sizeof(*part->cpus) + uncore->cpus->n * sizeof(part->cpus->cpus[0]));
    part->types = calloc(uncore->cpus->n + 1, sizeof(*part->types));
    if (!part->cpus || !part->types)
        return -ENOMEM;
    for (size_t i = 0; i < uncore->cpus->n; i++) {
        if (part->cpu >= 0 && uncore->cpus->cpus[i].value != part->cpu)
            continue;
        part->types[part->cpus->n] = uncore->types[i];
        part->cpus->cpus[part->cpus->n++] = uncore->cpus->cpus[i];
    }
    part->scope.cpus = part->cpus;
    part->scope.pmu_types = part->types;
    return 0;
}

int run_target_set_groups(struct run_target *target, const struct event_groups *groups,
                          const struct run_uncores *uncores)
{
    int r = 0;

    for (size_t row = 0; row < target->n_rows; row++)
        target->parts[row].groups = uncores->n > 0 ? uncores->others : groups;
    for (size_t i = 0; i < uncores->n; i++)
        for (size_t row = 0; row < target->n_rows && r == 0; row++)
            r = add_uncore(target, row, &uncores->pmus[i]);
    return r;
}

/* Makes what has no counters yet of each part. */
static int make_sets(struct run_target *target, struct mechanism *mechanism,
                     struct counter_set **sets)
{
    for (size_t i = 0; i < target->n_parts; i++) {
        struct run_part *part = &target->parts[i];
        int r;

        if (!part->cpus)
            part->scope = target->scope;
        r = counter_set_new(mechanism, part->groups, &part->scope, &part->set);
        if (r < 0)
            return r;
        part->sample = sample_new(part->groups);
        if (!part->sample)
            return -ENOMEM;
        sets[i] = part->set;
    }
    return 0;
}

/* Why nothing of the target is counted, as an errno; 0: something is. */
static int error_of(const struct run_target *target)
{
    for (size_t i = 0; i < target->n_parts; i++)
        switch (counter_set_absence(target->parts[i].set)) {
        case ABSENCE_TARGET_GONE:
            return -ESRCH;
        case ABSENCE_NO_DESCRIPTORS:
            return -EMFILE;
        default:
            break;
        }
    return 0;
}

static int open_once(struct run_target *target, struct mechanism *mechanism)
{
    AUTO_FREE struct counter_set **sets = calloc(target->n_parts, sizeof(struct counter_set *));
    int r = sets ? make_sets(target, mechanism, sets) : -ENOMEM;

    if (r == 0)
        r = mechanism->open(mechanism, sets, target->n_parts);
    return r < 0 ? r : error_of(target);
}

/* Lists the threads again. 1: they have changed, and the scope is that of the new ones. */
static int follow_threads(struct run_target *target, const struct run_wish *wish, int procfs_fd)
{
    struct run_target now = {0};
    int r = list_threads(wish, procfs_fd, &now);

    if (r == 0)
        r = now.n_tasks != target->n_tasks ||
            (now.n_tasks > 0 &&
             memcmp(now.tasks, target->tasks, now.n_tasks * sizeof(*now.tasks)) != 0);
    if (r <= 0) {
        free(now.tasks);
        return r;
    }
    free(target->tasks);
    target->tasks = now.tasks;
    target->n_tasks = now.n_tasks;
    target->scope.tasks = now.tasks;
    target->scope.n_tasks = now.n_tasks;
    return 1;
}

int run_target_open(struct run_target *target, const struct run_wish *wish, int procfs_fd,
                    struct mechanism *mechanism)
{
    int r = 0;

    for (int i = 0; i < MOST_LISTINGS; i++) {
        r = open_once(target, mechanism);
        if (r == 0 && wish->kind == TARGET_PROCESSES)
            r = follow_threads(target, wish, procfs_fd);
        if (r <= 0)
            break;
        run_target_close(target);
    }
    if (r > 0)
        r = open_once(target, mechanism);
    for (size_t i = 0; i < target->n_parts && r == 0; i++)
        counter_set_read(target->parts[i].set, clock_monotonic_ns(), target->parts[i].sample);
    return r;
}

void run_target_close(struct run_target *target)
{
    for (size_t i = 0; i < target->n_parts; i++) {
        target->parts[i].set = counter_set_free(target->parts[i].set);
        target->parts[i].sample = sample_free(target->parts[i].sample);
    }
}

void run_target_done(struct run_target *target)
{
    run_target_close(target);
    for (size_t i = 0; i < target->n_parts; i++) {
        (void)cpu_list_free(target->parts[i].cpus);
        free(target->parts[i].types);
    }
    free(target->parts);
    free(target->tasks);
    target->cpus = cpu_list_free(target->cpus);
    if (target->cgroup_fd >= 0)
        (void)close(target->cgroup_fd);
    *target = (struct run_target){.cgroup_fd = -1};
}

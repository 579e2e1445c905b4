/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What it costs to find out that nothing has changed.
 *
 *     bench_processes [PROCESSES …]        as root; default 100 500 1000
 *
 * For each number: that many processes that sleep, all matched by a rule of comm;
 * an update of the set where the kernel tells of births and deaths, one where each
 * update reads all of /proc, and a bare loop that reads the directory and every
 * stat. In turn, CPU time of the thread, medians.
 */
#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "bench/bench.h"
#include "sys/descriptors.h"
#include "sys/directory_entries.h"
#include "target/process_set.h"

#define ROUNDS         50
#define WARM_UP        10
#define MOST_PROCESSES 4000

static pid_t children[MOST_PROCESSES];

static void start(size_t n)
{
    for (size_t i = 0; i < n; i++) {
        children[i] = fork();
        if (children[i] < 0)
            bench_die("fork");
        if (children[i] == 0) {
            (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
            (void)prctl(PR_SET_NAME, "bench_sleeper");
            bench_live(false);
        }
    }
    (void)sleep(1);
}

static struct process_targets *set_new(int procfs_fd, const struct process_rules *rules)
{
    static const struct process_limits limits = {MOST_PROCESSES, MOST_PROCESSES};
    struct process_targets *set;

    if (process_targets_new(procfs_fd, rules, &limits, &set) < 0)
        bench_die("process_targets_new");
    return set;
}

static void update(struct process_targets *set)
{
    struct process_changes changes;

    if (process_targets_update(set, &changes) < 0)
        bench_die("process_targets_update");
    for (size_t i = 0; i < changes.n_gone; i++)
        process_targets_release(set, changes.gone[i]);
}

static void read_stat(int procfs_fd, const char *pid)
{
    char path[64], text[2048];
    int fd;

    (void)snprintf(path, sizeof(path), "%.32s/stat", pid);
    fd = openat(procfs_fd, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    (void)!read(fd, text, sizeof(text));
    (void)close(fd);
}

static void bare_loop(int procfs_fd)
{
    static struct directory_entries entries;
    struct directory_entry entry;

    directory_entries_init(&entries, procfs_fd);
    while (directory_entries_next(&entries, &entry) > 0)
        if (entry.name[0] >= '0' && entry.name[0] <= '9')
            read_stat(procfs_fd, entry.name);
}

static void measure(size_t n, int procfs_fd, const struct process_rules *rules)
{
    struct process_targets *watching = set_new(procfs_fd, rules);
    struct process_targets *scanning = set_new(procfs_fd, rules);
    uint64_t times[3][ROUNDS];
    double bare, watch, scan;

    scanning->is_ours = false; /* as if nothing were permitted */
    for (size_t i = 0; i < WARM_UP + ROUNDS; i++) {
        uint64_t at[4] = {bench_cpu_ns()};

        update(watching);
        at[1] = bench_cpu_ns();
        update(scanning);
        at[2] = bench_cpu_ns();
        bare_loop(procfs_fd);
        at[3] = bench_cpu_ns();
        for (size_t k = 0; k < 3 && i >= WARM_UP; k++)
            times[k][i - WARM_UP] = at[k + 1] - at[k];
        (void)usleep(10000);
    }
    watch = bench_median_us(times[0], ROUNDS);
    scan = bench_median_us(times[1], ROUNDS);
    bare = bench_median_us(times[2], ROUNDS);
    (void)printf(
        "%5zu processes: watching%s %7.1f us (%.4f of bare), reading /proc %7.1f us (%.2f), "
        "bare loop %7.1f us\n",
        n, process_targets_census(watching)->watching ? "" : " (NOT PERMITTED)", watch,
        watch / bare, scan, scan / bare, bare);
    (void)process_targets_free(watching);
    (void)process_targets_free(scanning);
}

int main(int argc, char **argv)
{
    static const char *const usual[] = {"100", "500", "1000"};
    static const char *const comm[] = {"bench_sleeper"};
    const struct process_rule_spec spec = {.name = "{{.Comm}}", .comm = comm, .n_comm = 1};
    const char *const *sizes = argc > 1 ? (const char *const *)(argv + 1) : usual;
    size_t n_sizes = argc > 1 ? (size_t)argc - 1 : ARRAY_SIZE(usual);
    int procfs_fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct process_rule_error error;
    struct process_rules *rules;
    uint64_t limit;

    if (procfs_fd < 0 || descriptors_raise_limit(&limit) < 0 || process_rules_new(&rules) < 0 ||
        process_rules_add(rules, &spec, &error) < 0)
        bench_die("setting up");
    for (size_t i = 0; i < n_sizes; i++) {
        size_t n = strtoul(sizes[i], NULL, 10);

        if (n == 0 || n > MOST_PROCESSES)
            bench_die("a number of processes from 1 to 4000 is wanted");
        start(n);
        measure(n, procfs_fd, rules);
        bench_end_children(children, n);
    }
    (void)process_rules_free(rules);
    return close(procfs_fd);
}

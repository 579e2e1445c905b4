/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What a cycle costs over the reads that it cannot do without.
 *
 *     bench_cycle [CGROUPS …]        as root; default 10 100 500
 *
 * For each number of cgroups: that many cgroups with a process each, one in ten
 * of which wakes every 100 ms; on one side the collector's whole cycle, on the
 * other a bare loop of read(2) over as many groups of the same 4 software events.
 * Both in turn, 20 ms apart, CPU time of the thread, medians.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "bench/bare_reads.h"
#include "bench/bench.h"
#include "sys/cgroup_root.h"

#define MOST_CGROUPS 2000

struct fixture {
    struct cgroup_root root;
    char top[64];
    size_t n;
    pid_t children[MOST_CGROUPS];
};

static void live_in(int directory, bool busy)
{
    int procs = openat(directory, "cgroup.procs", O_WRONLY | O_CLOEXEC);

    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (procs < 0 || dprintf(procs, "0") < 0)
        _exit(1);
    bench_live(busy);
}

static void make_cgroups(struct fixture *fixture, size_t n)
{
    (void)snprintf(fixture->top, sizeof(fixture->top), "bench_cycle_%d", (int)getpid());
    if (mkdirat(fixture->root.fd, fixture->top, 0755) < 0)
        bench_die("mkdir");
    for (size_t i = 0; i < n; i++) {
        char path[128];
        int directory;

        (void)snprintf(path, sizeof(path), "%s/%04zu.service", fixture->top, i);
        if (mkdirat(fixture->root.fd, path, 0755) < 0)
            bench_die("mkdir");
        directory = openat(fixture->root.fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        fixture->children[i] = fork();
        if (fixture->children[i] == 0)
            live_in(directory, i % 10 == 0);
        (void)close(directory);
        fixture->n = i + 1;
    }
}

static void remove_cgroups(struct fixture *fixture)
{
    bench_end_children(fixture->children, fixture->n);
    for (size_t i = 0; i < fixture->n; i++) {
        char path[128];

        (void)snprintf(path, sizeof(path), "%s/%04zu.service", fixture->top, i);
        for (int try = 0; unlinkat(fixture->root.fd, path, AT_REMOVEDIR) < 0 && try < 100; try++)
            bench_nap(10000000);
    }
    (void)unlinkat(fixture->root.fd, fixture->top, AT_REMOVEDIR);
    fixture->n = 0;
}

/* The other side: a group a cgroup and CPU. */
static void open_bare(const struct fixture *fixture, const struct cpu_list *cpus,
                      struct bare_reads *reads)
{
    for (size_t i = 0; i < fixture->n; i++) {
        AUTO_CLOSE int directory = -1;
        char path[128];

        (void)snprintf(path, sizeof(path), "%s/%04zu.service", fixture->top, i);
        directory = openat(fixture->root.fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        for (size_t cpu = 0; cpu < cpus->n; cpu++)
            bare_reads_open(reads, directory, cpus->cpus[cpu].value, PERF_FLAG_PID_CGROUP, false);
    }
}

static void measure(const struct fixture *fixture, const struct cpu_list *cpus)
{
    AUTO_TEXT struct text config = {0};
    struct bare_reads reads = {0};
    double cycle_us, bare_us;

    text_append_format(&config,
                       BARE_GROUP "targets:\n  cgroups:\n  - include: [\"/%s/*\"]\n"
                                  "    groups: [software]\nlimits: {cgroups: %d}\n",
                       fixture->top, MOST_CGROUPS * 2);
    open_bare(fixture, cpus, &reads);
    bare_reads_measure(&reads, config.data, fixture->root.fd, SCOPE_CGROUP, fixture->n, &cycle_us,
                       &bare_us);
    bare_reads_done(&reads);
    (void)printf("cycle: %4zu cgroups x %zu CPUs x %d events: %8.1f us, bare reads %8.1f us, "
                 "ratio %.2f (wanted at most 1.30), %.2f us a cgroup\n",
                 fixture->n, cpus->n, BARE_EVENTS, cycle_us, bare_us, cycle_us / bare_us,
                 cycle_us / (double)fixture->n);
    (void)fflush(stdout);
}

static void run(size_t n)
{
    AUTO_CLOSE int sysfs_fd = open("/sys", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    AUTO(cpu_list) struct cpu_list *cpus = NULL;
    struct fixture fixture = {0};

    if (n > MOST_CGROUPS || cgroup_root_open(NULL, &fixture.root) < 0 ||
        cpu_list_read_online(sysfs_fd, &cpus) < 0)
        bench_die("start");
    make_cgroups(&fixture, n);
    measure(&fixture, cpus);
    remove_cgroups(&fixture);
    cgroup_root_done(&fixture.root);
}

int main(int argc, char **argv)
{
    static const size_t sizes[] = {10, 100, 500};

    if (argc > 1)
        for (int i = 1; i < argc; i++)
            run(strtoul(argv[i], NULL, 10));
    else
        for (size_t i = 0; i < ARRAY_SIZE(sizes); i++)
            run(sizes[i]);
    return 0;
}

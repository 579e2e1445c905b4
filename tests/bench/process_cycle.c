/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What a cycle costs for processes over the reads that it cannot do without.
 *
 *     bench_process_cycle [PROCESSES THREADS]        as root; default 200 with 1, and with 8
 *
 * Each process is a group of its own. In one in ten all threads wake every 100 ms.
 */
#include <fcntl.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/text.h"
#include "bench/bare_reads.h"
#include "bench/bench.h"
#include "count/event_group.h"
#include "sys/process.h"

#define MOST_PROCESSES 256 /* names in a rule */
#define STACK_BYTES    ((size_t)64 * 1024)

static pid_t children[MOST_PROCESSES];

static void *thread_main(void *busy)
{
    bench_live(busy);
    return NULL;
}

static void child_main(size_t index, size_t n_threads, int ready)
{
    bool busy = index % 10 == 0;
    pthread_attr_t attributes;
    char name[16];

    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)snprintf(name, sizeof(name), "bench%04zu", index % MOST_PROCESSES);
    (void)prctl(PR_SET_NAME, name);
    (void)pthread_attr_init(&attributes);
    (void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
    for (size_t i = 1; i < n_threads; i++) {
        pthread_t thread;

        errno = pthread_create(&thread, &attributes, thread_main, busy ? &attributes : NULL);
        if (errno)
            bench_die("pthread_create");
    }
    (void)!write(ready, "r", 1);
    bench_live(busy);
}

static void start(size_t n, size_t n_threads)
{
    int ready[2];

    if (pipe2(ready, O_CLOEXEC) < 0)
        bench_die("pipe");
    for (size_t i = 0; i < n; i++) {
        char byte;

        children[i] = fork();
        if (children[i] < 0)
            bench_die("fork");
        if (children[i] == 0)
            child_main(i, n_threads, ready[1]);
        if (read(ready[0], &byte, 1) != 1)
            bench_die("child");
    }
    (void)close(ready[0]);
    (void)close(ready[1]);
}

/* The other side: a group a thread. */
static void open_bare(int procfs_fd, size_t n, struct bare_reads *reads)
{
    const bool inherit = event_can_inherit_threads(&perf_ops_kernel);

    for (size_t i = 0; i < n; i++) {
        AUTO_FREE pid_t *threads = NULL;
        size_t n_threads;

        if (process_threads(procfs_fd, children[i], &threads, &n_threads) < 0)
            bench_die("process_threads");
        for (size_t k = 0; k < n_threads; k++)
            bare_reads_open(reads, threads[k], -1, 0, inherit);
    }
}

static void make_config(size_t n, size_t n_threads, struct text *config)
{
    text_append_format(config,
                       "limits: {processes: %zu, threads: %zu}\n" BARE_GROUP
                       "targets:\n  processes:\n  - groups: [software]\n    name: \"{{.Comm}}\"\n  "
                       "  comm: [bench0000",
                       2 * n, 2 * n * n_threads);
    for (size_t i = 1; i < n; i++)
        text_append_format(config, ", bench%04zu", i);
    text_append_format(config, "]\n");
}

static void run(size_t n, size_t n_threads)
{
    AUTO_CLOSE int procfs_fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    AUTO_TEXT struct text config = {0};
    struct bare_reads reads = {0};
    double cycle_us, bare_us;

    make_config(n, n_threads, &config);
    start(n, n_threads);
    open_bare(procfs_fd, n, &reads);
    bare_reads_measure(&reads, config.data, -1, SCOPE_PROCESS, n, &cycle_us, &bare_us);
    bare_reads_done(&reads);
    bench_end_children(children, n);
    (void)printf("cycle: %4zu processes x %zu threads x %d events: %8.1f us, bare reads %8.1f us, "
                 "ratio %.2f, %.2f us a process\n",
                 n, n_threads, BARE_EVENTS, cycle_us, bare_us, cycle_us / bare_us,
                 cycle_us / (double)n);
    (void)fflush(stdout);
}

int main(int argc, char **argv)
{
    size_t n = argc == 3 ? strtoul(argv[1], NULL, 10) : 200;
    size_t n_threads = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;

    if (n == 0 || n > MOST_PROCESSES || (argc == 3 && n_threads == 0)) {
        (void)fprintf(stderr, "usage: bench_process_cycle [PROCESSES THREADS]\n");
        return 2;
    }
    if (n_threads > 0) {
        run(n, n_threads);
        return 0;
    }
    run(n, 1);
    run(n, 8);
    return 0;
}

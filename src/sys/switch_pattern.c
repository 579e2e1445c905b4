/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The process is forked off one that may have threads, and so it calls only functions that a signal
 * handler may call (signal-safety(7)). A child may be forbidden to choose its CPU, as in a unit
 * whose SystemCallFilter= lacks @resources. All children run at once, so that the scheduler spreads
 * them.
 */
#include "sys/switch_pattern.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MOST_CPUS     8192
#define MOST_CHILDREN (SWITCH_PATTERN_PROCESSES - 1)
#define NS_PER_MS     1000000L
#define SLEEP_NS      (2 * NS_PER_MS)

/* A process that is not born by then never will be. */
#define BIRTH_TIMEOUT_NS UINT64_C(10000000000)

struct switch_pattern {
    pid_t process;
    size_t n_children;
    int go;   /* an eventfd: writing to it raises no SIGPIPE when the process has died */
    int done; /* the end of a pipe to read from */
};

static void prefer_cpu(struct cpu_number cpu)
{
    cpu_set_t set[MOST_CPUS / CPU_SETSIZE];

    CPU_ZERO_S(sizeof(set), set);
    CPU_SET_S((size_t)cpu.value, sizeof(set), set);
    (void)sched_setaffinity(0, sizeof(set), set);
}

/* Without MADV_NOHUGEPAGE one huge page might serve for all of them, with one page fault. */
static bool touch_pages(size_t page)
{
    const size_t size = SWITCH_PATTERN_PAGES * page;
    volatile char *pages =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (pages == MAP_FAILED)
        return false;
    (void)madvise((void *)pages, size, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < size; i += page)
        pages[i] = 1;
    return munmap((void *)pages, size) == 0;
}

static int run_child(struct cpu_number cpu, size_t page)
{
    const struct timespec moment = {.tv_nsec = SLEEP_NS};

    prefer_cpu(cpu);
    for (int i = 0; i < SWITCH_PATTERN_TURNS; i++) {
        (void)nanosleep(&moment, NULL);
        if (!touch_pages(page))
            return EXIT_FAILURE;
    }
    (void)nanosleep(&moment, NULL);
    return EXIT_SUCCESS;
}

static bool run_children(const struct cpu_list *cpus, size_t n, size_t page)
{
    bool good = true;
    int status;

    for (size_t i = 0; i < n; i++) {
        pid_t child = fork();

        if (child == 0)
            _exit(run_child(cpus->cpus[i], page));
        good &= child > 0;
    }
    while (wait(&status) > 0)
        good &= status == 0;
    return good;
}

/* Waits until it is asked to go on. */
static bool wait_for_go(int go)
{
    eventfd_t word;

    return eventfd_read(go, &word) == 0;
}

static bool tell(int done)
{
    return write(done, "d", 1) == 1;
}

/*
 * The first time that it is asked, it only answers. So its birth is over, and whatever the first
 * call of each function takes.
 */
static _Noreturn void run_process(const struct cpu_list *cpus, size_t n, int go, int done)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);

    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)prctl(PR_SET_NAME, "switch_pattern");
    if (wait_for_go(go) && tell(done) && wait_for_go(go) && run_children(cpus, n, page))
        (void)tell(done);
    (void)close(done);
    for (;;)
        (void)pause();
}

/* Asks the process to go on, and waits for its answer. 0, -ETIMEDOUT or -errno. */
static int ask(const struct switch_pattern *pattern, uint64_t timeout_ns)
{
    struct pollfd done = {.fd = pattern->done, .events = POLLIN};
    char word;
    int n;

    if (eventfd_write(pattern->go, 1) < 0)
        return -errno;
    n = (int)TEMP_FAILURE_RETRY(poll(&done, 1, (int)(timeout_ns / NS_PER_MS)));
    if (n == 0)
        return -ETIMEDOUT;
    return n > 0 && read(pattern->done, &word, 1) == 1 ? 0 : -EPIPE;
}

struct switch_pattern *switch_pattern_new(const struct cpu_list *cpus)
{
    AUTO(switch_pattern) struct switch_pattern *pattern = calloc(1, sizeof(*pattern));
    int done[2], r;

    if (!pattern)
        return NULL;
    pattern->n_children = cpus->n < MOST_CHILDREN ? cpus->n : MOST_CHILDREN;
    pattern->done = -1;
    pattern->go = eventfd(0, EFD_CLOEXEC);
    if (pattern->go < 0 || pipe2(done, O_CLOEXEC) < 0)
        return NULL;
    pattern->done = done[0];
    pattern->process = fork();
    if (pattern->process == 0) {
        (void)close(done[0]);
        run_process(cpus, pattern->n_children, pattern->go, done[1]);
    }
    (void)close(done[1]);
    if (pattern->process < 0)
        return NULL;
    r = ask(pattern, BIRTH_TIMEOUT_NS);
    if (r >= 0)
        return TAKE(pattern);
    errno = -r;
    return NULL;
}

struct switch_pattern *switch_pattern_free(struct switch_pattern *pattern)
{
    if (!pattern)
        return NULL;
    if (pattern->process > 0) {
        (void)kill(pattern->process, SIGKILL);
        (void)TEMP_FAILURE_RETRY(waitpid(pattern->process, NULL, 0));
    }
    if (pattern->go >= 0)
        (void)close(pattern->go);
    if (pattern->done >= 0)
        (void)close(pattern->done);
    free(pattern);
    return NULL;
}

pid_t switch_pattern_process(const struct switch_pattern *pattern)
{
    return pattern->process;
}

size_t switch_pattern_n_children(const struct switch_pattern *pattern)
{
    return pattern->n_children;
}

int switch_pattern_run(struct switch_pattern *pattern, uint64_t timeout_ns)
{
    return ask(pattern, timeout_ns);
}

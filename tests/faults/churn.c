/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Cgroups that come and go, for tests of those who count them:
 *
 *     churn DIRECTORY RATE SECONDS LIFE_MS NAMES
 *
 * makes RATE cgroups a second below the directory of a v2 cgroup, evenly, for so
 * many seconds; each does a little work just before it ends after LIFE_MS. Their
 * names are taken in turn from as many as told, so that few names make rebirths.
 * It ends by itself with none left behind, also on SIGTERM, and prints how many
 * there were.
 *
 * Every birth and death has its time on one clock that was fixed at the start: what
 * comes late is caught up with. A machine too busy for the rate has its own, lower
 * one; whoever judges costs divides by how many there were.
 */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_SECOND UINT64_C(1000000000)
#define NS_PER_MS     UINT64_C(1000000)
#define WORK_PAGES    4

struct churn {
    int directory_fd;
    uint64_t begin_ns;
    uint64_t period_ns;
    uint64_t life_ns;
    uint64_t n_names;
    uint64_t n_wanted;
    uint64_t n_born;
    uint64_t n_dead;
};

static volatile sig_atomic_t stopped;

static void stop(int number)
{
    (void)number;
    stopped = 1;
}

static void die(const char *what)
{
    (void)fprintf(stderr, "churn: %s: %s\n", what, strerror(errno));
    exit(1);
}

static uint64_t number(const char *text, uint64_t minimum)
{
    char *end;
    uint64_t value = strtoull(text, &end, 10);

    if (*end || end == text || value < minimum || value > 1000000) {
        (void)fprintf(stderr, "churn: not a number from %" PRIu64 ": %s\n", minimum, text);
        exit(2);
    }
    return value;
}

static uint64_t now_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_PER_SECOND + (uint64_t)now.tv_nsec;
}

static void sleep_until(uint64_t at_ns)
{
    struct timespec at = {.tv_sec = (time_t)(at_ns / NS_PER_SECOND),
                          .tv_nsec = (long)(at_ns % NS_PER_SECOND)};

    (void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}

static void name_of(const struct churn *churn, uint64_t i, char name[static 32])
{
    (void)snprintf(name, 32, "c%" PRIu64, i % churn->n_names);
}

/* A process that is born there touches some memory, and ends. */
static void work_in(int cgroup_fd)
{
    struct clone_args args = {
        .flags = CLONE_INTO_CGROUP, .exit_signal = SIGCHLD, .cgroup = (__u64)cgroup_fd};
    static char pages[WORK_PAGES][4096];
    long pid = syscall(SYS_clone3, &args, sizeof(args));

    if (pid < 0)
        die("clone3 into the cgroup");
    if (pid == 0) {
        for (int i = 0; i < WORK_PAGES; i++)
            *(volatile char *)pages[i] = 1;
        _exit(0);
    }
    while (waitpid((pid_t)pid, NULL, 0) < 0)
        if (errno != EINTR)
            die("waitpid");
}

static void bear(struct churn *churn)
{
    char name[32];

    name_of(churn, churn->n_born, name);
    if (mkdirat(churn->directory_fd, name, 0755) < 0)
        die(name);
    churn->n_born++;
}

static void end(struct churn *churn)
{
    char name[32];
    int fd;

    name_of(churn, churn->n_dead, name);
    fd = openat(churn->directory_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        die(name);
    work_in(fd);
    (void)close(fd);
    if (unlinkat(churn->directory_fd, name, AT_REMOVEDIR) < 0)
        die(name);
    churn->n_dead++;
}

/* The earlier of the next birth and the next death; births end when stopped. */
static bool step(struct churn *churn)
{
    uint64_t birth_ns = churn->begin_ns + churn->n_born * churn->period_ns;
    uint64_t death_ns = churn->begin_ns + churn->n_dead * churn->period_ns + churn->life_ns;
    bool may_bear = !stopped && churn->n_born < churn->n_wanted;
    bool must_end = churn->n_dead < churn->n_born;

    if (must_end && (!may_bear || death_ns <= birth_ns)) {
        if (!stopped)
            sleep_until(death_ns);
        end(churn);
    } else if (may_bear) {
        sleep_until(birth_ns);
        bear(churn);
    }
    return must_end || may_bear;
}

static void run(struct churn *churn)
{
    churn->begin_ns = now_ns();
    while (step(churn))
        ;
    (void)printf("%" PRIu64 " born, %" PRIu64 " gone\n", churn->n_born, churn->n_dead);
}

int main(int argc, char **argv)
{
    struct sigaction action = {.sa_handler = stop};
    struct churn churn;
    uint64_t rate;

    if (argc != 6) {
        (void)fprintf(stderr, "usage: churn DIRECTORY RATE SECONDS LIFE_MS NAMES\n");
        return 2;
    }
    rate = number(argv[2], 1);
    churn = (struct churn){
        .directory_fd = open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC),
        .period_ns = NS_PER_SECOND / rate,
        .n_wanted = rate * number(argv[3], 1),
        .life_ns = number(argv[4], 0) * NS_PER_MS,
        .n_names = number(argv[5], 1),
    };
    if (churn.directory_fd < 0)
        die(argv[1]);
    if (churn.n_names * churn.period_ns < churn.life_ns + churn.period_ns) {
        (void)fprintf(stderr, "churn: too few names for lives so long\n");
        return 2;
    }
    (void)sigaction(SIGTERM, &action, NULL);
    (void)sigaction(SIGINT, &action, NULL);
    run(&churn);
    return 0;
}

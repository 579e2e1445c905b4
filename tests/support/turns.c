/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Two tasks on one CPU that hand a byte to and fro, for tests of waits and blocks.
 *
 *     turns CGROUP_PROCS TURNS SPIN_US
 *
 * enters the cgroup whose cgroup.procs that is ("-": stays), and says "ready". For each line on
 * standard input it makes so many turns and says how many nanoseconds it has spun; on the line
 * "exec" it becomes the same program anew. In between both tasks are blocked.
 *
 * In a turn each of the two is woken and blocked once. They are SCHED_BATCH, so that a wake-up
 * preempts nobody: the one that is woken waits until the other is blocked. The one that begins may
 * spin before it is. It has spun for as long as the other had not come, so one of the two waited
 * all that time.
 */

#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support/program.h"

/* What the two share: how often the other one has come. */
static atomic_ulong *n_come;

static void stay_on_this_cpu(void)
{
    const struct sched_param none = {0};
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET((size_t)sched_getcpu(), &set);
    if (sched_setaffinity(0, sizeof(set), &set) < 0 ||
        sched_setscheduler(0, SCHED_BATCH, &none) < 0)
        die("scheduling");
}

static uint64_t now_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* Spins until the other one comes, but not for longer than that. How long it has not come, in ns.
 */
static uint64_t spin(unsigned long us, unsigned long n_before)
{
    const uint64_t begin_ns = now_ns();
    uint64_t spun_ns = 0;

    while (spun_ns < us * UINT64_C(1000)) {
        const uint64_t now = now_ns();

        if (atomic_load(n_come) != n_before)
            break;
        spun_ns = now - begin_ns;
    }
    return spun_ns;
}

/* How many ns it has spun. */
static uint64_t take_turns(int in, int out, unsigned long n, unsigned long spin_us)
{
    uint64_t spun_ns = 0;
    char byte = 'x';

    for (unsigned long i = 0; i < n; i++) {
        const unsigned long n_before = atomic_load(n_come);

        if (write(out, &byte, 1) != 1)
            die("pipe");
        spun_ns += spin(spin_us, n_before);
        if (read(in, &byte, 1) != 1)
            die("pipe");
    }
    return spun_ns;
}

static void answer(int in, int out)
{
    char byte;

    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (read(in, &byte, 1) == 1) {
        atomic_fetch_add(n_come, 1);
        if (write(out, &byte, 1) != 1)
            break;
    }
    _exit(0);
}

struct other {
    pid_t pid;
    int in, out;
};

static struct other start_other(void)
{
    int there[2], back[2];
    struct other other;

    if (pipe2(there, 0) < 0 || pipe2(back, 0) < 0)
        die("pipe");
    other = (struct other){.pid = fork(), .in = back[0], .out = there[1]};
    if (other.pid < 0)
        die("fork");
    if (other.pid == 0) {
        (void)close(there[1]);
        (void)close(back[0]);
        answer(there[0], back[1]);
    }
    (void)close(there[0]);
    (void)close(back[1]);
    return other;
}

static void end_other(const struct other *other)
{
    (void)close(other->out);
    if (waitpid(other->pid, NULL, 0) != other->pid)
        die("waitpid");
    (void)close(other->in);
}

int main(int argc, char **argv)
{
    struct other other;
    char line[16];

    if (argc != 4) {
        fprintf(stderr, "usage: turns CGROUP_PROCS TURNS SPIN_US\n");
        return 2;
    }
    n_come = mmap(NULL, sizeof(*n_come), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (n_come == MAP_FAILED)
        die("mmap");
    enter_cgroup(argv[1]);
    stay_on_this_cpu();
    other = start_other();
    (void)setvbuf(stdin, NULL, _IONBF, 0); /* what follows "exec" is for the next program */
    puts("ready");
    (void)fflush(stdout);
    while (fgets(line, sizeof(line), stdin) && strcmp(line, "exec\n") != 0) {
        printf("%llu\n", (unsigned long long)take_turns(other.in, other.out, number(argv[2]),
                                                        number(argv[3])));
        (void)fflush(stdout);
    }
    end_other(&other);
    if (!feof(stdin) && !ferror(stdin))
        (void)execv(argv[0], argv);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Threads that share a set of places for calls that are timed (src/sys/bpf/syscalls/timing.bpf.h):
 * processes whose numbers are so far from each other that they are in one set wait for a message,
 * all at once, which hardly anybody else does. Then they return one after the other. Prints
 *
 *     timed N lost N          how many of their calls were, which are 6
 *     turns timed N lost N    of 6 that make such a call which returns at once, one after the other
 *
 * It takes kernel.pid_max above 200000, root and bpf. Status 77 and a reason where there is none.
 */

#include <fcntl.h>
#include <inttypes.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/msg.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/program.h"
#include "sys/bpf/switch/program.h"
#include "sys/bpf/syscalls/program.h"
#include "sys/small_file.h"

#define CALLERS 6
#define FIRST   30001
#define APART   32768 /* so many sets there are at most */
#define ENTRIES 1000

static struct switch_program *switches;
static struct keyed_program *calls;

static void load(void)
{
    const struct switch_program_size size = {.n_cpus = 2, .n_slots = 100, .n_lanes = 3};
    const struct syscalls_timing timing = {.calls[SYS_msgrcv] = 1, .one_in = 1};
    enum bpf_refusal refusal;

    if (switch_program_load(&size, &switches, &refusal) < 0 ||
        syscalls_program_load(switches, ENTRIES, &calls, &refusal) < 0) {
        printf("%s\n", bpf_refusal_text(refusal));
        exit(77);
    }
    if (syscalls_program_time(calls, &timing, &refusal) < 0) {
        printf("no times: %s\n", bpf_refusal_text(refusal));
        exit(1);
    }
}

static void unload(void)
{
    (void)keyed_program_free(calls);
    (void)switch_program_free(switches);
}

static void take(void *context, const struct keyed_key *key, const struct keyed_delta *delta)
{
    uint64_t *timed = context;

    for (size_t i = 0; i < KEYED_BUCKETS && key->detail == SYSCALLS_TIMED; i++)
        *timed += delta->buckets[SYSCALLS_DURATION][i];
}

static void print(const char *what)
{
    uint64_t timed = 0;

    keyed_table_read(keyed_program_table(calls), take, &timed);
    printf("%stimed %" PRIu64 " lost %" PRIu64 "\n", what, timed, keyed_program_lost(calls));
}

/* A process of this number that waits for a message, until the queue has gone. */
static void start_caller(pid_t pid, int queue)
{
    const struct clone_args arguments = {
        .exit_signal = SIGCHLD, .set_tid = (uintptr_t)&pid, .set_tid_size = 1};
    const long r = syscall(SYS_clone3, &arguments, sizeof(arguments));
    char message[64];

    if (r < 0)
        die("a process of that number");
    if (r > 0)
        return;
    (void)msgrcv(queue, message, sizeof(message) - sizeof(long), 0, 0);
    _exit(0);
}

/* Whether the process is asleep in such a call. */
static bool waits(pid_t pid)
{
    char path[64], text[256];

    (void)snprintf(path, sizeof(path), "/proc/%d/syscall", pid);
    return small_file_read(AT_FDCWD, path, text, sizeof(text)) >= 0 && *text != 'r' &&
           strtol(text, NULL, 10) == SYS_msgrcv;
}

static void wait_at_once(void)
{
    const int queue = msgget(IPC_PRIVATE, 0600);

    for (int i = 0; i < CALLERS; i++) {
        start_caller(FIRST + i * APART, queue);
        while (!waits(FIRST + i * APART))
            (void)sched_yield();
    }
    if (msgctl(queue, IPC_RMID, NULL) < 0)
        die("the queue");
    for (int i = 0; i < CALLERS; i++)
        (void)waitpid(FIRST + i * APART, NULL, 0);
}

static void take_turns(void)
{
    for (int i = 0; i < CALLERS; i++) {
        start_caller(FIRST + i * APART, -1);
        (void)waitpid(FIRST + i * APART, NULL, 0);
    }
}

int main(void)
{
    load();
    wait_at_once();
    print("");
    unload();
    load();
    take_turns();
    print("turns ");
    unload();
    return 0;
}

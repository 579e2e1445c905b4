/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A program whose stacks are known, for tests of profiles.
 *
 *     known_stacks CGROUP_PROCS KIND MILLISECONDS [PLUGIN PLUGIN]
 *
 * enters the cgroup whose cgroup.procs that is ("-": stays) and says "ready". For each line on
 * standard input it burns about so much CPU time in stacks of that kind and says "done". It ends
 * with its input.
 *
 * Whatever runs for long is burn(): how often it turns decides the shares of those who call it. All
 * else takes no time worth speaking of. It is built without frame pointers.
 */
#include <alloca.h>
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "support/known_stacks.h"
#include "support/program.h"

#define DRAWS_PER_MS 50

/* Each thread has its own: threads that write to one word take ten times as long. */
static _Thread_local volatile uint64_t sink;

KNOWN void burn(uint64_t turns)
{
    for (uint64_t i = 0; i < turns; i++)
        sink = sink * 3 + i;
}

uint64_t turns_per_ms;

static uint64_t cpu_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

KNOWN void calibrate(void)
{
    const uint64_t turns = 20000000, begun_ns = cpu_ns();

    burn(turns);
    turns_per_ms = turns * 1000000 / (cpu_ns() - begun_ns + 1);
}

/*
 * Shares of 5, 3 and 2 tenths. Whose turn it is is drawn many times between two samples: functions
 * that took their turns would keep time with a sampler for a while.
 */
KNOWN void half(uint64_t turns)
{
    burn(turns);
    BEHIND_CALL();
}

KNOWN void third(uint64_t turns)
{
    burn(turns);
    BEHIND_CALL();
}

KNOWN void fifth(uint64_t turns)
{
    burn(turns);
    BEHIND_CALL();
}

KNOWN void run_shares(uint64_t ms)
{
    const uint64_t turns = turns_per_ms / DRAWS_PER_MS;
    uint64_t chance = 1, drawn;

    for (uint64_t i = 0; i < ms * DRAWS_PER_MS; i++) {
        chance = chance * 6364136223846793005 + 1442695040888963407;
        drawn = (chance >> 32) % 10;
        if (drawn < 5)
            half(turns);
        else if (drawn < 8)
            third(turns);
        else
            fifth(turns);
    }
}

/* A frame of 40 kB, and one whose size is known only when it runs. */
KNOWN void with_alloca(size_t n, uint64_t turns)
{
    volatile char *bytes = alloca(n);

    bytes[0] = bytes[n - 1] = 1;
    burn(turns);
    bytes[0] = 2;
}

KNOWN void large_frame(size_t n, uint64_t turns)
{
    volatile char bytes[40000];

    bytes[0] = bytes[sizeof(bytes) - 1] = 1;
    with_alloca(n, turns);
    bytes[0] = 2;
}

KNOWN void run_large(uint64_t ms)
{
    for (uint64_t i = 0; i < ms; i++)
        large_frame(16 + i % 5000, turns_per_ms);
}

KNOWN void recurse(unsigned depth, uint64_t turns)
{
    if (depth > 1)
        recurse(depth - 1, turns);
    else
        burn(turns);
    BEHIND_CALL();
}

KNOWN void run_recursion(uint64_t ms)
{
    for (uint64_t i = 0; i < ms; i++)
        recurse(100, turns_per_ms);
}

KNOWN void run_deep(uint64_t ms)
{
    for (uint64_t i = 0; i < ms; i++)
        recurse(300, turns_per_ms);
}

/* A handler of a signal, which the function itself has caused: it stands right above it. */
KNOWN void handler(int number, siginfo_t *information, void *context)
{
    ucontext_t *interrupted = context;

    (void)number, (void)information;
    burn(turns_per_ms);
#if defined(__x86_64__)
    interrupted->uc_mcontext.gregs[REG_RIP] += 2;
#else
    interrupted->uc_mcontext.pc += 4;
#endif
}

KNOWN void trap(void)
{
#if defined(__x86_64__)
    __asm__ volatile("ud2");
#else
    __asm__ volatile(".inst 0");
#endif
}

KNOWN void run_signal(uint64_t ms)
{
    const struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};

    if (sigaction(SIGILL, &action, NULL) < 0)
        die("sigaction");
    for (uint64_t i = 0; i < ms; i++) {
        trap();
        BEHIND_CALL();
    }
}

/* The caller of a tail call has left: it stands in no stack. */
KNOWN int tail_callee(uint64_t turns)
{
    burn(turns);
    BEHIND_CALL();
    return 1;
}

KNOWN int tail_caller(uint64_t turns)
{
    return tail_callee(turns + 1);
}

KNOWN void run_tail(uint64_t ms)
{
    for (uint64_t i = 0; i < ms; i++)
        sink += (uint64_t)tail_caller(turns_per_ms);
}

/* The call is the last instruction of its function: where it would return to is another one. */
static jmp_buf back;

KNOWN _Noreturn void leave(uint64_t turns)
{
    burn(turns);
    longjmp(back, 1);
}

KNOWN _Noreturn void call_last(uint64_t turns)
{
    leave(turns);
}

KNOWN void run_noreturn(uint64_t ms)
{
    for (volatile uint64_t i = 0; i < ms; i++)
        if (setjmp(back) == 0)
            call_last(turns_per_ms);
}

KNOWN void *in_thread(void *turns)
{
    for (uint64_t i = 0; i < *(uint64_t *)turns; i++)
        burn(turns_per_ms);
    BEHIND_CALL();
    return NULL;
}

KNOWN void run_threads(uint64_t ms)
{
    pthread_t threads[3];
    uint64_t each = ms / 3;

    for (size_t i = 0; i < 3; i++)
        if (pthread_create(&threads[i], NULL, in_thread, &each) != 0)
            die("pthread_create");
    for (size_t i = 0; i < 3; i++)
        (void)pthread_join(threads[i], NULL);
}

/* Children that execute no other program, and live for a tenth of a second each. */
KNOWN void in_child(void)
{
    for (int i = 0; i < 100; i++)
        burn(turns_per_ms);
    BEHIND_CALL();
}

KNOWN void run_fork(uint64_t ms)
{
    for (uint64_t i = 0; i < ms; i += 100) {
        const pid_t child = fork();

        if (child < 0)
            die("fork");
        if (child == 0) {
            in_child();
            _exit(0);
        }
        if (waitpid(child, NULL, 0) < 0)
            die("waitpid");
    }
}

/* Libraries that come and go, one where the other was: each has a function `work` of its own. */
KNOWN void call_plugin(const char *path, uint64_t turns)
{
    void *plugin = dlopen(path, RTLD_NOW);
    void (*work)(void (*burn)(uint64_t turns), uint64_t turns);

    if (!plugin)
        die(path);
    *(void **)&work = dlsym(plugin, "work");
    if (!work)
        die("work");
    for (int i = 0; i < 100; i++)
        work(burn, turns);
    BEHIND_CALL();
    (void)dlclose(plugin);
}

static const char *plugins[2];

KNOWN void run_plugins(uint64_t ms)
{
    for (uint64_t i = 0; i < ms; i += 200) {
        call_plugin(plugins[0], turns_per_ms);
        call_plugin(plugins[1], turns_per_ms);
    }
}

/* The vDSO, which is no file. */
KNOWN void run_vdso(uint64_t ms)
{
    struct timespec now;

    for (uint64_t i = 0; i < ms * 15000; i++)
        (void)clock_gettime(CLOCK_MONOTONIC, &now);
}

static const struct {
    const char *kind;
    void (*run)(uint64_t ms);
} kinds[] = {
    {"shares", run_shares},
    {"large", run_large},
    {"recursion", run_recursion},
    {"deep", run_deep},
    {"signal", run_signal},
    {"tail", run_tail},
    {"noreturn", run_noreturn},
    {"threads", run_threads},
    {"fork", run_fork},
    {"plugins", run_plugins},
    {"vdso", run_vdso},
    {"made", run_made},
    {"pushed", run_pushed},
    {"pushed_deep", run_pushed_deep},
    {"misleading", run_misleading},
};

static void (*find_kind(const char *kind))(uint64_t ms)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (strcmp(kinds[i].kind, kind) == 0)
            return kinds[i].run;
    errno = EINVAL;
    die(kind);
}

static void say(const char *word)
{
    (void)puts(word);
    (void)fflush(stdout);
}

int main(int argc, char **argv)
{
    char line[16];

    if (argc != 4 && argc != 6) {
        (void)fprintf(stderr,
                      "usage: known_stacks CGROUP_PROCS KIND MILLISECONDS [PLUGIN PLUGIN]\n");
        return 2;
    }
    plugins[0] = argc == 6 ? argv[4] : NULL;
    plugins[1] = argc == 6 ? argv[5] : NULL;
    enter_cgroup(argv[1]);
    calibrate();
    say("ready");
    while (fgets(line, sizeof(line), stdin)) {
        find_kind(argv[2])(number(argv[3]));
        say("done");
    }
    return 0;
}

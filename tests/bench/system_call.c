/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What a system call costs while calls are counted or timed: getppid(2), which does nothing itself.
 *
 *     bench_system_call [CALLS [TURNS [peers | COMMAND ...]]]
 *
 * A process on one CPU calls, with nobody who counts; with calls counted, in a cgroup that is a
 * target; in one seven deep below it; in one that is in no target; and in a target as a watched
 * process, too; then counted while another call is timed, while one in 17 is, and while each is. A
 * COMMAND is a shell's, and counts until it is interrupted; `peers` are those of perf and bpftrace
 * that time calls. The ways take turns; shown is the
 * least batch of them all in ns a call: what else the machine does only adds; and what timing each
 * call adds as a part of what each command does. In a guest whose clock is its instructions
 * (tests/vm) one turn is the truth. Needs root and cgroup v2.
 */

#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench/bench.h"
#include "count/bpf/latency_meter.h"
#include "count/bpf/mechanism.h"
#include "sys/cgroup_root.h"

#define BATCHES   20
#define DEPTH     7
#define SLOTS     100
#define LANES     16
#define SETTLE_NS 100000000ULL  /* until what loading left behind is done */
#define BEGIN_NS  5000000000ULL /* until a command counts */

#define MOST_COMMANDS 8

enum way {
    WAY_NONE,
    WAY_TARGET,
    WAY_BELOW,
    WAY_REST,
    WAY_WATCHED,
    WAY_OTHER_TIMED,
    WAY_SAMPLED,
    WAY_TIMED,
    WAY_COMMAND, /* the first of them */
    WAYS_MOST_ = WAY_COMMAND + MOST_COMMANDS,
};

static const char *const way_names[WAY_COMMAND] = {
    "none",         "a target",        "below a target", "no target", "a target, watched",
    "others timed", "one in 17 timed", "each timed"};

static struct {
    struct cpu_list *cpus;
    char top[256];
    const char *const *commands;
    size_t n_commands;
    unsigned long n_calls, n_turns;
} bench;

/* What others have for times of all calls by their number. */
static const char *const peers[] = {
    "perf trace -s -a",
    "bpftrace -e 'tracepoint:raw_syscalls:sys_enter { @begun[tid] = nsecs; } "
    "tracepoint:raw_syscalls:sys_exit /@begun[tid]/ "
    "{ @[args->id] = hist(nsecs - @begun[tid]); delete(@begun[tid]); }'",
};

/* The directory of a cgroup, which is made. */
static void make_cgroup(const char *name, size_t depth, char *ret_path, size_t size)
{
    int n = snprintf(ret_path, size, "%s%s", bench.top, name);

    for (size_t level = 0; level <= depth; level++) {
        if (mkdir(ret_path, 0755) < 0 && errno != EEXIST)
            bench_die(ret_path);
        if (level < depth)
            n += snprintf(ret_path + n, size - (size_t)n, "/d");
    }
}

static void remove_cgroup(char *path, size_t depth)
{
    for (size_t level = 0; level <= depth; level++) {
        if (rmdir(path) < 0)
            bench_die(path);
        *strrchr(path, '/') = '\0';
    }
}

static void enter(const char *cgroup)
{
    char path[700];
    cpu_set_t set;
    FILE *file;

    (void)snprintf(path, sizeof(path), "%s/cgroup.procs", cgroup);
    file = fopen(path, "we");
    if (!file || fputs("0", file) < 0 || fclose(file) != 0)
        bench_die(path);
    CPU_ZERO(&set);
    CPU_SET((size_t)bench.cpus->cpus[bench.cpus->n - 1].value, &set);
    if (sched_setaffinity(0, sizeof(set), &set) < 0)
        bench_die("sched_setaffinity");
}

/* ns a call in the batch that was disturbed least. */
static double call_batches(void)
{
    const unsigned long n = bench.n_calls / BATCHES;
    double least = 0;

    for (int i = -1; i < BATCHES; i++) {
        const uint64_t begin_ns = clock_monotonic_ns();
        double ns;

        for (unsigned long call = 0; call < n; call++)
            (void)syscall(SYS_getppid);
        ns = (double)(clock_monotonic_ns() - begin_ns) / (double)n;
        if (i >= 0) /* the first one fills caches */
            least = i == 0 || ns < least ? ns : least;
    }
    return least;
}

/* A child that calls in a cgroup when it is told to, and then answers. */
struct caller {
    pid_t pid;
    int go, answer;
};

static struct caller start_caller(const char *cgroup)
{
    int go[2], answer[2];
    struct caller caller;
    double result;
    char byte;

    if (pipe(go) < 0 || pipe(answer) < 0 || (caller.pid = fork()) < 0)
        bench_die("a child");
    if (caller.pid == 0) {
        (void)(close(go[1]), close(answer[0])); /* it ends if the benchmark does */
        enter(cgroup);
        result = read(go[0], &byte, 1) == 1 ? call_batches() : 0;
        _exit(write(answer[1], &result, sizeof(result)) == sizeof(result) ? 0 : 1);
    }
    (void)(close(go[0]), close(answer[1]));
    caller.go = go[1];
    caller.answer = answer[0];
    return caller;
}

static double take_answer(const struct caller *caller)
{
    double result = 0;

    if (write(caller->go, "g", 1) != 1 ||
        read(caller->answer, &result, sizeof(result)) != sizeof(result))
        bench_die("the child's answer");
    (void)waitpid(caller->pid, NULL, 0);
    (void)(close(caller->go), close(caller->answer));
    return result;
}

/* Times what a way is to time. */
static void time_calls(struct mechanism *mechanism, enum way way)
{
    struct syscalls_timing timing = {.one_in = way == WAY_SAMPLED ? 17 : 1};
    const char *reason;

    if (way == WAY_OTHER_TIMED)
        timing.calls[SYS_fsync] = 1;
    else if (way == WAY_SAMPLED || way == WAY_TIMED)
        timing.calls[SYS_getppid] = 1;
    reason = mechanism_bpf_time_calls(mechanism, &timing);
    if (reason) {
        printf("no times of system calls: %s\n", reason);
        exit(1);
    }
}

static struct mechanism *make_mechanism(int sysfs_fd)
{
    const struct switch_program_size size = {
        .n_cpus = (size_t)bench.cpus->cpus[bench.cpus->n - 1].value + 1,
        .n_slots = SLOTS,
        .n_lanes = LANES,
        .n_watched = SLOTS,
        .n_latency_slots = SLOTS};
    struct mechanism *mechanism = NULL;
    enum bpf_refusal refusal;
    const char *reason;

    if (mechanism_bpf_new(&perf_ops_kernel, &size, &mechanism, &refusal) < 0) {
        printf("no bpf: %s\n", bpf_refusal_text(refusal));
        exit(77);
    }
    mechanism->descriptors = SIZE_MAX;
    if (mechanism_bpf_observe(mechanism, LATENCY_KIND_SYSTEM_CALLS, sysfs_fd) < 0)
        bench_die("observing");
    reason = mechanism_bpf_unobserved(mechanism, LATENCY_KIND_SYSTEM_CALLS);
    if (reason) {
        printf("no system calls: %s\n", reason);
        exit(77);
    }
    return mechanism;
}

static struct latency_meter *watch_cgroup(struct mechanism *mechanism, const char *path)
{
    AUTO_CLOSE int directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const struct scope scope = {.kind = SCOPE_CGROUP, .cpus = bench.cpus, .cgroup_fd = directory};
    struct latency_meter *meter = NULL;

    if (latency_meter_new(mechanism, &scope, &meter) < 0)
        bench_die("a meter");
    return meter;
}

static struct latency_meter *watch_process(struct mechanism *mechanism, pid_t pid)
{
    const struct scope scope = {.kind = SCOPE_PROCESS,
                                .cgroup_fd = -1,
                                .cpus = bench.cpus,
                                .tasks = &pid,
                                .n_tasks = 1,
                                .process = scope_process_id(pid, 1)};
    struct latency_meter *meter = NULL;

    if (latency_meter_new(mechanism, &scope, &meter) < 0)
        bench_die("a meter of a process");
    return meter;
}

static pid_t start_command(const char *command)
{
    const pid_t pid = fork();
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    char line[1000];

    if (pid != 0)
        return pid;
    (void)(dup2(null, STDOUT_FILENO), dup2(null, STDERR_FILENO));
    (void)snprintf(line, sizeof(line), "exec %s", command);
    (void)execl("/bin/sh", "sh", "-c", line, (char *)NULL);
    _exit(127);
}

/* -1: the command has ended by itself, as one does that there is not. */
static double beside_command(const char *command, const struct caller *caller)
{
    const pid_t pid = start_command(command);
    bool ended;
    double ns;

    bench_nap(BEGIN_NS);
    ns = take_answer(caller);
    ended = waitpid(pid, NULL, WNOHANG) == pid;
    if (!ended) {
        (void)kill(pid, SIGINT);
        (void)waitpid(pid, NULL, 0);
    }
    return ended ? -1 : ns;
}

/* Ends the benchmark here, before anything was made, where calls cannot be timed. */
static void need_times(int sysfs_fd)
{
    struct mechanism *mechanism = make_mechanism(sysfs_fd);

    time_calls(mechanism, WAY_TIMED);
    (void)mechanism_free(mechanism);
}

/* Counts the target, and the caller too if it is to be watched. */
static double beside_program(const char *target, const struct caller *caller, enum way way)
{
    AUTO_CLOSE int sysfs_fd = open("/sys", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct mechanism *mechanism = make_mechanism(sysfs_fd);
    struct latency_meter *meter = watch_cgroup(mechanism, target);
    struct latency_meter *process =
        way == WAY_WATCHED ? watch_process(mechanism, caller->pid) : NULL;
    double ns;

    time_calls(mechanism, way);
    bench_nap(SETTLE_NS);
    ns = take_answer(caller);
    (void)latency_meter_free(process);
    (void)latency_meter_free(meter);
    (void)mechanism_free(mechanism);
    return ns;
}

static double one_turn(enum way way)
{
    const size_t depth = way == WAY_BELOW ? DEPTH : 0;
    char target[600], place[600];
    struct caller caller;
    double ns;

    make_cgroup("/target", 0, target, sizeof(target));
    make_cgroup(way == WAY_REST ? "/rest" : "/target", depth, place, sizeof(place));
    caller = start_caller(place);
    if (way == WAY_NONE)
        ns = take_answer(&caller);
    else if (way >= WAY_COMMAND)
        ns = beside_command(bench.commands[way - WAY_COMMAND], &caller);
    else
        ns = beside_program(target, &caller, way);
    remove_cgroup(place, depth);
    if (way == WAY_REST)
        remove_cgroup(target, 0);
    return ns;
}

static void print(const double least[WAYS_MOST_])
{
    const double timed = least[WAY_TIMED] - least[WAY_NONE];

    for (size_t way = 0; way < WAY_COMMAND; way++)
        printf("%-18s %8.1f ns a call (%+.0f)\n", way_names[way], least[way],
               least[way] - least[WAY_NONE]);
    for (size_t i = 0; i < bench.n_commands; i++) {
        const double ns = least[WAY_COMMAND + i];

        if (ns < 0)
            printf("does not run here: %s\n", bench.commands[i]);
        else
            printf("a command %17.1f ns a call (%+.0f), of which each timed adds %.2f: %s\n", ns,
                   ns - least[WAY_NONE], timed / (ns - least[WAY_NONE]), bench.commands[i]);
    }
}

static void choose_commands(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[3], "peers") == 0) {
        bench.commands = peers;
        bench.n_commands = ARRAY_SIZE(peers);
        return;
    }
    bench.commands = (const char *const *)argv + (argc > 3 ? 3 : argc);
    bench.n_commands = argc > 3 ? (size_t)argc - 3 : 0;
    if (bench.n_commands > MOST_COMMANDS)
        bench.n_commands = MOST_COMMANDS;
}

int main(int argc, char **argv)
{
    AUTO_CLOSE int sysfs_fd = open("/sys", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    double least[WAYS_MOST_] = {0};
    struct cgroup_root root;

    bench.n_calls = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000000;
    bench.n_turns = argc > 2 ? strtoul(argv[2], NULL, 10) : 5;
    choose_commands(argc, argv);
    if (cpu_list_read_online(sysfs_fd, &bench.cpus) < 0 || cgroup_root_open(NULL, &root) < 0 ||
        !root.v2)
        bench_die("CPUs and cgroup v2");
    need_times(sysfs_fd);
    (void)snprintf(bench.top, sizeof(bench.top), "%s/pmu-bench-%d", root.path, getpid());
    if (mkdir(bench.top, 0755) < 0)
        bench_die(bench.top);
    for (size_t turn = 0; turn < bench.n_turns; turn++)
        for (size_t way = 0; way < WAY_COMMAND + bench.n_commands; way++) {
            const double ns = one_turn((enum way)way);

            least[way] = turn == 0 || ns < least[way] ? ns : least[way];
        }
    print(least);
    (void)rmdir(bench.top);
    cgroup_root_done(&root);
    (void)cpu_list_free(bench.cpus);
    return 0;
}

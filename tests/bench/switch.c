/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What a switch between two tasks costs while cgroups are counted: not at all, direct, by bpf, and
 * by bpf with all latencies of the scheduler.
 *
 *     bench_switch [ROUND_TRIPS [TURNS [HARDWARE_EVENTS [SETTINGS]]]]
 *
 * SETTINGS: only so many of the table's, from the first. Two tasks on one CPU hand a byte to and
 * fro over pipes, each in a cgroup of its own (or both in one), four software events counted, or so
 * many of the PMU, for several numbers of counted cgroups, flat or nested seven deep, with and
 * without forty system-wide software events beside. The four ways take turns; shown is the least
 * batch of them all in ns a switch: what else the machine does only adds, unless somebody else
 * counts. In a guest whose clock is its instructions (tests/vm) one turn is the truth. Needs root
 * and cgroup v2.
 */

#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/bench.h"
#include "count/bpf/mechanism.h"
#include "count/counter_set.h"
#include "sys/cgroup_root.h"

#define SOFTWARE      4
#define MOST_EVENTS   8
#define SYSTEM_EVENTS 40
#define MOST_CGROUPS  1000
#define DEPTH         7
#define BATCHES       20
#define SETTLE_NS     100000000ULL /* until what opening and closing left behind is done */

enum way { WAY_NONE, WAY_DIRECT, WAY_BPF, WAY_TIMED, WAYS_ };

static const char *const way_names[WAYS_] = {"none", "direct", "bpf", "bpf with latencies"};

struct setting {
    const char *name;
    size_t n_cgroups;
    bool deep, together, beside;
};

static const struct setting settings[] = {
    {"2 cgroups", 2, false, false, false},
    {"100 cgroups", 100, false, false, false},
    {"1000 cgroups", 1000, false, false, false},
    {"2 lineages of 7 cgroups", 2, true, false, false},
    {"142 lineages of 7 cgroups", 142, true, false, false},
    {"2 cgroups, 40 system-wide events", 2, false, false, true},
    {"1000 cgroups, 40 beside", 1000, false, false, true},
    {"142 lineages of 7, 40 beside", 142, true, false, true},
    {"100 cgroups, both in one", 100, false, true, false},
};

static struct {
    struct cpu_list *cpus;
    struct event_groups *groups;
    struct counter_set *sets[MOST_CGROUPS + 2 * DEPTH];
    int directories[MOST_CGROUPS + 2 * DEPTH];
    size_t n_sets;
    char top[256];
    unsigned long n_trips, n_turns;
    size_t n_hardware, n_events;
} bench;

static const struct event_code software[SOFTWARE] = {
    {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK},
    {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CONTEXT_SWITCHES},
    {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_MIGRATIONS},
    {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS},
};

/* Instructions, and others that only take a counter: what they count is of no matter. */
static struct event_code hardware(size_t i)
{
    if (i == 0)
        return (struct event_code){.type = PERF_TYPE_HARDWARE,
                                   .config = PERF_COUNT_HW_INSTRUCTIONS};
    return (struct event_code){.type = PERF_TYPE_RAW, .config = i};
}

static void make_groups(void)
{
    static struct event events[MOST_EVENTS];
    static const struct event *wanted[MOST_EVENTS];
    struct group_spec spec = {.name = "events", .events = wanted};

    bench.n_events = bench.n_hardware ? bench.n_hardware : SOFTWARE;
    for (size_t i = 0; i < bench.n_events; i++) {
        events[i].code = bench.n_hardware ? hardware(i) : software[i];
        wanted[i] = &events[i];
    }
    spec.n_events = bench.n_events;
    if (event_groups_new(SCOPE_CGROUP, &spec, 1, &bench.groups) < 0)
        bench_die("groups");
}

static struct mechanism *make_direct(void)
{
    return mechanism_direct_new(&perf_ops_kernel);
}

static struct mechanism *make_bpf(bool timed)
{
    struct switch_program_size size = {.n_cpus =
                                           (size_t)bench.cpus->cpus[bench.cpus->n - 1].value + 1,
                                       .n_slots = 2 * (MOST_CGROUPS + 2 * DEPTH),
                                       .n_lanes = 2 * BPF_GROUP_LANES(bench.n_events)};
    struct mechanism *mechanism = NULL;
    enum bpf_refusal refusal;

    size.n_latency_slots = timed ? size.n_slots : 0;
    if (mechanism_bpf_new(&perf_ops_kernel, &size, &mechanism, &refusal) < 0)
        printf("no bpf: %s\n", bpf_refusal_text(refusal));
    return mechanism;
}

/* A program counts as long as it is loaded: it is there for its own turns only. NULL: refused. */
static struct mechanism *make_mechanism(enum way way)
{
    struct mechanism *mechanism = way == WAY_DIRECT ? make_direct() : make_bpf(way == WAY_TIMED);

    if (mechanism)
        mechanism->descriptors = SIZE_MAX;
    return mechanism;
}

/* The directory of the cgroup at this depth of a lineage; 0: the one right below the top. */
static void name_cgroup(size_t i, size_t depth, char *ret_path, size_t size)
{
    int n = snprintf(ret_path, size, "%s/c%zu", bench.top, i);

    for (size_t level = 0; level < depth; level++)
        n += snprintf(ret_path + n, size - (size_t)n, "/d");
}

static size_t depth_of(const struct setting *setting)
{
    return setting->deep ? DEPTH : 1;
}

static void make_cgroups(const struct setting *setting, bool remove)
{
    char path[512];

    for (size_t i = 0; i < setting->n_cgroups; i++)
        for (size_t level = 0; level < depth_of(setting); level++) {
            name_cgroup(i, remove ? depth_of(setting) - 1 - level : level, path, sizeof(path));
            if (remove ? rmdir(path) < 0 : mkdir(path, 0755) < 0 && errno != EEXIST)
                bench_die(path);
        }
}

static void open_sets(const struct setting *setting, struct mechanism *mechanism)
{
    char path[512];

    bench.n_sets = 0;
    for (size_t i = 0; i < setting->n_cgroups; i++)
        for (size_t level = 0; level < depth_of(setting); level++) {
            struct scope scope = {.kind = SCOPE_CGROUP, .cpus = bench.cpus};

            name_cgroup(i, level, path, sizeof(path));
            scope.cgroup_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
            bench.directories[bench.n_sets] = scope.cgroup_fd;
            if (counter_set_new(mechanism, bench.groups, &scope, &bench.sets[bench.n_sets++]) < 0)
                bench_die("counter set");
        }
    if (mechanism->open(mechanism, bench.sets, bench.n_sets) < 0)
        bench_die("opening");
    for (size_t i = 0; i < bench.n_sets; i++)
        if (counter_set_is_incomplete(bench.sets[i]))
            bench_die("a set is not open");
    mechanism_refresh(mechanism);
}

static void close_sets(void)
{
    for (size_t i = 0; i < bench.n_sets; i++) {
        bench.sets[i] = counter_set_free(bench.sets[i]);
        (void)close(bench.directories[i]);
    }
    bench.n_sets = 0;
}

static void open_beside(int *descriptors, int cpu)
{
    struct perf_event_attr attr = {
        .size = sizeof(attr), .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS};

    for (size_t i = 0; i < SYSTEM_EVENTS; i++)
        descriptors[i] = perf_ops_kernel.open(NULL, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static void enter(const char *cgroup, int cpu)
{
    char path[600];
    cpu_set_t set;
    FILE *file;

    (void)snprintf(path, sizeof(path), "%s/cgroup.procs", cgroup);
    file = fopen(path, "we");
    if (!file || fputs("0", file) < 0 || fclose(file) != 0)
        bench_die(path);
    CPU_ZERO(&set);
    CPU_SET((size_t)cpu, &set);
    if (sched_setaffinity(0, sizeof(set), &set) < 0)
        bench_die("sched_setaffinity");
}

static void pass(int in, int out, bool first, unsigned long n)
{
    char byte = 'x';

    for (unsigned long i = 0; i < n; i++)
        if ((first && write(out, &byte, 1) != 1) || read(in, &byte, 1) != 1 ||
            (!first && write(out, &byte, 1) != 1))
            bench_die("pipe");
}

/* The same in batches: ns a switch in the one that was disturbed least. */
static double pass_batches(int in, int out, bool first)
{
    const unsigned long n = bench.n_trips / BATCHES;
    double least = 0;

    for (int i = 0; i < BATCHES; i++) {
        uint64_t begin_ns = clock_monotonic_ns();
        double ns;

        pass(in, out, first, n);
        ns = (double)(clock_monotonic_ns() - begin_ns) / (2.0 * (double)n);
        least = i == 0 || ns < least ? ns : least;
    }
    return least;
}

/* ns a switch, of two children that do nothing else. */
static double ping_pong(const struct setting *setting, int cpu)
{
    int there[2], back[2], answer[2];
    char cgroup[512];
    double result = 0;

    if (pipe(there) < 0 || pipe(back) < 0 || pipe(answer) < 0)
        bench_die("pipe");
    for (size_t side = 0; side < 2; side++)
        if (fork() == 0) {
            name_cgroup(setting->together ? 0 : side, depth_of(setting) - 1, cgroup,
                        sizeof(cgroup));
            enter(cgroup, cpu);
            pass(side ? there[0] : back[0], side ? back[1] : there[1], side == 0, 100);
            result = pass_batches(side ? there[0] : back[0], side ? back[1] : there[1], side == 0);
            if (side == 0 && write(answer[1], &result, sizeof(result)) != sizeof(result))
                bench_die("answer");
            _exit(0);
        }
    if (read(answer[0], &result, sizeof(result)) != sizeof(result))
        bench_die("answer");
    while (wait(NULL) > 0)
        ;
    for (int i = 0; i < 2; i++)
        (void)(close(there[i]), close(back[i]), close(answer[i]));
    return result;
}

static double one_turn(const struct setting *setting, enum way way)
{
    int cpu = bench.cpus->cpus[bench.cpus->n - 1].value;
    int beside[SYSTEM_EVENTS];
    struct mechanism *mechanism = way == WAY_NONE ? NULL : make_mechanism(way);
    double ns;

    if (!mechanism && way != WAY_NONE)
        return 0;
    if (mechanism)
        open_sets(setting, mechanism);
    if (setting->beside)
        open_beside(beside, cpu);
    bench_nap(SETTLE_NS);
    ns = ping_pong(setting, cpu);
    for (size_t i = 0; setting->beside && i < SYSTEM_EVENTS; i++)
        (void)close(beside[i]);
    close_sets();
    (void)mechanism_free(mechanism);
    return ns;
}

static void run(const struct setting *setting)
{
    double least[WAYS_] = {0};

    make_cgroups(setting, false);
    for (size_t turn = 0; turn < bench.n_turns; turn++)
        for (enum way way = 0; way < WAYS_; way++) {
            double ns = one_turn(setting, way);

            least[way] = turn == 0 || ns < least[way] ? ns : least[way];
        }
    make_cgroups(setting, true);
    printf("%-34s %7.0f", setting->name, least[WAY_NONE]);
    for (enum way way = WAY_NONE + 1; way < WAYS_; way++)
        printf(" %9.0f (%+5.0f, x%.2f)", least[way], least[way] - least[WAY_NONE],
               least[way] / least[WAY_NONE]);
    printf("\n");
    (void)fflush(stdout);
}

int main(int argc, char **argv)
{
    AUTO_CLOSE int sysfs_fd = open("/sys", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    size_t n_settings = argc > 4 ? strtoul(argv[4], NULL, 10) : SIZE_MAX;
    struct cgroup_root root;

    bench.n_trips = argc > 1 ? strtoul(argv[1], NULL, 10) : 5000;
    bench.n_turns = argc > 2 ? strtoul(argv[2], NULL, 10) : 15;
    bench.n_hardware = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;
    if (bench.n_hardware > MOST_EVENTS)
        bench_die("so many events");
    if (cpu_list_read_online(sysfs_fd, &bench.cpus) < 0 || cgroup_root_open(NULL, &root) < 0 ||
        !root.v2)
        bench_die("CPUs and cgroup v2");
    (void)snprintf(bench.top, sizeof(bench.top), "%s/pmu-bench-%d", root.path, getpid());
    if (mkdir(bench.top, 0755) < 0)
        bench_die(bench.top);
    make_groups();
    printf("%2zu %-31s %7s", bench.n_events,
           bench.n_hardware ? "hardware events, ns a switch" : "software events, ns a switch",
           way_names[WAY_NONE]);
    for (enum way way = WAY_NONE + 1; way < WAYS_; way++)
        printf(" %24s", way_names[way]);
    printf("\n");
    for (size_t i = 0; i < n_settings && i < sizeof(settings) / sizeof(*settings); i++)
        run(&settings[i]);
    (void)rmdir(bench.top);
    cgroup_root_done(&root);
    (void)event_groups_free(bench.groups);
    (void)cpu_list_free(bench.cpus);
    return 0;
}

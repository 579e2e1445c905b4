/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Counts cgroups and processes by both mechanisms at once, for tests that compare them.
 *
 *     mechanisms [v1] [hardware] [machine] [hole]
 *
 * obeys lines on standard input: "add DIRECTORY" or "process PID [children]" (answered by
 * "added"), "close N" (the N-th added, from 0; "closed"), and "read": for each that is not closed a
 * line "N direct VALUES", and one with "bpf", then "done". The values are totals since it was
 * added: task-clock, context-switches, cpu-migrations, page-faults, or with hardware: user
 * instructions, cycles; then enabled. Before "done" come the same for what bpf has charged to none
 * of them, since they are the rest of the machine, and to no cgroup or no process at all where it
 * had to guess; how many switches it was
 * not told of and how many ns are in doubt because of them; and how many counters each has open.
 * hole: where the program looks for the first event there is none any more.
 * machine: and all that the machine has counted, right before and right after bpf has looked.
 * Status 77 and a reason where there is no bpf. v1: cgroups of perf_event's v1 hierarchy.
 */

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "count/bpf/mechanism.h"
#include "count/counter_set.h"
#include "sys/process.h"

#define MOST_EVENTS  4
#define MOST_TARGETS 4000

struct target {
    int fd;         /* -1 if it is a process */
    pid_t *threads; /* the threads of the process that direct has opened */
    pid_t pid;
    struct counter_set *sets[2];
    uint64_t totals[2][MOST_EVENTS + 1];
};

/* All of it as bpf's own groups tell, right before and right after it looks. */
struct machine {
    struct event_groups *groups;
    struct counter_set *set;
    struct sample *sample;
    uint64_t totals[MOST_EVENTS + 1], before[MOST_EVENTS + 1];
};

struct program {
    int procfs_fd;
    struct cpu_list *cpus;
    struct event_groups *groups;
    struct machine machine;
    struct sample *sample;
    struct mechanism *mechanisms[2];
    struct target targets[MOST_TARGETS];
    size_t n_targets, n_events, first_lane;
    struct event_groups *passing; /* a group that comes first and goes again; NULL: there is none */
};

static const struct event_code software[] = {
    {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK},
    {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CONTEXT_SWITCHES},
    {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_MIGRATIONS},
    {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS},
};
static const struct event_code hardware[] = {
    {.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_INSTRUCTIONS, .exclude_kernel = true},
    {.type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES},
};
static_assert(sizeof(software) / sizeof(*software) == MOST_EVENTS, "totals have room for all");

static void fail(const char *what, int error)
{
    fprintf(stderr, "mechanisms: %s: %s\n", what, strerror(-error));
    exit(1);
}

static void make_groups(struct program *program, const struct event_code *codes, size_t n)
{
    static struct event events[MOST_EVENTS];
    static const struct event *wanted[MOST_EVENTS];
    const struct group_spec spec = {.name = "events", .events = wanted, .n_events = n};
    int r;

    program->n_events = n;
    for (size_t i = 0; i < n; i++) {
        events[i].code = codes[i];
        wanted[i] = &events[i];
    }
    r = event_groups_new(SCOPE_CGROUP, &spec, 1, &program->groups);
    if (r >= 0)
        r = event_groups_new(SCOPE_SYSTEM, &spec, 1, &program->machine.groups);
    if (r < 0)
        fail("groups", r);
    program->machine.sample = sample_new(program->machine.groups);
    program->sample = sample_new(program->groups);
}

static void make_passing_group(struct program *program)
{
    static struct event dummy = {
        .code = {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY}};
    static const struct event *wanted[] = {&dummy};
    const struct group_spec spec = {.name = "passing", .events = wanted, .n_events = 1};
    int r = event_groups_new(SCOPE_CGROUP, &spec, 1, &program->passing);

    if (r < 0)
        fail("groups", r);
    program->first_lane = BPF_GROUP_LANES(1);
}

static void make_mechanisms(struct program *program, bool v1)
{
    const int highest = program->cpus->cpus[program->cpus->n - 1].value;
    const struct switch_program_size size = {.n_cpus = (size_t)highest + 1,
                                             .n_slots = MOST_TARGETS + SWITCH_PROGRAM_FIRST,
                                             .n_lanes = 2 * BPF_GROUP_LANES(program->n_events),
                                             .n_watched = MOST_TARGETS,
                                             .v1 = v1};
    enum bpf_refusal refusal;
    int r = mechanism_bpf_new(&perf_ops_kernel, &size, &program->mechanisms[1], &refusal);

    if (r < 0) {
        printf("%s\n", bpf_refusal_text(refusal));
        exit(77);
    }
    program->mechanisms[0] = mechanism_direct_new(&perf_ops_kernel);
    program->mechanisms[0]->descriptors = program->mechanisms[1]->descriptors = 1000000;
}

static void read_machine(struct program *program)
{
    struct machine *machine = &program->machine;

    if (!machine->set)
        return;
    counter_set_read(machine->set, clock_monotonic_ns(), machine->sample);
    for (size_t i = 0; i < program->n_events; i++)
        machine->totals[i] += machine->sample->events[i].count;
    machine->totals[program->n_events] += machine->sample->groups[0].enabled;
}

static void open_machine(struct program *program)
{
    const struct scope scope = {.kind = SCOPE_SYSTEM, .cgroup_fd = -1, .cpus = program->cpus};
    struct mechanism *bpf = program->mechanisms[1];
    int r = counter_set_new(bpf, program->machine.groups, &scope, &program->machine.set);

    if (r >= 0)
        r = bpf->open(bpf, &program->machine.set, 1);
    if (r < 0)
        fail("machine", r);
    read_machine(program);
}

static void read_both(struct program *program, struct target *target)
{
    for (size_t m = 0; m < 2; m++) {
        counter_set_read(target->sets[m], clock_monotonic_ns(), program->sample);
        for (size_t i = 0; i < program->n_events; i++)
            target->totals[m][i] += program->sample->events[i].count;
        target->totals[m][program->n_events] += program->sample->groups[0].enabled;
    }
}

/* As a group that is dropped by a reload: the first place of an event is a hole from then on. */
static void leave_hole(struct program *program, const struct scope *scope,
                       struct counter_set **passing)
{
    struct mechanism *bpf = program->mechanisms[1];

    if (!*passing) {
        if (counter_set_new(bpf, program->passing, scope, passing) < 0 ||
            bpf->open(bpf, passing, 1) < 0 || counter_set_is_incomplete(*passing))
            fail("the group that passes", -EINVAL);
        return;
    }
    *passing = counter_set_free(*passing);
    program->passing = event_groups_free(program->passing);
}

/* scopes: one for each mechanism. */
static void add(struct program *program, struct target *target, const struct scope *scopes)
{
    for (size_t m = 0; m < 2; m++) {
        struct mechanism *mechanism = program->mechanisms[m];

        if (counter_set_new(mechanism, program->groups, &scopes[m], &target->sets[m]) < 0 ||
            mechanism->open(mechanism, &target->sets[m], 1) < 0 ||
            counter_set_is_incomplete(target->sets[m])) {
            fprintf(stderr, "mechanisms: target %zu: not opened\n", program->n_targets);
            exit(1);
        }
    }
    mechanism_refresh(program->mechanisms[1]);
    read_both(program, target);
    program->n_targets++;
    puts("added");
}

static void add_cgroup(struct program *program, const char *directory)
{
    struct target *target = &program->targets[program->n_targets];
    const struct scope scope = {
        .kind = SCOPE_CGROUP,
        .cpus = program->cpus,
        .cgroup_fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC),
    };

    struct counter_set *passing = NULL;

    target->fd = scope.cgroup_fd;
    if (program->passing)
        leave_hole(program, &scope, &passing);
    add(program, target, (const struct scope[]){scope, scope});
    if (program->passing)
        leave_hole(program, &scope, &passing);
}

/* Adds a process, which is to start nothing meanwhile. */
static void add_process(struct program *program, const char *text)
{
    struct target *target = &program->targets[program->n_targets];
    struct scope threads = {.kind = SCOPE_PROCESS, .cgroup_fd = -1, .inherit = INHERIT_THREADS};
    AUTO(process) struct process *process = NULL;
    struct scope whole;
    char *end;
    int r;

    target->fd = -1;
    target->pid = (pid_t)strtol(text, &end, 10);
    if (strcmp(end, " children") == 0)
        threads.inherit = INHERIT_CHILDREN;
    r = process_open(program->procfs_fd, target->pid, &process);
    if (r >= 0)
        r = process_threads(program->procfs_fd, target->pid, &target->threads, &threads.n_tasks);
    if (r < 0)
        fail(text, r);
    whole = threads;
    threads.tasks = target->threads;
    whole.cpus = program->cpus;
    whole.tasks = &target->pid;
    whole.n_tasks = 1;
    whole.process = scope_process_id(target->pid, process_stat(process)->start_ticks);
    add(program, target, (const struct scope[]){threads, whole});
}

static void end(struct program *program, size_t n)
{
    struct target *target = &program->targets[n];

    for (size_t m = 0; m < 2; m++)
        target->sets[m] = counter_set_free(target->sets[m]);
    if (target->fd >= 0)
        (void)close(target->fd);
    free(TAKE(target->threads));
    puts("closed");
}

static void print_numbers(const char *name, const uint64_t *numbers, size_t n)
{
    printf("%s", name);
    for (size_t i = 0; i < n; i++)
        printf(" %" PRIu64, numbers[i]);
    printf("\n");
}

static void print_totals(const struct program *program, const struct target *target, size_t m)
{
    char name[32];

    (void)snprintf(name, sizeof(name), "%td %s", target - program->targets,
                   m == 0 ? "direct" : "bpf");
    print_numbers(name, target->totals[m], program->n_events + 1);
}

static void print_machine(const struct program *program)
{
    const struct mechanism *bpf = program->mechanisms[1];
    uint64_t numbers[3][MOST_EVENTS + 1];
    const size_t n = program->n_events + 1;

    for (size_t i = 0; i < n; i++) {
        numbers[0][i] =
            mechanism_bpf_charged_to_nobody(bpf, SWITCH_PROGRAM_REST, program->first_lane + i);
        numbers[1][i] = mechanism_bpf_charged_to_nobody(bpf, SWITCH_PROGRAM_NO_CGROUPS,
                                                        program->first_lane + i);
        numbers[2][i] = mechanism_bpf_charged_to_nobody(bpf, SWITCH_PROGRAM_NO_PROCESSES,
                                                        program->first_lane + i);
    }
    print_numbers("machine-before", program->machine.before, n);
    print_numbers("machine-after", program->machine.totals, n);
    print_numbers("rest", numbers[0], n);
    print_numbers("no-cgroups", numbers[1], n);
    print_numbers("no-processes", numbers[2], n);
    printf("untold %" PRIu64 " %" PRIu64 "\n", bpf->doubt.untold_switches,
           bpf->doubt.unattributed_ns);
    printf("counters %zu %zu\n", program->mechanisms[0]->open_counters, bpf->open_counters);
}

static void read_all(struct program *program)
{
    read_machine(program);
    memcpy(program->machine.before, program->machine.totals, sizeof(program->machine.before));
    mechanism_refresh(program->mechanisms[1]);
    read_machine(program);
    for (size_t i = 0; i < program->n_targets; i++) {
        struct target *target = &program->targets[i];

        if (!target->sets[0])
            continue;
        read_both(program, target);
        for (size_t m = 0; m < 2; m++)
            print_totals(program, target, m);
    }
    print_machine(program);
    puts("done");
}

static void obey(struct program *program, const char *line)
{
    if (strncmp(line, "add ", 4) == 0)
        add_cgroup(program, line + 4);
    else if (strncmp(line, "process ", 8) == 0)
        add_process(program, line + 8);
    else if (strncmp(line, "close ", 6) == 0)
        end(program, strtoul(line + 6, NULL, 10));
    else
        read_all(program);
    (void)fflush(stdout);
}

static bool is_said(char **words, const char *word)
{
    while (*++words)
        if (strcmp(*words, word) == 0)
            return true;
    return false;
}

int main(int argc, char **argv)
{
    static struct program program;
    char line[4096];

    (void)argc;
    program.procfs_fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (cpu_list_read_online(open("/sys", O_RDONLY | O_DIRECTORY | O_CLOEXEC), &program.cpus) < 0)
        return 1;
    if (is_said(argv, "hardware"))
        make_groups(&program, hardware, sizeof(hardware) / sizeof(*hardware));
    else
        make_groups(&program, software, sizeof(software) / sizeof(*software));
    make_mechanisms(&program, is_said(argv, "v1"));
    if (is_said(argv, "hole"))
        make_passing_group(&program);
    if (is_said(argv, "machine"))
        open_machine(&program);
    puts("ready");
    (void)fflush(stdout);
    while (fgets(line, sizeof(line), stdin)) {
        line[strcspn(line, "\n")] = '\0';
        obey(&program, line);
    }
    for (size_t i = 0; i < program.n_targets; i++) {
        for (size_t m = 0; m < 2; m++)
            program.targets[i].sets[m] = counter_set_free(program.targets[i].sets[m]);
        free(program.targets[i].threads);
    }
    program.machine.set = counter_set_free(program.machine.set);
    for (size_t m = 0; m < 2; m++)
        program.mechanisms[m] = mechanism_free(program.mechanisms[m]);
    (void)sample_free(program.machine.sample);
    (void)event_groups_free(program.machine.groups);
    (void)sample_free(program.sample);
    (void)event_groups_free(program.groups);
    (void)cpu_list_free(program.cpus);
    return 0;
}

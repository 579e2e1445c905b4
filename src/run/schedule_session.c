/* SPDX-License-Identifier: Apache-2.0 */
#include "run/schedule_session.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "run/schedule_rows.h"
#include "run/schedule_trace.h"
#include "sys/block_device.h"
#include "sys/bpf/schedule/program.h"
#include "sys/cgroup_lineage.h"
#include "sys/cgroup_root.h"
#include "sys/cpu_list.h"
#include "sys/process.h"

struct schedule_session {
    struct schedule_program *program;
    struct schedule_trace *trace;
    int procfs_fd, sysfs_fd; /* borrowed */
    bool has_names;          /* its numbers are those of the records */
    size_t n_cpus;           /* all numbers of CPUs are below it */
    size_t n_named;          /* threads of the trace that have been looked at for a name */
    size_t n_devices;        /* and devices */
    uint64_t start_ns;       /* CLOCK_MONOTONIC */
    uint64_t kinds[SCHEDULE_KIND_COUNT_], n_preemptions; /* since the last row */
    uint64_t n_lost;                                     /* up to the last row */
    int error;                                           /* of what was read last */
};

/* The cgroup's id, and of which kind it is. 0 or -errno. */
static int find_cgroup(const struct run_target *target, const struct run_setup *setup,
                       struct schedule_wish *wish)
{
    AUTO(cgroup_lineage) struct cgroup_lineage *lineage = NULL;
    struct cgroup_root root = {.fd = -1};
    int r = cgroup_root_open(setup->machine.cgroupfs, &root);

    wish->is_v1 = r == 0 && !root.v2;
    cgroup_root_done(&root);
    if (r == 0)
        r = cgroup_lineage_read(target->cgroup_fd, &lineage);
    if (r == 0)
        wish->cgroup = cgroup_lineage_id(lineage);
    return r;
}

static int find_cpus(const struct run_setup *setup, size_t *ret_n)
{
    AUTO(cpu_list) struct cpu_list *possible = NULL;
    const int r = cpu_list_read_possible(setup->machine.sysfs_fd, &possible);

    if (r == 0)
        *ret_n = possible->n > 0 ? (size_t)possible->cpus[possible->n - 1].value + 1 : 1;
    return r;
}

/*
 * The program knows processes by their numbers in the initial PID namespace. Those of another one
 * would be others', of which nobody has asked to know anything.
 */
static int check_numbers(struct schedule_session *session, const struct schedule_wish *wish,
                         struct text *message)
{
    const pid_t own = schedule_program_own_number(session->program);

    if (own < 0)
        return own;
    session->has_names = own == process_self(session->procfs_fd);
    if (session->has_names || !wish->processes)
        return 0;
    text_append_string(message, "the scheduler cannot be recorded for processes: procfs is of "
                                "another PID namespace than the initial one");
    return -EPERM;
}

/*
 * The program knows processes by their first threads. Another thread is not what `perf record -p`
 * takes as a process; its records would be empty.
 */
static int check_leader(const struct schedule_session *session, pid_t pid, struct text *message)
{
    pid_t leader;
    const int r = process_read_leader(session->procfs_fd, pid, &leader);

    if (r < 0)
        return r == -ESRCH ? -ENOENT : r;
    if (leader == pid)
        return 0;
    text_append_format(message,
                       "%d is a thread of process %d: expected pid:%d, which is recorded "
                       "with all its threads",
                       pid, leader, leader);
    return -EINVAL;
}

static void note_part(const struct schedule_session *session, enum schedule_part part,
                      struct schedule_told *told)
{
    const enum bpf_refusal refusal = schedule_program_refusal(session->program, part);

    told->is_told = refusal == BPF_REFUSAL_NONE;
    (void)snprintf(told->refusal, sizeof(told->refusal), "%s", bpf_refusal_text(refusal));
}

static int load(struct schedule_session *session, const struct schedule_wish *wish,
                struct text *message)
{
    enum bpf_refusal refusal;
    const int r = schedule_program_load(wish, &session->program, &refusal);

    if (r == 0) {
        note_part(session, SCHEDULE_PART_REQUESTS, &session->trace->requests_told);
        note_part(session, SCHEDULE_PART_EXITS, &session->trace->exits_told);
    }
    if (r == 0 || r == -ENOMEM)
        return r;
    text_append_format(message, "the scheduler cannot be recorded: %s", bpf_refusal_text(refusal));
    return -EPERM;
}

int schedule_session_open(const struct run_target *target, const struct run_wish *wish,
                          const struct run_setup *setup, struct recording *recording,
                          struct schedule_session **ret_session, struct text *ret_message)
{
    AUTO(schedule_session) struct schedule_session *session = calloc(1, sizeof(*session));
    struct schedule_wish wanted = {.ring_bytes = setup->ring_bytes};
    int r;

    if (!session)
        return -ENOMEM;
    session->procfs_fd = setup->machine.procfs_fd;
    session->sysfs_fd = setup->machine.sysfs_fd;
    session->trace = schedule_trace_new();
    r = session->trace ? schedule_rows_add_columns(recording) : -ENOMEM;
    if (r == 0)
        r = find_cpus(setup, &wanted.n_cpus);
    if (r == 0)
        session->trace->is_machine = wish->kind == TARGET_MACHINE;
    if (r == 0 && wish->kind == TARGET_CGROUP)
        r = find_cgroup(target, setup, &wanted);
    if (wish->kind == TARGET_PROCESSES) {
        wanted.processes = wish->tasks;
        wanted.n_processes = wish->n_tasks;
        if (r == 0 && !wish->skips_gone)
            r = check_leader(session, wish->tasks[0], ret_message);
    }
    if (r == 0)
        r = load(session, &wanted, ret_message);
    if (r == 0)
        r = check_numbers(session, &wanted, ret_message);
    if (r < 0)
        return r;
    session->n_cpus = wanted.n_cpus;
    session->start_ns = clock_monotonic_ns();
    schedule_program_begin(session->program);
    session->trace->begun_ns = clock_monotonic_ns() - session->start_ns;
    *ret_session = TAKE(session);
    return 0;
}

struct schedule_session *schedule_session_free(struct schedule_session *session)
{
    if (!session)
        return NULL;
    session->program = schedule_program_free(session->program);
    session->trace = schedule_trace_unref(session->trace);
    free(session);
    return NULL;
}

static int take(void *context, const struct schedule_record *record)
{
    struct schedule_session *session = context;

    if (session->error == 0)
        session->error = schedule_trace_add(session->trace, record, session->start_ns);
    if (session->error < 0 || record->kind >= SCHEDULE_KIND_COUNT_)
        return session->error;
    session->kinds[record->kind]++;
    session->n_preemptions +=
        schedule_is_preemption(record->kind, record->state, record->flags, record->a.tid != 0);
    return 0;
}

/* Leaders that have done nothing yet are named by /proc, as long as they are there. */
static void name_leaders(struct schedule_session *session)
{
    struct schedule_trace *trace = session->trace;
    char name[64];

    for (; session->has_names && session->n_named < trace->n_threads; session->n_named++) {
        const struct schedule_thread *thread = &trace->threads[session->n_named];

        if (!*thread->name && process_read_comm(session->procfs_fd, (pid_t)thread->tid, name) == 0)
            schedule_trace_name(trace, (uint32_t)session->n_named, name);
    }
}

/* A device may be gone soon. */
static void name_devices(struct schedule_session *session)
{
    const struct schedule_trace *trace = session->trace;
    char name[BLOCK_DEVICE_NAME_SIZE];

    for (; session->n_devices < trace->n_devices; session->n_devices++) {
        const uint64_t number = trace->devices[session->n_devices].number;

        (void)block_device_read_name(session->sysfs_fd, number, name);
        schedule_trace_name_device(session->trace, session->n_devices, name);
    }
}

bool schedule_session_read(struct schedule_session *session)
{
    const int r = schedule_program_read(session->program, take, session);

    name_leaders(session);
    name_devices(session);
    if (session->error == 0)
        session->error = r;
    return session->error == 0;
}

bool schedule_session_add_row(struct schedule_session *session, struct recording *recording,
                              uint64_t now_ns)
{
    const uint64_t n_lost = schedule_program_lost(session->program);
    double *row = recording_add_row(recording, now_ns - session->start_ns);

    if (!row)
        return false;
    for (enum schedule_kind kind = 0; kind < SCHEDULE_KIND_COUNT_; kind++) {
        const enum schedule_column column = schedule_rows_column_of(kind);

        if (column == SCHEDULE_COLUMN_COUNT_)
            continue;
        row[column] = (isfinite(row[column]) ? row[column] : 0) + (double)session->kinds[kind];
    }
    schedule_rows_hide(session->trace, row);
    row[SCHEDULE_COLUMN_PREEMPTIONS] = (double)session->n_preemptions;
    row[SCHEDULE_COLUMN_LOST] = (double)(n_lost - session->n_lost);
    session->n_lost = n_lost;
    memset(session->kinds, 0, sizeof(session->kinds));
    session->n_preemptions = 0;
    return true;
}

/* Of a CPU whose last records were lost no later one says so, and it is not known who has it. */
static void tell_losses(struct schedule_session *session)
{
    struct schedule_record record = {.time_ns = clock_monotonic_ns(), .kind = SCHEDULE_LOSS};

    for (size_t cpu = 0; cpu < session->n_cpus; cpu++) {
        record.cpu = (uint16_t)cpu;
        record.lost = schedule_program_untold(session->program, cpu);
        if (record.lost > 0)
            (void)schedule_trace_add(session->trace, &record, session->start_ns);
    }
}

/* What waits in the ring when recording has ended may be more than the trace has room for. */
uint64_t schedule_session_end(struct schedule_session *session, struct recording *recording,
                              uint64_t now_ns)
{
    struct schedule_trace *trace = session->trace;
    uint64_t last_ns;

    schedule_program_end(session->program);
    (void)schedule_session_read(session);
    last_ns = trace->n_events > 0 ? trace->events[trace->n_events - 1].time_ns : 0;
    if (session->start_ns + last_ns > now_ns)
        now_ns = session->start_ns + last_ns;
    tell_losses(session);
    (void)schedule_session_add_row(session, recording, now_ns);
    trace->n_lost = schedule_program_lost(session->program);
    trace->duration_ns = trace->is_full && last_ns > 0 ? last_ns : now_ns - session->start_ns;
    recording->schedule = TAKE(session->trace);
    schedule_rows_fill(recording);
    session->program = schedule_program_free(session->program);
    return now_ns;
}

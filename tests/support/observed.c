/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Runs a command while the programs for interrupts, TCP and KVM count, and prints what they have
 * counted meanwhile.
 *
 *     observed CGROUP COMMAND [ARGUMENT...]
 *
 * The command runs in the cgroup of that directory, and is a watched process from its beginning.
 * Lines on standard output, behind those of the command:
 *
 *     softirq NAME N TIMED NS          of the machine; TIMED: how many have a duration
 *     kernel NAME LEAST MOST           what /proc/softirqs has counted, in a shorter and a longer
 * time hardirq NUMBER DEVICES N TIMED NS tcp WHOSE RETRANSMITS CONNECTS FAILURES TIMED NS exit
 * WHOSE REASON N TIMED NS entry WHOSE VCPU N lost PROGRAM N refused PROGRAM REASON
 *
 * WHOSE is rest, cgroup or process. Status 77 and a reason where there is no bpf at all; that of
 * the command if it fails.
 */

#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys/bpf/interrupts/program.h"
#include "sys/bpf/kvm/program.h"
#include "sys/bpf/switch/program.h"
#include "sys/bpf/tcp/program.h"
#include "sys/interrupt.h"
#include "sys/kvm_exit_reasons.h"

#define ENTRIES   4000
#define MOST_ROWS 4000
#define SOFTIRQS  10

enum { CGROUP = SWITCH_PROGRAM_FIRST, PROCESS, SLOTS };

static const char *const whose[SLOTS] = {
    [SWITCH_PROGRAM_REST] = "rest", [CGROUP] = "cgroup", [PROCESS] = "process"};

static void fail(const char *what, int error)
{
    (void)fprintf(stderr, "observed: %s: %s\n", what, strerror(error));
    exit(1);
}

/* What was counted, by key. CPUs are added up. */
struct row {
    struct keyed_key key;
    uint64_t tallies[KEYED_TALLIES], timed, ns;
};

struct rows {
    struct row all[MOST_ROWS];
    size_t n;
    bool by_cpu; /* the detail has the number of a CPU */
};

static struct row *row_of(struct rows *rows, struct keyed_key key)
{
    if (rows->by_cpu)
        key.detail = INTERRUPTS_KIND(key.detail);
    for (size_t i = 0; i < rows->n; i++)
        if (memcmp(&rows->all[i].key, &key, sizeof(key)) == 0)
            return &rows->all[i];
    if (rows->n == MOST_ROWS)
        fail("rows", E2BIG);
    rows->all[rows->n].key = key;
    return &rows->all[rows->n++];
}

static void take(void *context, const struct keyed_key *key, const struct keyed_delta *delta)
{
    struct row *row = row_of(context, *key);

    for (size_t i = 0; i < KEYED_TALLIES; i++)
        row->tallies[i] += delta->tallies[i];
    for (size_t i = 0; i < KEYED_BUCKETS; i++)
        row->timed += delta->buckets[0][i];
    row->ns += delta->sums_ns[0];
}

/* The sums of /proc/softirqs over all CPUs, in the order of their vectors. */
static void read_softirqs(uint64_t ret_sums[SOFTIRQS])
{
    FILE *file = fopen("/proc/softirqs", "re");
    char line[65536];
    size_t n = 0;

    if (!file || !fgets(line, sizeof(line), file))
        fail("/proc/softirqs", errno);
    while (n < SOFTIRQS && fgets(line, sizeof(line), file)) {
        char *rest = strchr(line, ':'), *end;

        ret_sums[n] = 0;
        for (rest = rest ? rest + 1 : line; *rest; rest = end) {
            ret_sums[n] += strtoull(rest, &end, 10);
            if (end == rest)
                break;
        }
        n++;
    }
    (void)fclose(file);
}

/* Those who count. NULL: refused. */
struct observers {
    struct switch_program *of;
    struct keyed_program *interrupts;
    struct keyed_program *tcp;
    struct keyed_program *kvm;
};

static void print_refusal(const char *name, int r, enum bpf_refusal refusal)
{
    if (r < 0)
        printf("refused %s %s\n", name, bpf_refusal_text(refusal));
}

static void load(struct observers *observers)
{
    const struct switch_program_size size = {.n_cpus = (size_t)libbpf_num_possible_cpus(),
                                             .n_slots = SLOTS,
                                             .n_lanes = 3,
                                             .n_watched = 100};
    enum bpf_refusal refusal = BPF_REFUSAL_NONE;
    int r;

    if (switch_program_load(&size, &observers->of, &refusal) < 0) {
        printf("%s\n", bpf_refusal_text(refusal));
        exit(77);
    }
    r = interrupts_program_load(NULL, ENTRIES, &observers->interrupts, &refusal);
    print_refusal("interrupts", r, refusal);
    r = tcp_program_load(observers->of, ENTRIES, &observers->tcp, &refusal);
    print_refusal("tcp", r, refusal);
    r = kvm_program_load(observers->of, ENTRIES, &observers->kvm, &refusal);
    print_refusal("kvm", r, refusal);
}

/* The command enters its cgroup, and begins when it is told to. */
static pid_t start(const char *cgroup, char **command, int *ret_go)
{
    int go[2];
    char byte;
    pid_t child;

    if (pipe2(go, O_CLOEXEC) < 0)
        fail("pipe", errno);
    (void)fflush(stdout);
    child = fork();
    if (child == 0) {
        int directory = open(cgroup, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        int procs = openat(directory, "cgroup.procs", O_WRONLY | O_CLOEXEC);

        if (procs < 0 || write(procs, "0", 1) != 1)
            fail(cgroup, errno);
        (void)close(go[1]);
        if (read(go[0], &byte, 1) == 1)
            (void)execvp(*command, command);
        fail(*command, errno);
    }
    (void)close(go[0]);
    *ret_go = go[1];
    return child;
}

static void give_slots(struct switch_program *of, const char *cgroup, pid_t process)
{
    struct stat status;
    int r;

    if (stat(cgroup, &status) < 0) /* the inode of a cgroup's directory is its id */
        fail(cgroup, errno);
    r = switch_program_set_slot(of, status.st_ino, CGROUP);
    if (r >= 0)
        r = switch_program_watch(of, process, PROCESS, true);
    if (r < 0)
        fail("slots", -r);
    switch_program_set_watching(of, true);
}

static int compare(const void *a, const void *b)
{
    const struct keyed_key *one = &((const struct row *)a)->key;
    const struct keyed_key *other = &((const struct row *)b)->key;

    return memcmp(one, other, sizeof(*one));
}

static void sort(struct rows *rows)
{
    qsort(rows->all, rows->n, sizeof(*rows->all), compare);
}

static void print_interrupts(struct rows *rows)
{
    int sysfs_fd = open("/sys", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    sort(rows);
    for (size_t i = 0; i < rows->n; i++) {
        const struct row *row = &rows->all[i];
        const uint32_t number = (uint32_t)row->key.subject;
        char devices[256] = "?";

        if (row->key.detail == INTERRUPTS_SOFTIRQ) {
            printf("softirq %s", softirq_name(number));
        } else {
            (void)interrupt_devices(sysfs_fd, number, devices, sizeof(devices));
            printf("hardirq %" PRIu32 " %s", number, devices);
        }
        printf(" %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", row->tallies[INTERRUPTS_TALLY], row->timed,
               row->ns);
    }
    (void)close(sysfs_fd);
}

static void print_tcp(struct rows *rows)
{
    sort(rows);
    for (size_t i = 0; i < rows->n; i++) {
        const struct row *row = &rows->all[i];

        printf("tcp %s %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
               whose[row->key.slot], row->tallies[TCP_RETRANSMITS], row->tallies[TCP_CONNECTS],
               row->tallies[TCP_FAILURES], row->timed, row->ns);
    }
}

static void print_kvm(struct rows *rows)
{
    sort(rows);
    for (size_t i = 0; i < rows->n; i++) {
        const struct row *row = &rows->all[i];
        const uint64_t subject = row->key.subject;
        char name[KVM_EXIT_REASON_SIZE];

        if (row->key.detail == KVM_ENTRY) {
            printf("entry %s %" PRId64 " %" PRIu64 "\n", whose[row->key.slot], (int64_t)subject,
                   row->tallies[KVM_TALLY]);
            continue;
        }
        kvm_exit_reason_name((uint32_t)(subject >> 32), (uint32_t)subject, name);
        printf("exit %s %s %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", whose[row->key.slot], name,
               row->tallies[KVM_TALLY], row->timed, row->ns);
    }
}

/* All that is read at one edge of the time in which the command runs. */
struct edge {
    uint64_t before[SOFTIRQS], after[SOFTIRQS];
    struct rows interrupts, tcp, kvm;
};

static void read_all(const struct observers *observers, struct edge *edge)
{
    edge->interrupts.by_cpu = true;
    read_softirqs(edge->before);
    if (observers->interrupts)
        keyed_table_read(keyed_program_table(observers->interrupts), take, &edge->interrupts);
    read_softirqs(edge->after);
    if (observers->tcp)
        keyed_table_read(keyed_program_table(observers->tcp), take, &edge->tcp);
    if (observers->kvm)
        keyed_table_read(keyed_program_table(observers->kvm), take, &edge->kvm);
}

static void print_all(const struct observers *observers, const struct edge *begin, struct edge *end)
{
    print_interrupts(&end->interrupts);
    for (uint32_t i = 0; i < SOFTIRQS; i++)
        printf("kernel %s %" PRIu64 " %" PRIu64 "\n", softirq_name(i),
               end->before[i] - begin->after[i], end->after[i] - begin->before[i]);
    print_tcp(&end->tcp);
    print_kvm(&end->kvm);
    if (observers->interrupts)
        printf("lost interrupts %" PRIu64 "\n", keyed_program_lost(observers->interrupts));
    if (observers->tcp)
        printf("lost tcp %" PRIu64 "\n", keyed_program_lost(observers->tcp));
    if (observers->kvm)
        printf("lost kvm %" PRIu64 "\n", keyed_program_lost(observers->kvm));
}

int main(int argc, char **argv)
{
    static struct edge begin, end;
    struct observers observers = {0};
    int go, status = 0;
    pid_t child;

    if (argc < 3)
        fail("observed CGROUP COMMAND [ARGUMENT...]", EINVAL);
    load(&observers);
    child = start(argv[1], argv + 2, &go);
    give_slots(observers.of, argv[1], child);
    read_all(&observers, &begin);
    if (write(go, "g", 1) != 1 || waitpid(child, &status, 0) != child)
        fail("command", errno);
    read_all(&observers, &end);
    if (status == 0)
        print_all(&observers, &begin, &end);
    (void)keyed_program_free(observers.kvm);
    (void)keyed_program_free(observers.tcp);
    (void)keyed_program_free(observers.interrupts);
    (void)switch_program_free(observers.of);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

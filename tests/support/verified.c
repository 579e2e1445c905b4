/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Loads what bpf runs at each switch, at several sizes, then the programs that count by key, and
 * what records for a while, and tells what the kernel's verifier made of them: a line for each
 * program with its name, the instructions the verifier walked, those the kernel holds, and the
 * bytes of machine code. Fails where the verifier had to walk more than a tenth of what a kernel
 * allows: that is most of the time from a start to the first answer. Status 77 and a reason where
 * there is no bpf.
 */

#include <dirent.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "sys/bpf/block/program.h"
#include "sys/bpf/interrupts/program.h"
#include "sys/bpf/kvm/program.h"
#include "sys/bpf/schedule/program.h"
#include "sys/bpf/spans/program.h"
#include "sys/bpf/switch/program.h"
#include "sys/bpf/syscalls/program.h"
#include "sys/bpf/tcp/program.h"

/*
 * The kernel's limit is a million (BPF_COMPLEXITY_LIMIT_INSNS). Measured: 39,100 by Linux 6.1 and
 * 72,600 with latencies; 13,700 and 23,700 since 6.12; before 5.17, which has no bpf_loop(),
 * 146,500 without them.
 */
#define MOST_VERIFIED 100000

/* A small configuration, and all events at once, each in a group of its own. */
static const struct switch_program_size sizes[] = {
    {.n_cpus = 1, .n_slots = 100, .n_lanes = 3},
    {.n_cpus = 2, .n_slots = 2002, .n_lanes = 12, .n_watched = 1000},
    {.n_cpus = 64, .n_slots = 100, .n_lanes = 3 * SWITCH_PROGRAM_EVENTS, .n_watched = 1000},
    {.n_cpus = 64,
     .n_slots = 100,
     .n_lanes = 3 * SWITCH_PROGRAM_EVENTS,
     .n_watched = 1000,
     .v1 = true},
    {.n_cpus = 2, .n_slots = 2002, .n_lanes = 12, .n_watched = 1000, .n_latency_slots = 2002},
};

static bool is_program(int directory, const char *descriptor)
{
    char what[64];
    ssize_t n = readlinkat(directory, descriptor, what, sizeof(what) - 1);

    what[n > 0 ? n : 0] = '\0';
    return strstr(what, "bpf-prog") != NULL;
}

/* Prints the line of a program; whether it is small enough. */
static bool show(int fd)
{
    struct bpf_prog_info info = {0};
    union bpf_attr attr = {
        .info = {.bpf_fd = (__u32)fd, .info_len = sizeof(info), .info = (uintptr_t)&info}};

    if (syscall(SYS_bpf, BPF_OBJ_GET_INFO_BY_FD, &attr, sizeof(attr)) < 0) {
        perror("verified: what the kernel knows of a program");
        return false;
    }
    printf("  %-15s %7u verified %6zu instructions %6u bytes\n", info.name, info.verified_insns,
           info.xlated_prog_len / sizeof(struct bpf_insn), info.jited_prog_len);
    return info.verified_insns <= MOST_VERIFIED;
}

/* Prints all programs that this process has open; whether each is small enough. */
static bool show_all(void)
{
    DIR *directory = opendir("/proc/self/fd");
    const struct dirent *entry;
    bool good = directory;
    size_t n = 0;

    while (directory && (entry = readdir(directory)))
        if (is_program(dirfd(directory), entry->d_name)) {
            good = show(atoi(entry->d_name)) && good;
            n++;
        }
    (void)closedir(directory);
    return good && n > 0;
}

/* Whether a program is loaded, or refused for what this machine lacks. */
static bool is_loaded(const char *name, int r, enum bpf_refusal refusal)
{
    if (r < 0)
        printf("%s: %s\n", name, bpf_refusal_text(refusal));
    return r >= 0 || refusal == BPF_REFUSAL_NO_KVM || refusal == BPF_REFUSAL_NO_TRACEFS;
}

/* Loads a span of tracepoints by a field, and one of probes. */
static int load_spans(const struct switch_program *of, size_t entries,
                      struct keyed_program **ret_spans, enum bpf_refusal *ret_refusal)
{
    static const struct span_event events[][SPAN_SIDES] = {{{true, 8, 4}, {true, 16, 8}}, {{0}}};
    int r = spans_program_load(of, entries, ret_spans, ret_refusal);

    for (size_t i = 0; i < 2 && r >= 0; i++)
        r = spans_program_add(*ret_spans, i, events[i], ret_refusal);
    return r;
}

/* Loads what counts system calls, and attaches what times them, which is refused for itself. */
static int load_syscalls(const struct switch_program *of, size_t entries,
                         struct keyed_program **ret_program, enum bpf_refusal *ret_refusal)
{
    static const struct syscalls_timing timing = {.calls[0] = 1, .one_in = 17};
    int r = syscalls_program_load(of, entries, ret_program, ret_refusal);

    return r < 0 ? r : syscalls_program_time(*ret_program, &timing, ret_refusal);
}

static const struct {
    const char *name;
    keyed_program_load *load;
} keyed[] = {
    {"block", block_program_load}, {"interrupts", interrupts_program_load},
    {"kvm", kvm_program_load},     {"tcp", tcp_program_load},
    {"spans", load_spans},         {"syscalls", load_syscalls},
};

#define N_KEYED (sizeof(keyed) / sizeof(*keyed))

/* The same with those that count by key, beside the one at each switch. */
static bool show_with_keyed(const struct switch_program *of)
{
    struct keyed_program *loaded[N_KEYED] = {NULL};
    bool good = true;

    for (size_t i = 0; i < N_KEYED; i++) {
        enum bpf_refusal refusal = BPF_REFUSAL_NONE;
        int r = keyed[i].load(of, 1000, &loaded[i], &refusal);

        good = is_loaded(keyed[i].name, r, refusal) && good;
    }
    good = show_all() && good;
    for (size_t i = 0; i < N_KEYED; i++)
        (void)keyed_program_free(loaded[i]);
    return good;
}

/* Whether the part is loaded too: it would be left out without a word. */
static bool has_part(const struct schedule_program *program, enum schedule_part part,
                     const char *name)
{
    const enum bpf_refusal refusal = schedule_program_refusal(program, part);

    return is_loaded(name, refusal == BPF_REFUSAL_NONE ? 0 : -1, refusal);
}

/* What records the scheduler: of the machine, a cgroup of v2 and of v1, processes. */
static bool show_schedules(void)
{
    static const pid_t init = 1;
    static const struct schedule_wish wishes[] = {
        {.n_cpus = 2},
        {.n_cpus = 2, .cgroup = 1},
        {.n_cpus = 2, .cgroup = 1, .is_v1 = true},
        {.n_cpus = 2, .processes = &init, .n_processes = 1},
    };

    for (size_t i = 0; i < sizeof(wishes) / sizeof(*wishes); i++) {
        AUTO(schedule_program) struct schedule_program *program = NULL;
        enum bpf_refusal refusal;

        if (schedule_program_load(&wishes[i], &program, &refusal) < 0) {
            printf("schedule: %s\n", bpf_refusal_text(refusal));
            return false;
        }
        printf("schedule, %s%s\n",
               wishes[i].cgroup      ? "a cgroup"
               : wishes[i].processes ? "processes"
                                     : "the machine",
               wishes[i].is_v1 ? ", v1" : "");
        if (!show_all() || !has_part(program, SCHEDULE_PART_REQUESTS, "requests") ||
            !has_part(program, SCHEDULE_PART_EXITS, "exits"))
            return false;
    }
    return true;
}

int main(void)
{
    struct utsname kernel;
    bool good = true;

    (void)uname(&kernel);
    printf("kernel %s\n", kernel.release);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        AUTO(switch_program) struct switch_program *program = NULL;
        const bool with_keyed =
            i == 0 || sizes[i].v1; /* how many CPUs makes no difference to them */
        enum bpf_refusal refusal;
        int r = switch_program_load(&sizes[i], &program, &refusal);

        if (r < 0) {
            printf("%s\n", bpf_refusal_text(refusal));
            return i == 0 && refusal != BPF_REFUSAL_OTHER ? 77 : 1;
        }
        printf("%zu CPUs, %zu slots, %zu lanes%s%s\n", sizes[i].n_cpus, sizes[i].n_slots,
               sizes[i].n_lanes, sizes[i].v1 ? ", v1" : "",
               sizes[i].n_latency_slots > 0 ? ", latencies" : "");
        good = (with_keyed ? show_with_keyed(program) : show_all()) && good;
    }
    return good && show_schedules() ? 0 : 1;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/stat/wait.h"

#include <errno.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "sys/process.h"
#include "tool/signals.h"

/* How often we look whether a target without a command is still there. */
#define LOOK_NS (NS_PER_SECOND / 4)

int wait_init(struct wait *wait, int procfs_fd, sigset_t *ret_before)
{
    struct signals signals;
    int r;

    *wait = (struct wait){.procfs_fd = procfs_fd, .signal_fd = -1};
    r = signals_take(&signals);
    if (r < 0)
        return r;
    *ret_before = signals.before;
    wait->signal_fd = signalfd(-1, &signals.mask, SFD_NONBLOCK | SFD_CLOEXEC);
    return wait->signal_fd < 0 ? -errno : 0;
}

void wait_done(struct wait *wait)
{
    if (wait->signal_fd >= 0)
        (void)close(TAKE_FD(wait->signal_fd));
}

void wait_begin(struct wait *wait, const struct stat_options *options, uint64_t now_ns)
{
    wait->next_ns = options->interval_ns ? now_ns + options->interval_ns : 0;
    wait->end_ns = options->duration_ns ? now_ns + options->duration_ns : 0;
    wait->is_timed_out = false;
}

static bool all_tasks_ended(const struct wait *wait, const struct stat_options *options)
{
    for (size_t i = 0; i < options->n_tasks; i++) {
        AUTO(process) struct process *process = NULL;
        const int r = process_open(wait->procfs_fd, options->tasks[i], &process);

        if (r != -ESRCH && (r < 0 || !process_stat_is_ended(process_stat(process))))
            return false;
    }
    return true;
}

static bool has_target_ended(const struct wait *wait, const struct stat_options *options,
                             const struct run_target *target)
{
    switch (options->target) {
    case TARGET_PROCESSES:
    case TARGET_THREADS:
        return all_tasks_ended(wait, options);
    case TARGET_CGROUP:
        return cgroup_is_removed(target->cgroup_fd);
    default:
        return false;
    }
}

static void take_signals(struct wait *wait, struct workload *workload)
{
    struct signalfd_siginfo info;

    while (read(wait->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
        const int number = (int)info.ssi_signo;

        if (number == SIGCHLD)
            continue;
        /* Who asks a second time wants an end now. */
        workload_signal(workload, wait->end_signal                                 ? SIGKILL
                                  : number == SIGINT && info.ssi_code == SI_KERNEL ? 0
                                                                                   : number);
        wait->end_signal = number;
    }
}

/* The nearest of the times for which we wait, at the latest that of the next look. */
static uint64_t wake_up_at(const struct wait *wait, uint64_t now_ns)
{
    uint64_t at_ns = now_ns + LOOK_NS;

    if (wait->next_ns && wait->next_ns < at_ns)
        at_ns = wait->next_ns;
    if (wait->end_ns && !wait->is_timed_out && wait->end_ns < at_ns)
        at_ns = wait->end_ns;
    return at_ns;
}

static void sleep_until(const struct wait *wait, uint64_t at_ns, bool for_ever)
{
    struct pollfd poll = {.fd = wait->signal_fd, .events = POLLIN};
    const uint64_t now_ns = clock_monotonic_ns();
    const uint64_t ns = at_ns > now_ns ? at_ns - now_ns : 0;
    const struct timespec time = {.tv_sec = (time_t)(ns / NS_PER_SECOND),
                                  .tv_nsec = (long)(ns % NS_PER_SECOND)};

    (void)ppoll(&poll, 1, for_ever ? NULL : &time, NULL);
}

/* Nothing but a signal is waited for: the end of a command is one. */
static bool waits_for_signals_only(const struct wait *wait, const struct stat_options *options,
                                   const struct workload *workload)
{
    return !wait->next_ns && (!wait->end_ns || wait->is_timed_out) &&
           (workload->pid > 0 || options->target == TARGET_MACHINE);
}

static bool is_over(struct wait *wait, const struct stat_options *options,
                    const struct run_target *target, struct workload *workload)
{
    if (workload->pid > 0) {
        workload_look(workload);
        return workload->has_ended;
    }
    return wait->end_signal || wait->is_timed_out || has_target_ended(wait, options, target);
}

enum wait_outcome wait_for(struct wait *wait, const struct stat_options *options,
                           const struct run_target *target, struct workload *workload)
{
    for (;;) {
        uint64_t now_ns;

        take_signals(wait, workload);
        if (is_over(wait, options, target, workload))
            return WAIT_ENDED;
        now_ns = clock_monotonic_ns();
        if (wait->end_ns && now_ns >= wait->end_ns && !wait->is_timed_out) {
            wait->is_timed_out = true;
            workload_signal(workload, SIGTERM);
            continue;
        }
        if (wait->next_ns && now_ns >= wait->next_ns) {
            wait->next_ns +=
                ((now_ns - wait->next_ns) / options->interval_ns + 1) * options->interval_ns;
            return WAIT_INTERVAL;
        }
        sleep_until(wait, wake_up_at(wait, now_ns),
                    waits_for_signals_only(wait, options, workload));
    }
}

/* SPDX-License-Identifier: Apache-2.0 */

/* `pmutool stat`: counts as the exporter does, and shows it as `perf stat` does. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "config/config_error.h"
#include "run/request.h"
#include "sys/perf_event.h"
#include "tool/command.h"
#include "tool/stat/run.h"
#include "tool/terminal.h"

static int complain(const struct text *message)
{
    (void)fprintf(stderr, PROGRAM ": %.*s\n", (int)message->length, message->data);
    return EXIT_FAILURE;
}

static int complain_of(const char *what, int error)
{
    (void)fprintf(stderr, PROGRAM ": %s: %s\n", what, strerror(-error));
    return EXIT_FAILURE;
}

static int open_output(const struct stat_options *options, struct stat_run *run)
{
    run->output = stderr;
    if (options->output)
        run->output = fopen(options->output, options->appends ? "ae" : "we");
    if (!run->output)
        return complain_of(SHOWN(options->output), -errno);
    run->has_colour = terminal_of(fileno(run->output)).has_colour;
    return 0;
}

/* Finds the events; a message says what is wrong. Returns the exit status, 0 to go on. */
static int find_events(struct stat_run *run)
{
    AUTO_TEXT struct text message = {0};
    int r = event_resolver_new(run->machine.sysfs_fd, &run->resolver);

    if (r == 0)
        r = stat_wanted_find(run->resolver, run->options, &run->wanted, &message);
    if (r == -EINVAL) {
        (void)complain(&message);
        return EXIT_USAGE;
    }
    if (r == 0 && run->options->run_title && run->wanted.events.n > RUN_EVENTS_MAX) {
        text_append_format(&message, "--run keeps %d events at most, and these are %zu",
                           RUN_EVENTS_MAX, run->wanted.events.n);
        (void)complain(&message);
        return EXIT_USAGE;
    }
    if (run->wanted.events.n_left_out > 0)
        (void)fprintf(stderr, PROGRAM ": %zu more events match, and are left out\n",
                      run->wanted.events.n_left_out);
    return r < 0 ? complain_of("events", r) : 0;
}

/* Runs as often as was asked for, and shows what was counted. Returns the exit status. */
static int run_all(struct stat_run *run)
{
    AUTO_TEXT struct text head = {0};
    int status = EXIT_SUCCESS, r = 0;

    report_append_head(run->options, &head);
    for (uint64_t i = 0; i < run->options->runs && !run->wait.end_signal; i++) {
        AUTO_TEXT struct text message = {0};

        if (run->options->interval_ns)
            stat_run_write(run, &head);
        r = stat_run_once(run, &status, &message);
        if (r == -ENOMEM)
            return complain_of("stat", r);
        if (r < 0) {
            (void)complain(&message);
            return status != EXIT_SUCCESS ? status : EXIT_FAILURE;
        }
    }
    if (!run->options->interval_ns) {
        stat_run_write(run, &head);
        r = stat_run_show(run);
    }
    if (r == 0 && run->keep)
        stat_keep_send(run->keep, &run->origin.mask);
    return r < 0 ? complain_of("stat", r) : status;
}

/* Opens what all runs share. Returns the exit status, 0 to go on. */
static int prepare(struct stat_run *run)
{
    int r;

    run->machine.sysfs_fd = open("/sys", O_PATH | O_DIRECTORY | O_CLOEXEC);
    run->machine.procfs_fd = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (run->machine.sysfs_fd < 0 || run->machine.procfs_fd < 0)
        return complain_of("/sys and /proc", -errno);
    if (pmu_list_read(run->machine.sysfs_fd, &run->machine.pmus) == -ENOMEM)
        return complain_of("stat", -ENOMEM);
    r = find_events(run);
    if (r != 0)
        return r;
    run->mechanism = mechanism_direct_new(&perf_ops_kernel);
    if (!run->mechanism || (run->options->run_title && stat_keep_new(run->options, &run->keep) < 0))
        return complain_of("stat", -ENOMEM);
    if (getrlimit(RLIMIT_NOFILE, &run->origin.files) < 0)
        return complain_of("limit of open files", -errno);
    /* To open a FIFO may take until somebody reads it: signals still end us meanwhile. */
    r = open_output(run->options, run);
    if (r != 0)
        return r;
    r = wait_init(&run->wait, run->machine.procfs_fd, &run->origin.mask);
    return r < 0 ? complain_of("signals", r) : 0;
}

static void finish(struct stat_run *run)
{
    wait_done(&run->wait);
    run->keep = stat_keep_free(run->keep);
    run->mechanism = mechanism_free(run->mechanism);
    free(run->figures);
    free(run->cpus);
    run_uncores_done(&run->uncores);
    stat_wanted_done(&run->wanted);
    run->resolver = event_resolver_free(run->resolver);
    run->machine.pmus = pmu_list_free(run->machine.pmus);
    if (run->output && run->output != stderr && fclose(run->output) && !run->output_error)
        run->output_error = -errno;
    if (run->machine.sysfs_fd >= 0)
        (void)close(run->machine.sysfs_fd);
    if (run->machine.procfs_fd >= 0)
        (void)close(run->machine.procfs_fd);
}

/* Ends by the signal that ended the counting, so that a shell's loop ends with it. */
static void end_by(int number, const sigset_t *mask)
{
    (void)signal(number, SIG_DFL);
    (void)sigprocmask(SIG_SETMASK, mask, NULL);
    (void)raise(number);
}

int run_stat(int argc, char **argv)
{
    struct stat_options options;
    struct stat_run run = {.options = &options,
                           .machine = {.sysfs_fd = -1, .procfs_fd = -1},
                           .wait = {.signal_fd = -1},
                           .workload = WORKLOAD_NONE,
                           .target = {.cgroup_fd = -1}};
    int status;

    stat_options_parse(argc, argv, &options);
    status = prepare(&run);
    if (status == 0)
        status = run_all(&run);
    finish(&run);
    if (run.output_error && status == EXIT_SUCCESS)
        status = complain_of("the figures cannot be written", run.output_error);
    if (run.wait.end_signal)
        end_by(run.wait.end_signal, &run.origin.mask);
    stat_options_done(&options);
    return status;
}

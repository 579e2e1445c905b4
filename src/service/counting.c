/* SPDX-License-Identifier: Apache-2.0 */
#include "service/counting.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "log/log.h"
#include "resolve/mechanism_size.h"
#include "service/fail.h"
#include "sys/cpu_list.h"
#include "sys/thread.h"

/* Of a connection: that of the client, and a pair between TLS and HTTP. */
#define DESCRIPTORS_WITH_TLS 3

/* Of the limit of memory, a bpf program may take so much. */
#define BPF_SHARE 4

void counting_init(struct counting *counting, struct config *config)
{
    *counting = (struct counting){.config = config,
                                  .hierarchy = {.root = {.fd = -1}},
                                  .sysfs_fd = -1,
                                  .procfs_fd = -1,
                                  .rootfs_fd = -1};
    memory_watch_init(&counting->memory);
}

static int open_root(const char *path, int *ret_fd)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0)
        return fail(-errno, "cannot open directory", "path", path);
    *ret_fd = fd;
    return 0;
}

static struct target_names_settings names_settings(const struct config *config)
{
    return (struct target_names_settings){
        .kubernetes = config->names.kubernetes,
        .containers = config->names.containers,
        .machines = config->names.machines,
        .batch = config->names.batch,
        .file = config->names.file.text,
    };
}

/* Without the root of the host, cgroups have the names that their paths and the user tell. */
static int make_names(struct counting *counting, const struct options *options)
{
    const struct target_names_settings settings = names_settings(counting->config);
    int r;

    counting->rootfs_fd = open(options->rootfs, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (counting->rootfs_fd < 0)
        log_warning("cannot look for names of containers, machines and jobs", "path",
                    options->rootfs, "error", strerror(errno));
    if (!counting->state_reader)
        log_warning("no process reads what containers and machines are called");
    r = target_names_new(counting->rootfs_fd, counting->procfs_fd, counting->state_reader,
                         &counting->names);
    return r < 0 ? r : target_names_configure(counting->names, &settings);
}

static struct file_wishes file_wishes(const struct counting *counting, const struct config *config)
{
    AUTO(cpu_list) struct cpu_list *online = NULL;
    const unsigned latencies = latency_wanted(config);

    return (struct file_wishes){
        .history = counting->keeps_history && config->history.enabled,
        .bpf = config->counting != CONFIG_COUNTING_DIRECT || latencies,
        .observers = (unsigned)__builtin_popcount(latencies & ~(unsigned)LATENCY_SCHEDULER),
        .profiles = config->profiles.enabled,
        .cpus = cpu_list_read_online(counting->sysfs_fd, &online) < 0 ? 1 : online->n,
    };
}

/* Chooses within the room that there is. What a bpf that is not chosen would take is for others. */
static struct mechanisms_choice choose(struct counting *counting, const struct config *config)
{
    struct file_wishes wishes = file_wishes(counting, config);
    struct mechanisms_choice choice;

    file_limit_share(&counting->files, &wishes);
    counting->mechanisms.lacks_descriptors = wishes.bpf && !counting->files.has_bpf;
    counting->mechanisms.most_bytes = counting->memory.room.limit / BPF_SHARE;
    choice = mechanisms_choose(&counting->mechanisms, config, counting->sysfs_fd,
                               counting->procfs_fd, &counting->hierarchy.root);
    wishes.bpf = choice.events.bpf || choice.latency.mechanism;
    file_limit_share(&counting->files, &wishes);
    return choice;
}

/*
 * Makes a collector for the configuration; the one that runs, if any, is its predecessor and is
 * ended. On failure that one goes on. cgroups_afresh: the counters of cgroups are not taken over.
 */
static int make_collector(struct counting *counting, const struct config *config,
                          bool cgroups_afresh)
{
    const struct mechanisms_choice choice = choose(counting, config);
    const size_t most = counting->files.descriptors;
    const uint64_t wanted = config->limits.descriptors;
    const struct collector_setup setup = {
        .config = config,
        .resolver = counting->resolver,
        .perf = &perf_ops_kernel,
        .direct = counting->mechanisms.direct,
        .bpf = choice.events.bpf,
        .mechanism_reason = choice.events.reason,
        .latency = choice.latency.mechanism,
        .latency_reason = choice.latency.reason,
        .sysfs_fd = counting->sysfs_fd,
        .procfs_fd = counting->procfs_fd,
        .cgroup_root_fd = counting->hierarchy.root.fd,
        .cgroups_afresh = cgroups_afresh,
        .memory = counting->memory.room,
        .targets_before = counting->collector ? collector_n_cgroups(counting->collector) : 0,
        .descriptors = wanted && wanted < most ? (size_t)wanted : most,
        .slot = counting->slot,
        .profiles = counting->profile_targets,
        .profile_status = counting->profile_status,
        .names = counting->names,
    };
    struct collector *collector;
    int r = collector_new(&setup, counting->collector, &collector);

    if (r < 0) {
        mechanisms_reject(&counting->mechanisms, &choice);
        return r;
    }
    births_forget(&counting->births);
    (void)collector_free(counting->collector);
    counting->collector = collector;
    mechanisms_take(&counting->mechanisms, &choice);
    return 0;
}

int counting_start(struct counting *counting, const struct options *options, bool keeps_history,
                   sd_event *event)
{
    int r = open_root(options->sysfs, &counting->sysfs_fd);

    if (r >= 0)
        r = open_root(options->procfs, &counting->procfs_fd);
    if (r >= 0)
        r = file_limit_init(&counting->files, options->web_config_file ? DESCRIPTORS_WITH_TLS : 1);
    if (r < 0)
        return r;
    (void)memory_watch_look(&counting->memory, counting->procfs_fd);
    thread_walls_set_procfs(options->procfs);
    counting->keeps_history = keeps_history;
    counting->schedule.interval_ns = counting->config->interval_ns;
    counting_hurry(counting);
    births_init(&counting->births, event, &counting->schedule);
    hierarchy_init(&counting->hierarchy, options->cgroupfs, counting->procfs_fd);
    hierarchy_log(&counting->hierarchy, counting->config);
    counting->slot = snapshot_slot_new();
    counting->profile_targets = profile_targets_new();
    counting->profile_status = profile_status_slot_new();
    r = counting->slot && counting->profile_targets && counting->profile_status
            ? event_resolver_new(counting->sysfs_fd, &counting->resolver)
            : -ENOMEM;
    if (r >= 0) {
        event_resolver_set_reader(counting->resolver, counting->probe_reader);
        r = make_names(counting, options);
    }
    if (r >= 0)
        r = mechanisms_init(&counting->mechanisms);
    if (r < 0)
        return fail(r, "cannot start", "part", "events");
    r = make_collector(counting, counting->config, false);
    return r < 0 ? fail(r, "cannot start", "part", "collector") : 0;
}

void counting_hurry(struct counting *counting)
{
    counting->schedule.due_ns = clock_monotonic_ns();
}

void counting_done(struct counting *counting)
{
    births_done(&counting->births);
    counting->collector = collector_free(counting->collector);
    counting->names = target_names_free(counting->names);
    counting->profile_targets = profile_targets_free(counting->profile_targets);
    counting->profile_status = profile_status_slot_free(counting->profile_status);
    mechanisms_done(&counting->mechanisms);
    counting->slot = snapshot_slot_free(counting->slot);
    counting->config = config_free(counting->config);
    counting->resolver = event_resolver_free(counting->resolver);
    hierarchy_done(&counting->hierarchy);
    memory_watch_done(&counting->memory);
    cleanup_close(&counting->sysfs_fd);
    cleanup_close(&counting->procfs_fd);
    cleanup_close(&counting->rootfs_fd);
}

/* Has a successor count by the same configuration. False where there is none; that is logged. */
static bool renew(struct counting *counting, bool cgroups_afresh, const char *why)
{
    int r = make_collector(counting, counting->config, cgroups_afresh);

    if (r < 0) {
        (void)fail(r, "cannot begin to count afresh", "why", why);
        return false;
    }
    log_info("counting was set up again, totals go on", "why", why);
    counting_hurry(counting);
    return true;
}

void counting_follow_hierarchy(struct counting *counting)
{
    struct hierarchy before;

    if (hierarchy_has_moved(&counting->hierarchy, &before)) {
        if (renew(counting, false, "perf_event belongs to another cgroup hierarchy")) {
            cgroup_root_done(&before.root);
            hierarchy_log(&counting->hierarchy, counting->config);
        } else {
            hierarchy_go_back(&counting->hierarchy, &before);
        }
    }
    if (hierarchy_wants_doubt(&counting->hierarchy))
        collector_doubt_counters(counting->collector);
}

/*
 * Under a lower limit all numbers may be taken. If profiles have no room any more, they end first,
 * after this cycle, and the successor of the collector, which needs some numbers, comes with the
 * next one.
 */
static void follow_file_limit(struct counting *counting)
{
    const struct file_wishes wishes = file_wishes(counting, counting->config);
    const bool had_profiles = counting->files.has_profiles;

    if (file_limit_has_changed(&counting->files)) {
        counting->has_new_limit = true;
        file_limit_share(&counting->files, &wishes);
        if (had_profiles && !counting->files.has_profiles)
            return;
    }
    if (!counting->has_new_limit)
        return;
    counting->has_new_limit = false;
    if (!renew(counting, false, "the limit of open files has changed"))
        file_limit_retry(&counting->files);
}

/*
 * A program for which there was no room is tried again under a higher limit. One that runs stays:
 * what replaces it would need memory beside it.
 */
static void follow_memory_limit(struct counting *counting)
{
    if (memory_watch_look(&counting->memory, counting->procfs_fd) &&
        counting->mechanisms.lacks_memory)
        (void)renew(counting, false, "the limit of memory was raised");
    collector_follow_memory(counting->collector, &counting->memory.room);
}

/* What a cycle has to know before: on which CPUs it counts, with how many descriptors, and in how
 * much memory. */
static void prepare_cycle(struct counting *counting)
{
    if (collector_cpus_changed(counting->collector))
        (void)renew(counting, false, "CPUs have come or gone");
    follow_file_limit(counting);
    follow_memory_limit(counting);
}

static void run_cycle(struct counting *counting)
{
    int r = collector_cycle(counting->collector, counting->missed);

    if (r < 0 && r != counting->failure)
        log_warning("cycle is not complete", "error", strerror(-r));
    counting->failure = r;
}

/* Makes a successor where the cycle has shown that there is a better way to count. */
static void follow_cycle(struct counting *counting)
{
    struct mechanisms *mechanisms = &counting->mechanisms;
    const char *why = mechanisms_want_successor(mechanisms, counting->config,
                                                collector_n_cpus(counting->collector));

    if (why)
        (void)renew(counting, false, why);
    collector_note_doubt(counting->collector, mechanisms_doubt_share(mechanisms));
    if (collector_processes_are_renamed(counting->collector))
        (void)renew(counting, false, "the file of names has changed");
    if (collector_is_out_of_date(counting->collector))
        (void)renew(counting, false, "more can be counted than before");
    counting_follow_hierarchy(counting);
    hierarchy_await_mounts(&counting->hierarchy);
    if (collector_stands_still(counting->collector) &&
        hierarchy_may_open_afresh(&counting->hierarchy))
        (void)renew(counting, true, "counters of cgroups stood still");
}

void counting_cycle(struct counting *counting)
{
    births_forget(&counting->births);
    prepare_cycle(counting);
    run_cycle(counting);
    follow_cycle(counting);
}

void counting_first_cycle(struct counting *counting)
{
    counting_hurry(counting);
    run_cycle(counting);
    counting->schedule.due_ns += counting->schedule.interval_ns;
}

void counting_rest(struct counting *counting)
{
    counting->missed = schedule_advance(&counting->schedule, clock_monotonic_ns());
    births_await(&counting->births, counting->collector);
}

int counting_reconfigure(struct counting *counting, struct config *config)
{
    const struct target_names_settings before = names_settings(counting->config);
    const struct target_names_settings settings = names_settings(config);
    int r = target_names_configure(counting->names, &settings);

    if (r >= 0)
        r = make_collector(counting, config, false);
    if (r < 0) {
        (void)target_names_configure(counting->names, &before);
        return r;
    }
    (void)config_free(counting->config);
    counting->config = config;
    counting->schedule.interval_ns = config->interval_ns;
    return 0;
}

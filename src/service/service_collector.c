/* SPDX-License-Identifier: Apache-2.0 */

/* Which collector the service runs: the first, and its successors. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "check/report.h"
#include "log/log.h"
#include "service/config_log.h"
#include "service/service_mechanism.h"
#include "service/service_state.h"
#include "sys/descriptors.h"

/* libmicrohttpd's connections, and what the process itself holds open. */
#define MOST_CONNECTIONS 512
#define OWN_DESCRIPTORS  36

/* Our own, eight connections, and twenty counters: with fewer it would run and show nothing. */
#define FEWEST_DESCRIPTORS 64

int service_fail(int error, const char *message, const char *key, const char *value)
{
    log_error(message, key, value, "error", strerror(-error));
    return error;
}

/* Shares the limit of open files: connections, our own, and the rest for counters. */
static void divide_descriptors(struct service *service, uint64_t limit)
{
    const uint64_t connections = limit / 8 < MOST_CONNECTIONS ? limit / 8 : MOST_CONNECTIONS;
    const uint64_t reserve = connections + OWN_DESCRIPTORS;

    service->limit = limit;
    service->descriptors = limit > reserve ? limit - reserve : 0;
    descriptors_reserve(reserve);
    if (!service->serving.server) /* its table has its size from the begin on */
        service->connections = (unsigned)connections;
}

static int take_limit(struct service *service)
{
    char has[24], needs[24];
    uint64_t limit;
    int r = descriptors_raise_limit(&limit);

    if (r < 0)
        return service_fail(r, "cannot read the limit of open files", "limit", "RLIMIT_NOFILE");
    if (limit < FEWEST_DESCRIPTORS) {
        (void)snprintf(has, sizeof(has), "%" PRIu64, limit);
        (void)snprintf(needs, sizeof(needs), "%d", FEWEST_DESCRIPTORS);
        log_error("the limit of open files is too low", "limit", has, "needed", needs, "hint",
                  "raise LimitNOFILE= of the unit, or ulimit -n");
        return -EMFILE;
    }
    divide_descriptors(service, limit);
    return 0;
}

void service_follow_limit(struct service *service)
{
    const uint64_t now_ns = clock_monotonic_ns(), before = service->limit;
    char is[24], was[24];
    uint64_t limit;

    if (descriptors_read_limit(&limit) < 0 || limit == before ||
        !growing_wait_is_over(&service->limit_wait, now_ns))
        return;
    (void)snprintf(is, sizeof(is), "%" PRIu64, limit);
    (void)snprintf(was, sizeof(was), "%" PRIu64, before);
    log_warning("the limit of open files has changed: what is counted is fitted to it", "limit", is,
                "before", was);
    divide_descriptors(service, limit);
    if (service_renew_collector(service, "the limit of open files has changed") < 0) {
        service->limit = before; /* tried again */
        growing_wait_begin(&service->limit_wait, now_ns);
    }
}

/*
 * Makes a collector for the configuration; the one that runs, if any, is its
 * predecessor and is ended. On failure that one goes on.
 */
static int make_collector(struct service *service, const struct config *config)
{
    struct mechanism_choice choice = service_choose_mechanism(service, config);
    const uint64_t wanted = config->limits.descriptors;
    const struct collector_setup setup = {
        .config = config,
        .resolver = service->resolver,
        .perf = &perf_ops_kernel,
        .direct = service->mechanism,
        .bpf = choice.bpf,
        .mechanism_reason = choice.reason,
        .sysfs_fd = service->sysfs_fd,
        .procfs_fd = service->procfs_fd,
        .cgroup_root_fd = service->root.fd,
        .cgroups_afresh = service->cgroups_afresh,
        .descriptors =
            wanted && wanted < service->descriptors ? (size_t)wanted : service->descriptors,
        .slot = service->slot,
    };
    struct collector *collector;
    int r = collector_new(&setup, service->collector, &collector);

    if (r < 0) {
        service_reject_mechanism(service, &choice);
        return r;
    }
    service_forget_births(service);
    (void)collector_free(service->collector);
    service->collector = collector;
    service_take_mechanism(service, &choice);
    return 0;
}

/* The successor of a collector shows what it counts at once. */
void service_cycle_now(struct service *service)
{
    service->schedule.due_ns = clock_monotonic_ns();
    (void)sd_event_source_set_time(service->timer, service->schedule.due_ns / 1000);
}

int service_start_collector(struct service *service)
{
    int r = take_limit(service);

    if (r < 0)
        return r;
    service_find_cgroups(service);
    r = event_resolver_new(service->sysfs_fd, &service->resolver);

    service->slot = snapshot_slot_new();
    service->mechanism = mechanism_direct_new(&perf_ops_kernel);
    if (r >= 0 && (!service->slot || !service->mechanism))
        r = -ENOMEM;
    if (r < 0)
        return service_fail(r, "cannot start", "part", "events");
    r = make_collector(service, service->config);
    return r < 0 ? service_fail(r, "cannot start", "part", "collector") : 0;
}

int service_renew_collector(struct service *service, const char *why)
{
    int r = make_collector(service, service->config);

    if (r < 0)
        return service_fail(r, "cannot begin to count afresh", "why", why);
    log_info("what is counted was made anew, totals go on", "why", why);
    service_cycle_now(service);
    return 0;
}

/* A configuration that is not valid is told, and the one that runs goes on. */
static int read_again(const struct service *service, struct text *outcome,
                      struct config **ret_config)
{
    const struct options *options = service->options;
    struct config_error error;
    AUTO(config) struct config *config = NULL;
    int r = config_log_load(options->config_file, !options->config_file_given, &config, &error);

    if (r >= 0)
        r = config_may_follow(service->config, config, &error);
    if (r == -EINVAL) {
        char place[32] = "";

        if (error.place.line)
            (void)snprintf(place, sizeof(place), "%u:%u", error.place.line, error.place.column);
        log_error("configuration is not valid, the one that runs goes on", "file",
                  options->config_file, "place", *place ? place : NULL, "error", error.message);
    } else if (r < 0) {
        (void)service_fail(r, "cannot read the configuration, the one that runs goes on", "file",
                           options->config_file);
    }
    if (r < 0)
        config_describe_failure(options->config_file, r, &error, outcome);
    else
        *ret_config = TAKE(config);
    return r;
}

/* Whole or not at all; what did not change keeps its counters and its totals. */
static int reload(struct service *service, struct text *outcome)
{
    AUTO(config) struct config *config = NULL;
    int r = read_again(service, outcome, &config);

    if (r < 0)
        return r;
    r = make_collector(service, config);
    if (r < 0) {
        text_append_format(outcome, "%s cannot be applied: %s\n", service->options->config_file,
                           strerror(-r));
        return service_fail(r, "cannot apply the configuration, the one that runs goes on", "file",
                            service->options->config_file);
    }
    (void)config_free(service->config);
    service->config = TAKE(config);
    service->schedule.interval_ns = service->config->interval_ns;
    service->notify.cycle_limit_ns = metrics_page_stale_ns(service->config->interval_ns);
    config_log_summary("configuration reloaded", service->options->config_file, service->config);
    text_append_string(outcome, "configuration reloaded\n");
    return 0;
}

int service_reload(struct service *service, struct text *outcome)
{
    int r;

    notify_reloading(&service->notify);
    r = reload(service, outcome); /* replaces the collector */
    collector_note_reload(service->collector, r >= 0);
    service_cycle_now(service);
    notify_reloaded(&service->notify);
    return r;
}

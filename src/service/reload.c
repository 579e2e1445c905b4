/* SPDX-License-Identifier: Apache-2.0 */
#include "service/reload.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "check/report.h"
#include "service/config_log.h"
#include "service/fail.h"

/* Logs why a configuration cannot be read or is not valid: the one that runs goes on then. */
static int read_again(const struct service *service, struct text *outcome,
                      struct config **ret_config)
{
    const struct options *options = service->options;
    struct config_error error;
    AUTO(config) struct config *config = NULL;
    int r = config_log_load(options->config_file, !options->config_file_given, &config, &error);

    if (r >= 0)
        r = config_may_follow(service->counting.config, config, &error);
    if (r == -EINVAL) {
        char place[32] = "";

        if (error.place.line)
            (void)snprintf(place, sizeof(place), "%u:%u", error.place.line, error.place.column);
        log_error("configuration is not valid, the running one stays", "file", options->config_file,
                  "place", *place ? place : NULL, "error", error.message);
    } else if (r < 0) {
        (void)fail(r, "cannot read the configuration, the running one stays", "file",
                   options->config_file);
    }
    if (r < 0)
        config_describe_failure(options->config_file, r, &error, outcome);
    else
        *ret_config = TAKE(config);
    return r;
}

/* Applies the configuration as a whole, or logs why that one cannot be applied. */
static int apply(struct service *service, struct text *outcome)
{
    const char *file = service->options->config_file;
    AUTO(config) struct config *config = NULL;
    int r = read_again(service, outcome, &config);

    if (r < 0)
        return r;
    r = counting_reconfigure(&service->counting, config);
    if (r < 0) {
        text_append_format(outcome, "%s cannot be applied: %s\n", file, strerror(-r));
        return fail(r, "cannot apply the configuration, the running one stays", "file", file);
    }
    config_log_summary("configuration reloaded", file, config);
    config_shown_set(&service->config_shown, config->text);
    historian_reconfigure(&service->historian, config);
    (void)TAKE(config); /* It is that of service->counting now. */
    service_configure_profiler(service);
    service->notify.cycle_limit_ns =
        current_snapshot_stale_ns(service->counting.config->interval_ns);
    text_append_string(outcome, "configuration reloaded\n");
    return 0;
}

int reload(struct service *service, struct text *outcome)
{
    int r;

    notify_reloading(&service->notify);
    r = apply(service,
              outcome); /* It may replace the collector, whose successor shows the outcome. */
    collector_note_reload(service->counting.collector, r >= 0);
    service_cycle_now(service);
    notify_reloaded(&service->notify);
    return r;
}

/* SPDX-License-Identifier: Apache-2.0 */

/* How the exporter stands: /api/v1/status. */
#include <inttypes.h>

#include "base/clock.h"
#include "expose/json_text.h"
#include "service/config_shown.h"
#include "service/page_group.h"
#include "service/status_counted.h"
#include "service/version.h"
#include "sys/self.h"

static void append_seconds(struct text *text, const char *key, uint64_t ns)
{
    text_append_format(text, ",\"%s\":", key);
    json_append_seconds(text, ns);
}

static void append_bool(struct text *text, const char *key, bool value)
{
    text_append_format(text, ",\"%s\":%s", key, value ? "true" : "false");
}

static void append_string(struct text *text, const char *key, const char *value)
{
    text_append_format(text, ",\"%s\":", key);
    json_append_string(text, value);
}

static void append_general(struct text *text, const struct snapshot *snapshot,
                           const struct self_stats *self)
{
    text_append_string(text, "{\"version\":");
    json_append_string(text, version_string());
    append_string(text, "revision", version_revision());
    append_seconds(text, "start_time", self->start_time_realtime_ns);
    append_seconds(text, "interval_seconds", snapshot->status.interval_ns);
    append_bool(text, "paused", snapshot->status.paused == 1);
}

static void append_config(struct text *text, const struct pages *pages,
                          const struct exporter_status *status)
{
    struct config_shown *const shown = pages->sources.config;
    AUTO(shared_text) struct shared_text *config = shown ? config_shown_get(shown) : NULL;

    text_append_string(text, ",\n\"config\":{\"file\":");
    json_append_string(text, config && pages->sources.options ? pages->sources.options->config_file
                                                              : NULL);
    append_string(text, "text", config ? config->text : NULL);
    append_seconds(text, "loaded", status->config_reload_realtime_ns);
    append_bool(text, "last_reload_successful", status->config_reload_good == 1);
    text_append_char(text, '}');
}

static void append_control(struct text *text, const struct pages *pages, bool allowed)
{
    const struct options *const options = pages->sources.options;

    text_append_string(text, ",\n\"control\":{\"allowed\":");
    text_append_string(text, allowed ? "true" : "false");
    if (allowed)
        append_string(text, "how", "whoever reads this page may change something");
    else
        append_string(text, "how",
                      "start the exporter with --web.enable-lifecycle, or use pmutool on its "
                      "machine: it has a control socket");
    append_string(text, "socket", options ? options->control_socket : NULL);
    text_append_char(text, '}');
}

/* Without a PMU there is nothing to share, and the object is empty. */
static void append_pmu(struct text *text, const struct exporter_status *status)
{
    text_append_string(text, ",\n\"pmu\":{");
    if (status->pmu_free != NUMBER_ABSENT_COUNT)
        text_append_format(text,
                           "\"counters_free\":%" PRIu64 ",\"counters_budget\":%" PRIu64
                           ",\"counters_used\":%" PRIu64,
                           status->pmu_free, status->pmu_budget, status->pmu_used);
    text_append_char(text, '}');
}

static void append_cost(struct text *text, const struct exporter_status *status,
                        const struct self_stats *self)
{
    text_append_string(text, ",\n\"cost\":{\"cpu_seconds\":");
    json_append_seconds(text, self->cpu_ns);
    text_append_string(text, ",\"reader_cpu_seconds\":");
    json_append_seconds(text, status->profile.reader_cpu_ns);
    text_append_format(text, ",\"memory_bytes\":%" PRIu64 ",\"descriptors\":%" PRIu64,
                       self->resident_bytes, self->open_fds);
    append_seconds(text, "cycle_seconds", status->cycle_duration_ns);
    text_append_char(text, '}');
}

static void append_history(struct text *text, const struct pages *pages)
{
    struct history_status status = {.oldest_realtime_ns = NUMBER_ABSENT_COUNT};

    text_append_string(text, ",\n\"history\":");
    if (!pages->sources.history) {
        text_append_string(text, "null");
        return;
    }
    history_get_status(pages->sources.history, &status);
    text_append_string(text, "{\"file\":");
    json_append_string(text, *status.file ? status.file : NULL);
    text_append_format(text, ",\"bytes\":%" PRIu64 ",\"limit_bytes\":%" PRIu64, status.bytes,
                       status.limit_bytes);
    if (status.oldest_realtime_ns == NUMBER_ABSENT_COUNT)
        append_string(text, "oldest", NULL);
    else
        append_seconds(text, "oldest", status.oldest_realtime_ns);
    append_string(text, "reason", *status.reason ? status.reason : NULL);
    text_append_char(text, '}');
}

/* A stale snapshot tells nothing of what is counted: it is not, any more. */
static void append_counted(struct text *text, const struct snapshot *snapshot, bool stale)
{
    append_bool(text, "stale", stale);
    text_append_string(text, ",\n");
    status_append_mechanisms(text, snapshot);
    text_append_string(text, ",\n");
    status_append_latency(text, snapshot);
    text_append_string(text, ",\n");
    status_append_profiles(text, snapshot);
    text_append_string(text, ",\n");
    status_append_targets(text, snapshot);
    text_append_string(text, ",\n");
    if (stale) {
        text_append_string(text, "\"groups\":[],\"left_out\":[]");
        return;
    }
    status_append_groups(text, snapshot);
    text_append_string(text, ",\n");
    status_append_left_out(text, snapshot);
}

static int render_status(void *context, const struct route_request *request, size_t form,
                         struct text *text)
{
    const struct pages *pages = context;
    AUTO(snapshot) struct snapshot *snapshot = NULL;
    struct self_stats self = {0};
    int r = current_snapshot_take(&pages->metrics.current, text, &snapshot);

    (void)form;
    if (r < 0)
        return r;
    (void)self_stats_read(pages->sources.procfs_fd, &self);
    append_general(text, snapshot, &self);
    append_counted(text, snapshot, current_snapshot_is_stale(snapshot));
    append_config(text, pages, &snapshot->status);
    append_control(text, pages, request->may_control);
    append_pmu(text, &snapshot->status);
    append_cost(text, &snapshot->status, &self);
    append_history(text, pages);
    text_append_string(text, "}\n");
    return text_error(text);
}

static uint64_t never_shared(void *context)
{
    (void)context;
    return 0;
}

static const struct route routes[] = {
    {.path = "/api/v1/status",
     .content_type = CONTENT_JSON,
     .version = never_shared,
     .render = render_status},
};
const struct page_group status_pages = {routes, ARRAY_SIZE(routes)};

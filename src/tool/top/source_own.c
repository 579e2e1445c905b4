/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The service's own counting (service/counting.h), without a server: each question runs a cycle,
 * and the snapshot is written as the page that the service would serve.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "service/counting.h"
#include "service/current_snapshot.h"
#include "tool/top/source.h"

/*
 * Every cgroup and every process has a row. Errors of this text would be ours, so it has a test:
 * tests/live/test_top.py.
 */
static const char config_text[] = "interval: 1s\n"
                                  "linger: 0s\n"
                                  "groups:\n"
                                  "  - name: core\n"
                                  "    events: [cycles, instructions, branch-misses]\n"
                                  "  - name: cache\n"
                                  "    events: [cache-misses]\n"
                                  "  - name: software\n"
                                  "    events: [task-clock, context-switches, cpu-migrations, "
                                  "page-faults]\n"
                                  "targets:\n"
                                  "  system: {groups: [core, cache, software]}\n"
                                  "  cgroups:\n"
                                  "    - include: [\"/**\"]\n"
                                  "      groups: [core, cache, software]\n"
                                  "  processes:\n"
                                  "    - name: \"{{.Comm}} {{.PID}}\"\n"
                                  "      cmdline: [\"^\"]\n"
                                  "      groups: [core, cache, software]\n"
                                  "limits: {cgroups: 2000, processes: 2000, threads: 20000}\n";

struct own_source {
    struct top_source source; /* comes first: a pointer to it is one to this */
    struct top_listener listener;
    struct counting counting;
    struct current_snapshot current;
};

/* Writes all of the current snapshot. 0 or -errno. */
static int write_targets(const struct own_source *own, struct text *text)
{
    AUTO(snapshot) struct snapshot *snapshot = NULL;
    int r = current_snapshot_take(&own->current, text, &snapshot);

    return r < 0 ? r
                 : current_snapshot_write_targets(&own->current, snapshot,
                                                  &(struct targets_selection){0}, text);
}

static void ask(struct top_source *source)
{
    struct own_source *const own = (struct own_source *)source;
    AUTO_TEXT struct text text = {0};
    const char *trouble;
    json_t *page = NULL;

    counting_hurry(&own->counting);
    counting_cycle(&own->counting);
    counting_rest(&own->counting);
    trouble = current_snapshot_not_ready(&own->current);
    if (!trouble && write_targets(own, &text) >= 0)
        page = json_loadb(text.data, text.length, JSON_DECODE_INT_AS_REAL, NULL);
    if (!trouble && !page)
        trouble = strerror(ENOMEM);
    if (trouble)
        own->listener.heard(own->listener.context, NULL, trouble);
    else
        own->listener.heard(own->listener.context, page, NULL);
    json_decref(page);
}

static struct top_source *free_source(struct top_source *source)
{
    struct own_source *const own = (struct own_source *)source;

    counting_done(&own->counting);
    free(own);
    return NULL;
}

int top_source_own(uint64_t interval_ns, sd_event *event, const struct top_listener *listener,
                   struct top_source **ret_source)
{
    AUTO(top_source) struct top_source *source = NULL;
    struct own_source *own = calloc(1, sizeof(*own));
    struct config_error error;
    struct config *config;
    int r;

    if (!own)
        return -ENOMEM;
    r = config_parse(config_text, strlen(config_text), &config, &error);
    if (r < 0) {
        free(own);
        return r;
    }
    config->interval_ns = interval_ns;
    config->profiles.enabled = false; /* no profiler runs here, so nothing is kept for it */
    own->source = (struct top_source){"own counters", ask, free_source};
    own->listener = *listener;
    counting_init(&own->counting, config);
    source = &own->source;
    r = counting_start(&own->counting, &options_default, false, event);
    if (r < 0)
        return r;
    own->current = (struct current_snapshot){own->counting.slot, own->counting.procfs_fd};
    *ret_source = TAKE(source);
    return 0;
}

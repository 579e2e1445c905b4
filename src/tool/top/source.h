/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Where `pmutool top` has its numbers from: the running exporter, or counters of our own. Each
 * gives the page that expose/targets_json.h describes.
 */

#include <jansson.h>
#include <stdint.h>
#include <systemd/sd-event.h>

#include "base/cleanup.h"

/*
 * Who hears what comes of a question: a page, which is borrowed, or what is wrong, in words. The
 * other one is NULL.
 */
struct top_listener {
    void (*heard)(void *context, json_t *page, const char *trouble);
    void *context;
};

struct top_source {
    const char *name; /* static: for the user */

    /*
     * Asks for a page. The listener is told before or after this returns, once for each question;
     * but a question that comes while one before it is open is not asked.
     */
    void (*ask)(struct top_source *source);
    struct top_source *(*free)(struct top_source *source);
};

static inline struct top_source *top_source_free(struct top_source *source)
{
    return source ? source->free(source) : NULL;
}
DEFINE_AUTO(top_source, struct top_source *, top_source_free)

/* Makes a source that asks the exporter behind this socket. Returns 0 or -errno. */
int top_source_exporter(const char *socket, sd_event *event, const struct top_listener *listener,
                        struct top_source **ret_source);

/*
 * Makes a source that counts all cgroups and processes of this machine itself, without an exporter,
 * and begins to count. It runs a cycle for each question, so these should come every interval_ns.
 * Returns 0, or -errno; what went wrong was logged.
 */
int top_source_own(uint64_t interval_ns, sd_event *event, const struct top_listener *listener,
                   struct top_source **ret_source);

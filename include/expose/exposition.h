/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Writes a snapshot as text in the Prometheus exposition format 0.0.4. What depends only on the
 * roster, such as escaped labels, is kept from one text to the next; digits are written each time.
 * An object belongs to one thread, the server's.
 */

#include "base/text.h"
#include "metric/http_status.h"
#include "metric/snapshot.h"
#include "sys/self.h"

/* The Content-Type that goes with the text. */
#define EXPOSITION_CONTENT_TYPE "text/plain; version=0.0.4; charset=utf-8"

struct exposition;

struct exposition *exposition_new(void); /* NULL if there is no memory */
struct exposition *exposition_free(struct exposition *exposition);
DEFINE_AUTO(exposition, struct exposition *, exposition_free)

/* What is known only when the text is written. */
struct exposition_facts {
    const char *version;
    const char *revision;
    uint64_t age_ns;                /* how old the snapshot is */
    bool stale;                     /* too old: write only pmu_exporter_* and process_* */
    const struct self_stats *self;  /* NULL if they are not known: then process_* are absent */
    const struct http_status *http; /* NULL if there is no server */
};

/* Appends the whole page. 0 or -ENOMEM. */
int exposition_write(struct exposition *exposition, const struct snapshot *snapshot,
                     const struct exposition_facts *facts, struct text *text);

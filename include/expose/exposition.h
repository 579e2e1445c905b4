/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A snapshot as text: the Prometheus exposition format 0.0.4. What depends on the
 * roster only (labels, escaped) is kept from one text to the next; digits are
 * written each time. Belongs to one thread, the server's.
 */

#include "base/text.h"
#include "metric/http_status.h"
#include "metric/snapshot.h"
#include "sys/self.h"

struct exposition;

struct exposition *exposition_new(void); /* NULL if there is no memory */
struct exposition *exposition_free(struct exposition *exposition);
DEFINE_AUTO(exposition, struct exposition *, exposition_free)

/* What is known only when the text is written. */
struct exposition_facts {
    const char *version;
    const char *revision;
    uint64_t age_ns;                /* of the snapshot */
    bool stale;                     /* the snapshot is too old: only pmu_exporter_* and process_* */
    const struct self_stats *self;  /* NULL: not known, then no process_* */
    const struct http_status *http; /* NULL: there is no server */
};

/* Appends the text. 0 or -ENOMEM. */
int exposition_write(struct exposition *exposition, const struct snapshot *snapshot,
                     const struct exposition_facts *facts, struct text *text);

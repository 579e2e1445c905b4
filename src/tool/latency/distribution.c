/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/latency/distribution.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

const struct distribution_name distribution_names[DISTRIBUTION_COUNT_] = {
    [DISTRIBUTION_RUN_QUEUE] = {"run_queue", NULL, NULL, "run_queue_latency_seconds",
                                "waits for a CPU"},
    [DISTRIBUTION_ON_CPU] = {"on_cpu", NULL, NULL, "on_cpu_seconds", "times on a CPU"},
    [DISTRIBUTION_OFF_CPU_INTERRUPTIBLE] = {"off_cpu", "state", "interruptible", "off_cpu_seconds",
                                            "blocked (interruptible)"},
    [DISTRIBUTION_OFF_CPU_UNINTERRUPTIBLE] = {"off_cpu", "state", "uninterruptible",
                                              "off_cpu_seconds", "blocked (uninterruptible)"},
    [DISTRIBUTION_BLOCK_IO_READ] = {"block_io", "op", "read", "block_io_latency_seconds",
                                    "requests to block devices (reads)"},
    [DISTRIBUTION_BLOCK_IO_WRITE] = {"block_io", "op", "write", "block_io_latency_seconds",
                                     "requests to block devices (writes)"},
    [DISTRIBUTION_BLOCK_IO_OTHER] = {"block_io", "op", "other", "block_io_latency_seconds",
                                     "requests to block devices (others)"},
    [DISTRIBUTION_BLOCK_IO_QUEUE] = {"block_io", NULL, NULL, "block_io_queue_seconds",
                                     "requests in the queue of a block device"},
};

/* A name of a cgroup may have any bytes. */
static void append_encoded(struct text *path, const char *target)
{
    for (; *target; target++)
        if (isalnum((unsigned char)*target) || strchr("-._~/:", *target))
            text_append_char(path, *target);
        else
            text_append_format(path, "%%%02X", (unsigned char)*target);
}

/* The word before the colon of a target, which stands in the names of its columns. */
static void append_kind(struct text *path, const char *target)
{
    AUTO_FREE char *kind = strndup(target, strcspn(target, ":"));

    append_encoded(path, kind ? kind : "");
    path->failed |= !kind;
}

void distributions_append_path(struct text *path, const char *target)
{
    static const char *const endings[] = {"", "_sum"};

    text_append_string(path, "/api/v1/targets?target=");
    append_encoded(path, target);
    for (size_t i = 0; i < DISTRIBUTION_COUNT_; i++) {
        if (i > 0 && strcmp(distribution_names[i].family, distribution_names[i - 1].family) == 0)
            continue; /* its states are one family */
        for (size_t k = 0; k < ARRAY_SIZE(endings); k++) {
            text_append_string(path, "&column=pmu_");
            append_kind(path, target);
            text_append_format(path, "_%s%s", distribution_names[i].family, endings[k]);
        }
    }
}

static bool has_ending(const char *text, const char *ending, size_t length)
{
    const size_t n = strlen(ending);

    return length > n && text[length - n - 1] == '_' && strncmp(text + length - n, ending, n) == 0;
}

/* Those that are alone in their family have no label but `le`. */
static bool has_label(const json_t *column, const struct distribution_name *known)
{
    const char *value =
        known->label ? json_string_value(json_object_get(column, known->label)) : NULL;

    return !known->label || (value && strcmp(value, known->value) == 0);
}

/* Finds the distribution that a column is of; NULL: it is of none. */
static struct distribution *find(const json_t *column, struct distributions *distributions,
                                 bool *ret_is_sum)
{
    static const char sum[] = "_sum";
    const char *name = json_string_value(json_object_get(column, "name"));
    size_t length = name ? strlen(name) : 0;

    *ret_is_sum = length > strlen(sum) && strcmp(name + length - strlen(sum), sum) == 0;
    length -= *ret_is_sum ? strlen(sum) : 0;
    for (size_t i = 0; i < DISTRIBUTION_COUNT_; i++) {
        const struct distribution_name *known = &distribution_names[i];

        if (name && has_label(column, known) && has_ending(name, known->family, length))
            return &distributions->all[i];
    }
    return NULL;
}

static int take(const json_t *column, double value, struct distributions *distributions)
{
    const char *le = json_string_value(json_object_get(column, "le"));
    bool is_sum;
    struct distribution *distribution = find(column, distributions, &is_sum);

    if (!distribution)
        return 0;
    distribution->is_there = true;
    if (is_sum) {
        distribution->sum = value;
        return 0;
    }
    if (!le || distribution->n == DISTRIBUTION_BUCKETS)
        return -EPROTO;
    distribution->limits[distribution->n] = strcmp(le, "+Inf") == 0 ? INFINITY : strtod(le, NULL);
    distribution->counts[distribution->n++] = value;
    return 0;
}

int distributions_read(const json_t *answer, struct distributions *ret_distributions)
{
    const json_t *const table = json_array_get(json_object_get(answer, "tables"), 0);
    const json_t *const columns = json_object_get(table, "columns"), *column;
    const json_t *const row = json_array_get(json_object_get(table, "rows"), 0);
    const json_t *const values = json_object_get(row, "values");
    struct distributions read = {
        .began = json_number_value(json_object_get(answer, "process_start_time_seconds")),
        .taken = json_number_value(json_object_get(answer, "taken_seconds")),
    };
    size_t i;
    int r = 0;

    json_array_foreach(columns, i, column)
    {
        if (r == 0 && i < json_array_size(values)) /* null has the value 0 */
            r = take(column, json_number_value(json_array_get(values, i)), &read);
    }
    if (r == 0)
        *ret_distributions = read;
    return r;
}

bool distributions_has_any(const struct distributions *distributions)
{
    for (size_t i = 0; i < DISTRIBUTION_COUNT_; i++)
        if (distributions->all[i].is_there)
            return true;
    return false;
}

static int subtract(struct distribution *later, const struct distribution *earlier)
{
    if (later->n != earlier->n || later->sum < earlier->sum)
        return -ESTALE;
    later->sum -= earlier->sum;
    for (size_t i = 0; i < later->n; i++) {
        if (later->counts[i] < earlier->counts[i])
            return -ESTALE;
        later->counts[i] -= earlier->counts[i];
    }
    return 0;
}

int distributions_subtract(struct distributions *later, const struct distributions *earlier)
{
    int r = later->began > earlier->began || later->began < earlier->began ? -ESTALE : 0;

    for (size_t i = 0; i < DISTRIBUTION_COUNT_ && r == 0; i++)
        r = subtract(&later->all[i], &earlier->all[i]);
    return r;
}

double distribution_count(const struct distribution *distribution)
{
    double count = 0;

    for (size_t i = 0; i < distribution->n; i++)
        count += distribution->counts[i];
    return count;
}

double distribution_quantile(const struct distribution *distribution, double share)
{
    const double wanted = share * distribution_count(distribution);
    double before = 0, low = 0;

    if (!(distribution_count(distribution) > 0))
        return NAN;
    for (size_t i = 0; i < distribution->n && isfinite(distribution->limits[i]); i++) {
        const double count = distribution->counts[i], limit = distribution->limits[i];

        if (count > 0 && before + count >= wanted)
            return low + (limit - low) * (wanted - before) / count;
        before += count;
        low = limit;
    }
    return low;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/latency/distribution.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

void distributions_done(struct distributions *distributions)
{
    for (size_t i = 0; i < distributions->n; i++)
        for (size_t k = 0; k < DISTRIBUTION_LABELS; k++) {
            free(distributions->all[i].labels[k].name);
            free(distributions->all[i].labels[k].value);
        }
    free(TAKE(distributions->all));
    distributions->n = 0;
}

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

static void append_column(struct text *path, const char *target, const char *name,
                          const char *ending)
{
    text_append_string(path, "&column=pmu_");
    append_kind(path, target);
    text_append_format(path, "_%s%s", name, ending);
}

void distributions_append_path(struct text *path, const char *target, const char *kind)
{
    const char *before = "";

    text_append_string(path, "/api/v1/targets?target=");
    append_encoded(path, target);
    for (size_t i = 0; i < LATENCY_FAMILIES; i++) {
        const struct latency_family *family = &latency_families[i];

        if ((kind && strcmp(kind, family->kind) != 0) || strcmp(family->name, before) == 0)
            continue; /* of the last its states are one family */
        append_column(path, target, family->name, "");
        if (!family->count_of)
            append_column(path, target, family->name, "_sum");
        before = family->name;
    }
}

static bool has_ending(const char *text, const char *ending, size_t length)
{
    const size_t n = strlen(ending);

    return length > n && text[length - n - 1] == '_' && strncmp(text + length - n, ending, n) == 0;
}

static bool has_value(const json_t *column, const struct latency_family *family)
{
    const char *value =
        family->value ? json_string_value(json_object_get(column, family->label)) : NULL;

    return !family->value || (value && strcmp(value, family->value) == 0);
}

/* The family that a column is of; NULL: it is of none. */
static const struct latency_family *family_of(const json_t *column, bool *ret_is_sum)
{
    static const char sum[] = "_sum";
    const char *name = json_string_value(json_object_get(column, "name"));
    size_t length = name ? strlen(name) : 0;

    *ret_is_sum = length > strlen(sum) && strcmp(name + length - strlen(sum), sum) == 0;
    length -= *ret_is_sum ? strlen(sum) : 0;
    for (size_t i = 0; i < LATENCY_FAMILIES; i++)
        if (name && has_value(column, &latency_families[i]) &&
            has_ending(name, latency_families[i].name, length))
            return &latency_families[i];
    return NULL;
}

static bool is_same(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool has_labels(const struct distribution *distribution,
                       const struct distribution_label *labels)
{
    for (size_t i = 0; i < DISTRIBUTION_LABELS; i++)
        if (!is_same(distribution->labels[i].name, labels[i].name) ||
            !is_same(distribution->labels[i].value, labels[i].value))
            return false;
    return true;
}

struct distribution *distributions_find(const struct distributions *distributions,
                                        const struct latency_family *family,
                                        const struct distribution_label *labels)
{
    for (size_t i = 0; i < distributions->n; i++)
        if (distributions->all[i].family == family && has_labels(&distributions->all[i], labels))
            return &distributions->all[i];
    return NULL;
}

/* The labels of the key that a column has: borrowed from it. */
static void read_labels(json_t *column, struct distribution_label *labels)
{
    static const char *const others[] = {"name", "type", "le"};
    const char *key;
    json_t *value;
    size_t n = 0;

    json_object_foreach(column, key, value)
    {
        bool is_other = !json_is_string(value);

        for (size_t i = 0; i < ARRAY_SIZE(others); i++)
            is_other |= strcmp(key, others[i]) == 0;
        if (!is_other && n < DISTRIBUTION_LABELS)
            labels[n++] =
                (struct distribution_label){(char *)key, (char *)json_string_value(value)};
    }
}

/* Makes one without counts. NULL: no memory. */
static struct distribution *add(struct distributions *distributions,
                                const struct latency_family *family,
                                const struct distribution_label *labels)
{
    struct distribution *all = reallocarray(distributions->all, distributions->n + 1, sizeof(*all));
    struct distribution *added;

    if (!all)
        return NULL;
    distributions->all = all;
    added = &all[distributions->n++];
    *added = (struct distribution){.family = family};
    for (size_t i = 0; i < DISTRIBUTION_LABELS && labels[i].name; i++) {
        added->labels[i].name = strdup(labels[i].name);
        added->labels[i].value = strdup(labels[i].value);
        if (!added->labels[i].name || !added->labels[i].value)
            return NULL;
    }
    return added;
}

static int take(json_t *column, double value, struct distributions *distributions)
{
    const char *le = json_string_value(json_object_get(column, "le"));
    struct distribution_label labels[DISTRIBUTION_LABELS] = {{0}};
    struct distribution *distribution;
    bool is_sum;
    const struct latency_family *family = family_of(column, &is_sum);

    if (!family)
        return 0;
    read_labels(column, labels);
    distribution = distributions_find(distributions, family, labels);
    if (!distribution)
        distribution = add(distributions, family, labels);
    if (!distribution)
        return -ENOMEM;
    if (is_sum) {
        distribution->sum = value;
        return 0;
    }
    if (!le != (family->count_of != NULL) || distribution->n == DISTRIBUTION_BUCKETS)
        return -EPROTO;
    distribution->limits[distribution->n] =
        !le || strcmp(le, "+Inf") == 0 ? INFINITY : strtod(le, NULL);
    distribution->counts[distribution->n++] = value;
    return 0;
}

int distributions_read(const json_t *answer, struct distributions *ret_distributions)
{
    json_t *const table = json_array_get(json_object_get(answer, "tables"), 0);
    json_t *const columns = json_object_get(table, "columns"), *column;
    const json_t *const row = json_array_get(json_object_get(table, "rows"), 0);
    const json_t *const values = json_object_get(row, "values");
    struct distributions read = {
        .began = json_number_value(json_object_get(answer, "process_start_time_seconds")),
        .taken = json_number_value(json_object_get(answer, "taken_seconds")),
        .is_there = row != NULL,
    };
    size_t i;
    int r = 0;

    json_array_foreach(columns, i, column)
    {
        if (r == 0 && i < json_array_size(values)) /* null has the value 0 */
            r = take(column, json_number_value(json_array_get(values, i)), &read);
    }
    if (r < 0)
        distributions_done(&read);
    else
        *ret_distributions = read;
    return r;
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

static int compare(const void *a, const void *b)
{
    const struct distribution *one = a, *other = b;
    const double counts[] = {distribution_count(one), distribution_count(other)};

    if (one->family != other->family)
        return one->family < other->family ? -1 : 1;
    if (counts[0] > counts[1] || counts[0] < counts[1])
        return counts[0] > counts[1] ? -1 : 1;
    return one->labels[0].value && other->labels[0].value
               ? strcmp(one->labels[0].value, other->labels[0].value)
               : 0;
}

/* A key that comes later has counted nothing before. */
int distributions_subtract(struct distributions *later, const struct distributions *earlier)
{
    int r = later->began > earlier->began || later->began < earlier->began ? -ESTALE : 0;

    for (size_t i = 0; i < earlier->n && r == 0; i++) {
        const struct distribution *one = &earlier->all[i];
        struct distribution *other = distributions_find(later, one->family, one->labels);

        r = other ? subtract(other, one) : -ESTALE;
    }
    if (r == 0 && later->n > 0)
        qsort(later->all, later->n, sizeof(*later->all), compare);
    return r;
}

bool distribution_is_shown(const struct distribution *distribution)
{
    const struct latency_family *family = distribution->family;

    return !family->label || family->value || distribution_count(distribution) > 0;
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

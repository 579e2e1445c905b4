/* SPDX-License-Identifier: Apache-2.0 */
#include "metric/target_filter.h"

#include <errno.h>

/* The kinds, and whether their targets have labels. */
static const struct {
    const char *name;
    bool has_labels;
} kinds[] = {
    {"machine", false}, {"cgroup", true}, {"process", true}, {"cpu", true}, {"uncore", true},
};

/* What every prefix begins with. */
#define COMMON_PREFIX "pmu_"

int target_filter_parse(const char *text, struct target_filter *ret_filter)
{
    const char *const colon = strchr(text, ':');
    const size_t length = colon ? (size_t)(colon - text) : strlen(text);

    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
        if (strncmp(kinds[i].name, text, length) != 0 || kinds[i].name[length])
            continue;
        if (kinds[i].has_labels != (colon && colon[1]) || (colon && !colon[1]))
            return -EINVAL;
        *ret_filter = (struct target_filter){text, length, colon ? colon + 1 : ""};
        return 0;
    }
    return -EINVAL;
}

/* Returns the word between "pmu_" and the last "_" of a prefix. */
static const char *kind_of(const char *prefix, size_t *ret_length)
{
    const size_t length = strlen(prefix), skip = sizeof(COMMON_PREFIX) - 1;

    *ret_length = length > skip ? length - skip - 1 : 0;
    return length > skip ? prefix + skip : "";
}

bool target_filter_matches(const struct target_filter *filter, const char *prefix,
                           const struct label *labels, size_t n_labels)
{
    const char *rest = filter->value;
    size_t length;
    const char *const kind = kind_of(prefix, &length);

    if (length != filter->kind_length || memcmp(kind, filter->kind, length) != 0)
        return false;
    for (size_t i = 0; i < n_labels; i++) {
        const size_t n = strlen(labels[i].value);

        if (i > 0 && *rest++ != ',')
            return false;
        if (strncmp(rest, labels[i].value, n) != 0)
            return false;
        rest += n;
    }
    return !*rest;
}

void target_filter_write(const char *prefix, const struct label *labels, size_t n_labels,
                         struct text *text)
{
    size_t length;
    const char *const kind = kind_of(prefix, &length);

    text_append(text, kind, length);
    for (size_t i = 0; i < n_labels; i++) {
        text_append_char(text, i == 0 ? ':' : ',');
        text_append_string(text, labels[i].value);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "target/cgroup_path.h"

#include <assert.h>

#include "target/clean_text.h"
#include "target/label_value.h"

/* Stands before an encoded path, so that the label begins with `%/`. */
#define MARK "%"

static_assert(CGROUP_LABEL_MAX == LABEL_VALUE_MAX, "what the public header promises");

void cgroup_path_append_label(struct text *text, const char *path)
{
    size_t n = strlen(path);

    label_value_append(text, path, n, text_is_clean(path, n), MARK);
}

bool cgroup_label_is_cut(const char *label)
{
    return label_value_is_cut(label, MARK);
}

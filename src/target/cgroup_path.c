/* SPDX-License-Identifier: Apache-2.0 */
#include "target/cgroup_path.h"

#include <assert.h>
#include <errno.h>

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

static int decode(const char *label, struct text *path)
{
    if (*label == '%')
        return label_value_decode(label + strlen(MARK), path);
    text_append_string(path, label);
    return text_error(path);
}

int cgroup_path_from_label(const char *label, char **ret_path)
{
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *path = NULL;
    AUTO_FREE char *again = NULL;
    int r;

    if (cgroup_label_is_cut(label))
        return -ENAMETOOLONG;
    r = decode(label, &text);
    if (r < 0)
        return r;
    path = text_take(&text);
    if (!path)
        return -ENOMEM;
    /* a path has one label: a text that this path does not make is no label */
    cgroup_path_append_label(&text, path);
    again = text_take(&text);
    if (!again)
        return -ENOMEM;
    if (path[0] != '/' || strcmp(again, label) != 0)
        return -EINVAL;
    *ret_path = TAKE(path);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "support/label_decode.h"
#include "target/cgroup_path.h"
#include "target/clean_text.h"

/*
 * Any bytes, taken as a path and as a label. As a path: its label is clean, has a
 * bounded length, and gives exactly the path back. As a label: it is refused, or
 * its path has exactly this label. The names in it never fail.
 */

static void fuzz_path(const char *path)
{
    AUTO_FREE char *label = cgroup_label_of(path);
    AUTO_FREE char *back = NULL;
    struct cgroup_names names;
    int r;

    FUZZ_CHECK(label && strlen(label) <= CGROUP_LABEL_MAX && text_is_clean(label, strlen(label)));
    FUZZ_CHECK(label[0] == '/' || strncmp(label, "%/", 2) == 0);
    r = cgroup_path_from_label(label, &back);
    if (cgroup_label_is_cut(label))
        FUZZ_CHECK(r == -ENAMETOOLONG);
    else
        FUZZ_CHECK(r == 0 && strcmp(back, path) == 0);
    FUZZ_CHECK(cgroup_names_parse(path, &names) == 0);
    FUZZ_CHECK(strlen(names.container_id) % 64 == 0 && strlen(names.unit) <= 255);
    cgroup_names_done(&names);
}

static void fuzz_label(const char *label)
{
    AUTO_FREE char *path = NULL;
    AUTO_FREE char *again = NULL;

    if (cgroup_path_from_label(label, &path) < 0)
        return;
    again = cgroup_label_of(path);
    FUZZ_CHECK(again && strcmp(again, label) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *path = malloc(size + 2);

    if (!path)
        return 0;
    path[0] = '/';
    if (size > 0)
        memcpy(path + 1, data, size);
    path[size + 1] = '\0';
    fuzz_path(path);
    fuzz_label(path + 1);
    free(path);
    return 0;
}

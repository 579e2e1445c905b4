/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The walk goes breadth first, so that a limit leaves out the deepest cgroups. The list itself is
 * the queue: what has been added and not read yet comes next.
 */
#include "target/cgroup_list.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sys/cgroup_root.h"
#include "sys/directory_entries.h"

static int add(struct cgroup_list *list, size_t most, const char *parent, const char *name)
{
    char *path = NULL;

    if (list->n == most)
        return 0;
    if (asprintf(&path, "%s/%s", parent, name) < 0)
        return -ENOMEM;
    list->paths[list->n++] = path;
    return 0;
}

static int read_directory(struct cgroup_list *list, size_t most, int root_fd, const char *path,
                          struct directory_entries *entries)
{
    AUTO_CLOSE int fd = cgroup_open_below(root_fd, *path ? path + 1 : ".");
    struct directory_entry entry;
    int r = 0;

    if (fd < 0)
        return fd;
    if (directory_is_leaf(fd))
        return 0;
    directory_entries_init(entries, fd);
    while (r == 0 && directory_entries_next(entries, &entry) > 0)
        r = add(list, most, path, entry.name);
    return r;
}

int cgroup_list_read(int root_fd, size_t most, struct cgroup_list *ret_list)
{
    AUTO_FREE struct directory_entries *entries = malloc(sizeof(*entries));
    struct cgroup_list list = {.paths = calloc(most + 1, sizeof(char *))};
    int r = entries && list.paths ? 0 : -ENOMEM;

    if (r == 0)
        r = read_directory(&list, most, root_fd, "", entries);
    for (size_t i = 0; r == 0 && i < list.n; i++)
        if (read_directory(&list, most, root_fd, list.paths[i], entries) == -ENOMEM)
            r = -ENOMEM;
    if (r < 0)
        cgroup_list_done(&list);
    else
        *ret_list = list;
    return r;
}

void cgroup_list_done(struct cgroup_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        free(list->paths[i]);
    free(list->paths);
    *list = (struct cgroup_list){0};
}

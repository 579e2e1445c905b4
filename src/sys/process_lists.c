/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>

#include "base/parse.h"
#include "base/text.h"
#include "sys/directory_entries.h"
#include "sys/process.h"
#include "sys/process_error.h"

struct number_list {
    pid_t *ids;
    size_t n, capacity;
};

static int add_number(struct number_list *list, const char *text)
{
    uint64_t id;

    if (parse_u64(text, &id) < 0 || id > INT_MAX)
        return 0;
    if (list->n == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 16;
        pid_t *ids = reallocarray(list->ids, capacity, sizeof(*ids));

        if (!ids)
            return -ENOMEM;
        list->ids = ids;
        list->capacity = capacity;
    }
    list->ids[list->n++] = (pid_t)id;
    return 0;
}

static int compare(const void *a, const void *b)
{
    const pid_t *left = a, *right = b;

    return (*left > *right) - (*left < *right);
}

static int list_numbers(int fd, struct number_list *list)
{
    struct directory_entries entries;
    struct directory_entry entry;
    int r;

    directory_entries_init(&entries, fd);
    while ((r = directory_entries_next(&entries, &entry)) > 0)
        if (add_number(list, entry.name) < 0)
            return -ENOMEM;
    return r < 0 ? process_error(r) : 0;
}

/* The numbers that directories there have as names, ascending. -ESRCH: there are none. */
static int read_numbers(int procfs_fd, const char *path, pid_t **ret_ids, size_t *ret_n)
{
    struct number_list list = {0};
    AUTO_CLOSE int fd =
        (int)TEMP_FAILURE_RETRY(openat(procfs_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    int r;

    if (fd < 0)
        return process_error(-errno);
    r = list_numbers(fd, &list);
    if (r < 0 || list.n == 0) {
        free(list.ids);
        return r < 0 ? r : -ESRCH;
    }
    qsort(list.ids, list.n, sizeof(*list.ids), compare);
    *ret_ids = list.ids;
    *ret_n = list.n;
    return 0;
}

int process_list(int procfs_fd, pid_t **ret_pids, size_t *ret_n)
{
    return read_numbers(procfs_fd, ".", ret_pids, ret_n);
}

int process_threads(int procfs_fd, pid_t pid, pid_t **ret_threads, size_t *ret_n)
{
    char path[PROCESS_PATH_SIZE];

    (void)snprintf(path, sizeof(path), "%d/task", pid);
    return read_numbers(procfs_fd, path, ret_threads, ret_n);
}

/* Reads a whole file, and ends it with a NUL. */
static int read_text(int fd, struct text *text)
{
    ssize_t n;

    do {
        if (!text_reserve(text, 512))
            return -ENOMEM;
        n = TEMP_FAILURE_RETRY(read(fd, text->data + text->length, text->capacity - text->length));
        if (n < 0)
            return process_error(-errno);
        text->length += (size_t)n;
    } while (n > 0);
    text_append_char(text, '\0');
    return text_error(text);
}

int process_thread_children(int procfs_fd, pid_t pid, pid_t thread, pid_t **ret_children,
                            size_t *ret_n)
{
    char path[PROCESS_PATH_SIZE], *place = NULL;
    AUTO_TEXT struct text text = {0};
    struct number_list list = {0};
    AUTO_CLOSE int fd = -1;
    int r;

    (void)snprintf(path, sizeof(path), "%d/task/%d/children", pid, thread);
    fd = (int)TEMP_FAILURE_RETRY(openat(procfs_fd, path, O_RDONLY | O_CLOEXEC));
    if (fd < 0)
        return process_error(-errno);
    r = read_text(fd, &text);
    if (r < 0)
        return r;
    for (char *word = strtok_r(text.data, " \n", &place); word && r == 0;
         word = strtok_r(NULL, " \n", &place))
        r = add_number(&list, word);
    if (r < 0) {
        free(list.ids);
        return r;
    }
    *ret_children = list.ids;
    *ret_n = list.n;
    return 0;
}

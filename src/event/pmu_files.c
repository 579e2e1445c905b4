/* SPDX-License-Identifier: Apache-2.0 */
#include "event/pmu_files.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "sys/small_file.h"

#define DEVICES "bus/event_source/devices"

/* The ends of files that say more of the event whose name stands before. */
static const char *const attributes[] = {".unit", ".scale", ".per-pkg", ".snapshot"};

static int make_path(char *path, size_t size, const char *pmu, const char *folder, const char *name)
{
    const int length = snprintf(path, size, DEVICES "/%s/%s/%s", pmu, folder, name);

    return length > 0 && (size_t)length < size ? 0 : -ENAMETOOLONG;
}

static bool is_printable(const char *text)
{
    for (; *text; text++)
        if (*text < ' ' || *text > '~')
            return false;
    return true;
}

int pmu_file_read(int sysfs_fd, const char *pmu, const char *folder, const char *name,
                  char ret_text[PMU_TEXT_SIZE])
{
    char path[PATH_MAX];
    size_t length;
    int r = make_path(path, sizeof(path), pmu, folder, name);

    if (r >= 0)
        r = small_file_read(sysfs_fd, path, ret_text, PMU_TEXT_SIZE);
    if (r < 0)
        return r;
    length = strlen(ret_text);
    if (length > 0 && ret_text[length - 1] == '\n')
        ret_text[length - 1] = '\0';
    return is_printable(ret_text) ? 0 : -EINVAL;
}

static bool is_attribute(const char *name)
{
    const size_t length = strlen(name);

    for (size_t i = 0; i < ARRAY_SIZE(attributes); i++) {
        const size_t n = strlen(attributes[i]);

        if (length > n && strcmp(name + length - n, attributes[i]) == 0)
            return true;
    }
    return false;
}

int pmu_files_visit(int sysfs_fd, const char *pmu, const char *folder,
                    const struct pmu_file_visitor *visitor)
{
    AUTO(directory) DIR *directory = NULL;
    const struct dirent *entry;
    char path[PATH_MAX];
    int r = 0;

    if (make_path(path, sizeof(path), pmu, folder, "") >= 0)
        directory = small_file_list(sysfs_fd, path);
    while (directory && r == 0 && (entry = readdir(directory)))
        if (pmu_word_is_name(entry->d_name) && !is_attribute(entry->d_name))
            r = visitor->visit(visitor->object, entry->d_name);
    return r;
}

struct search {
    const char *wanted;
    char *found; /* has room for PMU_WORD_SIZE */
};

static int compare(void *object, const char *name)
{
    const struct search *search = object;
    const size_t length = strlen(name);

    if (strcasecmp(search->wanted, name) != 0 || length >= PMU_WORD_SIZE)
        return 0;
    memcpy(search->found, name, length + 1);
    return strcmp(search->wanted, name) == 0; /* another may have the very letters */
}

bool pmu_file_find(int sysfs_fd, const char *pmu, const char *folder, const char *name,
                   char ret_name[PMU_WORD_SIZE])
{
    struct search search = {name, ret_name};

    ret_name[0] = '\0';
    (void)pmu_files_visit(sysfs_fd, pmu, folder, &(struct pmu_file_visitor){compare, &search});
    return ret_name[0] != '\0';
}

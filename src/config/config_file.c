/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Before a file is parsed: whose is it, and is it complete?
 *
 * Half a YAML file is mostly valid YAML, and means something else. An editor that writes in place
 * truncates the file first, so a file that has just been changed is read again until it does not
 * change any more. A file that a full disk or a broken copy has cut stays as it is. Then the end of
 * the last line is missing, unless the cut is just behind a line; and then groups or targets are
 * mostly missing, which a reload refuses (config_may_follow()).
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/clock.h"
#include "config/config.h"
#include "config/config_error.h"
#include "config/config_file.h"
#include "config/config_schema.h"
#include "config/yaml_reader.h"
#include "sys/trusted_path.h"

#define SETTLED_NS (NS_PER_SECOND / 10) /* a file that was unchanged for so long is not written */
#define MOST_TRIES 4

#define NOT_REGULAR "this is %s; expected a regular file"

static const struct config_place whole_file = {0, 0};

/* Reads at most `size` bytes. The caller asks for one more than is allowed, so that the parser sees
 * that there are too many. */
static int read_all(int fd, char *buffer, size_t size, size_t *ret_length)
{
    size_t length = 0;

    while (length < size) {
        ssize_t n = read(fd, buffer + length, size - length);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        if (n == 0)
            break;
        length += (size_t)n;
    }
    *ret_length = length;
    return 0;
}

static int open_regular(const char *path, int *ret_fd, struct stat *ret_status,
                        struct config_error *ret_error)
{
    AUTO_CLOSE int fd = -1;
    struct path_doubt doubt;
    int r = trusted_path_open(path, &fd, &doubt);

    if (r == -EPERM && doubt.is_link)
        return config_error_set(ret_error, whole_file,
                                "%s is a symbolic link of user %u; expected one of root or of our "
                                "own user, or none",
                                SHOWN(doubt.path), doubt.id);
    if (r == -EXDEV)
        return config_error_set(ret_error, whole_file,
                                "the path leads through what another process sees; expected one "
                                "without /proc");
    if (r == -EISDIR)
        return config_error_set(ret_error, whole_file, NOT_REGULAR, "a directory");
    if (r < 0)
        return r;
    if (fstat(fd, ret_status) < 0)
        return -errno;
    if (!S_ISREG(ret_status->st_mode))
        return config_error_set(ret_error, whole_file, NOT_REGULAR,
                                S_ISDIR(ret_status->st_mode)    ? "a directory"
                                : S_ISFIFO(ret_status->st_mode) ? "a FIFO"
                                                                : "no file to be read");
    *ret_fd = TAKE_FD(fd);
    return 0;
}

static bool same_time(struct timespec a, struct timespec b)
{
    return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

static bool is_unchanged(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           same_time(a->st_mtim, b->st_mtim) && same_time(a->st_ctim, b->st_ctim);
}

/* Reads the file. -EAGAIN: it has changed meanwhile. */
static int read_once(const char *path, char *buffer, size_t *ret_length, struct stat *ret_status,
                     struct config_error *ret_error)
{
    AUTO_CLOSE int fd = -1;
    struct stat after = {0};
    int r = open_regular(path, &fd, ret_status, ret_error);

    if (r >= 0)
        r = read_all(fd, buffer, YAML_READER_LARGEST + 1, ret_length);
    if (r < 0)
        return r;
    if (fstat(fd, &after) < 0)
        return -errno;
    return is_unchanged(ret_status, &after) ? 0 : -EAGAIN;
}

static void wait_until_settled(void)
{
    struct timespec rest = {.tv_nsec = SETTLED_NS};

    while (nanosleep(&rest, &rest) < 0 && errno == EINTR)
        ;
}

/*
 * Whether the last change is long ago. A change in the future, by the clock of a file server that
 * is ahead of ours, says nothing.
 */
static bool is_old(const struct stat *status)
{
    const uint64_t changed_ns =
        (uint64_t)status->st_ctim.tv_sec * NS_PER_SECOND + (uint64_t)status->st_ctim.tv_nsec;
    const uint64_t now_ns = clock_realtime_ns();

    return changed_ns <= now_ns && now_ns - changed_ns >= SETTLED_NS;
}

int config_file_read(const char *path, char *buffer, size_t *ret_length,
                     struct config_error *ret_error)
{
    for (unsigned tries = 0; tries < MOST_TRIES; tries++) {
        struct stat status = {0}, later = {0};
        int r = read_once(path, buffer, ret_length, &status, ret_error);

        if ((r < 0 && r != -EAGAIN) || (r == 0 && is_old(&status)))
            return r;
        wait_until_settled();
        if (r == 0 && stat(path, &later) == 0 && is_unchanged(&status, &later))
            return 0;
    }
    return config_error_set(
        ret_error, whole_file,
        "the file is being written; expected one that does not change while it is read");
}

static bool ends_line(char c)
{
    return c == '\n' || c == '\r';
}

/* One pair of braces, as JSON: the parser sees whether it is complete. */
static bool is_in_braces(const char *text, size_t length)
{
    size_t i = 0;

    while (i < length && strchr(" \t\r\n\xef\xbb\xbf", text[i]) && text[i])
        i++;
    return i < length && text[i] == '{';
}

static int check_complete(const char *text, size_t length, struct config_error *ret_error)
{
    if (length == 0 || length > YAML_READER_LARGEST || ends_line(text[length - 1]) ||
        is_in_braces(text, length))
        return 0;
    return config_error_set(ret_error, yaml_place_of(text, length),
                            "the last line has no end, as if the file had been cut; expected a "
                            "newline here");
}

/* Whether some key of a configuration stands in the text: interval:, "interval": or 'interval':. */
static bool has_a_key(const char *text, size_t length)
{
    for (size_t i = 0; i < config_schema.n_keys; i++) {
        const char *name = config_schema.keys[i].name;
        const size_t n = strlen(name);
        const char *found = text, *end = text + length;

        while ((found = memmem(found, (size_t)(end - found), name, n))) {
            found += n;
            if (found < end && (*found == '"' || *found == '\''))
                found++;
            if (found < end && *found == ':')
                return true;
        }
    }
    return false;
}

/*
 * Such a file is not taken for the default: it is empty because the disk was full or because
 * somebody is about to write it, and a file of comments only is mostly one that was cut.
 */
static int refuse_file_without_keys(size_t length, struct config_error *ret_error)
{
    static const struct config_place begin = {1, 1};

    return config_error_set(ret_error, begin,
                            "%s; expected keys such as groups and targets, or {} for the default",
                            length ? "the file has no key" : "the file is empty");
}

int config_parse_file(struct object_reader *reader, const char *text, size_t length,
                      struct config **ret_config, struct config_error *ret_error)
{
    AUTO(config) struct config *config = NULL;
    int r = check_complete(text, length, ret_error);

    if (r < 0)
        return r;
    r = config_parse_by(reader, text, length, &config, ret_error);
    if (r == 0 && config->says_nothing)
        return refuse_file_without_keys(length, ret_error);
    if (r == -EINVAL && ret_error->place.line > 0 && !ret_error->suggests &&
        !has_a_key(text, length))
        return config_error_set(
            ret_error, ret_error->place,
            "this is not a configuration of pmu_exporter; expected keys such as "
            "interval, groups and targets");
    if (r == 0)
        *ret_config = TAKE(config);
    return r;
}

int config_read(struct object_reader *reader, const char *path, struct config **ret_config,
                struct config_error *ret_error)
{
    AUTO_FREE char *text = malloc(YAML_READER_LARGEST + 1);
    size_t length = 0;
    int r;

    if (!text)
        return -ENOMEM;
    r = config_file_read(path, text, &length, ret_error);
    return r < 0 ? r : config_parse_file(reader, text, length, ret_config, ret_error);
}

/*
 * The file could be read a moment ago. If it is gone by now, nobody can write it, and the next
 * reload says what has become of it.
 */
static void find_writers(const char *path, struct config_writers *ret_writers)
{
    static const char *const who[] = {[PATH_SAY_USER] = "user", [PATH_SAY_GROUP] = "group"};
    AUTO_CLOSE int fd = -1;
    struct path_doubt doubt;

    ret_writers->phrase[0] = '\0';
    if (trusted_path_open(path, &fd, &doubt) < 0 || doubt.who == PATH_SAY_NOBODY)
        return;
    if (doubt.who == PATH_SAY_ALL)
        (void)snprintf(ret_writers->phrase, sizeof(ret_writers->phrase), "everybody may write %.*s",
                       100, doubt.path);
    else
        (void)snprintf(ret_writers->phrase, sizeof(ret_writers->phrase), "%s %u may write %.*s",
                       who[doubt.who], doubt.id, 100, doubt.path);
}

int config_load(struct object_reader *reader, const char *path, bool may_be_absent,
                struct config **ret_config, struct config_writers *ret_writers,
                struct config_error *ret_error)
{
    int r = config_read(reader, path, ret_config, ret_error);

    if (r == -ENOENT && may_be_absent) {
        r = config_default(ret_config);
        if (r < 0)
            return r;
        ret_writers->phrase[0] = '\0';
        return CONFIG_IS_DEFAULT;
    }
    if (r < 0)
        return r;
    find_writers(path, ret_writers);
    return CONFIG_FROM_FILE;
}

int config_may_follow(const struct config *running, const struct config *next,
                      struct config_error *ret_error)
{
    const char *missing = running->own_targets && !next->own_targets ? "targets"
                          : running->own_groups && !next->own_groups ? "groups"
                                                                     : NULL;

    if (!missing)
        return 0;
    return config_error_set(
        ret_error, whole_file,
        "\"%s\" is no longer there, as if the file had been cut; expected it, or a "
        "restart, which takes the built-in default",
        missing);
}

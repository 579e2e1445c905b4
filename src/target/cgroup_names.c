/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "target/cgroup_path.h"

/*
 * The names in a path tell units, containers and pods, by the conventions of systemd, the
 * container runtimes and Kubernetes. Anybody may make a cgroup of any name, so a name counts only
 * if it has exactly the form that these programs give it; all values are plain ASCII then. The
 * innermost name that tells something wins.
 */

struct name {
    const char *bytes;
    size_t length;
};

#define CONTAINER_ID_LENGTH 64
#define UNIT_NAME_MAX       255
#define UNIT_CHARACTERS                                                                            \
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:-_.\\@" /* systemd.unit(5) */

/* The kinds of units that have a cgroup, except for slices. */
static const char *const unit_suffixes[] = {".service", ".scope", ".socket", ".mount", ".swap"};

/*
 * What stands before the id of a container. Without a prefix the id is the whole name (docker and
 * Kubernetes with the driver cgroupfs).
 */
static const char *const container_prefixes[] = {
    "docker-", "cri-containerd-", "crio-", "libpod-", "libpod-payload-" /* --cgroups=split */, ""};

static bool take_prefix(struct name *name, const char *prefix)
{
    size_t length = strlen(prefix);

    if (name->length < length || memcmp(name->bytes, prefix, length) != 0)
        return false;
    name->bytes += length;
    name->length -= length;
    return true;
}

static bool take_suffix(struct name *name, const char *suffix)
{
    size_t length = strlen(suffix);

    if (name->length < length || memcmp(name->bytes + name->length - length, suffix, length) != 0)
        return false;
    name->length -= length;
    return true;
}

static bool holds_only(struct name name, const char *characters)
{
    for (size_t i = 0; i < name.length; i++)
        if (!strchr(characters, name.bytes[i]))
            return false;
    return true;
}

/* systemd puts `_` before a unit's name that would look like a file of the kernel. */
static struct name unescape_unit(struct name name)
{
    (void)take_prefix(&name, "_");
    return name;
}

static bool is_unit(struct name name, const char *suffix)
{
    struct name stem = name;

    return name.length <= UNIT_NAME_MAX && take_suffix(&stem, suffix) && stem.length > 0 &&
           holds_only(name, UNIT_CHARACTERS);
}

static bool parse_unit(struct name name, struct name *ret_unit)
{
    name = unescape_unit(name);
    for (size_t i = 0; i < ARRAY_SIZE(unit_suffixes); i++)
        if (is_unit(name, unit_suffixes[i])) {
            *ret_unit = name;
            return true;
        }
    return false;
}

static bool parse_slice(struct name name, struct name *ret_slice)
{
    name = unescape_unit(name);
    if (!is_unit(name, ".slice"))
        return false;
    *ret_slice = name;
    return true;
}

static bool parse_container(struct name name, struct name *ret_id)
{
    (void)take_suffix(&name, ".scope");
    for (size_t i = 0; i < ARRAY_SIZE(container_prefixes); i++) {
        struct name id = name;

        if (take_prefix(&id, container_prefixes[i]) && id.length == CONTAINER_ID_LENGTH &&
            holds_only(id, "0123456789abcdef")) {
            *ret_id = id;
            return true;
        }
    }
    return false;
}

/* The UID of a pod is a UUID with dashes or underscores; that of a static pod is 32 digits. */
static bool is_pod_uid(struct name name, char separator)
{
    static const char form[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";

    if (name.length == 32)
        return holds_only(name, "0123456789abcdef");
    if (name.length != sizeof(form) - 1)
        return false;
    for (size_t i = 0; i < name.length; i++) {
        struct name digit = {name.bytes + i, 1};

        if (form[i] == '-' ? name.bytes[i] != separator : !holds_only(digit, "0123456789abcdef"))
            return false;
    }
    return true;
}

/*
 * The driver cgroupfs names a pod pod<uid>. The driver systemd names it
 * [kubelet-]kubepods[-burstable]-pod<uid>.slice, with underscores in the uid.
 */
static bool parse_pod(struct name name, struct name *ret_uid)
{
    struct name whole = name;

    if (!take_suffix(&name, ".slice")) {
        *ret_uid = name;
        return take_prefix(ret_uid, "pod") && is_pod_uid(*ret_uid, '-');
    }
    if (!memmem(whole.bytes, whole.length, "kubepods", strlen("kubepods")))
        return false;
    while (name.length > 0 && !take_prefix(&name, "-pod")) {
        name.bytes++;
        name.length--;
    }
    *ret_uid = name;
    return is_pod_uid(name, '_');
}

/* Finds the innermost name of the path that `parse` accepts; the result is empty if it accepts
 * none. */
static struct name find_name(const char *path, bool (*parse)(struct name, struct name *))
{
    struct name found = {.bytes = ""};
    const char *end = path + strlen(path);

    while (end > path) {
        const char *slash = memrchr(path, '/', (size_t)(end - path));
        const char *begin = slash ? slash + 1 : path;

        if (parse((struct name){begin, (size_t)(end - begin)}, &found))
            return found;
        end = slash ? slash : path;
    }
    return (struct name){.bytes = ""};
}

static void set_dashes(char *uid)
{
    for (; *uid; uid++)
        if (*uid == '_')
            *uid = '-';
}

static char *copy_name(struct name name)
{
    return strndup(name.bytes, name.length);
}

int cgroup_names_parse(const char *path, struct cgroup_names *ret_names)
{
    struct cgroup_names names = {
        .unit = copy_name(find_name(path, parse_unit)),
        .slice = copy_name(find_name(path, parse_slice)),
        .container_id = copy_name(find_name(path, parse_container)),
        .pod_uid = copy_name(find_name(path, parse_pod)),
    };

    if (!names.unit || !names.slice || !names.container_id || !names.pod_uid) {
        cgroup_names_done(&names);
        return -ENOMEM;
    }
    set_dashes(names.pod_uid);
    *ret_names = names;
    return 0;
}

void cgroup_names_done(struct cgroup_names *names)
{
    free(names->unit);
    free(names->slice);
    free(names->container_id);
    free(names->pod_uid);
    *names = (struct cgroup_names){0};
}

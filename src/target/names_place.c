/* SPDX-License-Identifier: Apache-2.0 */
#include "target/names_place.h"

#include <string.h>

#define ID_LENGTH 64 /* of a container */

static bool begins_with(const char *name, size_t n, const char *begin)
{
    return n >= strlen(begin) && memcmp(name, begin, strlen(begin)) == 0;
}

static bool ends_with(const char *name, size_t n, const char *end)
{
    return n > strlen(end) && memcmp(name + n - strlen(end), end, strlen(end)) == 0;
}

static bool ends_with_id(const char *name, size_t n)
{
    if (n < ID_LENGTH)
        return false;
    for (size_t i = n - ID_LENGTH; i < n; i++)
        if (!name[i] || !strchr("0123456789abcdef", name[i]))
            return false;
    return true;
}

bool names_begin_inner(const char *name, size_t n)
{
    return ends_with(name, n, ".service") || ends_with(name, n, ".scope") ||
           ends_with(name, n, ".libvirt-qemu") || ends_with_id(name, n) ||
           begins_with(name, n, "lxc.payload") || (n == 3 && memcmp(name, "lxc", 3) == 0);
}

/* podman with --cgroups=split has its container in the cgroup of the unit that starts it. */
static size_t payload_length(const char *name)
{
    const size_t n = strcspn(name, "/");

    return begins_with(name, n, "libpod-payload-") && ends_with_id(name, n) ? n : 0;
}

size_t names_host_part(const char *path)
{
    const char *at = path;

    while (*at) {
        const char *name = at + strspn(at, "/");
        const size_t n = strcspn(name, "/");
        const size_t payload = name[n] ? payload_length(name + n + 1) : 0;

        at = name + n;
        if (names_begin_inner(name, n))
            return (size_t)(at - path) + (payload ? payload + 1 : 0);
    }
    return (size_t)(at - path);
}

bool names_are_of_a_user(const char *path)
{
    static const char slices[] = "/user.slice/user-";

    while (strncmp(path, "/../", 4) == 0)
        path += 3;
    return strncmp(path, slices, strlen(slices)) == 0;
}

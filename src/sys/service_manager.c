/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The environment is left as it is (unset_environment is false). We start no program that could
 * take what is meant for us, and to change the environment is not safe while other threads run.
 */
#include "sys/service_manager.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <systemd/sd-daemon.h>

#include "base/clock.h"
#include "base/text.h"

/*
 * Parses $NOTIFY_SOCKET (sd_notify(3)): a path, or "@" and the name of an abstract socket.
 * -EAFNOSUPPORT for anything else, as "vsock:", by which a virtual machine notifies its host.
 */
static int parse_address(const char *name, struct sockaddr_un *ret_address, socklen_t *ret_length)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const size_t length = strlen(name);
    const bool is_abstract = name[0] == '@';

    if (!is_abstract && name[0] != '/')
        return -EAFNOSUPPORT;
    if (length >= sizeof(address.sun_path))
        return -ENAMETOOLONG;
    memcpy(address.sun_path, name, length);
    if (is_abstract)
        address.sun_path[0] = '\0';
    *ret_address = address;
    /* a path ends with a NUL, which counts; in an abstract name every byte counts (unix(7)) */
    *ret_length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length + !is_abstract);
    return 0;
}

/*
 * Sends a state. sd_notify(3) would wait while the service manager does not read its socket, and
 * would so delay cycles and the end of the service. This fails with EAGAIN instead.
 */
static int notify(const char *state)
{
    const char *name = getenv("NOTIFY_SOCKET");
    struct sockaddr_un address;
    socklen_t address_length;
    AUTO_CLOSE int fd = -1;
    int r;

    if (!name || !*name)
        return 0;
    r = parse_address(name, &address, &address_length);
    if (r < 0)
        return r;
    fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0 || sendto(fd, state, strlen(state), MSG_NOSIGNAL | MSG_DONTWAIT,
                         (const struct sockaddr *)&address, address_length) < 0)
        return -errno;
    return 0;
}

int service_manager_ready(void)
{
    return notify("READY=1");
}

int service_manager_status(const char *status)
{
    AUTO_TEXT struct text state = {0};

    text_append_format(&state, "STATUS=%s", status);
    return text_error(&state) < 0 ? -ENOMEM : notify(state.data);
}

int service_manager_reloading(void)
{
    char state[sizeof("RELOADING=1\nMONOTONIC_USEC=18446744073709551615")];

    /* Type=notify-reload wants the time, so that an earlier reload is not taken for this one */
    (void)snprintf(state, sizeof(state), "RELOADING=1\nMONOTONIC_USEC=%" PRIu64,
                   clock_monotonic_ns() / 1000);
    return notify(state);
}

int service_manager_stopping(void)
{
    return notify("STOPPING=1");
}

int service_manager_alive(void)
{
    return notify("WATCHDOG=1");
}

int service_manager_watchdog(uint64_t *ret_usec)
{
    uint64_t usec = 0;
    int r = sd_watchdog_enabled(false, &usec);

    if (r < 0)
        return r;
    *ret_usec = r > 0 ? usec : 0;
    return 0;
}

int service_manager_count_sockets(void)
{
    return sd_listen_fds(false);
}

/* Whether all of them are listening stream sockets. */
static int check_sockets(const struct passed_sockets *passed, int *ret_wrong)
{
    for (size_t i = 0; i < passed->n; i++)
        if (sd_is_socket(passed->fds[i], AF_UNSPEC, SOCK_STREAM, true) <= 0) {
            *ret_wrong = passed->fds[i];
            return -ENOTSOCK;
        }
    return 0;
}

static void free_arrays(struct passed_sockets *passed)
{
    for (size_t i = 0; passed->names && i < passed->n; i++)
        free(passed->names[i]);
    free(passed->names);
    free(passed->fds);
}

int service_manager_take_sockets(struct passed_sockets *ret_sockets, int *ret_wrong)
{
    struct passed_sockets passed = {0};
    int r;

    *ret_wrong = -1;
    r = sd_listen_fds_with_names(false, &passed.names);
    if (r < 0)
        return r;
    passed.n = (size_t)r;
    passed.fds = calloc(passed.n + 1, sizeof(*passed.fds));
    for (size_t i = 0; passed.fds && i < passed.n; i++)
        passed.fds[i] = SD_LISTEN_FDS_START + (int)i;
    r = passed.fds ? check_sockets(&passed, ret_wrong) : -ENOMEM;
    if (r < 0) {
        free_arrays(&passed);
        return r;
    }
    *ret_sockets = passed;
    return 0;
}

void passed_sockets_done(struct passed_sockets *sockets)
{
    for (size_t i = 0; i < sockets->n; i++)
        cleanup_close(&sockets->fds[i]);
    free_arrays(sockets);
    *sockets = (struct passed_sockets){0};
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The environment is left as it is (no unset_environment): we start no program that
 * could take what is meant for us, and changing it is not safe beside other threads.
 */
#include "sys/service_manager.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <systemd/sd-daemon.h>

#include "base/clock.h"

/* sd_notify() has a positive result where somebody listens, which nobody here asks. */
static int outcome(int r)
{
    return r < 0 ? r : 0;
}

int service_manager_ready(void)
{
    return outcome(sd_notify(false, "READY=1"));
}

int service_manager_status(const char *status)
{
    return outcome(sd_notifyf(false, "STATUS=%s", status));
}

int service_manager_reloading(void)
{
    /* Type=notify-reload wants the time, to tell this reload from one before */
    return outcome(
        sd_notifyf(false, "RELOADING=1\nMONOTONIC_USEC=%" PRIu64, clock_monotonic_ns() / 1000));
}

int service_manager_stopping(void)
{
    return outcome(sd_notify(false, "STOPPING=1"));
}

int service_manager_alive(void)
{
    return outcome(sd_notify(false, "WATCHDOG=1"));
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

static int check(const struct passed_sockets *passed, int *ret_wrong)
{
    for (size_t i = 0; i < passed->n; i++)
        if (sd_is_socket(passed->fds[i], AF_UNSPEC, SOCK_STREAM, true) <= 0) {
            *ret_wrong = passed->fds[i];
            return -ENOTSOCK;
        }
    return 0;
}

static void forget(struct passed_sockets *passed)
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
    r = passed.fds ? check(&passed, ret_wrong) : -ENOMEM;
    if (r < 0) {
        forget(&passed);
        return r;
    }
    *ret_sockets = passed;
    return 0;
}

void passed_sockets_done(struct passed_sockets *sockets)
{
    for (size_t i = 0; i < sockets->n; i++)
        cleanup_close(&sockets->fds[i]);
    forget(sockets);
    *sockets = (struct passed_sockets){0};
}

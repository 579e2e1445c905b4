/* SPDX-License-Identifier: Apache-2.0 */
#include "config/config_cgroups.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"

/* The built-in default counts these, which have the names that systemd and runtimes give. */

#define ID    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define POD   "pod01234567-89ab-cdef-0123-456789abcdef"
#define SLICE "kubepods-burstable.slice/kubepods-burstable-pod0123_89ab.slice"
#define USER  "/user.slice/user-1000.slice"

static const char *const counted[] = {
    "/init.scope",
    "/system.slice/nginx.service",
    "/system.slice/system-getty.slice/getty@tty1.service",
    "/system.slice/docker-" ID ".scope",
    USER "/session-2.scope",
    USER "/user@1000.service/init.scope",
    USER "/user@1000.service/dbus.service",
    USER "/user@1000.service/app.slice/backup.service",
    USER "/user@1000.service/session.slice/org.gnome.Shell@wayland.service",
    USER "/user@1000.service/app.slice/app-org.gnome.Terminal.slice/vte-spawn-1.scope",
    USER "/user@1000.service/app.slice/app-dbus.slice/dbus-:1.2-org.freedesktop.service",
    USER "/user@1000.service/user.slice/libpod-" ID ".scope",
    "/machine.slice/libpod-" ID ".scope",
    "/machine.slice/machine-guest.scope",
    "/kubepods.slice/kubepods-pod0123_89ab.slice/crio-" ID ".scope",
    "/kubepods.slice/" SLICE "/cri-containerd-" ID ".scope",
    "/kubepods/" POD "/" ID,
    "/kubepods/burstable/" POD "/" ID,
    "/kubepods/besteffort/" POD "/" ID,
    ("/docker/" ID),
    "/lxc.payload.web",
    "/lxc/web",
};

/* These may stand below: containers with a systemd of their own make such, or strangers do. */
static const char *const below[] = {
    "/init.scope",
    "/x",
    "/system.slice/x.service",
    "/x.slice/x.scope",
    "/x.slice/x.slice/x.service",
    "/pod1/x",
    "/user.slice/user-1000.slice/session-1.scope",
    "/" POD "/" ID,
};

static struct cgroup_rules *default_rules(void)
{
    AUTO(config) struct config *config = NULL;
    struct cgroup_rules *rules = NULL;

    assert_int_equal(config_default(&config), 0);
    assert_int_equal(config_cgroups_make(config, &rules), 0);
    return rules;
}

static void default__counts_services_containers_and_users_of_every_kind(void **state)
{
    AUTO(cgroup_rules) struct cgroup_rules *rules = default_rules();

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(counted); i++)
        if (cgroup_rules_match(rules, counted[i]) != 0)
            fail_msg("%s is not counted", counted[i]);
}

static void default__counts_no_ancestor_of_what_it_counts(void **state)
{
    AUTO(cgroup_rules) struct cgroup_rules *rules = default_rules();

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(counted); i++) {
        AUTO_FREE char *path = strdup(counted[i]);

        assert_non_null(path);
        for (char *end = strrchr(path, '/'); end && end > path; end = strrchr(path, '/')) {
            *end = '\0';
            if (cgroup_rules_match(rules, path) >= 0)
                fail_msg("%s is counted above %s", path, counted[i]);
        }
    }
}

static void default__counts_nothing_below_what_it_counts(void **state)
{
    AUTO(cgroup_rules) struct cgroup_rules *rules = default_rules();

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(counted); i++)
        for (size_t j = 0; j < ARRAY_SIZE(below); j++) {
            char path[512];

            (void)snprintf(path, sizeof(path), "%s%s", counted[i], below[j]);
            if (cgroup_rules_match(rules, path) >= 0)
                fail_msg("%s is counted below %s", path, counted[i]);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(default__counts_services_containers_and_users_of_every_kind),
        cmocka_unit_test(default__counts_no_ancestor_of_what_it_counts),
        cmocka_unit_test(default__counts_nothing_below_what_it_counts),
    };

    return cmocka_run_group_tests_name("config_default_cgroups", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <fcntl.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "sys/hidepid.h"

#define MOUNT "22 27 0:21 / /proc rw,relatime shared:5 - proc proc "

static void parse__knows_words_and_numbers(void **state)
{
    static const struct {
        const char *options;
        bool hides, from_group;
        gid_t group;
    } cases[] = {
        {"rw", false, false, 0},
        {"rw,hidepid=0", false, false, 0},
        {"rw,hidepid=off", false, false, 0},
        {"rw,hidepid=1", true, false, 0},
        {"rw,hidepid=noaccess", true, false, 0},
        {"rw,hidepid=2\n", true, false, 0},
        {"rw,hidepid=invisible", true, false, 0},
        {"rw,gid=27,hidepid=invisible\n", true, false, 27},
        {"rw,hidepid=4", true, true, 0},
        {"rw,hidepid=ptraceable", true, true, 0},
        {"rw,subset=pid", false, false, 0},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct hidepid hidepid;
        char line[128];

        (void)snprintf(line, sizeof(line), MOUNT "%s", cases[i].options);
        assert_true(hidepid_parse(line, 22, &hidepid));
        assert_int_equal(hidepid.hides, cases[i].hides);
        assert_int_equal(hidepid.from_group, cases[i].from_group);
        assert_int_equal(hidepid.group, cases[i].group);
    }
}

static void parse__leaves_other_mounts_and_other_file_systems_alone(void **state)
{
    static const char *const lines[] = {
        "",
        "x",
        "22",
        "2 27 0:21 / /proc rw - proc proc rw,hidepid=2",
        "220 27 0:21 / /proc rw - proc proc rw,hidepid=2",
        "22 27 0:21 / /proc rw - tmpfs proc rw,hidepid=2",
        "22 27 0:21 / /proc rw - proc",
        "22 27 0:21 / /proc rw - proc proc",
    };
    struct hidepid hidepid = {.group = 5};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
        assert_false(hidepid_parse(lines[i], 22, &hidepid));
    assert_int_equal(hidepid.group, 5);
}

static void read__of_what_is_no_procfs_hides_nothing(void **state)
{
    AUTO_CLOSE int slash = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    (void)state;
    assert_false(hidepid_read(slash).hides);
    assert_false(hidepid_hides_from_us(slash));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parse__knows_words_and_numbers),
        cmocka_unit_test(parse__leaves_other_mounts_and_other_file_systems_alone),
        cmocka_unit_test(read__of_what_is_no_procfs_hides_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

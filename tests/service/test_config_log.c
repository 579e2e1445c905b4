/* SPDX-License-Identifier: Apache-2.0 */
#include "service/config_log.h"

#include "support/capture.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "support/fixture_tree.h"

struct fixture {
    struct fixture_tree tree;
    char file[128];
    struct capture capture;
    struct config *config;
    struct config_error error;
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));

    f->tree = fixture_tree_open();
    (void)snprintf(f->file, sizeof(f->file), "%s/file", f->tree.path);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    (void)config_free(f->config);
    fixture_tree_close(&f->tree);
    free(f);
    return 0;
}

/* Returns what is logged of the file while it is loaded. */
static const char *load(struct fixture *f, int expected)
{
    int r;

    f->config = config_free(f->config);
    capture_begin(&f->capture, STDERR_FILENO);
    r = config_log_load(NULL, f->file, true, &f->config, &f->error);
    (void)capture_end(&f->capture);
    assert_int_equal(r, expected);
    return f->capture.text;
}

static void that_there_is_no_file__is_logged(void **state)
{
    struct fixture *f = *state;

    assert_non_null(strstr(load(f, CONFIG_IS_DEFAULT), "no configuration file"));
    fixture_tree_write(&f->tree, "file", "{}\n");
    assert_string_equal(load(f, CONFIG_FROM_FILE), "");
}

static void others_who_may_write_the_file__are_logged(void **state)
{
    struct fixture *f = *state;
    char expected[256];

    fixture_tree_write(&f->tree, "file", "{}\n");
    assert_int_equal(chmod(f->file, 0666), 0);
    (void)snprintf(expected, sizeof(expected), "who=\"everybody may write %s\"", f->file);
    assert_non_null(strstr(load(f, CONFIG_FROM_FILE), expected));
    assert_non_null(strstr(f->capture.text, "level=warn"));
}

/* Some callers go on without the file, and log that themselves. */
static void what_is_wrong_with_the_file__is_the_callers_to_log(void **state)
{
    struct fixture *f = *state;

    fixture_tree_write(&f->tree, "file", "intervall: 1s\n");
    assert_string_equal(load(f, -EINVAL), "");
    assert_non_null(strstr(f->error.message, "interval"));
}

static void a_summary__has_the_file_and_how_much_it_asks_for(void **state)
{
    struct fixture *f = *state;
    const char *text;

    fixture_tree_write(&f->tree, "file", "targets: {processes: [{comm: [x], groups: [core]}]}\n");
    (void)load(f, CONFIG_FROM_FILE);
    capture_begin(&f->capture, STDERR_FILENO);
    config_log_summary("configuration read", "/a/file", f->config);
    text = capture_end(&f->capture);
    assert_non_null(strstr(text, "msg=\"configuration read\" file=/a/file system=no "
                                 "rules_of_cgroups=0 rules_of_processes=1 profiles=\"49 Hz\"\n"));
}

#define CONFIG_LOG_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CONFIG_LOG_TEST(that_there_is_no_file__is_logged),
        CONFIG_LOG_TEST(others_who_may_write_the_file__are_logged),
        CONFIG_LOG_TEST(what_is_wrong_with_the_file__is_the_callers_to_log),
        CONFIG_LOG_TEST(a_summary__has_the_file_and_how_much_it_asks_for),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

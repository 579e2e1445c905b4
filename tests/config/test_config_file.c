/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "config/config.h"
#include "support/fixture_tree.h"
#include "support/need_root.h"

#define STRANGER 65534

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    (void)fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/* Each test has a directory of its own with a configuration in it. */
struct place {
    struct fixture_tree tree;
    const char *directory;
    char file[80], link[80];
};

static void make_place(struct place *place, const char *text)
{
    place->tree = fixture_tree_open();
    place->directory = place->tree.path;
    (void)snprintf(place->file, sizeof(place->file), "%s/file", place->directory);
    (void)snprintf(place->link, sizeof(place->link), "%s/link", place->directory);
    write_file(place->file, text);
}

static void remove_place(struct place *place)
{
    fixture_tree_close(&place->tree);
}

static void read__takes_a_regular_file_and_a_link_to_one(void **state)
{
    AUTO(config) struct config *direct = NULL;
    AUTO(config) struct config *linked = NULL;
    struct config_error error;
    struct place place;

    (void)state;
    make_place(&place, "interval: 7s\n");
    assert_int_equal(symlink("file", place.link), 0);
    assert_int_equal(config_read(NULL, place.file, &direct, &error), 0);
    assert_int_equal(direct->interval_ns, 7 * NS_PER_SECOND);
    assert_int_equal(config_read(NULL, place.link, &linked, &error), 0);
    assert_int_equal(linked->interval_ns, 7 * NS_PER_SECOND);
    remove_place(&place);
}

static void read__refuses_what_is_no_regular_file(void **state)
{
    struct fixture_tree tree = fixture_tree_open();
    struct config_error error = {0};
    struct config *config;
    char fifo[80];

    (void)state;
    (void)snprintf(fifo, sizeof(fifo), "%s/fifo", tree.path);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    assert_int_equal(config_read(NULL, fifo, &config, &error), -EINVAL); /* it does not wait */
    assert_non_null(strstr(error.message, "FIFO"));
    assert_int_equal(config_read(NULL, tree.path, &config, &error), -EINVAL);
    assert_non_null(strstr(error.message, "directory"));
    assert_int_equal(config_read(NULL, "/dev/null", &config, &error), -EINVAL);
    assert_int_equal(unlink(fifo), 0);
    assert_int_equal(config_read(NULL, fifo, &config, &error), -ENOENT);
    fixture_tree_close(&tree);
}

static void read__refuses_more_than_a_mebibyte_and_says_where(void **state)
{
    char path[] = "/tmp/test_config_XXXXXX";
    struct config_error error = {0};
    struct config *config;
    AUTO_CLOSE int fd = mkstemp(path);
    const unsigned n_lines = (1 << 20) / 64;
    char line[64];

    (void)state;
    assert_true(fd >= 0);
    memset(line, '#', sizeof(line));
    line[sizeof(line) - 1] = '\n';
    for (unsigned i = 0; i + 1 < n_lines; i++)
        assert_int_equal(write(fd, line, sizeof(line)), sizeof(line));
    memcpy(line, "interval: 7s #", strlen("interval: 7s #"));
    assert_int_equal(write(fd, line, sizeof(line)), sizeof(line));
    assert_int_equal(config_read(NULL, path, &config, &error), 0);
    (void)config_free(config);
    assert_int_equal(write(fd, "#", 1), 1);
    assert_int_equal(config_read(NULL, path, &config, &error), -EINVAL);
    assert_int_equal(error.place.line, n_lines + 1);
    assert_int_equal(error.place.column, 1);
    assert_non_null(strstr(error.message, "1 MiB"));
    assert_int_equal(unlink(path), 0);
}

/* Returns the message; it is empty where the file is good. */
static const char *refusal_of(const char *path)
{
    static struct config_error error;
    AUTO(config) struct config *config = NULL;
    int r = config_read(NULL, path, &config, &error);

    if (r == 0)
        return "";
    assert_int_equal(r, -EINVAL);
    return error.message;
}

static void a_link_of_somebody_else__is_not_followed(void **state)
{
    struct place place;

    (void)state;
    need_root("only root can make files and links of others");
    make_place(&place, "interval: 7s\n");
    assert_int_equal(symlink("file", place.link), 0);
    assert_string_equal(refusal_of(place.link), "");
    assert_int_equal(lchown(place.link, STRANGER, STRANGER), 0);
    assert_non_null(strstr(refusal_of(place.link), "symbolic link of user 65534"));
    remove_place(&place);
}

static void a_link_of_somebody_else_on_the_way__is_not_followed(void **state)
{
    struct place place;
    char path[128];

    (void)state;
    need_root("only root can make files and links of others");
    make_place(&place, "interval: 7s\n");
    assert_int_equal(symlink(".", place.link), 0);
    (void)snprintf(path, sizeof(path), "%s/file", place.link);
    assert_string_equal(refusal_of(path), "");
    assert_int_equal(lchown(place.link, STRANGER, STRANGER), 0);
    assert_non_null(strstr(refusal_of(path), "symbolic link of user 65534"));
    remove_place(&place);
}

static void links_without_end__are_an_error(void **state)
{
    struct place place;
    struct config_error error;
    struct config *config;

    (void)state;
    make_place(&place, "interval: 7s\n");
    assert_int_equal(symlink("link", place.link), 0);
    assert_int_equal(config_read(NULL, place.link, &config, &error), -ELOOP);
    assert_int_equal(unlink(place.link), 0);
    assert_int_equal(symlink("nowhere", place.link), 0);
    assert_int_equal(config_read(NULL, place.link, &config, &error), -ENOENT);
    assert_int_equal(config_read(NULL, "", &config, &error), -ENOENT);
    remove_place(&place);
}

static const char *writers(const struct place *place)
{
    static struct config_writers writers;
    AUTO(config) struct config *config = NULL;
    struct config_error error;

    assert_int_equal(config_load(NULL, place->file, false, &config, &writers, &error),
                     CONFIG_FROM_FILE);
    return writers.phrase;
}

static void load__takes_the_default_where_no_file_has_to_exist(void **state)
{
    AUTO(config) struct config *config = NULL;
    struct config_writers writers = {"untouched"};
    struct config_error error;
    struct place place;

    (void)state;
    make_place(&place, "{}\n");
    assert_int_equal(unlink(place.file), 0);
    assert_int_equal(config_load(NULL, place.file, false, &config, &writers, &error), -ENOENT);
    assert_null(config);
    assert_string_equal(writers.phrase, "untouched");
    assert_int_equal(config_load(NULL, place.file, true, &config, &writers, &error),
                     CONFIG_IS_DEFAULT);
    assert_true(config->n_groups > 0 && !config->own_groups);
    assert_string_equal(writers.phrase, "");
    remove_place(&place);
}

static void load__takes_no_default_for_a_file_that_is_wrong(void **state)
{
    AUTO(config) struct config *config = NULL;
    struct config_writers writers;
    struct config_error error = {0};
    struct place place;

    (void)state;
    make_place(&place, "intervall: 1s\n");
    assert_int_equal(config_load(NULL, place.file, true, &config, &writers, &error), -EINVAL);
    assert_non_null(strstr(error.message, "interval"));
    assert_null(config);
    remove_place(&place);
}

static void who_may_write__is_returned(void **state)
{
    struct place place;
    char expected[128];

    (void)state;
    need_root("only root can make files and links of others");
    make_place(&place, "interval: 7s\n");
    assert_int_equal(chmod(place.file, 0644), 0);
    assert_string_equal(writers(&place), "");
    assert_int_equal(chmod(place.file, 0666), 0);
    (void)snprintf(expected, sizeof(expected), "everybody may write %s", place.file);
    assert_string_equal(writers(&place), expected);
    assert_int_equal(chmod(place.file, 0664), 0);
    assert_string_equal(writers(&place), ""); /* the file is of our own group */
    assert_int_equal(chown(place.file, 0, STRANGER), 0);
    (void)snprintf(expected, sizeof(expected), "group 65534 may write %s", place.file);
    assert_string_equal(writers(&place), expected);
    assert_int_equal(chown(place.directory, STRANGER, 0), 0);
    (void)snprintf(expected, sizeof(expected), "user 65534 may write %s", place.directory);
    assert_string_equal(writers(&place), expected);
    remove_place(&place);
}

static void what_is_no_configuration__is_not_quoted(void **state)
{
    static const char *const secrets[] = {
        "root:$6$s3cret$s3cret:19000:0:99999:7:::\ndaemon:*:19000:0:99999:7:::\n",
        "password: s3cret\n",
        "s3cret: &s3cret 1\n",
        "!s3cret 1\n",
        "- s3cret\n",
        "[s3cret"};

    (void)state;
    for (size_t i = 0; i < sizeof(secrets) / sizeof(secrets[0]); i++) {
        struct place place;
        const char *message;

        make_place(&place, secrets[i]);
        message = refusal_of(place.file);
        assert_non_null(strstr(message, "expected"));
        assert_null(strstr(message, "s3cret"));
        remove_place(&place);
    }
}

static void a_word_that_is_nearly_a_key__is_a_slip(void **state)
{
    struct place place;

    (void)state;
    make_place(&place, "intervall: 1s\n");
    assert_non_null(strstr(refusal_of(place.file), "did you mean \"interval\"?"));
    remove_place(&place);
}

/* Writes as an editor that writes in place: the file is empty, then cut, then complete. */
static void *write_slowly(void *context)
{
    const struct place *place = context;
    const struct timespec pause = {.tv_nsec = 60 * 1000000};
    FILE *file = fopen(place->file, "w");

    for (const char *text = "linger: 5s\ninterval: 9s\n"; file && *text; text += 12) {
        (void)nanosleep(&pause, NULL);
        (void)fprintf(file, "%.12s", text);
        (void)fflush(file);
        if (strlen(text) < 12)
            break;
    }
    if (file)
        (void)fclose(file);
    return NULL;
}

static void a_file_that_is_being_written__is_read_when_it_is_complete(void **state)
{
    static const char before[] = "interval: 7s\n";
    AUTO(config) struct config *config = NULL;
    struct config_error error = {0};
    struct stat status;
    struct place place;
    pthread_t writer;

    (void)state;
    make_place(&place, before);
    assert_int_equal(pthread_create(&writer, NULL, write_slowly, &place), 0);
    do
        assert_int_equal(stat(place.file, &status), 0);
    while (status.st_size == (off_t)strlen(before));
    /* where the writer waits for a CPU, its half file is refused and never taken for a whole one */
    while (config_read(NULL, place.file, &config, &error) < 0)
        assert_true(error.message[0] != '\0');
    assert_int_equal(config->interval_ns, 9 * NS_PER_SECOND);
    assert_int_equal(pthread_join(writer, NULL), 0);
    remove_place(&place);
}

static char *read_shipped(size_t *ret_length)
{
    FILE *file = fopen("../config/pmu_exporter.yml", "r");
    char *text = calloc(1, 65536);

    assert_non_null(file);
    assert_non_null(text);
    *ret_length = fread(text, 1, 65535, file);
    assert_int_equal(fclose(file), 0);
    return text;
}

/*
 * A cut that is accepted at all is one at the end of a line; and one that a reload accepts in
 * place of the whole has its groups and the begin of its targets: what is left could have been
 * meant, and no total is given up for the built-in targets.
 */
static void a_file_that_was_cut__is_refused_by_the_reload_at_least(void **state)
{
    AUTO(config) struct config *whole = NULL;
    struct config_error error = {0};
    unsigned n_accepted = 0, n_followed = 0;
    size_t length;
    char *text = read_shipped(&length);

    (void)state;
    assert_int_equal(config_parse_file(NULL, text, length, &whole, &error), 0);
    for (size_t cut = 0; cut < length; cut++) {
        AUTO(config) struct config *config = NULL;

        if (config_parse_file(NULL, text, cut, &config, &error) < 0)
            continue;
        n_accepted++;
        assert_int_equal(text[cut - 1], '\n');
        if (config_may_follow(whole, config, &error) < 0) {
            assert_non_null(strstr(error.message, "no longer there"));
            continue;
        }
        n_followed++;
        assert_true(config->own_groups && config->own_targets && config->system.enabled);
        assert_int_equal(config->n_groups, whole->n_groups);
    }
    assert_true(n_accepted > n_followed && n_followed > 0);
    free(text);
}

static void a_last_line_without_end__is_an_error_with_its_place(void **state)
{
    static const char cut[] = "interval: 1s\ngrou", complete[] = "{\"interval\": \"1s\"}";
    AUTO(config) struct config *config = NULL;
    struct config_error error = {0};

    (void)state;
    assert_int_equal(config_parse_file(NULL, cut, strlen(cut), &config, &error), -EINVAL);
    assert_int_equal(error.place.line, 2);
    assert_int_equal(error.place.column, 5);
    assert_non_null(strstr(error.message, "newline"));
    assert_int_equal(config_parse_file(NULL, complete, strlen(complete), &config, &error), 0);
    assert_int_equal(config_parse_file(NULL, complete, strlen(complete) - 1, &config, &error),
                     -EINVAL);
}

static void a_file_that_says_nothing__is_no_configuration(void **state)
{
    static const char *const texts[] = {"",      "\n\n", "# nothing\n", "# cut: noth",
                                        "---\n", "\r\n", "--- \n...\n", "\xef\xbb\xbf"};
    AUTO(config) struct config *config = NULL;
    struct config_error error = {0};

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        assert_int_equal(config_parse_file(NULL, texts[i], strlen(texts[i]), &config, &error),
                         -EINVAL);
        assert_true(error.place.line > 0);
        assert_non_null(strstr(error.message, "expected"));
    }
    assert_int_equal(config_parse_file(NULL, "{}", 2, &config, &error), 0);
    assert_false(config->own_groups || config->own_targets);
}

static void what_has_targets__is_not_followed_by_the_default(void **state)
{
    static const char own[] = "targets: {}\n", none[] = "interval: 1s\n",
                      groups[] = "groups: [{name: a, events: [cycles]}]\ntargets: {}\n";
    AUTO(config) struct config *with_targets = NULL;
    AUTO(config) struct config *with_both = NULL;
    AUTO(config) struct config *without = NULL;
    AUTO(config) struct config *builtin = NULL;
    struct config_error error = {0};

    (void)state;
    assert_int_equal(config_parse(own, strlen(own), &with_targets, &error), 0);
    assert_int_equal(config_parse(groups, strlen(groups), &with_both, &error), 0);
    assert_int_equal(config_parse(none, strlen(none), &without, &error), 0);
    assert_int_equal(config_default(&builtin), 0);
    assert_int_equal(config_may_follow(with_targets, without, &error), -EINVAL);
    assert_non_null(strstr(error.message, "\"targets\""));
    assert_int_equal(config_may_follow(with_targets, builtin, &error), -EINVAL);
    assert_int_equal(config_may_follow(with_both, with_targets, &error), -EINVAL);
    assert_non_null(strstr(error.message, "\"groups\""));
    assert_int_equal(config_may_follow(without, with_both, &error), 0);
    assert_int_equal(config_may_follow(without, builtin, &error), 0);
    assert_int_equal(config_may_follow(with_both, with_both, &error), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(read__takes_a_regular_file_and_a_link_to_one),
        cmocka_unit_test(read__refuses_what_is_no_regular_file),
        cmocka_unit_test(read__refuses_more_than_a_mebibyte_and_says_where),
        cmocka_unit_test(a_link_of_somebody_else__is_not_followed),
        cmocka_unit_test(a_link_of_somebody_else_on_the_way__is_not_followed),
        cmocka_unit_test(links_without_end__are_an_error),
        cmocka_unit_test(who_may_write__is_returned),
        cmocka_unit_test(load__takes_the_default_where_no_file_has_to_exist),
        cmocka_unit_test(load__takes_no_default_for_a_file_that_is_wrong),
        cmocka_unit_test(what_is_no_configuration__is_not_quoted),
        cmocka_unit_test(a_word_that_is_nearly_a_key__is_a_slip),
        cmocka_unit_test(a_file_that_is_being_written__is_read_when_it_is_complete),
        cmocka_unit_test(a_file_that_was_cut__is_refused_by_the_reload_at_least),
        cmocka_unit_test(a_last_line_without_end__is_an_error_with_its_place),
        cmocka_unit_test(a_file_that_says_nothing__is_no_configuration),
        cmocka_unit_test(what_has_targets__is_not_followed_by_the_default),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

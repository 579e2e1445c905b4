/* SPDX-License-Identifier: Apache-2.0 */
#include "service/options.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "service/version.h"

/* Collects what a call prints to a descriptor. */
struct capture {
    int descriptor, saved, reader;
    char text[16384];
};

static void capture_begin(struct capture *capture, int descriptor)
{
    int ends[2];

    assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
    (void)fflush(stdout);
    *capture =
        (struct capture){.descriptor = descriptor, .saved = dup(descriptor), .reader = ends[0]};
    assert_true(dup2(ends[1], descriptor) >= 0);
    assert_int_equal(close(ends[1]), 0);
}

static void capture_end(struct capture *capture)
{
    (void)fflush(stdout);
    assert_true(dup2(capture->saved, capture->descriptor) >= 0);
    assert_int_equal(close(capture->saved), 0);
    if (read(capture->reader, capture->text, sizeof(capture->text) - 1) < 0)
        capture->text[0] = '\0';
    assert_int_equal(close(capture->reader), 0);
}

/* Parses up to five flags. */
static int parse(struct options *ret_options, const char *const *flags_given)
{
    char words[6][128] = {"pmu_exporter"};
    char *argv[7] = {words[0]};
    int argc = 1;

    for (; argc < 6 && flags_given[argc - 1]; argc++) {
        (void)strncpy(words[argc], flags_given[argc - 1], sizeof(words[argc]) - 1);
        argv[argc] = words[argc];
    }
    return options_parse(argc, argv, ret_options);
}

#define FLAGS(...)                                                                                 \
    (const char *const[])                                                                          \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }

static void no_flags__are_the_defaults(void **state)
{
    char name[] = "pmu_exporter", *argv[] = {name, NULL};
    struct options options;

    (void)state;
    assert_int_equal(options_parse(1, argv, &options), FLAGS_RUN);
    assert_int_equal(options.n_listen_addresses, 1);
    assert_string_equal(options.listen_addresses[0], ":10138");
    assert_false(options.systemd_socket);
    assert_string_equal(options.telemetry_path, "/metrics");
    assert_false(options.enable_lifecycle);
    assert_string_equal(options.control_socket, "/run/pmu_exporter/control");
    assert_string_equal(options.config_file, "/etc/pmu_exporter/pmu_exporter.yml");
    assert_false(options.config_file_given);
    assert_false(options.config_check);
    assert_int_equal(options.log_level, LOG_LEVEL_INFO);
    assert_int_equal(options.log_format, LOG_FORMAT_LOGFMT);
    assert_string_equal(options.procfs, "/proc");
    assert_string_equal(options.sysfs, "/sys");
    assert_null(options.cgroupfs);
    options_done(&options);
}

/* Values are borrowed from argv, so it lives as long as they do. */
static void every_flag__is_taken_in_both_forms(void **state)
{
    char words[][48] = {"pmu_exporter",
                        "--web.listen-address=127.0.0.1:1",
                        "--web.listen-address",
                        "[::1]:2",
                        "--web.telemetry-path=/pmu/metrics",
                        "--web.enable-lifecycle",
                        "--control.socket=/x",
                        "--config.file",
                        "a.yml",
                        "--config.check",
                        "--path.procfs=/p",
                        "--path.sysfs=/s",
                        "--path.cgroupfs",
                        "/c",
                        "--log.level=debug",
                        "--log.format",
                        "json"};
    char *argv[ARRAY_SIZE(words) + 1] = {0};
    struct options options;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        argv[i] = words[i];
    assert_int_equal(options_parse((int)ARRAY_SIZE(words), argv, &options), FLAGS_RUN);
    assert_int_equal(options.n_listen_addresses, 2);
    assert_string_equal(options.listen_addresses[0], "127.0.0.1:1");
    assert_string_equal(options.listen_addresses[1], "[::1]:2");
    assert_string_equal(options.telemetry_path, "/pmu/metrics");
    assert_true(options.enable_lifecycle);
    assert_string_equal(options.control_socket, "/x");
    assert_string_equal(options.config_file, "a.yml");
    assert_true(options.config_file_given);
    assert_true(options.config_check);
    assert_string_equal(options.procfs, "/p");
    assert_string_equal(options.sysfs, "/s");
    assert_string_equal(options.cgroupfs, "/c");
    assert_int_equal(options.log_level, LOG_LEVEL_DEBUG);
    assert_int_equal(options.log_format, LOG_FORMAT_JSON);
    options_done(&options);
}

static void what_is_wrong__is_named(void **state)
{
    static const struct {
        const char *flags[3];
        const char *says[2];
    } cases[] = {
        {{"--foo"}, {"unknown flag --foo (try --help)"}},
        {{"--web.telemetry-pth=/m"}, {"unknown flag --web.telemetry-pth", "--web.telemetry-path?"}},
        {{"--config.fil", "x"}, {"unknown flag --config.fil", "did you mean --config.file?"}},
        {{"--vers"}, {"unknown flag --vers"}},
        {{"-v"}, {"unknown flag -v"}},
        {{"word", "--help"}, {"unexpected argument \"word\""}},
        {{"--", "--help"}, {"unexpected argument \"--help\""}},
        {{"--log.level"}, {"flag --log.level needs a value"}},
        {{"--log.level=loud"}, {"--log.level is \"loud\"", "debug, info, warn or error"}},
        {{"--log.format=xml"}, {"--log.format is \"xml\"", "logfmt or json"}},
        {{"--config.check=yes"}, {"flag --config.check takes no value"}},
        {{"--config.file=a", "--config.file=b"}, {"flag --config.file is given twice"}},
        {{"--config.file="}, {"--config.file is \"\"", "expected a path"}},
        {{"--path.sysfs="}, {"expected a path"}},
        {{"word"}, {"unexpected argument \"word\""}},
        {{"--config.check", "word"}, {"unexpected argument \"word\""}},
        {{"--web.telemetry-path=metrics"}, {"begins with /"}},
        {{"--web.telemetry-path=/"}, {"not taken"}},
        {{"--web.telemetry-path=/-/ready"}, {"not taken"}},
        {{"--web.telemetry-path=/-/reload"}, {"not taken"}},
        {{"--web.enable-lifecycle=1"}, {"flag --web.enable-lifecycle takes no value"}},
        {{"--control.socket="}, {"--control.socket is \"\"", "expected a path"}},
        {{"--web.telemetry-path=/a?b"}, {"begins with /"}},
        {{"--web.telemetry-path="}, {"begins with /"}},
        {{"--web.listen-address=nowhere"}, {"--web.listen-address is \"nowhere\"", "HOST:PORT"}},
        {{"--web.listen-address=:1", "--log.level=x"}, {"--log.level"}},
        {{"--web.systemd-socket=3"}, {"flag --web.systemd-socket takes no value"}},
        {{"--web.systemd-socket", "--web.listen-address=:1"},
         {"--web.systemd-socket and --web.listen-address are given together", ".socket unit"}},
        {{"--web.listen-address=:1", "--web.systemd-socket"}, {"are given together"}},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct options options;
        struct capture capture;
        int outcome;

        capture_begin(&capture, STDERR_FILENO);
        outcome = parse(&options, cases[i].flags);
        capture_end(&capture);
        assert_int_equal(outcome, FLAGS_BAD);
        assert_memory_equal(capture.text, "pmu_exporter: error: ", 21);
        for (size_t j = 0; j < 2 && cases[i].says[j]; j++)
            if (!strstr(capture.text, cases[i].says[j]))
                fail_msg("no \"%s\" in: %s", cases[i].says[j], capture.text);
    }
}

static void sockets_of_systemd__take_the_place_of_addresses(void **state)
{
    struct options options;

    (void)state;
    assert_int_equal(parse(&options, FLAGS("--web.systemd-socket")), FLAGS_RUN);
    assert_true(options.systemd_socket);
    assert_int_equal(options.n_listen_addresses, 0);
    options_done(&options);
}

static void two_dashes__end_the_flags(void **state)
{
    struct options options;

    (void)state;
    assert_int_equal(parse(&options, FLAGS("--config.check", "--")), FLAGS_RUN);
    assert_true(options.config_check);
    options_done(&options);
}

static void help__has_every_flag_and_its_default(void **state)
{
    struct options options;
    struct capture capture;
    int outcome;

    (void)state;
    for (int letter = 0; letter < 2; letter++) {
        capture_begin(&capture, STDOUT_FILENO);
        outcome = parse(&options, letter ? FLAGS("-h") : FLAGS("--help", "--foo"));
        capture_end(&capture);
        assert_int_equal(outcome, FLAGS_DONE);
        assert_memory_equal(capture.text, "usage: pmu_exporter [<flags>]\n", 30);
        for (size_t i = 0; i < N_OPTIONS_FLAGS; i++) {
            const char *found;
            char shown[128];

            (void)snprintf(shown, sizeof(shown), " --%s%s%s", options_flags[i].name,
                           options_flags[i].placeholder ? "=" : "",
                           options_flags[i].placeholder ? options_flags[i].placeholder : "");
            found = strstr(capture.text, shown);
            assert_non_null(found);
            assert_true(found[strlen(shown)] == ' ' || found[strlen(shown)] == '\n');
        }
    }
}

static void help__is_80_columns_wide(void **state)
{
    struct options options;
    struct capture capture;

    (void)state;
    capture_begin(&capture, STDOUT_FILENO);
    (void)parse(&options, FLAGS("--help"));
    capture_end(&capture);
    for (char *line = strtok(capture.text, "\n"); line; line = strtok(NULL, "\n"))
        assert_true(strlen(line) <= 80);
}

static void version__is_printed_as_prometheus_does(void **state)
{
    struct options options;
    struct capture capture;
    char expected[128];

    (void)state;
    capture_begin(&capture, STDOUT_FILENO);
    assert_int_equal(parse(&options, FLAGS("--version")), FLAGS_DONE);
    capture_end(&capture);
    (void)snprintf(expected, sizeof(expected), "pmu_exporter, version %s (revision: %s)\n",
                   version_string(), version_revision());
    assert_memory_equal(capture.text, expected, strlen(expected));
    assert_true(version_string()[0] >= '0' && version_string()[0] <= '9');
    assert_true(strlen(version_revision()) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_flags__are_the_defaults),
        cmocka_unit_test(every_flag__is_taken_in_both_forms),
        cmocka_unit_test(what_is_wrong__is_named),
        cmocka_unit_test(sockets_of_systemd__take_the_place_of_addresses),
        cmocka_unit_test(two_dashes__end_the_flags),
        cmocka_unit_test(help__has_every_flag_and_its_default),
        cmocka_unit_test(help__is_80_columns_wide),
        cmocka_unit_test(version__is_printed_as_prometheus_does),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

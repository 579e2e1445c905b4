/* SPDX-License-Identifier: Apache-2.0 */

/*
 * getopt_long() takes the command line apart. It would also take what is not
 * wanted here: abbreviations, which a later flag may make ambiguous, and words
 * between the flags. Both are refused, as Prometheus' programs do.
 */
#include "service/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/suggest.h"
#include "config/config_error.h"
#include "service/options_help.h"
#include "service/pages.h"
#include "service/version.h"
#include "web/server.h"

static int refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

static int refuse(const char *format, ...)
{
    va_list arguments;

    (void)fputs("pmu_exporter: error: ", stderr);
    va_start(arguments, format);
    (void)vfprintf(stderr, format, arguments);
    va_end(arguments);
    (void)fputs(" (try --help)\n", stderr);
    return OPTIONS_BAD;
}

static int refuse_value(enum flag_number number, const char *value, const char *expected)
{
    return refuse("--%s is %s; expected %s", flags[number].name, SHOWN(value), expected);
}

static int add_address(struct options *options, const char *address)
{
    const char *expected = server_listen_check(address);
    const char **addresses;

    if (expected)
        return refuse_value(FLAG_LISTEN_ADDRESS, address, expected);
    addresses = reallocarray(options->listen_addresses, options->n_listen_addresses + 1,
                             sizeof(*addresses));
    if (!addresses)
        return -ENOMEM;
    addresses[options->n_listen_addresses++] = address;
    options->listen_addresses = addresses;
    return OPTIONS_RUN;
}

/* It is compared with what stands in a request line, and shown as a link. */
static int set_telemetry_path(struct options *options, const char *path)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789/-._~";

    if (path[0] != '/' || path[strspn(path, plain)])
        return refuse_value(FLAG_TELEMETRY_PATH, path,
                            "a path that begins with / and holds letters, digits and /-._~");
    if (pages_has_path(path))
        return refuse_value(FLAG_TELEMETRY_PATH, path, "a path that is not taken");
    options->telemetry_path = path;
    return OPTIONS_RUN;
}

static int set_path(enum flag_number number, const char *value, const char **ret_path)
{
    if (!*value)
        return refuse_value(number, value, "a path");
    *ret_path = value;
    return OPTIONS_RUN;
}

static int apply(struct options *options, enum flag_number number, const char *value)
{
    switch (number) {
    case FLAG_HELP:
        options_print_help();
        return OPTIONS_DONE;
    case FLAG_VERSION:
        version_print("pmu_exporter");
        return OPTIONS_DONE;
    case FLAG_LISTEN_ADDRESS:
        return add_address(options, value);
    case FLAG_SYSTEMD_SOCKET:
        options->systemd_socket = true;
        return OPTIONS_RUN;
    case FLAG_TELEMETRY_PATH:
        return set_telemetry_path(options, value);
    case FLAG_ENABLE_LIFECYCLE:
        options->enable_lifecycle = true;
        return OPTIONS_RUN;
    case FLAG_CONTROL_SOCKET:
        return set_path(number, value, &options->control_socket);
    case FLAG_CONFIG_FILE:
        options->config_file_given = true;
        return set_path(number, value, &options->config_file);
    case FLAG_CONFIG_CHECK:
        options->config_check = true;
        return OPTIONS_RUN;
    case FLAG_PROCFS:
        return set_path(number, value, &options->procfs);
    case FLAG_SYSFS:
        return set_path(number, value, &options->sysfs);
    case FLAG_CGROUPFS:
        return set_path(number, value, &options->cgroupfs);
    case FLAG_LOG_LEVEL:
        return log_level_parse(value, &options->log_level) == 0
                   ? OPTIONS_RUN
                   : refuse_value(number, value, "debug, info, warn or error");
    case FLAG_LOG_FORMAT:
        return log_format_parse(value, &options->log_format) == 0
                   ? OPTIONS_RUN
                   : refuse_value(number, value, "logfmt or json");
    case FLAG_COUNT_:
        break;
    }
    return OPTIONS_BAD;
}

/* `given` is the flag as typed, "--web.telemetry-pth=/m" */
static int refuse_flag(const char *given)
{
    const char *names[FLAG_COUNT_], *nearest;
    size_t dashes = strspn(given, "-");
    AUTO_FREE char *word = strndup(given + dashes, strcspn(given + dashes, "="));

    if (!word)
        return -ENOMEM;
    for (size_t i = 0; i < FLAG_COUNT_; i++)
        names[i] = flags[i].name;
    nearest = suggest_nearest(word, names, FLAG_COUNT_);
    if (nearest)
        return refuse("unknown flag %.*s%s, did you mean --%s?", (int)dashes, given, word, nearest);
    return refuse("unknown flag %.*s%s", (int)dashes, given, word);
}

/* getopt_long() takes abbreviations; this tells whether it was given one. */
static bool is_whole_name(const char *given, const char *name)
{
    size_t length = strlen(name);

    if (strncmp(given, "--", 2) != 0)
        return true; /* -h */
    return strncmp(given + 2, name, length) == 0 &&
           (!given[2 + length] || given[2 + length] == '=');
}

static void make_long_options(struct option long_options[static FLAG_COUNT_ + 1])
{
    for (int i = 0; i < FLAG_COUNT_; i++)
        long_options[i] =
            (struct option){.name = flags[i].name,
                            .has_arg = flags[i].placeholder ? required_argument : no_argument,
                            .val = 256 + i};
    long_options[FLAG_COUNT_] = (struct option){0};
}

/* One flag that getopt_long() returned as `letter`, and how it was typed. */
static int take_flag(struct options *options, int letter, const char *given, bool *seen)
{
    int number = letter == 'h' ? FLAG_HELP : letter - 256;

    if (letter == ':')
        return refuse("flag %s needs a value", given);
    if (letter == '?' && optopt >= 256)
        return refuse("flag --%s takes no value", flags[optopt - 256].name);
    if (letter == '?' || !is_whole_name(given, flags[number].name))
        return refuse_flag(given);
    if (seen[number] && !flags[number].repeatable)
        return refuse("flag --%s is given twice", flags[number].name);
    seen[number] = true;
    return apply(options, (enum flag_number)number, optarg);
}

static int parse_flags(int argc, char **argv, struct options *options)
{
    struct option long_options[FLAG_COUNT_ + 1];
    bool seen[FLAG_COUNT_] = {false};
    int r = OPTIONS_RUN;

    make_long_options(long_options);
    optind = 0; /* glibc: begin anew, also in a second call */
    opterr = 0;
    while (r == OPTIONS_RUN) {
        int at = optind ? optind : 1;
        /* "+": stop at the first word that is no flag; ":": tell a missing value apart */
        int letter = getopt_long(argc, argv, "+:h", long_options, NULL);

        if (letter < 0)
            break;
        r = take_flag(options, letter, argv[at], seen);
    }
    if (r == OPTIONS_RUN && optind < argc)
        return refuse("unexpected argument %s", SHOWN(argv[optind]));
    return r;
}

/*
 * An address that is given beside the sockets would be ignored: somebody who asked for
 * loopback could be answering to the world.
 */
static int complete_addresses(struct options *options)
{
    if (options->systemd_socket && options->n_listen_addresses > 0)
        return refuse("--web.systemd-socket and --web.listen-address are given together; the "
                      "address stands in the .socket unit");
    if (options->systemd_socket || options->n_listen_addresses > 0)
        return OPTIONS_RUN;
    return add_address(options, ":" DEFAULT_PORT);
}

int options_parse(int argc, char **argv, struct options *ret_options)
{
    struct options options = {
        .telemetry_path = "/metrics",
        .control_socket = DEFAULT_CONTROL_SOCKET,
        .config_file = DEFAULT_CONFIG_FILE,
        .log_level = LOG_LEVEL_INFO,
        .log_format = LOG_FORMAT_LOGFMT,
        .procfs = "/proc",
        .sysfs = "/sys",
    };
    int r = parse_flags(argc, argv, &options);

    if (r == OPTIONS_RUN)
        r = complete_addresses(&options);
    if (r != OPTIONS_RUN) {
        options_done(&options);
        return r;
    }
    *ret_options = options;
    return OPTIONS_RUN;
}

void options_done(struct options *options)
{
    free(options->listen_addresses);
    options->listen_addresses = NULL;
    options->n_listen_addresses = 0;
}

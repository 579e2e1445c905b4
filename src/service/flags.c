/* SPDX-License-Identifier: Apache-2.0 */
/*
 * getopt_long(), of libc, takes the command line apart. pmutool has argp, as programs of a terminal
 * do. The service's flags are those of Prometheus' exporters: argp prints unknown flags itself, so
 * that no nearest one can be named, takes abbreviations, which a later flag could make ambiguous,
 * and does not tell how a flag was typed; all that would remain of it is a loop around the same
 * getopt_long(). popt takes no abbreviations and names what is wrong, but it is one more library,
 * whose values are copies that somebody has to free.
 */
#include "service/flags.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/suggest.h"
#include "config/config_error.h"

#define HELP_COLUMN 29
#define LINE_WIDTH  80

/* getopt_long() returns this for the first flag of the table; smaller numbers are letters. */
#define FIRST_FLAG 256

/* getopt_long() returns this for a word that is no flag. */
#define WORD 1

int flags_refuse(const char *program, const char *format, ...)
{
    va_list arguments;

    (void)fprintf(stderr, "%s: error: ", program);
    va_start(arguments, format);
    (void)vfprintf(stderr, format, arguments);
    va_end(arguments);
    (void)fputs(" (try --help)\n", stderr);
    return FLAGS_BAD;
}

int flag_take_presence(const struct flag *flag, const char *value, void *object,
                       const char **ret_expected)
{
    (void)value, (void)ret_expected;
    *(bool *)((char *)object + flag->member) = true;
    return FLAGS_RUN;
}

int flag_take_path(const struct flag *flag, const char *value, void *object,
                   const char **ret_expected)
{
    if (!*value) {
        *ret_expected = "a path";
        return FLAGS_BAD;
    }
    *(const char **)(void *)((char *)object + flag->member) = value;
    return FLAGS_RUN;
}

/* `given` is the flag as typed: "--web.telemetry-pth=/m". */
static int refuse_unknown(const struct flag_table *table, const char *given)
{
    const size_t dashes = strspn(given, "-");
    AUTO_FREE char *word = strndup(given + dashes, strcspn(given + dashes, "="));
    const char *names[MOST_FLAGS], *nearest;

    if (!word)
        return -ENOMEM;
    for (size_t i = 0; i < table->n; i++)
        names[i] = table->flags[i].name;
    nearest = suggest_nearest(word, names, table->n);
    if (nearest)
        return flags_refuse(table->program, "unknown flag %.*s%s, did you mean --%s?", (int)dashes,
                            given, word, nearest);
    return flags_refuse(table->program, "unknown flag %.*s%s", (int)dashes, given, word);
}

/* getopt_long() takes abbreviations too. Returns false if the flag was typed as one. */
static bool is_whole_name(const char *given, const char *name)
{
    const size_t length = strlen(name);

    if (strncmp(given, "--", 2) != 0)
        return true; /* It is a letter, as -h. */
    return strncmp(given + 2, name, length) == 0 &&
           (!given[2 + length] || given[2 + length] == '=');
}

/* Takes one flag that getopt_long() has returned as a code, and that was typed like this. */
static int take_flag(const struct flag_table *table, int code, const char *given, void *object,
                     bool *is_given)
{
    const size_t i = code == 'h' ? 0 : (size_t)(code - FIRST_FLAG);
    const char *expected = NULL;
    int r;

    if (code == ':')
        return flags_refuse(table->program, "flag %s needs a value", given);
    if (code == '?' && optopt >= FIRST_FLAG)
        return flags_refuse(table->program, "flag --%s takes no value",
                            table->flags[optopt - FIRST_FLAG].name);
    if (code == '?' || !is_whole_name(given, table->flags[i].name))
        return refuse_unknown(table, given);
    if (is_given[i] && !table->flags[i].repeatable)
        return flags_refuse(table->program, "flag --%s is given twice", table->flags[i].name);
    is_given[i] = true;
    r = table->flags[i].take(&table->flags[i], optarg, object, &expected);
    if (r == FLAGS_BAD && expected)
        return flags_refuse(table->program, "--%s is %s; expected %s", table->flags[i].name,
                            SHOWN(optarg), expected);
    return r;
}

static int take_word(const struct flag_table *table, char *word, void *object)
{
    if (!table->take_word)
        return flags_refuse(table->program, "unexpected argument %s", SHOWN(word));
    return table->take_word(word, object);
}

int flags_parse(const struct flag_table *table, int argc, char **argv, void *object,
                bool *ret_given)
{
    struct option options[MOST_FLAGS + 1] = {0};
    int r = FLAGS_RUN;

    for (size_t i = 0; i < table->n; i++) {
        ret_given[i] = false;
        options[i] = (struct option){.name = table->flags[i].name,
                                     .has_arg = table->flags[i].placeholder ? required_argument
                                                                            : no_argument,
                                     .val = FIRST_FLAG + (int)i};
    }
    optind = 0; /* With glibc this begins anew, also in a second call. */
    opterr = 0;
    while (r == FLAGS_RUN) {
        const int at = optind ? optind : 1;
        /* "-" has a word returned as WORD, in its place; ":" has a missing value returned as ":".
         */
        const int code = getopt_long(argc, argv, "-:h", options, NULL);

        if (code < 0)
            break;
        r = code == WORD ? take_word(table, optarg, object)
                         : take_flag(table, code, argv[at], object, ret_given);
    }
    while (r == FLAGS_RUN && optind < argc) /* These words stand behind "--". */
        r = take_word(table, argv[optind++], object);
    return r;
}

void flags_print_text(const char *text, int column, int indent)
{
    for (size_t length; *text; text += length) {
        length = strcspn(text, " ");
        if (column > indent && column + 1 + (int)length > LINE_WIDTH) {
            (void)printf("\n%*s", indent, "");
            column = indent;
        }
        if (column > indent) {
            (void)putchar(' ');
            column++;
        }
        (void)printf("%.*s", (int)length, text);
        column += (int)length;
        length += strspn(text + length, " ");
    }
    (void)putchar('\n');
}

void flags_print(const struct flag *flags, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int column = printf("  %s --%s", i == 0 ? "-h," : "   ", flags[i].name);

        if (flags[i].placeholder)
            column += printf("=%s", flags[i].placeholder);
        if (flags[i].repeatable)
            column += printf(" ...");
        if (column + 2 > HELP_COLUMN)
            (void)printf("\n%*s", HELP_COLUMN, "");
        else
            (void)printf("%*s", HELP_COLUMN - column, "");
        flags_print_text(flags[i].help, HELP_COLUMN, HELP_COLUMN);
    }
}

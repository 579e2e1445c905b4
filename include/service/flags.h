/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The command line of pmu_exporter, in the conventions of Prometheus' programs: "--flag=value"
 * and "--flag value", no abbreviations, which a later flag could make ambiguous, and errors that
 * name the nearest flag. The flags are a table: from it come the parsing, the errors and --help.
 */

#include <stdbool.h>
#include <stddef.h>

enum flags_outcome {
    FLAGS_RUN,  /* go on */
    FLAGS_DONE, /* what was asked for was printed, as by --help: exit 0 */
    FLAGS_BAD,  /* an error was printed to stderr: exit 2 */
};

struct flag {
    const char *name;        /* without dashes */
    const char *placeholder; /* how --help shows the value, or its default; NULL: it has no value */
    bool repeatable;
    const char *help;

    /*
     * Takes a value, which is borrowed from argv, or NULL where the flag has none, into the object
     * that flags_parse() was given. Returns an enum flags_outcome or -errno; FLAGS_BAD with what
     * was expected in the place of the value, in static words: then the error is still to be
     * printed.
     */
    int (*take)(const struct flag *flag, const char *value, void *object,
                const char **ret_expected);

    size_t member; /* for the functions below: where in the object the value goes */
};

/* The member is a bool, which becomes true; a const char *, for a path that is not empty. */
int flag_take_presence(const struct flag *flag, const char *value, void *object,
                       const char **ret_expected);
int flag_take_path(const struct flag *flag, const char *value, void *object,
                   const char **ret_expected);

/* No table has more flags. */
#define MOST_FLAGS 32

/* The first flag is "help", which -h stands for too. */
struct flag_table {
    const char *program; /* as errors begin: "pmu_exporter" */
    const struct flag *flags;
    size_t n;

    /* Takes a word that is neither a flag nor its value. NULL: there may be none. */
    int (*take_word)(char *word, void *object);
};

/*
 * Takes the command line apart. Returns an enum flags_outcome, or -errno of a function of the
 * table. In ret_given, which has a place for each flag, it becomes true for each that was given.
 */
int flags_parse(const struct flag_table *table, int argc, char **argv, void *object,
                bool *ret_given);

/* Prints "PROGRAM: error: ", a text, and "(try --help)" to stderr. Returns FLAGS_BAD. */
int flags_refuse(const char *program, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Prints to stdout what --help says of each flag, in two columns, 80 characters wide. */
void flags_print(const struct flag *flags, size_t n);

/*
 * Prints a text to stdout in lines of up to 80 characters. The first line goes on at this column,
 * and the others are indented.
 */
void flags_print_text(const char *text, int column, int indent);

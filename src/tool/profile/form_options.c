/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/profile/form_options.h"

#include <string.h>

#include "base/cleanup.h"
#include "config/config_error.h"
#include "tool/command.h"
#include "tool/option_values.h"
#include "tool/profile/output.h"

enum { KEY_FORMAT = 0x1700 };

static const char *const names[PROFILE_FORMAT_COUNT_] = {
    [PROFILE_FORMAT_TABLE] = "table",         [PROFILE_FORMAT_TREE] = "tree",
    [PROFILE_FORMAT_COLLAPSED] = "collapsed", [PROFILE_FORMAT_SPEEDSCOPE] = "speedscope",
    [PROFILE_FORMAT_PPROF] = "pprof",         [PROFILE_FORMAT_JSON] = "json",
};

static const struct argp_option entries[] = {
    {.name = "format",
     .key = KEY_FORMAT,
     .arg = "FORMAT",
     .doc = "table (of functions), tree (of calls), collapsed, speedscope, pprof or json. "
            "Default: what the name of the file of -o says; else table, of record with -o pprof."},
    {.name = "lines",
     .key = 'n',
     .arg = "NUMBER",
     .doc = "The most lines of a table or tree. Default: as a terminal has; elsewhere all."},
    {.name = "output",
     .key = 'o',
     .arg = "FILE",
     .doc = "Write it to a file; - is the standard output. Without --format a name that ends in "
            ".pb.gz, .pb or .pprof means pprof; .collapsed or .folded, collapsed; "
            ".speedscope.json, speedscope; another .json, json."},
    {0},
};

/* How names of files end. Longer endings come first. */
static const struct {
    const char *ending;
    enum profile_format format;
} endings[] = {
    {".pb.gz", PROFILE_FORMAT_PPROF},      {".pb", PROFILE_FORMAT_PPROF},
    {".pprof", PROFILE_FORMAT_PPROF},      {".collapsed", PROFILE_FORMAT_COLLAPSED},
    {".folded", PROFILE_FORMAT_COLLAPSED}, {".speedscope.json", PROFILE_FORMAT_SPEEDSCOPE},
    {".json", PROFILE_FORMAT_JSON},
};

const char *profile_format_name(enum profile_format format)
{
    return names[format];
}

static enum profile_format take_format(const char *word)
{
    for (size_t i = 0; i < PROFILE_FORMAT_COUNT_; i++)
        if (strcmp(names[i], word) == 0)
            return (enum profile_format)i;
    command_refuse("--format is %s; expected table, tree, collapsed, speedscope, pprof or json",
                   SHOWN(word));
}

/* The format that the name of a file tells; else `other`. */
static enum profile_format format_of(const char *file, enum profile_format other)
{
    const size_t length = strlen(file);

    for (size_t i = 0; i < ARRAY_SIZE(endings); i++) {
        const size_t n = strlen(endings[i].ending);

        if (length >= n && strcmp(file + length - n, endings[i].ending) == 0)
            return endings[i].format;
    }
    return other;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct profile_form *form = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &form->options->where;
        return 0;
    case KEY_FORMAT:
        form->options->format = take_format(argument);
        form->has_format = true;
        return 0;
    case 'n':
        form->options->lines = option_number("-n", argument, 1, PROFILE_LINES_MAX);
        return 0;
    case 'o':
        form->options->output = strcmp(argument, "-") == 0 ? NULL : argument;
        form->has_output = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{.argp = &control_client_argp}, {0}};

const struct argp profile_form_argp = {.options = entries, .parser = parse, .children = children};

void profile_form_check(const struct profile_form *form, enum profile_format of_file)
{
    struct profile_options *options = form->options;

    if (options->where.json && form->has_format && options->format != PROFILE_FORMAT_JSON)
        command_refuse("--json and --format=%s do not go together", names[options->format]);
    if (options->where.json)
        options->format = PROFILE_FORMAT_JSON;
    else if (!form->has_format && form->has_output)
        options->format = options->output ? format_of(options->output, of_file) : of_file;
    if (options->format == PROFILE_FORMAT_PPROF && profile_output_is_terminal(options->output))
        command_refuse("pprof is binary, and no terminal shows it; expected -o FILE or a pipe");
}

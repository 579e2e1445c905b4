/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A careless pattern and a well-chosen command line can keep a backtracking matcher busy for
 * hours. The limit that PCRE2 offers does not prevent that: it begins anew at each byte at which
 * a match may begin, and it does not see how far a step looks. 4 KiB of arguments against
 * `a.*b.*c.*d` take 100 times as long as the limit seems to allow.
 *
 * So the pattern is compiled with a callout before each of its items, and the callout counts the
 * work: the steps, and the bytes that each step went. The same text always takes the same work,
 * which would not be so for a limit by the clock.
 */
#include "target/cmdline_pattern.h"

#include <errno.h>
#include <stdio.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#define MOST_WORK       250000 /* steps; they take some milliseconds */
#define MOST_MEMORY     4096   /* KiB for one match */
#define LONGEST_MESSAGE 96     /* of PCRE2 */

struct cmdline_pattern {
    pcre2_code *code;
    pcre2_match_context *context;
    PCRE2_SPTR names; /* table of named groups inside `code`: a number of two bytes, then a name */
    uint32_t n_names, name_size;
};

/* What the callout of one match has counted. */
struct work {
    size_t position; /* where the last step was */
    size_t done;
};

struct cmdline_pattern *cmdline_pattern_free(struct cmdline_pattern *pattern)
{
    if (!pattern)
        return NULL;
    pcre2_code_free(pattern->code);
    pcre2_match_context_free(pattern->context);
    free(pattern);
    return NULL;
}

/* Makes an error for the user of an error code of PCRE2. */
static int set_error(int code, size_t offset, size_t length, struct process_rule_error *ret_error)
{
    PCRE2_UCHAR message[LONGEST_MESSAGE] = "";

    if (code == PCRE2_ERROR_NOMEMORY || code == PCRE2_ERROR_HEAP_FAILED)
        return -ENOMEM;
    (void)pcre2_get_error_message(code, message, sizeof(message));
    ret_error->offset = offset < length ? offset : length;
    (void)snprintf(ret_error->message, sizeof(ret_error->message),
                   "not a regular expression (PCRE2): %s", (const char *)message);
    return -EINVAL;
}

static int compile(const char *regex, pcre2_code **ret_code, struct process_rule_error *ret_error)
{
    pcre2_compile_context *context = pcre2_compile_context_create(NULL);
    PCRE2_SIZE offset = 0;
    pcre2_code *code;
    int error = 0;

    if (!context)
        return -ENOMEM;
    (void)pcre2_set_newline(context, PCRE2_NEWLINE_LF);
    code = pcre2_compile((PCRE2_SPTR)regex, PCRE2_ZERO_TERMINATED,
                         PCRE2_AUTO_CALLOUT | PCRE2_DOLLAR_ENDONLY | PCRE2_NEVER_UTF, &error,
                         &offset, context);
    pcre2_compile_context_free(context);
    if (!code)
        return set_error(error, offset, strlen(regex), ret_error);
    *ret_code = code;
    return 0;
}

int cmdline_pattern_new(const char *regex, struct cmdline_pattern **ret_pattern,
                        struct process_rule_error *ret_error)
{
    AUTO(cmdline_pattern) struct cmdline_pattern *pattern = calloc(1, sizeof(*pattern));
    int r;

    if (!pattern)
        return -ENOMEM;
    r = compile(regex, &pattern->code, ret_error);
    if (r < 0)
        return r;
    pattern->context = pcre2_match_context_create(NULL);
    if (!pattern->context)
        return -ENOMEM;
    (void)pcre2_set_match_limit(pattern->context, MOST_WORK);
    (void)pcre2_set_depth_limit(pattern->context, MOST_WORK);
    (void)pcre2_set_heap_limit(pattern->context, MOST_MEMORY);
    (void)pcre2_pattern_info(pattern->code, PCRE2_INFO_NAMETABLE, (void *)&pattern->names);
    (void)pcre2_pattern_info(pattern->code, PCRE2_INFO_NAMECOUNT, &pattern->n_names);
    (void)pcre2_pattern_info(pattern->code, PCRE2_INFO_NAMEENTRYSIZE, &pattern->name_size);
    *ret_pattern = TAKE(pattern);
    return 0;
}

size_t cmdline_pattern_n_captures(const struct cmdline_pattern *pattern)
{
    return pattern->n_names;
}

const char *cmdline_pattern_capture(const struct cmdline_pattern *pattern, size_t index)
{
    return (const char *)pattern->names + index * pattern->name_size + 2;
}

static size_t capture_number(const struct cmdline_pattern *pattern, size_t index)
{
    PCRE2_SPTR entry = pattern->names + index * pattern->name_size;

    return (size_t)entry[0] << 8 | entry[1];
}

/* PCRE2 calls this before each item of the pattern. */
static int count_work(pcre2_callout_block *callout, void *data)
{
    struct work *work = data;
    size_t at = callout->current_position;

    work->done += 1 + (at > work->position ? at - work->position : work->position - at);
    work->position = at;
    return work->done > MOST_WORK ? PCRE2_ERROR_CALLOUT : 0;
}

static void take_captures(const struct cmdline_pattern *pattern, const char *cmdline,
                          const PCRE2_SIZE *offsets, struct text_piece *ret_captures)
{
    for (size_t i = 0; i < pattern->n_names; i++) {
        const PCRE2_SIZE *group = offsets + 2 * capture_number(pattern, i);

        ret_captures[i] = group[0] == PCRE2_UNSET
                              ? (struct text_piece){cmdline, 0}
                              : (struct text_piece){cmdline + group[0], group[1] - group[0]};
    }
}

static int verdict_of(int found)
{
    if (found > 0)
        return CMDLINE_MATCHES;
    if (found == PCRE2_ERROR_NOMEMORY)
        return -ENOMEM;
    return found == PCRE2_ERROR_NOMATCH ? CMDLINE_DIFFERS : CMDLINE_TOO_COSTLY;
}

int cmdline_pattern_match(const struct cmdline_pattern *pattern, const char *cmdline, size_t *work,
                          struct text_piece *ret_captures)
{
    pcre2_match_data *found = pcre2_match_data_create_from_pattern(pattern->code, NULL);
    struct work steps = {0};
    int r;

    if (!found)
        return -ENOMEM;
    (void)pcre2_set_callout(pattern->context, count_work, &steps);
    r = pcre2_match(pattern->code, (PCRE2_SPTR)cmdline, strlen(cmdline), 0, 0, found,
                    pattern->context);
    if (r > 0)
        take_captures(pattern, cmdline, pcre2_get_ovector_pointer(found), ret_captures);
    pcre2_match_data_free(found);
    *work += steps.done;
    return verdict_of(r);
}

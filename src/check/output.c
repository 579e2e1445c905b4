/* SPDX-License-Identifier: Apache-2.0 */
#include "check/output.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/cleanup.h"

void check_say(const struct check_output *output, const char *format, ...)
{
    va_list arguments;

    if (!output->prints)
        return;
    va_start(arguments, format);
    (void)vprintf(format, arguments);
    va_end(arguments);
}

static void print_problem(const char *path, const struct check_problem *problem)
{
    (void)printf("%s:", path);
    if (problem->place.line)
        (void)printf("%u:%u:", problem->place.line, problem->place.column);
    (void)printf(" %s: %s\n", problem->severity, problem->message);
}

static bool keep_problem(struct check_output *output, const struct check_problem *problem)
{
    struct check_problem *problems = array_reserve(
        output->problems, sizeof(*problems), &output->problems_capacity, output->n_problems + 1);

    if (!problems)
        return false;
    output->problems = problems;
    problems[output->n_problems++] = *problem;
    return true;
}

void check_note(struct check_output *output, struct config_place place, const char *severity,
                const char *format, ...)
{
    struct check_problem problem = {.severity = severity, .place = place};
    va_list arguments;
    int n;

    va_start(arguments, format);
    n = vasprintf(&problem.message, format, arguments);
    va_end(arguments);
    if (n < 0) {
        output->failed = true;
        return;
    }
    if (output->prints)
        print_problem(output->path, &problem);
    else if (keep_problem(output, &problem))
        return;
    else
        output->failed = true;
    free(problem.message);
}

void check_match(struct check_output *output, const char *what, size_t rule,
                 const struct match_list *list)
{
    struct check_match *matches;

    if (output->prints) {
        match_list_print(list, what, rule);
        return;
    }
    matches = array_reserve(output->matches, sizeof(*matches), &output->matches_capacity,
                            output->n_matches + 1);
    if (!matches) {
        output->failed = true;
        return;
    }
    output->matches = matches;
    matches[output->n_matches++] = (struct check_match){what, rule, *list};
}

void check_output_done(struct check_output *output)
{
    for (size_t i = 0; i < output->n_problems; i++)
        free(output->problems[i].message);
    free(output->problems);
    free(output->matches);
    *output = (struct check_output){0};
}

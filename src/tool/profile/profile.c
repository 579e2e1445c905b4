/* SPDX-License-Identifier: Apache-2.0 */

/*
 * `pmutool profile`: where the CPU time of a target went, of what the service has sampled anyway.
 * Nothing is started for it, and nobody waits.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "client/client.h"
#include "config/config_error.h"
#include "tool/command.h"
#include "tool/control_client.h"
#include "tool/json.h"
#include "tool/profile/complain.h"
#include "tool/profile/output.h"
#include "tool/profile/present.h"

/* The time of the last mark that has this text; 0: there is none. */
static double find_mark(const json_t *answer, const char *text)
{
    const json_t *marks = json_object_get(answer, "marks");
    double time = 0;

    for (size_t i = 0; i < json_array_size(marks); i++) {
        const json_t *mark = json_array_get(marks, i);
        const char *words = json_string_value(json_object_get(mark, "text"));

        if (words && strcmp(words, text) == 0)
            time = fmax(time, json_number_value(json_object_get(mark, "time")));
    }
    return time;
}

/*
 * Refuses a range that begins before the mark, or that ends before what led up to it does: the two
 * would have samples in common. Returns the exit status, 0 to go on.
 */
static int check_mark(const struct profile_options *options)
{
    const struct profile_span *after = &options->span, *before = &options->before;
    const uint64_t mark_ns = before->end_ns;

    if (options->before_target || !profile_spans_overlap(before, after))
        return EXIT_SUCCESS;
    (void)fprintf(stderr, PROGRAM ": the range overlaps what led up to the mark %s",
                  SHOWN(options->mark));
    if (mark_ns < after->end_ns)
        (void)fprintf(stderr, ", which was %.1f s before the end of the range",
                      (double)(after->end_ns - mark_ns) / (double)NS_PER_SECOND);
    (void)fprintf(stderr, "; expected one that begins after the mark, by --start or -d\n");
    return EXIT_REFUSED;
}

/* Tells that no mark has this text, and which ones there are. Returns EXIT_REFUSED. */
static int complain_of_mark(const char *mark, const json_t *answer)
{
    AUTO_TEXT struct text known = {0};

    profile_append_marks(&known, answer);
    if (text_error(&known) < 0)
        return command_fail(-ENOMEM);
    (void)fprintf(stderr, PROGRAM ": there is no mark %s; %.*s\n", SHOWN(mark), (int)known.length,
                  known.data);
    return EXIT_REFUSED;
}

/* Lets what is compared end at the mark that is named. Returns the exit status, 0 to go on. */
static int follow_mark(struct profile_options *options, struct pmu_client *client)
{
    AUTO_JSON json_t *answer = NULL;
    double time;

    if (!options->mark)
        return EXIT_SUCCESS;
    if (pmu_client_get(client, "/api/v1/marks", &answer) < 0)
        return control_client_complain(options->where.socket, client);
    time = find_mark(answer, options->mark);
    if (!(time > 0))
        return complain_of_mark(options->mark, answer);
    options->before =
        profile_span_ending(&options->span, (uint64_t)llround(time * (double)NS_PER_SECOND));
    return check_mark(options);
}

int run_profile(int argc, char **argv)
{
    struct profile_options options;
    struct pmu_client *client;
    int status;

    profile_options_parse(argc, argv, &options);
    status = profile_output_try(options.output);
    if (status != EXIT_SUCCESS)
        return status;
    if (pmu_client_open(command_socket(options.where.socket), &client) < 0)
        return command_fail(-ENOMEM);
    status = follow_mark(&options, client);
    if (status == EXIT_SUCCESS)
        status = profile_present(&options, client);
    (void)pmu_client_close(client);
    return status;
}

/* SPDX-License-Identifier: Apache-2.0 */

/*
 * `pmutool profile`: where the CPU time of a target went, of what the service has sampled anyway.
 * Nothing is started for it, and nobody waits.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "client/client.h"
#include "config/config_error.h"
#include "tool/command.h"
#include "tool/control_client.h"
#include "tool/json.h"
#include "tool/profile/output.h"
#include "tool/profile/path.h"
#include "tool/profile/show.h"

struct profile {
    struct profile_options options;
    struct pmu_client *client;
};

static int complain_of_service(const struct profile *profile)
{
    return control_client_complain(profile->options.where.socket, profile->client);
}

/* Takes the answer to pieces, as the format wants it. */
static int show(const struct profile *profile, const json_t *answer, struct text *out)
{
    const struct profile_options *options = &profile->options;
    const struct terminal terminal =
        options->output ? (struct terminal){0} : terminal_of(STDOUT_FILENO);

    if (options->is_difference)
        return profile_show_difference(answer, options, &terminal, out);
    if (options->format == PROFILE_FORMAT_TREE)
        return profile_show_tree(answer, options, &terminal, out);
    return profile_show_table(answer, options, &terminal, out);
}

static int complain_of_answer(const struct profile *profile, int error)
{
    if (error == -ENOMEM)
        return command_fail(error);
    if (error == -ENODATA)
        (void)fprintf(stderr, PROGRAM ": there are no samples of %s in %s\n",
                      SHOWN(profile->options.target),
                      profile->options.is_difference ? "one of the two ranges" : "this range");
    else
        (void)fprintf(stderr, PROGRAM ": the service's answer is none of pmu_exporter\n");
    return EXIT_REFUSED;
}

/* Returns the exit status. */
static int show_answer(const struct profile *profile, const char *path)
{
    AUTO_JSON json_t *answer = NULL;
    AUTO_TEXT struct text out = {0};
    int r;

    if (pmu_client_get(profile->client, path, &answer) < 0)
        return complain_of_service(profile);
    r = show(profile, answer, &out);
    if (r < 0)
        return complain_of_answer(profile, r);
    if (profile->options.output)
        return profile_output(profile->options.output, out.data, out.length);
    (void)fwrite(out.data, 1, out.length, stdout);
    return EXIT_SUCCESS;
}

/* Gives what the service answers as it comes. Returns the exit status. */
static int download(const struct profile *profile, const char *path)
{
    AUTO_FREE char *bytes = NULL;
    size_t n;

    if (pmu_client_get_bytes(profile->client, path, &bytes, &n) < 0)
        return complain_of_service(profile);
    return profile_output(profile->options.output, bytes, n);
}

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

/* Lets what is compared end at the mark that is named. Returns the exit status, 0 to go on. */
static int follow_mark(struct profile *profile)
{
    struct profile_options *options = &profile->options;
    AUTO_JSON json_t *answer = NULL;
    double time;

    if (!options->mark)
        return EXIT_SUCCESS;
    if (pmu_client_get(profile->client, "/api/v1/marks", &answer) < 0)
        return complain_of_service(profile);
    time = find_mark(answer, options->mark);
    if (!(time > 0)) {
        (void)fprintf(stderr, PROGRAM ": there is no mark %s\n", SHOWN(options->mark));
        return EXIT_REFUSED;
    }
    options->before =
        profile_span_ending(&options->span, (uint64_t)llround(time * (double)NS_PER_SECOND));
    return EXIT_SUCCESS;
}

/* Returns the exit status. */
static int answer(struct profile *profile)
{
    const struct profile_options *options = &profile->options;
    const bool is_shown =
        options->format == PROFILE_FORMAT_TABLE || options->format == PROFILE_FORMAT_TREE;
    AUTO_TEXT struct text path = {0};
    int status = follow_mark(profile);

    if (status != EXIT_SUCCESS)
        return status;
    profile_append_path(&path, options);
    text_append_char(&path, '\0');
    if (text_error(&path) < 0)
        return command_fail(-ENOMEM);
    return is_shown ? show_answer(profile, path.data) : download(profile, path.data);
}

int run_profile(int argc, char **argv)
{
    struct profile profile = {0};
    int status;

    profile_options_parse(argc, argv, &profile.options);
    if (profile.options.format == PROFILE_FORMAT_PPROF &&
        profile_output_is_terminal(profile.options.output))
        command_refuse("pprof is binary, and no terminal shows it; expected -o FILE or a pipe");
    if (pmu_client_open(command_socket(profile.options.where.socket), &profile.client) < 0)
        return command_fail(-ENOMEM);
    status = answer(&profile);
    (void)pmu_client_close(profile.client);
    return status;
}

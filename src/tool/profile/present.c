/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/profile/present.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "config/config_error.h"
#include "tool/command.h"
#include "tool/json.h"
#include "tool/profile/complain.h"
#include "tool/profile/output.h"
#include "tool/profile/path.h"
#include "tool/profile/show.h"
#include "tool/profile/target.h"

struct question {
    const struct profile_options *options;
    struct pmu_client *client;
};

/* Of both targets, where the ranges of two are compared. */
static void tell_kept(const struct question *question)
{
    const struct profile_options *options = question->options;

    if (options->before_target && strcmp(options->before_target, options->target) != 0)
        profile_tell_kept(question->client, options->before_target);
    profile_tell_kept(question->client, options->target);
}

static int complain_of_service(const struct question *question)
{
    const struct profile_options *options = question->options;
    const bool is_not_found = pmu_client_status(question->client) == PROFILE_NOT_FOUND;
    const int status = profile_complain(options->where.socket, question->client, options->target,
                                        options->before_target);

    if (options->is_difference && is_not_found)
        tell_kept(question);
    return status;
}

/* Takes the answer to pieces, as the format wants it. */
static int show(const struct question *question, const json_t *answer, struct text *out)
{
    const struct profile_options *options = question->options;
    const struct terminal terminal =
        options->output ? (struct terminal){0} : terminal_of(STDOUT_FILENO);

    if (options->is_difference)
        return profile_show_difference(answer, options, &terminal, out);
    if (options->format == PROFILE_FORMAT_TREE)
        return profile_show_tree(answer, options, &terminal, out);
    return profile_show_table(answer, options, &terminal, out);
}

static int complain_of_answer(const struct question *question, int error)
{
    if (error == -ENOMEM)
        return command_fail(error);
    if (error != -ENODATA) {
        (void)fprintf(stderr, PROGRAM ": the service's answer is none of pmu_exporter\n");
        return EXIT_REFUSED;
    }
    if (profile_target_is_run(question->options->target) && !question->options->is_difference) {
        (void)fprintf(stderr, PROGRAM ": %s has recorded nothing\n",
                      SHOWN(question->options->target));
        return EXIT_REFUSED;
    }
    (void)fprintf(stderr, PROGRAM ": there are no samples of %s in %s\n",
                  SHOWN(question->options->target),
                  question->options->is_difference ? "one of the two ranges" : "this range");
    tell_kept(question);
    return EXIT_REFUSED;
}

/* Returns the exit status. */
static int show_answer(const struct question *question, const char *path)
{
    AUTO_JSON json_t *answer = NULL;
    AUTO_TEXT struct text out = {0};
    int r;

    if (pmu_client_get(question->client, path, &answer) < 0)
        return complain_of_service(question);
    r = show(question, answer, &out);
    if (r < 0)
        return complain_of_answer(question, r);
    if (question->options->output)
        return profile_output(question->options->output, out.data, out.length);
    (void)fwrite(out.data, 1, out.length, stdout);
    return EXIT_SUCCESS;
}

/* Gives what the service answers as it comes. Returns the exit status. */
static int download(const struct question *question, const char *path)
{
    AUTO_FREE char *bytes = NULL;
    size_t n;

    if (pmu_client_get_bytes(question->client, path, &bytes, &n) < 0)
        return complain_of_service(question);
    return profile_output(question->options->output, bytes, n);
}

int profile_present(const struct profile_options *options, struct pmu_client *client)
{
    const struct question question = {.options = options, .client = client};
    const bool is_shown =
        options->format == PROFILE_FORMAT_TABLE || options->format == PROFILE_FORMAT_TREE;
    AUTO_TEXT struct text path = {0};

    profile_append_path(&path, options);
    text_append_char(&path, '\0');
    if (text_error(&path) < 0)
        return command_fail(-ENOMEM);
    return is_shown ? show_answer(&question, path.data) : download(&question, path.data);
}

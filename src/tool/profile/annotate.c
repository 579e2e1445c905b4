/* SPDX-License-Identifier: Apache-2.0 */

/*
 * `pmutool annotate`: the instructions of a function with the samples that were taken at each, of
 * what the service has sampled anyway.
 */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "client/client.h"
#include "config/config_error.h"
#include "tool/command.h"
#include "tool/control_client.h"
#include "tool/json.h"
#include "tool/profile/complain.h"
#include "tool/profile/output.h"
#include "tool/profile/path.h"
#include "tool/profile/show.h"
#include "tool/profile/span_options.h"
#include "tool/profile/target.h"

#define EXPECTED "annotate TARGET FUNCTION"

enum { KEY_OWNER = 0x1400 };

struct annotate {
    const char *target, *function;
    const char *owner; /* NULL: any */
    struct profile_span_words words;
    struct control_client where;
};

static const struct argp_option entries[] = {
    {.name = "owner",
     .key = KEY_OWNER,
     .arg = "FILE",
     .doc = "The function of this program or library, where several have one of that name. "
            "Default: the one with most samples."},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct annotate *annotate = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &annotate->words;
        state->child_inputs[1] = &annotate->where;
        return 0;
    case KEY_OWNER:
        annotate->owner = argument;
        return 0;
    case ARGP_KEY_ARG:
        return command_take_word(
            key, argument, annotate->target ? &annotate->function : &annotate->target, EXPECTED);
    default:
        return command_take_word(key, argument, &annotate->function, EXPECTED);
    }
}

static const struct argp_child children[] = {
    {.argp = &profile_span_argp}, {.argp = &control_client_argp}, {0}};

static const struct argp argp = {
    .options = entries,
    .parser = parse,
    .args_doc = "TARGET FUNCTION",
    .doc =
        "Show the instructions of a function, and how many of its samples were taken at each, of "
        "what the running service has sampled already. TARGET is machine, cgroup:PATH or "
        "process:NAME. At least 100 samples are needed.\v"
        "Exit status 0: done; 1: not, with the reason on stderr; 2: the command line is wrong.",
    .children = children,
};

/* Shows it for people. Returns the exit status. */
static int show(const struct annotate *annotate, struct pmu_client *client, const char *path)
{
    const struct terminal terminal = terminal_of(STDOUT_FILENO);
    AUTO_JSON json_t *answer = NULL;
    AUTO_TEXT struct text out = {0};
    int r;

    if (pmu_client_get(client, path, &answer) < 0)
        return profile_complain(annotate->where.socket, client, annotate->target, NULL);
    r = profile_show_annotation(answer, annotate->target, &terminal, &out);
    if (r == -ENOMEM)
        return command_fail(r);
    if (r < 0) {
        (void)fprintf(stderr, PROGRAM ": the service's answer is none of pmu_exporter\n");
        return EXIT_REFUSED;
    }
    (void)fwrite(out.data, 1, out.length, stdout);
    return EXIT_SUCCESS;
}

/* Gives what the service answers as it comes. Returns the exit status. */
static int print(const struct annotate *annotate, struct pmu_client *client, const char *path)
{
    AUTO_FREE char *bytes = NULL;
    size_t n;

    if (pmu_client_get_bytes(client, path, &bytes, &n) < 0)
        return profile_complain(annotate->where.socket, client, annotate->target, NULL);
    return profile_output(NULL, bytes, n);
}

static int answer(const struct annotate *annotate, struct pmu_client *client)
{
    const struct profile_span span = profile_span_take(&annotate->words, clock_realtime_ns());
    AUTO_TEXT struct text path = {0};

    profile_append_question(&path, "/annotation", annotate->target, &span);
    profile_append_argument(&path, "name", annotate->function);
    if (annotate->owner)
        profile_append_argument(&path, "owner", annotate->owner);
    text_append_char(&path, '\0');
    if (text_error(&path) < 0)
        return command_fail(-ENOMEM);
    return annotate->where.json ? print(annotate, client, path.data)
                                : show(annotate, client, path.data);
}

int run_annotate(int argc, char **argv)
{
    struct annotate annotate = {0};
    struct pmu_client *client;
    int status;

    command_parse(&argp, argc, argv, &annotate);
    profile_target_demand(annotate.target);
    if (pmu_client_open(command_socket(annotate.where.socket), &client) < 0)
        return command_fail(-ENOMEM);
    status = answer(&annotate, client);
    (void)pmu_client_close(client);
    return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "config/config_error.h"
#include "tool/command.h"
#include "tool/control_client.h"
#include "tool/json.h"

enum { KEY_TIME = 0x1300 };

struct mark {
    const char *text;
    double time; /* seconds since 1970; 0: now */
    struct control_client client;
};

/* The service judges the number itself; here it only has to be one. */
static void take_time(const char *argument, double *ret_time)
{
    char *end;

    *ret_time = strtod(argument, &end);
    if (end == argument || *end || !isfinite(*ret_time) || *ret_time <= 0)
        command_refuse("--time is %s; expected seconds since 1970, such as $(date +%%s)",
                       SHOWN(argument));
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct mark *mark = state->input;

    if (key == KEY_TIME) {
        take_time(argument, &mark->time);
        return 0;
    }
    if (key == ARGP_KEY_INIT)
        state->child_inputs[0] = &mark->client;
    return command_take_word(key, argument, &mark->text, "mark TEXT");
}

static const struct argp_option options[] = {
    {.name = "time",
     .key = KEY_TIME,
     .arg = "SECONDS",
     .doc = "When it was, in seconds since 1970; without it: now."},
    {0},
};

static const struct argp_child children[] = {{.argp = &control_client_argp}, {0}};

static const struct argp argp = {
    .options = options,
    .parser = parse,
    .args_doc = "TEXT",
    .doc = "Have the running service keep a mark: a named instant, such as \"release 1.2\", that "
           "stands in every plot of its page.\v"
           "Exit status 0: done; 1: not, with the reason on stderr; 2: the command line is wrong.",
    .children = children,
};

int run_mark(int argc, char **argv)
{
    struct mark mark = {0};
    AUTO_JSON json_t *body = NULL;

    command_parse(&argp, argc, argv, &mark);
    body = json_pack("{s:o}", "text", json_of_text(mark.text));
    if (body && mark.time > 0)
        (void)json_object_set_new(body, "time", json_real(mark.time));
    if (!body)
        return command_fail(-ENOMEM);
    return control_client_post_json(&mark.client, "/api/v1/marks", body, "the mark is set");
}

/* SPDX-License-Identifier: Apache-2.0 */

/* `pmutool runs`: what the service keeps of runs, asked by its API. */

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/parse.h"
#include "client/client.h"
#include "tool/command.h"
#include "tool/control_client.h"
#include "tool/json.h"
#include "tool/runs/followed.h"
#include "tool/runs/options.h"
#include "tool/runs/show.h"

static int make_request(struct pmu_client *client, const char *method, const char *path,
                        const json_t *body, json_t **ret_answer)
{
    if (strcmp(method, "GET") == 0)
        return pmu_client_get(client, path, ret_answer);
    return strcmp(method, "POST") == 0 ? pmu_client_post(client, path, body, ret_answer)
                                       : pmu_client_delete(client, path, ret_answer);
}

/* Asks, and shows the answer by `show`; NULL: as it is. Returns the exit status. */
static int ask(const struct runs_options *options, const char *method, const char *path,
               const json_t *body, int (*show)(const json_t *answer))
{
    AUTO_JSON json_t *answer = NULL;
    struct pmu_client *client;
    int status = EXIT_SUCCESS, r = pmu_client_open(command_socket(options->socket), &client);

    if (r < 0)
        return command_fail(r);
    r = make_request(client, method, path, body, &answer);
    if (r < 0)
        status = control_client_complain(options->socket, client);
    else if (!show)
        (void)printf("%s\n", json_is_string(answer) ? json_string_value(answer) : "");
    else if ((options->json ? json_print(TAKE(answer)) : show(answer)) < 0)
        status = command_fail(-ENOMEM);
    (void)pmu_client_close(client);
    return status;
}

/* The events as the request has them. */
static json_t *events_json(const struct event_name_list *list)
{
    json_t *events = json_array();

    for (size_t i = 0; i < list->n; i++) {
        const struct event_names *names = &list->groups[i];
        json_t *group = names->is_group ? json_array() : events;

        for (size_t k = 0; k < names->n; k++)
            (void)json_array_append_new(group, json_of_text(names->names[k].name));
        if (names->is_group)
            (void)json_array_append_new(events, group);
    }
    return events;
}

static int start(const struct runs_options *options)
{
    AUTO_JSON json_t *request =
        json_pack("{s:o, s:o, s:o, s:o, s:s}", "title", json_of_text(options->words[0]), "notes",
                  json_of_text(options->notes ? options->notes : ""), "target",
                  json_of_text(options->target), "events", events_json(&options->events),
                  "counters", options->takes_free ? "free" : "budget");

    if (options->interval_ns > 0)
        (void)json_object_set_new(request, "interval_seconds",
                                  json_of_seconds(options->interval_ns));
    if (options->duration_ns > 0)
        (void)json_object_set_new(request, "duration_seconds",
                                  json_of_seconds(options->duration_ns));
    return ask(options, "POST", "/api/v1/runs", request, runs_show_begun);
}

/* The run as it is when it has ended, which is a moment later; of a record functions are named. */
static int wait_until_over(const struct followed_run *run, json_t **ret_ended)
{
    static const struct timespec moment = {.tv_nsec = 50000000};
    int status = EXIT_SUCCESS;

    while (status == EXIT_SUCCESS && !*ret_ended) {
        (void)nanosleep(&moment, NULL);
        status = followed_run_look(run, false, ret_ended);
    }
    return status;
}

/* One that has ended already is shown, which is no error: it is what was wanted. */
static int stop_run(const struct followed_run *run)
{
    AUTO_JSON json_t *ended = NULL;
    int status = followed_run_look(run, false, &ended);

    if (ended)
        runs_tell_ended(ended);
    else if (status == EXIT_SUCCESS)
        status = followed_run_stop(run);
    if (status == EXIT_SUCCESS)
        status = wait_until_over(run, &ended);
    if (status != EXIT_SUCCESS)
        return status;
    return (run->where->json ? json_print(TAKE(ended)) : runs_show_begun(ended)) < 0
               ? command_fail(-ENOMEM)
               : EXIT_SUCCESS;
}

static int stop(const struct runs_options *options)
{
    const struct control_client where = {.socket = options->socket, .json = options->json};
    struct followed_run run = {.where = &where};
    int status, r = pmu_client_open(command_socket(options->socket), &run.client);

    if (r < 0)
        return command_fail(r);
    (void)parse_u64(options->words[0], &run.id); /* it is a number: that was seen to before */
    status = stop_run(&run);
    (void)pmu_client_close(run.client);
    return status;
}

static int act(const struct runs_options *options)
{
    static const struct {
        const char *action, *method, *before, *between, *after;
        int (*show)(const json_t *answer);
    } asked[] = {
        {"list", "GET", "", "", "", runs_show_list},
        {"show", "GET", "/", "", "", runs_show_run},
        {"csv", "GET", "/", "", ".csv", NULL},
        {"compare", "GET", "/compare?a=", "&b=", "", runs_show_comparison},
        {"delete", "DELETE", "/", "", "", runs_show_nothing},
    };
    char target[128];
    size_t i = 0;

    if (strcmp(options->action, "start") == 0)
        return start(options);
    if (strcmp(options->action, "stop") == 0)
        return stop(options);
    while (strcmp(asked[i].action, options->action) != 0)
        i++;
    (void)snprintf(target, sizeof(target), "/api/v1/runs%s%s%s%s%s", asked[i].before,
                   options->n_words > 0 ? options->words[0] : "", asked[i].between,
                   options->n_words > 1 ? options->words[1] : "", asked[i].after);
    return ask(options, asked[i].method, target, NULL, asked[i].show);
}

int run_runs(int argc, char **argv)
{
    struct runs_options options;
    int status;

    runs_options_parse(argc, argv, &options);
    status = act(&options);
    event_names_done(&options.events);
    return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/control_client.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "client/client.h"
#include "tool/json.h"
#include "tool/safe_text.h"

/* How long to wait until it is plain that somebody is there, if slow. */
#define GLANCE_MS 1000

static int print(const struct control_client *client, bool is_done, const char *message)
{
    /* The service's sentences end with a line feed. */
    const int length = (int)strcspn(message, "\n");
    AUTO_FREE char *line = strndup(message, (size_t)length);

    if (client->json) {
        const int r = json_print(
            json_pack("{s:b, s:o}", "done", is_done, "message", json_of_text(line ? line : "")));

        if (r < 0)
            return command_fail(r);
    } else if (is_done) {
        (void)printf("%s\n", message);
    } else {
        (void)fprintf(stderr, PROGRAM ": %.*s\n", length, message);
    }
    return is_done ? EXIT_SUCCESS : EXIT_REFUSED;
}

/* Tells what went wrong before there was an answer. */
static int complain(const struct control_client *client, const char *why)
{
    AUTO_TEXT struct text message = {0};

    text_append_format(&message, "%s: %s%c", command_socket(client->socket), why, 0);
    return print(client, false, text_error(&message) < 0 ? why : message.data);
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct control_client *client = state->input;

    (void)argument;
    if (key != ARGP_KEY_INIT)
        return ARGP_ERR_UNKNOWN;
    state->child_inputs[0] = &client->socket;
    state->child_inputs[1] = &client->json;
    return 0;
}

static const struct argp_child children[] = {
    {.argp = &command_socket_argp}, {.argp = &command_json_argp}, {0}};

const struct argp control_client_argp = {.parser = parse, .children = children};

const struct argp_child control_client_alone[] = {{.argp = &control_client_argp}, {0}};

error_t control_client_parse_alone(int key, char *argument, struct argp_state *state)
{
    if (key == ARGP_KEY_INIT)
        state->child_inputs[0] = state->input;
    return command_take_word(key, argument, NULL, "");
}

/* Tells why the service has not done it: in its own words, or in those about the socket. */
static int refuse(const struct control_client *client, const struct pmu_client *exporter)
{
    if (pmu_client_status(exporter) == 0)
        return complain(client, pmu_client_error(exporter));
    return print(client, false, pmu_client_error(exporter));
}

/* What is told of it if it is done: `done`, or without that the service's own words. */
static int post(const struct control_client *client, const char *target, const json_t *body,
                const char *done)
{
    struct pmu_client *exporter;
    const char *words;
    json_t *answer = NULL;
    int r = pmu_client_open(command_socket(client->socket), &exporter);

    if (r < 0)
        return complain(client, strerror(-r));
    r = pmu_client_post(exporter, target, body, &answer);
    words = done ? done : json_string_value(answer);
    r = r < 0 ? refuse(client, exporter) : print(client, true, words ? words : "done");
    json_decref(answer);
    (void)pmu_client_close(exporter);
    return r;
}

int control_client_post(const struct control_client *client, const char *target)
{
    return post(client, target, NULL, NULL);
}

int control_client_post_json(const struct control_client *client, const char *path,
                             const json_t *body, const char *done)
{
    return post(client, path, body, done);
}

int control_client_complain(const char *socket, const struct pmu_client *client)
{
    AUTO_TEXT struct text words = {0}, safe = {0};

    if (pmu_client_status(client) == 0)
        text_append_format(&words, "%s: ", command_socket(socket));
    text_append_string(&words, pmu_client_error(client));
    safe_text_append(&safe, words.data ? words.data : "", words.length);
    (void)fprintf(stderr, PROGRAM ": %.*s\n", (int)safe.length, safe.data ? safe.data : "");
    return EXIT_REFUSED;
}

bool control_client_finds_service(void)
{
    struct pmu_client *exporter;
    struct pollfd answer = {.events = POLLIN};
    json_t *value = NULL;
    int r;

    if (pmu_client_open(command_socket(NULL), &exporter) < 0)
        return false;
    answer.fd = pmu_client_descriptor(exporter);
    r = pmu_client_ask(exporter, "/-/healthy");
    if (r >= 0)
        do
            r = pmu_client_answer(exporter, &value);
        while (r == -EINPROGRESS && poll(&answer, 1, GLANCE_MS) > 0);
    json_decref(value);
    (void)pmu_client_close(exporter);
    return r != -ENOENT && r != -ECONNREFUSED;
}

/* SPDX-License-Identifier: Apache-2.0 */

/* Makes one request and reads all that comes: the service closes the connection after the answer.
 */
#include "tool/control_client.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/text.h"
#include "tool/json.h"

/* How long to wait for an answer: longer than the service waits for its own main thread. */
#define PATIENCE_SECONDS 40
#define PATIENCE_TEXT    "40"
#define LONGEST_ANSWER   65536

const char *control_client_explain(int error)
{
    switch (error) {
    case ENOENT:
        return "there is no such socket; is pmu_exporter running, with this --control.socket?";
    case ECONNREFUSED:
        return "nobody listens; pmu_exporter has ended";
    case EACCES:
    case EPERM:
        return "permission denied; only root and the user of the service may";
    default:
        return strerror(error);
    }
}

int control_client_connect(const char *path, int flags)
{
    const struct timeval patience = {.tv_sec = PATIENCE_SECONDS};
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    AUTO_CLOSE int fd = -1;

    if (strlen(path) >= sizeof(address.sun_path))
        return -ENAMETOOLONG;
    memcpy(address.sun_path, path, strlen(path) + 1);
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) < 0 ||
        connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0)
        return -errno;
    return TAKE_FD(fd);
}

static int send_request(int fd, const char *target)
{
    AUTO_TEXT struct text request = {0};

    text_append_format(&request, "POST %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
                       target);
    if (text_error(&request) < 0)
        return -ENOMEM;
    /* An empty socket takes a few bytes as a whole or not at all. */
    return send(fd, request.data, request.length, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

static int receive(int fd, struct text *answer)
{
    char bytes[4096];
    ssize_t n;

    do {
        n = recv(fd, bytes, sizeof(bytes), 0);
        if (n > 0)
            text_append(answer, bytes, (size_t)n);
    } while ((n > 0 && answer->length < LONGEST_ANSWER) || (n < 0 && errno == EINTR));
    return n < 0 ? -errno : 0;
}

const char *control_client_body(const char *answer, bool *ret_good)
{
    static const char http[] = "HTTP/1.1 ", good[] = "HTTP/1.1 200 ";
    const char *body = strstr(answer, "\r\n\r\n");

    if (strncmp(answer, http, strlen(http)) != 0 || !body)
        return NULL;
    *ret_good = strncmp(answer, good, strlen(good)) == 0;
    return body + strlen("\r\n\r\n");
}

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
        (void)printf("%s", message);
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

/* Prints the body. Whether the service has done it is what the status of HTTP says. */
static int show(const struct control_client *client, const char *answer)
{
    bool is_good;
    const char *body = control_client_body(answer, &is_good);

    if (!body)
        return print(client, false, "what answered is not pmu_exporter");
    return print(client, is_good, is_good || *body ? body : "refused without a reason");
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

int control_client_post(const struct control_client *client, const char *target)
{
    AUTO_TEXT struct text received = {0};
    AUTO_FREE char *answer = NULL;
    AUTO_CLOSE int fd = control_client_connect(command_socket(client->socket), 0);
    int r;

    if (fd < 0)
        return complain(client, control_client_explain(-fd));
    r = send_request(fd, target);
    if (r >= 0)
        r = receive(fd, &received);
    if (r == -EAGAIN)
        return complain(client, "no answer within " PATIENCE_TEXT " seconds");
    answer = r < 0 ? NULL : text_take(&received);
    if (r < 0 || !answer)
        return complain(client, strerror(r < 0 ? -r : ENOMEM));
    return show(client, answer);
}

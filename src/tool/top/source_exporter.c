/* SPDX-License-Identifier: Apache-2.0 */

/*
 * One connection for each question: the exporter closes it behind its answer. Nothing waits for the
 * exporter but an event source, so that keys work while it does not answer.
 */
#include <errno.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "base/text.h"
#include "tool/control_client.h"
#include "tool/safe_text.h"
#include "tool/top/source.h"

/* More than the largest page that an exporter may make (limits.body) would take. */
#define LONGEST_ANSWER (UINT64_C(256) << 20)

#define REQUEST "GET /api/v1/targets HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"

struct exporter_source {
    struct top_source source; /* comes first: a pointer to it is one to this */
    const char *socket;       /* borrowed */
    sd_event *event;          /* borrowed */
    struct top_listener listener;
    sd_event_source *answer; /* waits for bytes of the answer; NULL: no question is open */
    int fd;
    struct text received;
};

static void close_connection(struct exporter_source *exporter)
{
    exporter->answer = sd_event_source_disable_unref(exporter->answer);
    cleanup_close(&exporter->fd);
    exporter->fd = -1;
    text_done(&exporter->received);
}

static void tell_trouble(struct exporter_source *exporter, const char *trouble)
{
    exporter->listener.heard(exporter->listener.context, NULL, 0, trouble);
}

static void fail(struct exporter_source *exporter, int error)
{
    close_connection(exporter);
    tell_trouble(exporter, control_client_explain(error));
}

/* The whole answer is there, and the connection closed. */
static void hear_answer(struct exporter_source *exporter)
{
    AUTO_FREE char *answer = text_take(&exporter->received);
    const char *body;
    AUTO_TEXT struct text line = {0};
    AUTO_FREE char *trouble = NULL;
    bool is_good;

    close_connection(exporter);
    if (!answer) {
        fail(exporter, ENOMEM);
        return;
    }
    body = control_client_body(answer, &is_good);
    if (!body) {
        tell_trouble(exporter, "what answered is not pmu_exporter");
        return;
    }
    if (is_good) {
        exporter->listener.heard(exporter->listener.context, body, strlen(body), NULL);
        return;
    }
    safe_text_append(&line, body, strcspn(body, "\n"));
    trouble = text_take(&line);
    tell_trouble(exporter, trouble && *trouble ? trouble : "refused without a reason");
}

static int on_answer(sd_event_source *source, int fd, uint32_t events, void *context)
{
    struct exporter_source *exporter = context;
    char bytes[65536];
    const ssize_t n = recv(fd, bytes, sizeof(bytes), 0);

    (void)source, (void)events;
    if (n > 0)
        text_append(&exporter->received, bytes, (size_t)n);
    if (n < 0 && errno != EAGAIN && errno != EINTR)
        fail(exporter, errno);
    else if (n == 0)
        hear_answer(exporter);
    else if (exporter->received.length > LONGEST_ANSWER)
        fail(exporter, EFBIG);
    return 0;
}

static void ask(struct top_source *source)
{
    struct exporter_source *const exporter = (struct exporter_source *)source;
    int r;

    if (exporter->answer) {
        tell_trouble(exporter, "pmu_exporter does not answer");
        return;
    }
    exporter->fd = control_client_connect(exporter->socket, SOCK_NONBLOCK);
    r = exporter->fd;
    /* An empty socket takes a few bytes as a whole or not at all. */
    if (r >= 0 && send(exporter->fd, REQUEST, strlen(REQUEST), MSG_NOSIGNAL) < 0)
        r = -errno;
    if (r >= 0)
        r = sd_event_add_io(exporter->event, &exporter->answer, exporter->fd, EPOLLIN, on_answer,
                            exporter);
    if (r < 0)
        fail(exporter, -r);
}

static struct top_source *free_source(struct top_source *source)
{
    close_connection((struct exporter_source *)source);
    free(source);
    return NULL;
}

int top_source_exporter(const char *socket, sd_event *event, const struct top_listener *listener,
                        struct top_source **ret_source)
{
    struct exporter_source *exporter = calloc(1, sizeof(*exporter));

    if (!exporter)
        return -ENOMEM;
    exporter->source = (struct top_source){"exporter", ask, free_source};
    exporter->socket = socket;
    exporter->event = event;
    exporter->listener = *listener;
    exporter->fd = -1;
    *ret_source = &exporter->source;
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Nothing waits for the exporter but an event source, so that keys work while it does not answer.
 * The source is on while a question is open.
 */
#include <errno.h>
#include <sys/epoll.h>

#include "client/client.h"
#include "tool/top/source.h"

struct exporter_source {
    struct top_source source; /* comes first: a pointer to it is one to this */
    struct top_listener listener;
    struct pmu_client *client;
    sd_event_source *answer;
    bool is_asking;
};

static void tell_trouble(const struct exporter_source *exporter, const char *trouble)
{
    exporter->listener.heard(exporter->listener.context, NULL, trouble);
}

/* The question has its answer, or never will. */
static void end_question(struct exporter_source *exporter)
{
    exporter->is_asking = false;
    (void)sd_event_source_set_enabled(exporter->answer, SD_EVENT_OFF);
}

static int on_answer(sd_event_source *source, int fd, uint32_t events, void *context)
{
    struct exporter_source *const exporter = context;
    json_t *page = NULL;
    const int r = pmu_client_answer(exporter->client, &page);

    (void)source, (void)fd, (void)events;
    if (r == -EINPROGRESS)
        return 0;
    end_question(exporter);
    if (r < 0)
        tell_trouble(exporter, pmu_client_error(exporter->client));
    else
        exporter->listener.heard(exporter->listener.context, page, NULL);
    json_decref(page);
    return 0;
}

static void ask(struct top_source *source)
{
    struct exporter_source *const exporter = (struct exporter_source *)source;

    if (exporter->is_asking) {
        tell_trouble(exporter, "pmu_exporter does not answer");
        return;
    }
    exporter->is_asking = true;
    (void)sd_event_source_set_enabled(exporter->answer, SD_EVENT_ON);
    if (pmu_client_ask(exporter->client, "/api/v1/targets") < 0) {
        end_question(exporter);
        tell_trouble(exporter, pmu_client_error(exporter->client));
    }
}

static struct top_source *free_source(struct top_source *source)
{
    struct exporter_source *const exporter = (struct exporter_source *)source;

    (void)sd_event_source_disable_unref(exporter->answer);
    (void)pmu_client_close(exporter->client);
    free(exporter);
    return NULL;
}

int top_source_exporter(const char *socket, sd_event *event, const struct top_listener *listener,
                        struct top_source **ret_source)
{
    struct exporter_source *const exporter = calloc(1, sizeof(*exporter));
    AUTO(top_source) struct top_source *source = NULL;
    int r;

    if (!exporter)
        return -ENOMEM;
    exporter->source = (struct top_source){"exporter", ask, free_source};
    exporter->listener = *listener;
    source = &exporter->source;
    r = pmu_client_open(socket, &exporter->client);
    if (r >= 0)
        r = sd_event_add_io(event, &exporter->answer, pmu_client_descriptor(exporter->client),
                            EPOLLIN, on_answer, exporter);
    if (r >= 0)
        r = sd_event_source_set_enabled(exporter->answer, SD_EVENT_OFF);
    if (r < 0)
        return r;
    *ret_source = TAKE(source);
    return 0;
}

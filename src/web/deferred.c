/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An answer has two owners: who was handed it, on any thread, and the server's thread. The first
 * writes the text into it, puts it on the list of the hub and rings, and never touches it again. So
 * the hub's lock guards only that list, and is held for a few instructions. The hub belongs to the
 * server and to each answer that is not given yet: it outlives the server as long as somebody may
 * still answer, and an answer that comes after the end is thrown away.
 */
#include "web/deferred.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#include "base/clock.h"
#include "base/reference.h"
#include "base/wake.h"
#include "web/deferred_desk.h"
#include "web/peer.h"

struct deferred_hub {
    struct reference reference;
    pthread_mutex_t mutex;     /* It guards the members below, and `answered` of the answers. */
    struct deferred *answered; /* The list of the answers that were given and not collected. */
    bool closed;               /* The server has gone. */
    int wake_fd;               /* an eventfd, which is readable while the list is not empty */
};

struct deferred {
    struct reference reference;
    struct deferred_hub *hub;
    struct deferred *next_answered;
    bool answered;
    _Atomic bool left; /* The client has gone. */

    /* Who answers writes it before it is answered, and the server's thread reads it after. */
    struct deferred_result result;

    /* The rest belongs to the server's thread. */
    struct deferred_desk *desk; /* NULL: the client has left. */
    struct deferred *next, *previous;
    struct MHD_Connection *mhd;
    const struct connection *connection;
    bool suspended;
    bool late; /* The client was told, or is about to be, that nobody answers. */
    uint64_t deadline_ns;
};

static struct deferred_hub *hub_new(void)
{
    struct deferred_hub *const hub = calloc(1, sizeof(*hub));

    if (!hub)
        return NULL;
    reference_init(&hub->reference);
    (void)pthread_mutex_init(&hub->mutex, NULL); /* It cannot fail without attributes. */
    hub->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return hub;
}

static void hub_unref(struct deferred_hub *hub)
{
    if (!reference_drop(&hub->reference))
        return;
    cleanup_close(&hub->wake_fd);
    (void)pthread_mutex_destroy(&hub->mutex);
    free(hub);
}

static void answer_unref(struct deferred *answer)
{
    if (!reference_drop(&answer->reference))
        return;
    text_done(&answer->result.text);
    free(answer->result.file_name);
    hub_unref(answer->hub);
    free(answer);
}

/* Hands the answer to the server's thread, or throws it away where the server has gone. */
static void give(struct deferred *answer)
{
    struct deferred_hub *const hub = answer->hub;
    bool closed;

    (void)pthread_mutex_lock(&hub->mutex);
    closed = hub->closed;
    if (!closed) {
        answer->answered = true;
        answer->next_answered = hub->answered;
        hub->answered = answer;
        wake(hub->wake_fd);
    }
    (void)pthread_mutex_unlock(&hub->mutex);
    if (closed)
        answer_unref(answer);
}

void deferred_answer(struct deferred *answer, const char *content_type, struct text *text)
{
    answer->result.content_type = content_type;
    answer->result.text = *text;
    *text = (struct text){0};
    give(answer);
}

void deferred_refuse(struct deferred *answer, int error, struct text *text)
{
    answer->result.error = error;
    answer->result.text = *text;
    *text = (struct text){0};
    give(answer);
}

bool deferred_is_wanted(struct deferred *answer)
{
    return !atomic_load_explicit(&answer->left, memory_order_relaxed);
}

void deferred_name_file(struct deferred *answer, const char *name)
{
    free(answer->result.file_name);
    answer->result.file_name = strdup(name); /* Without memory it is shown instead of saved. */
}

int deferred_desk_init(struct deferred_desk *desk, unsigned most, unsigned share,
                       uint64_t patience_ns)
{
    *desk = (struct deferred_desk){
        .hub = hub_new(), .most = most, .share = share, .patience_ns = patience_ns};
    if (!desk->hub)
        return -ENOMEM;
    return desk->hub->wake_fd < 0 ? -EMFILE : 0;
}

int deferred_desk_fd(const struct deferred_desk *desk)
{
    return desk->hub->wake_fd;
}

static void resume(struct deferred *answer)
{
    if (!answer->suspended)
        return;
    answer->suspended = false;
    MHD_resume_connection(answer->mhd);
}

void deferred_desk_close(struct deferred_desk *desk)
{
    for (struct deferred *answer = desk->first; answer; answer = answer->next) {
        answer->late = answer->late || answer->suspended;
        resume(answer);
    }
}

/* Takes what was answered off the hub's list. */
static struct deferred *take_list(struct deferred_hub *hub, bool close)
{
    struct deferred *list;
    eventfd_t unused;

    (void)eventfd_read(hub->wake_fd, &unused);
    (void)pthread_mutex_lock(&hub->mutex);
    list = TAKE(hub->answered);
    hub->closed = close;
    (void)pthread_mutex_unlock(&hub->mutex);
    return list;
}

void deferred_desk_done(struct deferred_desk *desk)
{
    struct deferred *list;

    if (!desk->hub)
        return;
    list = take_list(desk->hub, true);
    while (list) {
        struct deferred *const answer = list;

        list = answer->next_answered;
        answer_unref(answer);
    }
    hub_unref(TAKE(desk->hub));
}

/* A connection that waits for an answer is never cut, so its network is still counted. */
static bool has_place(const struct deferred_desk *desk, const struct connection *connection)
{
    unsigned n = 0;

    if (connection->on_control)
        return true;
    for (const struct deferred *answer = desk->first; answer; answer = answer->next)
        if (answer->connection->network == connection->network)
            n++;
    return desk->n < desk->most && n < desk->share;
}

int deferred_new(struct deferred_desk *desk, const struct connection *connection,
                 struct MHD_Connection *mhd, struct deferred **ret_answer)
{
    struct deferred *answer;

    if (!has_place(desk, connection))
        return -EBUSY;
    answer = calloc(1, sizeof(*answer));
    if (!answer)
        return -ENOMEM;
    reference_init(&answer->reference);
    reference_take(&answer->reference); /* for who answers */
    reference_take(&desk->hub->reference);
    answer->hub = desk->hub;
    answer->desk = desk;
    answer->mhd = mhd;
    answer->connection = connection;
    answer->deadline_ns = clock_monotonic_ns() + desk->patience_ns;
    answer->next = desk->first;
    if (answer->next)
        answer->next->previous = answer;
    desk->first = answer;
    desk->n++;
    *ret_answer = answer;
    return 0;
}

void deferred_withdraw(struct deferred *answer)
{
    answer_unref(answer);
}

void deferred_leave(struct deferred *answer)
{
    struct deferred_desk *const desk = TAKE(answer->desk);

    if (answer->previous)
        answer->previous->next = answer->next;
    else
        desk->first = answer->next;
    if (answer->next)
        answer->next->previous = answer->previous;
    desk->n--;
    answer->suspended = false;
    atomic_store_explicit(&answer->left, true, memory_order_relaxed);
    answer_unref(answer);
}

static bool is_answered(const struct deferred *answer)
{
    bool answered;

    (void)pthread_mutex_lock(&answer->hub->mutex);
    answered = answer->answered;
    (void)pthread_mutex_unlock(&answer->hub->mutex);
    return answered;
}

bool deferred_is_there(struct deferred *answer)
{
    if (answer->late || is_answered(answer))
        return true;
    answer->suspended = true;
    MHD_suspend_connection(answer->mhd);
    return false;
}

void deferred_take(struct deferred *answer, struct deferred_result *ret_result)
{
    if (!is_answered(answer)) {
        *ret_result = (struct deferred_result){.late = true};
        return;
    }
    *ret_result = answer->result;
    answer->result = (struct deferred_result){0};
}

bool deferred_desk_collect(struct deferred_desk *desk)
{
    struct deferred *list = take_list(desk->hub, false);
    bool resumed = false;

    while (list) {
        struct deferred *const answer = list;

        list = answer->next_answered;
        resumed = resumed || answer->suspended;
        resume(answer);
        answer_unref(answer);
    }
    return resumed;
}

/* libmicrohttpd does not see that a client leaves whose connection is suspended. */
bool deferred_desk_expire(struct deferred_desk *desk, uint64_t now_ns)
{
    bool resumed = false;

    for (struct deferred *answer = desk->first; answer; answer = answer->next)
        if (answer->suspended &&
            (now_ns >= answer->deadline_ns || peer_has_left(answer->connection->fd))) {
            answer->late = true;
            resumed = true;
            resume(answer);
        }
    return resumed;
}

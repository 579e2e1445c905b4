/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A request moves through the slot in one direction: it is asked, taken, answered, collected. The
 * mutex guards a few words and is held only while they are copied, so that no thread waits for the
 * work of the other. Each thread is woken by an eventfd of its own. That may also become readable
 * for a request that has been withdrawn meanwhile.
 */
#include "web/control.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>

#include "base/clock.h"
#include "base/parse.h"
#include "base/wake.h"

#define SHORTEST_PAUSE_NS NS_PER_SECOND
#define LONGEST_PAUSE_NS  (UINT64_C(7) * 24 * 3600 * NS_PER_SECOND)

enum slot_state {
    SLOT_FREE,
    SLOT_ASKED,
    SLOT_TAKEN,
    SLOT_ANSWERED,
};

struct control_slot {
    pthread_mutex_t mutex; /* It guards all members except the descriptors. */
    enum slot_state state;
    bool abandoned; /* The request was taken, but nobody waits for the answer. */
    struct control_request request;
    bool good;
    struct text text;
    int request_fd, answer_fd;
};

int control_parse_pause(const char *text, uint64_t *ret_ns)
{
    uint64_t ns = 0;

    if (strcmp(text, "off") == 0) {
        *ret_ns = 0;
        return 0;
    }
    if (parse_duration_ns(text, &ns) < 0 || ns < SHORTEST_PAUSE_NS || ns > LONGEST_PAUSE_NS)
        return -EINVAL;
    *ret_ns = ns;
    return 0;
}

int control_slot_new(struct control_slot **ret_slot)
{
    AUTO(control_slot) struct control_slot *slot = calloc(1, sizeof(*slot));

    if (!slot)
        return -ENOMEM;
    (void)pthread_mutex_init(&slot->mutex, NULL); /* It cannot fail without attributes. */
    slot->answer_fd = -1;
    slot->request_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (slot->request_fd < 0)
        return -errno;
    slot->answer_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (slot->answer_fd < 0)
        return -errno;
    *ret_slot = TAKE(slot);
    return 0;
}

struct control_slot *control_slot_free(struct control_slot *slot)
{
    if (!slot)
        return NULL;
    cleanup_close(&slot->request_fd);
    cleanup_close(&slot->answer_fd);
    text_done(&slot->text);
    (void)pthread_mutex_destroy(&slot->mutex);
    free(slot);
    return NULL;
}

int control_slot_request_fd(const struct control_slot *slot)
{
    return slot->request_fd;
}

int control_slot_answer_fd(const struct control_slot *slot)
{
    return slot->answer_fd;
}

/* Moves from one state to the next. Returns false if the slot is in another one. */
static bool advance(struct control_slot *slot, enum slot_state from, enum slot_state to)
{
    bool is_there = slot->state == from;

    if (is_there)
        slot->state = to;
    return is_there;
}

bool control_slot_ask(struct control_slot *slot, const struct control_request *request)
{
    bool asked;

    (void)pthread_mutex_lock(&slot->mutex);
    asked = advance(slot, SLOT_FREE, SLOT_ASKED);
    if (asked) {
        slot->request = *request;
        slot->abandoned = false;
    }
    (void)pthread_mutex_unlock(&slot->mutex);
    if (asked)
        wake(slot->request_fd);
    return asked;
}

bool control_slot_take(struct control_slot *slot, struct control_request *ret_request)
{
    eventfd_t unused;
    bool taken;

    (void)eventfd_read(slot->request_fd, &unused);
    (void)pthread_mutex_lock(&slot->mutex);
    taken = advance(slot, SLOT_ASKED, SLOT_TAKEN);
    if (taken)
        *ret_request = slot->request;
    (void)pthread_mutex_unlock(&slot->mutex);
    return taken;
}

void control_slot_answer(struct control_slot *slot, bool good, struct text *text)
{
    bool wanted;

    (void)pthread_mutex_lock(&slot->mutex);
    wanted = !slot->abandoned;
    if (advance(slot, SLOT_TAKEN, wanted ? SLOT_ANSWERED : SLOT_FREE) && wanted) {
        slot->good = good;
        slot->text = *text;
        *text = (struct text){0};
    }
    (void)pthread_mutex_unlock(&slot->mutex);
    text_done(text);
    if (wanted)
        wake(slot->answer_fd);
}

bool control_slot_collect(struct control_slot *slot, bool *ret_good, struct text *ret_text)
{
    eventfd_t unused;
    bool answered;

    (void)eventfd_read(slot->answer_fd, &unused);
    (void)pthread_mutex_lock(&slot->mutex);
    answered = advance(slot, SLOT_ANSWERED, SLOT_FREE);
    if (answered) {
        *ret_good = slot->good;
        *ret_text = slot->text;
        slot->text = (struct text){0};
    }
    (void)pthread_mutex_unlock(&slot->mutex);
    return answered;
}

void control_slot_abandon(struct control_slot *slot)
{
    (void)pthread_mutex_lock(&slot->mutex);
    slot->abandoned = slot->state == SLOT_TAKEN;
    if (slot->state != SLOT_TAKEN)
        slot->state = SLOT_FREE;
    text_done(&slot->text);
    (void)pthread_mutex_unlock(&slot->mutex);
}

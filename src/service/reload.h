/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Reads the configuration again and has a successor of the collector count by it: whole or not at
 * all. It is read by a thread of its own, for its file may be on a disk that does not answer, and
 * is looked at again until nobody writes it; counting goes on meanwhile.
 */

#include <stdbool.h>
#include <systemd/sd-event.h>

struct service;

struct reload {
    struct object_reader *reader; /* of the thread that reads, while there is one */
    int done_fd;                  /* an eventfd: the thread has read the file */
    sd_event_source *done;        /* fires then */
    struct reading *reading;      /* what the thread reads; NULL: nothing */
    bool again;                   /* somebody has asked since that began */
    bool again_for_control; /* the same through the control slot, where the answer is waited for */
};

/* Returns 0, or -errno, which is logged; reload_done() has to be called after a failure too. */
int reload_init(struct service *service);

/* A reading that goes on is left behind: it may never end. */
void reload_done(struct service *service);

/*
 * Asks for a reload. Those that are asked for while the file is read are one more reading behind
 * it. The outcome goes to the service manager, to /metrics and to the log; for_control: and as an
 * answer, a line for people, to the control slot.
 */
void reload_ask(struct service *service, bool for_control);

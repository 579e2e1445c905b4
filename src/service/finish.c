/* SPDX-License-Identifier: Apache-2.0 */
#include "service/finish.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "log/log.h"
#include "log/standard_streams.h"
#include "sys/thread.h"

int finish_program(const char *program, int status)
{
    const int r = stream_flush(stdout);

    if (r < 0)
        (void)fprintf(stderr, "%s: cannot write to standard output: %s\n", program, strerror(-r));
    return r < 0 && status == EXIT_SUCCESS ? EXIT_FAILURE : status;
}

static struct {
    struct timespec wait;
    int status;
} latest;

static void *end_at_last(void *unused)
{
    (void)unused;
    (void)nanosleep(&latest.wait, NULL);
    log_warning("the end waits no longer", "cause", "a disk or a name service does not answer");
    log_flush();
    _exit(latest.status);
}

void finish_after(uint64_t ns, int status)
{
    pthread_t thread;

    latest.wait = (struct timespec){(time_t)(ns / NS_PER_SECOND), (long)(ns % NS_PER_SECOND)};
    latest.status = status;
    if (thread_start("end", THREAD_HAS_NONE, end_at_last, NULL, &thread) == 0)
        (void)pthread_detach(thread);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/top/loop.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <systemd/sd-event.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "tool/safe_text.h"
#include "tool/top/batch.h"
#include "tool/top/screen.h"
#include "tool/top/source.h"

/* The accuracy of the timer: sd-event would round to 250 ms. */
#define ACCURACY_US 1000

struct loop {
    const struct top_options *options;
    struct top_state state;
    struct top_rows rows;
    char mechanism[8];    /* as the last page tells it */
    char uncounted[160];  /* likewise */
    bool counters_paused; /* likewise */
    char trouble[512];    /* why there is no new page; empty: there is one */
    uint64_t shown;       /* tables with rates that were shown */
    uint64_t due_ns;      /* when the source is asked next */
    sd_event *event;
    sd_event_source *timer;
    struct top_source *source;
    struct top_screen *screen; /* NULL: the output is text or JSON */
};

static int end(struct loop *loop, int status)
{
    return sd_event_exit(loop->event, status);
}

static int out_of_memory(struct loop *loop)
{
    (void)fprintf(stderr, "pmutool: %s\n", strerror(ENOMEM));
    return end(loop, EXIT_FAILURE);
}

static struct top_about about(const struct loop *loop)
{
    return (struct top_about){
        .source = loop->source->name,
        .mechanism = loop->mechanism,
        .now = (double)clock_realtime_ns() / (double)NS_PER_SECOND,
        .uncounted = loop->uncounted,
        .paused = loop->counters_paused,
    };
}

/* Prints a table or a line of JSON. Returns 0 or -ENOMEM. */
static int print(struct loop *loop, const struct top_view *view)
{
    AUTO_TEXT struct text text = {0};
    const struct top_about what = about(loop);
    int r = 0;

    if (loop->options->output == TOP_JSON)
        r = top_batch_append_json(&text, &loop->rows, view, &what);
    else
        top_batch_append_table(&text, &loop->rows, view, &what);
    if (r < 0 || text_error(&text) < 0)
        return -ENOMEM;
    (void)fwrite(text.data, 1, text.length, stdout);
    if (fflush(stdout) != 0)
        (void)end(loop, EXIT_FAILURE); /* finish_program() says why. */
    return 0;
}

/* Shows what there is now. */
static void show(struct loop *loop)
{
    struct top_settings settings = loop->state.settings;
    const struct top_about what = about(loop);
    struct top_view view;
    int r;

    settings.filter = loop->state.filter;
    r = top_view_make(&loop->rows, &settings, &view);
    if (r >= 0 && loop->screen)
        top_screen_draw(loop->screen, &loop->rows, &view, &loop->state, &what,
                        *loop->trouble ? loop->trouble : NULL);
    else if (r >= 0)
        r = print(loop, &view);
    top_view_done(&view);
    if (r < 0)
        (void)out_of_memory(loop);
}

/* Keeps why there is no new page. The words may be another program's, and are shown as names are.
 */
static void keep_trouble(struct loop *loop, const char *trouble)
{
    AUTO_TEXT struct text safe = {0};
    AUTO_FREE char *shown = NULL;

    safe_text_append(&safe, trouble, strlen(trouble));
    shown = text_take(&safe);
    (void)snprintf(loop->trouble, sizeof(loop->trouble), "%s", shown ? shown : strerror(ENOMEM));
}

/*
 * A counting of our own that does not even begin will not do so later: it ends the program. A
 * script learns by the exit status that no exporter answers; a person may wait for one to start.
 */
static void hear_trouble(struct loop *loop, const char *trouble)
{
    const bool is_over = loop->rows.pages == 0 && (!loop->options->socket || !loop->screen);
    const bool is_first = !*loop->trouble;

    keep_trouble(loop, trouble);
    if (is_over || (is_first && !loop->screen))
        (void)fprintf(stderr, "pmutool: %s%s\n", loop->trouble, is_over ? "" : "; asking again");
    if (is_over)
        (void)end(loop, EXIT_FAILURE);
    else if (loop->screen)
        show(loop);
}

/* Takes a page over, and shows it if it has rates. */
static int take_page(struct loop *loop, const struct top_page *page)
{
    const double now = (double)clock_realtime_ns() / (double)NS_PER_SECOND;
    const int news = top_rows_update(&loop->rows, page, now);

    if (news < 0)
        return news;
    loop->counters_paused = page->paused;
    memcpy(loop->uncounted, page->uncounted, sizeof(loop->uncounted));
    (void)snprintf(loop->mechanism, sizeof(loop->mechanism), "%s", page->mechanism);
    loop->shown += news == TOP_RATES;
    if (loop->screen || news == TOP_RATES)
        show(loop);
    if (loop->options->iterations > 0 && loop->shown >= loop->options->iterations)
        (void)end(loop, EXIT_SUCCESS);
    return 0;
}

static void hear_page(struct loop *loop, json_t *value)
{
    const char *expected = "";
    struct top_page page;
    char trouble[300];
    int r = top_page_read(value, &page, &expected);

    if (r == 0) {
        if (page.stale) {
            hear_trouble(loop, "the exporter has no new numbers: its last cycle is too long ago");
        } else {
            loop->trouble[0] = '\0';
            r = take_page(loop, &page);
        }
        top_page_done(&page);
    } else if (r == -EPROTO) {
        (void)snprintf(trouble, sizeof(trouble), "cannot read what the exporter says: %s",
                       expected);
        hear_trouble(loop, trouble);
        return;
    }
    if (r < 0)
        (void)out_of_memory(loop);
}

static void on_heard(void *context, json_t *page, const char *trouble)
{
    struct loop *loop = context;

    /* A paused table does not change, and what comes meanwhile is not missed afterwards: counters
     * go on, so the next page shows the rates of the whole pause. */
    if (loop->state.is_paused)
        return;
    if (trouble)
        hear_trouble(loop, trouble);
    else
        hear_page(loop, page);
}

static int on_timer(sd_event_source *timer, uint64_t usec, void *context)
{
    struct loop *loop = context;
    const uint64_t now_ns = clock_monotonic_ns();

    (void)usec;
    loop->due_ns += loop->options->delay_ns;
    if (loop->due_ns <= now_ns) /* The program was stopped, or the machine is busy. */
        loop->due_ns = now_ns + loop->options->delay_ns;
    loop->source->ask(loop->source);
    return sd_event_source_set_time(timer, loop->due_ns / 1000);
}

static int on_keys(sd_event_source *source, int fd, uint32_t events, void *context)
{
    struct loop *loop = context;
    bool is_function, is_changed = false;
    wint_t key;

    (void)source, (void)fd;
    while (top_screen_read_key(loop->screen, &key, &is_function)) {
        const enum top_action action = top_state_take_key(&loop->state, key, is_function);

        if (action == TOP_QUIT)
            return end(loop, EXIT_SUCCESS);
        is_changed |= action == TOP_REDRAW;
    }
    if (events & (EPOLLHUP | EPOLLERR)) /* The terminal has gone. */
        return end(loop, EXIT_FAILURE);
    if (is_changed)
        show(loop);
    return 0;
}

static int on_end(sd_event_source *source, const struct signalfd_siginfo *info, void *context)
{
    (void)source, (void)info;
    return end(context, EXIT_SUCCESS);
}

static int on_screen_signal(sd_event_source *source, const struct signalfd_siginfo *info,
                            void *context)
{
    struct loop *loop = context;

    (void)source;
    if (info->ssi_signo == SIGTSTP)
        top_screen_suspend(loop->screen);
    else
        top_screen_renew(loop->screen);
    show(loop);
    return 0;
}

static int add_signals(struct loop *loop, const int *signals, size_t n,
                       sd_event_signal_handler_t handler)
{
    sigset_t blocked;
    int r = 0;

    (void)sigemptyset(&blocked);
    for (size_t i = 0; i < n; i++)
        (void)sigaddset(&blocked, signals[i]);
    r = -pthread_sigmask(SIG_BLOCK, &blocked, NULL);
    for (size_t i = 0; i < n && r >= 0; i++)
        r = sd_event_add_signal(loop->event, NULL, signals[i], handler, loop);
    return r;
}

/* Opens the screen, with all that belongs to it. Returns 0 or -errno. */
static int open_screen(struct loop *loop)
{
    static const int signals[] = {SIGWINCH, SIGTSTP, SIGCONT};
    int r = add_signals(loop, signals, ARRAY_SIZE(signals), on_screen_signal);

    if (r >= 0)
        r = top_screen_new(&loop->screen);
    if (r == -ENOTTY)
        (void)fprintf(stderr,
                      "pmutool: this type of terminal is not known here (TERM is \"%s\"); "
                      "-b prints plain text\n",
                      getenv("TERM") ? getenv("TERM") : "");
    if (r >= 0)
        r = sd_event_add_io(loop->event, NULL, STDIN_FILENO, EPOLLIN, on_keys, loop);
    return r;
}

static int open_source(struct loop *loop)
{
    const struct top_listener listener = {on_heard, loop};

    if (loop->options->socket)
        return top_source_exporter(loop->options->socket, loop->event, &listener, &loop->source);
    return top_source_own(loop->options->delay_ns, loop->event, &listener, &loop->source);
}

static int start(struct loop *loop)
{
    static const int ends[] = {SIGTERM, SIGINT, SIGHUP};
    int r = sd_event_new(&loop->event);

    if (r >= 0)
        r = add_signals(loop, ends, ARRAY_SIZE(ends), on_end);
    if (r >= 0)
        r = open_source(loop);
    if (r >= 0 && loop->options->output == TOP_SCREEN)
        r = open_screen(loop);
    if (r >= 0) {
        loop->due_ns = clock_monotonic_ns();
        r = sd_event_add_time(loop->event, &loop->timer, CLOCK_MONOTONIC, loop->due_ns / 1000,
                              ACCURACY_US, on_timer, loop);
    }
    return r < 0 ? r : sd_event_source_set_enabled(loop->timer, SD_EVENT_ON);
}

int top_loop_run(const struct top_options *options)
{
    struct loop loop = {.options = options, .state = options->state};
    int r = start(&loop);

    if (r >= 0)
        r = sd_event_loop(loop.event);
    loop.screen = top_screen_free(loop.screen);
    loop.source = top_source_free(loop.source);
    top_rows_done(&loop.rows);
    (void)sd_event_source_unref(loop.timer);
    (void)sd_event_unref(loop.event);
    if (r < 0 && r != -ENOTTY)
        (void)fprintf(stderr, "pmutool: %s\n", strerror(-r));
    return r < 0 ? EXIT_FAILURE : r;
}

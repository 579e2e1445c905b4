/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/stat/keep.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "client/client.h"
#include "resolve/absence_advice.h"
#include "run/columns.h"
#include "run/recording_text.h"
#include "tool/command.h"
#include "tool/json.h"
#include "tool/safe_text.h"
#include "tool/stat/keep_text.h"

/* Of what the service takes: the rest is for names and words. */
#define ROWS_BYTES (RUN_IMPORTED_BYTES - (size_t)512 * 1024)

struct stat_keep {
    const struct stat_options *options;
    struct recording *recording;
    const struct event_groups *groups; /* NULL: nothing was counted yet */
    struct run_ratios ratios;
    struct figure *sums;  /* of each event, over the rows of the report */
    struct figure *spans; /* of each event, its times over all that is kept */
    size_t *columns;      /* of each event; SIZE_MAX: it has none */
    uint64_t time_ns;     /* of the last row */
    size_t bytes;         /* that the rows take when they are sent, at most */
    size_t n_left_out;    /* rows */
};

static int copy_options(const struct stat_options *options, struct recording *recording)
{
    recording->title = strdup(options->run_title);
    recording->target = stat_keep_target(options);
    recording->interval_ns = options->interval_ns;
    if (options->command)
        recording->command = stat_keep_command(options->command);
    return recording->title && recording->target && (!options->command || recording->command)
               ? 0
               : -ENOMEM;
}

int stat_keep_new(const struct stat_options *options, struct stat_keep **ret_keep)
{
    struct stat_keep *keep = calloc(1, sizeof(*keep));

    if (!keep)
        return -ENOMEM;
    keep->options = options;
    keep->recording = recording_new();
    if (!keep->recording || copy_options(options, keep->recording) < 0) {
        (void)stat_keep_free(keep);
        return -ENOMEM;
    }
    *ret_keep = keep;
    return 0;
}

struct stat_keep *stat_keep_free(struct stat_keep *keep)
{
    if (!keep)
        return NULL;
    if (keep->groups)
        run_ratios_done(&keep->ratios);
    keep->recording = recording_free(keep->recording);
    free(keep->sums);
    free(keep->spans);
    free(keep->columns);
    free(keep);
    return NULL;
}

/* What is said of an event that is not counted. */
static const char *words_for(const struct group_member *member)
{
    const char *advice = absence_advice(member->absence);

    return member->event->why ? member->event->why : *advice ? advice : NULL;
}

/* Whether an event of this name, which stands there twice, has a column. */
static bool has_column(const struct recording *recording, const char *name)
{
    for (size_t i = 0; i < recording->n_columns; i++)
        if (strcmp(recording->columns[i].name, name) == 0)
            return true;
    return false;
}

static int make_columns(struct stat_keep *keep, const struct report *report)
{
    const size_t n = report->groups->n_events;
    int r;

    keep->groups = report->groups;
    keep->sums = calloc(n + 1, sizeof(*keep->sums));
    keep->spans = calloc(n + 1, sizeof(*keep->spans));
    keep->columns = calloc(n + 1, sizeof(*keep->columns));
    r = run_ratios_find(keep->groups, &keep->ratios);
    if (!keep->sums || !keep->spans || !keep->columns)
        return -ENOMEM;
    for (size_t i = 0; i < n && r == 0; i++) {
        size_t group;
        const struct group_member *member = report_member(report, i, &group);

        keep->columns[i] = SIZE_MAX;
        if (!has_column(keep->recording, member->event->name))
            r = run_columns_add_event(keep->recording, member, words_for(member),
                                      &keep->columns[i]);
    }
    return r < 0 ? r : run_columns_add_ratios(keep->recording, &keep->ratios);
}

/* What an event has counted in all rows; it is known if it is in each that has it. */
static struct figure sum_of(const struct report *report, size_t event)
{
    struct figure sum = {0};
    size_t n = 0, n_known = 0;

    for (size_t part = 0; part < report->n_parts; part++) {
        const struct figure *figure = report_figure(report, part, event);

        if (!report_has_row(report, part, event))
            continue;
        n++;
        n_known += figure->is_known ? 1 : 0;
        sum.exact += figure->exact;
        sum.enabled_ns += figure->enabled_ns;
        sum.running_ns += figure->running_ns;
    }
    sum.is_known = n > 0 && n == n_known;
    return sum;
}

static void fill_row(struct stat_keep *keep, const struct report *report, double *row)
{
    struct recording *recording = keep->recording;
    size_t n_counted = 0;

    for (size_t i = 0; i < keep->groups->n_events; i++) {
        keep->sums[i] = sum_of(report, i);
        if (keep->columns[i] == SIZE_MAX)
            continue;
        n_counted++;
        if (!keep->sums[i].is_known)
            continue;
        row[keep->columns[i]] = (double)keep->sums[i].exact;
        keep->spans[i].enabled_ns += keep->sums[i].enabled_ns;
        keep->spans[i].running_ns += keep->sums[i].running_ns;
    }
    for (size_t i = 0; i < keep->ratios.n; i++)
        row[n_counted + i] = run_ratio_of(&keep->ratios, i, keep->sums);
    keep->bytes += stat_keep_bytes((double)keep->time_ns / (double)NS_PER_SECOND);
    for (size_t i = 0; i < recording->n_columns; i++)
        keep->bytes += stat_keep_bytes(run_column_value(&recording->columns[i], row[i]));
}

int stat_keep_add(struct stat_keep *keep, const struct report *report, uint64_t span_ns)
{
    struct recording *recording = keep->recording;
    double *row = NULL;
    int r;

    if (!keep->groups) {
        recording->start_realtime_ns = clock_realtime_ns() - span_ns;
        r = make_columns(keep, report);
        if (r < 0)
            return r;
    }
    keep->time_ns += span_ns;
    if (keep->bytes < ROWS_BYTES && keep->n_left_out == 0)
        row = recording_add_row(recording, keep->time_ns);
    if (row)
        fill_row(keep, report, row);
    else
        keep->n_left_out++;
    return 0;
}

/* Tells how it went; the words may be the service's. */
static void tell(const char *what, const char *words)
{
    AUTO_TEXT struct text safe = {0};

    safe_text_append(&safe, words, strcspn(words, "\n"));
    (void)fprintf(stderr, PROGRAM ": %s%.*s\n", what, (int)safe.length, safe.data ? safe.data : "");
}

/* Coverages are known at the end. An event that stands there twice is listed once. */
static void set_coverages(struct stat_keep *keep)
{
    size_t listed = 0;

    for (size_t i = 0; i < keep->groups->n_events && listed < keep->recording->n_events; i++) {
        if (keep->columns[i] == SIZE_MAX)
            continue;
        while (keep->recording->events[listed].reason)
            listed++;
        if (keep->spans[i].enabled_ns > 0)
            keep->recording->events[listed].coverage = figure_coverage(&keep->spans[i]);
        listed++;
    }
}

/* Says what was kept, where no program reads what we write. */
static void tell_kept(const struct stat_keep *keep, const json_t *answer)
{
    const double id = json_number_value(json_object_get(answer, "id"));

    if (keep->n_left_out > 0)
        (void)fprintf(stderr,
                      PROGRAM ": warning: the last %zu intervals are too much for a run, and are "
                              "not kept\n",
                      keep->n_left_out);
    if (keep->options->format == FORMAT_TABLE || keep->options->output)
        (void)fprintf(stderr, PROGRAM ": kept as run %.0f\n", id);
}

/* Where nobody answered, it is told where the service was looked for. */
static void tell_refused(const struct stat_keep *keep, const struct pmu_client *client)
{
    AUTO_TEXT struct text words = {0};

    if (pmu_client_status(client) == 0)
        text_append_format(&words, "%s: ", command_socket(keep->options->socket));
    text_append_string(&words, pmu_client_error(client));
    text_append_char(&words, 0);
    tell("warning: the run is not kept: ", text_error(&words) < 0 ? strerror(ENOMEM) : words.data);
}

static void send_to(struct stat_keep *keep, struct pmu_client *client)
{
    AUTO_JSON json_t *answer = NULL;
    AUTO_JSON json_t *run = NULL;

    set_coverages(keep);
    run = stat_keep_json(keep->recording);
    if (!run)
        tell("warning: the run is not kept: ", strerror(ENOMEM));
    else if (pmu_client_post(client, "/api/v1/runs/given", run, &answer) < 0)
        tell_refused(keep, client);
    else
        tell_kept(keep, answer);
}

void stat_keep_send(struct stat_keep *keep, const sigset_t *mask)
{
    struct pmu_client *client;
    int r;

    if (keep->recording->n_columns == 0 || keep->recording->n_rows == 0) {
        tell("warning: the run is not kept: ", "nothing of it could be counted");
        return;
    }
    (void)sigprocmask(SIG_SETMASK, mask, NULL);
    r = pmu_client_open(command_socket(keep->options->socket), &client);
    if (r < 0) {
        tell("warning: the run is not kept: ", strerror(-r));
        return;
    }
    send_to(keep, client);
    (void)pmu_client_close(client);
}

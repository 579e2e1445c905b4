/* SPDX-License-Identifier: Apache-2.0 */

/*
 * `pmutool latency`: what the service counts of a target anyway, read twice. Nothing is started for
 * it, and the difference is exact.
 */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "client/client.h"
#include "config/config_error.h"
#include "tool/command.h"
#include "tool/control_client.h"
#include "tool/json.h"
#include "tool/latency/show.h"
#include "tool/option_values.h"
#include "tool/safe_text.h"

#define USUAL_DURATION_NS   (10 * NS_PER_SECOND)
#define LEAST_DURATION_NS   (NS_PER_SECOND / 100)
#define LONGEST_DURATION_NS (86400 * NS_PER_SECOND)
#define AGAIN_SECONDS       0.2 /* between two questions for a new cycle */

enum { KEY_KIND = 0x1300 };

struct latency {
    const char *target;
    const char *kind; /* NULL: all */
    uint64_t duration_ns;
    struct control_client where;
    struct pmu_client *client;
};

static const char *take_kind(const char *argument)
{
    if (!latency_family_of_kind(argument))
        command_refuse("--kind is %s; expected " LATENCY_KINDS, SHOWN(argument));
    return argument;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct latency *latency = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &latency->where;
        return 0;
    case 'd':
        latency->duration_ns =
            option_seconds('d', argument, LEAST_DURATION_NS, LONGEST_DURATION_NS);
        return 0;
    case KEY_KIND:
        latency->kind = take_kind(argument);
        return 0;
    default:
        return command_take_word(key, argument, &latency->target, "latency TARGET");
    }
}

static const struct argp_option options[] = {
    {.name = "duration",
     .key = 'd',
     .arg = "SECONDS",
     .doc = "For how long, from 0.01 to 86400, or until Ctrl-C. Default: 10."},
    {.name = "kind",
     .key = KEY_KIND,
     .arg = "KIND",
     .doc =
         "Only run_queue (waits for a CPU), on_cpu (times on a CPU), off_cpu (blocked), block_io "
         "(requests), interrupts, kvm (exits of guests), tcp (connections), system_calls "
         "(counts, and times of those that are timed) or spans."},
    {0},
};

static const struct argp_child children[] = {{.argp = &control_client_argp}, {0}};

static const struct argp argp = {
    .options = options,
    .parser = parse,
    .args_doc = "TARGET",
    .doc = "Show how long threads of a target waited for a CPU, kept it and were blocked, and how "
           "long what is counted by key took, as histograms of what the running service counts in "
           "some seconds, with tables of what it only counts. TARGET is machine, cgroup:PATH or "
           "process:NAME.\v"
           "Exit status 0: done; 1: not, with the reason on stderr; 2: the command line is wrong.",
    .children = children,
};

static int complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

static int complain(const char *format, ...)
{
    AUTO_TEXT struct text safe = {0};
    AUTO_FREE char *words = NULL;
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vasprintf(&words, format, arguments);
    va_end(arguments);
    if (length < 0) {
        words = NULL;
        return command_fail(-ENOMEM);
    }
    safe_text_append(&safe, words, (size_t)length);
    (void)fprintf(stderr, PROGRAM ": %.*s\n", (int)safe.length, safe.data ? safe.data : "");
    return EXIT_REFUSED;
}

/* The service's own words; or, where there was no answer, which socket it is about. */
static int complain_of_client(const struct latency *latency)
{
    const char *words = pmu_client_error(latency->client);

    return pmu_client_status(latency->client) != 0
               ? complain("%s", words)
               : complain("%s: %s", command_socket(latency->where.socket), words);
}

/* Why the service does not count the kind; NULL: it does, or is not asked to. */
static const char *reason_of_kind(const struct latency *latency, const json_t *status)
{
    const char *part = latency_family_of_kind(latency->kind)->part;
    const json_t *const parts = json_object_get(json_object_get(status, "latency"), "parts");

    return json_string_value(json_object_get(json_object_get(parts, part), "reason"));
}

static int explain_of_kind(const struct latency *latency, const json_t *status)
{
    const char *reason = reason_of_kind(latency, status);

    if (reason)
        return complain("%s has nothing of %s: %s", latency->target, latency->kind, reason);
    return complain("%s has nothing of %s: \"latency\" of the configuration does not ask for it",
                    latency->target, latency->kind);
}

/* Says if the kind that is wanted is refused. Returns the exit status, 0 to go on. */
static int check_kind(const struct latency *latency)
{
    AUTO_JSON json_t *status = NULL;

    if (!latency->kind)
        return 0;
    if (pmu_client_get(latency->client, "/api/v1/status", &status) < 0)
        return complain_of_client(latency);
    return reason_of_kind(latency, status) ? explain_of_kind(latency, status) : 0;
}

/* Says why a target has none. Returns the exit status. */
static int explain(const struct latency *latency, const char *path)
{
    AUTO_FREE char *whole = strndup(path, strcspn(path, "&"));
    AUTO_JSON json_t *targets = NULL, *status = NULL;
    const char *reason;

    if (!whole)
        return command_fail(-ENOMEM);
    if (pmu_client_get(latency->client, whole, &targets) < 0 ||
        pmu_client_get(latency->client, "/api/v1/status", &status) < 0)
        return complain_of_client(latency);
    if (json_is_true(json_object_get(targets, "stale")))
        return complain("the service has not counted for a while");
    if (json_array_size(json_object_get(targets, "tables")) == 0)
        return complain("%s is not counted now", latency->target);
    if (latency->kind)
        return explain_of_kind(latency, status);
    reason = json_string_value(json_object_get(json_object_get(status, "latency"), "reason"));
    if (reason)
        return complain("%s has no distributions of latency: %s", latency->target, reason);
    return complain("%s has no distributions of latency: \"latency\" of the configuration asks for "
                    "none",
                    latency->target);
}

/* Returns the exit status, 0 to go on. */
static int read_now(const struct latency *latency, const char *path,
                    struct distributions *ret_distributions)
{
    AUTO_JSON json_t *answer = NULL;
    int r;

    if (pmu_client_get(latency->client, path, &answer) < 0)
        return complain_of_client(latency);
    distributions_done(ret_distributions);
    r = distributions_read(answer, ret_distributions);
    if (r == -ENOMEM)
        return command_fail(r);
    if (r < 0)
        return complain("the service's answer is none of pmu_exporter");
    return ret_distributions->is_there ? 0 : explain(latency, path);
}

static void pause_for(double seconds)
{
    struct timespec rest = {.tv_sec = (time_t)seconds, .tv_nsec = (long)(fmod(seconds, 1) * 1e9)};

    while (nanosleep(&rest, &rest) < 0 && errno == EINTR)
        continue;
}

/*
 * Waits for so long, or until somebody ends it: by Ctrl-C, or by SIGTERM as timeout(1) does. What
 * was counted until then is shown; another such signal ends the command at once.
 */
static void wait_for_end(uint64_t duration_ns)
{
    const uint64_t end_ns = clock_monotonic_ns() + duration_ns;
    uint64_t now_ns;
    sigset_t ends, before;
    int r = -1;

    (void)sigemptyset(&ends);
    (void)sigaddset(&ends, SIGINT);
    (void)sigaddset(&ends, SIGTERM);
    /* A shell starts what stands before & with SIGINT ignored, and then it would not arrive. */
    (void)signal(SIGINT, SIG_DFL);
    if (sigprocmask(SIG_BLOCK, &ends, &before) < 0)
        return;
    while (r < 0 && (now_ns = clock_monotonic_ns()) < end_ns) {
        const struct timespec rest = {.tv_sec = (time_t)((end_ns - now_ns) / NS_PER_SECOND),
                                      .tv_nsec = (long)((end_ns - now_ns) % NS_PER_SECOND)};

        r = sigtimedwait(&ends, NULL, &rest); /* EINTR: it was stopped, and goes on */
    }
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
}

/*
 * Reads until there is a cycle behind the one of the start; a service that counts no more says so.
 * Returns the exit status, 0 to go on.
 */
static int read_later(const struct latency *latency, const char *path,
                      const struct distributions *start, struct distributions *ret_end)
{
    int status = read_now(latency, path, ret_end);

    while (status == 0 && ret_end->taken <= start->taken) {
        pause_for(AGAIN_SECONDS);
        status = read_now(latency, path, ret_end);
    }
    return status;
}

static int show(const struct latency *latency, const struct distributions *counted, double seconds)
{
    AUTO_TEXT struct text text = {0};

    if (latency->where.json)
        return json_print(latency_json(latency->target, counted, seconds));
    latency_append_text(&text, latency->target, counted, seconds);
    if (text_error(&text) < 0)
        return -ENOMEM;
    (void)fwrite(text.data, 1, text.length, stdout);
    return 0;
}

/* Learns how many of the system calls are timed, where any of them are. Returns the exit status. */
static int read_one_in(const struct latency *latency, struct distributions *counted)
{
    AUTO_JSON json_t *status = NULL;
    bool has_timed = false;

    for (size_t i = 0; i < counted->n; i++)
        has_timed = has_timed || latency_family_is_timed(counted->all[i].family);
    if (!has_timed)
        return 0;
    if (pmu_client_get(latency->client, "/api/v1/status", &status) < 0)
        return complain_of_client(latency);
    counted->one_in = (int)json_number_value(json_object_get(
        json_object_get(json_object_get(status, "latency"), "timed_calls"), "one_in"));
    return 0;
}

static bool has_kind(const char *target, const char *kind)
{
    return strncmp(target, kind, strlen(kind)) == 0;
}

/* Of a CPU, or of what is beyond the cores, the service has no distributions. */
static bool may_have_some(const char *target)
{
    return strcmp(target, "machine") == 0 || has_kind(target, "cgroup:") ||
           has_kind(target, "process:");
}

/* Returns the exit status. */
static int measure(const struct latency *latency, const char *path)
{
    struct distributions start AUTO_DISTRIBUTIONS = {0}, end AUTO_DISTRIBUTIONS = {0};
    int status = read_now(latency, path, &start);

    if (status == 0)
        status = check_kind(latency);
    if (status != 0)
        return status;
    wait_for_end(latency->duration_ns);
    status = read_later(latency, path, &start, &end);
    if (status != 0)
        return status;
    if (distributions_subtract(&end, &start) < 0)
        return complain("%s, or the service, has begun again meanwhile", latency->target);
    status = read_one_in(latency, &end);
    if (status != 0)
        return status;
    return show(latency, &end, end.taken - start.taken) < 0 ? command_fail(-ENOMEM) : EXIT_SUCCESS;
}

int run_latency(int argc, char **argv)
{
    struct latency latency = {.duration_ns = USUAL_DURATION_NS};
    AUTO_TEXT struct text path = {0};
    int status;

    command_parse(&argp, argc, argv, &latency);
    if (!may_have_some(latency.target))
        return complain("target \"%s\"; expected machine, cgroup:PATH or process:NAME",
                        latency.target);
    distributions_append_path(&path, latency.target, latency.kind);
    text_append_char(&path, '\0');
    if (text_error(&path) < 0 ||
        pmu_client_open(command_socket(latency.where.socket), &latency.client) < 0)
        return command_fail(-ENOMEM);
    status = measure(&latency, path.data);
    (void)pmu_client_close(latency.client);
    return status;
}

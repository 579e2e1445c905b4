/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * libpmu_exporter: what a running pmu_exporter knows, for programs in C. It speaks HTTP over the
 * exporter's control socket or over TCP (libcurl), and gives JSON (jansson). The manual for users
 * is libpmu_exporter(3).
 *
 *     struct pmu_client *client;
 *     json_t *status;
 *
 *     if (pmu_client_open(NULL, &client) < 0)
 *         return 1;
 *     if (pmu_client_get(client, "/api/v1/status", &status) < 0)
 *         fprintf(stderr, "%s\n", pmu_client_error(client));
 *
 * Functions that can fail return 0 or a negative errno:
 *
 *   -EINVAL       an argument is wrong, here or for the exporter (400)
 *   -EACCES       the socket may not be opened by this user
 *   -EPERM        the exporter does not allow it (401, 403)
 *   -ENOENT       there is no such socket, or nothing of that name (404)
 *   -EAGAIN       the exporter has nothing to tell yet (503)
 *   -EBUSY        too much of it is under way (429)
 *   -ECONNREFUSED nobody listens there
 *   -ETIMEDOUT    no answer came in time
 *   -EPROTO       what answered is not pmu_exporter
 *   -EREMOTEIO    the exporter has failed (any other status)
 *   -EFBIG        the answer is larger than 256 MiB
 *   -ENOMEM
 *
 * or another errno of the connection. Outputs are untouched then.
 *
 * A client belongs to one thread at a time. It has at most one question open; a new one ends that
 * before it. A connection is kept from one question to the next, and made again where it was lost.
 */

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where the exporter listens, unless --control.socket says otherwise. */
#define PMU_CLIENT_SOCKET "/run/pmu_exporter/control"

struct pmu_client;

/*
 * Makes a client of the exporter at this place: the path of its control socket,
 * "http://HOST:PORT", "https://HOST:PORT" (also with USER:PASSWORD@), or NULL for
 * PMU_CLIENT_SOCKET. Nothing is connected yet. -EINVAL: it is none of these; -ENAMETOOLONG: no
 * socket can have this path; -ELIBACC: libcurl is not installed; -ENOMEM.
 */
int pmu_client_open(const char *where, struct pmu_client **ret_client);

/* Ends the connection and frees the client, which may be NULL. Returns NULL. */
struct pmu_client *pmu_client_close(struct pmu_client *client);

/* Says in words why the last function has failed; "" if none has. It is valid until the next. */
const char *pmu_client_error(const struct pmu_client *client);

/* The HTTP status of the last answer; 0: there was none. */
int pmu_client_status(const struct pmu_client *client);

/*
 * Asks, and waits for the answer, 40 seconds at most. `path` may have arguments, and is encoded as
 * URLs are: "/api/v1/targets?target=cgroup:/system.slice/a.service". The caller drops the value by
 * json_decref(). All numbers are reals, since counts may be larger than jansson's integers:
 * json_number_value() reads them. A text that is not JSON is given as a string without its last
 * line feed, and nothing as null. `body` is sent as JSON and is not taken over; NULL: nothing.
 */
int pmu_client_get(struct pmu_client *client, const char *path, json_t **ret_value);
int pmu_client_post(struct pmu_client *client, const char *path, const json_t *body,
                    json_t **ret_value);
int pmu_client_delete(struct pmu_client *client, const char *path, json_t **ret_value);

/*
 * The same for an answer of any type, as "/debug/pprof/profile": its bytes as they came. The caller
 * frees them. A NUL, which is not counted, stands behind them.
 */
int pmu_client_get_bytes(struct pmu_client *client, const char *path, char **ret_bytes,
                         size_t *ret_length);

/*
 * The same as pmu_client_get(), for programs that wait for several things at once: after
 * pmu_client_ask() the descriptor becomes readable whenever pmu_client_answer() should be called,
 * which never waits. It returns -EINPROGRESS as long as the answer is not complete. The descriptor
 * stays the same for the life of the client, and only poll(2) and its like may be used on it.
 */
int pmu_client_ask(struct pmu_client *client, const char *path);
int pmu_client_descriptor(const struct pmu_client *client);
int pmu_client_answer(struct pmu_client *client, json_t **ret_value);

/* One event of a stream. */
struct pmu_event {
    const char *name; /* "snapshot" */
    const char *id;   /* "" if it has none */
    json_t *data;
};

/*
 * Follows a stream of events, as "/api/v1/live". pmu_client_next() waits for the next event for so
 * many milliseconds, 0 for none, -1 for ever. It returns 1 with an event, which belongs to the
 * client and is valid until the next call; 0 if none came; or a negative errno: then the stream
 * has ended (-ECONNRESET: the exporter ended it), and whoever wants more follows again.
 */
int pmu_client_follow(struct pmu_client *client, const char *path);
int pmu_client_next(struct pmu_client *client, int timeout_ms, struct pmu_event *ret_event);

/* Targets with their numbers: what /api/v1/targets answers, taken apart. */

struct pmu_column {
    const char *name;  /* of the metric family: "pmu_cgroup_instructions_total" */
    const char *group; /* the group of events that the number is about; NULL: none */
    bool is_counter;   /* it only grows while the target lives; else it is the number of now */
};

struct pmu_row {
    const json_t *labels; /* what tells the target from others: {"cgroup": "/a.service"} */
    const json_t *info;   /* what describes it; NULL: nothing */
    const double *values; /* one for each column; NaN: not known */
};

struct pmu_table {
    const char *kind;      /* "machine", "cpu", "cgroup", "process", "uncore" */
    const char *mechanism; /* how they are counted: "direct", "bpf"; NULL: not told */
    const struct pmu_column *columns;
    size_t n_columns;
    const struct pmu_row *rows;
    size_t n_rows;
};

/* Targets that are wanted but not counted, or only in part. */
struct pmu_uncounted {
    const char *kind, *reason;
    double targets;
};

struct pmu_targets {
    double process_start_time_seconds; /* since 1970: when the exporter began */
    double sequence;                   /* the number of the snapshot since then */
    double taken_seconds;              /* of CLOCK_MONOTONIC */
    double taken_realtime_seconds;     /* since 1970; NaN: not told */
    double interval_seconds;
    bool stale;  /* the exporter has no new numbers; there are no tables then */
    bool paused; /* hardware counters are paused on request */
    const struct pmu_table *tables;
    size_t n_tables;
    const struct pmu_uncounted *uncounted;
    size_t n_uncounted;
};

/*
 * Takes apart what /api/v1/targets or an event of /api/v1/live has given. Names and labels are
 * those of the value, which must stay as long as the targets. What is not known is ignored.
 * Returns 0; -EPROTO, and *ret_expected is a static text that says what was expected; -ENOMEM.
 */
int pmu_targets_read(const json_t *value, struct pmu_targets **ret_targets,
                     const char **ret_expected);

/* Frees the targets, which may be NULL. Returns NULL. */
struct pmu_targets *pmu_targets_free(struct pmu_targets *targets);

/* The value of a label of a row: pmu_row_label(row, "cgroup"); NULL: it has none of this name. */
const char *pmu_row_label(const struct pmu_row *row, const char *name);

#ifdef __cplusplus
}
#endif

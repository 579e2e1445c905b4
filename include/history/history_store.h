/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What a task may ask of the historian's databases. All functions belong to the historian's thread.
 * Times are CLOCK_REALTIME in nanoseconds since 1970. A range goes from start_ns, included, to
 * end_ns, not included.
 *
 * A target is known by its key: the kind, a colon, and the value of its label as it is:
 * "cgroup:/system.slice/nginx.service", "process:nginx", "cpu:0"; "machine" has no label. What has
 * several labels has their values with commas between them.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "metric/snapshot.h"

struct history_store;

/* The most targets of the databases that are listed. */
#define HISTORY_LISTED_MAX 20000

/* The most points that an answer has for one target. */
#define HISTORY_POINTS_MAX 20000

/* Appends the key of a target: its plan has the prefix ("pmu_cgroup_"). */
void history_append_key(struct text *text, const char *prefix, const struct identity *identity);

struct history_label {
    char *name, *value;
};

/* Whose past it is. */
struct history_target {
    char *key;
    char *kind; /* "cgroup" */
    struct history_label *labels;
    size_t n_labels;
    uint64_t first_ns, last_ns; /* the first and the last time in the range */
    char **columns;             /* the families that a query can have, each once */
    size_t n_columns;
};

struct history_targets {
    struct history_target *targets; /* by their keys in order */
    size_t n_targets;
    bool is_cut; /* the range has more targets, which are not listed */
};

/* What a part of the past may take in memory (history_limits.memory_bytes); 0: no limit is known.
 */
uint64_t history_store_memory(const struct history_store *store);

/*
 * Records the snapshots that wait. A task that may take long calls it between two of its parts, so
 * that none is lost meanwhile.
 */
void history_store_catch_up(struct history_store *store);

/*
 * Lists the targets that have numbers in a range: those that are counted now, and
 * HISTORY_LISTED_MAX of the others at most, of which those come first that are known longest. 0 or
 * -errno.
 */
int history_store_targets(struct history_store *store, uint64_t start_ns, uint64_t end_ns,
                          struct history_targets **ret_targets);
struct history_targets *history_targets_free(struct history_targets *targets);
DEFINE_AUTO(history_targets, struct history_targets *, history_targets_free)

/*
 * The time between two points of an answer: so long that a range has `points` points at most
 * (0: as many as there can be), and as there are snapshots at the beginning of the range. All
 * targets of one plot are asked with the same.
 */
uint64_t history_store_step_ns(struct history_store *store, uint64_t start_ns, uint64_t end_ns,
                               size_t points);

struct history_query {
    const char *target; /* its key */
    uint64_t start_ns, end_ns;
    uint64_t step_ns;           /* as history_store_step_ns() has said; 0 is taken for a second */
    const char *const *columns; /* names of families */
    size_t n_columns;           /* 0: all of them */
};

/* The most labels that a series has beside those of its target: `le`, and those of a key. */
#define HISTORY_LABELS 3

/* One rate, ratio, coverage or number of CPUs used over time. */
struct history_series {
    char *name;                                  /* of the family: pmu_cgroup_cpus_used */
    const char *unit;                            /* static: "cpus", "per second", "ratio", or "" */
    struct history_label labels[HISTORY_LABELS]; /* beside those of the target; .name may be NULL */
    double *values;                              /* for each time; NaN: not known */
};

/*
 * The numbers of a target. A number at a time tells of the step that ends there: it is computed
 * from the sums of what was counted in the step, and so it is exact at every resolution. There is
 * no time where the target was not counted; where counting begins (again), all values are NaN. The
 * last step ends with the range at the latest.
 */
struct history_answer {
    struct history_label *labels;
    size_t n_labels;
    uint64_t step_ns;
    uint64_t *times_ns; /* ascending */
    size_t n_times;
    struct history_series *series;
    size_t n_series;
};

/* Asks for the numbers of a target. A target that is not known is -ENOENT. 0 or -errno. */
int history_store_query(struct history_store *store, const struct history_query *query,
                        struct history_answer **ret_answer);
struct history_answer *history_answer_free(struct history_answer *answer);
DEFINE_AUTO(history_answer, struct history_answer *, history_answer_free)

/* On which CPUs a target ran. */
struct history_cpus {
    uint64_t step_ns;
    unsigned *cpus;
    size_t n_cpus;
    uint64_t *times_ns;
    size_t n_times;
    float *shares; /* [cpu * n_times + time]: 0 to 1 of that CPU's time; NaN: not known */
};

/*
 * Asks on which CPUs a target ran. step_ns: 10 s at least. As history_store_query(); a target of
 * which the history has other numbers only, as in its first ten seconds, has no CPUs and no times.
 */
int history_store_cpus(struct history_store *store, const char *target, uint64_t start_ns,
                       uint64_t end_ns, uint64_t step_ns, struct history_cpus **ret_cpus);
struct history_cpus *history_cpus_free(struct history_cpus *cpus);
DEFINE_AUTO(history_cpus, struct history_cpus *, history_cpus_free)

/* A mark is a named instant. */
struct history_mark {
    uint64_t id;
    uint64_t time_ns;
    char *text;
};

struct history_marks {
    struct history_mark *marks; /* by time */
    size_t n_marks;
};

#define HISTORY_MARKS_MAX     10000 /* the oldest give way to new ones */
#define HISTORY_MARK_TEXT_MAX 1024  /* bytes */

/* Keeps a mark and tells its number. -EINVAL: the text is empty or too long; other -errno. */
int history_store_add_mark(struct history_store *store, uint64_t time_ns, const char *text,
                           uint64_t *ret_id);
int history_store_delete_mark(struct history_store *store, uint64_t id); /* 0, -ENOENT, -errno */
int history_store_list_marks(struct history_store *store, uint64_t start_ns, uint64_t end_ns,
                             struct history_marks **ret_marks);
struct history_marks *history_marks_free(struct history_marks *marks);
DEFINE_AUTO(history_marks, struct history_marks *, history_marks_free)

/*
 * A run as it is kept. What `meta` and `data` say is the caller's affair (src/run); `data` is
 * compressed here.
 */
struct history_run {
    uint64_t id;
    uint64_t start_ns, end_ns; /* end_ns is 0 while it goes on */
    char *title, *notes;
    char *meta; /* a text: JSON */
    void *data;
    size_t data_bytes; /* before compression; also in a list, where data is NULL */
};

struct history_runs {
    struct history_run *runs; /* the newest first */
    size_t n_runs;
};

#define HISTORY_RUNS_MAX 1000
#define HISTORY_RUNS_BYTES_MAX                                                                     \
    ((uint64_t)256 * 1024 * 1024)                        /* of all runs, compressed; in memory     \
                                                            HISTORY_MEMORY_BYTES */
#define HISTORY_RUN_BYTES_MAX ((size_t)64 * 1024 * 1024) /* of the data of one run */

/*
 * Keeps a run; run->id is not read. -ENOSPC: there are too many of them, or they are too large;
 * -EFBIG: this one is. 0 or -errno.
 */
int history_store_add_run(struct history_store *store, const struct history_run *run,
                          uint64_t *ret_id);

/* Replaces all of the run run->id; where data is NULL the data stays as it is. -ENOENT; as above.
 */
int history_store_update_run(struct history_store *store, const struct history_run *run);

/*
 * Replaces all of a run that is over, data included. Where the disk that has the run has failed
 * since, it is kept in memory under its number until the disk is back, and replaces there what was
 * known of it. Errors as above.
 */
int history_store_complete_run(struct history_store *store, const struct history_run *run);

/* Lists runs without their data. */
int history_store_list_runs(struct history_store *store, struct history_runs **ret_runs);
struct history_runs *history_runs_free(struct history_runs *runs);
DEFINE_AUTO(history_runs, struct history_runs *, history_runs_free)

/* One run with its data, as a list of one. 0, -ENOENT, or -errno; -EBADMSG: its data is damaged. */
int history_store_get_run(struct history_store *store, uint64_t id, struct history_runs **ret_runs);
int history_store_delete_run(struct history_store *store, uint64_t id); /* 0, -ENOENT, -errno */

/*
 * Profiles of some minutes, as the store of profiles has packed them (profile/store.h). They are
 * kept where there is a state directory: memory has them anyway.
 */
struct history_profiles {
    uint32_t minute, end; /* since 1970; the last one is not included */
    const void *data;
    size_t bytes; /* HISTORY_PROFILES_BYTES_MAX at most */
};

#define HISTORY_PROFILES_BYTES_MAX ((size_t)16 * 1024 * 1024)
#define HISTORY_PROFILES_SHARE     8 /* of the limit of the history; the oldest go first */

/*
 * Keeps them instead of whatever is kept of these minutes, and drops what has ended before
 * `oldest`, or is too much. 0 or -errno.
 */
int history_store_add_profiles(struct history_store *store, const struct history_profiles *profiles,
                               uint32_t oldest);

/*
 * Reads the profiles with the lowest number above *id, and tells that number. ret_bytes: what was
 * packed, of the minutes of *ret_profiles, whose data stays NULL. 0; -ENOENT: there are no more;
 * -EBADMSG: these are damaged, and it goes on behind them; -errno.
 */
int history_store_next_profiles(struct history_store *store, uint64_t *id,
                                struct history_profiles *ret_profiles, struct text *ret_bytes);

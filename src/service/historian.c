/* SPDX-License-Identifier: Apache-2.0 */
#include "service/historian.h"

#include <string.h>

#include "cycle/memory_share.h"
#include "log/log.h"

static struct history_limits limits_of(const struct config *config,
                                       const struct memory_room *memory)
{
    const struct config_history *wanted = &config->history;

    return (struct history_limits){.full_ns = wanted->full_ns,
                                   .ten_seconds_ns = wanted->ten_seconds_ns,
                                   .minutes_ns = wanted->minutes_ns,
                                   .bytes = wanted->bytes,
                                   .memory_bytes =
                                       memory->limit ? memory_share_of_part(memory) : 0};
}

/* systemd may pass several directories with colons between them; the first is ours. */
static char *choose_directory(const char *directory)
{
    const char *passed = getenv("STATE_DIRECTORY");

    if (directory)
        return strdup(directory);
    return passed && *passed ? strndup(passed, strcspn(passed, ":")) : NULL;
}

bool historian_has_directory(const char *directory)
{
    AUTO_FREE char *chosen = choose_directory(directory);

    return chosen != NULL;
}

void historian_start(struct historian *historian, const char *directory,
                     const struct config *config, const struct memory_room *memory)
{
    AUTO_FREE char *chosen = choose_directory(directory);
    const struct history_options options = {.directory = chosen,
                                            .limits = limits_of(config, memory)};
    int r;

    if (!config->history.enabled)
        return;
    historian->has_directory = chosen != NULL;
    historian->memory_limit = memory->limit;
    r = history_new(&options, &historian->history);
    if (r < 0)
        log_error("no history is kept", "error", strerror(-r));
}

#define IN_MEMORY "the history is kept in memory, and ends with the exporter"

/* It is a fault only where there is a directory that cannot be used. */
static void log_place(const struct historian *historian, const struct history_status *status)
{
    if (status->in_memory && historian->has_directory)
        log_warning(IN_MEMORY, "reason", status->reason);
    else if (status->in_memory)
        log_info(IN_MEMORY, "reason", status->reason);
    else
        log_info("the history is kept", "file", status->file);
}

static void log_news(struct historian *historian)
{
    struct history_status status;
    struct history_status *const logged = &historian->logged;

    history_get_status(historian->history, &status);
    if (!*status.file && !*status.reason)
        return; /* the databases are not open yet */
    if (status.set_aside != logged->set_aside)
        log_warning("a database was set aside, and a new one is written", "reason",
                    status.set_aside_reason, "file", status.file);
    if (strcmp(status.reason, logged->reason) != 0 || strcmp(status.file, logged->file) != 0)
        log_place(historian, &status);
    *logged = status;
}

void historian_cycle(struct historian *historian, struct snapshot_slot *slot)
{
    AUTO(snapshot) struct snapshot *snapshot = NULL;

    if (!historian->history)
        return;
    snapshot = snapshot_slot_get(slot);
    if (snapshot)
        history_record(historian->history, snapshot);
    log_news(historian);
}

void historian_reconfigure(struct historian *historian, const struct config *config,
                           const struct memory_room *memory)
{
    const struct history_limits limits = limits_of(config, memory);

    historian->memory_limit = memory->limit;
    history_set_limits(historian->history, &limits);
}

void historian_stop(struct historian *historian)
{
    historian->history = history_free(historian->history);
}

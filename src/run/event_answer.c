/* SPDX-License-Identifier: Apache-2.0 */
#include "run/event_answer.h"

#include <errno.h>
#include <fcntl.h>

#include "expose/json_text.h"
#include "resolve/absence_advice.h"

int event_machine_open(struct event_machine *machine, const char *sysfs)
{
    static const struct event_catalogue_filter all;
    int r;

    *machine = (struct event_machine){.sysfs_fd = -1};
    machine->sysfs_fd = open(sysfs, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    r = machine->sysfs_fd < 0 ? -errno : event_resolver_new(machine->sysfs_fd, &machine->resolver);
    if (r >= 0 && cpu_list_read_online(machine->sysfs_fd, &machine->online) < 0)
        r = cpu_list_parse("", &machine->online);
    if (r >= 0 && pmu_list_read(machine->sysfs_fd, &machine->pmus) == -ENOMEM)
        r = -ENOMEM;
    return r < 0 ? r : event_catalogue_read(machine->resolver, &all, &machine->catalogue);
}

void event_machine_close(struct event_machine *machine)
{
    event_catalogue_done(&machine->catalogue);
    machine->resolver = event_resolver_free(machine->resolver);
    machine->pmus = pmu_list_free(machine->pmus);
    machine->online = cpu_list_free(machine->online);
    cleanup_close(&machine->sysfs_fd);
    machine->sysfs_fd = -1;
}

/* A word that an event has to have somewhere. */
static bool has_word(const struct event_catalogue_entry *entry, const char *word)
{
    return strcasestr(entry->name, word) || (entry->alias && strcasestr(entry->alias, word)) ||
           strcasestr(entry->description, word);
}

/* words: several texts, each of which ends in NUL, and an empty one behind them. */
static bool has_words(const struct event_catalogue_entry *entry, const char *words)
{
    for (; *words; words += strlen(words) + 1)
        if (!has_word(entry, words))
            return false;
    return true;
}

/* Splits a text at its spaces. The caller frees the result. */
static char *split_words(const char *text)
{
    char *const words = calloc(1, strlen(text) + 2), *end = words;

    for (; words && *text; text++) {
        if (*text != ' ')
            *end++ = *text;
        else if (end > words && end[-1])
            *end++ = '\0';
    }
    return words;
}

static bool is_cheap_to_try(enum event_kind kind)
{
    return kind == EVENT_HARDWARE || kind == EVENT_SOFTWARE || kind == EVENT_CACHE ||
           kind == EVENT_PMU;
}

static enum absence find_absence(const struct event_machine *machine,
                                 const struct event_catalogue_entry *entry,
                                 const struct event *event)
{
    const struct pmu *pmu = machine->pmus ? pmu_list_find_name(machine->pmus, event->pmu) : NULL;

    if (event->absence != ABSENCE_NONE || !is_cheap_to_try(entry->kind))
        return event->absence;
    return event_try(&perf_ops_kernel, event, pmu && pmu->cpus ? pmu->cpus : machine->online)
        .absence;
}

static void append_member(struct text *text, const char *key, const char *value)
{
    text_append_format(text, ",\"%s\":", key);
    json_append_string(text, value);
}

/* A group of its own, for the list `groups` of a configuration. JSON strings are YAML too. */
static int append_config(struct text *text, const struct event_catalogue_entry *entry,
                         const struct event *event)
{
    AUTO_TEXT struct text line = {0};
    AUTO_FREE char *config = NULL;

    text_append_format(&line, "- {name: %s, events: [", event->metric);
    json_append_string(&line, entry->name);
    text_append_string(&line, "]}");
    config = text_take(&line);
    if (!config)
        return -ENOMEM;
    append_member(text, "config", config);
    return 0;
}

static int append_event(const struct event_machine *machine,
                        const struct event_catalogue_entry *entry, struct text *text)
{
    AUTO(event) struct event *event = NULL;
    enum absence absence;
    int r = event_resolve(machine->resolver, entry->name, &event);

    if (r < 0)
        return r;
    absence = find_absence(machine, entry, event);
    text_append_string(text, "\n{\"name\":");
    json_append_string(text, entry->name);
    append_member(text, "alias", entry->alias);
    append_member(text, "source", event_kind_name(entry->kind));
    append_member(text, "pmu", entry->pmu);
    append_member(text, "description", entry->description);
    append_member(text, "encoding", event->encoding);
    text_append_format(text, ",\"available\":%s", absence == ABSENCE_NONE ? "true" : "false");
    append_member(text, "reason", absence == ABSENCE_NONE ? NULL : absence_name(absence));
    append_member(text, "hint", absence == ABSENCE_NONE ? NULL : absence_advice(absence));
    r = append_config(text, entry, event);
    text_append_char(text, '}');
    return r;
}

int event_answer_write(struct event_machine *machine, const char *words, size_t limit,
                       struct text *text)
{
    AUTO_FREE char *split = split_words(words);
    AUTO_TEXT struct text events = {0};
    size_t n = 0;
    int r = split ? 0 : -ENOMEM;

    for (size_t i = 0; i < machine->catalogue.n && r >= 0; i++) {
        const struct event_catalogue_entry *entry = &machine->catalogue.entries[i];

        if (!has_words(entry, split) || n++ >= limit)
            continue;
        text_append_string(&events, n > 1 ? "," : "");
        r = append_event(machine, entry, &events);
    }
    text_append_format(text, "{\"total\":%zu,\"events\":[", n);
    text_append(text, events.data, events.length);
    text_append_string(text, "]}\n");
    if (r >= 0)
        r = text_error(&events);
    return r < 0 ? r : text_error(text);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/profile/complain.h"

#include <stdio.h>
#include <string.h>

#include "base/suggest.h"
#include "config/config_error.h"
#include "tool/command.h"
#include "tool/control_client.h"
#include "tool/json.h"
#include "tool/profile/head.h"
#include "tool/profile/target.h"
#include "tool/terminal.h"

#define MOST_NAMED    5
#define MOST_COMPARED 1000

/* The name of a target that has samples; NULL: it has none. */
static const char *name_of(const json_t *target)
{
    if (!(json_number_value(json_object_get(target, "samples")) > 0))
        return NULL;
    return json_string_value(json_object_get(target, "target"));
}

static bool has_samples(const json_t *targets, const char *target)
{
    for (size_t i = 0; i < json_array_size(targets); i++) {
        const char *name = name_of(json_array_get(targets, i));

        if (name && strcmp(name, target) == 0)
            return true;
    }
    return false;
}

static void append_others(struct text *text, size_t n)
{
    if (n > 0)
        text_append_format(text, " and %zu %s", n, n == 1 ? "other" : "others");
}

/*
 * The target of this kind that may have been meant: the one with most samples whose name contains
 * what was given, as "cgroup:/a.service" is part of "cgroup:/system.slice/a.service"; or the
 * nearest one. NULL: none. Borrowed from the targets.
 */
static const char *find_likely(const json_t *targets, const char *target)
{
    const char *colon = strchr(target, ':');
    const char *wanted = colon ? colon + 1 : target, *words[MOST_COMPARED], *likely = NULL;
    const size_t kind = (size_t)(wanted - target);
    double most = 0;
    size_t n = 0;

    if (!colon || strlen(wanted) < 2) /* all are near to that */
        return NULL;
    for (size_t i = 0; i < json_array_size(targets); i++) {
        const json_t *one = json_array_get(targets, i);
        const double samples = json_number_value(json_object_get(one, "samples"));
        const char *name = name_of(one);

        if (!name || strncmp(name, target, kind) != 0)
            continue;
        if (n < MOST_COMPARED)
            words[n++] = name + kind;
        if (samples > most && strcasestr(name + kind, wanted)) {
            most = samples;
            likely = name + kind;
        }
    }
    likely = likely ? likely : suggest_nearest(wanted, words, n);
    return likely ? likely - kind : NULL;
}

static void append_likely(struct text *text, const char *likely)
{
    if (!likely)
        return;
    text_append_string(text, "; did you mean ");
    (void)terminal_append_shown(text, likely, 0);
    text_append_char(text, '?');
}

void profile_append_known(struct text *text, const json_t *answer, const char *target)
{
    const json_t *targets = json_object_get(answer, "targets");
    size_t n = 0;

    if (!json_is_array(targets) || has_samples(targets, target))
        return;
    for (size_t i = 0; i < json_array_size(targets); i++) {
        const char *name = name_of(json_array_get(targets, i));

        if (!name || ++n > MOST_NAMED)
            continue;
        text_append_string(text, n == 1 ? "there are samples of " : ", ");
        (void)terminal_append_shown(text, name, 0);
    }
    append_others(text, n > MOST_NAMED ? n - MOST_NAMED : 0);
    append_likely(text, find_likely(targets, target));
    text_append_string(text, n == 0 ? "there are samples of no target yet\n" : "\n");
}

/* Tells what could have been asked about. False: there is nothing to be told. */
static bool tell_known(struct pmu_client *client, const char *target)
{
    AUTO_JSON json_t *answer = NULL;
    AUTO_TEXT struct text known = {0};

    if (profile_target_is_run(target))
        text_append_string(&known, "pmutool runs lists the runs that there are\n");
    else if (pmu_client_get(client, "/api/v1/profile/targets", &answer) == 0)
        profile_append_known(&known, answer, target);
    if (text_error(&known) < 0 || known.length == 0)
        return false;
    (void)fprintf(stderr, PROGRAM ": %.*s", (int)known.length, known.data);
    return true;
}

void profile_append_marks(struct text *text, const json_t *answer)
{
    const json_t *marks = json_object_get(answer, "marks");
    const size_t n = json_array_size(marks);

    if (n == 0)
        text_append_string(text, "there are no marks");
    else
        text_append_string(text, n == 1 ? "the only one is " : "the latest are ");
    for (size_t i = 0; i < n && i < MOST_NAMED; i++) {
        const json_t *mark = json_array_get(marks, n - 1 - i);
        const char *words = json_string_value(json_object_get(mark, "text"));

        text_append_format(text, "%s%s", i > 0 ? ", " : "", SHOWN(words ? words : ""));
    }
    if (n > MOST_NAMED)
        text_append_string(text, "; pmutool marks lists all");
}

void profile_append_kept(struct text *text, const json_t *answer, const char *target)
{
    const json_t *targets = json_object_get(answer, "targets");

    for (size_t i = 0; i < json_array_size(targets); i++) {
        const json_t *one = json_array_get(targets, i);
        const char *name = name_of(one);
        const struct profile_head head = {.from = json_number_value(json_object_get(one, "first")),
                                          .to = json_number_value(json_object_get(one, "last"))};

        if (!name || strcmp(name, target) != 0)
            continue;
        text_append_string(text, "there are samples of ");
        profile_append_range(text, name, &head);
        text_append_char(text, '\n');
    }
}

void profile_tell_kept(struct pmu_client *client, const char *target)
{
    AUTO_JSON json_t *answer = NULL;
    AUTO_TEXT struct text kept = {0};

    if (profile_target_is_run(target) ||
        pmu_client_get(client, "/api/v1/profile/targets", &answer) < 0)
        return;
    profile_append_kept(&kept, answer, target);
    if (text_error(&kept) == 0 && kept.length > 0)
        (void)fprintf(stderr, PROGRAM ": %.*s", (int)kept.length, kept.data);
}

int profile_complain(const char *socket, struct pmu_client *client, const char *target,
                     const char *before)
{
    const bool is_not_found = pmu_client_status(client) == PROFILE_NOT_FOUND;
    const int status = control_client_complain(socket, client);

    if (is_not_found && !tell_known(client, target) && before)
        (void)tell_known(client, before);
    return status;
}

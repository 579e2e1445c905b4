/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A pattern that matches nothing now is no error: services come and go, and the default names the
 * places of every container engine. So a pattern is only warned of where some cgroup would match it
 * if one of the pattern's names were spelled a little differently, or if it began elsewhere.
 */
#include "check/cgroup_matches.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/suggest.h"
#include "check/match_list.h"
#include "check/notes.h"
#include "config/config_cgroups.h"
#include "config/config_error.h"
#include "target/cgroup_list.h"
#include "target/glob.h"

#define MOST_CGROUPS  20000
#define MOST_COMPARED 2000 /* cgroups that are compared with a pattern that matches none */

static const char *const unit_endings[] = {".service", ".scope", ".slice"};

static bool has_wildcard(const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strchr("*?\\", text[i]))
            return true;
    return false;
}

/* Replaces the n bytes at `at` by the name. Returns false if that is too long for a pattern. */
static bool replace_name(const char *whole, size_t at, size_t n, const char *name, size_t length,
                         char ret_pattern[static GLOB_PATTERN_MAX + 1])
{
    return snprintf(ret_pattern, GLOB_PATTERN_MAX + 1, "%.*s%.*s%s", (int)at, whole, (int)length,
                    name, whole + at + n) <= GLOB_PATTERN_MAX;
}

static bool is_near(const char *name, size_t n, const char *other, size_t n_other)
{
    char a[64], b[64];
    const char *words[] = {b};

    if (n >= sizeof(a) || n_other >= sizeof(b))
        return false;
    (void)snprintf(a, sizeof(a), "%.*s", (int)n, name);
    (void)snprintf(b, sizeof(b), "%.*s", (int)n_other, other);
    return strcmp(a, b) != 0 && suggest_nearest(a, words, 1);
}

/* Whether the pattern matches the path when one of its names is replaced by that of the path. */
static bool matches_with_a_name(const char *pattern, const char *path,
                                char ret_pattern[static GLOB_PATTERN_MAX + 1])
{
    const char *p = pattern, *q = path;

    while (*p == '/' && *q == '/') {
        const size_t n = strcspn(++p, "/"), m = strcspn(++q, "/");

        if (!has_wildcard(p, n) && is_near(p, n, q, m) &&
            replace_name(pattern, (size_t)(p - pattern), n, q, m, ret_pattern) &&
            glob_match(ret_pattern, path))
            return true;
        p += n;
        q += m;
    }
    return false;
}

/* Whether it matches when the ending of a unit is added: "/system.slice/nginx" lacks one. */
static bool matches_with_an_ending(const char *pattern, const char *path,
                                   char ret_pattern[static GLOB_PATTERN_MAX + 1])
{
    for (size_t i = 0; i < ARRAY_SIZE(unit_endings); i++)
        if (snprintf(ret_pattern, GLOB_PATTERN_MAX + 1, "%s%s", pattern, unit_endings[i]) <=
                GLOB_PATTERN_MAX &&
            glob_match(ret_pattern, path))
            return true;
    return false;
}

/* Whether it matches when its ending is spelled right: ".servic" is nearly ".service". */
static bool matches_with_another_ending(const char *pattern, const char *path,
                                        char ret_pattern[static GLOB_PATTERN_MAX + 1])
{
    const char *dot = strrchr(pattern, '.'), *meant;

    if (!dot || strchr(dot, '/') || has_wildcard(dot, strlen(dot)))
        return false;
    meant = suggest_nearest(dot, unit_endings, ARRAY_SIZE(unit_endings));
    return meant && strcmp(meant, dot) != 0 &&
           replace_name(pattern, (size_t)(dot - pattern), strlen(dot), meant, strlen(meant),
                        ret_pattern) &&
           glob_match(ret_pattern, path);
}

/* Whether its last name stands further down: "/nginx.service" is below "/system.slice". */
static bool matches_below(const char *pattern, const char *path,
                          char ret_pattern[static GLOB_PATTERN_MAX + 1])
{
    const char *last = strrchr(pattern, '/');

    return last && !has_wildcard(last, strlen(last)) &&
           snprintf(ret_pattern, GLOB_PATTERN_MAX + 1, "/**%s", last) <= GLOB_PATTERN_MAX &&
           glob_match(ret_pattern, path) &&
           snprintf(ret_pattern, GLOB_PATTERN_MAX + 1, "%s", path) <= GLOB_PATTERN_MAX;
}

/* Finds a pattern that matches something, and is nearly this one. */
static bool find_meant(const char *pattern, const struct cgroup_list *cgroups,
                       char ret_pattern[static GLOB_PATTERN_MAX + 1])
{
    static bool (*const changes[])(const char *, const char *, char *) = {
        matches_with_a_name, matches_with_an_ending, matches_with_another_ending, matches_below};

    for (size_t i = 0; i < ARRAY_SIZE(changes); i++)
        for (size_t j = 0; j < cgroups->n && j < MOST_COMPARED; j++)
            if (changes[i](pattern, cgroups->paths[j], ret_pattern))
                return true;
    return false;
}

static bool matches_any(const char *pattern, const struct cgroup_list *cgroups)
{
    for (size_t i = 0; i < cgroups->n; i++)
        if (glob_match(pattern, cgroups->paths[i]))
            return true;
    return false;
}

/* The rest of a pattern that begins with where cgroups are mounted; NULL: it does not. */
static const char *below_mount(const char *pattern, const struct cgroup_root *root)
{
    const char *const mounts[] = {root->path, "/sys/fs/cgroup"};

    for (size_t i = 0; i < ARRAY_SIZE(mounts); i++) {
        const size_t n = mounts[i] ? strlen(mounts[i]) : 0;

        if (n > 1 && strncmp(pattern, mounts[i], n) == 0 && pattern[n] == '/')
            return pattern + n;
    }
    return NULL;
}

/* Whether it has wildcards of shells or regular expressions, which hardly stand in a name. */
static bool has_foreign_wildcard(const char *pattern)
{
    return strpbrk(pattern, "{}[]()|^$+") || strstr(pattern, "/.*");
}

static void warn_of_pattern(struct check_output *output, const struct config_word *word,
                            const struct cgroup_root *root, const struct cgroup_list *cgroups)
{
    const char *below = below_mount(word->text, root);
    char meant[GLOB_PATTERN_MAX + 1];
    bool found;

    if (matches_any(word->text, cgroups))
        return;
    found = !below && find_meant(word->text, cgroups, meant);
    if (!below && !found && !has_foreign_wildcard(word->text))
        return;
    if (below)
        check_note(output, word->place, "warning",
                   "%s matches nothing: patterns begin below the mount of cgroups; did you mean "
                   "%s?",
                   SHOWN(word->text), SHOWN(below));
    else if (found)
        check_note(output, word->place, "warning", "%s matches nothing now; did you mean %s?",
                   SHOWN(word->text), SHOWN(meant));
    else
        check_note(output, word->place, "warning",
                   "%s matches nothing now: the wildcards are *, ** and ?, all else stands for "
                   "itself; expected a pattern for each alternative",
                   SHOWN(word->text));
}

static bool is_in(const struct config_words *patterns, const char *path)
{
    for (size_t i = 0; i < patterns->n; i++)
        if (glob_match(patterns->words[i].text, path))
            return true;
    return false;
}

/* Warns of a rule that takes nothing of what it includes, and says why. */
static void warn_of_rule(struct check_output *output, const struct config_cgroup_rule *rule,
                         size_t index, const struct match_list *list, size_t n_excluded)
{
    if (list->n > 0 || list->n_lost + n_excluded == 0)
        return;
    if (list->n_lost)
        check_note(output, rule->include.words[0].place, "warning",
                   "rule %zu of targets.cgroups takes nothing now: rules before it take all %zu "
                   "that it matches",
                   index + 1, list->n_lost);
    else
        check_note(output, rule->include.words[0].place, "warning",
                   "rule %zu of targets.cgroups takes nothing now: it excludes all %zu that it "
                   "includes",
                   index + 1, n_excluded);
}

static void print_rule(struct check_output *output, const struct config_cgroup_rule *rule,
                       size_t index, const struct cgroup_rules *rules,
                       const struct cgroup_root *root, const struct cgroup_list *cgroups)
{
    struct match_list list = {0};
    size_t n_excluded = 0;

    for (size_t i = 0; i < cgroups->n; i++) {
        const char *cgroup = cgroups->paths[i];

        if (!is_in(&rule->include, cgroup))
            continue;
        if (is_in(&rule->exclude, cgroup))
            n_excluded++;
        else if (cgroup_rules_match(rules, cgroup) == (int)index)
            match_list_add(&list, cgroup);
        else
            list.n_lost++;
    }
    list.n_targets = list.n; /* a path names one */
    check_match(output, "cgroups", index, &list);
    warn_of_rule(output, rule, index, &list, n_excluded);
    for (size_t i = 0; i < rule->include.n; i++)
        warn_of_pattern(output, &rule->include.words[i], root, cgroups);
}

int check_print_cgroup_matches(struct check_output *output, const struct config *config,
                               const struct cgroup_root *root)
{
    AUTO(cgroup_rules) struct cgroup_rules *rules = NULL;
    struct cgroup_list cgroups;
    int r = config_cgroups_make(config, &rules);

    if (r >= 0)
        r = cgroup_list_read(root->fd, MOST_CGROUPS, &cgroups);
    if (r < 0)
        return r;
    for (size_t i = 0; i < config->n_cgroups; i++)
        print_rule(output, &config->cgroups[i], i, rules, root, &cgroups);
    cgroup_list_done(&cgroups);
    return 0;
}

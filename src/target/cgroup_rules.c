/* SPDX-License-Identifier: Apache-2.0 */
#include "target/cgroup_rules.h"

#include <errno.h>
#include <string.h>

#include "target/glob.h"

struct patterns {
    char **items;
    size_t n;
};

struct rule {
    struct patterns include, exclude;
};

struct cgroup_rules {
    struct rule *rules;
    size_t n;
};

static void patterns_done(struct patterns *patterns)
{
    for (size_t i = 0; i < patterns->n; i++)
        free(patterns->items[i]);
    free(patterns->items);
}

static void rule_done(struct rule *rule)
{
    patterns_done(&rule->include);
    patterns_done(&rule->exclude);
}

struct cgroup_rules *cgroup_rules_free(struct cgroup_rules *rules)
{
    if (!rules)
        return NULL;
    for (size_t i = 0; i < rules->n; i++)
        rule_done(&rules->rules[i]);
    free(rules->rules);
    free(rules);
    return NULL;
}

int cgroup_rules_new(struct cgroup_rules **ret_rules)
{
    struct cgroup_rules *rules = calloc(1, sizeof(*rules));

    if (!rules)
        return -ENOMEM;
    *ret_rules = rules;
    return 0;
}

static int patterns_copy(struct patterns *patterns, const char *const *from, size_t n)
{
    patterns->items = calloc(n ? n : 1, sizeof(*patterns->items));
    if (!patterns->items)
        return -ENOMEM;
    for (; patterns->n < n; patterns->n++) {
        if (glob_check(from[patterns->n]))
            return -EINVAL;
        patterns->items[patterns->n] = strdup(from[patterns->n]);
        if (!patterns->items[patterns->n])
            return -ENOMEM;
    }
    return 0;
}

int cgroup_rules_add(struct cgroup_rules *rules, const char *const *include, size_t n_include,
                     const char *const *exclude, size_t n_exclude)
{
    struct rule rule = {0};
    struct rule *larger;
    int r = patterns_copy(&rule.include, include, n_include);

    if (r == 0)
        r = patterns_copy(&rule.exclude, exclude, n_exclude);
    if (r < 0) {
        rule_done(&rule);
        return r;
    }
    larger = reallocarray(rules->rules, rules->n + 1, sizeof(*larger));
    if (!larger) {
        rule_done(&rule);
        return -ENOMEM;
    }
    rules->rules = larger;
    rules->rules[rules->n++] = rule;
    return 0;
}

/* Whether `holds` is true for one of the patterns and this path. */
static bool any(const struct patterns *patterns, bool (*holds)(const char *, const char *),
                const char *path)
{
    for (size_t i = 0; i < patterns->n; i++)
        if (holds(patterns->items[i], path))
            return true;
    return false;
}

int cgroup_rules_match(const struct cgroup_rules *rules, const char *path)
{
    for (size_t i = 0; i < rules->n; i++)
        if (any(&rules->rules[i].include, glob_match, path) &&
            !any(&rules->rules[i].exclude, glob_match, path))
            return (int)i;
    return -1;
}

bool cgroup_rules_may_match_below(const struct cgroup_rules *rules, const char *path)
{
    for (size_t i = 0; i < rules->n; i++)
        if (any(&rules->rules[i].include, glob_may_match_below, path) &&
            !any(&rules->rules[i].exclude, glob_matches_all_below, path))
            return true;
    return false;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "config/config_cgroups.h"

#include <errno.h>

#include "target/glob.h"

static int add_rule(struct cgroup_rules *rules, const struct config_cgroup_rule *rule)
{
    AUTO_FREE const char **include = calloc(rule->include.n + 1, sizeof(char *));
    AUTO_FREE const char **exclude = calloc(rule->exclude.n + 1, sizeof(char *));

    if (!include || !exclude)
        return -ENOMEM;
    for (size_t i = 0; i < rule->include.n; i++)
        include[i] = rule->include.words[i].text;
    for (size_t i = 0; i < rule->exclude.n; i++)
        exclude[i] = rule->exclude.words[i].text;
    return cgroup_rules_add(rules, include, rule->include.n, exclude, rule->exclude.n);
}

static bool takes_root(const struct config_words *patterns, const struct config_word **ret_word)
{
    for (size_t i = 0; i < patterns->n; i++)
        if (glob_match(patterns->words[i].text, "/")) {
            *ret_word = &patterns->words[i];
            return true;
        }
    return false;
}

const struct config_word *config_cgroups_find_root(const struct config *config)
{
    const struct config_word *include, *exclude;

    for (size_t i = 0; i < config->n_cgroups; i++)
        if (takes_root(&config->cgroups[i].include, &include) &&
            !takes_root(&config->cgroups[i].exclude, &exclude))
            return include;
    return NULL;
}

int config_cgroups_make(const struct config *config, struct cgroup_rules **ret_rules)
{
    AUTO(cgroup_rules) struct cgroup_rules *rules = NULL;
    int r = cgroup_rules_new(&rules);

    for (size_t i = 0; i < config->n_cgroups && r >= 0; i++)
        r = add_rule(rules, &config->cgroups[i]);
    if (r < 0)
        return r;
    *ret_rules = TAKE(rules);
    return 0;
}

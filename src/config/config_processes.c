/* SPDX-License-Identifier: Apache-2.0 */
#include "config/config_processes.h"

#include <errno.h>

static const char **texts_of(const struct config_words *words)
{
    const char **texts = calloc(words->n + 1, sizeof(*texts));

    for (size_t i = 0; texts && i < words->n; i++)
        texts[i] = words->words[i].text;
    return texts;
}

static pid_t *pids_of(const struct config_numbers *numbers)
{
    pid_t *pids = calloc(numbers->n + 1, sizeof(*pids));

    for (size_t i = 0; pids && i < numbers->n; i++)
        pids[i] = (pid_t)numbers->numbers[i];
    return pids;
}

static int add_rule(struct process_rules *rules, const struct config_process_rule *rule,
                    struct process_rule_error *ret_error)
{
    AUTO_FREE const char **comm = texts_of(&rule->comm);
    AUTO_FREE const char **exe = texts_of(&rule->exe);
    AUTO_FREE const char **cmdline = texts_of(&rule->cmdline);
    AUTO_FREE pid_t *pid = pids_of(&rule->pid);
    const struct process_rule_spec spec = {
        .name = rule->name.text,
        .comm = comm,
        .n_comm = rule->comm.n,
        .exe = exe,
        .n_exe = rule->exe.n,
        .cmdline = cmdline,
        .n_cmdline = rule->cmdline.n,
        .pid = pid,
        .n_pid = rule->pid.n,
        .children = rule->children,
    };

    return comm && exe && cmdline && pid ? process_rules_add(rules, &spec, ret_error) : -ENOMEM;
}

int config_processes_make(const struct config *config, struct process_rules **ret_rules,
                          size_t *ret_index, struct process_rule_error *ret_error)
{
    AUTO(process_rules) struct process_rules *rules = NULL;
    int r = process_rules_new(&rules);

    for (size_t i = 0; r == 0 && i < config->n_processes; i++) {
        r = add_rule(rules, &config->processes[i], ret_error);
        if (r == -EINVAL)
            *ret_index = i;
    }
    if (r < 0)
        return r;
    *ret_rules = TAKE(rules);
    return 0;
}

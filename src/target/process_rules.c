/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A rule asks what is cheap first: number and comm of a process are known, executable and arguments
 * must be read from /proc, and patterns cost more than both. So a rule that has comm or exe beside
 * cmdline matches its patterns with few processes. What patterns have said is kept for as long as
 * the arguments stay the same.
 */
#include "target/process_rules.h"

#include <errno.h>

#include "target/cmdline_pattern.h"
#include "target/process_name.h"
#include "target/rule_verdicts.h"

#define DEFAULT_NAME "{{.ExeBase}}"

struct rule {
    struct process_template *name;
    const char **comm, **exe; /* each is one block of memory with its texts */
    size_t n_comm, n_exe;
    struct cmdline_pattern **patterns;
    size_t n_patterns;
    const char **capture_names;  /* named groups of all patterns, borrowed from these */
    struct text_piece *captures; /* what the last match found for them */
    size_t n_captures;
    size_t first_pattern; /* index of its first pattern among those of all rules */
    size_t first_capture; /* index of its first capture among those of all rules */
    pid_t *pid;
    size_t n_pid;
    bool children;
};

struct process_rules {
    struct rule *rules;
    size_t n;
    size_t n_patterns, n_captures; /* of all rules together */
    struct process_namers namers;  /* borrowed; the whole process shares them */
    struct hash_key key;           /* for the arguments that verdicts belong to */
};

static void rule_done(struct rule *rule)
{
    (void)process_template_free(rule->name);
    for (size_t i = 0; i < rule->n_patterns; i++)
        (void)cmdline_pattern_free(rule->patterns[i]);
    free(rule->patterns);
    free(rule->capture_names);
    free(rule->captures);
    free(rule->comm);
    free(rule->exe);
    free(rule->pid);
}

static void cleanup_rule(struct rule *rule)
{
    rule_done(rule);
}

struct process_rules *process_rules_free(struct process_rules *rules)
{
    if (!rules)
        return NULL;
    for (size_t i = 0; i < rules->n; i++)
        rule_done(&rules->rules[i]);
    free(rules->rules);
    free(rules);
    return NULL;
}

int process_rules_new(struct process_rules **ret_rules)
{
    struct process_rules *rules = calloc(1, sizeof(*rules));

    if (!rules)
        return -ENOMEM;
    hash_key_draw(&rules->key);
    rules->namers.users = user_names_of_machine();
    user_names_doubt(rules->namers.users);
    *ret_rules = rules;
    return 0;
}

/* Copies words into one block of memory: the pointers, and behind them the texts. */
static int copy_words(const char *const *words, size_t n, const char ***ret_copy)
{
    size_t size = n * sizeof(*words);
    const char **copy;
    char *bytes;

    for (size_t i = 0; i < n; i++)
        size += strlen(words[i]) + 1;
    copy = malloc(size ? size : 1);
    if (!copy)
        return -ENOMEM;
    bytes = (char *)(copy + n);
    for (size_t i = 0; i < n; i++) {
        copy[i] = bytes;
        bytes = stpcpy(bytes, words[i]) + 1;
    }
    *ret_copy = copy;
    return 0;
}

static int copy_selectors(struct rule *rule, const struct process_rule_spec *spec)
{
    int r = copy_words(spec->comm, spec->n_comm, &rule->comm);

    if (r == 0)
        r = copy_words(spec->exe, spec->n_exe, &rule->exe);
    if (r < 0)
        return r;
    rule->pid = calloc(spec->n_pid + 1, sizeof(*rule->pid));
    if (!rule->pid)
        return -ENOMEM;
    for (size_t i = 0; i < spec->n_pid; i++)
        rule->pid[i] = spec->pid[i];
    rule->n_comm = spec->n_comm;
    rule->n_exe = spec->n_exe;
    rule->n_pid = spec->n_pid;
    return 0;
}

static int compile_patterns(struct rule *rule, const struct process_rule_spec *spec,
                            struct process_rule_error *error)
{
    rule->patterns = calloc(spec->n_cmdline + 1, sizeof(struct cmdline_pattern *));
    if (!rule->patterns)
        return -ENOMEM;
    for (size_t i = 0; i < spec->n_cmdline; i++) {
        int r = cmdline_pattern_new(spec->cmdline[i], &rule->patterns[i], error);

        if (r < 0) {
            error->key = PROCESS_RULE_CMDLINE;
            error->index = i;
            return r;
        }
        rule->n_patterns++;
        rule->n_captures += cmdline_pattern_n_captures(rule->patterns[i]);
    }
    return 0;
}

static int list_captures(struct rule *rule)
{
    size_t n = 0;

    rule->capture_names = calloc(rule->n_captures + 1, sizeof(*rule->capture_names));
    rule->captures = calloc(rule->n_captures + 1, sizeof(*rule->captures));
    if (!rule->capture_names || !rule->captures)
        return -ENOMEM;
    for (size_t i = 0; i < rule->n_patterns; i++)
        for (size_t j = 0; j < cmdline_pattern_n_captures(rule->patterns[i]); j++)
            rule->capture_names[n++] = cmdline_pattern_capture(rule->patterns[i], j);
    return 0;
}

/* Makes a rule of its specification. */
static int make_rule(struct rule *rule, const struct process_rule_spec *spec,
                     struct process_rule_error *error)
{
    int r = copy_selectors(rule, spec);

    if (r == 0)
        r = compile_patterns(rule, spec, error);
    if (r == 0)
        r = list_captures(rule);
    if (r < 0)
        return r;
    rule->children = spec->children;
    error->key = PROCESS_RULE_NAME;
    return process_template_parse(spec->name ? spec->name : DEFAULT_NAME, rule->capture_names,
                                  rule->n_captures, &rule->name, error);
}

int process_rules_add(struct process_rules *rules, const struct process_rule_spec *spec,
                      struct process_rule_error *ret_error)
{
    struct rule rule __attribute__((cleanup(cleanup_rule))) = {0};
    struct process_rule_error error = {0};
    struct rule *larger;
    int r = make_rule(&rule, spec, &error);

    if (r == -EINVAL)
        *ret_error = error;
    if (r < 0)
        return r;
    larger = reallocarray(rules->rules, rules->n + 1, sizeof(*larger));
    if (!larger)
        return -ENOMEM;
    rule.first_pattern = rules->n_patterns;
    rule.first_capture = rules->n_captures;
    rules->n_patterns += rule.n_patterns;
    rules->n_captures += rule.n_captures;
    rules->rules = larger;
    rules->rules[rules->n++] = rule;
    rule = (struct rule){0};
    return 0;
}

static bool matches_pid(const struct rule *rule, pid_t pid)
{
    for (size_t i = 0; i < rule->n_pid; i++)
        if (rule->pid[i] == pid)
            return true;
    return rule->n_pid == 0;
}

static bool matches_comm(const struct rule *rule, const char *comm)
{
    for (size_t i = 0; i < rule->n_comm; i++)
        if (strcmp(rule->comm[i], comm) == 0)
            return true;
    return rule->n_comm == 0;
}

static bool matches_exe(const struct rule *rule, const char *exe)
{
    struct text_piece base = process_name_base(exe), whole = {exe, strlen(exe)};

    for (size_t i = 0; i < rule->n_exe; i++)
        if (text_piece_is(strchr(rule->exe[i], '/') ? whole : base, rule->exe[i]))
            return true;
    return false;
}

/* A question: does this pattern match these arguments? */
struct question {
    const struct cmdline_pattern *pattern;
    const char *cmdline;
    size_t index;                /* of the pattern among those of all rules */
    size_t first_capture;        /* of the pattern among those of all rules */
    struct text_piece *captures; /* where the captures of the pattern go */
};

/* Asks what is known of the question, or else the matcher. A verdict; -EAGAIN; -ENOMEM. */
static int ask(const struct question *question, struct process_matching *matching)
{
    const size_t n = cmdline_pattern_n_captures(question->pattern);
    int verdict = (int)rule_verdicts_get(matching->verdicts, question->index);

    if (verdict == CMDLINE_MATCHES)
        rule_verdicts_captures(matching->verdicts, question->cmdline, question->first_capture, n,
                               question->captures);
    if (verdict != CMDLINE_UNKNOWN)
        return verdict;
    if (matching->work >= matching->most_work)
        return -EAGAIN;
    verdict = cmdline_pattern_match(question->pattern, question->cmdline, &matching->work,
                                    question->captures);
    if (verdict >= 0)
        rule_verdicts_set(matching->verdicts, question->index, (enum cmdline_verdict)verdict,
                          question->cmdline, question->captures, question->first_capture, n);
    return verdict;
}

/* Whether all patterns of the rule match; sets the rule's captures. 1, 0, -EAGAIN or -ENOMEM. */
static int matches_cmdline(const struct rule *rule, const char *cmdline,
                           struct process_matching *matching)
{
    struct question question = {
        .cmdline = cmdline,
        .index = rule->first_pattern,
        .first_capture = rule->first_capture,
        .captures = rule->captures,
    };

    for (size_t i = 0; i < rule->n_patterns; i++, question.index++) {
        size_t n = cmdline_pattern_n_captures(rule->patterns[i]);
        int verdict;

        question.pattern = rule->patterns[i];
        verdict = ask(&question, matching);
        matching->undecided |= verdict == CMDLINE_TOO_COSTLY;
        if (verdict != CMDLINE_MATCHES)
            return verdict < 0 ? verdict : 0;
        question.first_capture += n;
        question.captures += n;
    }
    return 1;
}

/* Whether the rule matches the process. 1, 0, -EAGAIN, -ESRCH or -ENOMEM. */
static int matches(const struct process_rules *rules, const struct rule *rule,
                   struct process *process, struct process_matching *matching)
{
    const char *text = NULL;
    int r;

    if (!matches_pid(rule, process_pid(process)) ||
        !matches_comm(rule, process_stat(process)->comm))
        return 0;
    if (rule->n_exe > 0) {
        r = process_exe(process, &text);
        if (r < 0)
            return r;
        if (!matches_exe(rule, text))
            return 0;
    }
    if (rule->n_patterns == 0)
        return 1;
    r = process_cmdline(process, &text);
    if (r == 0)
        r = rule_verdicts_begin(&matching->verdicts, &rules->key, text, rules->n_patterns,
                                rules->n_captures);
    return r < 0 ? r : matches_cmdline(rule, text, matching);
}

int process_rules_match(const struct process_rules *rules, struct process *process,
                        struct process_matching *matching, struct text *ret_name)
{
    matching->undecided = false;
    matching->late = PROCESS_NAME_IN_TIME;
    for (size_t i = 0; i < rules->n; i++) {
        const struct rule *rule = &rules->rules[i];
        int r = matches(rules, rule, process, matching);

        if (r == 0)
            continue;
        if (r > 0)
            r = process_name_append(rule->name, rule->captures, process, &rules->namers, ret_name);
        matching->late = r > 0 ? (enum process_name_late)r : PROCESS_NAME_IN_TIME;
        return r < 0 ? r : (int)i;
    }
    return -1;
}

void process_rules_set_names(struct process_rules *rules, struct target_names *names)
{
    rules->namers.names = names;
}

bool process_rules_use_names(const struct process_rules *rules)
{
    for (size_t i = 0; i < rules->n; i++)
        if (process_template_uses_names(rules->rules[i].name))
            return true;
    return false;
}

uint64_t process_rules_answers(const struct process_rules *rules, enum process_name_late who)
{
    const struct process_namers *namers = &rules->namers;

    if (who == PROCESS_USER_LATE)
        return namers->users ? user_names_answers(namers->users) : 0;
    return namers->names ? target_names_answers(namers->names) : 0;
}

bool process_rules_name_alike(const struct process_rules *rules, int rule,
                              const struct process_rules *others, int other)
{
    return process_template_is(rules->rules[rule].name, others->rules[other].name);
}

bool process_rules_with_children(const struct process_rules *rules, int rule)
{
    return rules->rules[rule].children;
}

bool process_rules_is_single(const struct process_rules *rules, int rule)
{
    const struct process_template *name = rules->rules[rule].name;

    return process_template_uses(name, PROCESS_PID) ||
           process_template_uses(name, PROCESS_START_TIME);
}

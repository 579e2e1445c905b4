/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Rules over a procfs that the test makes, with processes of all kinds. */
#include "target/process_rules.h"

#include <errno.h>
#include <pwd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <time.h>

#include <cmocka.h>

#include "support/fixture_tree.h"
#include "support/slow_names.h"
#include "target/process_name.h"

#define KERNEL_THREAD 0x00200000U

/* A process of the fixture. It has no file for a field that is NULL. */
struct shown {
    pid_t pid;
    const char *comm, *exe, *cmdline; /* an argument ends with | instead of NUL */
    unsigned flags;
};

enum { NGINX = 100, JAVA, HIDDEN, KWORKER, TITLE, BYTES, SLASHES, NOTHING };

static const struct shown processes[] = {
    {NGINX, "nginx", "/usr/sbin/nginx", "nginx: worker process|", 0},
    {JAVA, "java", "/opt/jdk/bin/java", "java|-Xmx4g|-jar|/srv/shop.jar|--port=80|", 0},
    {HIDDEN, "sleep", NULL, "/bin/sleep|9|", 0},
    {KWORKER, "kworker/0:1", NULL, "", KERNEL_THREAD},
    {TITLE, "app", "/usr/bin/python3.11", "x|a\nb|", 0},
    {BYTES, "a\xff) R 1 (", "/opt/\xff", "b|", 0},
    {SLASHES, "%/x", "/a/%/y", "%/x|", 0},
    {NOTHING, "", NULL, "", 0},
};

static inline void write_bytes(const struct fixture_tree *tree, const char *path, const char *text)
{
    char bytes[128];
    size_t n = strlen(text);
    int fd = openat(tree->fd, path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

    assert_true(fd >= 0 && n < sizeof(bytes));
    for (size_t i = 0; i < n; i++)
        bytes[i] = text[i] == '|' ? '\0' : text[i];
    assert_int_equal(write(fd, bytes, n), n);
    assert_int_equal(close(fd), 0);
}

static inline void show(const struct fixture_tree *tree, const struct shown *shown)
{
    char path[64], stat[256];

    (void)snprintf(path, sizeof(path), "%d/stat", (int)shown->pid);
    (void)snprintf(stat, sizeof(stat),
                   "%d (%s) S 1 1 1 0 -1 %u 0 0 0 0 0 0 0 0 20 0 1 0 12345 0 0 0 0 0 0 0 0 0 0 0 0 "
                   "0 0 0 0 17 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
                   (int)shown->pid, shown->comm, shown->flags);
    fixture_tree_write(tree, path, stat);
    (void)snprintf(path, sizeof(path), "%d/cmdline", (int)shown->pid);
    write_bytes(tree, path, shown->cmdline);
    (void)snprintf(path, sizeof(path), "%d/exe", (int)shown->pid);
    if (shown->exe)
        assert_int_equal(symlinkat(shown->exe, tree->fd, path), 0);
}

static struct fixture_tree tree;

static inline int setup_tree(void **state)
{
    (void)state;
    tree = fixture_tree_open();
    for (size_t i = 0; i < ARRAY_SIZE(processes); i++)
        show(&tree, &processes[i]);
    return 0;
}

static inline int teardown_tree(void **state)
{
    (void)state;
    fixture_tree_close(&tree);
    return 0;
}

static inline int setup(void **state)
{
    struct process_rules *rules = NULL;
    int r = process_rules_new(&rules);

    *state = rules;
    return r;
}

static inline int teardown(void **state)
{
    *state = process_rules_free(*state);
    return 0;
}

#define LIST(field, ...)                                                                           \
    .field = (const char *const[]){__VA_ARGS__},                                                   \
    .n_##field = ARRAY_SIZE(((const char *const[]){__VA_ARGS__}))
#define ADD(rules, ...) add(rules, &(struct process_rule_spec){__VA_ARGS__})

static inline void add(struct process_rules *rules, const struct process_rule_spec *spec)
{
    struct process_rule_error error = {0};

    if (process_rules_add(rules, spec, &error) < 0)
        fail_msg("%zu: %s", error.offset, error.message);
}

static inline int match(const struct process_rules *rules, pid_t pid, struct text *name)
{
    AUTO(process) struct process *process = NULL;
    struct process_matching matching = {.most_work = SIZE_MAX};
    int rule;

    assert_int_equal(process_open(tree.fd, pid, &process), 0);
    rule = process_rules_match(rules, process, &matching, name);
    free(matching.verdicts);
    return rule;
}

static inline void expect(const struct process_rules *rules, pid_t pid, int rule, const char *group)
{
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *name = NULL;

    assert_int_equal(match(rules, pid, &text), rule);
    name = text_take(&text);
    assert_string_equal(name, group);
}

static inline void expect_none(const struct process_rules *rules, pid_t pid)
{
    expect(rules, pid, -1, "");
}

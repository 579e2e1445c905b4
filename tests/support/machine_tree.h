/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The sysfs of machines that we do not have. Each of them is one text in support/machines/, written
 * for this project, from which the tree is made:
 *
 *     # a comment
 *     [bus/event_source/devices/uncore_imc_{0-3}]   the directory of the lines below
 *     cpumask = 0,28                                a file "cpumask" with "0,28" and a newline
 *     events/clockticks = event=0x00                a file in a directory below it
 *
 * Braces stand for a list of numbers, of which each makes a directory. To be included after
 * cmocka.h. support/machine_tree.py reads the same texts for tests in Python.
 */

#include "support/fixture_tree.h"

#define MACHINE_TREE_CPUS 256 /* no machine has a higher number in braces */

/* The names of all machines, for tests that look at every one. */
static const char *const machine_names[] = {"intel_server", "hybrid_client", "amd_server",
                                            "arm_server", "arm_big_little"};

/* The numbers in a list of ranges ("0-3,8"); it ends at the brace. */
static inline void machine_tree_mark(const char *list, bool marked[MACHINE_TREE_CPUS])
{
    while (*list != '}') {
        char *end;
        unsigned long first = strtoul(list, &end, 10), last = first;

        if (*end == '-')
            last = strtoul(end + 1, &end, 10);
        assert_true(end > list && first <= last && last < MACHINE_TREE_CPUS);
        for (unsigned long i = first; i <= last; i++)
            marked[i] = true;
        list = *end == ',' ? end + 1 : end;
    }
}

/* Writes a file, whose path may have one list in braces. */
static inline void machine_tree_write(const struct fixture_tree *tree, const char *path,
                                      const char *content)
{
    const char *brace = strchr(path, '{'), *end = strchr(path, '}');
    bool marked[MACHINE_TREE_CPUS] = {false};
    char one[512];

    if (!brace) {
        fixture_tree_write(tree, path, content);
        return;
    }
    assert_non_null(end);
    machine_tree_mark(brace + 1, marked);
    for (unsigned i = 0; i < MACHINE_TREE_CPUS; i++) {
        if (!marked[i])
            continue;
        (void)snprintf(one, sizeof(one), "%.*s%u%s", (int)(brace - path), path, i, end + 1);
        fixture_tree_write(tree, one, content);
    }
}

/* Hundreds of files are removed from a disk much more slowly than from memory. */
static inline struct fixture_tree machine_tree_open_empty(void)
{
    return access("/dev/shm", W_OK) == 0 ? fixture_tree_open_in("/dev/shm") : fixture_tree_open();
}

/* Makes the tree of a machine from its text. name: "intel_server". */
static inline struct fixture_tree machine_tree_open(const char *name)
{
    struct fixture_tree tree = machine_tree_open_empty();
    char line[512], directory[256] = "", path[512], content[512];
    FILE *text;

    (void)snprintf(path, sizeof(path), "support/machines/%s.txt", name);
    text = fopen(path, "re");
    assert_non_null(text);
    while (fgets(line, sizeof(line), text)) {
        char *equals = strstr(line, " = ");

        line[strcspn(line, "\n")] = '\0';
        if (line[0] == '#' || line[0] == '\0')
            continue;
        if (line[0] == '[') {
            assert_true(line[strlen(line) - 1] == ']');
            (void)snprintf(directory, sizeof(directory), "%.*s", (int)strlen(line) - 2, line + 1);
            continue;
        }
        assert_non_null(equals);
        (void)snprintf(path, sizeof(path), "%s/%.*s", directory, (int)(equals - line), line);
        (void)snprintf(content, sizeof(content), "%s\n", equals + 3);
        machine_tree_write(&tree, path, content);
    }
    assert_int_equal(fclose(text), 0);
    return tree;
}

/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The names in a directory are copied before any of them is entered, so that one buffer for
 * entries serves all levels. A cgroup that vanishes on the way is left out.
 */
#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "sys/cgroup_root.h"
#include "sys/directory_entries.h"
#include "target/cgroup_nesting.h"

#define DEEPEST          100
#define MOST_DIRECTORIES 20000

struct walk {
    const struct cgroup_rules *rules;
    struct pmu_chains *chains;
    uint16_t
        *depths; /* for each rule, how many cgroups of it are on the way from the root to here */
    size_t n_targets; /* how many cgroups of any rule are on this way */
    size_t n_levels, n_directories;
    struct text path;
    struct directory_entries entries;
};

/* Copies the names of the directories in a directory, each with its NUL. */
static int list_names(struct walk *walk, int fd, struct text *names)
{
    struct directory_entry entry;

    if (directory_is_leaf(fd))
        return 0;
    directory_entries_init(&walk->entries, fd);
    while (directory_entries_next(&walk->entries, &entry) > 0)
        text_append(names, entry.name, strlen(entry.name) + 1);
    return text_error(names);
}

static void enter(struct walk *walk, int rule)
{
    if (rule < 0)
        return;
    walk->depths[rule]++;
    walk->n_targets++;
    if (walk->n_targets > 1)
        pmu_chains_add(walk->chains, walk->depths);
}

static void leave(struct walk *walk, int rule)
{
    if (rule < 0)
        return;
    walk->depths[rule]--;
    walk->n_targets--;
}

static int walk_directory(struct walk *walk, int fd);

/* Walks the child of this name, whose path is in walk->path. */
static int walk_child(struct walk *walk, int fd, const char *name)
{
    const char *path = walk->path.data;
    int rule = cgroup_rules_match(walk->rules, path), r = 0;

    enter(walk, rule);
    if (cgroup_rules_may_match_below(walk->rules, path) && walk->n_levels < DEEPEST &&
        walk->n_directories < MOST_DIRECTORIES) {
        AUTO_CLOSE int child = cgroup_open_below(fd, name);

        if (child >= 0)
            r = walk_directory(walk, child);
    }
    leave(walk, rule);
    return r;
}

static int walk_directory(struct walk *walk, int fd)
{
    AUTO_TEXT struct text names = {0};
    const size_t length = walk->path.length;
    int r = list_names(walk, fd, &names);

    walk->n_directories++;
    walk->n_levels++;
    for (size_t at = 0; at < names.length && r >= 0; at += strlen(names.data + at) + 1) {
        text_append_char(&walk->path, '/');
        text_append(&walk->path, names.data + at, strlen(names.data + at) + 1);
        r = text_error(&walk->path);
        if (r >= 0) {
            walk->path.length--; /* the NUL stays behind the path, and a deeper name replaces it */
            r = walk_child(walk, fd, names.data + at);
        }
        walk->path.length = length;
    }
    walk->n_levels--;
    return r;
}

int cgroup_nesting_read(int root_fd, const struct cgroup_rules *rules, size_t n_rules,
                        struct pmu_chains **ret_chains)
{
    AUTO(pmu_chains) struct pmu_chains *chains = NULL;
    AUTO_FREE uint16_t *depths = calloc(n_rules + 1, sizeof(*depths));
    AUTO_FREE struct walk *walk = calloc(1, sizeof(*walk));
    AUTO_CLOSE int fd = cgroup_open_below(root_fd, ".");
    int r = pmu_chains_new(n_rules, &chains);

    if (fd < 0)
        return fd;
    if (r < 0 || !depths || !walk)
        return -ENOMEM;
    walk->rules = rules;
    walk->chains = chains;
    walk->depths = depths;
    if (!cgroup_is_machine(fd)) /* the machine is no target of a cgroup rule */
        enter(walk, cgroup_rules_match(rules, "/"));
    r = walk_directory(walk, fd);
    text_done(&walk->path);
    if (r < 0)
        return r;
    *ret_chains = TAKE(chains);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The identity of a cgroup: its label, and the info labels, of which `parent` and the names can
 * change while the cgroup exists. A parent comes or goes when the nearest ancestor that is a target
 * does. Names become known some time after the birth, and the user may change his own.
 */
#include <errno.h>

#include "target/cgroup_path.h"
#include "target/cgroup_set.h"
#include "target/known_names.h"

/* The order of the info labels; behind them are the names that are known. */
enum { INFO_PARENT, INFO_UNIT, INFO_SLICE, INFO_CONTAINER_ID, INFO_POD_UID, N_INFO };

static const char *label_of(const struct cgroup_target *target)
{
    size_t n;

    return identity_labels(target->identity, &n)[0].value;
}

/* The label of the nearest ancestor that is a target. */
static const char *parent_label(const struct cgroup_node *node)
{
    for (node = node->parent; node; node = node->parent)
        if (node->counted)
            return label_of(&node->counted->target);
    return "";
}

static struct identity *make_identity(const char *label, const char *parent,
                                      const struct cgroup_names *names)
{
    const struct label labels[] = {{"cgroup", label}};
    const struct label info[N_INFO] = {
        [INFO_PARENT] = {"parent", parent},
        [INFO_UNIT] = {"unit", names->unit},
        [INFO_SLICE] = {"slice", names->slice},
        [INFO_CONTAINER_ID] = {"container_id", names->container_id},
        [INFO_POD_UID] = {"pod_uid", names->pod_uid},
    };

    return identity_new(labels, ARRAY_SIZE(labels), info, ARRAY_SIZE(info));
}

int cgroup_identity_new(const struct cgroup_node *node, const char *path,
                        struct identity **ret_identity)
{
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *label = NULL;
    struct cgroup_names names;
    struct identity *identity;

    cgroup_path_append_label(&text, path);
    label = text_take(&text);
    if (!label || cgroup_names_parse(path, &names) < 0)
        return -ENOMEM;
    identity = make_identity(label, parent_label(node), &names);
    cgroup_names_done(&names);
    if (!identity)
        return -ENOMEM;
    *ret_identity = identity;
    return 0;
}

/* Gives the target an identity with this parent and these names. 0 or -ENOMEM. */
static int replace_identity(struct cgroup_target *target, const char *parent,
                            const struct known_names *known)
{
    size_t n_labels, n_info;
    const struct label *labels = identity_labels(target->identity, &n_labels);
    const struct label *info = identity_info(target->identity, &n_info);
    struct label changed[N_INFO + NAMES_];
    struct identity *identity;

    memcpy(changed, info, N_INFO * sizeof(*info));
    changed[INFO_PARENT].value = parent;
    n_info = N_INFO + names_to_labels(known_names_of(known), changed + N_INFO);
    identity = identity_new(labels, n_labels, changed, n_info);
    if (!identity)
        return -ENOMEM;
    (void)identity_unref(target->identity);
    target->identity = identity;
    return 0;
}

/* Returns 1 if the identity was replaced, 0 if it has this parent already, or -ENOMEM. */
static int set_parent(struct counted_cgroup *counted, const char *parent)
{
    size_t n_info;
    const struct label *info = identity_info(counted->target.identity, &n_info);

    if (strcmp(info[INFO_PARENT].value, parent) == 0)
        return 0;
    return replace_identity(&counted->target, parent, counted->known) < 0 ? -ENOMEM : 1;
}

int cgroup_relabel(struct cgroup_targets *set, struct cgroup_node *top)
{
    for (struct cgroup_node *node = top; node; node = TREE_NEXT(top, node)) {
        int r = node->counted ? set_parent(node->counted, parent_label(node)) : 0;

        if (r < 0)
            return r;
        if (r > 0)
            set->identities_changed = true;
    }
    return 0;
}

/* Takes the names of one target as they are now. 1 if they are others; 0; -ENOMEM. */
static int take_names(struct counted_cgroup *counted)
{
    AUTO(known_names)
    struct known_names *known = counted->named ? named_target_names(counted->named) : NULL;
    size_t n;
    const struct label *info = identity_info(counted->target.identity, &n);

    if (known == counted->known)
        return 0;
    if (replace_identity(&counted->target, info[INFO_PARENT].value, known) < 0)
        return -ENOMEM;
    (void)known_names_unref(counted->known);
    counted->known = TAKE(known);
    return 1;
}

int cgroup_ask_for_names(struct cgroup_targets *set, struct counted_cgroup *counted)
{
    if (!set->names)
        return 0;
    counted->named = target_names_ask(set->names, counted->target.path, counted->target.inode,
                                      counted->target.fd);
    return take_names(counted) < 0 ? -ENOMEM : 0; /* a predecessor may have asked for them */
}

int cgroup_take_names(struct cgroup_targets *set)
{
    const uint64_t changes = set->names ? target_names_changes(set->names) : 0;
    struct counted_cgroup *counted;

    if (changes == set->names_taken)
        return 0;
    LIST_FOREACH(counted, &set->all, entry)
    {
        const int r = take_names(counted);

        if (r < 0)
            return r;
        set->identities_changed |= r > 0;
    }
    set->names_taken = changes;
    return 0;
}

bool cgroup_label_is_taken(const struct cgroup_targets *set, const struct cgroup_target *target)
{
    const struct counted_cgroup *other;

    if (!cgroup_label_is_cut(label_of(target)))
        return false;
    LIST_FOREACH(other, &set->all, entry)
    if (strcmp(label_of(&other->target), label_of(target)) == 0 &&
        strcmp(other->target.path, target->path) != 0)
        return true;
    return false;
}

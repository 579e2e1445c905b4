/* SPDX-License-Identifier: Apache-2.0 */
#define HASH_NONFATAL_OOM            1
#define uthash_nonfatal_oom(element) (out_of_memory = true)

#include "target/cgroup_tree.h"

#include <errno.h>
#include <stddef.h>

#include "base/share.h"

/*
 * Whoever may make a cgroup chooses its name, and can make thousands with long names. So all
 * that grows with them has a bound. Nodes are counted in bytes, against the bound of their
 * subtree first, so that one user's nodes do not push out another's. The table of names has a
 * hash with a key, so that nobody can choose names that make it slow.
 */

_Static_assert(offsetof(struct cgroup_node, name) ==
                   offsetof(struct cgroup_node, parent) + sizeof(struct cgroup_node *),
               "parent and name are one key");

static size_t node_size(size_t name_length)
{
    return sizeof(struct cgroup_node) + name_length + 1;
}

static size_t key_length(size_t name_length)
{
    return sizeof(struct cgroup_node *) + name_length;
}

static struct cgroup_node *node_new(struct cgroup_node *parent, const char *name)
{
    size_t length = strlen(name);
    struct cgroup_node *node = calloc(1, node_size(length));

    if (!node)
        return NULL;
    LIST_INIT(&node->children);
    node->watch = node->rule = -1;
    node->waiting = WAITING_NOWHERE;
    node->parent = parent;
    memcpy(node->name, name, length + 1);
    return node;
}

static struct cgroup_subtree *subtree_new(struct cgroup_tree *tree, struct cgroup_subtree *within)
{
    struct cgroup_subtree *subtree = calloc(1, sizeof(*subtree));

    if (!subtree)
        return NULL;
    for (size_t kind = 0; kind < WAITING_KINDS_; kind++)
        TAILQ_INIT(&subtree->waiting[kind]);
    subtree->within = within;
    subtree->number = ++tree->n_subtrees;
    return subtree;
}

/*
 * Whether each child of the node belongs to a user, who may make cgroups below it
 * (systemd.slice(5), user@.service(5)).
 */
static bool is_of_users(const struct cgroup_node *node)
{
    return node->parent && !node->parent->parent && strcmp(node->name, "user.slice") == 0;
}

/* The root has its own, and so has each of its children. */
bool cgroup_node_owns_subtree(const struct cgroup_node *node)
{
    return !node->parent || !node->parent->parent || is_of_users(node->parent);
}

static void add_bytes(struct cgroup_subtree *subtree, size_t bytes)
{
    for (; subtree; subtree = subtree->within)
        subtree->bytes += bytes;
}

static void subtract_bytes(struct cgroup_subtree *subtree, size_t bytes)
{
    for (; subtree; subtree = subtree->within)
        subtree->bytes -= bytes;
}

static void node_free(struct cgroup_node *node)
{
    if (node && cgroup_node_owns_subtree(node))
        free(node->subtree);
    free(node);
}

int cgroup_tree_init(struct cgroup_tree *tree, uint64_t root_inode)
{
    struct cgroup_node *root = node_new(NULL, "");

    *tree = (struct cgroup_tree){.bytes_max = SIZE_MAX, .subtree_bytes_max = SIZE_MAX};
    if (!root)
        return -ENOMEM;
    root->inode = root_inode;
    root->subtree = subtree_new(tree, NULL);
    if (!root->subtree) {
        free(root);
        return -ENOMEM;
    }
    hash_key_draw(&tree->hash_key);
    tree->root = root;
    return 0;
}

void cgroup_tree_done(struct cgroup_tree *tree)
{
    struct cgroup_node *node = tree->root;

    while (node) {
        struct cgroup_node *parent = node->parent;

        if (!LIST_EMPTY(&node->children)) {
            node = LIST_FIRST(&node->children);
            continue;
        }
        if (parent)
            cgroup_tree_remove(tree, node);
        node = parent;
    }
    if (tree->root) {
        (void)cgroup_tree_set_watch(tree, tree->root, -1);
        node_free(tree->root);
    }
    text_done(&tree->key);
    tree->root = NULL;
}

static unsigned hash_name(const struct cgroup_tree *tree, const void *key, size_t length)
{
    return (unsigned)keyed_hash(&tree->hash_key, key, length);
}

int cgroup_tree_find(struct cgroup_tree *tree, struct cgroup_node *parent, const char *name,
                     struct cgroup_node **ret_node)
{
    struct cgroup_node *node;
    unsigned hash;

    text_clear(&tree->key);
    text_append(&tree->key, (const char *)&parent, sizeof(struct cgroup_node *));
    text_append_string(&tree->key, name);
    if (text_error(&tree->key) < 0)
        return -ENOMEM;
    hash = hash_name(tree, tree->key.data, tree->key.length);
    HASH_FIND_BYHASHVALUE(by_name, tree->names, tree->key.data, tree->key.length, hash, node);
    *ret_node = node;
    return 0;
}

struct cgroup_node *cgroup_tree_find_watch(struct cgroup_tree *tree, int watch)
{
    struct cgroup_node *node;

    /* the kernel numbers watches one after the other, so the number is its own best hash */
    HASH_FIND_BYHASHVALUE(by_watch, tree->watches, &watch, sizeof(watch), (unsigned)watch, node);
    return node;
}

static size_t path_length(const struct cgroup_node *node)
{
    size_t length = 0;

    for (; node->parent; node = node->parent)
        length += 1 + strlen(node->name);
    return length;
}

static bool subtree_has_room(const struct cgroup_tree *tree, const struct cgroup_subtree *subtree,
                             size_t bytes)
{
    if (subtree->within)
        return subtree->bytes + bytes <= share_of_one(tree->subtree_bytes_max) &&
               subtree_has_room(tree, subtree->within, bytes);
    return subtree->bytes + bytes <= tree->subtree_bytes_max;
}

bool cgroup_tree_has_room(const struct cgroup_tree *tree, const struct cgroup_node *parent,
                          const char *name)
{
    size_t length = strlen(name);

    return tree->bytes + node_size(length) <= tree->bytes_max &&
           (!parent->parent || subtree_has_room(tree, parent->subtree, node_size(length))) &&
           path_length(parent) + 1 + length <= CGROUP_PATH_LENGTH_MAX;
}

int cgroup_tree_add(struct cgroup_tree *tree, struct cgroup_node *parent, const char *name,
                    struct cgroup_node **ret_node)
{
    struct cgroup_node *node = node_new(parent, name);
    size_t length = strlen(name);
    bool out_of_memory = false;
    unsigned hash;

    if (!node)
        return -ENOMEM;
    node->subtree = cgroup_node_owns_subtree(node)
                        ? subtree_new(tree, is_of_users(parent) ? parent->subtree : NULL)
                        : parent->subtree;
    if (!node->subtree) {
        free(node);
        return -ENOMEM;
    }
    hash = hash_name(tree, &node->parent, key_length(length));
    HASH_ADD_KEYPTR_BYHASHVALUE(by_name, tree->names, &node->parent, key_length(length), hash,
                                node);
    if (out_of_memory) {
        node_free(node);
        return -ENOMEM;
    }
    LIST_INSERT_HEAD(&parent->children, node, sibling);
    add_bytes(node->subtree, node_size(length));
    tree->bytes += node_size(length);
    *ret_node = node;
    return 0;
}

void cgroup_tree_remove(struct cgroup_tree *tree, struct cgroup_node *node)
{
    size_t size = node_size(strlen(node->name));

    (void)cgroup_tree_set_watch(tree, node, -1);
    HASH_DELETE(by_name, tree->names, node);
    LIST_REMOVE(node, sibling);
    subtract_bytes(node->subtree, size);
    tree->bytes -= size;
    node_free(node);
}

static void drop_watch(struct cgroup_tree *tree, struct cgroup_node *node)
{
    if (node->watch < 0)
        return;
    HASH_DELETE(by_watch, tree->watches, node);
    node->watch = -1;
}

int cgroup_tree_set_watch(struct cgroup_tree *tree, struct cgroup_node *node, int watch)
{
    bool out_of_memory = false;
    struct cgroup_node *other;

    if (node->watch == watch)
        return 0;
    drop_watch(tree, node);
    if (watch < 0)
        return 0;
    /* a directory that was renamed still has the watch that it had under its old name */
    other = cgroup_tree_find_watch(tree, watch);
    if (other)
        drop_watch(tree, other);
    node->watch = watch;
    HASH_ADD_BYHASHVALUE(by_watch, tree->watches, watch, sizeof(watch), (unsigned)watch, node);
    if (!out_of_memory)
        return 0;
    node->watch = -1;
    return -ENOMEM;
}

const char *cgroup_node_path(const struct cgroup_node *node, const char *child, struct text *path)
{
    size_t end = path_length(node), child_length = child ? strlen(child) + 1 : 0;
    size_t length = end + child_length;
    char *at;

    text_clear(path);
    if (!text_reserve(path, length + 2))
        return NULL;
    path->data[0] = '/'; /* the root has no name */
    at = path->data + end;
    path->length = length ? length : 1;
    path->data[path->length] = '\0';
    if (child) {
        *at = '/';
        memcpy(at + 1, child, child_length - 1);
    }
    for (; node->parent; node = node->parent) {
        size_t name_length = strlen(node->name);

        at -= name_length;
        memcpy(at, node->name, name_length);
        *--at = '/';
    }
    return path->data;
}

/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Walking a tree without recursion. Names of cgroups and numbers of processes are chosen by
 * strangers, so a tree may be deeper than our stack. Nodes are structs of any type with the
 * members `parent` (a pointer to such a node), `children` (LIST_HEAD) and `sibling` (LIST_ENTRY).
 */

#include <sys/queue.h>

/*
 * The node that comes after `node` in the part of the tree that begins with `top`: a parent comes
 * before its children. NULL after the last. A walk over all nodes of that part is:
 *
 *     for (struct node *node = top; node; node = TREE_NEXT(top, node))
 */
#define TREE_NEXT(top, node)                                                                       \
    ({                                                                                             \
        __typeof__(node) _node = (node), _next = LIST_FIRST(&_node->children);                     \
                                                                                                   \
        while (!_next && _node != (top)) {                                                         \
            _next = LIST_NEXT(_node, sibling);                                                     \
            _node = _node->parent;                                                                 \
        }                                                                                          \
        _next;                                                                                     \
    })

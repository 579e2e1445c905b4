/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The arithmetic. A node had a samples of A before, b of B after. Its share is a / A, with the
 * variance p (1 - p) / A of a part of a whole; its time is a / A where A is how many samples a
 * whole CPU would have had, with the variance p / A of a count. What p is nobody knows: it is
 * estimated from each side by itself, and from both together, as if nothing had changed. The
 * greater variance of the two is taken: the first one is 0 where a side has no samples, and the
 * second one is too small where one side has few in all; both would find differences that are none.
 *
 * Who looks at a thousand nodes sees some beyond three standard deviations by chance. So the bound
 * is that which chance alone exceeds anywhere once in twenty comparisons (Bonferroni): for n tests
 * two-sided at 5 % / n. Nodes of so few samples that they could never be beyond it are no tests,
 * nor is a node that has the samples of its parent, and none besides.
 */
#include "profile/difference.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "profile/tree_builder.h"
#include "sys/bpf/profile/period.h"

#define BOUND_LEAST   3.0
#define BOUND_MOST    40.0
#define CHANCE        0.05
#define SAMPLES_LEAST 10 /* before and after together; the square of the bound, about */

struct difference *difference_free(struct difference *difference)
{
    if (!difference)
        return NULL;
    for (size_t i = 0; i < difference->n_functions; i++)
        free(difference->functions[i].owner);
    free(difference->functions);
    free(difference->nodes);
    free(difference->event);
    free(difference->rows);
    free(difference);
    return NULL;
}

/* Of how many samples each side is a part: what A and B are above. */
struct wholes {
    double of[2];
    bool is_share;
};

static double whole_time(const struct profile_tree *tree)
{
    const struct profile_node *root = &tree->nodes[0];
    const double ns_per_sample =
        root->total > 0 ? (double)root->total_value / (double)root->total : 0;

    return ns_per_sample > 0 ? (double)(tree->to_ns - tree->from_ns) / ns_per_sample : 0;
}

static struct wholes wholes_of(const struct profile_tree *const trees[2],
                               enum difference_measure measure)
{
    struct wholes wholes = {.is_share = measure == DIFFERENCE_OF_SHARES};

    for (size_t i = 0; i < 2; i++)
        wholes.of[i] = wholes.is_share ? (double)trees[i]->nodes[0].total : whole_time(trees[i]);
    /* who had no samples at all had none for as long as the other one looked */
    for (size_t i = 0; i < 2 && !wholes.is_share; i++)
        if (wholes.of[i] <= 0 && trees[i]->rate_hz > 0)
            wholes.of[i] = (double)(trees[i]->to_ns - trees[i]->from_ns) /
                           (double)profile_period_ns(trees[i]->rate_hz);
    return wholes;
}

static double variance(const struct wholes *wholes, const double part[2])
{
    double sum = 0;

    for (size_t i = 0; i < 2; i++)
        sum += part[i] * (wholes->is_share ? 1 - part[i] : 1) / wholes->of[i];
    return sum;
}

static void compare(const struct wholes *wholes, const uint64_t samples[2], double *ret_change,
                    double *ret_sigma)
{
    double part[2], together, alone, pooled;

    *ret_change = *ret_sigma = 0;
    if (!(wholes->of[0] > 0 && wholes->of[1] > 0))
        return;
    for (size_t i = 0; i < 2; i++)
        part[i] = (double)samples[i] / wholes->of[i];
    together = (double)(samples[0] + samples[1]) / (wholes->of[0] + wholes->of[1]);
    alone = variance(wholes, part);
    pooled = variance(wholes, (const double[2]){together, together});
    *ret_change = part[1] - part[0];
    *ret_sigma = sqrt(alone > pooled ? alone : pooled);
}

static bool is_comparable(const uint64_t samples[2])
{
    return samples[0] + samples[1] >= SAMPLES_LEAST;
}

/* The two-sided quantile of the normal distribution for chance / n. */
static double bound_for(size_t n)
{
    double low = BOUND_LEAST, high = BOUND_MOST;

    for (int i = 0; i < 60; i++) {
        const double middle = (low + high) / 2;

        if (erfc(middle / sqrt(2)) * (double)n > CHANCE)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* One side of the tree is added to those of both. */
static void add_side(struct difference *difference, size_t side, const struct profile_tree *tree,
                     const uint32_t *nodes)
{
    for (size_t i = 0; i < tree->n_nodes; i++) {
        const struct profile_node *from = &tree->nodes[i];
        struct difference_node *to = &difference->nodes[nodes[i]];

        to->self[side] += from->self;
        to->total[side] += from->total;
        to->self_value[side] += from->self_value;
        to->total_value[side] += from->total_value;
    }
    difference->from_ns[side] = tree->from_ns;
    difference->to_ns[side] = tree->to_ns;
    difference->samples[side] = tree->nodes[0].total;
}

/* Where the nodes of a tree stand in that of both. NULL: no memory. */
static uint32_t *place_nodes(struct tree_builder *builder, const struct profile_tree *tree)
{
    AUTO_FREE uint32_t *functions = tree_builder_functions(builder, tree);
    uint32_t *places = calloc(tree->n_nodes, sizeof(*places));

    if (!functions || !places) {
        free(places);
        return NULL;
    }
    for (size_t i = 1; i < tree->n_nodes; i++)
        places[i] = tree_builder_child(builder, places[tree->nodes[i].parent],
                                       functions[tree->nodes[i].function]);
    return places;
}

static int unite(struct difference *difference, const struct profile_tree *const trees[2])
{
    AUTO_TREE_BUILDER struct tree_builder builder = {0};
    AUTO_FREE uint32_t *before = NULL, *after = NULL;

    tree_builder_init(&builder);
    before = place_nodes(&builder, trees[0]);
    after = place_nodes(&builder, trees[1]);
    if (!before || !after || builder.failed)
        return -ENOMEM;
    difference->nodes = calloc(builder.trie.n, sizeof(*difference->nodes));
    if (!difference->nodes)
        return -ENOMEM;
    difference->n_nodes = builder.trie.n;
    for (size_t i = 0; i < difference->n_nodes; i++) {
        difference->nodes[i].parent = builder.trie.nodes[i].parent;
        difference->nodes[i].function = builder.trie.nodes[i].function;
    }
    add_side(difference, 0, trees[0], before);
    add_side(difference, 1, trees[1], after);
    difference->functions = name_table_take(&builder.names, &difference->n_functions);
    return 0;
}

static bool is_outermost(const struct difference *difference, const struct difference_node *node)
{
    for (uint32_t above = node->parent; above != PROFILE_NO_NODE;
         above = difference->nodes[above].parent)
        if (difference->nodes[above].function == node->function)
            return false;
    return true;
}

static int make_rows(struct difference *difference)
{
    const size_t n = difference->n_functions;

    difference->rows = calloc(n + 1, sizeof(*difference->rows));
    if (!difference->rows)
        return -ENOMEM;
    difference->n_rows = n;
    for (uint32_t i = 0; i < n; i++)
        difference->rows[i].function = i;
    for (size_t i = 1; i < difference->n_nodes; i++) {
        const struct difference_node *node = &difference->nodes[i];
        const bool is_counted = is_outermost(difference, node);
        struct difference_row *row = &difference->rows[node->function];

        for (size_t side = 0; side < 2; side++) {
            row->self[side] += node->self[side];
            row->total[side] += is_counted ? node->total[side] : 0;
        }
    }
    return 0;
}

static bool is_test(const struct difference *difference, const struct difference_node *node)
{
    const struct difference_node *above =
        node->parent != PROFILE_NO_NODE ? &difference->nodes[node->parent] : NULL;

    return is_comparable(node->total) &&
           !(above && above->total[0] == node->total[0] && above->total[1] == node->total[1]);
}

static size_t count_tests(const struct difference *difference)
{
    size_t n = 0;

    for (size_t i = 0; i < difference->n_nodes; i++)
        n += is_test(difference, &difference->nodes[i]);
    for (size_t i = 0; i < difference->n_rows; i++)
        n += is_comparable(difference->rows[i].self);
    return n;
}

static bool is_beyond(const struct difference *difference, double change, double sigma)
{
    return sigma > 0 && fabs(change) > difference->bound * sigma;
}

static int by_change(const void *a, const void *b)
{
    const struct difference_row *left = a, *right = b;
    const double of_left = fabs(left->change), of_right = fabs(right->change);

    if (of_left < of_right || of_left > of_right)
        return of_left < of_right ? 1 : -1;
    return (left->function > right->function) - (left->function < right->function);
}

static void judge(struct difference *difference, const struct wholes *wholes)
{
    difference->bound = bound_for(count_tests(difference));
    for (size_t i = 0; i < difference->n_nodes; i++) {
        struct difference_node *node = &difference->nodes[i];

        compare(wholes, node->total, &node->change, &node->sigma);
        node->differs =
            is_comparable(node->total) && is_beyond(difference, node->change, node->sigma);
    }
    for (size_t i = 0; i < difference->n_rows; i++) {
        struct difference_row *row = &difference->rows[i];

        compare(wholes, row->self, &row->change, &row->sigma);
        row->differs = is_comparable(row->self) && is_beyond(difference, row->change, row->sigma);
    }
    qsort(difference->rows, difference->n_rows, sizeof(*difference->rows), by_change);
}

int difference_new(const struct profile_tree *before, const struct profile_tree *after,
                   enum difference_measure measure, struct difference **ret_difference)
{
    const struct profile_tree *const trees[2] = {before, after};
    const struct wholes wholes = wholes_of(trees, measure);
    AUTO(difference) struct difference *difference = calloc(1, sizeof(*difference));

    if (!difference)
        return -ENOMEM;
    difference->measure = measure;
    difference->event = before->event ? strdup(before->event) : NULL;
    if ((before->event && !difference->event) || unite(difference, trees) < 0 ||
        make_rows(difference) < 0)
        return -ENOMEM;
    judge(difference, &wholes);
    *ret_difference = TAKE(difference);
    return 0;
}

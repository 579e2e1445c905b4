/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What profiles cost in user space: a made-up mixed load of so many CPUs for so many minutes, whose
 * stacks are some 20 frames deep, of programs whose functions are called more or less often. Prints
 * the time that a sample takes, bytes of a minute, and times of questions and of their texts.
 *
 *     bench_profile_store [MINUTES [CPUS]]
 */
#include "bench/bench.h"

#include <math.h>

#include "expose/profile_collapsed.h"
#include "expose/profile_json.h"
#include "expose/profile_pprof.h"
#include "profile/store.h"

#define RATE     49
#define TARGETS  40
#define PROGRAMS 25
#define FRAMES   20
#define CHOICES  12 /* functions that one may be followed by */
#define BEGIN_NS (UINT64_C(20000) * 86400 * NS_PER_SECOND)

static unsigned seed = 1;

static double random_share(void)
{
    return (double)rand_r(&seed) / ((double)RAND_MAX + 1);
}

/* Mostly one of the first: a program goes the same ways again and again. */
static unsigned choose(unsigned n)
{
    const double share = random_share();

    return (unsigned)(pow(share, 9) * n);
}

/* Which function comes at this depth: mostly the usual one, and near the leaf one of several. */
static unsigned follow(unsigned depth)
{
    if (depth >= FRAMES - 3)
        return choose(CHOICES);
    return depth > 2 && random_share() < 0.01 ? choose(CHOICES) : 0;
}

/* Functions of a program are numbered by depth; the store has them by name. */
static uint32_t functions[PROGRAMS][FRAMES][CHOICES];

static void name_functions(struct profile_store *store)
{
    for (unsigned p = 0; p < PROGRAMS; p++)
        for (unsigned f = 0; f < FRAMES; f++)
            for (unsigned c = 0; c < CHOICES; c++) {
                char owner[32], name[64];

                (void)snprintf(owner, sizeof(owner), "program%u", f < 12 ? p : f);
                (void)snprintf(name, sizeof(name), "function_of_some_length_%u_%u", f, c);
                functions[p][f][c] = profile_store_function(store, PROFILE_USER, owner, name);
            }
}

static uint64_t add_second(struct profile_store *store, uint64_t second, unsigned n)
{
    uint32_t stacks[1000][FRAMES], targets[1000];
    uint64_t begin;

    for (unsigned i = 0; i < n; i++) {
        const unsigned program = choose(PROGRAMS);
        char label[64];

        (void)snprintf(label, sizeof(label), "/system.slice/%u", (program * 3 + i % 2) % TARGETS);
        targets[i] = profile_store_target(store, PROFILE_CGROUP, label);
        for (unsigned f = 0; f < FRAMES; f++)
            stacks[i][f] = functions[program][f][follow(f)];
    }
    begin = bench_cpu_ns();
    for (unsigned i = 0; i < n; i++)
        profile_store_add(store, targets[i], BEGIN_NS + second * NS_PER_SECOND,
                          &(struct profile_stack){stacks[i], FRAMES, PROFILE_NO_PLACE});
    return bench_cpu_ns() - begin;
}

static double ms_since(uint64_t begin)
{
    return (double)(bench_cpu_ns() - begin) / 1e6;
}

static void print_texts(const struct profile_tree *tree)
{
    const struct profile_part part = {tree, NULL, 0};
    AUTO_TEXT struct text pprof = {0}, json = {0}, collapsed = {0};
    uint64_t begin = bench_cpu_ns();

    if (profile_pprof_write(&part, 1, &pprof) < 0)
        bench_die("pprof");
    (void)printf("pprof: %.2f ms, %zu bytes\n", ms_since(begin), pprof.length);
    begin = bench_cpu_ns();
    if (profile_json_write(tree, false, &json) < 0)
        bench_die("JSON");
    (void)printf("JSON: %.2f ms, %zu bytes\n", ms_since(begin), json.length);
    begin = bench_cpu_ns();
    if (profile_collapsed_write(tree, &collapsed) < 0)
        bench_die("collapsed");
    (void)printf("collapsed: %.2f ms, %zu bytes\n", ms_since(begin), collapsed.length);
}

static void print_views(struct profile_tree *tree, struct profile_tree *other)
{
    AUTO(profile_tree) struct profile_tree *inverted = NULL;
    AUTO(difference) struct difference *difference = NULL;
    uint64_t begin = bench_cpu_ns();

    if (profile_tree_invert(tree, &inverted) < 0)
        bench_die("inverting");
    (void)printf("inverting: %.2f ms\n", ms_since(begin));
    begin = bench_cpu_ns();
    if (difference_new(tree, other, DIFFERENCE_OF_SHARES, &difference) < 0)
        bench_die("difference");
    (void)printf("difference: %.2f ms, %zu nodes\n", ms_since(begin), difference->n_nodes);
    begin = bench_cpu_ns();
    if (profile_tree_prune(tree, 5000) < 0)
        bench_die("pruning");
    (void)printf("pruning to 5000: %.2f ms\n", ms_since(begin));
}

static struct profile_tree *collect(const struct profile_store *store, uint64_t from_s,
                                    uint64_t to_s, const char *what)
{
    const struct profile_range range = {.scope = PROFILE_MACHINE,
                                        .label = "",
                                        .from_ns = BEGIN_NS + from_s * NS_PER_SECOND,
                                        .to_ns = BEGIN_NS + to_s * NS_PER_SECOND};
    struct profile_tree *tree = NULL;
    const uint64_t begin = bench_cpu_ns();

    if (profile_store_collect(store, &range, &tree) < 0)
        bench_die(what);
    (void)printf("%s: %.2f ms, %llu samples, %zu nodes, %zu functions\n", what, ms_since(begin),
                 (unsigned long long)tree->nodes[0].total, tree->n_nodes, tree->n_functions);
    return tree;
}

int main(int argc, char **argv)
{
    const struct profile_limits limits = {100000, 50000, 4 << 20, 65536, 1000};
    const uint64_t seconds = 60 * (argc > 1 ? strtoull(argv[1], NULL, 10) : 60);
    const unsigned a_second = RATE * (argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 2);
    AUTO(profile_store) struct profile_store *store = profile_store_new(&limits, RATE);
    AUTO(profile_tree) struct profile_tree *minute = NULL, *before = NULL, *all = NULL;
    struct profile_figures figures;
    uint64_t *seconds_ns = calloc(seconds + 1, sizeof(*seconds_ns));
    uint64_t add_ns = 0, tick_ns = 0, most_tick_ns = 0;
    double median_us;

    if (!store || !seconds_ns || a_second > 1000 || seconds < 180)
        return 2;
    name_functions(store);
    for (uint64_t second = 0; second < seconds; second++) {
        const uint64_t ns = add_second(store, second, a_second), begin = bench_cpu_ns();
        uint64_t tick;

        profile_store_tick(store, BEGIN_NS + second * NS_PER_SECOND);
        tick = bench_cpu_ns() - begin;
        seconds_ns[second] = ns;
        add_ns += ns;
        tick_ns += tick;
        most_tick_ns = tick > most_tick_ns ? tick : most_tick_ns;
    }
    profile_store_figures(store, &figures);
    median_us = bench_median_us(seconds_ns, seconds); /* it sorts them */
    (void)printf("a sample of %d frames: %.3f us, in a usual second %.3f us; the worst second "
                 "%.2f ms\n",
                 FRAMES, (double)add_ns / 1e3 / (double)(seconds * a_second), median_us / a_second,
                 (double)seconds_ns[seconds - 1] / 1e6);
    free(seconds_ns);
    (void)printf("a tick: %.1f us, at most %.2f ms\n", (double)tick_ns / 1e3 / (double)seconds,
                 (double)most_tick_ns / 1e6);
    (void)printf("a minute: %.0f bytes of slices; %zu nodes, %zu functions, %.2f MB in all, "
                 "%llu samples folded\n",
                 (double)figures.slice_bytes * 60 / (double)seconds, figures.nodes,
                 figures.functions, (double)figures.bytes / 1e6,
                 (unsigned long long)figures.folded_samples);
    all = collect(store, 0, seconds, "all of it");
    before = collect(store, 60, 120, "the second minute");
    minute = collect(store, seconds - 61, seconds - 1, "the last minute");
    print_texts(minute);
    print_views(minute, before);
    return 0;
}

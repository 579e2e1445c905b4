/* SPDX-License-Identifier: Apache-2.0 */

/* Tables in the arrays of the program in the kernel, looked up as that does it. */
#include "support/check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/unwind_pool.h"

#define ROWS   20000
#define PAGES  200
#define RULES  300
#define TABLES 50

struct fixture {
    struct profile_arrays arrays;
    struct unwind_pool *pool;
    unsigned seed;
};

static int set_up(void **state)
{
    static const struct unwind_pool_size size = {.rows = ROWS, .pages = PAGES, .rules = RULES};
    struct fixture *f = calloc(1, sizeof(*f));

    f->seed = 42;
    f->arrays = (struct profile_arrays){.rows = calloc(ROWS, sizeof(*f->arrays.rows)),
                                        .rules = calloc(RULES, sizeof(*f->arrays.rules)),
                                        .pages = calloc(PAGES, sizeof(*f->arrays.pages))};
    f->pool = unwind_pool_new(&f->arrays, &size);
    *state = f;
    return f->pool ? 0 : -1;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    (void)unwind_pool_free(f->pool);
    free(f->arrays.rows);
    free(f->arrays.rules);
    free(f->arrays.pages);
    free(f);
    return 0;
}

static uint32_t chance(struct fixture *f, uint32_t most)
{
    return (uint32_t)rand_r(&f->seed) % most;
}

/* Two segments whose places in the file differ from their addresses, with rows in both. */
static struct object_table *make_table(struct fixture *f, uint32_t n_rules)
{
    struct object_table *table = calloc(1, sizeof(*table));
    uint32_t address = 0x1000;

    table->base = 0x400000;
    table->n_segments = 2;
    table->segments[0] =
        (struct object_segment){.offset = 0x800, .address = 0x401000, .size = 0x30000};
    table->segments[1] =
        (struct object_segment){.offset = 0x42000, .address = 0x480000, .size = 0x25000};
    table->rules = calloc(n_rules, sizeof(*table->rules));
    table->n_rules = n_rules;
    for (uint32_t i = 0; i < n_rules; i++)
        table->rules[i] =
            (struct unwind_rule){.cfa = UNWIND_CFA_SP, .cfa_offset = (int16_t)chance(f, 200)};
    table->rules[0] = (struct unwind_rule){.cfa = UNWIND_CFA_NONE};
    table->rows = calloc(2000, sizeof(*table->rows));
    while (table->n_rows < 2000 && address < 0xa5000) {
        table->rows[table->n_rows++] = (struct object_row){address, chance(f, n_rules)};
        address += 1 + chance(f, chance(f, 20) ? 300 : 0x12000);
    }
    return table;
}

/* What the table says of an address: the rule that holds there, or NULL. */
static const struct unwind_rule *expected(const struct object_table *table,
                                          const struct object_segment *segment, uint64_t address)
{
    const struct unwind_rule *rule = NULL;

    for (size_t i = 0; i < table->n_rows && table->base + table->rows[i].address <= address; i++)
        if (table->base + table->rows[i].address >= segment->address)
            rule = &table->rules[table->rows[i].rule];
    return rule && rule->cfa != UNWIND_CFA_NONE ? rule : NULL;
}

/* What the program finds at a place of the file; NULL: no rule. */
static const struct unwind_rule *found(const struct fixture *f, const struct unwind_pages *pages,
                                       uint32_t place)
{
    const struct profile_page *page;
    uint32_t low, high;

    if (place >> UNWIND_PAGE_BITS >= pages->pages.n)
        return NULL;
    page = &f->arrays.pages[pages->pages.first + (place >> UNWIND_PAGE_BITS)];
    if (page->n == 0)
        return NULL;
    low = page->first;
    high = page->first + page->n;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;

        if (f->arrays.rows[middle].address <= (place & 0xffff))
            low = middle;
        else
            high = middle;
    }
    assert_true(low >= pages->rows.first && low < pages->rows.first + pages->rows.n);
    return f->arrays.rules[f->arrays.rows[low].rule].rule.cfa == UNWIND_CFA_NONE
               ? NULL
               : &f->arrays.rules[f->arrays.rows[low].rule].rule;
}

static void assert_same(struct fixture *f, const struct object_table *table,
                        const struct unwind_pages *pages)
{
    for (size_t i = 0; i < table->n_segments; i++) {
        const struct object_segment *segment = &table->segments[i];

        for (uint64_t at = 0; at < segment->size; at += 1 + chance(f, 40)) {
            const struct unwind_rule *want = expected(table, segment, segment->address + at);
            const struct unwind_rule *is = found(f, pages, (uint32_t)(segment->offset + at));

            assert_int_equal(want != NULL, is != NULL);
            if (want)
                assert_memory_equal(want, is, sizeof(*want));
        }
    }
}

static void pool__of_tables_that_come_and_go__has_the_rules_of_each_place(void **state)
{
    struct fixture *f = *state;

    for (size_t i = 0; i < TABLES; i++) {
        AUTO(object_table) struct object_table *one = make_table(f, 20);
        AUTO(object_table) struct object_table *other = make_table(f, 20);
        struct unwind_pages first, second;

        assert_int_equal(unwind_pool_add(f->pool, one, &first), 0);
        assert_int_equal(unwind_pool_add(f->pool, other, &second), 0);
        assert_same(f, one, &first);
        assert_same(f, other, &second);
        unwind_pool_remove(f->pool, &first);
        assert_same(f, other, &second);
        unwind_pool_remove(f->pool, &second);
    }
}

static void pool__that_is_full__says_so_and_keeps_what_it_has(void **state)
{
    struct fixture *f = *state;
    AUTO(object_table) struct object_table *table = make_table(f, 20);
    struct unwind_pages kept[100];
    size_t n = 0;
    int r = 0;

    while (n < 100 && (r = unwind_pool_add(f->pool, table, &kept[n])) == 0)
        n++;
    assert_int_equal(r, -ENOSPC);
    assert_in_range(n, 2, 99);
    for (size_t i = 0; i < n; i++)
        assert_same(f, table, &kept[i]);
    unwind_pool_remove(f->pool, &kept[0]);
    assert_int_equal(unwind_pool_add(f->pool, table, &kept[0]), 0);
}

/* A table whose rules no other one has but those of the same number. */
static struct object_table *make_table_of_rules(struct fixture *f, uint32_t n_rules,
                                                uint32_t number)
{
    struct object_table *table = make_table(f, n_rules);

    for (uint32_t i = 1; i < n_rules; i++)
        table->rules[i] =
            (struct unwind_rule){.cfa = UNWIND_CFA_FP, .cfa_offset = (int16_t)(number * RULES + i)};
    return table;
}

/* So that a file of a stranger leaves rules for the others. */
static void table__with_more_than_a_quarter_of_the_rules__is_refused(void **state)
{
    struct fixture *f = *state;
    AUTO(object_table) struct object_table *large = make_table_of_rules(f, RULES / 4 + 1, 0);
    AUTO(object_table) struct object_table *largest = make_table_of_rules(f, RULES / 4, 0);
    struct unwind_pages pages;

    assert_int_equal(unwind_pool_add(f->pool, large, &pages), -E2BIG);
    assert_int_equal(unwind_pool_add(f->pool, largest, &pages), 0);
    assert_same(f, largest, &pages);
}

/* Who has many rules leaves room for others when it is gone, and so does what was refused. */
static void rules__of_tables_that_are_gone__make_way_for_others(void **state)
{
    struct fixture *f = *state;
    const size_t before = unwind_pool_bytes(f->pool);

    for (uint32_t round = 0; round < 5; round++) {
        struct object_table *tables[5];
        struct unwind_pages pages[5];
        size_t n = 0;
        int r = 0;

        while (r == 0 && n < ARRAY_SIZE(tables)) {
            tables[n] = make_table_of_rules(f, RULES / 4, round * 5 + (uint32_t)n);
            r = unwind_pool_add(f->pool, tables[n], &pages[n]);
            n++;
        }
        assert_int_equal(r, -ENOSPC);
        assert_int_equal(n, 5); /* all have one rule in common */
        (void)object_table_free(tables[--n]);
        while (n-- > 0) {
            assert_same(f, tables[n], &pages[n]);
            unwind_pool_remove(f->pool, &pages[n]);
            (void)object_table_free(tables[n]);
        }
        assert_int_equal(unwind_pool_bytes(f->pool), before);
    }
}

static void table__whose_segments_stand_in_another_order_in_the_file__is_refused(void **state)
{
    struct fixture *f = *state;
    AUTO(object_table) struct object_table *table = make_table(f, 20);
    struct unwind_pages pages;

    table->segments[1].offset = 0;
    assert_int_equal(unwind_pool_add(f->pool, table, &pages), -E2BIG);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(pool__of_tables_that_come_and_go__has_the_rules_of_each_place),
        TEST(pool__that_is_full__says_so_and_keeps_what_it_has),
        TEST(table__with_more_than_a_quarter_of_the_rules__is_refused),
        TEST(rules__of_tables_that_are_gone__make_way_for_others),
        TEST(table__whose_segments_stand_in_another_order_in_the_file__is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

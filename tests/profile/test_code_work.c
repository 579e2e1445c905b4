/* SPDX-License-Identifier: Apache-2.0 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>

#include "support/check.h"

#include "profile/code_listing.h"
#include "profile/disassembler.h"
#include "profile/object_message.h"
#include "profile/object_work.h"

#define X86_64  "profile/fixtures/frames_x86_64.so"
#define AARCH64 "profile/fixtures/frames_aarch64.so"

static struct work_result work_on(int fd, int debug_fd, uint32_t start, uint32_t end)
{
    const uint32_t starts[] = {start, end};
    const struct worker_job job = {.kind = OBJECT_JOB_CODE,
                                   .fd = fd,
                                   .debug_fd = debug_fd,
                                   .starts = starts,
                                   .n_starts = ARRAY_SIZE(starts)};

    assert_true(disassembler_load());
    return do_work(&job);
}

static struct code_listing *listing_of(const char *file, uint32_t start, uint32_t end)
{
    const int fd = open_fixture(file);
    struct work_result result = work_on(fd, -1, start, end);
    struct code_listing *listing = NULL;

    assert_int_equal(result.r, OBJECT_READ);
    assert_int_equal(code_listing_parse(result.bytes, result.n, start, end, &listing), 0);
    free(result.bytes);
    (void)close(fd);
    return listing;
}

static void a_function__is_listed_in_the_syntax_of_perf(void **state)
{
    AUTO(code_listing) struct code_listing *listing = listing_of(X86_64, 0x400, 0x406);
    static const char *const texts[] = {"pushq %rbp", "movq %rsp, %rbp", "popq %rbp", "retq"};
    static const uint32_t addresses[] = {0x400, 0x401, 0x404, 0x405};

    (void)state;
    assert_true(listing->can_disassemble);
    assert_int_equal(listing->base + 0x400, 0x7f0400);
    assert_int_equal(listing->n, 4);
    for (size_t i = 0; i < listing->n; i++) {
        assert_string_equal(listing->texts[i], texts[i]);
        assert_int_equal(listing->rows[i].address, addresses[i]);
        assert_int_equal(listing->rows[i].line, 0);
        assert_true(listing->rows[i].file == CODE_NO_FILE);
    }
}

static void a_file_of_the_other_architecture__is_listed(void **state)
{
    AUTO(code_listing) struct code_listing *listing = listing_of(AARCH64, 0x320, 0x334);

    (void)state;
    assert_int_equal(listing->n, 5);
    assert_string_equal(listing->texts[0], "stp x29, x30, [sp, #-0x20]!");
    assert_string_equal(listing->texts[4], "ret");
    assert_int_equal(listing->rows[4].address, 0x330);
}

/* What an address of this program is from the base of its table. */
static int add_base(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    *(uint64_t *)context = info->dlpi_addr;
    return 1; /* the first one is the program */
}

static volatile int wasted;
static uint32_t first_line, last_line;

static __attribute__((noinline)) void waste(int n)
{
    first_line = __LINE__;
    for (int i = 0; i < n; i++)
        wasted += i;
    if (wasted == 12345)
        print_message("that much\n");
    last_line = __LINE__;
}

static void a_program_with_debugging_information__has_lines_and_names_what_it_calls(void **state)
{
    const int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    AUTO(object_table) struct object_table *table = table_of(fd);
    AUTO(code_listing) struct code_listing *listing = NULL;
    struct work_result result;
    uint64_t load = 0;
    uint32_t address, start, end;
    bool has_call = false;
    size_t within = 0;

    (void)state;
    waste(3);
    (void)dl_iterate_phdr(add_base, &load);
    address = (uint32_t)((uint64_t)(uintptr_t)waste - load - table->base);
    assert_true(object_table_function(table, address, &start));
    assert_int_equal(start, address);
    end = object_table_function_end(table, start);
    result = work_on(fd, -1, start, end);
    assert_int_equal(code_listing_parse(result.bytes, result.n, start, end, &listing), 0);
    free(result.bytes);
    assert_true(listing->n > 4);
    for (size_t i = 0; i < listing->n; i++) {
        const struct code_row *row = &listing->rows[i];

        has_call |= strstr(listing->texts[i], "<print_message>") != NULL ||
                    strstr(listing->texts[i], "<[plt]>") != NULL;
        within += row->line >= first_line && row->line <= last_line;
        if (row->line > 0) /* what a compiler adds of its own may belong to no line */
            assert_non_null(strstr(listing->files[row->file], "test_code_work.c"));
    }
    assert_true(within > listing->n / 2);
    assert_true(has_call);
    (void)close(fd);
}

static void code_that_is_not_there__is_refused(void **state)
{
    static const struct {
        uint32_t start, end;
        int r;
    } cases[] = {
        {0x400, 0x400, OBJECT_NO_PROGRAM},                       /* nothing */
        {0x406, 0x400, OBJECT_NO_PROGRAM},                       /* backwards */
        {0x40000000, 0x40000010, OBJECT_NO_PROGRAM},             /* in no part of the file */
        {0x400, 0x400 + CODE_BYTES_MOST + 1, OBJECT_NO_PROGRAM}, /* beyond its end */
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        const int fd = open_fixture(X86_64);
        struct work_result result = work_on(fd, -1, cases[i].start, cases[i].end);

        assert_int_equal(result.r, cases[i].r);
        free(result.bytes);
        (void)close(fd);
    }
}

static void a_function_that_is_too_long__is_refused(void **state)
{
    Dl_info library;
    AUTO(object_table) struct object_table *table = NULL;
    struct work_result result;
    uint32_t start;
    int fd;

    (void)state;
    assert_int_not_equal(dladdr((const void *)(uintptr_t)strtoull, &library), 0); /* libc */
    fd = open(library.dli_fname, O_RDONLY | O_CLOEXEC);
    table = table_of(fd);
    start = (uint32_t)(table->segments[0].address - table->base);
    result = work_on(fd, -1, start, start + CODE_BYTES_MOST + 1);
    assert_int_equal(result.r, OBJECT_TOO_LARGE);
    free(result.bytes);
    (void)close(fd);
}

/* Each byte of a result is changed, and each end cut: what is taken then holds what it promises. */
static void a_damaged_listing__is_refused_or_harmless(void **state)
{
    const int fd = open_fixture(X86_64);
    struct work_result result = work_on(fd, -1, 0x400, 0x480);
    char *copy = malloc(result.n + 1);

    (void)state;
    assert_non_null(copy);
    for (size_t i = 0; i < result.n; i++) {
        struct code_listing *listing = NULL;

        memcpy(copy, result.bytes, result.n);
        copy[i] = (char)~copy[i];
        if (code_listing_parse(copy, result.n, 0x400, 0x480, &listing) < 0)
            continue;
        for (size_t j = 0; j < listing->n; j++) {
            assert_non_null(listing->texts[j]);
            assert_in_range(listing->rows[j].address, 0x400, 0x47f);
            assert_true(listing->rows[j].file == CODE_NO_FILE ||
                        listing->rows[j].file < listing->n_files);
        }
        (void)code_listing_free(listing);
    }
    for (size_t n = 0; n < result.n; n++) {
        struct code_listing *listing = NULL;

        memcpy(copy, result.bytes, n);
        assert_int_equal(code_listing_parse(copy, n, 0x400, 0x480, &listing), -EBADMSG);
    }
    free(copy);
    free(result.bytes);
    (void)close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_function__is_listed_in_the_syntax_of_perf),
        cmocka_unit_test(a_file_of_the_other_architecture__is_listed),
        cmocka_unit_test(a_program_with_debugging_information__has_lines_and_names_what_it_calls),
        cmocka_unit_test(code_that_is_not_there__is_refused),
        cmocka_unit_test(a_function_that_is_too_long__is_refused),
        cmocka_unit_test(a_damaged_listing__is_refused_or_harmless),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

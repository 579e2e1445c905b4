/* SPDX-License-Identifier: Apache-2.0 */
/* What devices are called that were counted, and for how long a name is remembered. */
#include "count/bpf/observer_names.h"

#include "support/check.h"

#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/clock.h"
#include "support/fixture_tree.h"
#include "sys/bpf/block/counts.h"
#include "sys/bpf/interrupts/counts.h"

#define DEVICE "dev/block/259:3"

struct fixture {
    struct fixture_tree sysfs;
    struct observer_sources sources;
};

static struct fixture open_sysfs(void)
{
    struct fixture f = {.sysfs = fixture_tree_open()};

    fixture_tree_make_directories(&f.sysfs, "dev/block/");
    f.sources.sysfs_fd = f.sysfs.fd;
    f.sources.now_ns = NS_PER_SECOND;
    return f;
}

/* Gives the number to a device of that name; NULL: to none. */
static void give(const struct fixture *f, const char *name)
{
    (void)unlinkat(f->sysfs.fd, DEVICE, 0);
    if (name)
        assert_int_equal(symlinkat(name, f->sysfs.fd, DEVICE), 0);
}

static void check_name(struct fixture *f, const char *expected)
{
    const struct keyed_key key = {.subject = makedev(259, 3), .detail = BLOCK_WRITE};
    struct observed_key observed = {0};

    observer_name_block(&f->sources, &key, &observed);
    assert_int_equal(observed.kind, BREAKDOWN_BLOCK_IO);
    assert_string_equal(observed.line.labels[0], expected);
    assert_string_equal(observed.line.labels[1], "write");
}

static void name__is_read_again_when_it_is_old(void **state)
{
    struct fixture f = open_sysfs();

    (void)state;
    give(&f, "sda");
    check_name(&f, "sda");
    give(&f, "sdb");
    f.sources.now_ns += 9 * NS_PER_SECOND;
    check_name(&f, "sda");
    f.sources.now_ns += NS_PER_SECOND;
    check_name(&f, "sdb");
    fixture_tree_close(&f.sysfs);
}

static void name__stays_when_the_device_has_gone(void **state)
{
    struct fixture f = open_sysfs();

    (void)state;
    check_name(&f, "259:3");
    give(&f, "sda");
    check_name(&f, "sda"); /* at once */
    give(&f, NULL);
    f.sources.now_ns += 100 * NS_PER_SECOND;
    check_name(&f, "sda");
    fixture_tree_close(&f.sysfs);
}

static void name__of_another_number_is_never_taken(void **state)
{
    struct fixture f = open_sysfs();
    struct observed_key observed;

    (void)state;
    give(&f, "sda");
    check_name(&f, "sda");
    for (unsigned i = 0; i < 4 * KNOWN_NAMES; i++) {
        const struct keyed_key device = {.subject = makedev(8, i)},
                               irq = {.subject = i, .detail = INTERRUPTS_HARDIRQ};

        observed = (struct observed_key){0};
        observer_name_block(&f.sources, &device, &observed);
        assert_memory_equal(observed.line.labels[0], "8:", 2);
        observed = (struct observed_key){0};
        observer_name_interrupt(&f.sources, &irq, &observed);
        assert_string_equal(observed.line.labels[1], "");
    }
    fixture_tree_close(&f.sysfs);
}

static void name__has_nothing_that_must_be_escaped(void **state)
{
    struct fixture f = open_sysfs();

    (void)state;
    give(&f, "a\"b\\c\nd e\xff!f");
    check_name(&f, "a_b_c_d_e_/f");
    fixture_tree_close(&f.sysfs);
}

static void times_of_calls__are_told_by_name_and_class(void **state)
{
    struct observer_sources sources = {0};
    struct keyed_key key = {.subject = SYS_futex, .detail = SYSCALLS_TIMED};
    struct observed_key observed = {0};

    (void)state;
    observer_name_system_call(&sources, &key, &observed);
    assert_int_equal(observed.kind, BREAKDOWN_SYSTEM_CALL_TIMES);
    assert_string_equal(observed.line.labels[0], "futex");
    assert_string_equal(observed.line.labels[1], "waiting");
    key.subject = SYS_fsync;
    observer_name_system_call(&sources, &key, &observed);
    assert_string_equal(observed.line.labels[0], "fsync");
    assert_string_equal(observed.line.labels[1], "working");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(name__is_read_again_when_it_is_old),
        cmocka_unit_test(name__stays_when_the_device_has_gone),
        cmocka_unit_test(name__of_another_number_is_never_taken),
        cmocka_unit_test(name__has_nothing_that_must_be_escaped),
        cmocka_unit_test(times_of_calls__are_told_by_name_and_class),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

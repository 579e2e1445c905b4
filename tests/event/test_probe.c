/* SPDX-License-Identifier: Apache-2.0 */

/* Probes on this test program, on a machine that the fixture makes up. */
#include "event/probe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "event/resolver.h"
#include "support/fixture_tree.h"
#include "support/marker.h"

#define DEVICES "bus/event_source/devices/"

static struct fixture_tree sysfs;
static struct object_reader *reader;
static char program[160]; /* a copy of this program in the tree */

void known_function(void);

static volatile unsigned short known_semaphore __attribute__((section(".probes"), used));

__attribute__((noinline)) void known_function(void)
{
    MARKER("plain", "0");
    MARKER("watched", "known_semaphore");
    MARKER("twice", "0");
    MARKER("twice", "0");
}

static void copy_program(const char *name)
{
    char command[400];

    (void)snprintf(command, sizeof(command), "cp /proc/%d/exe %s/%s", (int)getpid(), sysfs.path,
                   name);
    assert_int_equal(system(command), 0);
}

static int set_up(void **state)
{
    (void)state;
    sysfs = fixture_tree_open();
    (void)snprintf(program, sizeof(program), "%s/program", sysfs.path);
    fixture_tree_write(&sysfs, DEVICES "software/type", "1\n");
    fixture_tree_write(&sysfs, DEVICES "kprobe/type", "6\n");
    fixture_tree_write(&sysfs, DEVICES "kprobe/format/retprobe", "config:0\n");
    fixture_tree_write(&sysfs, DEVICES "uprobe/type", "9\n");
    fixture_tree_write(&sysfs, DEVICES "uprobe/format/retprobe", "config:0\n");
    fixture_tree_write(&sysfs, DEVICES "uprobe/format/ref_ctr_offset", "config:32-63\n");
    copy_program("program");
    return probe_reader_new(&reader);
}

static int tear_down(void **state)
{
    (void)state;
    reader = object_reader_free(reader);
    fixture_tree_close(&sysfs);
    return 0;
}

/* Resolves an event where there is one probe, "x". */
static struct event *resolve(const char *name, enum probe_kind kind, const char *place)
{
    AUTO(event_resolver) struct event_resolver *resolver = NULL;
    const struct probe_spec spec = {.name = "x", .kind = kind, .place = place};
    struct event *event = NULL;

    assert_int_equal(event_resolver_new(sysfs.fd, &resolver), 0);
    event_resolver_set_probes(resolver, &spec, 1);
    event_resolver_set_reader(resolver, reader);
    assert_int_equal(event_resolve(resolver, name, &event), 0);
    return event;
}

/* The same of a place in the program, written behind its path. */
static struct event *resolve_in_program(enum probe_kind kind, const char *rest)
{
    char place[256];

    (void)snprintf(place, sizeof(place), "%s:%s", program, rest);
    return resolve("probe:x", kind, place);
}

static void expect_why(struct event *event, const char *why)
{
    AUTO(event) struct event *taken = event;

    assert_int_equal(taken->absence, ABSENCE_NOT_SUPPORTED);
    if (!taken->why || !strstr(taken->why, why))
        fail_msg("no \"%s\" in: %s", why, taken->why ? taken->why : "nothing");
}

static void a_function_of_a_program_is_a_place_in_its_file(void **state)
{
    AUTO(event) struct event *call = resolve_in_program(PROBE_USER, "known_function");
    AUTO(event) struct event *back = resolve_in_program(PROBE_USER, "known_function%return");
    AUTO(event) struct event *inside = resolve_in_program(PROBE_USER, "known_function+1");
    char shown[256];

    (void)state;
    assert_int_equal(call->absence, ABSENCE_NONE);
    assert_int_equal(call->kind, EVENT_PROBE);
    assert_string_equal(call->pmu, "uprobe");
    assert_string_equal(call->metric, "probe_x");
    assert_false(call->takes_counter);
    assert_int_equal(call->code.type, 9);
    assert_int_equal(call->code.config, 0);
    assert_true(call->code.config2 > 0);
    assert_int_equal(inside->code.config2, call->code.config2 + 1);
    assert_int_equal(back->code.config2, call->code.config2);
    assert_int_equal(back->code.config, 1);
    (void)snprintf(shown, sizeof(shown), "uprobe/config=0x1,config1=\"%s\",config2=0x%zx/", program,
                   (size_t)back->code.config2);
    assert_string_equal(back->encoding, shown);
    (void)snprintf(shown, sizeof(shown), "Returns of known_function in %s", program);
    assert_string_equal(back->description, shown);
}

static void the_kernel_is_given_the_file_itself_and_not_its_path(void **state)
{
    AUTO(event) struct event *event = resolve_in_program(PROBE_USER, "known_function");
    AUTO(event) struct event *same = resolve_in_program(PROBE_USER, "known_function");
    AUTO(event) struct event *updated = NULL;
    char target[200] = "";

    (void)state;
    assert_true(readlink(event->code.config1_text->text, target, sizeof(target) - 1) > 0);
    assert_string_equal(target, program);
    assert_true(event_code_equal(&event->code, &same->code));
    copy_program("new");
    assert_int_equal(renameat(sysfs.fd, "new", sysfs.fd, "program"), 0);
    updated = resolve_in_program(PROBE_USER, "known_function");
    assert_int_equal(updated->absence, ABSENCE_NONE);
    assert_false(event_code_equal(&event->code, &updated->code));
    assert_true(readlink(event->code.config1_text->text, target, sizeof(target) - 1) > 0);
    assert_non_null(strstr(target, "(deleted)"));
}

static void a_marker_has_its_semaphore_in_the_upper_half_of_config(void **state)
{
    AUTO(event) struct event *plain = resolve_in_program(PROBE_USDT, "pmu_test:plain");
    AUTO(event) struct event *watched = resolve_in_program(PROBE_USDT, "pmu_test:watched");
    AUTO(event) struct event *second = resolve_in_program(PROBE_USDT, "pmu_test:twice#2");

    (void)state;
    assert_int_equal(plain->absence, ABSENCE_NONE);
    assert_int_equal(plain->code.config, 0);
    assert_true(watched->code.config >> 32 > 0);
    assert_int_equal(watched->code.config & UINT32_MAX, 0);
    assert_true(watched->code.config2 > plain->code.config2);
    assert_int_equal(second->absence, ABSENCE_NONE);
    expect_why(resolve_in_program(PROBE_USDT, "pmu_test:twice"), "there are 2, expected #1 to #2");
    expect_why(resolve_in_program(PROBE_USDT, "pmu_test:plane"), "did you mean pmu_test:plain?");
}

static void what_a_file_does_not_have_is_told_with_the_nearest(void **state)
{
    (void)state;
    expect_why(resolve_in_program(PROBE_USER, "known_funktion"), "did you mean known_function?");
    expect_why(resolve_in_program(PROBE_USER, "known_function+0x10000"), "ends before this offset");
    expect_why(resolve("probe:x", PROBE_USER, "/nothing/there:f"), "No such file or directory");
    expect_why(resolve("probe:x", PROBE_USER, "/dev/null:f"), "no regular file");
    expect_why(resolve("probe:x", PROBE_USER, "/etc/passwd:f"), "no program or library");
}

static void a_function_of_the_kernel_is_its_name_and_an_offset(void **state)
{
    AUTO(event) struct event *event = resolve("probe:x:k", PROBE_KERNEL, "vfs_read+0x10");
    AUTO(event) struct event *back = resolve("probe:x", PROBE_KERNEL, "vfs_read%return");

    (void)state;
    assert_int_equal(event->absence, ABSENCE_NONE);
    assert_int_equal(event->code.type, 6);
    assert_int_equal(event->code.config2, 16);
    assert_string_equal(event->code.config1_text->text, "vfs_read");
    assert_true(event->code.exclude_user);
    assert_string_equal(event->metric, "probe_x_kernel");
    assert_string_equal(event->description, "Calls of vfs_read+0x10 in the kernel");
    assert_int_equal(back->code.config, 1);
    assert_int_equal(back->code.config2, 0);
}

static void a_function_that_the_kernel_lacks_is_told_where_the_list_can_be_read(void **state)
{
    if (access("/proc/kallsyms", R_OK) < 0)
        skip();
    (void)state;
    expect_why(resolve("probe:x", PROBE_KERNEL, "vfs_raed"),
               "the kernel has no function vfs_raed; did you mean vfs_read?");
}

static void a_kernel_without_the_pmu_or_its_fields_cannot_count_it(void **state)
{
    AUTO(event) struct event *event = NULL;

    (void)state;
    fixture_tree_remove(&sysfs, DEVICES "uprobe/format/ref_ctr_offset");
    expect_why(resolve_in_program(PROBE_USDT, "pmu_test:watched"), "the semaphore");
    fixture_tree_write(&sysfs, DEVICES "uprobe/format/retprobe", "nonsense");
    expect_why(resolve_in_program(PROBE_USER, "known_function%return"), "cannot count returns");
    fixture_tree_remove(&sysfs, DEVICES "uprobe");
    event = resolve_in_program(PROBE_USER, "known_function");
    assert_int_equal(event->absence, ABSENCE_NO_PMU);
    assert_string_equal(event->why, "the kernel has no uprobes (no PMU uprobe)");
    fixture_tree_write(&sysfs, DEVICES "uprobe/type", "9\n");
    fixture_tree_write(&sysfs, DEVICES "uprobe/format/retprobe", "config:0\n");
    fixture_tree_write(&sysfs, DEVICES "uprobe/format/ref_ctr_offset", "config:32-63\n");
}

static void only_defined_probes_are_known(void **state)
{
    AUTO(event) struct event *other = resolve("probe:y", PROBE_KERNEL, "vfs_read");

    (void)state;
    assert_int_equal(other->absence, ABSENCE_UNKNOWN_EVENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_function_of_a_program_is_a_place_in_its_file),
        cmocka_unit_test(the_kernel_is_given_the_file_itself_and_not_its_path),
        cmocka_unit_test(a_marker_has_its_semaphore_in_the_upper_half_of_config),
        cmocka_unit_test(what_a_file_does_not_have_is_told_with_the_nearest),
        cmocka_unit_test(a_function_of_the_kernel_is_its_name_and_an_offset),
        cmocka_unit_test(a_function_that_the_kernel_lacks_is_told_where_the_list_can_be_read),
        cmocka_unit_test(a_kernel_without_the_pmu_or_its_fields_cannot_count_it),
        cmocka_unit_test(only_defined_probes_are_known),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}

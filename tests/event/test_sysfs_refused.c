/* SPDX-License-Identifier: Apache-2.0 */

/* Names of events of PMUs that are wrong, and sysfs that cannot be understood. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "event/sysfs_fixture.h"

static void check_why(const char *name, enum absence absence, const char *part)
{
    AUTO(event) struct event *event = resolved(name);

    if (event->absence != absence || !event->why || !strstr(event->why, part))
        fail_msg("%s: %s, %s", name, absence_name(event->absence),
                 event->why ? event->why : "no reason");
}

static void mistakes__are_told_with_what_was_expected(void **state)
{
    static const struct {
        const char *name, *part;
    } wrong[] = {
        {"power/energy-pgk/", "no event and no field \"energy-pgk\"; did you mean energy-pkg?"},
        {"cpu/event=0xc0,umsk=1/", "no field \"umsk\"; did you mean umask?"},
        {"cpu/event=instrutions/", "did you mean instructions?"},
        {"cpu/umask=0x100/",
         "0x100 is too large for the field umask of the PMU cpu, which takes up to 0xff"},
        {"cpu/edge=2/", "takes up to 0x1"},
        {"cpu/event=0x10000000000000000/", "more than 64 bits"},
        {"cpu/umask=many/", "umask takes a number, not \"many\""},
        {"cpu/config=x/", "config takes a number"},
        {"cpu/instructions,cpu-cycles/", "two events"},
        {"cpu/event=1", "the slash behind the event is missing"},
        {"cpu//", "expected an event of the PMU"},
        {"cpu/,/", "expected an event of the PMU"},
        {"cpu/event=1,/", "expected an event of the PMU"},
        {"cpu/event=/", "expected an event of the PMU"},
        {"cpu/ev/ent=1/", "expected an event of the PMU"},
        {"cpu/../cpu/instructions/", "expected an event of the PMU"},
        {"cpu/..,x/", "no field \"..\""},
        {"cpu/page-faults/", "does not count page-faults"},
        {"power/cycles/", "does not count cycles"},
        {"power/energy-pkg.unit/", "no event"},
        {"msr/cpu_thermal_margin/", "a value of the moment, and no count"},
        {"cas_count_read", "write whose it is: uncore_imc_0/cas_count_read/"},
        {"cpu/instructions,period=1000/",
         "perf's term \"period\" is not taken: it belongs to samples"},
        {"cpu/instructions,freq=1/", "samples"},
        {"cpu/instructions,call-graph=fp/", "samples"},
        {"cpu/instructions,name=foo/", "by rename:"},
        {"cpu/instructions,percore/", "targets.system.by"},
        {"cpu/instructions,metric-id=x/", "perf's own"},
        {"cpu/instructions,no-inherit/", "targets"},
        {"cpu/config3=1/", "does not know that field"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++)
        check_why(wrong[i].name, ABSENCE_UNKNOWN_EVENT, wrong[i].part);
}

static void pmus__that_are_not_here_are_absent(void **state)
{
    AUTO(event) struct event *event = resolved("armv8_pmuv3_0/l1d_cache/u");

    (void)state;
    assert_int_equal(event->absence, ABSENCE_NO_PMU);
    assert_null(event->why);
    assert_string_equal(event->description, "Event l1d_cache of the PMU armv8_pmuv3_0");
    assert_string_equal(event->metric, "armv8_pmuv3_0_l1d_cache_user");
    check_why("pwoer/energy-pkg/", ABSENCE_NO_PMU, "did you mean power?");
}

/* Writes a file of the PMU msr, and expects that an event of it cannot be understood. */
static void check_hostile(const char *file, const char *content, size_t length, const char *name)
{
    char path[256];
    int fd;

    (void)snprintf(path, sizeof(path), "bus/event_source/devices/msr/%s", file);
    fd = openat(sysfs.fd, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    assert_true(fd >= 0);
    assert_true(write(fd, content, length) == (ssize_t)length);
    assert_int_equal(close(fd), 0);
    check_why(name, ABSENCE_UNKNOWN_EVENT, "");
    assert_int_equal(unlinkat(sysfs.fd, path, 0), 0);
}

static void hostile_files__are_errors(void **state)
{
    static char large[1 << 20];
    static const char binary[] = "config:0-7\0config", control[] = "event=\x01",
                      lines[] = "event=1\n\n";

    (void)state;
    memset(large, '1', sizeof(large));
    memcpy(large, "event=", 6);
    check_hostile("events/evil", large, sizeof(large), "msr/evil/");
    check_hostile("events/evil", binary, sizeof(binary), "msr/evil/");
    check_hostile("events/evil", control, sizeof(control) - 1, "msr/evil/");
    check_hostile("events/evil", lines, sizeof(lines) - 1, "msr/evil/");
    check_hostile("events/evil", "", 0, "msr/evil/");
    check_hostile("events/evil", "\n", 1, "msr/evil/");
    check_hostile("events/evil", "evil", 4, "msr/evil/"); /* it names itself */
    check_hostile("events/evil", "event=0x", 8, "msr/evil/");
    check_hostile("format/evil", large, sizeof(large), "msr/evil=1/");
    check_hostile("format/evil", binary, sizeof(binary), "msr/evil=1/");
    check_hostile("format/evil", "config:64", 9, "msr/evil=1/");
    check_hostile("format/evil", "config3:0-7", 11, "msr/evil=1/");
    check_hostile("format/evil", "", 0, "msr/evil=1/");
    check_hostile("events/tsc.scale", "nan\n", 4, "msr/tsc/");
    check_hostile("events/tsc.scale", large, sizeof(large), "msr/tsc/");
    check_hostile("events/tsc.unit", "../\n", 4, "msr/tsc/");
}

static void links_and_directories__are_no_files(void **state)
{
    static const char event[] = "bus/event_source/devices/msr/events/evil";

    (void)state;
    assert_int_equal(symlinkat("/dev/zero", sysfs.fd, event), 0);
    check_why("msr/evil/", ABSENCE_UNKNOWN_EVENT, "cannot be understood");
    assert_int_equal(unlinkat(sysfs.fd, event, 0), 0);
    assert_int_equal(mkdirat(sysfs.fd, event, 0755), 0);
    check_why("msr/evil/", ABSENCE_UNKNOWN_EVENT, "cannot be understood");
    assert_int_equal(mkfifoat(sysfs.fd, "bus/event_source/devices/msr/events/pipe", 0600), 0);
    check_why("msr/pipe/", ABSENCE_UNKNOWN_EVENT, "pipe is not understood");
}

/* sysfs ends each line; a file without the newline is understood all the same. */
static void a_missing_newline__does_no_harm(void **state)
{
    static const struct numbers events[] = {{"msr/bare/", 12, 7}};

    (void)state;
    fixture_tree_write(&sysfs, "bus/event_source/devices/msr/events/bare", "event=0x7");
    check_numbers(events, 1);
}

static void open_values__are_given_with_the_event(void **state)
{
    static const struct numbers events[] = {{"msr/counter,event=0x9/", 12, 9}};

    (void)state;
    fixture_tree_write(&sysfs, "bus/event_source/devices/msr/events/counter", "event=?\n");
    check_numbers(events, 1);
    check_why("msr/counter/", ABSENCE_UNKNOWN_EVENT,
              "needs a value for event: msr/counter,event=NUMBER/");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(mistakes__are_told_with_what_was_expected, intel_server),
        TEST(pmus__that_are_not_here_are_absent, intel_server),
        TEST(hostile_files__are_errors, intel_server),
        TEST(links_and_directories__are_no_files, intel_server),
        TEST(a_missing_newline__does_no_harm, intel_server),
        TEST(open_values__are_given_with_the_event, intel_server),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

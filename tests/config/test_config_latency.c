/* SPDX-License-Identifier: Apache-2.0 */

/* How what is asked of latencies is refused: kinds, spans, system calls that are timed. */
#include "config/refusal.h"

#define SYSTEM "targets: {system: {groups: [software], latency: " /* 48 bytes */

static void latencies(void **state)
{
    static const struct refusal refusals[] = {
        {SYSTEM "[on_cpu, runqueue]}}", 1, 58, {"\"runqueue\"", "scheduler]", "\"run_queue\"?"}},
        {SYSTEM "[12345]}}",
         1,
         50,
         {"latency is \"12345\"",
          "scheduler, block_io, kvm, tcp, interrupts, spans or system_calls"}},
        {SYSTEM "[[on_cpu]]}}", 1, 50, {"latency is a list", "a list such as [scheduler], of run"}},
        {SYSTEM "scheduler}}", 1, 49, {"latency is a single value", "a list such as"}},
        {SYSTEM "}}", 1, 49, {"latency is empty", "a list such as"}},
        {"targets: {cgroups: [{include: [/a], groups: [core], latency: [scheduling]}]}",
         1,
         63,
         {"latency is \"scheduling\""}},
        {"targets: {processes: [{comm: [a], groups: [core], latency: [off-cpu]}]}",
         1,
         61,
         {"did you mean \"off_cpu\"?"}},
        {"targets: {cgroups: [{include: [/a], latency: [scheduler]}]}", 1, 21, {"no \"groups\""}},
    };

    (void)state;
    EXPECT(refusals);
}

#define SPAN "spans: [{name: a, begin: \"a:b\", " /* 34 bytes */

static void spans(void **state)
{
    static const struct refusal refusals[] = {
        {SPAN "}]", 1, 9, {"a span has no \"end\""}},
        {SPAN "end: cycles}]", 1, 38, {"begins or ends no span", "ext4_sync_file_enter"}},
        {SPAN "end: \"a:*\"}]", 1, 38, {"stands for several events"}},
        {SPAN "end: \"probe:x\"}]", 1, 38, {"unknown probe \"x\""}},
        {SPAN "end: \"a:c\", key: \"a b\"}]", 1, 50, {"key \"a b\"; expected thread or a field"}},
        {SPAN "end: \"a:c\", end_key: \"\"}]", 1, 54, {"end_key"}},
        {SPAN "end: \"a:c\"}, {name: a, begin: \"a:c\", end: \"a:d\"}]",
         1,
         53,
         {"duplicate span \"a\"; expected it once, the first is at 1:16"}},
        {"spans: [{name: \"a b\", begin: \"a:b\", end: \"a:c\"}]", 1, 16, {"span name \"a b\""}},
    };

    (void)state;
    EXPECT(refusals);
}

static void system_calls(void **state)
{
    static const struct refusal refusals[] = {
        {"system_calls: {timed: [read, fsinc]}",
         1,
         30,
         {"unknown system call \"fsinc\"", "syscalls(2)", "did you mean \"fsync\"?"}},
        {"system_calls: {timed: [exit_group]}", 1, 24, {"\"exit_group\" never returns"}},
        {"system_calls: {timed: [read, write, read]}",
         1,
         37,
         {"duplicate system call \"read\"; expected it once, the first is at 1:24"}},
        {"system_calls: {timed: read}", 1, 23, {"timed is a single value", "[read, fsync]"}},
        {"system_calls: {one_in: 16}", 1, 24, {"one_in is \"16\"", "1 or 17"}},
        {"system_calls: {times: [read]}", 1, 16, {"unknown key \"times\"", "\"timed\"?"}},
        {"system_calls: [read]", 1, 15, {"system_calls is a list; expected a mapping"}},
    };

    (void)state;
    EXPECT(refusals);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(latencies),
        cmocka_unit_test(spans),
        cmocka_unit_test(system_calls),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

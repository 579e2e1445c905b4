/* SPDX-License-Identifier: Apache-2.0 */
#include "config/config.h"

#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/clock.h"
#include "count/latency.h"

static struct config *parse(const char *text)
{
    struct config_error error = {0};
    struct config *config = NULL;
    int r = config_parse(text, strlen(text), &config, &error);

    if (r < 0)
        fail_msg("%u:%u: %s", error.place.line, error.place.column, error.message);
    return config;
}

static bool same_words(const struct config_words *a, const struct config_words *b)
{
    if (a->n != b->n)
        return false;
    for (size_t i = 0; i < a->n; i++)
        if (strcmp(a->words[i].text, b->words[i].text) != 0)
            return false;
    return true;
}

static void assert_same_targets(const struct config *a, const struct config *b)
{
    assert_int_equal(a->system.enabled, b->system.enabled);
    assert_int_equal(a->system.by, b->system.by);
    assert_true(same_words(&a->system.groups, &b->system.groups));
    assert_int_equal(a->system.latency, b->system.latency);
    assert_int_equal(a->system.cpus.text == NULL, b->system.cpus.text == NULL);
    assert_int_equal(a->n_processes, b->n_processes);
    assert_int_equal(a->n_cgroups, b->n_cgroups);
    for (size_t i = 0; i < a->n_cgroups; i++) {
        assert_true(same_words(&a->cgroups[i].include, &b->cgroups[i].include));
        assert_true(same_words(&a->cgroups[i].exclude, &b->cgroups[i].exclude));
        assert_true(same_words(&a->cgroups[i].groups, &b->cgroups[i].groups));
        assert_int_equal(a->cgroups[i].latency, b->cgroups[i].latency);
    }
}

static void assert_same_meaning(const struct config *a, const struct config *b)
{
    assert_int_equal(a->interval_ns, b->interval_ns);
    assert_int_equal(a->linger_ns, b->linger_ns);
    assert_int_equal(a->counting, b->counting);
    assert_int_equal(a->expose_rates, b->expose_rates);
    assert_int_equal(a->expose_ratios, b->expose_ratios);
    assert_memory_equal(&a->limits, &b->limits, sizeof(a->limits));
    assert_int_equal(a->profiles.enabled, b->profiles.enabled);
    assert_int_equal(a->profiles.rate_hz, b->profiles.rate_hz);
    assert_int_equal(a->profiles.bytes, b->profiles.bytes);
    assert_int_equal(a->names.kubernetes, b->names.kubernetes);
    assert_int_equal(a->names.containers, b->names.containers);
    assert_int_equal(a->names.machines, b->names.machines);
    assert_int_equal(a->names.batch, b->names.batch);
    assert_int_equal(a->n_groups, b->n_groups);
    for (size_t i = 0; i < a->n_groups; i++) {
        assert_string_equal(a->groups[i].name.text, b->groups[i].name.text);
        assert_int_equal(a->groups[i].n_events, b->groups[i].n_events);
        for (size_t j = 0; j < a->groups[i].n_events; j++)
            assert_string_equal(a->groups[i].events[j].event.text,
                                b->groups[i].events[j].event.text);
    }
    assert_int_equal(a->n_renames, b->n_renames);
    assert_int_equal(a->n_ratios, b->n_ratios);
    assert_same_targets(a, b);
}

static void default__is_what_its_text_says(void **state)
{
    AUTO(config) struct config *builtin = NULL;
    AUTO(config) struct config *parsed = NULL;

    (void)state;
    assert_int_equal(config_default(&builtin), 0);
    parsed = parse(config_default_text);
    assert_same_meaning(builtin, parsed);
    assert_int_equal(builtin->interval_ns, NS_PER_SECOND);
    assert_int_equal(builtin->n_groups, 2);
    assert_string_equal(builtin->groups[0].name.text, "core");
    assert_int_equal(builtin->groups[1].n_events, 4);
    assert_int_equal(builtin->system.latency, LATENCY_SCHEDULER | LATENCY_KIND_BLOCK_IO);
    assert_int_equal(builtin->cgroups[0].latency, LATENCY_SCHEDULER | LATENCY_KIND_BLOCK_IO);
    assert_int_equal(builtin->limits.body, 32 << 20);
}

static void default__is_what_the_shipped_file_says(void **state)
{
    AUTO(config) struct config *builtin = NULL;
    AUTO(config) struct config *shipped = NULL;
    struct config_error error = {0};

    (void)state;
    assert_int_equal(config_default(&builtin), 0);
    if (config_read(NULL, "../config/pmu_exporter.yml", &shipped, &error) < 0)
        fail_msg("%u:%u: %s", error.place.line, error.place.column, error.message);
    assert_same_meaning(builtin, shipped);
}

static void default__stands_in_no_file(void **state)
{
    AUTO(config) struct config *builtin = NULL;

    (void)state;
    assert_int_equal(config_default(&builtin), 0);
    assert_int_equal(builtin->groups[0].name.place.line, 0);
    assert_int_equal(builtin->groups[1].events[3].event.place.line, 0);
    assert_int_equal(builtin->system.groups.words[0].place.line, 0);
    assert_int_equal(builtin->cgroups[0].include.words[6].place.line, 0);
}

static void a_text_that_says_nothing__is_the_default(void **state)
{
    static const char *const texts[] = {"",   "\n\n",        "# nothing\n", "---\n", "--- \n...\n",
                                        "{}", "\xef\xbb\xbf"};
    AUTO(config) struct config *builtin = NULL;

    (void)state;
    assert_int_equal(config_default(&builtin), 0);
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
        AUTO(config) struct config *parsed = parse(texts[i]);

        assert_same_meaning(builtin, parsed);
    }
}

static void every_key__goes_where_it_belongs(void **state)
{
    AUTO(config)
    struct config *config = parse("interval: 1m\n"
                                  "counting: direct\n"
                                  "linger: 0s\n"
                                  "groups:\n"
                                  "  - name: a.b-c_1\n"
                                  "    events: [cycles:u, \"instructions\"]\n"
                                  "  - {events: [page-faults], name: 'soft'}\n"
                                  "rename:\n"
                                  "  - {event: 'cycles:u', name: user_cycles}\n"
                                  "ratios:\n"
                                  "  - {name: ipc, formula: instructions / cycles:u}\n"
                                  "targets:\n"
                                  "  system: {groups: [soft], by: cpu, cpus: 0-3}\n"
                                  "  cgroups:\n"
                                  "    - include: [/a/*, '/b']\n"
                                  "      exclude: [/a/c]\n"
                                  "      groups: [a.b-c_1, soft]\n"
                                  "      by: cpu\n"
                                  "  processes:\n"
                                  "    - {comm: [a], groups: [soft], by: cpu}\n"
                                  "    - {comm: [b], groups: [soft]}\n"
                                  "expose: {rates: false, ratios: false}\n"
                                  "limits: {cgroups: 5, processes: 8, threads: 9, series: 6, "
                                  "body: 4KiB, "
                                  "descriptors: 700, pmu_counters: 5}\n"
                                  "profiles: {enabled: false, rate: 999, memory: 4MiB}\n");

    (void)state;
    assert_int_equal(config->interval_ns, 60 * NS_PER_SECOND);
    assert_int_equal(config->counting, CONFIG_COUNTING_DIRECT);
    assert_int_equal(config->linger_ns, 0);
    assert_int_equal(config->n_groups, 2);
    assert_string_equal(config->groups[0].name.text, "a.b-c_1");
    assert_string_equal(config->groups[0].events[0].event.text, "cycles:u");
    assert_int_equal(config->groups[0].events[1].event.place.line, 6);
    assert_int_equal(config->groups[0].events[1].event.place.column, 24);
    assert_string_equal(config->renames[0].name.text, "user_cycles");
    assert_string_equal(config->ratios[0].formula.text, "instructions / cycles:u");
    assert_int_equal(config->system.by, CONFIG_BY_CPU);
    assert_string_equal(config->system.cpus.text, "0-3");
    assert_int_equal(config->cgroups[0].include.n, 2);
    assert_string_equal(config->cgroups[0].exclude.words[0].text, "/a/c");
    assert_string_equal(config->cgroups[0].groups.words[1].text, "soft");
    assert_int_equal(config->cgroups[0].by, CONFIG_BY_CPU);
    assert_int_equal(config->processes[0].by, CONFIG_BY_CPU);
    assert_int_equal(config->processes[1].by, CONFIG_BY_ALL);
    assert_false(config->expose_rates);
    assert_false(config->expose_ratios);
    assert_int_equal(config->limits.cgroups, 5);
    assert_int_equal(config->limits.processes, 8);
    assert_int_equal(config->limits.threads, 9);
    assert_int_equal(config->limits.series, 6);
    assert_int_equal(config->limits.body, 4096);
    assert_int_equal(config->limits.descriptors, 700);
    assert_int_equal(config->limits.pmu_counters, 5);
    assert_false(config->profiles.enabled);
    assert_int_equal(config->profiles.rate_hz, 999);
    assert_int_equal(config->profiles.bytes, 4 << 20);
}

static void profiles__are_sampled_where_the_text_does_not_say(void **state)
{
    AUTO(config) struct config *config = parse("profiles: {rate: 97}");

    (void)state;
    assert_true(config->profiles.enabled);
    assert_int_equal(config->profiles.rate_hz, 97);
    assert_int_equal(config->profiles.bytes, 16 << 20);
}

static void names__are_told_by_all_where_the_text_does_not_say(void **state)
{
    AUTO(config) struct config *silent = parse("interval: 1s");
    AUTO(config)
    struct config *config = parse("names: {kubernetes: false, containers: false, machines: false, "
                                  "batch: false, file: /etc/names.csv}");

    (void)state;
    assert_true(silent->names.kubernetes && silent->names.containers && silent->names.machines &&
                silent->names.batch);
    assert_null(silent->names.file.text);
    assert_false(config->names.kubernetes || config->names.containers || config->names.machines ||
                 config->names.batch);
    assert_string_equal(config->names.file.text, "/etc/names.csv");
}

static void counters_of_the_pmu__may_be_auto_or_all(void **state)
{
    AUTO(config) struct config *all = parse("limits: {pmu_counters: all}");
    AUTO(config) struct config *automatic = parse("limits: {pmu_counters: auto}");

    (void)state;
    assert_true(all->limits.pmu_counters == CONFIG_ALL_COUNTERS);
    assert_int_equal(automatic->limits.pmu_counters, 0);
}

static void latency__is_what_its_words_stand_for(void **state)
{
    AUTO(config)
    struct config *config =
        parse("targets:\n"
              "  system: {groups: [software], latency: [switches, migrations]}\n"
              "  cgroups:\n"
              "  - {include: [/a], groups: [software], latency: [scheduler, on_cpu]}\n"
              "  - {include: [/b], groups: [software], latency: []}\n"
              "  - {include: [/c], groups: [software]}\n"
              "  processes: [{comm: [a], groups: [software], latency: [run_queue, off_cpu]}]\n");

    (void)state;
    assert_int_equal(config->system.latency, LATENCY_KIND_SWITCHES | LATENCY_KIND_MIGRATIONS);
    assert_int_equal(config->cgroups[0].latency, LATENCY_SCHEDULER);
    assert_int_equal(config->cgroups[1].latency, 0);
    assert_int_equal(config->cgroups[2].latency, 0);
    assert_int_equal(config->processes[0].latency, LATENCY_KIND_RUN_QUEUE | LATENCY_KIND_OFF_CPU);
}

static void own_targets__go_with_the_built_in_groups(void **state)
{
    AUTO(config) struct config *config = parse("targets: {system: {groups: [software]}}");

    (void)state;
    assert_int_equal(config->n_groups, 2);
    assert_true(config->system.enabled);
    assert_int_equal(config->n_cgroups, 0);
}

static void targets_may_be_none(void **state)
{
    AUTO(config) struct config *config = parse("targets: {}");

    (void)state;
    assert_false(config->system.enabled);
    assert_int_equal(config->n_cgroups, 0);
}

static void one_event_in_two_groups__is_good(void **state)
{
    AUTO(config)
    struct config *config = parse("groups:\n"
                                  "  - {name: core, events: [cycles, instructions]}\n"
                                  "  - {name: software, events: [instructions]}\n");

    (void)state;
    assert_int_equal(config->n_groups, 2);
}

static void a_formula_may_use_the_canonical_name(void **state)
{
    AUTO(config)
    struct config *config = parse("groups:\n"
                                  "  - {name: core, events: [cpu-cycles, branch-instructions]}\n"
                                  "ratios:\n"
                                  "  - {name: a, formula: branches / cycles}\n"
                                  "  - {name: b, formula: branch-instructions / cpu-cycles}\n"
                                  "targets: {system: {groups: [core]}}\n");

    (void)state;
    assert_int_equal(config->n_ratios, 2);
}

static void a_byte_order_mark__takes_no_column(void **state)
{
    static const char text[] = "\xef\xbb\xbfintervall: 1s";
    struct config_error error = {0};
    struct config *config;

    (void)state;
    assert_int_equal(config_parse(text, strlen(text), &config, &error), -EINVAL);
    assert_int_equal(error.place.line, 1);
    assert_int_equal(error.place.column, 1);
}

/* The files of the fuzz target's corpus say in their names whether they are valid. */
static void files_of_the_corpus_are_what_they_are_called(void **state)
{
    static const char directory[] = "fuzz/corpus/config";
    DIR *corpus = opendir(directory);
    struct dirent *entry;
    unsigned n_good = 0, n_bad = 0;

    (void)state;
    assert_non_null(corpus);
    while ((entry = readdir(corpus))) {
        AUTO(config) struct config *config = NULL;
        struct config_error error = {0};
        char path[512];

        (void)snprintf(path, sizeof(path), "%s/%s", directory, entry->d_name);
        if (strncmp(entry->d_name, "good-", 5) == 0) {
            n_good++;
            if (config_read(NULL, path, &config, &error) < 0)
                fail_msg("%s:%u:%u: %s", path, error.place.line, error.place.column, error.message);
        } else if (strncmp(entry->d_name, "bad-", 4) == 0) {
            n_bad++;
            if (config_read(NULL, path, &config, &error) != -EINVAL || error.place.line == 0)
                fail_msg("%s is not refused", path);
        }
    }
    assert_int_equal(closedir(corpus), 0);
    assert_true(n_good >= 9 && n_bad >= 20);
}

static void free__takes_null(void **state)
{
    (void)state;
    assert_null(config_free(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(default__is_what_its_text_says),
        cmocka_unit_test(default__is_what_the_shipped_file_says),
        cmocka_unit_test(default__stands_in_no_file),
        cmocka_unit_test(a_text_that_says_nothing__is_the_default),
        cmocka_unit_test(every_key__goes_where_it_belongs),
        cmocka_unit_test(names__are_told_by_all_where_the_text_does_not_say),
        cmocka_unit_test(counters_of_the_pmu__may_be_auto_or_all),
        cmocka_unit_test(profiles__are_sampled_where_the_text_does_not_say),
        cmocka_unit_test(latency__is_what_its_words_stand_for),
        cmocka_unit_test(own_targets__go_with_the_built_in_groups),
        cmocka_unit_test(targets_may_be_none),
        cmocka_unit_test(one_event_in_two_groups__is_good),
        cmocka_unit_test(a_formula_may_use_the_canonical_name),
        cmocka_unit_test(a_byte_order_mark__takes_no_column),
        cmocka_unit_test(files_of_the_corpus_are_what_they_are_called),
        cmocka_unit_test(free__takes_null),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

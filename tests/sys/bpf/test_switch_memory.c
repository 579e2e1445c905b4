/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What the program at each switch takes of the kernel's memory, as the kernel tells of its maps
 * (memlock in /proc/self/fdinfo), for a large machine. Skipped where bpf cannot be loaded.
 */
#include "sys/bpf/switch/program.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/check.h"

#include "sys/small_file.h"

#define N_TARGETS 1000
#define N_CPUS    128

/* What a CPU takes beside its cells (struct switch_program_size). */
#define BYTES_OF_A_CPU UINT64_C(20480)

/* Maps for descriptors, slots and watched processes, and what rounding takes. */
#define OTHER_BYTES (2 << 20)

static uint64_t number_after(const char *text, const char *key)
{
    const char *found = strstr(text, key);

    return found ? strtoull(found + strlen(key), NULL, 10) : 0;
}

/* The memory of all maps that this process holds, and of those with so many entries. */
static uint64_t bytes_of_maps(uint64_t n_entries, uint64_t *ret_with_entries)
{
    AUTO(directory) DIR *directory = opendir("/proc/self/fdinfo");
    const struct dirent *entry;
    uint64_t all = 0;

    assert_non_null(directory);
    *ret_with_entries = 0;
    while ((entry = readdir(directory))) {
        char text[1024];
        uint64_t bytes;

        if (entry->d_name[0] == '.' ||
            small_file_read(dirfd(directory), entry->d_name, text, sizeof(text)) < 0 ||
            !strstr(text, "map_type:"))
            continue;
        bytes = number_after(text, "memlock:");
        all += bytes;
        if (number_after(text, "max_entries:") == n_entries)
            *ret_with_entries += bytes;
    }
    return all;
}

static struct switch_program *load(const struct switch_program_size *size)
{
    struct switch_program *program = NULL;
    enum bpf_refusal refusal;

    if (switch_program_load(size, &program, &refusal) < 0) {
        print_message("skipped: no bpf: %s\n", bpf_refusal_text(refusal));
        skip();
    }
    return program;
}

static void memory__for_a_thousand_targets_on_128_cpus_is_what_is_told(void **state)
{
    const struct switch_program_size size = {.n_cpus = N_CPUS,
                                             .n_slots = N_TARGETS + SWITCH_PROGRAM_FIRST,
                                             .n_lanes = 8,
                                             .n_watched = 1000,
                                             .n_latency_slots = N_TARGETS + SWITCH_PROGRAM_FIRST,
                                             .n_threads = UINT64_C(1) << 20};
    const uint64_t told = switch_program_bytes(&size) + switch_program_latency_bytes(&size) +
                          switch_program_away_bytes(&size);
    AUTO(switch_program) struct switch_program *program = load(&size);
    uint64_t latencies, away;
    const uint64_t all = bytes_of_maps(size.n_cpus * size.n_latency_slots, &latencies);

    (void)state;
    assert_non_null(program);
    (void)bytes_of_maps(UINT64_C(1) << 20, &away);
    print_message("%u targets, %u CPUs: maps take %.1f MiB, of which %.1f are told; a target and "
                  "CPU %.1f bytes; threads that are away %.1f MiB\n",
                  N_TARGETS, N_CPUS, (double)all / 0x1p20, (double)told / 0x1p20,
                  (double)switch_program_latency_bytes(&size) /
                      (double)(size.n_cpus * size.n_latency_slots),
                  (double)away / 0x1p20);
    assert_true(switch_program_latency_bytes(&size) <= SWITCH_PROGRAM_MOST_LATENCY_BYTES);
    assert_true(switch_program_latency_bytes(&size) <=
                size.n_cpus * size.n_latency_slots * UINT64_C(400));
    assert_in_range(away, switch_program_away_bytes(&size),
                    switch_program_away_bytes(&size) + (1 << 16));
    /* cells of both kinds are in maps with as many entries */
    assert_in_range(latencies, switch_program_latency_bytes(&size) + switch_program_bytes(&size),
                    switch_program_latency_bytes(&size) + switch_program_bytes(&size) + (1 << 16));
    assert_in_range(all, told, told + N_CPUS * BYTES_OF_A_CPU + OTHER_BYTES);
}

static void memory__without_latencies_has_none_for_threads(void **state)
{
    const struct switch_program_size size = {.n_cpus = 2,
                                             .n_slots = N_TARGETS + SWITCH_PROGRAM_FIRST,
                                             .n_lanes = 8,
                                             .n_watched = 1000,
                                             .n_threads = UINT64_C(1) << 20};
    AUTO(switch_program) struct switch_program *program = load(&size);
    uint64_t away;
    const uint64_t all = bytes_of_maps(UINT64_C(1) << 20, &away);

    (void)state;
    assert_non_null(program);
    assert_int_equal(away, 0);
    assert_in_range(all, switch_program_bytes(&size),
                    switch_program_bytes(&size) + 2 * BYTES_OF_A_CPU + OTHER_BYTES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory__for_a_thousand_targets_on_128_cpus_is_what_is_told),
        cmocka_unit_test(memory__without_latencies_has_none_for_threads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

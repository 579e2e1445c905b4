/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Small texts of the kernel. The first byte chooses which parser has the rest, as a text and as the
 * file that it is read from.
 */

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "fuzz/fuzz.h"
#include "fuzz/fuzz_directory.h"
#include "sys/cgroup_usage.h"
#include "sys/cpu_list.h"
#include "sys/cpu_time.h"
#include "sys/hidepid.h"
#include "sys/kernel_functions.h"

/* A list is ascending; written down, it is read as the same. */
static void check_list(const struct cpu_list *list)
{
    AUTO(cpu_list) struct cpu_list *again = NULL, *both = NULL, *none = NULL;
    AUTO_TEXT struct text text = {0};

    for (size_t i = 0; i < list->n; i++) {
        FUZZ_CHECK(i == 0 || list->cpus[i - 1].value < list->cpus[i].value);
        FUZZ_CHECK(cpu_list_contains(list, list->cpus[i]));
        text_append_format(&text, "%s%d", i > 0 ? "," : "", list->cpus[i].value);
    }
    text_append_char(&text, '\0');
    FUZZ_CHECK(cpu_list_parse(text.data, &again) == 0 && cpu_list_equal(list, again));
    FUZZ_CHECK(cpu_list_unite(list, again, &both) == 0 && cpu_list_equal(list, both));
    FUZZ_CHECK(cpu_list_subtract(list, again, &none) == 0 && none->n == 0);
    FUZZ_CHECK(cpu_list_equal(list, none) == (list->n == 0));
    FUZZ_CHECK(!cpu_list_contains(list, (struct cpu_number){-1}));
}

static void read_list(const char *text)
{
    static const char *const files[] = {"devices/system/cpu/online", "devices/system/cpu/possible",
                                        "devices/system/cpu/nohz_full"};
    static int (*const readers[])(int, struct cpu_list **) = {
        cpu_list_read_online, cpu_list_read_possible, cpu_list_read_nohz_full};
    AUTO(cpu_list) struct cpu_list *list = NULL;

    if (cpu_list_parse(text, &list) == 0)
        check_list(list);
    (void)mkdirat(fuzz_directory(), "devices", 0700);
    (void)mkdirat(fuzz_directory(), "devices/system", 0700);
    (void)mkdirat(fuzz_directory(), "devices/system/cpu", 0700);
    for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
        AUTO(cpu_list) struct cpu_list *read = NULL;

        fuzz_write(files[i], text, strlen(text));
        if (readers[i](fuzz_directory(), &read) == 0 && list)
            FUZZ_CHECK(cpu_list_equal(list, read));
    }
}

/* The file has room for what the kernel writes: that of the text may not have been read whole. */
static void read_cpu_time(const char *text)
{
    AUTO(cpu_list) struct cpu_list *cpus = NULL;
    struct cpu_time time, read, all;
    uint64_t busy[3], busy_read[3];
    const bool is_good = cpu_time_parse(text, &time) == 0;

    FUZZ_CHECK(cpu_list_parse("0-1,7", &cpus) == 0);
    cpu_time_parse_each(text, cpus, busy);
    fuzz_write("stat", text, strlen(text));
    if (cpu_time_read(fuzz_directory(), &read) == 0 && is_good && strlen(text) <= 512)
        FUZZ_CHECK(read.user_ns == time.user_ns && read.system_ns == time.system_ns);
    if (cpu_time_read_each(fuzz_directory(), cpus, busy_read, &all) == 0 && strlen(text) <= 512)
        FUZZ_CHECK(memcmp(busy, busy_read, sizeof(busy)) == 0);
}

static void read_usage(const char *text)
{
    uint64_t usage, read;
    const bool is_good = cgroup_usage_parse(text, &usage) == 0;

    fuzz_write("cpu.stat", text, strlen(text));
    if (cgroup_usage_read(fuzz_directory(), &read) == 0)
        FUZZ_CHECK(is_good && usage == read);
}

/* A line of mountinfo, also as that of the mount of the directory. */
static void read_mount(const char *text)
{
    static const char status[] = "Name:\tx\nCapEff:\t0000000000000000\n";
    struct hidepid hidepid = {0};
    struct statx facts;
    bool hides_from_us;
    AUTO_TEXT struct text file = {0};

    if (hidepid_parse(text, 22, &hidepid))
        FUZZ_CHECK(hidepid.hides || !hidepid.from_group);
    if (statx(fuzz_directory(), "", AT_EMPTY_PATH, STATX_MNT_ID, &facts) < 0 ||
        !(facts.stx_mask & STATX_MNT_ID))
        return;
    text_append_format(&file, "22 1 0:1 / / rw\n%" PRIu64, (uint64_t)facts.stx_mnt_id);
    text_append_string(&file, strncmp(text, "22", 2) == 0 ? text + 2 : text);
    FUZZ_CHECK(!file.failed);
    (void)mkdirat(fuzz_directory(), "self", 0700);
    fuzz_write("self/mountinfo", file.data, file.length);
    fuzz_write("self/status", status, strlen(status));
    hides_from_us = hidepid_hides_from_us(fuzz_directory());
    FUZZ_CHECK(hidepid_read(fuzz_directory()).hides || !hides_from_us);
}

/* Names have no blank and no newline, and there are no more of them than lines. */
static void read_functions(const uint8_t *data, size_t size)
{
    FILE *list = fmemopen((void *)(uintptr_t)data, size, "r");
    char name[KERNEL_FUNCTION_SIZE];
    size_t n_lines = 0;

    if (!list)
        return; /* of no bytes */
    for (size_t i = 0; i < size; i++)
        n_lines += data[i] == '\n';
    while (kernel_functions_next(list, name) == 1) {
        FUZZ_CHECK(n_lines-- > 0);
        FUZZ_CHECK(strlen(name) < KERNEL_FUNCTION_SIZE && !strchr(name, '\n'));
    }
    FUZZ_CHECK(fclose(list) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const readers[])(const char *) = {read_list, read_cpu_time, read_usage,
                                                    read_mount};
    AUTO_FREE char *text = size > 0 ? strndup((const char *)data + 1, size - 1) : NULL;
    const size_t which = size > 0 ? data[0] % (ARRAY_SIZE(readers) + 1) : 0;

    if (!text)
        return 0;
    if (which < ARRAY_SIZE(readers))
        readers[which](text);
    else
        read_functions(data + 1, size - 1);
    return 0;
}

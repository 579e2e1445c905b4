/* SPDX-License-Identifier: Apache-2.0 */

/* Programs of this machine, and files that want to do harm. Our own test program is the example. */
#include "sys/elf_image.h"

#include <errno.h>
#include <gelf.h>
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "base/clock.h"
#include "support/fixture_tree.h"
#include "support/marker.h"
#include "sys/open_image.h"

#define SELF "/proc/self/exe"

static struct fixture_tree tree;

/* The length of the test program, which is copied to be damaged. */
static char *program;
static size_t program_size;

void known_function(void);

static volatile unsigned short known_semaphore __attribute__((section(".probes"), used));

__attribute__((noinline)) void known_function(void)
{
    MARKER("plain", "0");
    MARKER("watched", "known_semaphore");
    MARKER("twice", "0");
    MARKER("twice", "0");
}

static void read_program(void)
{
    FILE *file = fopen(SELF, "re");

    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    program_size = (size_t)ftell(file);
    rewind(file);
    program = malloc(program_size);
    assert_non_null(program);
    assert_int_equal(fread(program, 1, program_size, file), program_size);
    assert_int_equal(fclose(file), 0);
}

static int set_up(void **state)
{
    (void)state;
    tree = fixture_tree_open();
    read_program();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    free(program);
    fixture_tree_close(&tree);
    return 0;
}

static const char *path_of(const char *name)
{
    static char path[128];

    (void)snprintf(path, sizeof(path), "%s/%s", tree.path, name);
    return path;
}

/* Writes n bytes of the program, with `damage` bytes at `offset`. */
static void write_copy(const char *name, size_t n, size_t offset, const void *damage, size_t size)
{
    FILE *file = fopen(path_of(name), "we");

    assert_non_null(file);
    assert_int_equal(fwrite(program, 1, n, file), n);
    if (size > 0) {
        assert_int_equal(fseek(file, (long)offset, SEEK_SET), 0);
        assert_int_equal(fwrite(damage, 1, size, file), size);
    }
    assert_int_equal(fclose(file), 0);
}

/* What a file gives if everything is asked of it. */
static int look_everywhere(const char *path)
{
    AUTO(elf_image) struct elf_image *image = NULL;
    struct elf_marker marker;
    uint64_t position;
    unsigned n;
    int r = open_image(path, &image);

    if (r != ELF_FOUND)
        return r;
    (void)elf_image_find_marker(image, "pmu_test", "plain", 0, &marker, &n);
    return elf_image_find_function(image, "known_function", 0, &position);
}

/* Where the kernel has mapped a place of our own program from. */
static uint64_t position_by_maps(uintptr_t address)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    unsigned long begin, end, offset, found = 0;
    char line[512];

    assert_non_null(maps);
    while (fgets(line, sizeof(line), maps))
        if (sscanf(line, "%lx-%lx %*s %lx", &begin, &end, &offset) == 3 && address >= begin &&
            address < end)
            found = address - begin + offset;
    assert_int_equal(fclose(maps), 0);
    assert_true(found > 0);
    return found;
}

static void a_function_is_found_where_the_kernel_maps_it(void **state)
{
    AUTO(elf_image) struct elf_image *image = NULL;
    uint64_t position = 0, inside = 0;

    (void)state;
    write_copy("program", program_size, 0, NULL, 0);
    assert_int_equal(open_image(path_of("program"), &image), ELF_FOUND);
    assert_int_equal(elf_image_find_function(image, "known_function", 0, &position), ELF_FOUND);
    assert_int_equal(position, position_by_maps((uintptr_t)known_function));
    assert_int_equal(elf_image_find_function(image, "known_function", 1, &inside), ELF_FOUND);
    assert_int_equal(inside, position + 1);
    assert_int_equal(elf_image_find_function(image, "known_function", 100000, &inside), ELF_BEYOND);
    assert_int_equal(elf_image_find_function(image, "known_functio", 0, &inside), ELF_MISSING);
    assert_int_equal(elf_image_find_function(image, "", 0, &inside), ELF_MISSING);
    assert_int_equal(elf_image_find_function(image, "program_size", 0, &inside), ELF_MISSING);
}

static int find_marker(const struct elf_image *image, const char *name, unsigned number,
                       struct elf_marker *ret_marker, unsigned *ret_n)
{
    return elf_image_find_marker(image, "pmu_test", name, number, ret_marker, ret_n);
}

static void markers_are_found_in_their_function_and_with_their_semaphore(void **state)
{
    AUTO(elf_image) struct elf_image *image = NULL;
    struct elf_marker plain, watched, first, second;
    uint64_t begin = 0;
    unsigned n;

    (void)state;
    write_copy("program", program_size, 0, NULL, 0);
    assert_int_equal(open_image(path_of("program"), &image), ELF_FOUND);
    assert_int_equal(elf_image_find_function(image, "known_function", 0, &begin), ELF_FOUND);
    assert_int_equal(find_marker(image, "plain", 0, &plain, &n), ELF_FOUND);
    assert_int_equal(find_marker(image, "watched", 0, &watched, &n), ELF_FOUND);
    assert_true(plain.position >= begin && watched.position > plain.position);
    assert_true(watched.position < begin + 64);
    assert_int_equal(plain.semaphore, 0);
    assert_int_equal(watched.semaphore, position_by_maps((uintptr_t)&known_semaphore));
    assert_int_equal(find_marker(image, "twice", 0, &first, &n), ELF_AMBIGUOUS);
    assert_int_equal(n, 2);
    assert_int_equal(find_marker(image, "twice", 1, &first, &n), ELF_FOUND);
    assert_int_equal(find_marker(image, "twice", 2, &second, &n), ELF_FOUND);
    assert_true(second.position > first.position);
    assert_int_equal(find_marker(image, "twice", 3, &second, &n), ELF_MISSING);
    assert_int_equal(n, 2);
    assert_int_equal(find_marker(image, "nothing", 0, &plain, &n), ELF_MISSING);
    assert_int_equal(elf_image_find_marker(image, "other", "plain", 0, &plain, &n), ELF_MISSING);
}

static int note_libc(struct dl_phdr_info *info, size_t size, void *path)
{
    (void)size;
    if (strstr(info->dlpi_name, "libc.so"))
        (void)snprintf(path, 256, "%s", info->dlpi_name);
    return 0;
}

/* A stripped library has .dynsym only, and some of its functions in several versions. */
static void functions_of_the_c_library_are_found(void **state)
{
    AUTO(elf_image) struct elf_image *image = NULL;
    char path[256] = "";
    uint64_t position = 0;

    (void)state;
    (void)dl_iterate_phdr(note_libc, path);
    if (!*path)
        skip(); /* a sanitizer may come with a library of its own */
    assert_int_equal(open_image(path, &image), ELF_FOUND);
    assert_int_equal(elf_image_find_function(image, "getppid", 0, &position), ELF_FOUND);
    assert_int_equal(position, position_by_maps((uintptr_t)getppid));
#ifdef __x86_64__
    assert_int_equal(elf_image_find_function(image, "memcpy", 0, &position), ELF_INDIRECT);
#endif
    /* an old version of it stands beside the one that programs are linked with */
    assert_int_equal(elf_image_find_function(image, "fopen", 0, &position), ELF_FOUND);
}

static void what_is_no_regular_file_is_refused_at_once(void **state)
{
    AUTO(elf_image) struct elf_image *image = NULL;

    (void)state;
    assert_int_equal(mkfifo(path_of("fifo"), 0600), 0);
    assert_int_equal(open_image(path_of("fifo"), &image), ELF_NO_FILE);
    assert_int_equal(open_image(tree.path, &image), ELF_NO_FILE);
    assert_int_equal(open_image("/dev/null", &image), ELF_NO_FILE);
    assert_int_equal(open_image(path_of("nothing"), &image), -ENOENT);
}

static void symbolic_links_of_others_are_not_followed(void **state)
{
    AUTO(elf_image) struct elf_image *image = NULL;

    (void)state;
    if (geteuid() != 0)
        skip(); /* only root can give files away */
    write_copy("program", program_size, 0, NULL, 0);
    assert_int_equal(symlinkat("program", tree.fd, "link"), 0);
    assert_int_equal(open_image(path_of("link"), &image), ELF_FOUND);
    image = elf_image_close(image);
    assert_int_equal(fchownat(tree.fd, "link", 65534, 65534, AT_SYMLINK_NOFOLLOW), 0);
    assert_int_equal(open_image(path_of("link"), &image), ELF_FOREIGN_LINK);
}

/* The text of the link is "/" or a path in our own tree, where a file of that name stands, too. */
static void a_path_through_another_process_is_refused(void **state)
{
    AUTO(elf_image) struct elf_image *image = NULL;
    char path[256];

    (void)state;
    write_copy("program", program_size, 0, NULL, 0);
    (void)snprintf(path, sizeof(path), "/proc/%d/root%s", (int)getpid(), path_of("program"));
    assert_int_equal(open_image(path, &image), ELF_FOUND);
    image = elf_image_close(image);
    (void)snprintf(path, sizeof(path), "/proc/%d/root%s", (int)getppid(), path_of("program"));
    if (access(path, F_OK) < 0)
        skip(); /* we may not look into that process */
    assert_int_equal(open_image(path, &image), ELF_PROCESS_LINK);
}

static void a_file_that_was_cut_anywhere_is_an_error(void **state)
{
    (void)state;
    for (size_t n = 0; n < program_size; n += n < 256 ? 1 : program_size / 97) {
        write_copy("cut", n, 0, NULL, 0);
        (void)look_everywhere(path_of("cut")); /* it may have what is asked for, by chance */
    }
    write_copy("cut", 63, 0, NULL, 0);
    assert_int_equal(look_everywhere(path_of("cut")), ELF_NO_PROGRAM);
    write_copy("cut", program_size / 2, 0, NULL, 0);
    assert_true(look_everywhere(path_of("cut")) != ELF_FOUND);
}

static void each_field_of_the_header_may_lie(void **state)
{
    static const unsigned char damage[][8] = {
        {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, {0}, {1}, {0, 0, 0, 0, 1}};

    (void)state;
    for (size_t at = EI_CLASS; at < sizeof(ElfW(Ehdr)); at++)
        for (size_t i = 0; i < ARRAY_SIZE(damage); i++)
            for (size_t size = 1; size <= 8; size *= 2) {
                write_copy("lies", program_size, at, damage[i], size);
                (void)look_everywhere(path_of("lies"));
            }
}

/* The section header of this type in the copy of the program. */
static ElfW(Shdr) * section(uint32_t type)
{
    const ElfW(Ehdr) *header = (const void *)program;
    ElfW(Shdr) *sections = (void *)(program + header->e_shoff);

    for (size_t i = 0; i < header->e_shnum; i++)
        if (sections[i].sh_type == type)
            return &sections[i];
    fail_msg("no section of type %u", type);
    return NULL;
}

static void write_section(uint32_t type, const ElfW(Shdr) * header)
{
    write_copy("section", program_size, (size_t)((char *)section(type) - program), header,
               sizeof(*header));
}

static void tables_of_sections_may_lie(void **state)
{
    static const uint64_t sizes[] = {
        0, 1, 23, UINT64_C(1) << 27, (UINT64_C(1) << 27) + 24, UINT64_C(1) << 40, UINT64_MAX};
    static const uint32_t types[] = {SHT_SYMTAB, SHT_DYNSYM, SHT_NOTE, SHT_STRTAB};

    (void)state;
    for (size_t t = 0; t < ARRAY_SIZE(types); t++)
        for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
            ElfW(Shdr) header = *section(types[t]);

            header.sh_size = sizes[i];
            write_section(types[t], &header);
            (void)look_everywhere(path_of("section"));
            header = *section(types[t]);
            header.sh_offset = sizes[i];
            write_section(types[t], &header);
            (void)look_everywhere(path_of("section"));
            header = *section(types[t]);
            header.sh_entsize = sizes[i];
            header.sh_link = (uint32_t)sizes[i];
            write_section(types[t], &header);
            (void)look_everywhere(path_of("section"));
        }
}

/* The most memory that we have had so far, in bytes. */
static uint64_t peak_memory(void)
{
    struct rusage usage;

    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    return (uint64_t)usage.ru_maxrss << 10;
}

/*
 * Symbols and strings of the largest size that is read. What the service has to hold of them is a
 * bit for each byte of strings: 15 MiB.
 */
static void large_tables_of_symbols_take_little_memory(void **state)
{
    const size_t sections = ((const ElfW(Ehdr) *)(const void *)program)->e_shoff;
    ElfW(Shdr) symbols = *section(SHT_SYMTAB), strings;
    const size_t at = sections + symbols.sh_link * sizeof(strings);
    const uint64_t begin = peak_memory();

    (void)state;
    memcpy(&strings, program + at, sizeof(strings));
    symbols.sh_size = strings.sh_size = UINT64_C(120) << 20;
    symbols.sh_offset = strings.sh_offset = program_size + 4096;
    write_section(SHT_SYMTAB, &symbols);
    FILE *file = fopen(path_of("section"), "r+e");
    assert_non_null(file);
    assert_int_equal(fseek(file, (long)at, SEEK_SET), 0);
    assert_int_equal(fwrite(&strings, sizeof(strings), 1, file), 1);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(truncate(path_of("section"), (off_t)1 << 40), 0);
    assert_int_not_equal(look_everywhere(path_of("section")), ELF_TOO_LARGE);
    assert_true(peak_memory() < begin + (UINT64_C(64) << 20));
}

/* A table that is its own table of strings, and a table of which the file has only holes. */
static void a_huge_file_of_holes_costs_neither_time_nor_memory(void **state)
{
    const uint64_t begin = clock_monotonic_ns();
    ElfW(Shdr) header = *section(SHT_SYMTAB);
    const ElfW(Ehdr) *file = (const void *)program;
    const ElfW(Shdr) *first = (const void *)(program + file->e_shoff);
    const size_t index = (size_t)(section(SHT_SYMTAB) - first);

    (void)state;
    header.sh_link = (uint32_t)index;
    write_section(SHT_SYMTAB, &header);
    assert_int_equal(look_everywhere(path_of("section")), ELF_NO_PROGRAM);
    header = *section(SHT_SYMTAB);
    header.sh_size = UINT64_C(1) << 38;
    write_section(SHT_SYMTAB, &header);
    assert_int_equal(truncate(path_of("section"), (off_t)1 << 40), 0);
    assert_int_equal(look_everywhere(path_of("section")), ELF_TOO_LARGE);
    header.sh_size = UINT64_C(120) << 20;
    header.sh_offset = program_size + 4096;
    write_section(SHT_SYMTAB, &header);
    assert_int_equal(truncate(path_of("section"), (off_t)1 << 40), 0);
    (void)look_everywhere(path_of("section"));
    assert_true(clock_monotonic_ns() - begin < 60 * NS_PER_SECOND);
}

static void a_header_that_counts_sections_elsewhere_is_refused(void **state)
{
    ElfW(Ehdr) header = *(const ElfW(Ehdr) *)(const void *)program;

    (void)state;
    header.e_shnum = 0; /* then the first section says how many there are: here perhaps millions */
    write_copy("many", program_size, 0, &header, sizeof(header));
    assert_int_equal(look_everywhere(path_of("many")), ELF_NO_PROGRAM);
}

static void other_files_are_no_programs(void **state)
{
    (void)state;
    fixture_tree_write(&tree, "text", "#!/bin/sh\nexit 0\n");
    fixture_tree_write(&tree, "magic", "\177ELF");
    fixture_tree_write(&tree, "empty", "");
    assert_int_equal(look_everywhere(path_of("text")), ELF_NO_PROGRAM);
    assert_int_equal(look_everywhere(path_of("magic")), ELF_NO_PROGRAM);
    assert_int_equal(look_everywhere(path_of("empty")), ELF_NO_PROGRAM);
}

static void count_known(void *object, const char *name)
{
    *(unsigned *)object += strcmp(name, "known_function") == 0;
}

static void functions_are_listed(void **state)
{
    AUTO(elf_image) struct elf_image *image = NULL;
    unsigned n = 0;

    (void)state;
    write_copy("program", program_size, 0, NULL, 0);
    assert_int_equal(open_image(path_of("program"), &image), ELF_FOUND);
    elf_image_list_functions(image, &(struct elf_visitor){count_known, &n});
    assert_true(n >= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_function_is_found_where_the_kernel_maps_it),
        cmocka_unit_test(markers_are_found_in_their_function_and_with_their_semaphore),
        cmocka_unit_test(functions_of_the_c_library_are_found),
        cmocka_unit_test(what_is_no_regular_file_is_refused_at_once),
        cmocka_unit_test(symbolic_links_of_others_are_not_followed),
        cmocka_unit_test(a_path_through_another_process_is_refused),
        cmocka_unit_test(a_file_that_was_cut_anywhere_is_an_error),
        cmocka_unit_test(each_field_of_the_header_may_lie),
        cmocka_unit_test(tables_of_sections_may_lie),
        cmocka_unit_test(large_tables_of_symbols_take_little_memory),
        cmocka_unit_test(a_huge_file_of_holes_costs_neither_time_nor_memory),
        cmocka_unit_test(a_header_that_counts_sections_elsewhere_is_refused),
        cmocka_unit_test(other_files_are_no_programs),
        cmocka_unit_test(functions_are_listed),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}

/* SPDX-License-Identifier: Apache-2.0 */

/*
 * libelf makes room for as many sections and segments as the header says that there are. Numbers
 * that do not fit into the header are those of object files, which nobody executes.
 */
#include "profile/object_file.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "reader/object_reader.h"

#define ADDRESS_LIMIT UINT64_C(0x80000000)
#define BASE_UNIT     (UINT64_C(1) << UNWIND_PAGE_BITS)

void object_file_done(struct object_file *file)
{
    if (file->elf)
        (void)elf_end(file->elf);
    file->elf = NULL;
}

static bool has_modest_header(int fd, Elf64_Ehdr *header)
{
    const ssize_t n = TEMP_FAILURE_RETRY(pread(fd, header, sizeof(*header), 0));

    return n == (ssize_t)sizeof(*header) && memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
           header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_ident[EI_DATA] == ELFDATA2LSB &&
           (header->e_machine == EM_X86_64 || header->e_machine == EM_AARCH64) &&
           (header->e_type == ET_EXEC || header->e_type == ET_DYN) && header->e_phnum != PN_XNUM &&
           (header->e_shnum > 0 || header->e_shoff == 0);
}

int object_file_open(int fd, struct object_file *ret_file)
{
    struct stat status;
    Elf64_Ehdr header;

    *ret_file = (struct object_file){.fd = fd};
    if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode) || !has_modest_header(fd, &header))
        return OBJECT_NO_PROGRAM;
    ret_file->machine = header.e_machine;
    if (elf_version(EV_CURRENT) == EV_NONE)
        return OBJECT_NO_PROGRAM;
    ret_file->elf = elf_begin(fd, ELF_C_READ, NULL);
    return ret_file->elf && elf_kind(ret_file->elf) == ELF_K_ELF ? OBJECT_READ : OBJECT_NO_PROGRAM;
}

static int add_segment(struct object_file *file, const GElf_Phdr *header)
{
    if (header->p_type != PT_LOAD || !(header->p_flags & PF_X) || header->p_filesz == 0)
        return OBJECT_READ;
    if (file->n_segments == OBJECT_SEGMENTS_MOST)
        return OBJECT_TOO_LARGE;
    if (header->p_offset > INT64_MAX || header->p_filesz > INT64_MAX - header->p_offset)
        return OBJECT_NO_PROGRAM;
    file->segments[file->n_segments++] =
        (struct object_segment){header->p_offset, header->p_vaddr, header->p_filesz};
    return OBJECT_READ;
}

static int set_base(struct object_file *file)
{
    file->base = UINT64_MAX;
    for (size_t i = 0; i < file->n_segments; i++)
        if (file->segments[i].address < file->base)
            file->base = file->segments[i].address;
    file->base -= file->base % BASE_UNIT;
    for (size_t i = 0; i < file->n_segments; i++) {
        const uint64_t from_base = file->segments[i].address - file->base;

        if (from_base > ADDRESS_LIMIT || file->segments[i].size > ADDRESS_LIMIT - from_base)
            return OBJECT_TOO_LARGE;
    }
    return file->n_segments > 0 ? OBJECT_READ : OBJECT_NO_PROGRAM;
}

int object_file_read_segments(struct object_file *file)
{
    size_t n = 0;
    int r = OBJECT_READ;

    if (elf_getphdrnum(file->elf, &n) < 0)
        return OBJECT_NO_PROGRAM;
    for (size_t i = 0; r == OBJECT_READ && i < n; i++) {
        GElf_Phdr header;

        r = gelf_getphdr(file->elf, (int)i, &header) ? add_segment(file, &header)
                                                     : OBJECT_NO_PROGRAM;
    }
    return r == OBJECT_READ ? set_base(file) : r;
}

bool object_file_locate(const struct object_file *file, uint64_t address, uint64_t size,
                        struct code_range *ret_range)
{
    for (size_t i = 0; size > 0 && i < file->n_segments; i++) {
        const struct object_segment *segment = &file->segments[i];
        uint64_t left;

        if (address < segment->address || address - segment->address >= segment->size)
            continue;
        left = segment->size - (address - segment->address);
        ret_range->start = (uint32_t)(address - file->base);
        ret_range->end = ret_range->start + (uint32_t)(size < left ? size : left);
        ret_range->is_signal = false;
        return true;
    }
    return false;
}

Elf_Scn *object_file_find_section(const struct object_file *file, const char *name,
                                  GElf_Shdr *ret_header)
{
    Elf_Scn *section = NULL;
    size_t names;

    if (elf_getshdrstrndx(file->elf, &names) < 0)
        return NULL;
    while ((section = elf_nextscn(file->elf, section))) {
        const char *found = gelf_getshdr(section, ret_header)
                                ? elf_strptr(file->elf, names, ret_header->sh_name)
                                : NULL;

        if (found && strcmp(found, name) == 0)
            return section;
    }
    return NULL;
}

Elf_Scn *object_file_find_table(const struct object_file *file, uint32_t type,
                                GElf_Shdr *ret_header)
{
    Elf_Scn *section = NULL;

    while ((section = elf_nextscn(file->elf, section)))
        if (gelf_getshdr(section, ret_header) && ret_header->sh_type == type)
            return section;
    return NULL;
}

size_t object_file_find_plt(const struct object_file *file, struct code_range ret_ranges[])
{
    static const char *const names[OBJECT_PLT_MOST] = {".plt", ".plt.got", ".plt.sec"};
    GElf_Shdr header;
    size_t n = 0;

    for (size_t i = 0; i < OBJECT_PLT_MOST; i++)
        if (object_file_find_section(file, names[i], &header) &&
            object_file_locate(file, header.sh_addr, header.sh_size, &ret_ranges[n]))
            n++;
    return n;
}

size_t object_file_build_id(const struct object_file *file, uint8_t *ret_id)
{
    const void *id;
    const ssize_t n = dwelf_elf_gnu_build_id(file->elf, &id);

    if (n <= 0 || n > OBJECT_BUILD_ID_MOST)
        return 0;
    memcpy(ret_id, id, (size_t)n);
    return (size_t)n;
}

bool object_file_is_same_build(const struct object_file *a, const struct object_file *b)
{
    uint8_t of_a[OBJECT_BUILD_ID_MOST], of_b[OBJECT_BUILD_ID_MOST];
    const size_t n = object_file_build_id(a, of_a);

    return n > 0 && object_file_build_id(b, of_b) == n && memcmp(of_a, of_b, n) == 0;
}

/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A .debug_frame is given to libdw in a file of its own, made in memory: dwarf_begin_elf() would
 * read, and inflate, all debug sections of the file, which are hundreds of megabytes of some
 * programs.
 */
#include "profile/frame_section.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

void frame_section_done(struct frame_section *section)
{
    if (section->dwarf)
        (void)dwarf_end(section->dwarf);
    else if (section->cfi)
        (void)dwarf_cfi_end(section->cfi);
    if (section->copy)
        (void)elf_end(section->copy);
    free(section->bytes);
    *section = (struct frame_section){0};
}

int frame_section_open_eh(const struct object_file *file, struct frame_section *ret_section)
{
    GElf_Shdr header;
    Elf_Scn *section = object_file_find_section(file, ".eh_frame", &header);

    *ret_section = (struct frame_section){.file = file, .is_eh = true};
    if (!section || header.sh_type == SHT_NOBITS || (header.sh_flags & SHF_COMPRESSED))
        return 0;
    ret_section->address = header.sh_addr;
    ret_section->data = elf_getdata(section, NULL);
    if (ret_section->data && ret_section->data->d_buf)
        ret_section->cfi = dwarf_getcfi_elf(file->elf);
    return 0;
}

/* The file in memory: a header, the sections, their names, what the one section holds. */
struct copy_head {
    Elf64_Ehdr header;
    Elf64_Shdr sections[3];
    char names[32];
};

static const char section_names[] = "\0.debug_frame\0.shstrtab";

static void fill_head(struct copy_head *head, uint16_t machine, size_t n)
{
    *head = (struct copy_head){
        .header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
                               EV_CURRENT},
                   .e_type = ET_DYN,
                   .e_machine = machine,
                   .e_version = EV_CURRENT,
                   .e_ehsize = sizeof(head->header),
                   .e_shoff = offsetof(struct copy_head, sections),
                   .e_shentsize = sizeof(Elf64_Shdr),
                   .e_shnum = ARRAY_SIZE(head->sections),
                   .e_shstrndx = 2},
        .sections = {{0},
                     {.sh_name = 1,
                      .sh_type = SHT_PROGBITS,
                      .sh_offset = sizeof(*head),
                      .sh_size = n,
                      .sh_addralign = 1},
                     {.sh_name = sizeof("\0.debug_frame"),
                      .sh_type = SHT_STRTAB,
                      .sh_offset = offsetof(struct copy_head, names),
                      .sh_size = sizeof(section_names),
                      .sh_addralign = 1}},
    };
    memcpy(head->names, section_names, sizeof(section_names));
}

/* The bytes of the section, inflated if they are compressed. NULL: there are none. */
static Elf_Data *read_debug_frame(const struct object_file *file)
{
    GElf_Shdr header;
    Elf_Scn *section = object_file_find_section(file, ".debug_frame", &header);
    Elf_Data *data;

    if (!section || header.sh_type == SHT_NOBITS)
        return NULL;
    if ((header.sh_flags & SHF_COMPRESSED) && elf_compress(section, 0, 0) < 0)
        return NULL;
    data = elf_getdata(section, NULL);
    return data && data->d_buf ? data : NULL;
}

static int make_copy(struct frame_section *section)
{
    struct copy_head head;

    fill_head(&head, section->file->machine, section->data->d_size);
    section->bytes = malloc(sizeof(head) + section->data->d_size);
    if (!section->bytes)
        return -ENOMEM;
    memcpy(section->bytes, &head, sizeof(head));
    memcpy(section->bytes + sizeof(head), section->data->d_buf, section->data->d_size);
    section->copy = elf_memory(section->bytes, sizeof(head) + section->data->d_size);
    section->dwarf = dwarf_begin_elf(section->copy, DWARF_C_READ, NULL);
    section->cfi = section->dwarf ? dwarf_getcfi(section->dwarf) : NULL;
    return 0;
}

int frame_section_open_debug(const struct object_file *file, struct frame_section *ret_section)
{
    *ret_section = (struct frame_section){.file = file};
    ret_section->data = read_debug_frame(file);
    return ret_section->data ? make_copy(ret_section) : 0;
}

/* SPDX-License-Identifier: Apache-2.0 */

/*
 * libelf takes the file apart, after its header was found to be modest: libelf makes room for as
 * many sections as the header says there are. Symbols and their strings are not read by libelf,
 * which would hold them all in memory (elf_functions.c). The names of sections are looked up here,
 * in a table whose last byte was found to be NUL: elf_strptr() looks for the end of the table anew
 * for each name.
 */
#include "sys/elf_image_parts.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define LARGEST_SECTION ((uint64_t)16 << 20) /* bytes of a section that is read as a whole */

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define OUR_BYTE_ORDER ELFDATA2LSB
#else
#define OUR_BYTE_ORDER ELFDATA2MSB
#endif

struct elf_image *elf_image_close(struct elf_image *image)
{
    if (!image)
        return NULL;
    if (image->elf)
        (void)elf_end(image->elf);
    free(image);
    return NULL;
}

/*
 * Whether libelf may look at the file. Numbers of sections or segments that do not fit into the
 * header (extended numbering) are those of object files, which nobody executes.
 */
static bool has_modest_header(int fd)
{
    union {
        unsigned char ident[EI_NIDENT];
        Elf32_Ehdr narrow;
        Elf64_Ehdr wide;
    } header = {0};
    const ssize_t n = TEMP_FAILURE_RETRY(pread(fd, &header, sizeof(header), 0));

    if (n < (ssize_t)sizeof(header.narrow) || memcmp(header.ident, ELFMAG, SELFMAG) != 0 ||
        header.ident[EI_DATA] != OUR_BYTE_ORDER)
        return false;
    if (header.ident[EI_CLASS] == ELFCLASS32)
        return (header.narrow.e_shnum > 0 || header.narrow.e_shoff == 0) &&
               header.narrow.e_phnum != PN_XNUM;
    return header.ident[EI_CLASS] == ELFCLASS64 && n == (ssize_t)sizeof(header.wide) &&
           (header.wide.e_shnum > 0 || header.wide.e_shoff == 0) && header.wide.e_phnum != PN_XNUM;
}

static int begin(struct elf_image *image)
{
    GElf_Ehdr header;

    if (elf_version(EV_CURRENT) == EV_NONE || !has_modest_header(image->fd))
        return ELF_NO_PROGRAM;
    image->elf = elf_begin(image->fd, ELF_C_READ, NULL);
    if (!image->elf || elf_kind(image->elf) != ELF_K_ELF || !gelf_getehdr(image->elf, &header) ||
        (header.e_type != ET_EXEC && header.e_type != ET_DYN) ||
        elf_getphdrnum(image->elf, &image->n_segments) < 0)
        return ELF_NO_PROGRAM;
    return ELF_FOUND;
}

int elf_image_open(int fd, struct elf_image **ret_image)
{
    AUTO(elf_image) struct elf_image *image = calloc(1, sizeof(*image));
    int r;

    if (!image)
        return -ENOMEM;
    image->fd = fd;
    r = begin(image);
    if (r == ELF_FOUND)
        *ret_image = TAKE(image);
    return r;
}

/*
 * A segment is mapped whole from the file, so that the place of an address in the file follows from
 * the segment that has it, for programs at fixed addresses as for those that are moved.
 */
bool elf_image_locate(const struct elf_image *image, uint64_t address, uint32_t flags,
                      uint64_t *ret_position)
{
    for (size_t i = 0; i < image->n_segments; i++) {
        GElf_Phdr segment;

        if (!gelf_getphdr(image->elf, (int)i, &segment) || segment.p_type != PT_LOAD ||
            (segment.p_flags & flags) != flags || address < segment.p_vaddr ||
            address - segment.p_vaddr >= segment.p_filesz)
            continue;
        *ret_position = address - segment.p_vaddr + segment.p_offset;
        return true;
    }
    return false;
}

static int read_section(Elf_Scn *section, const GElf_Shdr *header, Elf_Data **ret_data)
{
    if (header->sh_size > LARGEST_SECTION)
        return ELF_TOO_LARGE;
    if (header->sh_type == SHT_NOBITS || (header->sh_flags & SHF_COMPRESSED))
        return ELF_NO_PROGRAM;
    *ret_data = elf_getdata(section, NULL);
    return *ret_data && (*ret_data)->d_buf ? ELF_FOUND : ELF_NO_PROGRAM;
}

int elf_image_read_strings(const struct elf_image *image, size_t index, struct elf_strings *ret)
{
    Elf_Scn *section = elf_getscn(image->elf, index);
    Elf_Data *data = NULL;
    GElf_Shdr header;
    int r;

    if (!section || !gelf_getshdr(section, &header) || header.sh_type != SHT_STRTAB)
        return ELF_NO_PROGRAM;
    r = read_section(section, &header, &data);
    if (r != ELF_FOUND)
        return r;
    if (data->d_size == 0 || ((const char *)data->d_buf)[data->d_size - 1] != '\0')
        return ELF_NO_PROGRAM;
    *ret = (struct elf_strings){data->d_buf, data->d_size};
    return ELF_FOUND;
}

Elf_Scn *elf_image_find_section(const struct elf_image *image, uint32_t type, const char *name,
                                GElf_Shdr *ret_header)
{
    struct elf_strings names = {0};
    Elf_Scn *section = NULL;
    size_t index;

    if (name && (elf_getshdrstrndx(image->elf, &index) < 0 ||
                 elf_image_read_strings(image, index, &names) != ELF_FOUND))
        return NULL;
    while ((section = elf_nextscn(image->elf, section)))
        if (gelf_getshdr(section, ret_header) && (!type || ret_header->sh_type == type) &&
            (!name || strcmp(elf_string(&names, ret_header->sh_name), name) == 0))
            return section;
    return NULL;
}

int elf_image_read_table(const struct elf_image *image, uint32_t type, const char *name,
                         Elf_Data **ret_data, GElf_Shdr *ret_header)
{
    Elf_Scn *section = elf_image_find_section(image, type, name, ret_header);

    return section ? read_section(section, ret_header, ret_data) : ELF_MISSING;
}

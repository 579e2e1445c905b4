/* SPDX-License-Identifier: Apache-2.0 */

/*
 * libdw divides a section into entries, but of each function's it leaves the addresses encoded
 * (LSB Core, 10.5; DWARF 5, 6.4.1): what encoding they have stands in the entry that it shares
 * with others (CIE).
 */
#include "profile/frame_list.h"

#include <dwarf.h>
#include <errno.h>
#include <string.h>

/* The encodings of pointers, of which dwarf.h has the names. */
#define FORM_BITS        0x0f
#define APPLICATION_BITS 0x70
#define INDIRECT_BIT     0x80

/* Bytes that are read one after the other. */
struct cursor {
    const uint8_t *next, *end;
};

/* How the values of an encoding stand in the section. 0: not in a fixed number of bytes. */
static size_t form_size(uint8_t encoding)
{
    switch (encoding & FORM_BITS) {
    case DW_EH_PE_absptr:
    case DW_EH_PE_udata8:
    case DW_EH_PE_sdata8:
        return 8;
    case DW_EH_PE_udata4:
    case DW_EH_PE_sdata4:
        return 4;
    case DW_EH_PE_udata2:
    case DW_EH_PE_sdata2:
        return 2;
    default:
        return 0;
    }
}

static bool read_value(struct cursor *cursor, uint8_t encoding, uint64_t *ret_value)
{
    const size_t size = form_size(encoding);
    const bool is_signed = encoding & DW_EH_PE_signed;
    uint64_t value = 0;

    if (size == 0 || (size_t)(cursor->end - cursor->next) < size)
        return false;
    for (size_t i = 0; i < size; i++)
        value |= (uint64_t)cursor->next[i] << (8 * i);
    if (is_signed && size < 8 && (value >> (8 * size - 1)))
        value |= ~UINT64_C(0) << (8 * size);
    cursor->next += size;
    *ret_value = value;
    return true;
}

/* How many bytes of augmentation data a letter has, but R and what has none. 0: it is not known. */
static size_t letter_size(char letter, uint8_t first)
{
    if (letter == 'L')
        return 1;
    return letter == 'P' && form_size(first) > 0 ? 1 + form_size(first) : 0;
}

/* Finds how addresses of the functions of this entry are encoded. False: not in a way we know. */
static bool find_encoding(const Dwarf_CIE *cie, uint8_t *ret_encoding)
{
    const uint8_t *next = cie->augmentation_data;
    size_t left = cie->augmentation_data_size, size;

    *ret_encoding = DW_EH_PE_absptr;
    if (cie->augmentation[0] != 'z' || !next)
        return cie->augmentation[0] == '\0';
    for (const char *letter = cie->augmentation + 1; *letter; letter++) {
        if (*letter == 'S' || *letter == 'B' || *letter == 'G')
            continue;
        if (left > 0 && *letter == 'R') {
            *ret_encoding = *next;
            return true;
        }
        size = left > 0 ? letter_size(*letter, *next) : 0;
        if (size == 0 || size > left)
            return false;
        next += size;
        left -= size;
    }
    return true;
}

/* The last entry that functions shared: most have the one of those before. */
struct shared_entry {
    Dwarf_Off offset;
    bool is_known;
    bool is_good;
    uint8_t encoding;
};

static bool look_up(const struct frame_section *section, Dwarf_Off offset,
                    struct shared_entry *shared)
{
    Dwarf_CFI_Entry entry;
    Dwarf_Off next;

    if (shared->is_known && shared->offset == offset)
        return shared->is_good;
    *shared = (struct shared_entry){.offset = offset, .is_known = true};
    shared->is_good = dwarf_next_cfi((const unsigned char *)elf_getident(section->file->elf, NULL),
                                     section->data, section->is_eh, offset, &next, &entry) == 0 &&
                      dwarf_cfi_cie_p(&entry) && find_encoding(&entry.cie, &shared->encoding);
    return shared->is_good;
}

/* The range of a function. False: it is damaged, or of code that is not there. */
static bool find_range(const struct frame_section *section, const Dwarf_FDE *fde, uint8_t encoding,
                       struct code_range *ret_range)
{
    const uint8_t application = encoding & APPLICATION_BITS;
    const uint8_t *bytes = section->data->d_buf;
    struct cursor cursor = {fde->start, fde->end};
    uint64_t address, size;

    if ((encoding & INDIRECT_BIT) || (application != 0 && application != DW_EH_PE_pcrel))
        return false;
    if (!read_value(&cursor, encoding, &address) ||
        !read_value(&cursor, encoding & FORM_BITS & ~DW_EH_PE_signed, &size))
        return false;
    if (application == DW_EH_PE_pcrel)
        address += section->address + (uint64_t)(fde->start - bytes);
    return object_file_locate(section->file, address, size, ret_range);
}

int frame_list_read(const struct frame_section *section, struct code_ranges *ranges)
{
    const unsigned char *ident = (const unsigned char *)elf_getident(section->file->elf, NULL);
    struct shared_entry shared = {0};
    Dwarf_Off offset = 0, next = 0;
    Dwarf_CFI_Entry entry;
    int r;

    while ((r = dwarf_next_cfi(ident, section->data, section->is_eh, offset, &next, &entry)) <= 0) {
        struct code_range range;

        if (next <= offset || next == (Dwarf_Off)-1)
            break;
        offset = next;
        if (r < 0 || dwarf_cfi_cie_p(&entry) || !look_up(section, entry.fde.CIE_pointer, &shared) ||
            !find_range(section, &entry.fde, shared.encoding, &range))
            continue;
        if (code_ranges_add(ranges, &range) < 0)
            return -ENOMEM;
    }
    return 0;
}

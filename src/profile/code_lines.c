/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Only the tables of lines are read, and which unit has the function. Neither needs another file
 * than the one at hand, which a worker could not open.
 */
#include "profile/code_lines.h"

#include "reader/object_reader.h"

void code_lines_done(struct code_lines *lines)
{
    if (lines->dwarf)
        (void)dwarf_end(lines->dwarf);
    lines->dwarf = NULL;
    object_file_done(&lines->debug);
}

/* Finds the unit by the index of addresses or, without one, by what each unit says. */
static bool find_unit(struct code_lines *lines, uint64_t address)
{
    Dwarf_Off at = 0, next = 0;
    size_t head;

    if (dwarf_addrdie(lines->dwarf, address, &lines->unit))
        return true;
    while (dwarf_nextcu(lines->dwarf, at, &next, &head, NULL, NULL, NULL) == 0) {
        if (dwarf_offdie(lines->dwarf, at + head, &lines->unit) &&
            dwarf_haspc(&lines->unit, address) > 0)
            return true;
        at = next;
    }
    return false;
}

static bool use(struct code_lines *lines, Elf *elf, uint64_t address)
{
    lines->dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
    if (lines->dwarf && find_unit(lines, address))
        return true;
    if (lines->dwarf)
        (void)dwarf_end(lines->dwarf);
    lines->dwarf = NULL;
    return false;
}

void code_lines_open(const struct object_file *file, int debug_fd, uint64_t address,
                     struct code_lines *ret_lines)
{
    *ret_lines = (struct code_lines){0};
    if (debug_fd >= 0 && object_file_open(debug_fd, &ret_lines->debug) == OBJECT_READ &&
        object_file_is_same_build(&ret_lines->debug, file) &&
        use(ret_lines, ret_lines->debug.elf, address))
        return;
    (void)use(ret_lines, file->elf, address);
}

uint32_t code_lines_find(struct code_lines *lines, uint64_t address, const char **ret_file)
{
    Dwarf_Line *line = lines->dwarf ? dwarf_getsrc_die(&lines->unit, address) : NULL;
    const char *file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
    int number = 0;

    if (!file || dwarf_lineno(line, &number) < 0 || number <= 0)
        return 0;
    *ret_file = file;
    return (uint32_t)number;
}

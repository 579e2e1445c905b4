/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Markers (USDT probes): each is a note of the section .note.stapsdt, whose descriptor has three
 * addresses (of the marker, of the section .stapsdt.base, of the semaphore) and three strings
 * (provider, name, arguments). The notes are not changed when the program is moved after it was
 * linked (prelink): so what .stapsdt.base has moved since is added to the addresses.
 */
#include <stdio.h>
#include <string.h>

#include "sys/elf_image_parts.h"

#define NOTE_SECTION ".note.stapsdt"
#define BASE_SECTION ".stapsdt.base"
#define NOTE_OWNER   "stapsdt"
#define NOTE_TYPE    3
#define N_ADDRESSES  3

struct note {
    uint64_t address, base, semaphore;
    const char *provider, *name; /* in the section */
};

struct notes {
    Elf_Data *data;
    size_t offset;        /* of the next note */
    size_t address_bytes; /* 4 or 8 */
};

/* Takes a string that ends with NUL before `end`. NULL: there is none. */
static const char *take_string(const char **at, const char *end)
{
    const char *begin = *at, *nul = begin < end ? memchr(begin, '\0', (size_t)(end - begin)) : NULL;

    if (nul)
        *at = nul + 1;
    return nul ? begin : NULL;
}

static uint64_t take_address(const char **at, size_t bytes)
{
    uint32_t narrow;
    uint64_t wide;

    if (bytes == sizeof(narrow)) {
        memcpy(&narrow, *at, sizeof(narrow));
        wide = narrow;
    } else {
        memcpy(&wide, *at, sizeof(wide));
    }
    *at += bytes;
    return wide;
}

static bool parse_note(const char *descriptor, size_t size, size_t address_bytes,
                       struct note *ret_note)
{
    const char *end = descriptor + size;

    if (size < N_ADDRESSES * address_bytes)
        return false;
    ret_note->address = take_address(&descriptor, address_bytes);
    ret_note->base = take_address(&descriptor, address_bytes);
    ret_note->semaphore = take_address(&descriptor, address_bytes);
    ret_note->provider = take_string(&descriptor, end);
    ret_note->name = ret_note->provider ? take_string(&descriptor, end) : NULL;
    return ret_note->name != NULL;
}

static int begin(const struct elf_image *image, struct notes *ret_notes)
{
    struct notes notes = {.address_bytes = gelf_getclass(image->elf) == ELFCLASS32 ? 4 : 8};
    GElf_Shdr header;
    int r = elf_image_read_table(image, SHT_NOTE, NOTE_SECTION, &notes.data, &header);

    if (r == ELF_FOUND)
        *ret_notes = notes;
    return r;
}

/* Takes the next note that is a marker. False: there is none any more. */
static bool next(struct notes *notes, struct note *ret_note)
{
    const char *bytes = notes->data->d_buf;
    size_t after, name, descriptor;
    GElf_Nhdr header;

    while ((after = gelf_getnote(notes->data, notes->offset, &header, &name, &descriptor)) > 0) {
        notes->offset = after;
        if (header.n_type == NOTE_TYPE && header.n_namesz == sizeof(NOTE_OWNER) &&
            memcmp(bytes + name, NOTE_OWNER, sizeof(NOTE_OWNER)) == 0 &&
            parse_note(bytes + descriptor, header.n_descsz, notes->address_bytes, ret_note))
            return true;
    }
    return false;
}

/* What the addresses of a note have moved since it was written. */
static uint64_t moved(const struct elf_image *image, const struct note *note)
{
    GElf_Shdr base;

    return elf_image_find_section(image, 0, BASE_SECTION, &base) ? base.sh_addr - note->base : 0;
}

static int locate(const struct elf_image *image, const struct note *note,
                  struct elf_marker *ret_marker)
{
    const uint64_t delta = moved(image, note);
    struct elf_marker marker = {0};

    if (!elf_image_locate(image, note->address + delta, PF_X, &marker.position))
        return ELF_NOT_EXECUTABLE;
    if (note->semaphore &&
        !elf_image_locate(image, note->semaphore + delta, PF_W, &marker.semaphore))
        return ELF_NO_PROGRAM;
    *ret_marker = marker;
    return ELF_FOUND;
}

int elf_image_find_marker(const struct elf_image *image, const char *provider, const char *name,
                          unsigned number, struct elf_marker *ret_marker, unsigned *ret_n)
{
    struct note note, wanted = {0};
    struct notes notes;
    unsigned n = 0;
    int r = begin(image, &notes);

    *ret_n = 0;
    if (r != ELF_FOUND)
        return r;
    while (next(&notes, &note)) {
        if (strcmp(note.provider, provider) != 0 || strcmp(note.name, name) != 0)
            continue;
        if (++n == (number ? number : 1))
            wanted = note;
    }
    *ret_n = n;
    if (n == 0 || n < number)
        return ELF_MISSING;
    if (n > 1 && number == 0)
        return ELF_AMBIGUOUS;
    return locate(image, &wanted, ret_marker);
}

void elf_image_list_markers(const struct elf_image *image, const struct elf_visitor *visitor)
{
    struct notes notes;
    struct note note;
    size_t n_shown = 0;

    if (begin(image, &notes) != ELF_FOUND)
        return;
    while (n_shown++ < ELF_MOST_LISTED && next(&notes, &note)) {
        char shown[256];
        const int length = snprintf(shown, sizeof(shown), "%s:%s", note.provider, note.name);

        if (length > 0 && (size_t)length < sizeof(shown))
            visitor->visit(visitor->object, shown);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "event/probe_looks.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "event/nearest.h"
#include "sys/kernel_functions.h"

/* What is wrong with a file, or with a place in it, behind the name of the file. */
static const char *const outcomes[] = {
    [ELF_FOREIGN_LINK] = "is reached by a symbolic link of another user",
    [ELF_PROCESS_LINK] = "is reached through /proc of another process; expected another path",
    [ELF_NO_FILE] = "is no regular file",
    [ELF_NO_PROGRAM] = "is no program or library of this machine, or is damaged",
    [ELF_TOO_LARGE] = "has larger tables than are read: 128 MiB of symbols, 16 MiB of notes",
    [ELF_MISSING] = "does not have it",
    [ELF_AMBIGUOUS] = "has several of this name",
    [ELF_INDIRECT] = "has it as an indirect function (IFUNC): its variants have other names",
    [ELF_BEYOND] = "has it, but it ends before this offset",
    [ELF_NOT_EXECUTABLE] = "has it where nothing is executed",
};

static void append_place(struct text *text, const struct probe_place *place)
{
    if (place->provider)
        text_append_format(text, "%s:", place->provider);
    text_append_string(text, place->symbol);
}

static void append_nearest(struct text *text, const struct nearest *nearest)
{
    if (nearest->best[0])
        text_append_format(text, "; did you mean %s?", nearest->best);
}

static int take_text(struct text *text, char **ret_text)
{
    *ret_text = text_take(text);
    return *ret_text ? 0 : -ENOMEM;
}

static void offer(void *object, const char *name)
{
    nearest_offer(object, name);
}

/* Appends which of the names in the file is nearest to the one that is not there. */
static void append_nearest_of_file(struct text *text, const struct elf_image *image,
                                   enum probe_kind kind, const struct probe_place *place)
{
    struct nearest nearest;
    const struct elf_visitor visitor = {offer, &nearest};
    AUTO_TEXT struct text name = {0};
    AUTO_FREE char *word = NULL;

    append_place(&name, place);
    word = text_take(&name);
    if (!word || !nearest_init(&nearest, word))
        return;
    if (kind == PROBE_USDT)
        elf_image_list_markers(image, &visitor);
    else
        elf_image_list_functions(image, &visitor);
    append_nearest(text, &nearest);
}

static int find(const struct elf_image *image, enum probe_kind kind,
                const struct probe_place *place, struct probe_found *ret_found, unsigned *ret_n)
{
    struct elf_marker marker;
    int r;

    *ret_n = 0;
    ret_found->identity = elf_image_identity(image);
    if (kind != PROBE_USDT)
        return elf_image_find_function(image, place->symbol, place->offset, &ret_found->position);
    r = elf_image_find_marker(image, place->provider, place->symbol, place->number, &marker, ret_n);
    if (r == ELF_FOUND) {
        ret_found->position = marker.position;
        ret_found->semaphore = marker.semaphore;
    }
    return r;
}

static int explain_place(const struct elf_image *image, enum probe_kind kind,
                         const struct probe_place *place, int outcome, unsigned n, char **ret_why)
{
    AUTO_TEXT struct text text = {0};

    append_place(&text, place);
    text_append_format(&text, ": %s %s", place->file,
                       outcome < 0 ? strerror(-outcome) : outcomes[outcome]);
    if (n > 0)
        text_append_format(&text, ": there are %u, expected #1 to #%u behind the name", n, n);
    else if (outcome == ELF_MISSING)
        append_nearest_of_file(&text, image, kind, place);
    return take_text(&text, ret_why);
}

static int explain_file(const struct probe_place *place, int outcome,
                        const struct path_doubt *doubt, char **ret_why)
{
    AUTO_TEXT struct text text = {0};

    text_append_format(&text, "%s %s%s", place->file, outcome < 0 ? "cannot be read: " : "",
                       outcome < 0 ? strerror(-outcome) : outcomes[outcome]);
    if (outcome == ELF_FOREIGN_LINK)
        text_append_format(&text, ", %s", doubt->path);
    return take_text(&text, ret_why);
}

int probe_look_into_file(enum probe_kind kind, const struct probe_place *place,
                         struct probe_found *ret_found, char **ret_why)
{
    AUTO(elf_image) struct elf_image *image = NULL;
    struct probe_found found = {.fd = -1};
    struct path_doubt doubt;
    unsigned n;
    int r = elf_image_open(place->file, &image, &doubt);

    *ret_why = NULL;
    if (r == -ENOMEM)
        return r;
    if (r != ELF_FOUND)
        return explain_file(place, r, &doubt, ret_why);
    r = find(image, kind, place, &found, &n);
    if (r != ELF_FOUND)
        return explain_place(image, kind, place, r, n, ret_why);
    found.fd = elf_image_descriptor(image);
    if (found.fd < 0)
        return explain_file(place, found.fd, &doubt, ret_why);
    *ret_found = found;
    return 0;
}

/*
 * The kernel finds the functions of modules without the name of the module, too. What the compiler
 * has split off has a name of its own ("f.constprop.0").
 */
static bool is_meant(const char *function, const char *symbol)
{
    const char *colon = strchr(function, ':');

    return strcmp(function, symbol) == 0 || (colon && strcmp(colon + 1, symbol) == 0);
}

int probe_look_into_kernel(const struct probe_place *place, struct probe_found *ret_found,
                           char **ret_why)
{
    AUTO_TEXT struct text text = {0};
    char name[KERNEL_FUNCTION_SIZE];
    struct nearest nearest = {0};
    FILE *list = kernel_functions_open();
    bool is_readable = false, is_there = false, is_near = nearest_init(&nearest, place->symbol);

    while (list && !is_there && kernel_functions_next(list, name)) {
        is_readable = true;
        is_there = is_meant(name, place->symbol);
        if (is_near)
            nearest_offer(&nearest, name);
    }
    if (list)
        (void)fclose(list);
    *ret_found = (struct probe_found){.position = place->offset, .fd = -1};
    *ret_why = NULL;
    if (is_there || !is_readable)
        return 0;
    text_append_format(&text, "the kernel has no function %s", place->symbol);
    append_nearest(&text, &nearest);
    return take_text(&text, ret_why);
}

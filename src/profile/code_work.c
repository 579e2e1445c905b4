/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The code is gone through twice: first for what it jumps to and calls outside of the function, so
 * that these can be named by their symbols, and then for its text.
 */
#include "profile/code_work.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "profile/clean_name.h"
#include "profile/code_lines.h"
#include "profile/disassembler.h"
#include "profile/object_message.h"
#include "profile/symbol_names.h"
#include "reader/worker_output.h"

/* Addresses outside of the function that it leads to, from the base, in the order of the code. */
struct targets {
    uint32_t *items;
    size_t n, capacity;
};

struct listing {
    const struct worker_job *job;
    struct object_file file;
    uint32_t start, end; /* from the base */
    uint8_t *code;
    struct targets targets;
    struct symbol_question names; /* of the targets */
    struct code_lines lines;
    struct code_row *rows;
    size_t n, capacity;
    const char **files; /* borrowed from the lines */
    size_t n_files, files_capacity;
    struct text texts; /* of all rows, each with a NUL */
};

static void listing_done(struct listing *listing)
{
    free(listing->code);
    free(listing->targets.items);
    symbol_question_done(&listing->names);
    code_lines_done(&listing->lines);
    free(listing->rows);
    free(listing->files);
    text_done(&listing->texts);
    object_file_done(&listing->file);
}
#define AUTO_LISTING __attribute__((cleanup(listing_done)))

/* Where in the file the function is. False: not in one executable part of it. */
static bool find_offset(const struct listing *listing, uint64_t *ret_offset)
{
    const uint64_t address = listing->file.base + listing->start;
    const uint64_t size = listing->end - listing->start;

    for (size_t i = 0; i < listing->file.n_segments; i++) {
        const struct object_segment *segment = &listing->file.segments[i];

        if (address >= segment->address && address - segment->address < segment->size &&
            size <= segment->size - (address - segment->address)) {
            *ret_offset = segment->offset + (address - segment->address);
            return true;
        }
    }
    return false;
}

static int read_code(struct listing *listing)
{
    const size_t size = listing->end - listing->start;
    uint64_t offset;

    if (listing->end <= listing->start || !find_offset(listing, &offset))
        return OBJECT_NO_PROGRAM;
    if (size > CODE_BYTES_MOST)
        return OBJECT_TOO_LARGE;
    listing->code = malloc(size);
    if (!listing->code)
        return -ENOMEM;
    return pread(listing->job->fd, listing->code, size, (off_t)offset) == (ssize_t)size
               ? OBJECT_READ
               : OBJECT_NO_PROGRAM;
}

static struct disassembler *begin(const struct listing *listing)
{
    const struct disassembler_code code = {.machine = listing->file.machine,
                                           .bytes = listing->code,
                                           .n = listing->end - listing->start,
                                           .address = listing->file.base + listing->start};

    return disassembler_new(&code);
}

/* Whether an instruction leads out of the function, and to where, from the base. */
static bool leads_out(const struct listing *listing, const struct instruction *instruction,
                      uint32_t *ret_target)
{
    uint64_t target;

    if (!instruction_target(instruction, &target))
        return false;
    target -= listing->file.base; /* what is below is a large number */
    *ret_target = (uint32_t)target;
    return target < OBJECT_START_GAP && (target < listing->start || target >= listing->end);
}

static int add_target(struct targets *targets, uint32_t target)
{
    uint32_t *items =
        array_reserve(targets->items, sizeof(*items), &targets->capacity, targets->n + 1);

    if (!items)
        return -ENOMEM;
    targets->items = items;
    targets->items[targets->n++] = target;
    return 0;
}

static int find_targets(struct listing *listing)
{
    AUTO(disassembler) struct disassembler *disassembler = begin(listing);
    struct instruction instruction;
    uint32_t target;
    int r = disassembler ? 0 : -ENOMEM;

    while (r == 0 && disassembler_next(disassembler, &instruction))
        if (leads_out(listing, &instruction, &target))
            r = add_target(&listing->targets, target);
    return r;
}

static int name_targets(struct listing *listing)
{
    int r = symbol_question_init(&listing->names, &listing->file, listing->targets.items,
                                 listing->targets.n);

    return r == 0 ? symbol_question_answer(&listing->names, listing->job->debug_fd) : r;
}

/* The place of a source file in the list; CODE_NO_FILE: no memory. */
static uint32_t file_of(struct listing *listing, const char *path)
{
    const char **files;

    for (size_t i = listing->n_files; i-- > 0;)
        if (strcmp(listing->files[i], path) == 0)
            return (uint32_t)i;
    files = array_reserve(listing->files, sizeof(*files), &listing->files_capacity,
                          listing->n_files + 1);
    if (!files)
        return CODE_NO_FILE;
    listing->files = files;
    listing->files[listing->n_files] = path;
    return (uint32_t)listing->n_files++;
}

static void append_text(struct listing *listing, const struct instruction *instruction,
                        const struct wanted_symbol *target)
{
    AUTO_TEXT struct text text = {0};

    text_append_string(&text, instruction->mnemonic);
    if (*instruction->operands)
        text_append_format(&text, " %s", instruction->operands);
    if (target && (target->is_plt || target->choice.name)) {
        text_append_string(&text, " <");
        (void)wanted_symbol_append_name(target, &text);
        text_append_char(&text, '>');
    }
    listing->texts.failed |= text_error(&text) < 0;
    clean_name_append(&listing->texts, text.data, text.length);
    text_append_char(&listing->texts, '\0');
}

static int add_row(struct listing *listing, const struct instruction *instruction)
{
    struct code_row row = {.address = (uint32_t)(instruction->address - listing->file.base),
                           .file = CODE_NO_FILE};
    struct code_row *rows =
        array_reserve(listing->rows, sizeof(row), &listing->capacity, listing->n + 1);
    const char *path;

    if (!rows)
        return -ENOMEM;
    listing->rows = rows;
    row.line = code_lines_find(&listing->lines, instruction->address, &path);
    if (row.line > 0)
        row.file = file_of(listing, path);
    listing->rows[listing->n++] = row;
    return 0;
}

static int make_rows(struct listing *listing)
{
    AUTO(disassembler) struct disassembler *disassembler = begin(listing);
    struct instruction instruction;
    size_t n_targets = 0;
    uint32_t target;
    int r = disassembler ? 0 : -ENOMEM;

    while (r == 0 && disassembler_next(disassembler, &instruction)) {
        const bool is_out =
            leads_out(listing, &instruction, &target) && n_targets < listing->names.n;

        append_text(listing, &instruction, is_out ? &listing->names.wanted[n_targets++] : NULL);
        r = add_row(listing, &instruction);
    }
    return r;
}

static int write_names(const struct listing *listing)
{
    AUTO_TEXT struct text names = {0};
    const size_t n = listing->n + listing->n_files;
    AUTO_FREE uint16_t *lengths = calloc(n + 1, sizeof(*lengths));
    int r;

    if (!lengths)
        return -ENOMEM;
    text_append(&names, listing->texts.data, listing->texts.length);
    for (size_t i = 0; i < listing->n_files; i++) {
        clean_name_append(&names, listing->files[i], strlen(listing->files[i]));
        text_append_char(&names, '\0');
    }
    if (text_error(&listing->texts) < 0 || text_error(&names) < 0)
        return -ENOMEM;
    for (size_t i = 0, at = 0; i < n; at += lengths[i++] + 1)
        lengths[i] = (uint16_t)strlen(names.data + at);
    r = worker_output_write(listing->job->output, lengths, n * sizeof(*lengths));
    return r == OBJECT_READ ? worker_output_write(listing->job->output, names.data, names.length)
                            : r;
}

static int write_listing(const struct listing *listing, bool can_disassemble)
{
    struct code_listing_head head = {.mark = CODE_LISTING_MARK,
                                     .base = listing->file.base,
                                     .can_disassemble = can_disassemble,
                                     .n = listing->n,
                                     .n_files = listing->n_files};
    int r;

    head.n_build_id = object_file_build_id(&listing->file, head.build_id);
    r = worker_output_write(listing->job->output, &head, sizeof(head));
    if (r == OBJECT_READ)
        r = worker_output_write(listing->job->output, listing->rows,
                                listing->n * sizeof(*listing->rows));
    return r == OBJECT_READ ? write_names(listing) : r;
}

static int make_listing(struct listing *listing)
{
    int r = find_targets(listing);

    if (r == 0)
        r = name_targets(listing);
    if (r < 0)
        return r;
    code_lines_open(&listing->file, listing->job->debug_fd, listing->file.base + listing->start,
                    &listing->lines);
    return make_rows(listing);
}

int code_work(const struct worker_job *job)
{
    AUTO_LISTING struct listing listing = {.job = job};
    const bool can_disassemble = disassembler_is_loaded();
    int r = object_file_open(job->fd, &listing.file);

    if (r == OBJECT_READ)
        r = object_file_read_segments(&listing.file);
    if (r == OBJECT_READ && job->n_starts != 2)
        r = OBJECT_FAILED;
    if (r != OBJECT_READ)
        return r;
    listing.start = job->starts[0];
    listing.end = job->starts[1];
    r = read_code(&listing);
    if (r == OBJECT_READ && can_disassemble)
        r = make_listing(&listing);
    return r == OBJECT_READ ? write_listing(&listing, can_disassemble) : r;
}

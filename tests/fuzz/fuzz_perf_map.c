/* SPDX-License-Identifier: Apache-2.0 */

/* Perf maps: whatever the text, the rows hold, and each address has the last line that has it. */
#include <stdint.h>

#include "fuzz/fuzz.h"
#include "profile/map_pieces.h"

/* The number of the last line that has the address; SIZE_MAX: none. */
static size_t last_line(const struct map_lines *lines, uint64_t address)
{
    size_t last = SIZE_MAX;

    for (size_t i = 0; i < lines->n; i++) {
        const struct map_line *line = &lines->lines[i];

        if (line->start <= address && address < line->end &&
            (last == SIZE_MAX || line->number > last))
            last = line->number;
    }
    return last;
}

/* The number of the line of the piece that has the address. */
static size_t piece_line(const struct map_lines *lines, const struct map_pieces *pieces,
                         uint64_t address)
{
    for (size_t i = 0; i < pieces->n; i++)
        if (pieces->pieces[i].start <= address && address < pieces->pieces[i].end)
            return lines->lines[pieces->pieces[i].line].number;
    return SIZE_MAX;
}

static void check_address(const struct map_lines *lines, const struct map_pieces *pieces,
                          uint64_t address)
{
    FUZZ_CHECK(piece_line(lines, pieces, address) == last_line(lines, address));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct map_lines lines = {0};
    struct map_pieces pieces = {0};

    FUZZ_CHECK(map_lines_parse((const char *)data, size, 100, &lines) == 0);
    FUZZ_CHECK(lines.n <= 100 && map_pieces_make(&lines, &pieces) == 0);
    FUZZ_CHECK(pieces.n <= 2 * lines.n);
    for (size_t i = 0; i < pieces.n; i++) {
        FUZZ_CHECK(pieces.pieces[i].start < pieces.pieces[i].end);
        FUZZ_CHECK(i == 0 || pieces.pieces[i - 1].end <= pieces.pieces[i].start);
    }
    for (size_t i = 0; i < lines.n; i++) {
        check_address(&lines, &pieces, lines.lines[i].start);
        check_address(&lines, &pieces, lines.lines[i].start - 1);
        check_address(&lines, &pieces, lines.lines[i].end - 1);
        check_address(&lines, &pieces, lines.lines[i].end);
    }
    map_pieces_done(&pieces);
    map_lines_done(&lines);
    return 0;
}

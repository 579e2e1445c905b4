/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "tool/top/page.h"
#include "tool/top/rows.h"
#include "tool/top/view.h"

/*
 * What answers on the control socket. Whatever a page says, its readings have names, and rows, list
 * and tree can be made of it, also twice.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct top_settings settings = {.show = TOP_SHOW_ALL, .tree = true, .filter = ""};
    json_t *const value = json_loadb((const char *)data, size, JSON_DECODE_INT_AS_REAL, NULL);
    const char *expected = NULL;
    struct top_rows rows = {0};
    struct top_view view;
    struct top_page page;

    int r;

    if (!value)
        return 0;
    r = top_page_read(value, &page, &expected);
    json_decref(value);
    if (r < 0) {
        FUZZ_CHECK(expected || r == -ENOMEM);
        return 0;
    }
    for (size_t i = 0; i < page.n; i++)
        FUZZ_CHECK(page.readings[i].name);
    for (size_t i = 0; i < 2; i++) {
        if (top_rows_update(&rows, &page, (double)i) >= 0 &&
            top_view_make(&rows, &settings, &view) == 0) {
            FUZZ_CHECK(view.n <= 2 * page.n);
            top_view_done(&view);
        }
        page.sequence++;
        page.taken++;
    }
    top_rows_done(&rows);
    top_page_done(&page);
    return 0;
}

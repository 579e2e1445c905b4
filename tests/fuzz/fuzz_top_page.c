/* SPDX-License-Identifier: Apache-2.0 */
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
    AUTO_TEXT struct text why = {0};
    struct top_rows rows = {0};
    struct top_view view;
    struct top_page page;

    if (top_page_parse((const char *)data, size, &page, &why) < 0) {
        FUZZ_CHECK(why.length > 0 || why.failed);
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

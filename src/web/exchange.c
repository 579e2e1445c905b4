/* SPDX-License-Identifier: Apache-2.0 */
#include "web/exchange.h"

#include "web/deferred_desk.h"

void exchange_done(struct exchange *exchange)
{
    if (exchange->deferred)
        deferred_leave(TAKE(exchange->deferred));
    free(TAKE(exchange->query));
    free(TAKE(exchange->path));
    text_done(&exchange->upload);
    *exchange = (struct exchange){.rest = ""};
}

void exchange_take_upload(struct exchange *exchange, const char *bytes, size_t n, size_t limit)
{
    if (exchange->upload_is_too_long || n > limit - exchange->upload.length) {
        exchange->upload_is_too_long = true;
        text_done(&exchange->upload);
        return;
    }
    text_append(&exchange->upload, bytes, n);
}

/* SPDX-License-Identifier: Apache-2.0 */

/* The value of an Authorization header; and a name and a password, written as such a value. */

#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "fuzz/fuzz.h"
#include "web/credentials.h"

static void append_base64(struct text *text, const uint8_t *bytes, size_t n)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    for (size_t i = 0; i < n; i += 3) {
        const size_t left = n - i;
        const uint32_t bits = (uint32_t)bytes[i] << 16 |
                              (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                              (left > 2 ? bytes[i + 2] : 0);

        for (size_t j = 0; j < 4; j++)
            text_append_char(text, j <= left ? letters[bits >> (18 - 6 * j) & 63] : '=');
    }
}

/* What a user may be called comes back as it was. */
static void write_and_read_back(const uint8_t *data, size_t size)
{
    const uint8_t *colon = size > 0 ? memchr(data, ':', size) : NULL;
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *header = NULL;
    struct credentials credentials;
    size_t n_name, n_password;
    bool is_good;

    if (!colon)
        return;
    n_name = (size_t)(colon - data);
    n_password = size - n_name - 1;
    is_good =
        !memchr(data, '\0', size) && n_name <= PASSWORD_LONGEST && n_password <= PASSWORD_LONGEST;
    text_append_string(&text, "basic ");
    append_base64(&text, data, size);
    header = text_take(&text);
    FUZZ_CHECK(header && credentials_parse(header, &credentials) == is_good);
    if (!is_good)
        return;
    FUZZ_CHECK(strlen(credentials.name) == n_name && memcmp(credentials.name, data, n_name) == 0);
    FUZZ_CHECK(strlen(credentials.password) == n_password);
    FUZZ_CHECK(memcmp(credentials.password, colon + 1, n_password) == 0);
    credentials_wipe(&credentials);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_FREE char *header = strndup((const char *)data, size);
    struct credentials credentials;

    FUZZ_CHECK(header);
    if (credentials_parse(header, &credentials))
        FUZZ_CHECK(!strchr(credentials.name, ':'));
    write_and_read_back(data, size);
    return 0;
}

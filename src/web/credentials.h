/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What a client says to be: name and password of an Authorization header (RFC 7617). */

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "web/password_thread.h"

struct credentials {
    char name[PASSWORD_LONGEST + 1];
    char password[PASSWORD_LONGEST + 1];
};

/*
 * Parses the value of the header. Returns false where it is no Basic one, or has what no user has:
 * a NUL byte, or a name or password that is too long; then nothing is left in *ret_credentials.
 */
bool credentials_parse(const char *header, struct credentials *ret_credentials);

static inline void credentials_wipe(struct credentials *credentials)
{
    explicit_bzero(credentials, sizeof(*credentials));
}

/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What a protection holds. It does not change once it is made. */

#include "base/reference.h"
#include "web/protection.h"
#include "web/tls_credentials.h"

struct protection_own_pair {
    char *name;
    char *value;
};

struct protection {
    struct reference reference;
    struct tls_credentials tls;
    struct protection_own_pair *users;
    size_t n_users;
    struct protection_own_pair *headers;
    size_t n_headers;
    uint64_t rate_interval_ns;
    uint64_t rate_burst;
};

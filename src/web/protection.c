/* SPDX-License-Identifier: Apache-2.0 */
#include "web/protection.h"

#include <crypt.h>
#include <errno.h>
#include <string.h>

#include "base/reference.h"
#include "web/protection_parts.h"

#define BCRYPT_LENGTH 60

const struct protection_header protection_headers[] = {
    {"Content-Security-Policy", {NULL}},
    {"Strict-Transport-Security", {NULL}},
    {"X-Content-Type-Options", {"nosniff", NULL}},
    {"X-Frame-Options", {"deny", "sameorigin", NULL}},
    {"X-XSS-Protection", {NULL}},
};
const size_t protection_n_headers = ARRAY_SIZE(protection_headers);

bool protection_is_hash(const char *text)
{
    return strncmp(text, "$2", 2) == 0 && strlen(text) == BCRYPT_LENGTH &&
           crypt_checksalt(text) != CRYPT_SALT_INVALID;
}

/* Copies pairs one by one, so that what is there can be freed after a failure. */
static int copy_pairs(const struct protection_pair *from, size_t n,
                      struct protection_own_pair **ret_pairs, size_t *ret_n)
{
    struct protection_own_pair *pairs = calloc(n + 1, sizeof(*pairs));

    if (!pairs)
        return -ENOMEM;
    *ret_pairs = pairs;
    *ret_n = n;
    for (size_t i = 0; i < n; i++) {
        pairs[i].name = strdup(from[i].name);
        pairs[i].value = strdup(from[i].value);
        if (!pairs[i].name || !pairs[i].value)
            return -ENOMEM;
    }
    return 0;
}

static void free_pairs(struct protection_own_pair *pairs, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free(pairs[i].name);
        free(pairs[i].value);
    }
    free(pairs);
}

int protection_new(const struct protection_spec *spec, struct protection **ret_protection,
                   struct protection_fault *ret_fault)
{
    AUTO(protection) struct protection *protection = calloc(1, sizeof(*protection));
    int r;

    if (!protection)
        return -ENOMEM;
    reference_init(&protection->reference);
    protection->rate_interval_ns = spec->rate_interval_ns;
    protection->rate_burst = spec->rate_burst;
    r = tls_credentials_init(&protection->tls, &spec->tls, ret_fault);
    if (r == 0)
        r = copy_pairs(spec->users, spec->n_users, &protection->users, &protection->n_users);
    if (r == 0)
        r = copy_pairs(spec->headers, spec->n_headers, &protection->headers,
                       &protection->n_headers);
    if (r < 0)
        return r;
    *ret_protection = TAKE(protection);
    return 0;
}

struct protection *protection_ref(struct protection *protection)
{
    if (protection)
        reference_take(&protection->reference);
    return protection;
}

struct protection *protection_unref(struct protection *protection)
{
    if (!protection || !reference_drop(&protection->reference))
        return NULL;
    tls_credentials_done(&protection->tls);
    free_pairs(protection->users, protection->n_users);
    free_pairs(protection->headers, protection->n_headers);
    free(protection);
    return NULL;
}

void protection_describe(const struct protection *protection, struct protection_facts *ret_facts)
{
    *ret_facts = (struct protection_facts){.n_users = protection->n_users,
                                           .n_headers = protection->n_headers,
                                           .rate_interval_ns = protection->rate_interval_ns,
                                           .rate_burst = protection->rate_burst};
    tls_credentials_describe(&protection->tls, ret_facts);
}

const char *protection_user(const struct protection *protection, size_t i)
{
    return protection->users[i].name;
}

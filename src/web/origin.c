/* SPDX-License-Identifier: Apache-2.0 */
#include "web/origin.h"

#include <arpa/inet.h>
#include <limits.h>
#include <netinet/in.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/cleanup.h"

/* Room for a DNS name, an IPv6 address in brackets, and a port. */
#define HOST_SIZE 272

static bool equals(struct piece piece, const char *text)
{
    return strlen(text) == piece.length && strncasecmp(piece.at, text, piece.length) == 0;
}

/* Returns HOST, or the address of [ADDRESS], without the port. */
static struct piece without_port(struct piece host)
{
    const char *const bracket = memchr(host.at, ']', host.length);
    const char *const colon = memchr(host.at, ':', host.length);

    if (host.at[0] == '[' && bracket)
        return (struct piece){host.at + 1, (size_t)(bracket - host.at) - 1};
    return (struct piece){host.at, colon ? (size_t)(colon - host.at) : host.length};
}

static bool is_ip_address(const char *name, bool in_brackets)
{
    struct in6_addr binary;

    return inet_pton(in_brackets ? AF_INET6 : AF_INET, name, &binary) == 1;
}

static bool is_own_name(struct piece name)
{
    char own[HOST_NAME_MAX + 1] = "";

    /* A name that is too long is cut by gethostname(), and equals none. */
    return gethostname(own, sizeof(own) - 1) == 0 && own[0] && equals(name, own);
}

/* Tells whether nobody else can make the name mean our address. */
static bool is_unforgeable(struct piece host)
{
    const struct piece name = without_port(host);
    char text[HOST_SIZE];

    if (name.length >= sizeof(text))
        return false;
    memcpy(text, name.at, name.length);
    text[name.length] = '\0';
    return is_ip_address(text, host.at[0] == '[') || equals(name, "localhost") || is_own_name(name);
}

/* An Origin is SCHEME://HOST:PORT, without the port if it is the scheme's own; or "null". */
static bool is_origin_of(struct piece origin, struct piece host)
{
    static const char *const schemes[] = {"http://", "https://"};

    for (size_t i = 0; i < ARRAY_SIZE(schemes); i++) {
        const size_t length = strlen(schemes[i]);

        if (origin.length == length + host.length && strncmp(origin.at, schemes[i], length) == 0 &&
            strncasecmp(origin.at + length, host.at, host.length) == 0)
            return true;
    }
    return false;
}

bool origin_may_act(const struct piece *origin, const struct piece *fetch_site, struct piece host)
{
    if (!origin && !fetch_site)
        return true;
    if (host.length == 0)
        return false;
    if (fetch_site && !equals(*fetch_site, "same-origin") && !equals(*fetch_site, "none"))
        return false;
    if (origin && !is_origin_of(*origin, host))
        return false;
    return is_unforgeable(host);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "target/names_kubernetes.h"

#include <string.h>

#include "base/text_piece.h"

/* Names of objects are DNS subdomains (RFC 1123). */
#define LONGEST_NAME    253
#define NAME_CHARACTERS "abcdefghijklmnopqrstuvwxyz0123456789-."

static bool is_name(struct text_piece piece)
{
    for (size_t i = 0; i < piece.n; i++)
        if (!piece.bytes[i] || !strchr(NAME_CHARACTERS, piece.bytes[i]))
            return false;
    return piece.n > 0 && piece.n <= LONGEST_NAME;
}

/* Takes what stands before the next underscore. False: there is none. */
static bool take_piece(struct text_piece *from, struct text_piece *ret_piece)
{
    const char *end = memchr(from->bytes, '_', from->n);

    if (!end)
        return false;
    *ret_piece = (struct text_piece){from->bytes, (size_t)(end - from->bytes)};
    from->n -= ret_piece->n + 1;
    from->bytes = end + 1;
    return is_name(*ret_piece);
}

/* Takes a text off the end. False: it does not stand there. */
static bool drop_end(struct text_piece *piece, const char *end)
{
    const size_t n = strlen(end);

    if (piece->n < n || memcmp(piece->bytes + piece->n - n, end, n) != 0)
        return false;
    piece->n -= n;
    return true;
}

bool names_parse_container_log(const char *entry, const char *container_id, struct names *names)
{
    struct text_piece rest = {entry, strlen(entry)}, pod, namespace;

    if (!drop_end(&rest, ".log") || !drop_end(&rest, container_id) || !drop_end(&rest, "-") ||
        !take_piece(&rest, &pod) || !take_piece(&rest, &namespace) || !is_name(rest))
        return false;
    names_add(names, NAME_POD, pod.bytes, pod.n);
    names_add(names, NAME_NAMESPACE, namespace.bytes, namespace.n);
    names_add(names, NAME_CONTAINER, rest.bytes, rest.n);
    return true;
}

bool names_parse_pod_directory(const char *entry, const char *pod_uid, struct names *names)
{
    struct text_piece rest = {entry, strlen(entry)}, namespace;

    if (!drop_end(&rest, pod_uid) || !drop_end(&rest, "_") || !take_piece(&rest, &namespace) ||
        !is_name(rest))
        return false;
    names_add(names, NAME_POD, rest.bytes, rest.n);
    names_add(names, NAME_NAMESPACE, namespace.bytes, namespace.n);
    return true;
}

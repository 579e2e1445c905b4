/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The bytes are those of a process that has read a hostile file. An answer that passes may still
 * tell lies about what its own file names; it names nothing that such a file does not.
 */
#include <errno.h>
#include <string.h>

#include "target/clean_text.h"
#include "target/label_value.h"
#include "target/state_message.h"

#define ONE(kind) (UINT32_C(1) << (kind))
#define OF_CONTAINERS                                                                              \
    (ONE(NAME_POD) | ONE(NAME_NAMESPACE) | ONE(NAME_CONTAINER) | ONE(NAME_IMAGE) |                 \
     ONE(NAME_RUNTIME))

/* What the text of each can name. */
static const uint32_t allowed[STATE_KINDS_] = {
    [STATE_OF_CONTAINERD] = OF_CONTAINERS,
    [STATE_OF_BUNDLE] = OF_CONTAINERS,
    [STATE_OF_DOCKER] = ONE(NAME_CONTAINER) | ONE(NAME_IMAGE) | ONE(NAME_RUNTIME),
    [STATE_OF_STORAGE] = ONE(NAME_CONTAINER) | ONE(NAME_IMAGE),
    [STATE_OF_MACHINE] = ONE(NAME_CONTAINER) | ONE(NAME_VM) | ONE(NAME_VM_UUID),
    [STATE_OF_DOMAIN] = ONE(NAME_VM) | ONE(NAME_VM_UUID) | ONE(NAME_VM_DISPLAY_NAME) |
                        ONE(NAME_VM_FLAVOR) | ONE(NAME_VM_PROJECT) | ONE(NAME_VM_USER),
};

static bool answer_holds(const struct state_answer *answer, const char *values, size_t n,
                         enum state_kind kind)
{
    size_t used = 0;

    if (answer->mark != STATE_ANSWER_MARK || answer->is_good > 1)
        return false;
    for (size_t i = 0; i < NAMES_; i++) {
        const size_t length = answer->lengths[i];

        if (length > LABEL_VALUE_MAX || length > n - used ||
            (length > 0 && !(allowed[kind] & ONE(i))) || !text_is_clean(values + used, length))
            return false;
        used += length;
    }
    return used == n && (answer->is_good || n == 0);
}

int state_answer_parse(const void *bytes, size_t n, enum state_kind kind, struct names *names)
{
    struct state_answer answer;
    const char *values = (const char *)bytes + sizeof(answer);

    if (n < sizeof(answer))
        return -EBADMSG;
    memcpy(&answer, bytes, sizeof(answer));
    if (!answer_holds(&answer, values, n - sizeof(answer), kind))
        return -EBADMSG;
    for (size_t i = 0; i < NAMES_; i++) {
        names_add_clean(names, (enum name_kind)i, values, answer.lengths[i]);
        values += answer.lengths[i];
    }
    return answer.is_good ? 0 : 1;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "target/names.h"

#include <string.h>

#include "base/text.h"
#include "target/clean_text.h"
#include "target/label_value.h"

/* Stands before a name that is encoded, as before those of processes. */
#define MARK "%/"

const char *const name_labels[NAMES_] = {
    [NAME_POD] = "pod",
    [NAME_NAMESPACE] = "namespace",
    [NAME_CONTAINER] = "container",
    [NAME_IMAGE] = "image",
    [NAME_RUNTIME] = "runtime",
    [NAME_VM] = "vm",
    [NAME_VM_UUID] = "vm_uuid",
    [NAME_VM_DISPLAY_NAME] = "vm_display_name",
    [NAME_VM_FLAVOR] = "vm_flavor",
    [NAME_VM_PROJECT] = "vm_project",
    [NAME_VM_USER] = "vm_user",
    [NAME_SLURM_JOB] = "slurm_job",
    [NAME_SLURM_STEP] = "slurm_step",
    [NAME_SLURM_USER] = "slurm_user",
    [NAME_NAME] = "name",
    [NAME_GROUP] = "group",
    [NAME_ROLE] = "role",
};

void names_done(struct names *names)
{
    for (size_t i = 0; i < NAMES_; i++)
        free(names->values[i]);
    *names = (struct names){0};
}

/* How many bytes are taken of a name that is too long: as many as end with a character. */
static size_t cut_length(const char *bytes)
{
    size_t n = NAME_MAX_BYTES;

    while (n > NAME_MAX_BYTES - 4 && ((unsigned char)bytes[n] & 0xc0) == 0x80)
        n--;
    return n;
}

static void append_value(struct text *value, const struct text *name)
{
    const bool is_marked =
        name->length >= strlen(MARK) && memcmp(name->data, MARK, strlen(MARK)) == 0;

    label_value_append(value, name->data, name->length,
                       !is_marked && text_is_clean(name->data, name->length), MARK);
}

void names_add(struct names *names, enum name_kind kind, const char *bytes, size_t n)
{
    AUTO_TEXT struct text cut = {0};
    AUTO_TEXT struct text value = {0};

    if (n == 0 || names->values[kind])
        return;
    text_append(&cut, bytes, n > NAME_MAX_BYTES ? cut_length(bytes) : n);
    if (n > NAME_MAX_BYTES)
        text_append_string(&cut, "…");
    if (text_error(&cut) == 0)
        append_value(&value, &cut);
    names->values[kind] = text_error(&cut) == 0 ? text_take(&value) : NULL;
    names->failed |= !names->values[kind];
}

void names_add_clean(struct names *names, enum name_kind kind, const char *value, size_t n)
{
    if (n == 0 || names->values[kind])
        return;
    names->values[kind] = strndup(value, n);
    names->failed |= !names->values[kind];
}

void names_add_string(struct names *names, enum name_kind kind, const char *string)
{
    if (string)
        names_add(names, kind, string, strlen(string));
}

void names_add_all(struct names *names, const struct names *others)
{
    for (size_t i = 0; i < NAMES_; i++)
        if (others->values[i])
            names_add_clean(names, (enum name_kind)i, others->values[i], strlen(others->values[i]));
}

bool names_are_same(const struct names *a, const struct names *b)
{
    for (size_t i = 0; i < NAMES_; i++)
        if (!a->values[i] != !b->values[i] ||
            (a->values[i] && strcmp(a->values[i], b->values[i]) != 0))
            return false;
    return true;
}

size_t names_to_labels(const struct names *names, struct label ret_labels[NAMES_])
{
    size_t n = 0;

    for (size_t i = 0; i < NAMES_; i++)
        if (names->values[i])
            ret_labels[n++] = (struct label){name_labels[i], names->values[i]};
    return n;
}

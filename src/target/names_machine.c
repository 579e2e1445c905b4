/* SPDX-License-Identifier: Apache-2.0 */
#include "target/names_machine.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"
#include "base/text_piece.h"

/* libvirt cuts the name of a machine at 64 bytes, of which its driver and number take some. */
#define SHORTEST_CUT 32

/* The forms of a cgroup's name that hold the name of a machine. */
static const struct form {
    const char *begin, *end;
    bool escaped; /* by systemd (systemd-escape(1)) */
} forms[] = {
    {"machine-", ".scope", true},
    {"systemd-nspawn@", ".service", true},
    {"", ".libvirt-qemu", false},
};

static bool take_inner(struct text_piece *piece, const struct form *form)
{
    const size_t begin = strlen(form->begin), end = strlen(form->end);

    if (piece->n <= begin + end || memcmp(piece->bytes, form->begin, begin) != 0 ||
        memcmp(piece->bytes + piece->n - end, form->end, end) != 0)
        return false;
    piece->bytes += begin;
    piece->n -= begin + end;
    return true;
}

/* Undoes `\xXX`, and `-` for a slash, which no name of a machine has. False: it does not fit. */
static bool unescape(struct text_piece piece, char name[MACHINE_NAME_SIZE])
{
    size_t n = 0;

    for (size_t i = 0; i < piece.n; i++) {
        char byte = piece.bytes[i];

        if (byte == '\\') {
            if (piece.n - i < 4 || piece.bytes[i + 1] != 'x' ||
                digit_value(piece.bytes[i + 2]) < 0 || digit_value(piece.bytes[i + 3]) < 0)
                return false;
            byte = (char)(digit_value(piece.bytes[i + 2]) << 4 | digit_value(piece.bytes[i + 3]));
            i += 3;
        }
        if (byte == '\0' || byte == '/' || n + 1 >= MACHINE_NAME_SIZE)
            return false;
        name[n++] = byte;
    }
    name[n] = '\0';
    return n > 0 && name[0] != '.';
}

static bool copy(struct text_piece piece, char name[MACHINE_NAME_SIZE])
{
    if (piece.n >= MACHINE_NAME_SIZE || piece.bytes[0] == '.')
        return false;
    memcpy(name, piece.bytes, piece.n);
    name[piece.n] = '\0';
    return true;
}

static bool take_name(struct text_piece whole, char name[MACHINE_NAME_SIZE])
{
    for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
        struct text_piece inner = whole;

        if (take_inner(&inner, &forms[i]))
            return forms[i].escaped ? unescape(inner, name) : copy(inner, name);
    }
    return false;
}

bool machine_name_of(const char *path, char ret_name[MACHINE_NAME_SIZE])
{
    const char *end = path + strlen(path);
    char name[MACHINE_NAME_SIZE];

    while (end > path) {
        const char *slash = memrchr(path, '/', (size_t)(end - path));
        const char *begin = slash ? slash + 1 : path;

        if (take_name((struct text_piece){begin, (size_t)(end - begin)}, name)) {
            memcpy(ret_name, name, strlen(name) + 1);
            return true;
        }
        end = slash ? slash : path;
    }
    return false;
}

bool machine_domain(const char *machine, unsigned *ret_id, const char **ret_domain)
{
    char digits[16] = "";
    uint64_t id;
    int n = 0;

    if (sscanf(machine, "qemu-%15[0-9]-%n", digits, &n) != 1 || n == 0 || !machine[n] ||
        parse_u64(digits, &id) < 0 || id > INT32_MAX)
        return false;
    *ret_id = (unsigned)id;
    *ret_domain = machine + n;
    return true;
}

bool machine_may_be_of(const char *domain, const char *file)
{
    const size_t n_domain = strlen(domain);
    const char *end = strrchr(file, '.');

    if (!end || strcmp(end, ".xml") != 0)
        return false;
    for (; file < end; file++) {
        if (*file == *domain)
            domain++;
        else if (isalnum((unsigned char)*file))
            return !*domain && n_domain >= SHORTEST_CUT;
    }
    return !*domain;
}

/* The value of a line KEY=value, in quotes or not. */
static struct text_piece value_of(const char *text, size_t n, const char *key)
{
    const size_t length = strlen(key);

    while (n > 0) {
        const char *end = memchr(text, '\n', n);
        const size_t line = end ? (size_t)(end - text) : n;

        if (line > length && memcmp(text, key, length) == 0 && text[length] == '=') {
            struct text_piece value = {text + length + 1, line - length - 1};

            if (value.n >= 2 && value.bytes[0] == '"' && value.bytes[value.n - 1] == '"')
                value = (struct text_piece){value.bytes + 1, value.n - 2};
            return value;
        }
        text += end ? line + 1 : line;
        n -= end ? line + 1 : line;
    }
    return (struct text_piece){"", 0};
}

/* machined writes a UUID as 32 digits; libvirt and nova write it with dashes. */
static void add_uuid(struct text_piece id, struct names *names)
{
    char uuid[37];

    if (id.n != 32)
        return;
    for (size_t i = 0; i < id.n; i++)
        if (digit_value(id.bytes[i]) < 0)
            return;
    (void)snprintf(uuid, sizeof(uuid), "%.8s-%.4s-%.4s-%.4s-%.12s", id.bytes, id.bytes + 8,
                   id.bytes + 12, id.bytes + 16, id.bytes + 20);
    if (strcmp(uuid, "00000000-0000-0000-0000-000000000000") != 0)
        names_add_string(names, NAME_VM_UUID, uuid);
}

void names_parse_machine(const char *text, size_t n, const char *machine, struct names *names)
{
    const char *domain = machine;
    unsigned id;

    if (!text_piece_is(value_of(text, n, "CLASS"), "vm")) {
        if (text_piece_is(value_of(text, n, "CLASS"), "container"))
            names_add_string(names, NAME_CONTAINER, machine);
        return;
    }
    (void)machine_domain(machine, &id, &domain);
    names_add_string(names, NAME_VM, domain);
    add_uuid(value_of(text, n, "ID"), names);
}

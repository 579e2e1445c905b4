/* SPDX-License-Identifier: Apache-2.0 */

/*
 * libvirt's file is a domstatus around a domain. What is looked for stands at fixed places of the
 * domain, so the parser keeps the path of the element that it is in, as far as these places are
 * deep. Names of elements have their namespace before them, with a blank between.
 */
#include "target/names_machine.h"

#include <stdio.h>
#include <string.h>

#include <expat.h>

#include "base/parse.h"
#include "base/text.h"

#define MOST_DEPTH     64
#define LONGEST_PATH   256
#define LONGEST_VALUE  ((size_t)4 * 1024)
#define SEPARATOR      ' '
#define NOVA_NAMESPACE "http://openstack.org/xmlns/libvirt/nova/"

/* Which element's text tells what, by its path below the domain; "nova:" stands for nova's
 * namespace of any version. */
static const struct place {
    const char *path;
    enum name_kind kind;
} places[] = {
    {"/name", NAME_VM},
    {"/uuid", NAME_VM_UUID},
    {"/metadata/nova:instance/nova:name", NAME_VM_DISPLAY_NAME},
    {"/metadata/nova:instance/nova:owner/nova:project", NAME_VM_PROJECT},
    {"/metadata/nova:instance/nova:owner/nova:user", NAME_VM_USER},
};
#define FLAVOR_PATH "/metadata/nova:instance/nova:flavor"

struct domain_reader {
    XML_Parser parser;
    unsigned depth, domain_depth; /* of the domain; 0: it has not begun, or is over */
    bool found, refused;
    unsigned id;
    char path[LONGEST_PATH];    /* below the domain */
    size_t lengths[MOST_DEPTH]; /* of the path, before each element */
    struct text value;          /* of the element that is told by `kind` */
    int kind;                   /* an enum name_kind, or -1 */
    struct names *names;
};

static void refuse(struct domain_reader *reader)
{
    reader->refused = true;
    (void)XML_StopParser(reader->parser, XML_FALSE);
}

static void refuse_document_type(void *context, const XML_Char *name, const XML_Char *system_id,
                                 const XML_Char *public_id, int has_internal)
{
    (void)name, (void)system_id, (void)public_id, (void)has_internal;
    refuse(context);
}

/* The name of an element as the table has it. */
static void append_name(char *path, const char *name)
{
    const char *local = strrchr(name, SEPARATOR);
    const bool is_nova = local && strncmp(name, NOVA_NAMESPACE, strlen(NOVA_NAMESPACE)) == 0;
    const size_t used = strlen(path);

    (void)snprintf(path + used, LONGEST_PATH - used, "/%s%s",
                   is_nova ? "nova:"
                   : local ? "?:"
                           : "",
                   local ? local + 1 : name);
}

static const char *attribute(const XML_Char **attributes, const char *name)
{
    for (; attributes[0]; attributes += 2)
        if (strcmp(attributes[0], name) == 0)
            return attributes[1];
    return NULL;
}

/* The domain is the root, or stands right below it. */
static void begin_domain(struct domain_reader *reader, const char *name,
                         const XML_Char **attributes)
{
    const char *id = attribute(attributes, "id");
    uint64_t number;

    if (reader->found || strcmp(name, "domain") != 0 || reader->depth > 2)
        return;
    if (!id || parse_u64(id, &number) < 0 || number != reader->id) {
        refuse(reader);
        return;
    }
    reader->found = true;
    reader->domain_depth = reader->depth;
    reader->path[0] = '\0';
}

static void begin_inner(struct domain_reader *reader, const char *name, const XML_Char **attributes)
{
    reader->lengths[reader->depth - 1] = strlen(reader->path);
    append_name(reader->path, name);
    reader->kind = -1;
    text_clear(&reader->value);
    if (strcmp(reader->path, FLAVOR_PATH) == 0)
        names_add_string(reader->names, NAME_VM_FLAVOR, attribute(attributes, "name"));
    for (size_t i = 0; i < ARRAY_SIZE(places); i++)
        if (strcmp(reader->path, places[i].path) == 0)
            reader->kind = (int)places[i].kind;
}

static void begin_element(void *context, const XML_Char *name, const XML_Char **attributes)
{
    struct domain_reader *reader = context;

    if (++reader->depth > MOST_DEPTH)
        refuse(reader);
    else if (reader->domain_depth)
        begin_inner(reader, name, attributes);
    else
        begin_domain(reader, name, attributes);
}

static void take_text(void *context, const XML_Char *bytes, int n)
{
    struct domain_reader *reader = context;

    if (reader->kind >= 0 && reader->value.length + (size_t)n <= LONGEST_VALUE)
        text_append(&reader->value, bytes, (size_t)n);
}

static void end_element(void *context, const XML_Char *name)
{
    struct domain_reader *reader = context;

    (void)name;
    if (reader->refused) /* an empty element ends also where its begin has stopped the parser */
        return;
    if (reader->domain_depth == reader->depth)
        reader->domain_depth = 0;
    if (reader->domain_depth) {
        if (reader->kind >= 0)
            names_add(reader->names, (enum name_kind)reader->kind, reader->value.data,
                      reader->value.length);
        reader->names->failed |= text_error(&reader->value) < 0;
        reader->path[reader->lengths[reader->depth - 1]] = '\0';
    }
    reader->kind = -1;
    reader->depth--;
}

static bool parse(struct domain_reader *reader, const char *text, size_t n)
{
    XML_SetUserData(reader->parser, reader);
    XML_SetElementHandler(reader->parser, begin_element, end_element);
    XML_SetCharacterDataHandler(reader->parser, take_text);
    XML_SetStartDoctypeDeclHandler(reader->parser, refuse_document_type);
    return XML_Parse(reader->parser, text, (int)n, XML_TRUE) == XML_STATUS_OK && !reader->refused &&
           reader->found;
}

bool names_parse_domain(const char *text, size_t n, unsigned id, struct names *names)
{
    AUTO_NAMES struct names found = {0};
    struct domain_reader reader = {.id = id, .kind = -1, .names = &found};
    bool good;

    if (n > INT32_MAX)
        return false;
    reader.parser = XML_ParserCreateNS(NULL, SEPARATOR);
    if (!reader.parser) {
        names->failed = true;
        return false;
    }
    good = parse(&reader, text, n);
    XML_ParserFree(reader.parser);
    text_done(&reader.value);
    names->failed |= found.failed;
    if (good)
        names_add_all(names, &found);
    return good;
}

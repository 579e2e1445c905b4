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

struct reading {
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

static void refuse(struct reading *reading)
{
    reading->refused = true;
    (void)XML_StopParser(reading->parser, XML_FALSE);
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
static void begin_domain(struct reading *reading, const char *name, const XML_Char **attributes)
{
    const char *id = attribute(attributes, "id");
    uint64_t number;

    if (reading->found || strcmp(name, "domain") != 0 || reading->depth > 2)
        return;
    if (!id || parse_u64(id, &number) < 0 || number != reading->id) {
        refuse(reading);
        return;
    }
    reading->found = true;
    reading->domain_depth = reading->depth;
    reading->path[0] = '\0';
}

static void begin_inner(struct reading *reading, const char *name, const XML_Char **attributes)
{
    reading->lengths[reading->depth - 1] = strlen(reading->path);
    append_name(reading->path, name);
    reading->kind = -1;
    text_clear(&reading->value);
    if (strcmp(reading->path, FLAVOR_PATH) == 0)
        names_add_string(reading->names, NAME_VM_FLAVOR, attribute(attributes, "name"));
    for (size_t i = 0; i < ARRAY_SIZE(places); i++)
        if (strcmp(reading->path, places[i].path) == 0)
            reading->kind = (int)places[i].kind;
}

static void begin_element(void *context, const XML_Char *name, const XML_Char **attributes)
{
    struct reading *reading = context;

    if (++reading->depth > MOST_DEPTH)
        refuse(reading);
    else if (reading->domain_depth)
        begin_inner(reading, name, attributes);
    else
        begin_domain(reading, name, attributes);
}

static void take_text(void *context, const XML_Char *bytes, int n)
{
    struct reading *reading = context;

    if (reading->kind >= 0 && reading->value.length + (size_t)n <= LONGEST_VALUE)
        text_append(&reading->value, bytes, (size_t)n);
}

static void end_element(void *context, const XML_Char *name)
{
    struct reading *reading = context;

    (void)name;
    if (reading->refused) /* an empty element ends also where its begin has stopped the parser */
        return;
    if (reading->domain_depth == reading->depth)
        reading->domain_depth = 0;
    if (reading->domain_depth) {
        if (reading->kind >= 0)
            names_add(reading->names, (enum name_kind)reading->kind, reading->value.data,
                      reading->value.length);
        reading->names->failed |= text_error(&reading->value) < 0;
        reading->path[reading->lengths[reading->depth - 1]] = '\0';
    }
    reading->kind = -1;
    reading->depth--;
}

static bool parse(struct reading *reading, const char *text, size_t n)
{
    XML_SetUserData(reading->parser, reading);
    XML_SetElementHandler(reading->parser, begin_element, end_element);
    XML_SetCharacterDataHandler(reading->parser, take_text);
    XML_SetStartDoctypeDeclHandler(reading->parser, refuse_document_type);
    return XML_Parse(reading->parser, text, (int)n, XML_TRUE) == XML_STATUS_OK &&
           !reading->refused && reading->found;
}

bool names_parse_domain(const char *text, size_t n, unsigned id, struct names *names)
{
    AUTO_NAMES struct names found = {0};
    struct reading reading = {.id = id, .kind = -1, .names = &found};
    bool good;

    if (n > INT32_MAX)
        return false;
    reading.parser = XML_ParserCreateNS(NULL, SEPARATOR);
    if (!reading.parser) {
        names->failed = true;
        return false;
    }
    good = parse(&reading, text, n);
    XML_ParserFree(reading.parser);
    text_done(&reading.value);
    names->failed |= found.failed;
    if (good)
        names_add_all(names, &found);
    return good;
}

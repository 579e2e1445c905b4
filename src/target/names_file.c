/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A quoted field may hold commas, quotes (twice) and ends of lines, so one whose quotes are not
 * closed could swallow the lines behind it. Therefore it goes over an end of a line only if it ends
 * as a field does; if not, the line ends where it seems to, and those behind it hold.
 */
#include "target/names_file.h"

#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "base/parse.h"
#include "target/glob.h"

#define MOST_FIELDS 4
#define MOST_SHOWN  10 /* lines that are wrong are told, and the rest is counted */
#define LARGEST_PID 4194304

_Static_assert(NAME_RULES_MOST == 10000, "a message tells this number");

enum { FIELD_MATCH, FIELD_NAME, FIELD_GROUP, FIELD_ROLE };

static const char *const header[MOST_FIELDS] = {"match", "name", "group", "role"};

struct rule {
    char *pattern; /* NULL: it is about a process */
    pid_t pid;
    struct names names;
};

struct name_rules {
    struct rule *rules;
    size_t n, capacity;
};

struct parser {
    const char *at, *end;
    size_t line;
    struct name_rules *rules;
    struct text fields[MOST_FIELDS];
    size_t n_fields;
    const char *wrong; /* what is wrong with the line; NULL: nothing */
    struct text *errors;
    size_t n_errors;
};

struct name_rules *name_rules_free(struct name_rules *rules)
{
    if (!rules)
        return NULL;
    for (size_t i = 0; i < rules->n; i++) {
        free(rules->rules[i].pattern);
        names_done(&rules->rules[i].names);
    }
    free(rules->rules);
    free(rules);
    return NULL;
}

static bool is_end_of_line(const struct parser *parser, const char *at)
{
    return at == parser->end || *at == '\n' ||
           (*at == '\r' && at + 1 < parser->end && at[1] == '\n');
}

static bool at_end_of_line(const struct parser *parser)
{
    return is_end_of_line(parser, parser->at);
}

static void skip_line(struct parser *parser)
{
    while (!at_end_of_line(parser))
        parser->at++;
}

static void note(struct parser *parser, const char *wrong)
{
    if (!parser->wrong)
        parser->wrong = wrong;
}

/* Where the quotes are closed that have been opened before `at`. NULL: nowhere. */
static const char *closing_quote(const char *at, const char *end)
{
    for (; at < end; at++) {
        if (*at != '"')
            continue;
        if (at + 1 == end || at[1] != '"')
            return at;
        at++;
    }
    return NULL;
}

/* Whether a field may end here. */
static bool ends_field(const struct parser *parser, const char *at)
{
    return is_end_of_line(parser, at) || *at == ',';
}

static void parse_quoted(struct parser *parser, struct text *field)
{
    const char *close = closing_quote(++parser->at, parser->end);

    if (!close || !ends_field(parser, close + 1)) {
        note(parser, close && !memchr(parser->at, '\n', (size_t)(close - parser->at))
                         ? "something stands behind the closing quotes; expected a comma"
                         : "the quotes are not closed; expected \" at the end of the field");
        skip_line(parser);
        return;
    }
    for (; parser->at < close; parser->at++) {
        parser->line += *parser->at == '\n';
        text_append_char(field, *parser->at);
        parser->at += *parser->at == '"'; /* it stands there twice */
    }
    parser->at = close + 1;
}

static void parse_plain(struct parser *parser, struct text *field)
{
    for (; !at_end_of_line(parser) && *parser->at != ','; parser->at++) {
        if (*parser->at == '"')
            note(parser, "quotes within a field; expected them around all of it, or none");
        text_append_char(field, *parser->at);
    }
}

static void parse_field(struct parser *parser)
{
    static const char too_many[] = "more than four fields; expected match,name,group,role";
    struct text *field = &parser->fields[parser->n_fields < MOST_FIELDS ? parser->n_fields : 0];

    if (parser->n_fields >= MOST_FIELDS) {
        note(parser, too_many);
        skip_line(parser);
        return;
    }
    parser->n_fields++;
    text_clear(field);
    if (parser->at < parser->end && *parser->at == '"')
        parse_quoted(parser, field);
    else
        parse_plain(parser, field);
    if (parser->wrong)
        skip_line(parser);
}

/* Takes the fields of the line apart, and goes to its end. */
static void parse_fields(struct parser *parser)
{
    parser->n_fields = 0;
    parser->wrong = NULL;
    do {
        parse_field(parser);
    } while (!at_end_of_line(parser) && *parser->at == ',' && parser->at++);
}

static void end_line(struct parser *parser)
{
    if (parser->at < parser->end && *parser->at == '\r')
        parser->at++;
    if (parser->at < parser->end)
        parser->at++;
    parser->line++;
}

static bool field_is(const struct text *field, const char *word)
{
    return field->length == strlen(word) && memcmp(field->data, word, field->length) == 0;
}

static bool is_header(const struct parser *parser)
{
    for (size_t i = 0; i < parser->n_fields; i++)
        if (!field_is(&parser->fields[i], header[i]))
            return false;
    return true;
}

/* Gives the rule the pattern or the number of a process that the match is. 0 or -ENOMEM. */
static int parse_match(struct parser *parser, char *match, struct rule *rule)
{
    const bool is_pid = strncmp(match, "pid:", 4) == 0 || (match[0] >= '0' && match[0] <= '9');
    const char *text = strncmp(match, "pid:", 4) == 0      ? match + 4
                       : strncmp(match, "cgroup:", 7) == 0 ? match + 7
                                                           : match;
    uint64_t pid;

    if (is_pid) {
        if (parse_u64(text, &pid) < 0 || pid == 0 || pid > LARGEST_PID)
            note(parser, "this is no number of a process; expected pid:N");
        else
            rule->pid = (pid_t)pid;
        return 0;
    }
    if (text[0] != '/') {
        note(parser, "no match; expected cgroup:/PATTERN or pid:N");
        return 0;
    }
    if (glob_check(text)) {
        note(parser, glob_check(text));
        return 0;
    }
    rule->pattern = strdup(text);
    return rule->pattern ? 0 : -ENOMEM;
}

static int make_rule(struct parser *parser, struct rule *rule)
{
    static const enum name_kind kinds[] = {
        [FIELD_NAME] = NAME_NAME, [FIELD_GROUP] = NAME_GROUP, [FIELD_ROLE] = NAME_ROLE};
    AUTO_FREE char *match = NULL;
    int r;

    for (size_t i = 0; i < parser->n_fields; i++) {
        if (text_error(&parser->fields[i]) < 0)
            return -ENOMEM;
        if (parser->fields[i].length > 0 &&
            memchr(parser->fields[i].data, '\0', parser->fields[i].length))
            note(parser, "a byte that is 0; expected text");
    }
    if (parser->n_fields < 2)
        note(parser, "one field alone; expected match,name,group,role");
    if (parser->wrong)
        return 0;
    match = text_take(&parser->fields[FIELD_MATCH]);
    r = match ? parse_match(parser, match, rule) : -ENOMEM;
    for (size_t i = FIELD_NAME; i < MOST_FIELDS && i < parser->n_fields && r == 0; i++)
        if (parser->fields[i].length > 0)
            names_add(&rule->names, kinds[i], parser->fields[i].data, parser->fields[i].length);
    return r == 0 && rule->names.failed ? -ENOMEM : r;
}

static int keep_rule(struct parser *parser, const struct rule *rule)
{
    struct name_rules *rules = parser->rules;
    struct rule *list = array_reserve(rules->rules, sizeof(*list), &rules->capacity, rules->n + 1);

    if (!list)
        return -ENOMEM;
    list[rules->n++] = *rule;
    rules->rules = list;
    return 0;
}

static void tell(struct parser *parser, size_t line)
{
    if (++parser->n_errors <= MOST_SHOWN)
        text_append_format(parser->errors, "%zu: %s\n", line, parser->wrong);
}

/* A line with fields: makes a rule of it. */
static int take_line(struct parser *parser, size_t line)
{
    struct rule rule = {0};
    int r = make_rule(parser, &rule);

    if (r == 0 && !parser->wrong && parser->rules->n >= NAME_RULES_MOST)
        note(parser, "there are too many lines; expected at most 10000");
    if (r == 0 && parser->wrong)
        tell(parser, line);
    if (r == 0 && !parser->wrong && keep_rule(parser, &rule) == 0)
        return 0;
    r = r == 0 && parser->wrong ? 0 : -ENOMEM;
    free(rule.pattern);
    names_done(&rule.names);
    return r;
}

static int parse_lines(struct parser *parser)
{
    int r = 0;

    while (parser->at < parser->end && r == 0) {
        const size_t line = parser->line;

        if (*parser->at == '#') {
            skip_line(parser);
        } else if (!at_end_of_line(parser)) {
            parse_fields(parser);
            if (parser->wrong || line > 1 || !is_header(parser))
                r = take_line(parser, line);
        }
        end_line(parser);
    }
    return r;
}

int name_rules_parse(const char *text, size_t n, struct name_rules **ret_rules,
                     struct text *ret_errors, size_t *ret_n_errors)
{
    static const char byte_order_mark[] = "\xef\xbb\xbf";
    AUTO(name_rules) struct name_rules *rules = calloc(1, sizeof(*rules));
    struct parser parser = {
        .at = text, .end = text + n, .line = 1, .rules = rules, .errors = ret_errors};
    int r;

    if (!rules)
        return -ENOMEM;
    if (n >= 3 && memcmp(text, byte_order_mark, 3) == 0)
        parser.at += 3;
    r = parse_lines(&parser);
    for (size_t i = 0; i < MOST_FIELDS; i++)
        text_done(&parser.fields[i]);
    if (r < 0 || text_error(ret_errors) < 0)
        return -ENOMEM;
    *ret_rules = TAKE(rules);
    *ret_n_errors = parser.n_errors;
    return 0;
}

void name_rules_add_cgroup(const struct name_rules *rules, const char *path, struct names *names)
{
    for (size_t i = 0; rules && i < rules->n; i++) {
        const struct rule *rule = &rules->rules[i];

        /* users choose paths, and thousands of patterns would take a long one seconds */
        if (!rule->pattern || !glob_may_match(rule->pattern, path) ||
            !glob_match(rule->pattern, path))
            continue;
        names_add_all(names, &rule->names);
        return;
    }
}

void name_rules_add_pid(const struct name_rules *rules, pid_t pid, struct names *names)
{
    for (size_t i = 0; rules && i < rules->n; i++) {
        const struct rule *rule = &rules->rules[i];

        if (rule->pattern || rule->pid != pid)
            continue;
        names_add_all(names, &rule->names);
        return;
    }
}

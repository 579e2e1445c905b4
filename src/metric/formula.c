/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A formula is compiled, by recursive descent, into steps for a stack machine, because
 * it is parsed once and evaluated for every target in every cycle. The limit of nesting
 * bounds the stack: each level of parentheses holds at most one operand of a sum and one
 * of a product.
 *
 * Nothing here knows events, units or counters: a formula only computes with numbers.
 */
#include "metric/formula.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/suggest.h"

#define NESTING_LIMIT     32
#define LENGTH_LIMIT      4096
#define LONGEST_SUGGESTED 63 /* base/suggest.h takes no longer word */
#define LONGEST_SHOWN     48 /* bytes of the user's text that a message repeats */
#define STACK_DEPTH       (2 * (NESTING_LIMIT + 1) + 1)

enum step_kind { STEP_NUMBER, STEP_NAME, STEP_ADD, STEP_SUBTRACT, STEP_MULTIPLY, STEP_DIVIDE };

struct step {
    enum step_kind kind;
    union {
        double number;
        size_t name;
    };
};

struct formula {
    size_t n_steps;
    struct step steps[]; /* the operands of an operator come before it */
};

/* A formula that is being parsed. The text has at least one byte for each step. */
struct parser {
    const char *text;
    size_t position;
    unsigned nesting;
    const char *const *names;
    size_t n_names;
    struct formula *formula;
    struct formula_error *error;
};

struct formula *formula_free(struct formula *formula)
{
    free(formula);
    return NULL;
}

__attribute__((format(printf, 3, 4))) static int fail(struct parser *parser, size_t offset,
                                                      const char *format, ...)
{
    va_list arguments;

    parser->error->offset = offset;
    parser->error->nearest = NULL;
    va_start(arguments, format);
    (void)vsnprintf(parser->error->message, sizeof(parser->error->message), format, arguments);
    va_end(arguments);
    return -EINVAL;
}

static void add_step(struct parser *parser, struct step step)
{
    parser->formula->steps[parser->formula->n_steps++] = step;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/*
 * Whether a name cannot end before this character. Names contain `-` and `/` as well, but these
 * may also be operators, so a name can end before them.
 */
static bool continues_name(char c)
{
    return is_letter(c) || is_digit(c) || c == ':' || c == '.' || c == '=' || c == ',';
}

/* Skips white space and returns the character behind it; NUL is the end. */
static char peek(struct parser *parser)
{
    while (strchr(" \t\r\n", parser->text[parser->position]) && parser->text[parser->position])
        parser->position++;
    return parser->text[parser->position];
}

static size_t skip_digits(const char *text, size_t position)
{
    while (is_digit(text[position]))
        position++;
    return position;
}

/*
 * Finds the end of a number such as 12, 0.5 or 1e9. Returns false if the text is no number;
 * *ret_end is then where the number is wrong.
 */
static bool scan_number(const char *text, size_t position, size_t *ret_end)
{
    size_t end = skip_digits(text, position), digits;
    bool good = true;

    if (text[end] == '.') {
        digits = end + 1;
        end = skip_digits(text, digits);
        good = end > digits;
    }
    if (good && (text[end] == 'e' || text[end] == 'E')) {
        digits = end + 1 + (text[end + 1] == '+' || text[end + 1] == '-');
        end = skip_digits(text, digits);
        good = end > digits;
    }
    *ret_end = end;
    return good && !continues_name(text[end]);
}

static int parse_number(struct parser *parser)
{
    size_t begin = parser->position, end;
    double value;

    if (!scan_number(parser->text, begin, &end))
        return fail(parser, begin, "not a number, expected digits as in 1000, 0.5 or 1e6");
    value = strtod(parser->text + begin, NULL);
    if (!isfinite(value))
        return fail(parser, begin, "the number is too large");
    add_step(parser, (struct step){.kind = STEP_NUMBER, .number = value});
    parser->position = end;
    return 0;
}

/* Returns the index of the longest name that stands here, or n_names if none does. */
static size_t find_name(const struct parser *parser, size_t *ret_length)
{
    const char *here = parser->text + parser->position;
    size_t found = parser->n_names, longest = 0;

    for (size_t i = 0; i < parser->n_names; i++) {
        size_t length = strlen(parser->names[i]);

        if (length > longest && strncmp(here, parser->names[i], length) == 0 &&
            !continues_name(here[length])) {
            found = i;
            longest = length;
        }
    }
    *ret_length = longest;
    return found;
}

/* The precision for %.*s of a word in a message. */
static int shown(size_t length)
{
    return length < LONGEST_SHOWN ? (int)length : LONGEST_SHOWN;
}

/*
 * Finds the name that an unknown word was meant to be. `-` and `/` in the word may belong to it or
 * be operators, so the longest possible word is tried first, and then shorter ones. Sets *length to
 * the length of the word that was taken.
 */
static const char *nearest_name(const struct parser *parser, const char *here, size_t *length)
{
    char word[LONGEST_SUGGESTED + 1];

    for (size_t end = *length; end > 0; end--) {
        const char *nearest;

        if (continues_name(here[end]) || !continues_name(here[end - 1]) || end >= sizeof(word))
            continue; /* the word cannot end here, or is too long for a suggestion */
        memcpy(word, here, end);
        word[end] = '\0';
        nearest = suggest_nearest(word, parser->names, parser->n_names);
        if (nearest) {
            *length = end;
            return nearest;
        }
    }
    return NULL;
}

static int fail_name(struct parser *parser)
{
    const char *here = parser->text + parser->position, *nearest;
    size_t length = 0;

    while (continues_name(here[length]) || here[length] == '-' || here[length] == '/')
        length++;
    nearest = nearest_name(parser, here, &length);
    if (nearest) {
        (void)fail(parser, parser->position,
                   "no event \"%.*s\" in any group, did you mean \"%.60s\"?", shown(length), here,
                   nearest);
        parser->error->nearest = nearest;
        return -EINVAL;
    }
    return fail(parser, parser->position, "no event \"%.*s\" in any group", shown(length), here);
}

static int parse_name(struct parser *parser)
{
    size_t length, name = find_name(parser, &length);

    if (name == parser->n_names)
        return fail_name(parser);
    add_step(parser, (struct step){.kind = STEP_NAME, .name = name});
    parser->position += length;
    return 0;
}

static int parse_sum(struct parser *parser);

static int parse_parentheses(struct parser *parser)
{
    size_t opened = parser->position++;
    int r;

    if (++parser->nesting > NESTING_LIMIT)
        return fail(parser, opened, "more than %d parentheses within each other", NESTING_LIMIT);
    r = parse_sum(parser);
    if (r < 0)
        return r;
    if (peek(parser) != ')')
        return parser->text[parser->position]
                   ? fail(parser, parser->position, "expected an operator or \")\"")
                   : fail(parser, opened, "the parenthesis is never closed");
    parser->position++;
    parser->nesting--;
    return 0;
}

static int parse_operand(struct parser *parser)
{
    char next = peek(parser);

    if (next == '(')
        return parse_parentheses(parser);
    if (is_digit(next))
        return parse_number(parser);
    if (is_letter(next))
        return parse_name(parser);
    return fail(parser, parser->position, "expected an event, a number or \"(\"");
}

static int parse_product(struct parser *parser)
{
    int r = parse_operand(parser);

    while (r == 0) {
        char sign = peek(parser);

        if (sign != '*' && sign != '/')
            break;
        parser->position++;
        r = parse_operand(parser);
        if (r == 0)
            add_step(parser, (struct step){.kind = sign == '*' ? STEP_MULTIPLY : STEP_DIVIDE});
    }
    return r;
}

static int parse_sum(struct parser *parser)
{
    int r = parse_product(parser);

    while (r == 0) {
        char sign = peek(parser);

        if (sign != '+' && sign != '-')
            break;
        parser->position++;
        r = parse_product(parser);
        if (r == 0)
            add_step(parser, (struct step){.kind = sign == '+' ? STEP_ADD : STEP_SUBTRACT});
    }
    return r;
}

static int parse_formula(struct parser *parser)
{
    int r;

    if (peek(parser) == '\0')
        return fail(parser, 0, "the formula is empty");
    r = parse_sum(parser);
    if (r < 0)
        return r;
    if (peek(parser) == ')')
        return fail(parser, parser->position, "nothing was opened that \")\" could close");
    if (parser->text[parser->position])
        return fail(parser, parser->position, "expected an operator or the end");
    return 0;
}

int formula_parse(const char *text, const char *const *names, size_t n_names,
                  struct formula **ret_formula, struct formula_error *ret_error)
{
    AUTO(formula) struct formula *formula = NULL;
    struct parser parser = {.text = text, .names = names, .n_names = n_names, .error = ret_error};
    size_t length = strlen(text);
    int r;

    if (length > LENGTH_LIMIT)
        return fail(&parser, LENGTH_LIMIT, "longer than %d bytes", LENGTH_LIMIT);
    formula = calloc(1, sizeof(*formula) + length * sizeof(formula->steps[0]));
    if (!formula)
        return -ENOMEM;
    parser.formula = formula;
    r = parse_formula(&parser);
    if (r < 0)
        return r;
    *ret_formula = TAKE(formula);
    return 0;
}

bool formula_uses(const struct formula *formula, size_t name)
{
    for (size_t i = 0; i < formula->n_steps; i++)
        if (formula->steps[i].kind == STEP_NAME && formula->steps[i].name == name)
            return true;
    return false;
}

/* Carries out one operator. Returns false if there is no result. */
static bool apply(enum step_kind sign, double left, double right, double *ret_value)
{
    switch (sign) {
    case STEP_ADD:
        *ret_value = left + right;
        break;
    case STEP_SUBTRACT:
        *ret_value = left - right;
        break;
    case STEP_MULTIPLY:
        *ret_value = left * right;
        break;
    default:
        if (right == 0)
            return false;
        *ret_value = left / right;
    }
    return isfinite(*ret_value);
}

bool formula_value(const struct formula *formula, const double *values, double *ret_value)
{
    double stack[STACK_DEPTH] = {0};
    size_t depth = 0;

    for (size_t i = 0; i < formula->n_steps; i++) {
        const struct step *step = &formula->steps[i];

        if (step->kind == STEP_NUMBER) {
            stack[depth++] = step->number;
        } else if (step->kind == STEP_NAME) {
            stack[depth++] = values[step->name];
        } else {
            depth--;
            if (!apply(step->kind, stack[depth - 1], stack[depth], &stack[depth - 1]))
                return false;
        }
    }
    if (!isfinite(stack[0]))
        return false;
    *ret_value = stack[0];
    return true;
}

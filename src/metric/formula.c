/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A formula is compiled, by recursive descent, into steps for a stack machine:
 * it is read once and evaluated for every target of every cycle. The depth of
 * the stack follows from the limit of nesting: each level holds at most one
 * operand of a sum and one of a product.
 *
 * The formula is not a ratio of totals but of what one interval counted, so
 * nothing here knows units or counters: only numbers.
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
#define LONGEST_SUGGESTED 63 /* as base/suggest.h takes */
#define LONGEST_SHOWN     48 /* of what the user wrote */
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
    struct step steps[]; /* operands before their operator */
};

/* The text while it is read. Each step takes at least one byte of it. */
struct reader {
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

__attribute__((format(printf, 3, 4))) static int fail(struct reader *reader, size_t offset,
                                                      const char *format, ...)
{
    va_list arguments;

    reader->error->offset = offset;
    reader->error->nearest = NULL;
    va_start(arguments, format);
    (void)vsnprintf(reader->error->message, sizeof(reader->error->message), format, arguments);
    va_end(arguments);
    return -EINVAL;
}

static void emit(struct reader *reader, struct step step)
{
    reader->formula->steps[reader->formula->n_steps++] = step;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* What goes on with a name, so that none ends before it. `-` and `/` may be operators. */
static bool continues_name(char c)
{
    return is_letter(c) || is_digit(c) || c == ':' || c == '.' || c == '=' || c == ',';
}

static char peek(struct reader *reader)
{
    while (strchr(" \t\r\n", reader->text[reader->position]) && reader->text[reader->position])
        reader->position++;
    return reader->text[reader->position];
}

static size_t skip_digits(const char *text, size_t position)
{
    while (is_digit(text[position]))
        position++;
    return position;
}

/* 12, 0.5, 1e9; false and *ret_end where it stops being one. */
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

static int read_number(struct reader *reader)
{
    size_t begin = reader->position, end;
    double value;

    if (!scan_number(reader->text, begin, &end))
        return fail(reader, begin, "not a number, expected digits as in 1000, 0.5 or 1e6");
    value = strtod(reader->text + begin, NULL);
    if (!isfinite(value))
        return fail(reader, begin, "the number is too large");
    emit(reader, (struct step){.kind = STEP_NUMBER, .number = value});
    reader->position = end;
    return 0;
}

/* The index of the longest name that stands here; n_names: none. */
static size_t find_name(const struct reader *reader, size_t *ret_length)
{
    const char *here = reader->text + reader->position;
    size_t found = reader->n_names, longest = 0;

    for (size_t i = 0; i < reader->n_names; i++) {
        size_t length = strlen(reader->names[i]);

        if (length > longest && strncmp(here, reader->names[i], length) == 0 &&
            !continues_name(here[length])) {
            found = i;
            longest = length;
        }
    }
    *ret_length = longest;
    return found;
}

static int shown(size_t length)
{
    return length < LONGEST_SHOWN ? (int)length : LONGEST_SHOWN;
}

/*
 * `-` and `/` may belong to the word that was meant or be operators: the nearest
 * name is sought for the longest reading first, then for shorter ones. Sets
 * *length to that of the reading that has one.
 */
static const char *nearest_name(const struct reader *reader, const char *here, size_t *length)
{
    char word[LONGEST_SUGGESTED + 1];

    for (size_t end = *length; end > 0; end--) {
        const char *nearest;

        if (continues_name(here[end]) || !continues_name(here[end - 1]) || end >= sizeof(word))
            continue; /* within a word, behind an operator, or too long to be near */
        memcpy(word, here, end);
        word[end] = '\0';
        nearest = suggest_nearest(word, reader->names, reader->n_names);
        if (nearest) {
            *length = end;
            return nearest;
        }
    }
    return NULL;
}

static int fail_name(struct reader *reader)
{
    const char *here = reader->text + reader->position, *nearest;
    size_t length = 0;

    while (continues_name(here[length]) || here[length] == '-' || here[length] == '/')
        length++;
    nearest = nearest_name(reader, here, &length);
    if (nearest) {
        (void)fail(reader, reader->position,
                   "no event \"%.*s\" in the group, did you mean \"%.60s\"?", shown(length), here,
                   nearest);
        reader->error->nearest = nearest;
        return -EINVAL;
    }
    return fail(reader, reader->position, "no event \"%.*s\" in the group", shown(length), here);
}

static int read_name(struct reader *reader)
{
    size_t length, name = find_name(reader, &length);

    if (name == reader->n_names)
        return fail_name(reader);
    emit(reader, (struct step){.kind = STEP_NAME, .name = name});
    reader->position += length;
    return 0;
}

static int read_sum(struct reader *reader);

static int read_parentheses(struct reader *reader)
{
    size_t opened = reader->position++;
    int r;

    if (++reader->nesting > NESTING_LIMIT)
        return fail(reader, opened, "more than %d parentheses within each other", NESTING_LIMIT);
    r = read_sum(reader);
    if (r < 0)
        return r;
    if (peek(reader) != ')')
        return reader->text[reader->position]
                   ? fail(reader, reader->position, "expected an operator or \")\"")
                   : fail(reader, opened, "the parenthesis is never closed");
    reader->position++;
    reader->nesting--;
    return 0;
}

static int read_operand(struct reader *reader)
{
    char next = peek(reader);

    if (next == '(')
        return read_parentheses(reader);
    if (is_digit(next))
        return read_number(reader);
    if (is_letter(next))
        return read_name(reader);
    return fail(reader, reader->position, "expected an event, a number or \"(\"");
}

static int read_product(struct reader *reader)
{
    int r = read_operand(reader);

    while (r == 0) {
        char sign = peek(reader);

        if (sign != '*' && sign != '/')
            break;
        reader->position++;
        r = read_operand(reader);
        if (r == 0)
            emit(reader, (struct step){.kind = sign == '*' ? STEP_MULTIPLY : STEP_DIVIDE});
    }
    return r;
}

static int read_sum(struct reader *reader)
{
    int r = read_product(reader);

    while (r == 0) {
        char sign = peek(reader);

        if (sign != '+' && sign != '-')
            break;
        reader->position++;
        r = read_product(reader);
        if (r == 0)
            emit(reader, (struct step){.kind = sign == '+' ? STEP_ADD : STEP_SUBTRACT});
    }
    return r;
}

static int read_formula(struct reader *reader)
{
    int r;

    if (peek(reader) == '\0')
        return fail(reader, 0, "the formula is empty");
    r = read_sum(reader);
    if (r < 0)
        return r;
    if (peek(reader) == ')')
        return fail(reader, reader->position, "nothing was opened that \")\" could close");
    if (reader->text[reader->position])
        return fail(reader, reader->position, "expected an operator or the end");
    return 0;
}

int formula_parse(const char *text, const char *const *names, size_t n_names,
                  struct formula **ret_formula, struct formula_error *ret_error)
{
    AUTO(formula) struct formula *formula = NULL;
    struct reader reader = {.text = text, .names = names, .n_names = n_names, .error = ret_error};
    size_t length = strlen(text);
    int r;

    if (length > LENGTH_LIMIT)
        return fail(&reader, LENGTH_LIMIT, "longer than %d bytes", LENGTH_LIMIT);
    formula = calloc(1, sizeof(*formula) + length * sizeof(formula->steps[0]));
    if (!formula)
        return -ENOMEM;
    reader.formula = formula;
    r = read_formula(&reader);
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

/* False where the result does not exist. */
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

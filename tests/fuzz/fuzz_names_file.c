/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz/fuzz_names.h"
#include "target/names_file.h"

/*
 * Any bytes, taken as a user's file of names. It is parsed to its end, the errors are lines of
 * bounded number, and a good line behind it holds, unless there are quotes, which may take it in.
 */

static void check_errors(const struct text *errors, size_t n_errors)
{
    size_t n_lines = 0;

    for (size_t i = 0; i < errors->length; i++)
        n_lines += errors->data[i] == '\n';
    FUZZ_CHECK(n_lines == (n_errors < 10 ? n_errors : 10));
}

static void check_rules(const struct name_rules *rules)
{
    AUTO_NAMES struct names of_cgroup = {0};
    AUTO_NAMES struct names of_process = {0};

    name_rules_add_cgroup(rules, "/a", &of_cgroup);
    name_rules_add_pid(rules, 1, &of_process);
    fuzz_check_names(&of_cgroup);
    fuzz_check_names(&of_process);
}

static void check_last(const char *text, size_t n)
{
    static const char last[] = "\n/fuzz/last,last\n";
    AUTO(name_rules) struct name_rules *rules = NULL;
    AUTO_NAMES struct names names = {0};
    AUTO_TEXT struct text errors = {0};
    AUTO_TEXT struct text longer = {0};
    size_t n_errors;

    text_append(&longer, text, n);
    text_append_string(&longer, last);
    FUZZ_CHECK(name_rules_parse(longer.data, longer.length, &rules, &errors, &n_errors) == 0);
    name_rules_add_cgroup(rules, "/fuzz/last", &names);
    FUZZ_CHECK(names.values[NAME_NAME]); /* this line names it, or one before */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    AUTO(name_rules) struct name_rules *rules = NULL;
    AUTO_TEXT struct text errors = {0};
    size_t n_errors = 0;

    FUZZ_CHECK(name_rules_parse(text, size, &rules, &errors, &n_errors) == 0);
    check_errors(&errors, n_errors);
    check_rules(rules);
    /* a line before may match it and have no name */
    if (size < 1000 && !memchr(text, '"', size) && !memchr(text, '*', size) &&
        !memchr(text, '?', size) && !memchr(text, '\\', size) && !memmem(text, size, "/fuzz", 5))
        check_last(text, size);
    return 0;
}

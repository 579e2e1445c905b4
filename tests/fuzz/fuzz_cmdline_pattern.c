/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A regular expression, a NUL, and the arguments of a process. The same text always takes the same
 * work, which is bounded, and what the pattern has captured stands in the arguments.
 */

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "fuzz/fuzz.h"
#include "target/cmdline_pattern.h"

#define LONGEST_PATTERN 256
#define LONGEST_LINE    4096 /* as is read of a process */
#define MOST_WORK       (250000 + LONGEST_LINE + 1)

static void check_captures(const struct cmdline_pattern *pattern, const char *line,
                           const struct text_piece *captures)
{
    for (size_t i = 0; i < cmdline_pattern_n_captures(pattern); i++) {
        FUZZ_CHECK(cmdline_pattern_capture(pattern, i)[0]);
        FUZZ_CHECK(captures[i].bytes >= line);
        FUZZ_CHECK(captures[i].bytes + captures[i].n <= line + strlen(line));
    }
}

static void match(const struct cmdline_pattern *pattern, const char *line)
{
    AUTO_FREE struct text_piece *captures =
        calloc(cmdline_pattern_n_captures(pattern) + 1, sizeof(*captures));
    size_t work = 0, again = 0;
    int r;

    FUZZ_CHECK(captures);
    r = cmdline_pattern_match(pattern, line, &work, captures);
    FUZZ_CHECK(r == CMDLINE_DIFFERS || r == CMDLINE_MATCHES || r == CMDLINE_TOO_COSTLY);
    FUZZ_CHECK(work <= MOST_WORK);
    if (r == CMDLINE_MATCHES)
        check_captures(pattern, line, captures);
    FUZZ_CHECK(cmdline_pattern_match(pattern, line, &again, captures) == r && again == work);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_FREE char *regex = calloc(1, size + 2);
    AUTO(cmdline_pattern) struct cmdline_pattern *pattern = NULL;
    struct process_rule_error error = {0};
    const char *line;
    int r;

    FUZZ_CHECK(regex);
    if (size > 0)
        memcpy(regex, data, size);
    line = regex + strlen(regex) + 1;
    if (strlen(regex) > LONGEST_PATTERN || strlen(line) > LONGEST_LINE)
        return 0;
    r = cmdline_pattern_new(regex, &pattern, &error);
    FUZZ_CHECK(r == 0 || (r == -EINVAL && error.message[0] && error.offset <= strlen(regex)));
    if (r == 0)
        match(pattern, line);
    return 0;
}

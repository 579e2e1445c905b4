/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include "config/config_error.h"
#include "config/config_validate.h"
#include "sys/bpf/syscalls/counts.h"
#include "sys/system_call.h"

/* All calls of this machine, of which the nearest is suggested. */
static int refuse_unknown(const struct config_word *word, struct config_error *ret_error)
{
    const char *names[SYSCALLS_NUMBERS];
    size_t n = 0;
    int r = config_error_set(ret_error, word->place,
                             "unknown system call %s; expected a name as in syscalls(2)",
                             SHOWN(word->text));

    for (unsigned number = 0; number < SYSCALLS_NUMBERS; number++)
        if (system_call_name(number))
            names[n++] = system_call_name(number);
    config_error_suggest(ret_error, word->text, names, n);
    return r;
}

static int check_once(const struct config_words *calls, size_t index,
                      struct config_error *ret_error)
{
    const struct config_word *word = &calls->words[index];

    for (size_t i = 0; i < index; i++)
        if (strcmp(calls->words[i].text, word->text) == 0)
            return config_error_set(
                ret_error, word->place,
                "duplicate system call %s; expected it once, the first is at %u:%u",
                SHOWN(word->text), calls->words[i].place.line, calls->words[i].place.column);
    return 0;
}

int config_validate_system_calls(const struct config *config, struct config_error *ret_error)
{
    const struct config_words *calls = &config->system_calls.timed;
    int r = 0;

    for (size_t i = 0; i < calls->n && r == 0; i++) {
        const struct config_word *word = &calls->words[i];
        const int number = system_call_number(word->text);

        if (number < 0 || number >= SYSCALLS_NUMBERS)
            return refuse_unknown(word, ret_error);
        if (!system_call_returns((unsigned)number))
            return config_error_set(ret_error, word->place,
                                    "%s never returns; expected a system call that does",
                                    SHOWN(word->text));
        r = check_once(calls, i, ret_error);
    }
    return r;
}

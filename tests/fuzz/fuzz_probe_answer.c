/* SPDX-License-Identifier: Apache-2.0 */

/* What a worker that a hostile program has taken over could answer when a probe is looked for. */
#include <stdint.h>
#include <string.h>

#include "base/cleanup.h"
#include "event/probe_message.h"
#include "fuzz/fuzz.h"

static const struct probe_question questions[] = {
    {.kind = PROBE_USER, .symbol = "malloc"},
    {.kind = PROBE_USDT, .provider = "libc", .symbol = "setjmp"},
    {.kind = PROBE_USDT, .provider = "libc", .symbol = "setjmp", .number = 3},
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < ARRAY_SIZE(questions); i++) {
        struct probe_answer answer = {0};

        if (probe_answer_parse(data, size, &questions[i], &answer) < 0)
            continue;
        FUZZ_CHECK(memchr(answer.nearest, '\0', sizeof(answer.nearest)));
        FUZZ_CHECK(answer.outcome == ELF_FOUND || answer.outcome >= ELF_NO_PROGRAM);
        FUZZ_CHECK(answer.outcome == ELF_FOUND || answer.position == 0);
        FUZZ_CHECK(answer.n == 0 || questions[i].kind == PROBE_USDT);
    }
    return 0;
}

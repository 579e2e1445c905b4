/* SPDX-License-Identifier: Apache-2.0 */

/* What a worker that a hostile configuration has taken over could answer. */
#include <stdint.h>
#include <string.h>

#include "config/yaml_message.h"
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct yaml_answer answer = {(const char *)data, size};
    struct yaml_event event;

    for (size_t before = size; yaml_answer_next(&answer, &event) == 0; before = answer.n) {
        FUZZ_CHECK(answer.n < before);
        FUZZ_CHECK(event.text[event.length] == '\0');
        FUZZ_CHECK(event.kind != YAML_AT_ERROR || !strchr(event.text, '\n'));
        FUZZ_CHECK(event.kind <= YAML_AT_VALUE || event.length == 0);
    }
    return 0;
}

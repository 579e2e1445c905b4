/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/file_argument.h"

#include "tool/check_json.h"

error_t file_argument_parse(int key, char *argument, struct argp_state *state)
{
    struct file_argument *file = state->input;

    if (key == ARGP_KEY_INIT)
        state->child_inputs[0] = &file->json;
    if (key == ARGP_KEY_END && !file->path)
        command_refuse_missing(state);
    return command_take_word(key, argument, &file->path, "FILE");
}

const struct argp_child file_argument_children[] = {{.argp = &command_json_argp}, {0}};

void file_argument_fail(void *object, const char *path, int r, const struct config_error *error)
{
    (void)object;
    if (json_print(check_failure_to_json(path, r, error)) < 0)
        check_print_failure(path, r, error);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/event_telling.h"

#include <errno.h>
#include <stdio.h>

static int print(const struct event_telling *telling)
{
    int r;

    if (telling->events)
        return json_print(json_pack("{s:O}", "events", telling->events));
    r = table_print(telling->table);
    if (r >= 0 && telling->notes.length > 0)
        (void)fwrite(telling->notes.data, 1, telling->notes.length, stdout);
    return r < 0 ? r : text_error(&telling->notes);
}

int event_telling_run(struct event_telling *telling, const struct argp *argp, int argc, char **argv,
                      const struct table_column *columns, size_t n_columns,
                      int (*show)(void *telling, const struct event *event))
{
    AUTO(table) struct table *table = table_new(columns, n_columns);
    AUTO_JSON json_t *events = json_array();
    struct machine machine AUTO_MACHINE = {.sysfs_fd = -1};
    struct event_words words AUTO_EVENT_WORDS = {0};
    int r = event_words_init(&words, argc);

    if (r < 0 || !table || !events)
        return command_fail(-ENOMEM);
    command_parse(argp, argc, argv, &words);
    if (machine_open(words.sysfs, &machine) < 0)
        return EXIT_FAILURE;
    telling->table = table;
    telling->machine = &machine;
    telling->events = words.json ? events : NULL;
    r = event_words_each(&words, &machine, show, telling);
    if (r >= 0)
        r = print(telling);
    text_done(&telling->notes);
    return r < 0 ? command_fail(r) : telling->status;
}

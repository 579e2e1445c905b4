/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "client/client.h"
#include "tool/command.h"
#include "tool/control_client.h"
#include "tool/json.h"
#include "tool/table.h"

static const struct argp argp = {
    .parser = control_client_parse_alone,
    .doc = "List the marks that the running service keeps, the latest last.\v"
           "Exit status 0: done; 1: not, with the reason on stderr; 2: the command line is wrong.",
    .children = control_client_alone,
};

/* 0 or -ENOMEM. */
static int show(const json_t *answer)
{
    static const struct table_column columns[] = {{.title = "ID", .is_right = true},
                                                  {.title = "TIME"},
                                                  {.title = "TEXT", .may_be_cut = true}};
    AUTO(table) struct table *table = table_new(columns, ARRAY_SIZE(columns));
    const json_t *marks = json_object_get(answer, "marks");

    if (!table)
        return -ENOMEM;
    for (size_t i = 0; i < json_array_size(marks); i++) {
        const json_t *mark = json_array_get(marks, i);
        const char *text = json_string_value(json_object_get(mark, "text"));

        table_add_format(table, STYLE_PLAIN, "%.0f",
                         json_number_value(json_object_get(mark, "id")));
        table_add_time(table, json_number_value(json_object_get(mark, "time")));
        table_add(table, text ? text : "", STYLE_PLAIN);
    }
    return table_print(table);
}

int run_marks(int argc, char **argv)
{
    struct control_client where = {0};
    AUTO_JSON json_t *answer = NULL;
    struct pmu_client *client;
    int status = EXIT_SUCCESS, r;

    command_parse(&argp, argc, argv, &where);
    r = pmu_client_open(command_socket(where.socket), &client);
    if (r < 0)
        return command_fail(r);
    if (pmu_client_get(client, "/api/v1/marks", &answer) < 0)
        status = control_client_complain(where.socket, client);
    else if ((where.json ? json_print(TAKE(answer)) : show(answer)) < 0)
        status = command_fail(-ENOMEM);
    (void)pmu_client_close(client);
    return status;
}

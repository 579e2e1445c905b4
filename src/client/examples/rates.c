/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Prints the CPUs that each cgroup uses, each time the exporter has counted. Build it with
 *
 *     cc -o rates rates.c $(pkg-config --cflags --libs pmu_exporter)
 *
 *     rates [SOCKET|http://HOST:PORT [TIMES]]
 */
#include <math.h>
#include <pmu_exporter/client.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH "/api/v1/live?column=pmu_cgroup_cpus_used"

static void print_table(const struct pmu_table *table)
{
    for (size_t i = 0; i < table->n_rows; i++)
        for (size_t j = 0; j < table->n_columns; j++)
            if (!isnan(table->rows[i].values[j]))
                printf("%8.3f %s\n", table->rows[i].values[j],
                       pmu_row_label(&table->rows[i], "cgroup"));
}

static int print_event(const struct pmu_event *event)
{
    struct pmu_targets *targets;
    const char *expected;

    if (pmu_targets_read(event->data, &targets, &expected) < 0)
        return -1;
    printf("%.3f\n", targets->taken_realtime_seconds);
    for (size_t i = 0; i < targets->n_tables; i++)
        if (strcmp(targets->tables[i].kind, "cgroup") == 0)
            print_table(&targets->tables[i]);
    fflush(stdout);
    pmu_targets_free(targets);
    return 0;
}

int main(int argc, char **argv)
{
    long times = argc > 2 ? strtol(argv[2], NULL, 10) : -1;
    struct pmu_client *client;
    struct pmu_event event;
    int r = pmu_client_open(argc > 1 ? argv[1] : NULL, &client);

    if (r < 0) {
        fprintf(stderr, "rates: %s\n", strerror(-r));
        return 1;
    }
    r = pmu_client_follow(client, PATH);
    for (; r >= 0 && times != 0; times--) {
        r = pmu_client_next(client, -1, &event);
        if (r == 1)
            r = print_event(&event);
    }
    if (r < 0)
        fprintf(stderr, "rates: %s\n", pmu_client_error(client));
    pmu_client_close(client);
    return r < 0;
}

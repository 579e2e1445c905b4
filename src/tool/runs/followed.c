/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/runs/followed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "tool/json.h"

#define PATH_SIZE 96

static int end(const struct followed_run *run, int r)
{
    return r < 0 ? control_client_complain(run->where->socket, run->client) : EXIT_SUCCESS;
}

static void print_path(const struct followed_run *run, const char *what, char path[PATH_SIZE])
{
    (void)snprintf(path, PATH_SIZE, "/api/v1/runs/%llu%s", (unsigned long long)run->id, what);
}

int followed_run_begin(struct followed_run *run, const json_t *request)
{
    AUTO_JSON json_t *answer = NULL;
    const int status = end(run, pmu_client_post(run->client, "/api/v1/runs", request, &answer));

    run->id = (uint64_t)json_number_value(json_object_get(answer, "id"));
    return status;
}

int followed_run_get(const struct followed_run *run, const char *what, json_t **ret_answer)
{
    char path[PATH_SIZE];

    *ret_answer = NULL;
    print_path(run, what, path);
    return end(run, pmu_client_get(run->client, path, ret_answer));
}

/* Its service may have ended; a history on disk has what there was of the run by then. */
static int lose(const struct followed_run *run)
{
    const bool is_gone = pmu_client_status(run->client) == 0;
    const int status = control_client_complain(run->where->socket, run->client);

    if (is_gone)
        (void)fprintf(stderr,
                      PROGRAM
                      ": the service has ended in the midst of run %llu, or does not answer; "
                      "if its history is on disk, pmutool runs lists the run when it is back\n",
                      (unsigned long long)run->id);
    return status;
}

int followed_run_look(const struct followed_run *run, bool is_patient, json_t **ret_run)
{
    char path[PATH_SIZE];
    const char *state;
    int r;

    *ret_run = NULL;
    print_path(run, "", path);
    r = pmu_client_get(run->client, path, ret_run);
    state = json_string_value(json_object_get(*ret_run, "state"));
    if (state && strcmp(state, "running") == 0)
        json_decref(TAKE(*ret_run));
    if (r >= 0)
        return EXIT_SUCCESS;
    if (is_patient && pmu_client_status(run->client) == 0)
        return EXIT_SUCCESS;
    return lose(run);
}

int followed_run_stop(const struct followed_run *run)
{
    AUTO_JSON json_t *answer = NULL;
    char path[PATH_SIZE];

    print_path(run, "/stop", path);
    return end(run, pmu_client_post(run->client, path, NULL, &answer));
}

int followed_run_delete(const struct followed_run *run)
{
    AUTO_JSON json_t *answer = NULL;
    char path[PATH_SIZE];

    print_path(run, "", path);
    return end(run, pmu_client_delete(run->client, path, &answer));
}

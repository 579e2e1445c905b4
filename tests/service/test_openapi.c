/* SPDX-License-Identifier: Apache-2.0 */
/* The routes of the API and its description tell the same; live/api holds it against answers. */
#include "support/check.h"

#include <jansson.h>
#include <stdio.h>

#include "service/pages.h"
#include "web/openapi.h"

#define API "/api/"

struct fixture {
    struct snapshot_slot *slot;
    struct pages pages;
    json_t *paths;
    json_t *document;
};

static int set_up(void **state)
{
    static struct fixture f;
    struct pages_sources sources = {.telemetry_path = "/metrics", .procfs_fd = -1};
    json_error_t error;
    size_t length;
    const char *text = openapi_text(&length);

    f.slot = sources.slot = snapshot_slot_new();
    assert_int_equal(pages_init(&f.pages, &sources), 0);
    f.document = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
    if (!f.document)
        fail_msg("openapi.json:%d: %s", error.line, error.text);
    f.paths = json_object_get(f.document, "paths");
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    json_decref(f->document);
    pages_done(&f->pages);
    (void)snapshot_slot_free(f->slot);
    return 0;
}

/* How the description names the path of a line: "/api/v1/marks/{id}". */
static void path_of(const struct route *route, char *ret_path, size_t size)
{
    (void)snprintf(ret_path, size, "%s%s%s", route->path, route->has_rest ? "{id}" : "",
                   route->ending ? route->ending : "");
}

static const char *method_of(const struct route *route)
{
    static const char *const names[] = {
        [ROUTE_GET] = "get", [ROUTE_POST] = "post", [ROUTE_DELETE] = "delete"};

    return route->ask ? names[route->method] : route->command ? "post" : "get";
}

static void every_route_of_the_api_is_described(void **state)
{
    const struct fixture *f = *state;

    for (size_t i = 0; i < f->pages.n_routes; i++) {
        const struct route *route = &f->pages.routes[i];
        char path[256];

        if (strncmp(route->path, API, strlen(API)) != 0)
            continue;
        path_of(route, path, sizeof(path));
        if (!json_object_get(json_object_get(f->paths, path), method_of(route)))
            fail_msg("openapi.json has no %s %s", method_of(route), path);
    }
}

static bool has_route(const struct fixture *f, const char *wanted, const char *method)
{
    for (size_t i = 0; i < f->pages.n_routes; i++) {
        char path[256];

        path_of(&f->pages.routes[i], path, sizeof(path));
        if (strcmp(path, wanted) == 0 && strcmp(method_of(&f->pages.routes[i]), method) == 0)
            return true;
    }
    return false;
}

static void every_path_that_is_described_is_a_route(void **state)
{
    const struct fixture *f = *state;
    const char *path, *method;
    json_t *methods, *unused;

    json_object_foreach(f->paths, path, methods)
        json_object_foreach(methods, method, unused) if (!has_route(f, path, method))
            fail_msg("there is no %s %s", method, path);
}

/* A parameter that is described is taken, and a route that takes none has none described. */
static void routes_without_arguments_have_none_described(void **state)
{
    const struct fixture *f = *state;

    for (size_t i = 0; i < f->pages.n_routes; i++) {
        const struct route *route = &f->pages.routes[i];
        char path[256];
        json_t *parameters, *parameter;
        size_t j;

        path_of(route, path, sizeof(path));
        parameters = json_object_get(
            json_object_get(json_object_get(f->paths, path), method_of(route)), "parameters");
        json_array_foreach(
            parameters, j,
            parameter) if (strcmp(json_string_value(json_object_get(parameter, "in")), "query") ==
                               0 &&
                           !route->takes_query) fail_msg("%s takes no arguments", path);
    }
}

static bool is_about_profiles(const struct route *route)
{
    return strncmp(route->path, "/api/v1/profile", strlen("/api/v1/profile")) == 0;
}

/* Whether it is about the samples of one target, of which there may be none. */
static bool names_a_profile(const struct route *route)
{
    return is_about_profiles(route) && strcmp(route->path, "/api/v1/profile/targets") != 0;
}

/* Whether a request names a run, a mark, a target for a run, or one of which there are no samples,
 * which may not be there. */
static bool names_what_may_be_missing(const struct route *route)
{
    return route->has_rest || strcmp(route->path, "/api/v1/runs/compare") == 0 ||
           names_a_profile(route) ||
           (strcmp(route->path, "/api/v1/runs") == 0 && strcmp(method_of(route), "post") == 0);
}

/* Whether a request to a route of the API may be answered by a status. */
static bool can_answer(const struct route *route, const char *status)
{
    static const char *const of_all[] = {"200", "400", "401", "405", "413",
                                         "414", "429", "431", "500", "503"};
    const bool is_question = route->ask != NULL;

    for (size_t i = 0; i < ARRAY_SIZE(of_all); i++)
        if (strcmp(of_all[i], status) == 0)
            return true;
    if (strcmp(status, "304") == 0)
        return route->render && !route->version;
    if (strcmp(status, "403") == 0) /* all but events and profiles ask the history */
        return is_question && strcmp(route->path, "/api/v1/events") != 0 &&
               !is_about_profiles(route);
    if (strcmp(status, "404") == 0)
        return names_what_may_be_missing(route);
    return strcmp(status, "504") == 0 && is_question;
}

static void each_route_has_the_statuses_described_by_which_it_may_be_answered(void **state)
{
    static const char *const statuses[] = {"200", "304", "400", "401", "403", "404", "405",
                                           "413", "414", "429", "431", "500", "503", "504"};
    const struct fixture *f = *state;

    for (size_t i = 0; i < f->pages.n_routes; i++) {
        const struct route *route = &f->pages.routes[i];
        char path[256];
        json_t *responses;
        size_t n = 0;

        if (strncmp(route->path, API, strlen(API)) != 0)
            continue;
        path_of(route, path, sizeof(path));
        responses = json_object_get(
            json_object_get(json_object_get(f->paths, path), method_of(route)), "responses");
        for (size_t j = 0; j < ARRAY_SIZE(statuses); j++) {
            if (can_answer(route, statuses[j]) != !!json_object_get(responses, statuses[j]))
                fail_msg("%s %s: %s is described wrongly", method_of(route), path, statuses[j]);
            n += can_answer(route, statuses[j]);
        }
        assert_int_equal(json_object_size(responses), n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        TEST(every_route_of_the_api_is_described),
        TEST(every_path_that_is_described_is_a_route),
        TEST(routes_without_arguments_have_none_described),
        TEST(each_route_has_the_statuses_described_by_which_it_may_be_answered),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Serves one file on /metrics through the web layer, so that the cost of serving can
 * be measured without that of counting: serve_static ADDRESS FILE. It prints the
 * port that it is bound to, and serves until its standard input ends.
 */
#include <stdint.h>
#include <stdio.h>

#include "base/text.h"
#include "web/server.h"

static uint64_t never_changes(void *context)
{
    (void)context;
    return 1;
}

static int copy_file(void *context, const struct route_request *request, size_t form,
                     struct text *text)
{
    const struct text *const file = context;

    (void)request, (void)form;
    text_append(text, file->data, file->length);
    return 0;
}

static int read_file(const char *path, struct text *ret_text)
{
    char chunk[65536];
    size_t n;
    FILE *file;

    file = fopen(path, "re");
    if (!file)
        return -1;
    while ((n = fread(chunk, 1, sizeof(chunk), file)) > 0)
        text_append(ret_text, chunk, n);
    (void)fclose(file);
    return text_error(ret_text);
}

int main(int argc, char *argv[])
{
    static const struct server_limits limits = {512, 128, 8, 30, 120, 12};
    AUTO(http_server) struct http_server *server = NULL;
    AUTO_TEXT struct text file = {0};
    static const struct route_form forms[] = {
        {"text/plain; version=0.0.4; charset=utf-8", true},
        {"application/openmetrics-text; version=1.0.0; charset=utf-8", true},
        {"application/openmetrics-text; version=0.0.1; charset=utf-8", true},
    };
    static const struct route metrics = {.path = "/metrics",
                                         .forms = forms,
                                         .n_forms = ARRAY_SIZE(forms),
                                         .version = never_changes,
                                         .render = copy_file};
    const struct route_table table = {&metrics, 1, &file};
    const char *failed;

    if (argc != 3 || read_file(argv[2], &file) < 0) {
        (void)fprintf(stderr, "usage: serve_static ADDRESS FILE\n");
        return 2;
    }
    if (http_server_new((const char *const *)&argv[1], 1, &table, &limits, &server, &failed) < 0 ||
        http_server_start(server) < 0) {
        (void)fprintf(stderr, "serve_static: %s: cannot serve\n", argv[1]);
        return 1;
    }
    (void)printf("%u\n", http_server_port(server, 0));
    (void)fflush(stdout);
    while (getchar() != EOF)
        ;
    return 0;
}

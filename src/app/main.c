/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>

#include "app/config_report.h"
#include "app/service.h"

enum { EXIT_BAD_CONFIG = 2 };

/* The file, or the built-in default where the default path does not exist. */
static int read_config(const struct options *options, struct config **ret_config)
{
    struct config_error error;
    int r = config_read(options->config_file, ret_config, &error);

    if (r == -ENOENT && !options->config_file_given) {
        log_info("no configuration file, the built-in default runs", "path", options->config_file);
        return config_default(ret_config);
    }
    if (r < 0)
        config_print_failure(options->config_file, r, &error);
    return r;
}

static int run(const struct options *options)
{
    AUTO(config) struct config *config = NULL;

    log_init(options->log_level, options->log_format);
    if (options->config_check)
        return config_report(options->config_file, !options->config_file_given, options->sysfs);
    if (read_config(options, &config) < 0)
        return EXIT_BAD_CONFIG;
    return service_run(options, config);
}

int main(int argc, char **argv)
{
    struct options options;
    int status;

    (void)signal(SIGPIPE, SIG_IGN); /* a log that nobody reads any more must not end us */
    switch (options_parse(argc, argv, &options)) {
    case OPTIONS_RUN:
        break;
    case OPTIONS_DONE:
        return EXIT_SUCCESS;
    case OPTIONS_BAD:
        return EXIT_BAD_CONFIG;
    default:
        return EXIT_FAILURE;
    }
    status = run(&options);
    options_done(&options);
    return status;
}

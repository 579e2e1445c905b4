/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>

#include "check/report.h"
#include "config/web_config.h"
#include "event/probe_reader.h"
#include "log/standard_streams.h"
#include "profile/program_reader.h"
#include "service/config_log.h"
#include "service/fail.h"
#include "service/finish.h"
#include "service/service.h"
#include "sys/memory.h"
#include "target/state_reader.h"

static void readers_done(struct readers *readers)
{
    readers->programs = object_reader_free(readers->programs);
    readers->states = object_reader_free(readers->states);
    readers->probes = object_reader_free(readers->probes);
    readers->config = object_reader_free(readers->config);
    readers->web = object_reader_free(readers->web);
}

/*
 * The processes that read files of others are forked first of all, while there are no threads and
 * no secrets. Without them there are no profiles, fewer names and no probes on programs, and the
 * service says so. Without those that read configurations there is no service. 0 or -errno.
 */
static int start_readers(const struct options *options, struct readers *readers)
{
    int r = 0;

    if (!options->config_check) {
        (void)program_reader_new(&readers->programs);
        (void)state_reader_new(&readers->states);
        (void)probe_reader_new(&readers->probes);
        r = config_reader_new("config", &readers->config);
    }
    if (r == 0 && options->web_config_file)
        r = config_reader_new("web", &readers->web);
    return r;
}

static int run(const struct options *options)
{
    __attribute__((cleanup(readers_done))) struct readers readers = {0};
    AUTO(config) struct config *config = NULL;
    AUTO(web_config) struct web_config *web_config = NULL;
    struct config_error error;
    int r = start_readers(options, &readers);

    log_init(options->log_level, options->log_format);
    if (r < 0) {
        (void)fail(r, "cannot start", "part", "reader of configurations");
        return EXIT_FAILURE;
    }
    if (options->web_config_file) {
        r = web_config_read(readers.web, options->web_config_file, &web_config, &error);
        if (r < 0) {
            check_print_failure(options->web_config_file, r, &error);
            return EXIT_BAD_CONFIG;
        }
    }
    if (options->config_check)
        return check_report(&(struct check_request){.path = options->config_file,
                                                    .may_be_absent = !options->config_file_given,
                                                    .sysfs = options->sysfs,
                                                    .prints = true});
    r = config_log_load(readers.config, options->config_file, !options->config_file_given, &config,
                        &error);
    if (r < 0) {
        check_print_failure(options->config_file, r, &error);
        return EXIT_BAD_CONFIG;
    }
    if (r != CONFIG_IS_DEFAULT)
        config_log_summary("configuration read", options->config_file, config);
    return service_run(options, TAKE(config), TAKE(web_config), &readers);
}

int main(int argc, char **argv)
{
    struct options options;
    int status;

    standard_streams_prepare();
    memory_settle();
    switch (options_parse(argc, argv, &options)) {
    case FLAGS_RUN:
        break;
    case FLAGS_DONE:
        return finish_program("pmu_exporter", EXIT_SUCCESS);
    case FLAGS_BAD:
        return EXIT_BAD_CONFIG;
    default:
        return EXIT_FAILURE;
    }
    status = run(&options);
    options_done(&options);
    return finish_program("pmu_exporter", status);
}

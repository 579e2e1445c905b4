/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>

#include "check/report.h"
#include "config/web_config.h"
#include "event/probe_reader.h"
#include "log/standard_streams.h"
#include "profile/program_reader.h"
#include "service/config_log.h"
#include "service/finish.h"
#include "service/service.h"
#include "sys/memory.h"
#include "target/state_reader.h"

static void readers_done(struct readers *readers)
{
    readers->programs = object_reader_free(readers->programs);
    readers->states = object_reader_free(readers->states);
    readers->probes = object_reader_free(readers->probes);
}

/*
 * The processes that read files of others are forked first of all, while there are no threads and
 * no secrets. Without them there are no profiles, fewer names and no probes on programs, and
 * the service says so.
 */
static struct readers start_readers(const struct options *options)
{
    struct readers readers = {0};

    if (!options->config_check) {
        (void)program_reader_new(&readers.programs);
        (void)state_reader_new(&readers.states);
        (void)probe_reader_new(&readers.probes);
    }
    return readers;
}

static int run(const struct options *options)
{
    __attribute__((cleanup(readers_done))) struct readers readers = start_readers(options);
    AUTO(config) struct config *config = NULL;
    AUTO(web_config) struct web_config *web_config = NULL;
    struct config_error error;
    int r;

    log_init(options->log_level, options->log_format);
    if (options->web_config_file) {
        r = web_config_read(options->web_config_file, &web_config, &error);
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
    r = config_log_load(options->config_file, !options->config_file_given, &config, &error);
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

/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/stat/options.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/parse.h"
#include "config/config_error.h"
#include "run/request.h"
#include "service/options.h"
#include "tool/command.h"
#include "tool/option_values.h"

#define LEAST_INTERVAL_MS   10
#define LONGEST_INTERVAL_MS 86400000 /* a day */
#define LEAST_DURATION_NS   1000000
#define LONGEST_DURATION_NS (UINT64_C(365) * 86400 * NS_PER_SECOND)
#define MOST_RUNS           1000000

/* Codes of options that have no letter. */
enum { KEY_CONFIG = 0x2000, KEY_CSV, KEY_JSON, KEY_APPEND, KEY_FILTER, KEY_RUN, KEY_SOCKET };

static const struct argp_option option_table[] = {
    {.doc = "What is counted:", .group = 1},
    {.name = "event",
     .key = 'e',
     .arg = "EVENT,...",
     .group = 1,
     .doc = "Events as perf names them; {a,b} are counted together. Repeatable. Default: "
            "task-clock, context-switches, cpu-migrations, page-faults, cycles, instructions, "
            "branches, branch-misses."},
    {.name = "filter",
     .key = KEY_FILTER,
     .arg = "FILTER",
     .group = 1,
     .doc = "Of the last tracepoint of -e before it: count where this holds, as in "
            "'prev_prio < 100'."},
    {.name = "group",
     .key = 'g',
     .arg = "GROUP",
     .group = 1,
     .doc = "A group of events of the configuration. Repeatable."},
    {.name = "config.file",
     .key = KEY_CONFIG,
     .arg = "FILE",
     .group = 1,
     .doc = "The configuration that has the groups and probes. Default: " DEFAULT_CONFIG_FILE
            ", or the built-in default where that does not exist."},
    {.doc = "Who is counted, instead of the command:", .group = 2},
    {.name = "all-cpus",
     .key = 'a',
     .group = 2,
     .doc = "The whole machine. So it is, too, where there is no command and no other target."},
    {.name = "cpu", .key = 'C', .arg = "CPUS", .group = 2, .doc = "Only these CPUs, as in 0-3,8."},
    {.name = "cgroup",
     .key = 'G',
     .arg = "CGROUP",
     .group = 2,
     .doc = "A cgroup with those below it, by its path below the mount or its whole path. Other "
            "than perf's, it holds for all events."},
    {.name = "pid",
     .key = 'p',
     .arg = "PID,...",
     .group = 2,
     .doc = "Processes with all their threads, and what these start from now on."},
    {.name = "tid",
     .key = 't',
     .arg = "TID,...",
     .group = 2,
     .doc = "Threads, and what these start from now on."},
    {.name = "no-aggr",
     .key = 'A',
     .group = 2,
     .doc = "Each CPU apart, for the machine or a cgroup."},
    {.doc = "When figures are shown:", .group = 3},
    {.name = "interval-print",
     .key = 'I',
     .arg = "MS",
     .group = 3,
     .doc = "After every so many milliseconds, from 10 on, what was counted in them."},
    {.name = "duration",
     .key = 'd',
     .arg = "SECONDS",
     .group = 3,
     .doc = "End after so many seconds at the latest, from 0.001 to 31536000. A command that "
            "still runs gets SIGTERM."},
    {.name = "repeat",
     .key = 'r',
     .arg = "N",
     .group = 3,
     .doc = "Run the command N times, and show the mean and the standard deviation of the mean."},
    {.doc = "How they are shown:", .group = 4},
    {.name = "csv",
     .key = KEY_CSV,
     .arg = "SEP",
     .flags = OPTION_ARG_OPTIONAL,
     .group = 4,
     .doc = "In the columns of perf stat -x, with this text between them. Default: a comma."},
    {.name = "field-separator",
     .key = 'x',
     .arg = "SEP",
     .group = 4,
     .doc = "The same as --csv=SEP."},
    {.name = "json", .key = KEY_JSON, .group = 4, .doc = "As JSON, an object a line."},
    {.name = "output",
     .key = 'o',
     .arg = "FILE",
     .group = 4,
     .doc = "Into a file. Default: standard error, so that the command has standard output."},
    {.name = "append", .key = KEY_APPEND, .group = 4, .doc = "Append to the file of -o."},
    {.name = "run",
     .key = KEY_RUN,
     .arg = "TITLE",
     .group = 4,
     .doc = "Also have the running service keep it, as a run of this title (pmutool runs)."},
    {.name = "socket",
     .key = KEY_SOCKET,
     .arg = "PATH",
     .group = 4,
     .doc = "The control socket of that service. Default: the usual one."},
    {0},
};

static void refuse_memory(void)
{
    command_refuse("%s", strerror(ENOMEM));
}

static void take_filter(struct stat_options *options, const char *argument)
{
    const int r = event_names_set_filter(&options->words, argument);

    if (r == -ENOENT)
        command_refuse("--filter belongs behind an event: -e EVENT --filter FILTER");
    if (r < 0)
        refuse_memory();
}

static void take_group(struct stat_options *options, const char *argument)
{
    const char **names =
        reallocarray(options->group_names, options->n_group_names + 1, sizeof(*names));

    if (!names) {
        refuse_memory();
        return;
    }
    options->group_names = names;
    names[options->n_group_names++] = argument;
}

static void take_target(struct stat_options *options, enum run_target_kind target)
{
    if (options->target != TARGET_COMMAND && options->target != target)
        command_refuse("-a or -C, -G, -p and -t are different targets; expected one of them");
    options->target = target;
}

static int compare_tasks(const void *a, const void *b)
{
    const pid_t left = *(const pid_t *)a, right = *(const pid_t *)b;

    return (left > right) - (left < right);
}

/* Takes the list apart, "12,14", in ascending order and each task once. */
static void take_tasks(struct stat_options *options, const char *argument)
{
    AUTO_FREE char *list = strdup(argument);
    char *rest = list, *word;
    size_t n = 0;

    while (list && (word = strsep(&rest, ","))) {
        pid_t *tasks = reallocarray(options->tasks, options->n_tasks + 1, sizeof(*tasks));
        uint64_t number;

        if (!tasks) {
            refuse_memory();
            return;
        }
        options->tasks = tasks;
        if (parse_u64(word, &number) < 0 || number == 0 || number > INT_MAX)
            command_refuse("%s is no number of a process or thread", SHOWN(word));
        else
            tasks[options->n_tasks++] = (pid_t)number;
    }
    if (!list)
        refuse_memory();
    if (options->n_tasks > 1)
        qsort(options->tasks, options->n_tasks, sizeof(*options->tasks), compare_tasks);
    for (size_t i = 0; i < options->n_tasks; i++)
        if (n == 0 || options->tasks[n - 1] != options->tasks[i])
            options->tasks[n++] = options->tasks[i];
    options->n_tasks = n;
}

static void take_cpus(struct stat_options *options, const char *argument)
{
    struct cpu_list *cpus = NULL;

    if (options->cpus)
        command_refuse("-C is given twice");
    if (cpu_list_parse(argument, &cpus) < 0 || cpus->n == 0)
        command_refuse("-C %s: expected numbers of CPUs, such as 0-3,8", SHOWN(argument));
    options->cpus = cpus;
}

static uint64_t take_number(char option, const char *argument, uint64_t least, uint64_t most,
                            const char *what)
{
    uint64_t number = 0;

    if (parse_u64(argument, &number) < 0 || number < least || number > most)
        command_refuse("-%c %s: expected %s", option, SHOWN(argument), what);
    return number;
}

static void take_format(struct stat_options *options, enum stat_format format,
                        const char *separator)
{
    if (options->format != FORMAT_TABLE && options->format != format)
        command_refuse("--csv and --json are different formats; expected one of them");
    if (separator && !*separator)
        command_refuse("the separator is \"\"; expected a text, such as a comma");
    options->format = format;
    options->separator = separator ? separator : ",";
}

/* The service would refuse it, but only after the command. */
static void take_title(struct stat_options *options, const char *argument)
{
    const size_t length = strlen(argument);

    if (length == 0 || length > RUN_TITLE_MAX)
        command_refuse("--run %s: expected a title of 1 to %d bytes", SHOWN(argument),
                       RUN_TITLE_MAX);
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)argument[i] < ' ' || argument[i] == 0x7f)
            command_refuse("--run %s: a title has no control characters", SHOWN(argument));
    options->run_title = argument;
}

static void check(const struct stat_options *options)
{
    const bool on_cpus = options->target == TARGET_MACHINE || options->target == TARGET_CGROUP;

    if (options->cpus && !on_cpus)
        command_refuse("-C does not fit -p and -t, which are counted on every CPU");
    if (options->is_per_cpu && !on_cpus)
        command_refuse("-A wants a target that is counted by CPU: -a, -C or -G");
    if (options->runs > 1 && !options->command)
        command_refuse("-r wants a command to repeat");
    if (options->runs > 1 && options->interval_ns)
        command_refuse("-r shows one mean of all runs, and -I each interval; expected one of them");
    if (options->appends && !options->output)
        command_refuse("--append wants a file: -o FILE");
    if (options->socket && !options->run_title)
        command_refuse("--socket is for --run TITLE alone");
}

/* -C alone means the machine, and beside -G on which CPUs the cgroup is counted. */
static void finish(struct stat_options *options)
{
    const bool wants_machine = options->is_system_wide || options->cpus || !options->command;

    if (options->is_system_wide && options->target != TARGET_CGROUP)
        take_target(options, TARGET_MACHINE);
    if (options->target == TARGET_COMMAND && wants_machine)
        options->target = TARGET_MACHINE;
    check(options);
}

/* Options whose value is a task, a CPU or a number. */
static error_t parse_target_or_time(int key, char *argument, struct stat_options *options)
{
    switch (key) {
    case 'a':
        options->is_system_wide = true;
        return 0;
    case 'A':
        options->is_per_cpu = true;
        return 0;
    case 'C':
        take_cpus(options, argument);
        return 0;
    case 'G':
        take_target(options, TARGET_CGROUP);
        options->cgroup = argument;
        return 0;
    case 'p':
    case 't':
        take_target(options, key == 'p' ? TARGET_PROCESSES : TARGET_THREADS);
        take_tasks(options, argument);
        return 0;
    case 'I':
        options->interval_ns = take_number('I', argument, LEAST_INTERVAL_MS, LONGEST_INTERVAL_MS,
                                           "milliseconds, 10 at the least") *
                               (NS_PER_SECOND / 1000);
        return 0;
    case 'd':
        options->duration_ns =
            option_seconds('d', argument, LEAST_DURATION_NS, LONGEST_DURATION_NS);
        return 0;
    case 'r':
        options->runs = take_number('r', argument, 1, MOST_RUNS, "a number of runs, from 1 on");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct stat_options *options = state->input;

    switch (key) {
    case 'e':
        option_events(argument, &options->words);
        return 0;
    case 'g':
        take_group(options, argument);
        return 0;
    case KEY_FILTER:
        take_filter(options, argument);
        return 0;
    case KEY_CONFIG:
        options->config_file = argument;
        return 0;
    case KEY_CSV:
    case 'x':
        take_format(options, FORMAT_CSV, argument);
        return 0;
    case KEY_JSON:
        take_format(options, FORMAT_JSON, NULL);
        return 0;
    case 'o':
        options->output = argument;
        return 0;
    case KEY_APPEND:
        options->appends = true;
        return 0;
    case KEY_RUN:
        take_title(options, argument);
        return 0;
    case KEY_SOCKET:
        options->socket = argument;
        return 0;
    case ARGP_KEY_ARG: /* the command and all that stands behind it */
        options->command = &state->argv[state->next - 1];
        state->next = state->argc;
        return 0;
    case ARGP_KEY_END:
        finish(options);
        return 0;
    default:
        return parse_target_or_time(key, argument, options);
    }
}

static const struct argp argp = {
    .options = option_table,
    .parser = parse,
    .args_doc = "[-- COMMAND [ARGUMENT...]]",
    .doc = "Count events of a command, of the machine, a cgroup, processes or threads, as "
           "pmu_exporter counts them, and show them with ratios as perf stat does.\v"
           "Exit status: that of the command, or 128 and the number of the signal that ended it; "
           "127: there is no such command; 126: it cannot be executed; 1: nothing could be "
           "counted; 2: the command line is wrong.",
};

void stat_options_parse(int argc, char **argv, struct stat_options *ret_options)
{
    *ret_options = (struct stat_options){.runs = 1};
    command_parse(&argp, argc, argv, ret_options);
}

struct run_wish stat_options_wish(const struct stat_options *options, const pid_t *command)
{
    const bool is_command = options->target == TARGET_COMMAND;

    return (struct run_wish){.kind = options->target,
                             .cgroup = options->cgroup,
                             .tasks = is_command ? command : options->tasks,
                             .n_tasks = is_command ? 1 : options->n_tasks,
                             .cpus = options->cpus,
                             .is_per_cpu = options->is_per_cpu};
}

void stat_options_done(struct stat_options *options)
{
    event_names_done(&options->words);
    free(options->group_names);
    free(options->tasks);
    options->cpus = cpu_list_free(options->cpus);
}

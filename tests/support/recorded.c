/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Runs a command while the program that records the scheduler does so for a cgroup, and prints what
 * that comes to, as the API tells it (run/schedule_text.h), behind what the command prints.
 *
 *     recorded CGROUP COMMAND [ARGUMENT...]
 *
 * The command runs in the cgroup of that directory. Status 77 and a reason where there is no bpf at
 * all; that of the command if it fails.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "run/schedule_text.h"
#include "sys/bpf/schedule/program.h"

#define RING_BYTES ((size_t)64 << 20)
#define ENTER_SIZE 4096

static void fail(const char *what, int error)
{
    (void)fprintf(stderr, "recorded: %s: %s\n", what, strerror(error));
    exit(1);
}

/* The child enters the cgroup, and executes the command. */
static pid_t start(const char *cgroup, char *const words[])
{
    char path[ENTER_SIZE];
    const pid_t child = fork();
    int fd;

    if (child != 0)
        return child;
    (void)snprintf(path, sizeof(path), "%s/cgroup.procs", cgroup);
    fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0 || write(fd, "0", 1) != 1)
        fail(path, errno);
    (void)execvp(words[0], words);
    fail(words[0], errno);
    return -1;
}

struct context {
    struct schedule_trace *trace;
    uint64_t start_ns;
};

static int take(void *context, const struct schedule_record *record)
{
    struct context *to = context;

    return schedule_trace_add(to->trace, record, to->start_ns);
}

/* What the run's session does with it. */
static void note(const struct schedule_program *program, struct schedule_trace *trace)
{
    const enum bpf_refusal requests = schedule_program_refusal(program, SCHEDULE_PART_REQUESTS);
    const enum bpf_refusal exits = schedule_program_refusal(program, SCHEDULE_PART_EXITS);

    trace->requests_told.is_told = requests == BPF_REFUSAL_NONE;
    trace->exits_told.is_told = exits == BPF_REFUSAL_NONE;
    (void)snprintf(trace->requests_told.refusal, sizeof(trace->requests_told.refusal), "%s",
                   bpf_refusal_text(requests));
    (void)snprintf(trace->exits_told.refusal, sizeof(trace->exits_told.refusal), "%s",
                   bpf_refusal_text(exits));
}

static void print_report(const struct schedule_trace *trace)
{
    AUTO_TEXT struct text text = {0};

    if (schedule_text_append_report(trace, &text) < 0)
        fail("report", ENOMEM);
    (void)fwrite(text.data, 1, text.length, stdout);
    (void)putchar('\n');
}

int main(int argc, char **argv)
{
    AUTO(schedule_trace) struct schedule_trace *trace = schedule_trace_new();
    AUTO(schedule_program) struct schedule_program *program = NULL;
    struct context context = {.trace = trace};
    struct schedule_wish wish = {.n_cpus = (size_t)sysconf(_SC_NPROCESSORS_CONF),
                                 .ring_bytes = RING_BYTES};
    enum bpf_refusal refusal;
    struct stat directory;
    int status = 0;
    pid_t child;

    if (argc < 3 || stat(argv[1], &directory) < 0 || !trace)
        fail("recorded CGROUP COMMAND [ARGUMENT...]", EINVAL);
    wish.cgroup = directory.st_ino; /* in cgroup v2 its id */
    if (schedule_program_load(&wish, &program, &refusal) < 0) {
        printf("%s\n", bpf_refusal_text(refusal));
        return 77;
    }
    note(program, trace);
    context.start_ns = clock_monotonic_ns();
    schedule_program_begin(program);
    child = start(argv[1], argv + 2);
    if (child < 0 || waitpid(child, &status, 0) != child)
        fail("command", errno);
    schedule_program_end(program);
    if (schedule_program_read(program, take, &context) < 0)
        fail("ring", errno);
    trace->duration_ns = clock_monotonic_ns() - context.start_ns;
    trace->n_lost = schedule_program_lost(program);
    if (status == 0)
        print_report(trace);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

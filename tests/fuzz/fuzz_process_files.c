/* SPDX-License-Identifier: Apache-2.0 */

/* Files of /proc/PID, of which the first byte chooses one; the others are those of a process. */

#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "fuzz/fuzz.h"
#include "fuzz/fuzz_directory.h"
#include "sys/process.h"

#define PID 7

static const struct {
    const char *path, *usual;
} files[] = {
    {"7/cgroup", "0::/a\n"},
    {"7/stat", "7 (a) S 1 7 7 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 42 0 0\n"},
    {"7/cmdline", "a"},
    {"7/status", "Name:\ta\nTgid:\t7\nUid:\t1\t2\t3\t4\n"},
    {"7/uid_map", "         0          0 4294967295\n"},
    {"7/comm", "a\n"},
};

static void start(void)
{
    FUZZ_CHECK(mkdirat(fuzz_directory(), "7", 0700) == 0);
    FUZZ_CHECK(symlinkat("/bin/a (deleted)", fuzz_directory(), "7/exe") == 0);
    for (size_t i = 0; i < ARRAY_SIZE(files); i++)
        fuzz_write(files[i].path, files[i].usual, strlen(files[i].usual));
}

/* The path stands in the file, behind a colon, and goes to the end of its line. */
static void check_cgroup(const struct process *process, const char *text)
{
    char path[PROCESS_CGROUP_SIZE];
    const char *at = text;
    bool is_there = false;

    if (process_read_cgroup(process, path) < 0)
        return;
    FUZZ_CHECK(path[0] == '/' && !strchr(path, '\n'));
    while (!is_there && (at = strstr(at, path))) {
        const char after = at[strlen(path)];

        is_there = at > text && at[-1] == ':' && (after == '\n' || after == '\0');
        at++;
    }
    FUZZ_CHECK(is_there);
}

static void check_process(struct process *process)
{
    const char *exe, *cmdline;
    char map[PROCESS_UID_MAP_SIZE];

    FUZZ_CHECK(process_pid(process) == PID);
    FUZZ_CHECK(process_cmdline(process, &cmdline) == 0 && strlen(cmdline) <= 4096);
    FUZZ_CHECK(process_exe(process, &exe) == 0);
    FUZZ_CHECK(process_stat(process)->kernel_thread || strcmp(exe, "/bin/a") == 0);
    FUZZ_CHECK(process_read_uid_map(process, map) == 0 && strlen(map) < sizeof(map));
    FUZZ_CHECK(process_uid(process) == geteuid());
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool has_started;
    const size_t which = size > 0 ? data[0] % ARRAY_SIZE(files) : 0;
    AUTO_FREE char *text = size > 0 ? strndup((const char *)data + 1, size - 1) : NULL;
    AUTO(process) struct process *process = NULL;
    char comm[64];
    uid_t uid;
    pid_t leader;

    if (!text)
        return 0;
    if (!has_started)
        start();
    has_started = true;
    fuzz_write(files[which].path, data + 1, size - 1);
    if (process_open(fuzz_directory(), PID, &process) == 0) {
        check_process(process);
        check_cgroup(process, which == 0 ? text : files[0].usual);
    }
    if (process_read_comm(fuzz_directory(), PID, comm) == 0)
        FUZZ_CHECK(strlen(comm) < sizeof(comm));
    (void)process_read_leader(fuzz_directory(), PID, &leader);
    (void)process_read_real_uid(fuzz_directory(), PID, &uid);
    FUZZ_CHECK(process_read_uid(fuzz_directory(), PID, &uid) == 0 && uid == geteuid());
    fuzz_write(files[which].path, files[which].usual, strlen(files[which].usual));
    return 0;
}

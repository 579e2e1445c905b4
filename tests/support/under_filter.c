/* SPDX-License-Identifier: Apache-2.0 */

/*
 * under_filter FILE COMMAND...
 *
 * Becomes the command, which may make only the system calls that the file names, one on each line:
 * any other ends it by SIGSYS. Names of calls that this kind of machine does not have are passed
 * over. unit_filter.py writes such a file for the unit.
 */
#include <seccomp.h>
#include <unistd.h>

#include "support/program.h"

#define LONGEST_NAME 64

int main(int argc, char **argv)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_KILL_PROCESS);
    char name[LONGEST_NAME];
    FILE *file;
    int call, r;

    if (argc < 3) {
        (void)fprintf(stderr, "usage: under_filter FILE COMMAND...\n");
        return 2;
    }
    file = fopen(argv[1], "re");
    if (!file || !filter)
        die(argv[1]);
    while (fgets(name, sizeof(name), file)) {
        name[strcspn(name, "\n")] = '\0';
        call = seccomp_syscall_resolve_name(name);
        if (call < 0) /* of another machine */
            continue;
        r = seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 0);
        if (r < 0) {
            errno = -r;
            die(name);
        }
    }
    (void)fclose(file);
    r = seccomp_load(filter);
    if (r < 0) {
        errno = -r;
        die("seccomp");
    }
    seccomp_release(filter);
    (void)execvp(argv[2], argv + 2);
    die(argv[2]);
}

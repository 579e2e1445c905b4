/* SPDX-License-Identifier: Apache-2.0 */
#include "service/version.h"

#include <stdio.h>
#include <sys/utsname.h>

#include "revision.h" /* made by revision.cmake at each build */

#ifdef __clang__
#define COMPILER __VERSION__
#else
#define COMPILER "GCC " __VERSION__
#endif

const char *version_string(void)
{
    return PROJECT_VERSION;
}

const char *version_revision(void)
{
    return GIT_REVISION;
}

void version_print(const char *program)
{
    struct utsname machine;

    (void)printf("%s, version %s (revision: %s)\n", program, version_string(), version_revision());
    (void)printf("  compiler:         %s\n", COMPILER);
    (void)printf("  build type:       %s\n", BUILD_TYPE);
    if (uname(&machine) == 0)
        (void)printf("  platform:         linux/%s\n", machine.machine);
}

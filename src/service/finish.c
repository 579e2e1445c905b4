/* SPDX-License-Identifier: Apache-2.0 */
#include "service/finish.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log/standard_streams.h"

int finish_program(const char *program, int status)
{
    const int r = stream_flush(stdout);

    if (r < 0)
        (void)fprintf(stderr, "%s: cannot write to standard output: %s\n", program, strerror(-r));
    return r < 0 && status == EXIT_SUCCESS ? EXIT_FAILURE : status;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/kernel_functions.h"

#include <stdbool.h>
#include <string.h>

#define LINE_SIZE 1024

FILE *kernel_functions_open(void)
{
    return fopen("/proc/kallsyms", "re");
}

/* A line is "address type name", maybe with a tab and "[module]" behind it. */
static bool parse_line(const char *line, char ret_name[static KERNEL_FUNCTION_SIZE])
{
    char type, name[512], module[64], end = '\0';
    const int n = sscanf(line, "%*s %c%*[ ]%511s [%63[^]\n]%c", &type, name, module, &end);

    if (n < 2 || !strchr("tTwW", type) || (n > 2 && end != ']'))
        return false;
    (void)snprintf(ret_name, KERNEL_FUNCTION_SIZE, "%s%s%s", n > 2 ? module : "", n > 2 ? ":" : "",
                   name);
    return true;
}

/* Reads a line. What is longer than LINE_SIZE is left out as a whole. */
static bool read_line(FILE *list, char line[static LINE_SIZE])
{
    while (fgets(line, LINE_SIZE, list)) {
        if (strchr(line, '\n'))
            return true;
        while (!feof(list) && !ferror(list) && fgetc(list) != '\n')
            ;
    }
    return false;
}

int kernel_functions_next(FILE *list, char ret_name[static KERNEL_FUNCTION_SIZE])
{
    char line[LINE_SIZE];

    while (read_line(list, line))
        if (parse_line(line, ret_name))
            return 1;
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Writes the known profile twice, for two cgroups, to a file: pprof_file FILE. test_pprof.py has it
 * read by another program.
 */
#include "expose/profile_fixture.h"

#include "expose/profile_pprof.h"

int main(int argc, char **argv)
{
    AUTO(profile_tree) struct profile_tree *tree = known_tree();
    const struct label labels[] = {{"cgroup", "/a"}, {"cgroup", "/b"}};
    const struct profile_part parts[] = {{tree, &labels[0], 1}, {tree, &labels[1], 1}};
    AUTO_TEXT struct text bytes = {0};
    FILE *file = argc == 2 ? fopen(argv[1], "w") : NULL;

    if (!file || profile_pprof_write(parts, ARRAY_SIZE(parts), &bytes) < 0)
        return 1;
    return fwrite(bytes.data, 1, bytes.length, file) == bytes.length && fclose(file) == 0 ? 0 : 1;
}

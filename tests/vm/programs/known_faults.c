/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Rare events: page faults, so many instructions apart.
 *
 *     known_faults FAULTS INSTRUCTIONS SECONDS
 *
 * sleeps first and at the end, so that what starting costs is counted before and apart.
 */

#include <sys/mman.h>
#include <unistd.h>

#include "vm/programs/known_loop.h"

int main(int argc, char **argv)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint64_t faults, instructions;
    unsigned seconds;
    char *memory;

    if (argc != 4) {
        fprintf(stderr, "usage: known_faults FAULTS INSTRUCTIONS SECONDS\n");
        return 2;
    }
    faults = known_number(argv[1]);
    instructions = known_number(argv[2]);
    seconds = (unsigned)known_number(argv[3]);
    memory = mmap(NULL, faults * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return 1;
    (void)madvise(memory, faults * page, MADV_NOHUGEPAGE);
    (void)sleep(seconds);
    for (uint64_t i = 0; i < faults; i++) {
        known_loop(instructions);
        *(volatile char *)(memory + i * page) = 1;
    }
    (void)sleep(seconds);
    return 0;
}

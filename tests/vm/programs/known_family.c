/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Known instructions of many: children with threads.
 *
 *     known_family CHILDREN THREADS INSTRUCTIONS [SECONDS]
 *
 * Each of the children starts so many threads, each of which executes the loop.
 * What starting and ending them costs is the same for any number of instructions.
 * SECONDS: each thread sleeps as long before the loop and after it, so that whoever
 * looks for processes has found them, and all have begun before the first loops.
 */

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vm/programs/known_loop.h"

#define MOST_THREADS 64

static unsigned seconds;

static void *loop(void *instructions)
{
    (void)sleep(seconds);
    known_loop(*(const uint64_t *)instructions);
    (void)sleep(seconds);
    return NULL;
}

static void run_threads(uint64_t n, uint64_t instructions)
{
    pthread_t threads[MOST_THREADS];

    for (uint64_t i = 0; i < n; i++)
        if (pthread_create(&threads[i], NULL, loop, &instructions) != 0)
            _exit(1);
    for (uint64_t i = 0; i < n; i++)
        (void)pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
    uint64_t children, threads, instructions;
    int status, failed = 0;

    if (argc < 4 || known_number(argv[2]) > MOST_THREADS) {
        fprintf(stderr, "usage: known_family CHILDREN THREADS INSTRUCTIONS [SECONDS]\n");
        return 2;
    }
    children = known_number(argv[1]);
    threads = known_number(argv[2]);
    instructions = known_number(argv[3]);
    seconds = argc > 4 ? (unsigned)known_number(argv[4]) : 0;
    for (uint64_t i = 0; i < children; i++)
        if (fork() == 0) {
            run_threads(threads, instructions);
            _exit(0);
        }
    while (wait(&status) > 0)
        failed |= status;
    return failed ? 1 : 0;
}

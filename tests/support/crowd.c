/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A process with threads or children that come and go, and that knows what it did.
 *
 *     crowd NAME threads N FAULTS ROUNDS
 *     crowd NAME children N FAULTS CHILD_NAME GRANDCHILDREN
 *
 * takes the name (comm), starts N threads or children, says "ready" and waits for a line.
 * Then each of them touches FAULTS fresh pages and ends; every thread is followed by another,
 * ROUNDS times in all; with GRANDCHILDREN 1 every child has first a child of its own do the
 * same. The first process touches as many itself. When all is done it writes the page faults that
 * getrusage(2) tells of: "self children grandchildren", and waits for the end of its input.
 */

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/program.h"

#define MOST 64

/* All processes share this. */
struct board {
    sem_t go[MOST];
    unsigned long children[MOST], grandchildren[MOST];
};

static unsigned long n, faults;

static unsigned long faults_so_far(void)
{
    struct rusage usage;

    (void)getrusage(RUSAGE_SELF, &usage);
    return (unsigned long)(usage.ru_minflt + usage.ru_majflt);
}

static void touch_pages(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE), size = faults * page;
    char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED)
        die("mmap");
    (void)madvise(memory, size, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < faults; i++)
        *(volatile char *)(memory + i * page) = 1;
    (void)munmap(memory, size);
}

static struct board *make_board(void)
{
    struct board *board =
        mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (board == MAP_FAILED)
        die("mmap");
    for (size_t i = 0; i < MOST; i++)
        if (sem_init(&board->go[i], 1, 0) < 0)
            die("sem_init");
    return board;
}

static void wait_for_line(void)
{
    char line[16];

    printf("ready\n");
    (void)fflush(stdout);
    if (!fgets(line, sizeof(line), stdin))
        exit(0); /* whoever started us has gone */
}

static void wait_for_end(void)
{
    while (getchar() != EOF)
        ;
}

/* threads */

static void *thread_main(void *go)
{
    while (sem_wait(go) < 0)
        ;
    touch_pages();
    return NULL;
}

static void start_thread(pthread_t *thread, sem_t *go)
{
    errno = pthread_create(thread, NULL, thread_main, go);
    if (errno)
        die("pthread_create");
}

static void run_threads(struct board *board, unsigned long rounds)
{
    pthread_t threads[MOST];
    unsigned long begin;

    for (unsigned long i = 0; i < n; i++)
        start_thread(&threads[i], &board->go[i]);
    wait_for_line();
    begin = faults_so_far();
    for (unsigned long round = 0; round < rounds; round++)
        for (unsigned long i = 0; i < n; i++) {
            (void)sem_post(&board->go[i]);
            (void)pthread_join(threads[i], NULL);
            if (round + 1 < rounds)
                start_thread(&threads[i], &board->go[i]);
        }
    touch_pages();
    printf("%lu 0 0\n", faults_so_far() - begin);
}

/* children */

static void wait_for_child(pid_t child)
{
    int status;

    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            die("waitpid");
    if (status != 0)
        exit(1);
}

static pid_t fork_or_die(void)
{
    pid_t child = fork();

    if (child < 0)
        die("fork");
    return child;
}

/* Touches pages, and says how many faults that was. */
static void work(unsigned long *ret_faults)
{
    unsigned long begin = faults_so_far();

    touch_pages();
    *ret_faults = faults_so_far() - begin;
}

static void child_main(struct board *board, unsigned long i, const char *name, bool grandchildren)
{
    pid_t child;

    (void)prctl(PR_SET_NAME, name);
    while (sem_wait(&board->go[i]) < 0)
        ;
    if (grandchildren) {
        child = fork_or_die();
        if (child == 0) {
            work(&board->grandchildren[i]);
            _exit(0);
        }
        wait_for_child(child);
    }
    work(&board->children[i]);
    _exit(0);
}

static void run_children(struct board *board, const char *name, bool grandchildren)
{
    pid_t children[MOST];
    unsigned long self, of_children = 0, of_grandchildren = 0;

    for (unsigned long i = 0; i < n; i++) {
        children[i] = fork_or_die();
        if (children[i] == 0)
            child_main(board, i, name, grandchildren);
    }
    wait_for_line();
    for (unsigned long i = 0; i < n; i++)
        (void)sem_post(&board->go[i]);
    for (unsigned long i = 0; i < n; i++)
        wait_for_child(children[i]);
    work(&self);
    for (unsigned long i = 0; i < n; i++) {
        of_children += board->children[i];
        of_grandchildren += board->grandchildren[i];
    }
    printf("%lu %lu %lu\n", self, of_children, of_grandchildren);
}

int main(int argc, char **argv)
{
    bool threads = argc == 6 && strcmp(argv[2], "threads") == 0;
    bool children = argc == 7 && strcmp(argv[2], "children") == 0;
    struct board *board;

    if (!threads && !children) {
        fprintf(stderr, "usage: crowd NAME threads N FAULTS ROUNDS\n"
                        "       crowd NAME children N FAULTS CHILD_NAME GRANDCHILDREN\n");
        return 2;
    }
    n = number(argv[3]);
    faults = number(argv[4]);
    if (n == 0 || n > MOST || faults > 100000)
        return 2;
    (void)prctl(PR_SET_NAME, argv[1]);
    board = make_board();
    if (threads)
        run_threads(board, number(argv[5]));
    else
        run_children(board, argv[5], number(argv[6]) != 0);
    (void)fflush(stdout);
    wait_for_end();
    return 0;
}

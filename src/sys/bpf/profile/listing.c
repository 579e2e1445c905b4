/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What processes have mapped, by iterators of the kernel that call our programs
 * (mappings.bpf.h). It takes no right that the samples do not take: /proc/PID/maps would want that
 * of ptrace(2).
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sys/bpf/profile/parts.h"

#include <profile.skel.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "sys/call_with_deadline.h"

#define MOST_TRIES 100
#define LOCK_TRIES 20

#define PIDS_AT_ONCE 1024
#define READ_AT_ONCE 64

/* For so long the mappings of a process may be locked where the kernel waits for that. */
#define LOCKED_MS 1000

/*
 * An iterator over what belongs to one process or to all. libbpf refuses options whose padding is
 * not 0, which LIBBPF_OPTS() leaves to the compiler.
 */
static struct bpf_link *attach(const struct bpf_program *program, pid_t pid)
{
    union bpf_iter_link_info info;
    struct bpf_iter_attach_opts options;

    memset(&info, 0, sizeof(info));
    memset(&options, 0, sizeof(options));
    info.task.tid = (uint32_t)pid;
    options.sz = sizeof(options);
    options.link_info = &info;
    options.link_info_len = sizeof(info);
    return bpf_program__attach_iter(program, pid > 0 ? &options : NULL);
}

/* What an iterator is read from: its descriptor, or -errno. */
static int open_iterator(const struct bpf_program *program, pid_t pid)
{
    struct bpf_link *link = attach(program, pid);
    int fd;

    if (!link)
        return errno == EINVAL && pid > 0 ? -EOPNOTSUPP : -errno;
    fd = bpf_iter_create(bpf_link__fd(link));
    fd = fd < 0 ? -errno : fd;
    (void)bpf_link__destroy(link);
    return fd;
}

/* Any task of this process does, as long as it does not end before the program. */
int profile_listing_begin(struct profile_program *program)
{
    program->lister = attach(program->skeleton->progs.on_list, getpid());
    return program->lister ? 0 : -errno;
}

void profile_listing_end(struct profile_program *program)
{
    (void)bpf_link__destroy(program->lister);
    program->lister = NULL;
}

/* Where a listing stands: processes and their mappings come in ascending order. */
struct listing {
    int (*take)(void *context, const struct profile_vma *vma);
    void *context;
    uint32_t pid;
    uint64_t start;
};

/*
 * Hands over records. 1: the listing begins anew, as Linux 6.18 was seen to do at the end of the
 * listing of one process; 0 or -errno.
 */
static int hand_over(struct listing *listing, const struct profile_vma *vmas, size_t n)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < n; i++) {
        const struct profile_vma *vma = &vmas[i];

        if (vma->pid < listing->pid || (vma->pid == listing->pid && vma->start <= listing->start))
            return 1;
        listing->pid = vma->pid;
        listing->start = vma->start;
        r = listing->take(listing->context, vma);
    }
    return r < 0 ? r : 0;
}

/* What one reading of an iterator fills. */
struct reading {
    int fd;
    bool is_at_end;
    size_t n;
    struct profile_vma vmas[READ_AT_ONCE];
};

/*
 * Reads until half of the room is taken; records are never cut. -EAGAIN: the mappings were being
 * changed all the time.
 */
static int read_some(void *context)
{
    struct reading *reading = context;
    unsigned tries = 0;

    reading->n = 0;
    while (reading->n <= READ_AT_ONCE / 2 && !reading->is_at_end) {
        const ssize_t n =
            TEMP_FAILURE_RETRY(read(reading->fd, &reading->vmas[reading->n],
                                    (READ_AT_ONCE - reading->n) * sizeof(reading->vmas[0])));

        if (n < 0 && (errno != EAGAIN || ++tries >= MOST_TRIES))
            return -errno;
        reading->n += n > 0 ? (size_t)n / sizeof(reading->vmas[0]) : 0;
        reading->is_at_end = n == 0;
    }
    return 0;
}

static int read_in_time(void *context)
{
    return call_with_deadline(read_some, context, LOCKED_MS);
}

/* Reads an iterator to its end. */
static int read_records(int fd, int (*read_them)(void *context), struct listing *listing)
{
    struct reading reading = {.fd = fd};
    int r = 0;

    while (r == 0 && !reading.is_at_end) {
        r = read_them(&reading);
        if (r == 0)
            r = hand_over(listing, reading.vmas, reading.n);
    }
    return r < 0 ? r : 0;
}

static int wait_for_locks(const struct profile_program *program, pid_t pid, struct listing *listing)
{
    AUTO_CLOSE const int fd = open_iterator(program->skeleton->progs.on_vma, pid);

    return fd < 0 ? fd : read_records(fd, read_in_time, listing);
}

/* One reading. PROFILE_LISTING_GOES_ON, 0 or -errno. */
static int try_lock(const struct profile_program *program, struct listing *listing)
{
    const struct profile_listing *asked = &program->skeleton->bss->listing;
    AUTO_CLOSE const int fd = bpf_iter_create(bpf_link__fd(program->lister));
    const int r = fd < 0 ? -errno : read_records(fd, read_some, listing);

    return r < 0 ? r : asked->result;
}

/* Kernel threads have no memory; who has ended had some. Both have mapped nothing. */
static int try_locks(const struct profile_program *program, pid_t pid, struct listing *listing)
{
    struct profile_listing *asked = &program->skeleton->bss->listing;
    uint64_t memory = 0;
    int r = PROFILE_LISTING_GOES_ON;

    *asked = (struct profile_listing){.pid = (uint32_t)pid};
    for (unsigned tries = 0; tries < LOCK_TRIES && (r == -EBUSY || r > 0);) {
        r = try_lock(program, listing);
        tries += r == -EBUSY;
        if (memory != 0 && asked->memory != memory)
            return -EAGAIN; /* it executes another program by now */
        memory = r >= 0 ? asked->memory : memory;
    }
    return r == -EBUSY ? -EAGAIN : r == -ENOENT || r == -ESRCH ? 0 : r;
}

struct pids {
    uint32_t *pids;
    size_t n, capacity;
};

/* All processes that have memory. 0 or -errno. */
static int list_processes(const struct profile_program *program, struct pids *pids)
{
    AUTO_CLOSE const int fd = open_iterator(program->skeleton->progs.on_process, 0);
    ssize_t got = fd < 0 ? -1 : 1;

    while (got > 0) {
        uint32_t *more =
            array_reserve(pids->pids, sizeof(*more), &pids->capacity, pids->n + PIDS_AT_ONCE);

        if (!more)
            return -ENOMEM;
        pids->pids = more;
        got = TEMP_FAILURE_RETRY(read(fd, pids->pids + pids->n, PIDS_AT_ONCE * sizeof(*more)));
        pids->n += got > 0 ? (size_t)got / sizeof(*more) : 0;
    }
    return fd < 0 ? fd : got < 0 ? -errno : 0;
}

/* One after the other; who holds the lock of his mappings is passed over. */
static int try_locks_of_all(const struct profile_program *program, struct listing *listing)
{
    struct pids pids = {0};
    int r = list_processes(program, &pids);

    for (size_t i = 0; r == 0 && i < pids.n; i++) {
        r = try_locks(program, (pid_t)pids.pids[i], listing);
        r = r == -EAGAIN ? 0 : r;
    }
    free(pids.pids);
    return r;
}

int profile_program_list_mappings(struct profile_program *program, pid_t pid,
                                  int (*take)(void *context, const struct profile_vma *vma),
                                  void *context)
{
    struct listing listing = {.take = take, .context = context};

    if (!program->lister)
        return wait_for_locks(program, pid, &listing);
    return pid > 0 ? try_locks(program, pid, &listing) : try_locks_of_all(program, &listing);
}

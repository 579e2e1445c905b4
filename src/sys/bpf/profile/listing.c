/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What processes have mapped, by an iterator of the kernel that calls our program
 * (mappings.bpf.h). It takes no right that the samples do not take: /proc/PID/maps would want that
 * of ptrace(2). The iterator waits for the lock of the mappings, which their process can hold for
 * ever. So a process that holds it is passed over, and the iterator is read by a process of ours
 * that can be killed, since the lock may be taken in the moment before.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sys/bpf/profile/parts.h"

#include <profile.skel.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "sys/call_with_deadline.h"

#define MOST_TRIES 100
#define LOCK_TRIES 20

/*
 * The mappings of one process are read within this time. Where those of all are read, it is the
 * time of one reading.
 */
#define LISTING_NS NS_PER_SECOND

/*
 * An iterator over what belongs to one process or to all: its descriptor, or -errno. libbpf refuses
 * options whose padding is not 0, which LIBBPF_OPTS() leaves to the compiler.
 */
static int open_iterator(const struct bpf_program *program, pid_t pid)
{
    union bpf_iter_link_info info;
    struct bpf_iter_attach_opts options;
    struct bpf_link *link;
    int fd;

    memset(&info, 0, sizeof(info));
    memset(&options, 0, sizeof(options));
    info.task.tid = (uint32_t)pid;
    options.sz = sizeof(options);
    options.link_info = &info;
    options.link_info_len = sizeof(info);
    link = bpf_program__attach_iter(program, pid > 0 ? &options : NULL);
    if (!link)
        return errno == EINVAL && pid > 0 ? -EOPNOTSUPP : -errno;
    fd = bpf_iter_create(bpf_link__fd(link));
    fd = fd < 0 ? -errno : fd;
    (void)bpf_link__destroy(link);
    return fd;
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

#define READ_AT_ONCE 512

/* What one reading of an iterator fills. */
struct profile_reading {
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
    struct profile_reading *reading = context;
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

/* Memory for a reading; that of the last one may have been left to a process. NULL: there is none.
 */
static struct profile_reading *begin_reading(struct profile_program *program, int fd)
{
    if (!program->reading)
        program->reading = malloc(sizeof(*program->reading));
    if (program->reading) {
        program->reading->fd = fd;
        program->reading->is_at_end = false;
    }
    return program->reading;
}

/* Reads an iterator to its end. */
static int read_records(struct profile_program *program, int fd, bool is_of_all,
                        struct listing *listing)
{
    struct profile_reading *reading = begin_reading(program, fd);
    uint64_t end_ns = clock_monotonic_ns() + LISTING_NS;
    int r = reading ? 0 : -ENOMEM;

    while (r == 0 && !reading->is_at_end) {
        const uint64_t now_ns = clock_monotonic_ns();

        if (is_of_all)
            end_ns = now_ns + LISTING_NS;
        r = now_ns < end_ns ? call_with_deadline(read_some, reading,
                                                 (unsigned)((end_ns - now_ns) / NS_PER_MS) + 1)
                            : -ETIME;
        if (r == 0)
            r = hand_over(listing, reading->vmas, reading->n);
    }
    if (r == -EINPROGRESS)
        program->reading = NULL;
    return r == -EINPROGRESS ? -ETIME : r < 0 ? r : 0;
}

/* Whether the lock of a process's mappings is held now, as far as can be told. */
static bool is_locked(const struct profile_program *program, pid_t pid)
{
    AUTO_CLOSE const int fd = open_iterator(program->skeleton->progs.on_lock, pid);
    bool *is = &program->skeleton->bss->is_locked;
    char none;

    *is = false;
    if (fd >= 0)
        (void)!read(fd, &none, sizeof(none));
    return *is;
}

/* A process that goes on changing its mappings lets go of the lock in between. */
static bool stays_locked(const struct profile_program *program, pid_t pid)
{
    unsigned tries = 0;

    while (tries < LOCK_TRIES && is_locked(program, pid))
        tries++;
    return tries == LOCK_TRIES;
}

int profile_program_list_mappings(struct profile_program *program, pid_t pid,
                                  int (*take)(void *context, const struct profile_vma *vma),
                                  void *context)
{
    struct listing listing = {.take = take, .context = context};
    AUTO_CLOSE int fd = -1;

    if (pid > 0 && stays_locked(program, pid))
        return -EAGAIN;
    fd = open_iterator(program->skeleton->progs.on_vma, pid);
    return fd < 0 ? fd : read_records(program, fd, pid == 0, &listing);
}

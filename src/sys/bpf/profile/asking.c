/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What is asked of the kernel beside the samples: what processes have mapped, by an iterator over
 * their mappings, and which functions of its own have an address. Both take no right that the
 * samples do not take: /proc/PID/maps would want that of ptrace(2), /proc/kallsyms CAP_SYSLOG.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "sys/bpf/profile/parts.h"

#include <profile.skel.h>

#include "base/cleanup.h"

#define MOST_TRIES 100

/*
 * An iterator over the mappings of one process or of all: its descriptor, or -errno. libbpf refuses
 * options whose padding is not 0, which LIBBPF_OPTS() leaves to the compiler.
 */
static int open_iterator(const struct profile_program *program, pid_t pid)
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
    link = bpf_program__attach_iter(program->skeleton->progs.on_vma, pid > 0 ? &options : NULL);
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

int profile_program_list_mappings(struct profile_program *program, pid_t pid,
                                  int (*take)(void *context, const struct profile_vma *vma),
                                  void *context)
{
    AUTO_CLOSE int fd = open_iterator(program, pid);
    struct listing listing = {.take = take, .context = context};
    struct profile_vma vmas[8];
    char *const bytes = (char *)vmas;
    size_t n = 0; /* bytes that were not handed over yet */
    int r = 0;

    if (fd < 0)
        return fd;
    for (unsigned tries = 0; r == 0 && tries < MOST_TRIES;) {
        const ssize_t got = TEMP_FAILURE_RETRY(read(fd, bytes + n, sizeof(vmas) - n));
        size_t whole;

        if (got < 0 && errno == EAGAIN) { /* mappings were being changed */
            tries++;
            continue;
        }
        if (got <= 0)
            return got < 0 ? -errno : 0;
        n += (size_t)got;
        whole = n / sizeof(vmas[0]);
        r = hand_over(&listing, vmas, whole);
        memmove(bytes, bytes + whole * sizeof(vmas[0]), n % sizeof(vmas[0]));
        n %= sizeof(vmas[0]);
    }
    return r == 0 ? -EAGAIN : r < 0 ? r : 0;
}

int profile_program_symbol(struct profile_program *program, uint64_t address,
                           char ret_symbol[static PROFILE_SYMBOL_SIZE])
{
    LIBBPF_OPTS(bpf_test_run_opts, options);
    struct profile_bpf__bss *bss = program->skeleton->bss;
    int r;

    bss->asked_address = address;
    r = bpf_prog_test_run_opts(bpf_program__fd(program->skeleton->progs.on_ask), &options);
    if (r < 0 || (int)options.retval < 0)
        return r < 0 ? r : -EINVAL;
    memcpy(ret_symbol, bss->symbol, PROFILE_SYMBOL_SIZE);
    ret_symbol[PROFILE_SYMBOL_SIZE - 1] = '\0';
    return 0;
}
